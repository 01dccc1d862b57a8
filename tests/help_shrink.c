/* Makes a test on which two procedures differ as small as it will go. */
#include "help_oracle.h"

#include <string.h>

/* Registers are numbered by their instruction. */
static bool
renumber(int *reg, int gone)
{
	if (*reg < 0 || *reg / 2 < gone)
		return true;
	if (*reg / 2 == gone)
		return false;
	*reg -= 2;
	return true;
}

static void
drop_slot(struct naive_test *test, int at)
{
	test->nslots--;
	memmove(&test->slots[at], &test->slots[at + 1],
	    (size_t)(test->nslots - at) * sizeof(test->slots[0]));
}

/* False if something hangs on it. */
static bool
drop_insn(struct naive_test *test, int t, int gone)
{
	struct naive_thread *thread = &test->threads[t];
	enum naive_kind kind;
	int i;

	if (gone >= thread->n)
		return false;
	kind = thread->insns[gone].kind;
	if (kind == NAIVE_CLUSTER_ARRIVE || kind == NAIVE_CLUSTER_WAIT)
		return false;
	for (i = 0; i < thread->n; i++) {
		struct naive_insn *insn = &thread->insns[i];

		if (i != gone && !renumber(&insn->plus, gone)) {
			if (insn->kind == NAIVE_SKIP)
				return false;
			insn->plus = -1;
		}
		if (insn->kind == NAIVE_SKIP && i < gone &&
		    i + insn->length >= gone && --insn->length == 0)
			return false;
	}
	for (i = test->nslots - 1; i >= 0; i--)
		if (test->slots[i].thread == t &&
		    !renumber(&test->slots[i].index, gone))
			drop_slot(test, i);
	thread->n--;
	memmove(&thread->insns[gone], &thread->insns[gone + 1],
	    (size_t)(thread->n - gone) * sizeof(thread->insns[0]));
	return test->nslots > 0;
}

static bool
drop_cluster(struct naive_test *test, int t, int unused)
{
	struct naive_thread *thread = &test->threads[t];
	bool found = false;
	int i;

	(void)unused;
	for (i = thread->n - 1; i >= 0; i--)
		if (thread->insns[i].kind == NAIVE_CLUSTER_ARRIVE ||
		    thread->insns[i].kind == NAIVE_CLUSTER_WAIT) {
			thread->insns[i].kind = NAIVE_FENCE;
			found = true;
			if (!drop_insn(test, t, i))
				return false;
		}
	return found;
}

static bool
drop_thread(struct naive_test *test, int t, int unused)
{
	int i;

	(void)unused;
	if (test->nthreads <= 1)
		return false;
	for (i = test->nslots - 1; i >= 0; i--)
		if (test->slots[i].thread == t)
			drop_slot(test, i);
		else if (test->slots[i].thread > t)
			test->slots[i].thread--;
	test->nthreads--;
	memmove(&test->threads[t], &test->threads[t + 1],
	    (size_t)(test->nthreads - t) * sizeof(test->threads[0]));
	return test->nslots > 0;
}

static bool
drop_one_slot(struct naive_test *test, int unused, int at)
{
	if (unused || at >= test->nslots || test->nslots == 1)
		return false;
	drop_slot(test, at);
	return true;
}

/* Weaker, plainer, or nearer to the most common. */
static bool
simplify(struct naive_test *test, int t, int i)
{
	struct naive_insn *insn = &test->threads[t].insns[i];

	if (i >= test->threads[t].n || insn->kind > NAIVE_FENCE)
		return false;
	if (insn->plus >= 0) {
		insn->plus = -1;
		return true;
	}
	if (insn->kind <= NAIVE_STORE && insn->sem == SEM_VOLATILE) {
		insn->sem = SEM_RELAXED;
		return true;
	}
	if (insn->kind <= NAIVE_STORE && insn->sem != SEM_WEAK) {
		insn->sem = SEM_WEAK;
		return true;
	}
	if (insn->kind > NAIVE_STORE && insn->kind <= NAIVE_RED &&
	    insn->sem != SEM_RELAXED) {
		insn->sem = SEM_RELAXED;
		return true;
	}
	return false;
}

static bool
widen(struct naive_test *test, int t, int i)
{
	struct naive_insn *insn = &test->threads[t].insns[i];
	bool mbarrier = insn->kind == NAIVE_MBARRIER_WAIT ||
	    insn->kind == NAIVE_MBARRIER_ARRIVE;
	enum scope widest = mbarrier ? SCOPE_CLUSTER : SCOPE_SYS;

	if (i >= test->threads[t].n || insn->kind > NAIVE_FENCE ||
	    insn->scope == widest)
		return false;
	insn->scope = widest;
	return true;
}

void
naive_shrink(struct naive_test *test,
    bool (*differs)(void *user, const struct naive_test *test), void *user)
{
	static bool (*const ways[])(struct naive_test *test, int t, int i) = {
		drop_thread, drop_cluster, drop_insn, drop_one_slot,
		simplify, widen,
	};
	bool again = true;
	size_t way;
	int t, i;

	while (again) {
		again = false;
		for (way = 0; way < sizeof(ways) / sizeof(*ways); way++)
			for (t = 0; t < test->nthreads; t++)
				for (i = 0; i < NAIVE_SLOTS; i++) {
					struct naive_test next = *test;

					if (t >= test->nthreads ||
					    i >= NAIVE_INSNS ||
					    !ways[way](&next, t, i) ||
					    !differs(user, &next))
						continue;
					*test = next;
					again = true;
				}
	}
}
