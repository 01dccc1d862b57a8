/*
 * From executions to outcomes: what a state of registers and memory looks
 * like through the slots of the program.
 */
#include "internal.h"

#include <string.h>

/* ---- slots of memory -------------------------------------------------- */

static uint64_t
ones(int bits)
{
	return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
}

static bool
find_view(struct search *s, int slot)
{
	struct model *m = s->m;
	const struct slot *o = &m->p->slots[slot];
	const struct var *v = &m->p->vars[o->var];
	int root = m->phys[o->var], offset = o->elem * v->size, i;
	struct view *view = &s->views[slot];

	*view = (struct view){.loc = -1, .mask = ones(8 * o->size)};
	for (i = 0; i < m->nlocs; i++) {
		const struct location *l = &m->locs[i];

		if (l->root != root || l->offset + l->size <= offset ||
		    offset + o->size <= l->offset)
			continue;
		if (l->offset > offset ||
		    l->offset + l->size < offset + o->size)
			return stop_reason(m, l->first, "an accessed "
			    "location is observed in a wider piece");
		view->loc = i;
		view->shift = 8 * (offset - l->offset);
	}
	if (view->loc < 0)
		view->value = m->p->vars[root].init[o->elem] & view->mask;
	return true;
}

static void
observe(struct search *s, int loc)
{
	int i;

	for (i = 0; i < s->nobserved; i++)
		if (s->observed[i] == loc)
			return;
	s->observed[s->nobserved++] = loc;
}

bool
results_start(struct search *s)
{
	const struct program *p = s->m->p;
	size_t words = (p->noutcomes + 63) / 64;
	int i;

	for (i = 0; i < p->nslots; i++) {
		if (p->slots[i].thread >= 0)
			continue;
		if (!find_view(s, i))
			return false;
		if (s->views[i].loc >= 0)
			observe(s, s->views[i].loc);
		else
			s->values[i] = s->views[i].value;
	}
	s->allowed = arena_alloc(s->m->own, words * sizeof(uint64_t));
	s->interleaved = arena_alloc(s->m->own, words * sizeof(uint64_t));
	return true;
}

void
results_registers(struct search *s, int t, const struct path *path)
{
	const struct program *p = s->m->p;
	int i;

	for (i = 0; i < p->nslots; i++)
		if (p->slots[i].thread == t)
			s->values[i] = path->finals[i];
}

static void
view_location(struct search *s, int loc, uint64_t value)
{
	int i;

	for (i = 0; i < s->m->p->nslots; i++)
		if (s->m->p->slots[i].thread < 0 && s->views[i].loc == loc)
			s->values[i] = value >> s->views[i].shift &
			    s->views[i].mask;
}

/* ---- sets of outcomes ------------------------------------------------- */

static bool
has(const uint64_t *set, uint32_t code)
{
	return set[code / 64] >> code % 64 & 1;
}

static bool
outcome_of(struct search *s, uint32_t *code)
{
	*code = outcome_code(s->m->p, s->values);
	if (*code != UINT32_MAX)
		return true;
	return stop_limit(s->m,
	    "a final state lies outside the values known beforehand");
}

/* Calls `see` for each combination of final values, until it is true. */
static bool
each_outcome(struct search *s, int at, const event_row *finals,
    bool (*see)(struct search *s, uint32_t code))
{
	uint32_t code;
	int loc, i;

	if (at == s->nobserved)
		return outcome_of(s, &code) && see(s, code);
	loc = s->observed[at];
	EACH(i, finals[loc]) {
		view_location(s, loc, s->m->locs[loc].values[i]);
		s->chosen[loc] = BIT(i);
		if (each_outcome(s, at + 1, finals, see))
			return true;
	}
	return false;
}

/* Of a set of cells, those of a location, as value numbers. */
static event_row
cells_of(const struct cells *cells, const struct location *l)
{
	int word = l->cell / 64, shift = l->cell % 64;
	event_row found = cells->word[word] >> shift;

	if (shift && word + 1 < CELL_WORDS)
		found |= cells->word[word + 1] << (64 - shift);
	return l->nvalues == 64 ? found : found & (BIT(l->nvalues) - 1);
}

/* With which values a location may end: those that the paths write, or the
   initial one if there are none. */
static void
possible_finals(struct search *s, event_row *finals)
{
	struct cells written = {0};
	int t, k;

	for (t = 0; s->nobserved && t < s->m->p->nthreads; t++)
		cells_merge(&written, &s->path[t]->provides);
	for (k = 0; k < s->nobserved; k++) {
		int loc = s->observed[k];
		event_row found = cells_of(&written, &s->m->locs[loc]);

		if (!found || !HAS(s->m, INIT_FIRST))
			found |= BIT(0);
		finals[loc] = found;
	}
}

static bool
is_new(struct search *s, uint32_t code)
{
	return !has(s->allowed, code);
}

static bool
is_unmarked(struct search *s, uint32_t code)
{
	return has(s->allowed, code) && !has(s->interleaved, code);
}

bool
results_pending(struct search *s)
{
	event_row finals[LOCATIONS_MAX];

	possible_finals(s, finals);
	return each_outcome(s, 0, finals, is_new);
}

bool
results_unmarked(struct search *s)
{
	event_row finals[LOCATIONS_MAX];

	possible_finals(s, finals);
	return each_outcome(s, 0, finals, is_unmarked);
}

/* ---- found ------------------------------------------------------------ */

static void
keep_witness(struct search *s, uint32_t code)
{
	size_t size = (size_t)s->g.x.count * sizeof(event_row);
	event_row co[EVENTS_MAX], before[EVENTS_MAX];
	event_row finals[LOCATIONS_MAX];
	struct execution *x;

	if (!s->m->opts->witnesses || s->nwitnesses == WITNESSES_MAX)
		return;
	memcpy(co, s->g.x.co, size);
	memcpy(before, s->g.co_before, size);
	memcpy(finals, s->finals, sizeof(finals));
	memcpy(s->finals, s->chosen, sizeof(finals));
	if (coherence_witness(s)) {
		x = arena_alloc(s->m->arena, sizeof(*x));
		*x = s->g.x;
		s->witness[s->nwitnesses] = x;
		s->witness_code[s->nwitnesses++] = code;
	}
	memcpy(s->finals, finals, sizeof(finals));
	memcpy(s->g.x.co, co, size);
	memcpy(s->g.co_before, before, size);
}

static bool
record(struct search *s, uint32_t code)
{
	if (has(s->allowed, code))
		return false;
	s->allowed[code / 64] |= (uint64_t)1 << code % 64;
	s->nallowed++;
	keep_witness(s, code);
	return false;
}

void
results_record(struct search *s)
{
	if (s->m->async)
		async_undefined(s);
	each_outcome(s, 0, s->finals, record);
}

void
results_mark(struct search *s, const uint8_t *memory)
{
	uint32_t code;
	int k;

	for (k = 0; k < s->nobserved; k++) {
		int loc = s->observed[k];

		view_location(s, loc, s->m->locs[loc].values[memory[loc]]);
	}
	if (outcome_of(s, &code) && has(s->allowed, code))
		s->interleaved[code / 64] |= (uint64_t)1 << code % 64;
}

/* ---- one outcome ------------------------------------------------------ */

bool
results_match(const struct search *s, int t)
{
	const struct program *p = s->m->p;
	uint64_t values[SLOTS_MAX];
	int i;

	outcome_values(p, s->code, values);
	for (i = 0; i < p->nslots; i++)
		if (p->slots[i].thread == t && s->values[i] != values[i])
			return false;
	return true;
}

event_row
results_wanted(const struct search *s, int loc)
{
	const struct program *p = s->m->p;
	const struct location *l = &s->m->locs[loc];
	uint64_t values[SLOTS_MAX];
	event_row wanted = 0;
	int i, k;

	outcome_values(p, s->code, values);
	for (i = 0; i < l->nvalues; i++) {
		for (k = 0; k < p->nslots; k++) {
			const struct view *view = &s->views[k];

			if (p->slots[k].thread < 0 && view->loc == loc &&
			    (l->values[i] >> view->shift & view->mask) !=
			    values[k])
				break;
		}
		if (k == p->nslots)
			wanted |= BIT(i);
	}
	return wanted;
}
