/*
 * The naive procedure: values. Each read of the code chooses a write of the
 * code; running the code over and over then finds the values, or that the
 * choice contradicts itself.
 */
#include "help_naive.h"

#include <string.h>

/* ---- sources ---------------------------------------------------------- */

int
naive_pack(int thread, int insn, int element)
{
	return (thread * NAIVE_INSNS + insn) * 2 + element;
}

int
naive_elements(const struct naive_insn *insn)
{
	return insn->vector ? 2 : 1;
}

bool
naive_reads(const struct naive_insn *insn)
{
	return insn->kind <= NAIVE_RED && insn->kind != NAIVE_STORE;
}

bool
naive_writes(const struct naive_insn *insn)
{
	return insn->kind <= NAIVE_RED && insn->kind != NAIVE_LOAD &&
	    insn->kind != NAIVE_MBARRIER_WAIT;
}

static void
list_sources(struct world *w, int read, int location, int self)
{
	const struct naive_test *test = w->test;
	int t, i, x, n = 0;

	w->source[read][n++] = -1;
	for (t = 0; t < test->nthreads; t++)
		for (i = 0; i < test->threads[t].n; i++) {
			const struct naive_insn *insn =
			    &test->threads[t].insns[i];

			for (x = 0; naive_writes(insn) &&
			    x < naive_elements(insn); x++)
				if (naive_location(insn->view) + x ==
				    location && naive_pack(t, i, x) != self)
					w->source[read][n++] =
					    naive_pack(t, i, x);
		}
	w->nsources[read] = n;
}

void
naive_list_reads(struct world *w)
{
	const struct naive_test *test = w->test;
	int t, i, x;

	for (t = 0; t < test->nthreads; t++)
		for (i = 0; i < test->threads[t].n; i++) {
			const struct naive_insn *insn =
			    &test->threads[t].insns[i];

			for (x = 0; naive_reads(insn) &&
			    x < naive_elements(insn); x++) {
				w->read_of[t][i][x] = w->nreads;
				list_sources(w, w->nreads++,
				    naive_location(insn->view) + x,
				    naive_pack(t, i, x));
			}
		}
}

/* ---- values ----------------------------------------------------------- */

int
naive_source(const struct world *w, int t, int i, int x)
{
	int read = w->read_of[t][i][x];

	return w->source[read][w->choice[read]];
}

/* True if the element's old value is known, or none is read. */
static bool
old_value(struct world *w, struct known *k, int t, int i, int x, int *old)
{
	int from;

	if (!naive_reads(&w->test->threads[t].insns[i]))
		return true;
	from = naive_source(w, t, i, x);
	if (from >= 0 && !k->wrote[from])
		return false;
	*old = from < 0 ? naive_initial(w->test, naive_location(
	    w->test->threads[t].insns[i].view) + x) : k->written[from];
	w->regs[t][2 * i + x] = w->test->threads[t].insns[i].kind ==
	    NAIVE_MBARRIER_WAIT ? naive_complete(*old) : *old;
	k->reg[t][2 * i + x] = true;
	return true;
}

static bool
run_element(struct world *w, struct known *k, int t, int i, int x)
{
	const struct naive_insn *insn = &w->test->threads[t].insns[i];
	int self = naive_pack(t, i, x), old = 0, value = insn->value;
	bool known = old_value(w, k, t, i, x, &old);
	bool adds = insn->kind == NAIVE_ADD || insn->kind == NAIVE_RED;
	bool was = k->wrote[self] || k->none[self];

	if (!naive_writes(insn))
		return false;
	if (insn->plus >= 0 && !k->reg[t][insn->plus])
		return false;
	if ((adds || insn->kind == NAIVE_CAS ||
	    insn->kind == NAIVE_MBARRIER_ARRIVE) && !known)
		return false;
	if (insn->plus >= 0)
		value += w->regs[t][insn->plus];
	k->none[self] = insn->kind == NAIVE_CAS && old != insn->compare;
	k->wrote[self] = !k->none[self];
	k->written[self] = adds ? old + value :
	    insn->kind == NAIVE_MBARRIER_ARRIVE ? naive_arrival(old) : value;
	return !was;
}

/* Runs a thread as far as its branches are known. True if it got to its
   end; *more if something new is known. */
static bool
run_thread(struct world *w, struct known *k, int t, bool *more)
{
	const struct naive_thread *thread = &w->test->threads[t];
	int i = 0, x;

	memset(w->done[t], 0, sizeof(w->done[t]));
	while (i < thread->n) {
		const struct naive_insn *insn = &thread->insns[i];

		w->done[t][i] = true;
		for (x = 0; insn->kind <= NAIVE_RED && x < naive_elements(insn);
		    x++)
			*more |= run_element(w, k, t, i, x);
		if (insn->kind == NAIVE_SKIP) {
			if (!k->reg[t][insn->plus])
				return false;
			/* what is jumped over leaves its registers at 0 */
			for (x = 0; w->regs[t][insn->plus] == insn->value &&
			    x < insn->length; x++) {
				i++;
				if (i < thread->n)
					k->reg[t][2 * i] =
					    k->reg[t][2 * i + 1] = true;
			}
		}
		i++;
	}
	return true;
}

/* Every read that is reached has its value, every other no choice. */
static bool
is_whole(const struct world *w, const struct known *k)
{
	int t, i, x;

	for (t = 0; t < w->test->nthreads; t++)
		for (i = 0; i < w->test->threads[t].n; i++) {
			const struct naive_insn *insn =
			    &w->test->threads[t].insns[i];

			for (x = 0; naive_reads(insn) &&
			    x < naive_elements(insn); x++)
				if (w->done[t][i] ?
				    !k->reg[t][2 * i + x] :
				    w->choice[w->read_of[t][i][x]] != 0)
					return false;
		}
	return true;
}

bool
naive_run(struct world *w, struct known *k)
{
	bool more = true, over = false;
	int t;

	memset(k, 0, sizeof(*k));
	memset(w->regs, 0, sizeof(w->regs));
	while (more) {
		more = false;
		over = true;
		for (t = 0; t < w->test->nthreads; t++) {
			struct known before = *k;

			over &= run_thread(w, k, t, &more);
			more |= memcmp(before.reg, k->reg,
			    sizeof(k->reg)) != 0;
		}
	}
	return over && is_whole(w, k);
}
