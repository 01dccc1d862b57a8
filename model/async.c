/*
 * mbarriers, and asynchronous copies, of a thread that is run.
 *
 * An mbarrier is a location of 64 bits (gen/mbarrier.c). Arrivals are
 * read-modify-writes of it, waits are loads: so all arrivals of a phase are
 * in the observation order of whoever sees the phase complete (PTX ISA,
 * mbarrier.test_wait).
 *
 * A copy is events beside its thread: for each element a read, and a write
 * that depends on it; then, if it counts on an mbarrier, the complete-tx. They
 * stand in the path where the copy is issued; what comes before them and
 * after them is said by .covers and in order.c.
 */
#include "steps.h"

#define WHOLE 4095 /* part of a copy that is none of its elements */

/* ---- mbarriers --------------------------------------------------------- */

static void
leave_undefined(struct runner *r, const struct insn *insn, const char *what)
{
	if (r->undefined)
		return;
	r->undefined = what;
	r->undefined_loc = insn->loc;
}

static struct path_event *
mbarrier_event(struct path_event *e)
{
	if (e) {
		e->event.mbarrier = true;
		e->event.proxy = PROXY_GENERIC;
	}
	return e;
}

static struct path_event *
mbarrier_read(struct runner *r, const struct access *a)
{
	struct path_event *e = mbarrier_event(access_read(r, a));

	if (e && !mbarrier_valid(e->event.value))
		leave_undefined(r, a->insn, "an mbarrier may be used before "
		    "it is initialised, or after it is invalidated");
	return e;
}

/*
 * An arrival, or what else counts. The read can acquire nothing. Where
 * there is no mbarrier nothing is written. *old is the word it found; false:
 * m->stop.
 */
static bool
mbarrier_count(struct runner *r, const struct access *a, uint64_t n,
    event_row taint, uint64_t *old, struct path_event **write)
{
	struct path_event *e = mbarrier_read(r, a);
	int read;

	*write = NULL;
	if (!e)
		return false;
	read = (int)(e - r->events);
	*old = e->event.value;
	e->event.red = true;
	e->event.sem = SEM_RELAXED;
	if (!mbarrier_valid(*old))
		return true;
	*write = mbarrier_event(access_write(r, a, taint | BIT(read), read,
	    mbarrier_apply(a->insn, *old, n)));
	if (!*write)
		return false;
	(*write)->event.red = true;
	r->events[read].event.rmw = (int)(*write - r->events);
	return true;
}

static bool
arrive(struct runner *r, const struct insn *insn)
{
	bool returns = insn->op->id != OP_MBARRIER_EXPECT_TX;
	const struct access a = {insn, returns ? 1 : 0, 8, 0, 0};
	struct path_event *write;
	event_row taint = 0;
	uint64_t n = 1, old;
	int read = r->count;

	if (insn->nops > a.operand + 1)
		n = value_cut(runner_value(r, &insn->ops[a.operand + 1],
		    &taint), TYPE_U32);
	if (!mbarrier_count(r, &a, n, taint, &old, &write))
		return false;
	if (returns && insn->ops[0].kind == OPERAND_REG)
		runner_set(r, insn->ops[0].reg, old, BIT(read) |
		    runner_guard(r, insn));
	return true;
}

static bool
wait_for_phase(struct runner *r, const struct insn *insn)
{
	struct path_event *e = mbarrier_read(r,
	    &(struct access){insn, 1, 8, 0, 0});
	event_row taint = 0;
	uint64_t state;

	if (!e)
		return false;
	state = runner_value(r, &insn->ops[2], &taint);
	e->event.failed = !mbarrier_done(e->event.value, state,
	    insn->mode == MODE_PARITY);
	runner_set(r, insn->ops[0].reg, !e->event.failed, taint |
	    BIT(e - r->events) | runner_guard(r, insn));
	return true;
}

bool
mbarrier_run(struct runner *r, const struct insn *insn)
{
	event_row taint = 0;
	uint64_t word = 0;
	struct path_event *e;

	switch (insn->op->id) {
	case OP_MBARRIER_INIT:
		word = mbarrier_word(runner_value(r, &insn->ops[1], &taint));
		break;
	case OP_MBARRIER_INVAL:
		break;
	case OP_MBARRIER_TEST:
	case OP_MBARRIER_TRY:
		return wait_for_phase(r, insn);
	default:
		return arrive(r, insn);
	}
	e = mbarrier_event(access_write(r, &(struct access){insn, 0, 8, 0, 0},
	    taint, -1, word));
	if (e)
		e->event.sem = SEM_WEAK;
	return e != NULL;
}

/* ---- copies ------------------------------------------------------------ */

/* Does an operand of another instruction, or a slot, concern these bytes? */
static bool
is_concerned(const struct model *m, const struct insn *self, int var,
    int64_t offset, int size, bool writes)
{
	const struct program *p = m->p;
	int t, i, j;

	for (i = 0; !writes && i < p->nslots; i++)
		if (p->slots[i].thread < 0 &&
		    m->phys[p->slots[i].var] == m->phys[var])
			return true;
	for (t = 0; t < p->nthreads; t++)
		for (i = 0; i < p->threads[t].ninsns; i++) {
			const struct insn *insn = &p->threads[t].insns[i];

			for (j = 0; j < insn->nops; j++) {
				const struct operand *o = &insn->ops[j];

				if (o->kind != OPERAND_ADDR || insn == self ||
				    (writes && (insn->op->class == CLASS_LOAD ||
				    (insn_is_copy(insn) && j > 0))))
					continue;
				if (o->var < 0 || (m->phys[o->var] ==
				    m->phys[var] && o->imm < offset + size &&
				    o->imm + operand_bytes(insn, j) > offset))
					return true;
			}
		}
	return false;
}

/* An element that nobody else looks at, of what nobody writes, is left
   out. */
static bool
is_idle(const struct model *m, const struct insn *insn, int size, int i)
{
	const struct operand *to = &insn->ops[0], *from = &insn->ops[1];

	return to->var >= 0 && from->var >= 0 &&
	    m->phys[to->var] != m->phys[from->var] &&
	    !is_concerned(m, insn, to->var, to->imm + i * size, size,
		false) &&
	    !is_concerned(m, insn, from->var, from->imm + i * size, size,
		true);
}

static struct path_event *
beside(struct path_event *e)
{
	if (e)
		e->event.async = true;
	return e;
}

/* The elements' events, as a row in *all. */
static bool
copy_elements(struct runner *r, const struct insn *insn, int size,
    event_row *all)
{
	struct path_event *e;
	int i, n = operand_bytes(insn, 0) / size, read;

	*all = 0;
	for (i = 0; i < n; i++) {
		if (is_idle(r->m, insn, size, i))
			continue;
		e = beside(access_read(r,
		    &(struct access){insn, 1, size, i, 0}));
		if (!e)
			return false;
		read = (int)(e - r->events);
		e = beside(access_write(r,
		    &(struct access){insn, 0, size, i, 0}, BIT(read), -1,
		    e->event.value));
		if (!e)
			return false;
		e->covers = BIT(read);
		*all |= BIT(read) | BIT(e - r->events);
	}
	return true;
}

/* Counts on the mbarrier at `operand` when the events in `covers` are
   done, at the scope of the cluster. */
static bool
complete(struct runner *r, const struct insn *insn, int operand,
    enum scope scope, uint64_t n, event_row covers)
{
	const struct access a = {insn, operand, 8, 0, WHOLE};
	int read = r->count;
	struct path_event *write;
	uint64_t old;

	if (!mbarrier_count(r, &a, n, 0, &old, &write))
		return false;
	beside(&r->events[read])->covers = covers;
	r->events[read].event.scope = scope;
	if (!write)
		return true;
	beside(write)->covers = covers | BIT(read);
	write->event.scope = scope;
	write->event.sem = HAS(r->m, ASYNC_TX) ? SEM_RELEASE : SEM_RELAXED;
	return true;
}

/* Of the variable that the operand points to now, or 0. */
static int
element_size(struct runner *r, const struct operand *o)
{
	const struct program *p = r->m->p;
	int var = o->var;
	int64_t offset;

	if (var < 0 && (o->reg < 0 || !address_find(p, r->value[o->reg] +
	    (uint64_t)o->imm, &var, &offset)))
		return 0;
	return p->vars[r->m->phys[var]].size;
}

static bool
copy(struct runner *r, const struct insn *insn)
{
	bool bulk = insn->op->id == OP_BULK;
	int size = element_size(r, &insn->ops[0]);
	event_row all;

	if (!size || size != element_size(r, &insn->ops[1]) ||
	    size > operand_bytes(insn, 0))
		return stop_reason(r->m, insn->loc, "a copy between elements "
		    "of different sizes, or of no declared location");
	if (!copy_elements(r, insn, size, &all))
		return false;
	if (bulk && insn->complete == COMPLETE_MBARRIER)
		return complete(r, insn, 3, SCOPE_CLUSTER,
		    (uint64_t)insn->ops[2].imm, all);
	r->copies[bulk].open |= all;
	return true;
}

/* ---- groups and waits -------------------------------------------------- */

static void
commit(struct runner *r, bool bulk)
{
	int n = r->copies[bulk].ngroups;

	r->copies[bulk].commits++;
	if (!r->copies[bulk].open)
		return;
	r->copies[bulk].groups[n].events = r->copies[bulk].open;
	r->copies[bulk].groups[n].number = r->copies[bulk].commits;
	r->copies[bulk].ngroups++;
	r->copies[bulk].open = 0;
}

/* All groups but the last `pending`. */
static event_row
completed(const struct runner *r, bool bulk, int64_t pending)
{
	event_row all = 0;
	int i;

	for (i = 0; i < r->copies[bulk].ngroups; i++)
		if (pending <= r->copies[bulk].commits -
		    r->copies[bulk].groups[i].number)
			all |= r->copies[bulk].groups[i].events;
	return all;
}

static event_row
reads_among(const struct runner *r, event_row events)
{
	event_row found = 0;
	int i;

	EACH(i, events)
		if (r->events[i].event.kind == EVENT_READ)
			found |= BIT(i);
	return found;
}

static bool
wait_for(struct runner *r, const struct insn *insn, event_row covers)
{
	struct path_event *e = runner_event(r, EVENT_WAIT, insn);

	if (!e)
		return false;
	if (insn->reads && HAS(r->m, ASYNC_READ))
		covers = reads_among(r, covers);
	if (HAS(r->m, ASYNC_WAIT))
		e->covers = covers;
	return true;
}

bool
async_run(struct runner *r, const struct insn *insn)
{
	switch (insn->op->id) {
	case OP_CP_COMMIT:
		commit(r, false);
		return true;
	case OP_BULK_COMMIT:
		commit(r, true);
		return true;
	case OP_CP_WAIT:
		return wait_for(r, insn, completed(r, false,
		    insn->ops[0].imm));
	case OP_BULK_WAIT:
		return wait_for(r, insn, completed(r, true,
		    insn->ops[0].imm));
	case OP_CP_WAIT_ALL:
		return wait_for(r, insn, completed(r, false, 0) |
		    r->copies[false].open);
	case OP_CP_ARRIVE:
		return complete(r, insn, 0, SCOPE_CTA, 1,
		    completed(r, false, 0) | r->copies[false].open);
	default:
		return copy(r, insn);
	}
}
