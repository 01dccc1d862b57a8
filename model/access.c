/* Loads, stores and atomics of a thread that is run: events with values. */
#include "steps.h"

#define TURNS_MAX 1024
#define ELEMENTS_MAX 4096 /* of a copy */

static event_row
event_bit(const struct runner *r, const struct path_event *e)
{
	return BIT(e - r->events);
}

/* PTX ISA 8.10.4, spec 2.7: data, address and control, and an atom's
   write on its read. */
event_row
path_event_deps(const struct model *m, const struct path_event *e)
{
	event_row deps = 0;

	if (HAS(m, DEP_DATA))
		deps |= e->data;
	if (HAS(m, DEP_CTRL))
		deps |= e->ctrl;
	if (HAS(m, DEP_RMW) && e->event.kind == EVENT_WRITE &&
	    e->event.rmw >= 0)
		deps |= BIT(e->event.rmw);
	return deps;
}

/* Which location the access is to. */
static struct location *
find_location(struct runner *r, const struct access *a, struct path_event *e)
{
	const struct insn *insn = a->insn;
	const struct operand *o = &insn->ops[a->operand];
	struct model *m = r->m;
	int var = o->var, size = a->size;
	int64_t offset = o->imm;
	struct location *l;

	if (o->reg >= 0) {
		e->data |= r->taint[o->reg];
		if (!address_find(m->p, r->value[o->reg] + (uint64_t)o->imm,
		    &var, &offset)) {
			stop_reason(m, insn->loc, "the address may be of no "
			    "declared location");
			return NULL;
		}
	}
	offset += (int64_t)a->element * size;
	if (offset < 0 || offset > INT32_MAX / 2)
		offset = -1;
	l = location_find(m, insn->loc, var, (int)offset, size);
	if (!l)
		return NULL;
	if (insn->nc && !l->nc) {
		l->nc = true;
		l->nc_loc = insn->loc;
	}
	e->event.var = m->virt[var];
	e->event.elem = (int)offset / m->p->vars[var].size;
	e->event.loc = (int)(l - m->locs);
	e->event.size = size;
	return l;
}

/* What must have happened for an event that depends on `reads`; false if
   that includes `own`. */
static bool
find_support(struct runner *r, struct support *support, event_row reads,
    uint64_t own)
{
	int i;

	support->needs[0] = 0;
	support->count = 1;
	EACH(i, reads)
		if (!support_join(support, &r->support[i], own))
			return false;
	return true;
}

/* Which value a read that is not free returned in the given path, or -1. */
static int
fixed_value(const struct runner *r, const struct location *l,
    const struct event *e)
{
	int i;

	for (i = 0; r->path && i < r->path->count; i++) {
		const struct event *f = &r->path->events[i].event;

		if (f->kind == EVENT_READ && f->insn == e->insn &&
		    f->turn == e->turn && f->part == e->part)
			return r->free & BIT(i) || f->loc != e->loc ? -1 :
			    location_value(l, f->value);
	}
	return -1;
}

/*
 * The values that a read may return, as a set of their numbers. What the
 * thread itself wrote to the location is read only from the last such
 * write, and the initial value only before any: PTX ISA 8.10.5 and 8.10.6
 * forbid the rest, where all accesses have one address and proxy.
 */
static event_row
possible_values(const struct runner *r, const struct location *l)
{
	int n = l->visible ? l->visible : 1, last, own, i;
	event_row all = n == 64 ? ~(event_row)0 : BIT(n) - 1, found = 0;

	if (!r->m->plain)
		return all;
	last = r->last_write[l - r->m->locs];
	own = last < 0 ? 0 : location_value(l, r->events[last].event.value);
	if (own >= 0)
		found = BIT(own);
	EACH(i, all)
		if (l->writers[i] & ~(1u << r->t))
			found |= BIT(i);
	return found ? found : BIT(0);
}

static int
next_value(struct runner *r, const struct location *l)
{
	event_row values = possible_values(r, l);
	int k;

	if (r->nreads == r->depth) {
		r->choice[r->depth++] = 0;
		r->choices[r->nreads] = __builtin_popcountll(values);
	}
	for (k = r->choice[r->nreads++]; k > 0; k--)
		values &= values - 1;
	return row_first(values);
}

struct path_event *
access_read(struct runner *r, const struct access *a)
{
	struct path_event *e = runner_event(r, EVENT_READ, a->insn);
	struct location *l = e ? find_location(r, a, e) : NULL;
	struct support *support;
	int value;

	if (!l)
		return NULL;
	e->event.part = a->element + a->part;
	value = fixed_value(r, l, &e->event);
	if (value < 0)
		value = next_value(r, l);
	e->event.value = l->values[value];
	support = &r->support[e - r->events];
	find_support(r, support, path_event_deps(r->m, e), 0);
	support_join(support, &l->support[value], 0);
	return e;
}

/*
 * Number of a write: of an instruction of a thread, in one turn of its
 * loop. An execution has it at most once. Those that find no room are not
 * followed. (Counting a thread's writes would not do: how many come before
 * may hang on a cas that this one does not depend on.)
 */
static uint64_t
write_bit(struct runner *r, int element)
{
	int room = 64 / r->m->p->nthreads, n;
	int key = (r->pc * TURNS_MAX + r->turn[r->pc]) * ELEMENTS_MAX + element;
	int *keys = r->m->writes[r->t];

	if (r->turn[r->pc] >= TURNS_MAX || element >= ELEMENTS_MAX)
		return 0;
	for (n = 0; n < room; n++) {
		if (!keys[n])
			keys[n] = key + 1;
		if (keys[n] == key + 1)
			return (uint64_t)1 << (r->t * room + n);
	}
	return 0;
}

struct path_event *
access_write(struct runner *r, const struct access *a, event_row taint,
    int read, uint64_t value)
{
	struct path_event *e = runner_event(r, EVENT_WRITE, a->insn);
	struct location *l = e ? find_location(r, a, e) : NULL;
	uint64_t own = write_bit(r, a->element + a->part);
	struct support support;
	int i;

	if (!l)
		return NULL;
	e->data |= taint;
	e->event.part = a->element + a->part;
	e->event.rmw = read;
	e->event.value = a->size >= 8 ? value :
	    value & (((uint64_t)1 << 8 * a->size) - 1);
	r->last_write[l - r->m->locs] = (int)(e - r->events);
	/* a value that needs itself is found some other way or not at all:
	   if the dependency is not real, by the same write after others */
	if (!find_support(r, &support, path_event_deps(r->m, e),
	    HAS(r->m, THIN_AIR) ? own : 0))
		return e;
	for (i = 0; i < support.count; i++)
		support.needs[i] |= own;
	return location_add_value(r->m, l, e->event.value, r->t, &support) ?
	    e : NULL;
}

/* A load extends to the width of its register, by sign or zeros. */
static void
load_register(struct runner *r, int reg, const struct insn *insn,
    const struct path_event *e)
{
	uint64_t v = e->event.value;

	if (type_signed(insn->type))
		v = value_cut((uint64_t)value_signed(v, insn->type),
		    r->thread->regs[reg].type);
	runner_set(r, reg, v, event_bit(r, e) | runner_guard(r, insn));
}

static int
elements(const struct insn *insn)
{
	return insn->vec > 1 ? insn->vec : 1;
}

bool
access_load(struct runner *r, const struct insn *insn)
{
	const struct operand *d = &insn->ops[0];
	struct path_event *e[VEC_MAX];
	int i;

	for (i = 0; i < elements(insn); i++) {
		e[i] = access_read(r, &(struct access){insn, 1,
		    type_size(insn->type), i, 0});
		if (!e[i])
			return false;
	}
	for (i = 0; i < elements(insn); i++)
		load_register(r, d->kind == OPERAND_VEC ? d->vec[i] : d->reg,
		    insn, e[i]);
	return true;
}

bool
access_store(struct runner *r, const struct insn *insn)
{
	const struct operand *s = &insn->ops[1];
	int i;

	for (i = 0; i < elements(insn); i++) {
		event_row taint = 0;
		uint64_t value;

		if (s->kind == OPERAND_VEC) {
			value = r->value[s->vec[i]];
			taint = r->taint[s->vec[i]];
		} else {
			value = runner_value(r, s, &taint);
		}
		if (!access_write(r, &(struct access){insn, 0,
		    type_size(insn->type), i, 0}, taint, -1, value))
			return false;
	}
	return true;
}

/* The halves of an atom or red (spec 1.2): acquire belongs to the read,
   release to the write; what is left of each is relaxed. */
static void
split_sem(struct event *read, struct event *write)
{
	enum sem sem = read->sem;

	read->sem = sem == SEM_ACQUIRE || sem == SEM_ACQ_REL ?
	    SEM_ACQUIRE : SEM_RELAXED;
	write->sem = sem == SEM_RELEASE || sem == SEM_ACQ_REL ?
	    SEM_RELEASE : SEM_RELAXED;
}

bool
access_rmw(struct runner *r, const struct insn *insn)
{
	bool red = insn->op->class == CLASS_RED;
	const struct access a = {insn, red ? 0 : 1, type_size(insn->type), 0,
		0};
	const struct operand *b = &insn->ops[a.operand + 1], *c = b + 1;
	struct path_event *read = access_read(r, &a), *write;
	event_row taint = 0;
	uint64_t old, vb, vc = 0, value;

	if (!read)
		return false;
	read->event.red = red;
	old = read->event.value;
	vb = runner_value(r, b, &taint);
	if (insn->rmw == RMW_CAS)
		vc = runner_value(r, c, &taint);
	value = rmw_apply(insn->rmw, insn->type, old, vb, vc);
	if (!red)
		load_register(r, insn->ops[0].reg, insn, read);
	/* PTX ISA 8.4: a write only "if they result in a write" */
	if (insn->rmw == RMW_CAS && old != value_cut(vb, insn->type) &&
	    !HAS(r->m, CAS_WRITES)) {
		struct event unused = read->event;

		split_sem(&read->event, &unused);
		return true;
	}
	if (insn->rmw != RMW_EXCH)
		taint |= event_bit(r, read);
	write = access_write(r, &a, taint, (int)(read - r->events), value);
	if (!write)
		return false;
	write->event.red = red;
	split_sem(&read->event, &write->event);
	read->event.rmw = (int)(write - r->events);
	return true;
}
