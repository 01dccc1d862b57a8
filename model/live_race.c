/*
 * Racing writes in the liveness machine.
 *
 * Coherence is partial in PTX (ISA 8.9.6): two writes to one location that
 * are neither morally strong nor ordered by causality stay unordered, both
 * are newest, and a spinning read may take the old one for ever. To find
 * such pairs the machine keeps, for each location, the newest write of each
 * thread that no other supersedes, and, for each thread, the set of those
 * writes that come before it in causality order. Knowledge travels as
 * synchronization does: release patterns leave it at the write, acquire
 * patterns take it from the write read (ISA 8.8, 8.9.4), a fence.sc takes it
 * from the fence.sc before it, barriers share it.
 *
 * Where a pattern has two heads the narrower scope is kept for both: the
 * machine may then miss that two writes are ordered and report a hang that
 * cannot be; it never misses one.
 */
#include "edit.h"
#include "live.h"

#include <string.h>

/*
 * Words of a location: the set of newest writers; then for each writer its
 * value, its instruction (1 the first, 0 none yet), and what it passes on
 * from each thread (a release pattern's head). Of the "knows" part: for each
 * thread what it knows, its last release fence, its last fence.sc, and what
 * it read from each thread without having acquired it yet.
 */
#define VALUE 0
#define INSN 1
#define HEADS 2

/* A set of writes with the scope at which it was released. */
#define SET_BITS 60
#define SET_MASK (((uint64_t)1 << SET_BITS) - 1)

static uint64_t
set_make(uint64_t set, enum scope scope)
{
	return (set & SET_MASK) | (uint64_t)scope << SET_BITS;
}

static enum scope
set_scope(uint64_t set)
{
	return (enum scope)(set >> SET_BITS);
}

static uint64_t
set_union(uint64_t a, uint64_t b)
{
	if (!(a & SET_MASK))
		return b;
	if (!(b & SET_MASK))
		return a;
	return set_make(a | b, set_scope(a) < set_scope(b) ? set_scope(a) :
	    set_scope(b));
}

static bool
includes(const struct program *p, enum scope scope, int a, int b)
{
	return scope >= scope_between(p, a, b);
}

/* volatile and mmio are relaxed.sys (ISA 8.4) */
static enum scope
insn_scope(const struct insn *insn)
{
	return insn->sem == SEM_VOLATILE || insn->sem == SEM_MMIO ?
	    SCOPE_SYS : insn->scope;
}

static bool
is_write(const struct insn *insn)
{
	return insn->op->class == CLASS_STORE ||
	    insn->op->class == CLASS_RMW || insn->op->class == CLASS_RED;
}

/* Moral strength (ISA 8.7) of two accesses to one location. */
static bool
morally_strong(const struct program *p, int s, const struct insn *a, int t,
    const struct insn *b)
{
	return s == t || (a->sem != SEM_WEAK && b->sem != SEM_WEAK &&
	    a->proxy == b->proxy && includes(p, insn_scope(a), s, t) &&
	    includes(p, insn_scope(b), t, s));
}

static int
root(const struct program *p, int var)
{
	while (p->vars[var].alias_of >= 0)
		var = p->vars[var].alias_of;
	return var;
}

static const struct operand *
address(const struct insn *insn)
{
	int i;

	for (i = 0; i < insn->nops; i++)
		if (insn->ops[i].kind == OPERAND_ADDR)
			return &insn->ops[i];
	return NULL;
}

/* Through registers an access may reach any location. */
static bool
may_meet(const struct program *p, const struct insn *a, const struct insn *b)
{
	const struct operand *x = address(a), *y = address(b);

	return x && y && (x->var < 0 || y->var < 0 || x->reg >= 0 ||
	    y->reg >= 0 || root(p, x->var) == root(p, y->var));
}

static bool
may_race(const struct program *p, int s, const struct insn *a, int t,
    const struct insn *b)
{
	return is_write(a) && is_write(b) && may_meet(p, a, b) &&
	    (address(a)->var != address(b)->var ||
	    !morally_strong(p, s, a, t, b));
}

/* Weak, or at a scope that leaves the other thread out. */
static bool
out_of_reach(const struct program *p, int s, const struct insn *a, int t)
{
	return a->sem == SEM_WEAK || !includes(p, insn_scope(a), s, t);
}

bool
live_polls(const struct program *p, int thread, int index)
{
	const struct insn *load = &p->threads[thread].insns[index];
	int t, i;

	if (load->op->class != CLASS_LOAD ||
	    !insn_in_loop(&p->threads[thread], index))
		return false;
	for (t = 0; t < p->nthreads; t++)
		for (i = 0; i < p->threads[t].ninsns && t != thread; i++)
			if (is_write(&p->threads[t].insns[i]) &&
			    may_meet(p, load, &p->threads[t].insns[i]) &&
			    out_of_reach(p, thread, load, t))
				return true;
	return false;
}

/* Or does a loop poll out of reach, so that older writes count? */
bool
live_races(const struct program *p)
{
	int s, t, i, j;

	for (s = 0; s < p->nthreads; s++)
		for (i = 0; i < p->threads[s].ninsns; i++)
			if (live_polls(p, s, i))
				return true;
	for (s = 0; s < p->nthreads; s++)
		for (t = s + 1; t < p->nthreads; t++)
			for (i = 0; i < p->threads[s].ninsns; i++)
				for (j = 0; j < p->threads[t].ninsns; j++)
					if (may_race(p, s,
					    &p->threads[s].insns[i], t,
					    &p->threads[t].insns[j]))
						return true;
	return false;
}

bool
live_race_fits(const struct live *l)
{
	return !l->racing || l->nlocs * l->nwriters <= SET_BITS;
}

int
live_race_words(const struct live *l)
{
	return l->racing ? l->p->nthreads * (3 + l->p->nthreads) : 0;
}

uint64_t *
live_writer(const struct live *l, uint64_t *state, int loc, int writer)
{
	return state + l->locs_at + loc * l->loc_words + l->racing +
	    writer * l->writer_words;
}

static uint64_t *
newest(const struct live *l, uint64_t *state, int loc)
{
	return state + l->locs_at + loc * l->loc_words;
}

static uint64_t *
knows(const struct live *l, uint64_t *state, int thread)
{
	return state + l->known_at + thread * (3 + l->p->nthreads);
}

static uint64_t
bit(const struct live *l, int loc, int writer)
{
	return (uint64_t)1 << (loc * l->nwriters + writer);
}

static const struct insn *
insn_of(const struct live *l, const uint64_t *writer_words, int writer)
{
	return &l->p->threads[writer - 1].insns[writer_words[INSN] - 1];
}

/* May what thread h released as `set` be taken by an acquire of thread t? */
static bool
passes(const struct live *l, uint64_t set, int h, int t, enum scope scope)
{
	return h == t || (includes(l->p, set_scope(set), h, t) &&
	    includes(l->p, scope, t, h));
}

/* Writes that the newest have superseded, without the thread knowing any of
   the newest; `scoped`: nor is any morally strong with the instruction. */
static uint64_t
superseded(const struct live *l, uint64_t *state, int thread,
    const struct insn *insn, int loc, bool scoped)
{
	uint64_t newest_set = *newest(l, state, loc), older = 1;
	int i;

	for (i = 0; i < l->nwriters; i++) {
		const uint64_t *w = live_writer(l, state, loc, i);

		if (i > 0 && w[INSN])
			older |= (uint64_t)1 << i;
		if (newest_set >> i & 1 && (i == 0 ||
		    knows(l, state, thread)[0] & bit(l, loc, i) ||
		    (scoped && morally_strong(l->p, i - 1,
		    insn_of(l, w, i), thread, insn))))
			return 0;
	}
	return older & ~newest_set;
}

/*
 * Atomics of scopes that do not reach each other may miss each other's
 * update (ISA 8.10.3 asks only morally strong ones to be atomic). Not for
 * ever.
 */
uint64_t
live_lost(const struct live *l, uint64_t *state, int thread,
    const struct insn *insn, int loc)
{
	return l->racing && insn->op->class != CLASS_LOAD ?
	    superseded(l, state, thread, insn, loc, true) : 0;
}

/*
 * A load in a loop may go on with an old value where it is weak, or its scope
 * leaves out the thread that writes: no rule says that it ever sees a write
 * that is not ordered before it (and on hardware it does not, where the line
 * is in L1).
 */
uint64_t
live_readable(const struct live *l, uint64_t *state, int thread, int index,
    int loc)
{
	const struct thread *t = &l->p->threads[thread];
	uint64_t set;

	if (!l->racing)
		return 1;
	set = *newest(l, state, loc);
	if (live_polls(l->p, thread, index))
		set |= superseded(l, state, thread, &t->insns[index], loc,
		    false);
	return set;
}

uint64_t
live_newest(const struct live *l, const uint64_t *state, int loc)
{
	return l->racing ? state[l->locs_at + loc * l->loc_words] : 1;
}

void
live_race_read(const struct live *l, uint64_t *state, int thread,
    const struct insn *insn, int loc, int writer)
{
	uint64_t *k, *w;
	const struct insn *by;
	int h;

	if (!l->racing || writer == 0 || insn->sem == SEM_WEAK)
		return;
	k = knows(l, state, thread);
	w = live_writer(l, state, loc, writer);
	by = insn_of(l, w, writer);
	if (!morally_strong(l->p, writer - 1, by, thread, insn))
		return;
	/* the write is observed (ISA 8.9.2) */
	k[0] |= bit(l, loc, writer);
	/* the read of red is no acquire (ISA 8.8) */
	if (insn->op->class == CLASS_RED)
		return;
	for (h = 0; h < l->p->nthreads; h++) {
		uint64_t set = w[HEADS + h];

		if ((insn->sem == SEM_ACQUIRE || insn->sem == SEM_ACQ_REL) &&
		    passes(l, set, h, thread, insn_scope(insn)))
			k[0] |= set & SET_MASK;
		k[3 + h] = set_union(k[3 + h], set);
	}
}

/* The write is gone: nobody knows it any more. */
static void
forget(const struct live *l, uint64_t *state, uint64_t gone)
{
	int loc, w, h, i;

	for (i = 0; i < live_race_words(l); i++)
		state[l->known_at + i] &= ~gone;
	for (loc = 0; loc < l->nlocs; loc++)
		for (w = 1; w < l->nwriters; w++)
			for (h = 0; h < l->p->nthreads; h++)
				live_writer(l, state, loc, w)[HEADS + h] &=
				    ~gone;
}

/* What the new write passes on: release patterns 1 to 3 (ISA 8.8). */
static void
write_heads(const struct live *l, uint64_t *state, int thread,
    const struct insn *insn, uint64_t *heads, const uint64_t *from)
{
	uint64_t *k = knows(l, state, thread), own = heads[thread];
	int h;

	memset(heads, 0, (size_t)l->p->nthreads * sizeof(*heads));
	if (insn->sem == SEM_WEAK)
		return;
	if (insn->sem == SEM_RELEASE || insn->sem == SEM_ACQ_REL)
		heads[thread] = set_make(k[0], insn_scope(insn));
	else
		heads[thread] = set_union(own, k[1]);
	/* the chain of read-modify-writes carries others' releases on */
	for (h = 0; from && h < l->p->nthreads; h++)
		heads[h] = set_union(heads[h], from[h]);
}

void
live_race_write(const struct live *l, uint64_t *state, int thread, int index,
    int loc, int from, uint64_t value)
{
	const struct insn *insn = &l->p->threads[thread].insns[index];
	uint64_t *w, *set, carried[THREADS_MAX] = {0};
	int me = thread + 1, i;

	if (!l->racing) {
		live_writer(l, state, loc, 0)[VALUE] = value;
		return;
	}
	if (from > 0) {
		w = live_writer(l, state, loc, from);
		if (morally_strong(l->p, from - 1, insn_of(l, w, from),
		    thread, insn))
			memcpy(carried, w + HEADS,
			    (size_t)l->p->nthreads * sizeof(*carried));
	}
	set = newest(l, state, loc);
	*set &= ~(uint64_t)1;
	for (i = 1; i < l->nwriters; i++) {
		w = live_writer(l, state, loc, i);
		if (*set >> i & 1 && (knows(l, state, thread)[0] &
		    bit(l, loc, i) || morally_strong(l->p, i - 1,
		    insn_of(l, w, i), thread, insn)))
			*set &= ~((uint64_t)1 << i);
	}
	forget(l, state, bit(l, loc, me));
	w = live_writer(l, state, loc, me);
	write_heads(l, state, thread, insn, w + HEADS, carried);
	w[VALUE] = value;
	w[INSN] = (uint64_t)index + 1;
	*set |= (uint64_t)1 << me;
	knows(l, state, thread)[0] |= bit(l, loc, me);
}

void
live_race_fence(const struct live *l, uint64_t *state, int thread,
    const struct insn *insn)
{
	uint64_t *k;
	int h;

	if (!l->racing)
		return;
	k = knows(l, state, thread);
	for (h = 0; h < l->p->nthreads; h++) {
		uint64_t sc = knows(l, state, h)[2];

		if (insn->sem != SEM_RELEASE &&
		    passes(l, k[3 + h], h, thread, insn->scope))
			k[0] |= k[3 + h] & SET_MASK;
		if (insn->sem == SEM_SC &&
		    passes(l, sc, h, thread, insn->scope))
			k[0] |= sc & SET_MASK;
	}
	if (insn->sem != SEM_ACQUIRE)
		k[1] = set_make(k[0], insn->scope);
	if (insn->sem == SEM_SC)
		k[2] = set_make(k[0], insn->scope);
}

void
live_race_meet(const struct live *l, uint64_t *state, unsigned from,
    unsigned to)
{
	uint64_t all = 0;
	int t;

	if (!l->racing)
		return;
	for (t = 0; t < l->p->nthreads; t++)
		if (from >> t & 1)
			all |= knows(l, state, t)[0];
	for (t = 0; t < l->p->nthreads; t++)
		if (to >> t & 1)
			knows(l, state, t)[0] |= all;
}
