/* The naive procedure: candidate executions. */
#include "help_naive.h"

#include <string.h>

/* ---- events ----------------------------------------------------------- */

static struct naive_event *
new_event(struct world *w, enum event_type type, int t, int i)
{
	const struct naive_insn *insn = &w->test->threads[t].insns[i];
	struct naive_event *e = &w->e[w->n++];

	*e = (struct naive_event){.type = type, .thread = t, .insn = i,
	    .location = -1, .address = -1, .proxy = insn->proxy,
	    .sem = insn->sem, .scope = insn->scope, .partner = -1,
	    .kind = insn->kind, .barrier = -1};
	return e;
}

static enum proxy
proxy_of(int view)
{
	switch (view) {
	case VIEW_TEXTURE:
		return PROXY_TEXTURE;
	case VIEW_SURFACE:
	case VIEW_W_SURFACE:
		return PROXY_SURFACE;
	case VIEW_CONSTANT:
		return PROXY_CONSTANT;
	default:
		return PROXY_GENERIC;
	}
}

static void
new_access(struct world *w, enum event_type type, int t, int i, int x,
    int value)
{
	const struct naive_insn *insn = &w->test->threads[t].insns[i];
	struct naive_event *e = new_event(w, type, t, i);
	bool atomic = naive_reads(insn) && naive_writes(insn);

	e->element = x;
	e->location = naive_location(insn->view) + x;
	e->address = insn->view == VIEW_W || insn->view == VIEW_W_SURFACE ?
	    VIEW_W : e->location;
	e->proxy = proxy_of(insn->view);
	if (insn->sem == SEM_VOLATILE) {
		e->sem = SEM_RELAXED;
		e->scope = SCOPE_SYS;
	}
	e->strong = insn->sem != SEM_WEAK;
	if (atomic && type == E_READ && e->sem == SEM_RELEASE)
		e->sem = SEM_RELAXED;
	if (atomic && type == E_WRITE && e->sem == SEM_ACQUIRE)
		e->sem = SEM_RELAXED;
	e->value = value;
	/* an arrival at an mbarrier acquires as little as a red */
	e->red = insn->kind == NAIVE_RED ||
	    insn->kind == NAIVE_MBARRIER_ARRIVE;
	e->failed = insn->kind == NAIVE_MBARRIER_WAIT && value == 0;
}

static void
new_accesses(struct world *w, const struct known *k, int t, int i,
    uint64_t *taint, uint64_t branches)
{
	const struct naive_insn *insn = &w->test->threads[t].insns[i];
	int x;

	for (x = 0; x < naive_elements(insn); x++) {
		int self = naive_pack(t, i, x), read = -1;

		if (naive_reads(insn)) {
			read = w->n;
			new_access(w, E_READ, t, i, x, w->regs[t][2 * i + x]);
			w->e[read].deps = branches;
			taint[2 * i + x] = (uint64_t)1 << read;
		}
		if (!naive_writes(insn) || k->none[self])
			continue;
		new_access(w, E_WRITE, t, i, x, k->written[self]);
		w->e[w->n - 1].deps = branches |
		    (insn->plus < 0 ? 0 : taint[insn->plus]);
		if (read >= 0) {
			w->e[w->n - 1].deps |= (uint64_t)1 << read;
			w->e[w->n - 1].partner = read;
			w->e[read].partner = w->n - 1;
		}
	}
}

static void
new_thread(struct world *w, const struct known *k, int t)
{
	uint64_t taint[NAIVE_REGS] = {0}, branches = 0;
	int i;

	for (i = 0; i < w->test->threads[t].n; i++) {
		const struct naive_insn *insn = &w->test->threads[t].insns[i];

		if (!w->done[t][i])
			continue;
		if (insn->kind <= NAIVE_RED) {
			new_accesses(w, k, t, i, taint, branches);
		} else if (insn->kind == NAIVE_FENCE) {
			new_event(w, E_FENCE, t, i)->strong = true;
			w->e[w->n - 1].proxy = PROXY_GENERIC;
		} else if (insn->kind == NAIVE_PROXY_FENCE) {
			new_event(w, E_PROXY, t, i);
		} else if (insn->kind == NAIVE_SKIP) {
			branches |= taint[insn->plus];
		} else {
			new_event(w, E_BARRIER, t, i)->arrives_only =
			    insn->kind == NAIVE_ARRIVE ||
			    insn->kind == NAIVE_CLUSTER_ARRIVE;
			w->barrier_event[w->nbarriers++] = w->n - 1;
		}
	}
}

/* Is the location accessed or observed? */
static bool
is_used(const struct naive_test *test, int location)
{
	int t, i;

	for (i = 0; i < test->nslots; i++)
		if (test->slots[i].thread < 0 &&
		    test->slots[i].index == location)
			return true;
	for (t = 0; t < test->nthreads; t++)
		for (i = 0; i < test->threads[t].n; i++) {
			const struct naive_insn *insn =
			    &test->threads[t].insns[i];
			int first = naive_location(insn->view);

			if (insn->kind <= NAIVE_RED && location >= first &&
			    location < first + naive_elements(insn))
				return true;
		}
	return false;
}

static void
make_events(struct world *w, const struct known *k)
{
	int t, i;

	w->n = w->nbarriers = 0;
	for (i = 0; i < NAIVE_LOCATIONS; i++) {
		if (!is_used(w->test, i))
			continue;
		w->init[i] = w->n;
		w->e[w->n++] = (struct naive_event){.type = E_INIT,
		    .thread = -1, .location = i, .address = i,
		    .proxy = PROXY_GENERIC, .partner = -1};
	}
	for (t = 0; t < w->test->nthreads; t++)
		new_thread(w, k, t);
}

/* ---- reads-from ------------------------------------------------------- */

static int
write_event(const struct world *w, int packed, int location)
{
	int i;

	if (packed < 0)
		return w->init[location];
	for (i = 0; i < w->n; i++)
		if (w->e[i].type == E_WRITE && naive_pack(w->e[i].thread,
		    w->e[i].insn, w->e[i].element) == packed)
			return i;
	return -1;
}

static void
make_rf(struct world *w)
{
	int i;

	memset(&w->rf, 0, sizeof(w->rf));
	for (i = 0; i < w->n; i++) {
		const struct naive_event *e = &w->e[i];

		if (e->type == E_READ)
			w->rf.has[write_event(w, naive_source(w, e->thread,
			    e->insn, e->element), e->location)][i] = true;
	}
}

/* ---- barriers --------------------------------------------------------- */

/* Runs the barriers in every order; notes generations if all get through. */
static void
run_barriers(struct world *w, const int *at, const int *generations,
    const struct naive_barriers *state)
{
	int next[NAIVE_THREADS], b, t, i;
	bool over = true;

	w->allowed->undefined |= state->twice;
	for (t = 0; t < w->test->nthreads; t++) {
		for (b = at[t]; b < w->nbarriers &&
		    w->e[w->barrier_event[b]].thread != t; b++)
			;
		next[t] = b;
		over &= b == w->nbarriers && state->waiting[t] < 0;
	}
	for (t = 0; t < w->test->nthreads; t++) {
		struct naive_barriers s = *state;
		int a[NAIVE_THREADS], g[BARRIERS], event;

		if (s.waiting[t] >= 0 || (next[t] == w->nbarriers &&
		    s.exited >> t & 1))
			continue;
		memcpy(a, at, sizeof(a));
		memcpy(g, generations, sizeof(g));
		if (next[t] == w->nbarriers) {
			naive_exit(w->test, &s, t);
		} else {
			event = w->barrier_event[next[t]];
			g[next[t]] = naive_arrive(w->test, &s, t,
			    &w->test->threads[t].insns[w->e[event].insn]);
			a[t] = next[t] + 1;
		}
		run_barriers(w, a, g, &s);
		if (next[t] == w->nbarriers)
			return; /* leaving early or late is the same */
	}
	for (t = 0; t < w->test->nthreads; t++)
		over &= state->exited >> t & 1;
	for (i = 0; i < w->nways; i++)
		if (memcmp(w->ways[i], generations,
		    sizeof(w->ways[i])) == 0)
			return;
	if (over && w->nways < WAYS)
		memcpy(w->ways[w->nways++], generations, sizeof(w->ways[0]));
}

static void
find_ways(struct world *w)
{
	int at[NAIVE_THREADS] = {0}, generations[BARRIERS] = {0};
	struct naive_barriers state;

	naive_barriers_start(&state);
	w->nways = 0;
	run_barriers(w, at, generations, &state);
}

static void
take_way(struct world *w, const int *generations)
{
	struct naive_barriers names;
	int i;

	naive_barriers_start(&names);
	for (i = 0; i < w->nbarriers; i++) {
		struct naive_event *e = &w->e[w->barrier_event[i]];

		e->generation = generations[i];
		e->barrier = naive_barrier_of(w->test, &names, e->thread,
		    &w->test->threads[e->thread].insns[e->insn]);
	}
}

/* ---- outcomes --------------------------------------------------------- */

/* The outcomes of the execution; true if one is not among the allowed.
   `add`: adds them. */
static bool
outcomes(struct world *w, int at, uint64_t outcome, bool add)
{
	const struct naive_slot *s = &w->test->slots[at];
	bool found = false;
	int i, j;

	if (at == w->test->nslots) {
		found = !naive_has(w->allowed, outcome);
		if (add)
			naive_add(w->allowed, outcome);
		return found;
	}
	if (s->thread >= 0)
		return outcomes(w, at + 1, outcome | (uint64_t)(uint8_t)
		    w->regs[s->thread][s->index] << 8 * at, add);
	/* the value of any write that no other follows */
	for (i = 0; i < w->n; i++) {
		if (!naive_is_write(&w->e[i]) ||
		    w->e[i].location != s->index)
			continue;
		for (j = 0; j < w->n && !w->co.has[i][j]; j++)
			;
		if (j == w->n)
			found |= outcomes(w, at + 1, outcome |
			    (uint64_t)(uint8_t)w->e[i].value << 8 * at, add);
	}
	return found;
}

/* ---- coherence -------------------------------------------------------- */

static bool
is_order(const struct world *w)
{
	struct rel twice;
	int i, j;

	rel_compose(w, &w->co, &w->co, &twice);
	for (i = 0; i < w->n; i++)
		for (j = 0; j < w->n; j++)
			if (twice.has[i][j] && !w->co.has[i][j])
				return false;
	return rel_irreflexive(w, &w->co);
}

/* The pairs of writes from (i, j) on: ordered one way, the other, not. */
static void
choose_co(struct world *w, int i, int j)
{
	while (i < w->n && (j >= w->n || !naive_is_write(&w->e[i]) ||
	    !naive_is_write(&w->e[j]) || !w->loc.has[i][j])) {
		if (++j < w->n)
			continue;
		i++;
		j = i + 1;
	}
	if (w->left < 0)
		return;
	if (i >= w->n) {
		w->left--;
		/* what would show nothing new need not be judged */
		if (outcomes(w, 0, 0, false) && is_order(w) &&
		    naive_with_co(w))
			outcomes(w, 0, 0, true);
		return;
	}
	w->co.has[i][j] = true;
	choose_co(w, i, j + 1);
	w->co.has[i][j] = false;
	if (w->e[i].type == E_INIT)
		return; /* W0 comes first */
	w->co.has[j][i] = true;
	choose_co(w, i, j + 1);
	w->co.has[j][i] = false;
	if (!naive_must_order(w, i, j))
		choose_co(w, i, j + 1);
}

/* ---- Fence-SC --------------------------------------------------------- */

static bool
are_sc(const struct world *w, int i, int j)
{
	return w->e[i].type == E_FENCE && w->e[j].type == E_FENCE &&
	    w->e[i].sem == SEM_SC && w->e[j].sem == SEM_SC &&
	    w->ms.has[i][j];
}

static void
choose_sc(struct world *w, int i, int j)
{
	while (i < w->n && (j >= w->n || !are_sc(w, i, j))) {
		if (++j < w->n)
			continue;
		i++;
		j = i + 1;
	}
	if (w->left < 0)
		return;
	if (i < w->n) {
		w->sc.has[i][j] = true;
		choose_sc(w, i, j + 1);
		w->sc.has[i][j] = false;
		w->sc.has[j][i] = true;
		choose_sc(w, i, j + 1);
		w->sc.has[j][i] = false;
		return;
	}
	w->left--;
	if (!rel_acyclic(w, &w->sc))
		return;
	naive_sync(w);
	memset(&w->co, 0, sizeof(w->co));
	if (naive_before_co(w))
		choose_co(w, 0, 1);
}

/* ---- all together ----------------------------------------------------- */

static void
try_choice(struct world *w)
{
	struct known k;
	int i;

	w->left--;
	if (!naive_run(w, &k))
		return;
	make_events(w, &k);
	make_rf(w);
	find_ways(w);
	for (i = 0; i < w->nways; i++) {
		take_way(w, w->ways[i]);
		naive_start(w);
		memset(&w->sc, 0, sizeof(w->sc));
		choose_sc(w, 0, 1);
	}
}

bool
naive_outcomes(const struct naive_test *test, enum naive_version version,
    long limit, struct naive_set *allowed)
{
	struct world w;
	int r;

	memset(&w, 0, sizeof(w));
	w.test = test;
	w.version = version;
	w.left = limit;
	w.allowed = allowed;
	naive_list_reads(&w);
	do {
		try_choice(&w);
		for (r = 0; r < w.nreads; r++) {
			if (++w.choice[r] < w.nsources[r])
				break;
			w.choice[r] = 0;
		}
	} while (r < w.nreads && w.left >= 0);
	return w.left >= 0;
}
