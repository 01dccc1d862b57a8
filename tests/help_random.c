/* Tests for the naive procedure, drawn at random. */
#include "help_oracle.h"

#include <string.h>

/* ---- drawing ---------------------------------------------------------- */

/* An index by weight. */
static int
weighted(struct draw *d, const int *weights, int n)
{
	uint32_t total = 0, at;
	int i;

	for (i = 0; i < n; i++)
		total += (uint32_t)weights[i];
	at = draw_below(d, total);
	for (i = 0; at >= (uint32_t)weights[i]; i++)
		at -= (uint32_t)weights[i];
	return i;
}

static bool
chance(struct draw *d, uint32_t percent)
{
	return draw_below(d, 100) < percent;
}

/* Beside an earlier thread, or elsewhere; mostly in its cluster if close. */
static void
draw_place(struct naive_test *test, int t, bool is_close, struct draw *d)
{
	static const int weights[] = {45, 15, 30, 10};
	static const int close[] = {45, 45, 6, 4};
	struct naive_thread *thread = &test->threads[t];
	int how = t ? weighted(d, is_close ? close : weights, 4) : 3;
	const struct naive_thread *near = &test->threads[t ?
	    draw_below(d, (uint32_t)t) : 0];

	if (test->litmus && how == 1)
		how = 2;
	*thread = (struct naive_thread){.warp = t};
	thread->gpu = how < 3 ? near->gpu : t;
	thread->cluster = how < 2 ? near->cluster : t;
	thread->cta = how < 1 ? near->cta : t;
	if (how == 0 && chance(d, 20))
		thread->warp = near->warp;
}

static enum scope
draw_scope(const struct naive_test *test, struct draw *d)
{
	static const int weights[] = {30, 15, 40, 15};
	static const enum scope scopes[] = {SCOPE_CTA, SCOPE_CLUSTER,
		SCOPE_GPU, SCOPE_SYS};
	enum scope s = scopes[weighted(d, weights, 4)];

	return test->litmus && s == SCOPE_CLUSTER ? SCOPE_GPU : s;
}

static void
draw_sem(const struct naive_test *test, struct naive_insn *insn,
    struct draw *d)
{
	static const int plain[] = {35, 25, 30, 10};
	static const int atomic[] = {30, 20, 20, 30};
	static const int fence[] = {45, 35, 10, 10};
	static const enum sem load[] = {SEM_WEAK, SEM_RELAXED, SEM_ACQUIRE,
		SEM_VOLATILE};
	static const enum sem store[] = {SEM_WEAK, SEM_RELAXED, SEM_RELEASE,
		SEM_VOLATILE};
	static const enum sem rmw[] = {SEM_RELAXED, SEM_ACQUIRE, SEM_RELEASE,
		SEM_ACQ_REL};
	static const enum sem fences[] = {SEM_SC, SEM_ACQ_REL, SEM_ACQUIRE,
		SEM_RELEASE};

	switch (insn->kind) {
	case NAIVE_LOAD:
		insn->sem = load[weighted(d, plain, test->litmus ? 3 : 4)];
		break;
	case NAIVE_STORE:
		insn->sem = store[weighted(d, plain, test->litmus ? 3 : 4)];
		break;
	case NAIVE_RED:
		insn->sem = test->litmus ? rmw[weighted(d, atomic, 4)] :
		    chance(d, 50) ? SEM_RELAXED : SEM_RELEASE;
		break;
	case NAIVE_FENCE:
		insn->sem = fences[weighted(d, fence, test->litmus ? 2 : 4)];
		break;
	case NAIVE_MBARRIER_WAIT:
		insn->sem = chance(d, 75) ? SEM_ACQUIRE : SEM_RELAXED;
		break;
	case NAIVE_MBARRIER_ARRIVE:
		insn->sem = chance(d, 75) ? SEM_RELEASE : SEM_RELAXED;
		break;
	case NAIVE_CLUSTER_ARRIVE:
		insn->sem = chance(d, 70) ? SEM_RELEASE : SEM_RELAXED;
		break;
	default:
		insn->sem = insn->kind <= NAIVE_RED ?
		    rmw[weighted(d, atomic, 4)] : SEM_WEAK;
		break;
	}
}

/* A register that the thread has loaded, or -1. */
static int
draw_register(const struct naive_thread *thread, struct draw *d)
{
	int loaded[NAIVE_INSNS], n = 0, i;

	for (i = 0; i < thread->n; i++) {
		enum naive_kind kind = thread->insns[i].kind;

		if (kind <= NAIVE_MBARRIER_WAIT && kind != NAIVE_STORE)
			loaded[n++] = i;
	}
	return n ? 2 * loaded[draw_below(d, (uint32_t)n)] : -1;
}

static void
draw_view(const struct naive_test *test, struct naive_insn *insn,
    struct draw *d)
{
	static const int load[] = {25, 20, 0, 0, 15, 15, 15, 5, 5};
	static const int store[] = {25, 20, 0, 0, 15, 0, 20, 0, 20};
	static const int plain[] = {45, 40, 5, 5, 5};

	insn->view = weighted(d, plain, 5);
	if (test->litmus)
		insn->view = insn->kind == NAIVE_LOAD ?
		    weighted(d, load, 9) :
		    insn->kind == NAIVE_STORE ? weighted(d, store, 9) :
		    chance(d, 50) ? 0 : 1;
	else if (insn->kind <= NAIVE_STORE && chance(d, 10))
		insn->vector = true;
	if (insn->vector)
		insn->view = 2;
	if (insn->view > VIEW_W)
		insn->sem = SEM_WEAK;
}

enum with { WITH_NOTHING, WITH_BARRIERS, WITH_MBARRIER };

/* False if the thread cannot reach it: others of the cluster can arrive. */
static bool
draw_mbarrier(const struct naive_test *test, int t, struct naive_insn *insn,
    struct draw *d)
{
	const struct naive_thread *home = &test->threads[0];
	const struct naive_thread *thread = &test->threads[t];

	insn->view = VIEW_MBARRIER;
	insn->scope = chance(d, 50) ? SCOPE_CTA : SCOPE_CLUSTER;
	insn->compare = thread->cta != home->cta;
	return thread->gpu == home->gpu && thread->cluster == home->cluster &&
	    (!insn->compare || insn->kind == NAIVE_MBARRIER_ARRIVE);
}

static enum naive_kind
draw_kind(const struct naive_test *test, enum with how, struct draw *d)
{
	static const int plain[] = {30, 30, 5, 4, 4, 0, 0, 5, 14, 2, 0, 0, 0,
		0, 0, 6};
	static const int waits[] = {24, 24, 3, 2, 2, 0, 0, 3, 5, 0, 16, 5, 0,
		0, 4, 4};
	static const int proxy[] = {32, 28, 2, 1, 1, 0, 0, 2, 5, 25, 0, 0, 0,
		0, 0, 4};
	static const int mbarriers[] = {25, 25, 1, 1, 1, 20, 25, 1, 3, 0, 0, 0,
		0, 0, 0, 1};

	return (enum naive_kind)weighted(d, test->litmus ? proxy :
	    how == WITH_BARRIERS ? waits : how == WITH_MBARRIER ? mbarriers :
	    plain, 16);
}

static void
draw_insn(struct naive_test *test, int t, enum naive_kind kind,
    struct draw *d)
{
	static const enum proxy proxies[] = {PROXY_TEXTURE, PROXY_SURFACE,
		PROXY_SURFACE, PROXY_CONSTANT, PROXY_ALIAS, PROXY_ALIAS};
	struct naive_thread *thread = &test->threads[t];
	struct naive_insn *insn = &thread->insns[thread->n];

	*insn = (struct naive_insn){.plus = -1, .kind = kind};
	draw_sem(test, insn, d);
	insn->scope = draw_scope(test, d);
	insn->value = 1 + (int)draw_below(d, 3);
	insn->compare = (int)draw_below(d, 3);
	if (insn->kind == NAIVE_MBARRIER_WAIT ||
	    insn->kind == NAIVE_MBARRIER_ARRIVE) {
		if (!draw_mbarrier(test, t, insn, d))
			return;
	} else if (insn->kind <= NAIVE_RED) {
		draw_view(test, insn, d);
		if (insn->kind != NAIVE_LOAD && chance(d, 25))
			insn->plus = draw_register(thread, d);
	}
	if (insn->kind == NAIVE_PROXY_FENCE)
		insn->proxy = test->litmus ? proxies[draw_below(d, 6)] :
		    PROXY_ALIAS;
	if (insn->kind == NAIVE_SKIP) {
		insn->plus = draw_register(thread, d);
		insn->value = (int)draw_below(d, 3);
		insn->length = 1 + (int)draw_below(d, 2);
		if (insn->plus < 0)
			return;
	}
	if (insn->kind == NAIVE_SYNC || insn->kind == NAIVE_ARRIVE) {
		/* the count goes with the number */
		insn->id = insn->kind == NAIVE_ARRIVE ? 1 :
		    (int)draw_below(d, 2);
		insn->count = insn->id ? 2 : 0;
	}
	thread->n++;
}

/* Registers are named after instructions: those behind it change. */
static void
insert_insn(struct naive_thread *thread, int at,
    const struct naive_insn *insn)
{
	int i;

	for (i = thread->n++; i > at; i--) {
		thread->insns[i] = thread->insns[i - 1];
		if (thread->insns[i].plus >= 2 * at)
			thread->insns[i].plus += 2;
	}
	thread->insns[at] = *insn;
}

/* A third of the arrivals are relaxed, most of those behind a fence. Returns
   the arrival's place. */
static int
draw_arrival(struct naive_test *test, struct naive_thread *thread,
    struct draw *d)
{
	struct naive_insn arrive = {.kind = NAIVE_CLUSTER_ARRIVE, .plus = -1};
	struct naive_insn fence = {.kind = NAIVE_FENCE, .plus = -1};
	int at = (int)draw_below(d, (uint32_t)thread->n + 1), before = at;

	draw_sem(test, &arrive, d);
	insert_insn(thread, at, &arrive);
	if (arrive.sem == SEM_RELEASE || thread->n + 2 > NAIVE_INSNS ||
	    !chance(d, 70))
		return at;
	draw_sem(test, &fence, d);
	fence.scope = draw_scope(test, d);
	if (chance(d, 15))
		before = (int)draw_below(d, (uint32_t)at + 1);
	insert_insn(thread, before, &fence);
	return at + 1;
}

/* An arrive in most threads, and a wait somewhere after it. */
static void
draw_cluster(struct naive_test *test, struct draw *d)
{
	static const struct naive_insn wait = {.kind = NAIVE_CLUSTER_WAIT,
		.sem = SEM_ACQUIRE, .plus = -1};
	int t, i, at;

	for (t = 0; t < test->nthreads; t++) {
		struct naive_thread *thread = &test->threads[t];

		if (thread->n + 2 > NAIVE_INSNS || !chance(d, 85))
			continue;
		for (i = 0; i < thread->n; i++)
			if (thread->insns[i].kind == NAIVE_SKIP)
				return;
		at = 1 + draw_arrival(test, thread, d);
		insert_insn(thread, at + (int)draw_below(d,
		    (uint32_t)(thread->n - at + 1)), &wait);
	}
}

static void
draw_slots(struct naive_test *test, struct draw *d)
{
	int t, i, regs = 0;

	for (t = 0; t < test->nthreads; t++)
		for (i = 0; i < test->threads[t].n; i++) {
			const struct naive_insn *insn =
			    &test->threads[t].insns[i];

			if (insn->kind > NAIVE_MBARRIER_WAIT || insn->kind ==
			    NAIVE_STORE || regs >= 4 || !chance(d, 80))
				continue;
			test->slots[test->nslots++] = (struct naive_slot){
			    t, 2 * i};
			if (insn->vector)
				test->slots[test->nslots++] =
				    (struct naive_slot){t, 2 * i + 1};
			regs += 1 + insn->vector;
		}
	for (i = 0; i < NAIVE_MBARRIER; i++)
		if (test->nslots < 6 && chance(d, i < 2 ? 35 : 10))
			test->slots[test->nslots++] = (struct naive_slot){
			    -1, i};
	if (!test->nslots)
		test->slots[test->nslots++] = (struct naive_slot){-1, 0};
}

/* Each thread sends something through the mbarrier, or waits for it. */
static void
draw_messages(struct naive_test *test, struct draw *d)
{
	int t;

	for (t = 0; t < test->nthreads; t++) {
		bool waits = t ? chance(d, 40) : chance(d, 70);

		draw_insn(test, t, waits ? NAIVE_MBARRIER_WAIT : NAIVE_STORE,
		    d);
		draw_insn(test, t, waits ? NAIVE_LOAD : NAIVE_MBARRIER_ARRIVE,
		    d);
	}
}

/*
 * Two accesses a thread, mostly of two locations and with a fence or strong
 * enough to matter: the classic shapes, and what is near them. A scope of
 * the whole test is in most of its instructions.
 */
static void
draw_shape(struct naive_test *test, struct draw *d)
{
	static const int scopes[] = {15, 15, 50, 20}, kinds[] = {45, 40, 5, 5,
		5};
	enum scope scope = SCOPE_CTA + weighted(d, scopes, 4);
	int t, i, at;

	if (test->litmus && scope == SCOPE_CLUSTER)
		scope = SCOPE_GPU;
	for (t = 0; t < test->nthreads; t++) {
		struct naive_thread *thread = &test->threads[t];

		at = (int)draw_below(d, 2);
		for (i = 0; i < 3; i++) {
			struct naive_insn *insn = &thread->insns[thread->n];

			if (i == 1 && !chance(d, 50))
				continue;
			draw_insn(test, t, i == 1 ? NAIVE_FENCE :
			    (enum naive_kind)weighted(d, kinds, 5), d);
			if (chance(d, 80))
				insn->scope = scope;
			if (i != 1 && insn->view < VIEW_TEXTURE &&
			    !insn->vector && chance(d, 85))
				insn->view = i ? 1 - at : at;
		}
	}
}

void
naive_draw(struct naive_test *test, struct draw *d)
{
	static const int counts[] = {45, 30, 25};
	enum with how;
	bool cluster;
	int t, n, total;

	memset(test, 0, sizeof(*test));
	test->litmus = chance(d, 30);
	test->nthreads = 2 + weighted(d, counts, 3);
	how = test->litmus ? WITH_NOTHING : chance(d, 30) ? WITH_BARRIERS :
	    chance(d, 40) ? WITH_MBARRIER : WITH_NOTHING;
	if (how == WITH_MBARRIER)
		test->arrivals = chance(d, 60) ? 1 : 2;
	cluster = !test->litmus && how == WITH_NOTHING && chance(d, 20);
	total = 4 + (int)draw_below(d, cluster ? 2 : 7);
	for (t = 0; t < test->nthreads; t++)
		draw_place(test, t, cluster || test->arrivals, d);
	if (how == WITH_MBARRIER && chance(d, 60)) {
		total = (int)draw_below(d, 3);
		draw_messages(test, d);
	}
	if (how == WITH_NOTHING && chance(d, 70)) {
		total = (int)draw_below(d, 2);
		draw_shape(test, d);
	}
	for (n = 0; n < total; n++) {
		t = n < test->nthreads ? n :
		    (int)draw_below(d, (uint32_t)test->nthreads);
		if (test->threads[t].n < NAIVE_INSNS)
			draw_insn(test, t, draw_kind(test, how, d), d);
	}
	if (cluster)
		draw_cluster(test, d);
	draw_slots(test, d);
}
