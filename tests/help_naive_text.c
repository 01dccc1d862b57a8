/* Tests of the naive procedure as text, for the readers. */
#include "help_oracle.h"

#include <string.h>

static const char *const view_names[] = {"x", "y", "v", "v+4", "w", "t", "s",
	"c", "ws", "b"};

static void
print_value(struct text *t, const struct naive_insn *insn, int i)
{
	if (insn->plus >= 0)
		text_printf(t, "r%d", 20 + i);
	else
		text_printf(t, "%d", insn->value);
}

/* The part between mnemonic and operands. */
static void
print_sem(struct text *t, const struct naive_insn *insn,
    const struct naive_test *test)
{
	if (insn->sem == SEM_VOLATILE && insn->compare == 1 &&
	    !insn->vector)
		text_printf(t, ".mmio.relaxed.sys");
	else if (insn->sem == SEM_WEAK || insn->sem == SEM_VOLATILE)
		text_printf(t, ".%s", sem_name(insn->sem));
	else
		text_printf(t, ".%s.%s", sem_name(insn->sem),
		    scope_name(insn->scope));
	if (!test->litmus)
		text_printf(t, test->shared ? ".shared::cluster" : ".global");
}

static const char *
address_of(struct text *scratch, const struct naive_insn *insn, bool litmus)
{
	scratch->size = 0;
	text_printf(scratch, litmus ? "%s" : "[%s]",
	    view_names[insn->view]);
	return scratch->s;
}

static void
print_load(struct text *t, const struct naive_insn *insn, int i,
    const struct naive_test *test, const char *address)
{
	static const char *const litmus_names[] = {"ld", "ld", "ld", "ld",
		"ld", "tld", "suld", "cold", "suld"};

	text_printf(t, "%s", litmus_names[insn->view]);
	print_sem(t, insn, test);
	if (insn->vector)
		text_printf(t, ".v2.u32 {r%d, r%d}, %s", 2 * i, 2 * i + 1,
		    address);
	else
		text_printf(t, "%s r%d, %s", test->litmus ? "" : ".u32", 2 * i,
		    address);
}

static void
print_store(struct text *t, const struct naive_insn *insn, int i,
    const struct naive_test *test, const char *address)
{
	text_printf(t, insn->view == VIEW_SURFACE ||
	    insn->view == VIEW_W_SURFACE ? "sust" : "st");
	print_sem(t, insn, test);
	text_printf(t, "%s %s, ", insn->vector ? ".v2.u32" :
	    test->litmus ? "" : ".u32", address);
	if (insn->vector)
		text_printf(t, "{r%d, r%d}", 20 + i, 20 + i);
	else
		print_value(t, insn, i);
}

static void
print_rmw(struct text *t, const struct naive_insn *insn, int i,
    const struct naive_test *test, const char *address)
{
	static const char *const names[] = {[NAIVE_ADD] = "add",
		[NAIVE_EXCH] = "exch", [NAIVE_CAS] = "cas",
		[NAIVE_RED] = "add"};

	text_printf(t, insn->kind == NAIVE_RED ? "red" : "atom");
	print_sem(t, insn, test);
	text_printf(t, ".%s%s ", names[insn->kind], test->litmus ? "" :
	    insn->kind == NAIVE_EXCH || insn->kind == NAIVE_CAS ? ".b32" :
	    ".u32");
	if (insn->kind != NAIVE_RED)
		text_printf(t, "r%d, ", 2 * i);
	text_printf(t, "%s, ", address);
	if (insn->kind == NAIVE_CAS)
		text_printf(t, "%d, ", insn->compare);
	print_value(t, insn, i);
}

/* The mbarrier is in the CTA of thread 0; a wait's answer goes to a
   number. */
static void
print_mbarrier(struct text *t, const struct naive_insn *insn, int i,
    const char *end)
{
	const char *sem = sem_name(insn->sem);
	const char *scope = scope_name(insn->scope);

	if (insn->kind == NAIVE_MBARRIER_ARRIVE)
		text_printf(t, "mbarrier.arrive.%s.%s.%s.b64 _, [b]", sem,
		    scope, insn->compare ? "shared::cluster" : "shared");
	else
		text_printf(t, "mbarrier.test_wait.parity.%s.%s.shared.b64 "
		    "q%d, [b], 0%sselp.u32 r%d, 1, 0, q%d", sem, scope, i,
		    end, 2 * i, i);
}

static void
print_fence(struct text *t, const struct naive_insn *insn, bool litmus)
{
	static const char *const levels[] = {[SCOPE_CTA] = "cta",
		[SCOPE_GPU] = "gl", [SCOPE_SYS] = "sys"};

	if (insn->kind == NAIVE_PROXY_FENCE)
		text_printf(t, "fence.proxy.%s", proxy_name(insn->proxy));
	else if (insn->sem == SEM_SC && insn->scope != SCOPE_CLUSTER &&
	    insn->compare == 1 && !litmus)
		text_printf(t, "membar.%s", levels[insn->scope]);
	else
		text_printf(t, "fence.%s.%s", sem_name(insn->sem),
		    scope_name(insn->scope));
}

static void
print_barrier(struct text *t, const struct naive_insn *insn)
{
	switch (insn->kind) {
	case NAIVE_SYNC:
		text_printf(t, insn->compare ? "bar.sync %d" :
		    "barrier.sync %d", insn->id);
		break;
	case NAIVE_ARRIVE:
		text_printf(t, "bar.arrive %d", insn->id);
		break;
	case NAIVE_CLUSTER_ARRIVE:
		text_printf(t, "barrier.cluster.arrive%s",
		    insn->sem == SEM_RELAXED ? ".relaxed" :
		    insn->compare ? ".release" : "");
		break;
	case NAIVE_CLUSTER_WAIT:
		text_printf(t, "barrier.cluster.wait");
		break;
	default:
		text_printf(t, "bar.warp.sync 0xffffffff");
		break;
	}
	if (insn->count && (insn->kind == NAIVE_SYNC ||
	    insn->kind == NAIVE_ARRIVE))
		text_printf(t, ", %d", 32 * insn->count);
}

/*
 * Lines of one instruction, each ended by `end`; labels that stand before
 * it first.
 */
static void
print_insn(struct text *t, const struct naive_thread *thread, int i,
    const struct naive_test *test, const char *end)
{
	const struct naive_insn *insn = &thread->insns[i];
	struct text scratch;
	bool litmus = test->litmus;
	const char *address;

	text_init(&scratch, t->arena);
	address = address_of(&scratch, insn, litmus);
	if (insn->kind <= NAIVE_RED && insn->plus >= 0)
		text_printf(t, "add%s r%d, r%d, %d%s", litmus ? "" : ".u32",
		    20 + i, insn->plus, insn->value, end);
	else if (insn->kind == NAIVE_STORE && insn->vector)
		text_printf(t, "mov.u32 r%d, %d%s", 20 + i, insn->value, end);
	if (insn->kind == NAIVE_LOAD)
		print_load(t, insn, i, test, address);
	else if (insn->kind == NAIVE_STORE)
		print_store(t, insn, i, test, address);
	else if (insn->kind == NAIVE_MBARRIER_WAIT ||
	    insn->kind == NAIVE_MBARRIER_ARRIVE)
		print_mbarrier(t, insn, i, end);
	else if (insn->kind <= NAIVE_RED)
		print_rmw(t, insn, i, test, address);
	else if (insn->kind <= NAIVE_PROXY_FENCE)
		print_fence(t, insn, litmus);
	else if (insn->kind == NAIVE_SKIP && litmus)
		text_printf(t, "beq r%d, %d, LC%02d", insn->plus,
		    insn->value, i);
	else if (insn->kind == NAIVE_SKIP)
		text_printf(t, "setp.eq.u32 p%d, r%d, %d%s@p%d bra L%d", i,
		    insn->plus, insn->value, end, i, i);
	else
		print_barrier(t, insn);
	text_printf(t, "%s", end);
}

/* Labels of the skips that end before instruction i. */
static void
print_labels(struct text *t, const struct naive_thread *thread, int i,
    bool litmus, const char *end)
{
	int j;

	for (j = 0; j < i; j++) {
		const struct naive_insn *skip = &thread->insns[j];
		int to = j + 1 + skip->length;

		if (skip->kind == NAIVE_SKIP && (to == i ||
		    (i == thread->n && to > i)))
			text_printf(t, litmus ? "LC%02d:%s" : "L%d:%s", j,
			    litmus ? end : "\n      ");
	}
}

static void
print_code(struct text *t, const struct naive_thread *thread,
    const struct naive_test *test, const char *end)
{
	int i;

	for (i = 0; i <= thread->n; i++) {
		print_labels(t, thread, i, test->litmus, end);
		if (i < thread->n)
			print_insn(t, thread, i, test, end);
	}
}

static void
print_condition(struct text *t, const struct naive_test *test)
{
	int i;

	for (i = 0; i < test->nslots; i++) {
		const struct naive_slot *s = &test->slots[i];

		text_printf(t, "%s", i ? test->litmus ? " /\\ " : " && " :
		    "");
		if (s->thread >= 0)
			text_printf(t, "%d:r%d == 0", s->thread, s->index);
		else if (test->litmus)
			text_printf(t, "%s == 0", view_names[s->index]);
		else
			text_printf(t, s->index == 3 ? "[v+4] == 0" :
			    "[%s] == 0", view_names[s->index]);
	}
}

static bool
uses(const struct naive_test *test, int first, int last)
{
	int t, i;

	for (t = 0; t < test->nthreads; t++)
		for (i = 0; i < test->threads[t].n; i++)
			if (test->threads[t].insns[i].view >= first &&
			    test->threads[t].insns[i].view <= last)
				return true;
	return false;
}

static void
print_locations(struct text *t, const struct naive_test *test)
{
	int cta = test->threads[0].cta;

	if (test->shared)
		text_printf(t, "  x: {space: shared, cta: %d}\n"
		    "  y: {space: shared, cta: %d}\n  v: {init: [0, 0], "
		    "count: 2, align: 8, space: shared, cta: %d}\n", cta, cta,
		    cta);
	else
		text_printf(t, "  x: 0\n  y: 0\n"
		    "  v: {init: [0, 0], count: 2, align: 8}\n");
	if (uses(test, VIEW_W, VIEW_W_SURFACE))
		text_printf(t, "  w: {alias: x}\n");
	if (uses(test, VIEW_MBARRIER, VIEW_MBARRIER))
		text_printf(t, "  b: {mbarrier: %d, space: shared, cta: %d}\n",
		    test->arrivals, cta);
}

static void
print_yaml(struct text *t, const struct naive_test *test, const char *name)
{
	int i;

	text_printf(t, "name: %s\nabout: drawn at random\nlocations:\n",
	    name);
	print_locations(t, test);
	text_printf(t, "threads:\n");
	for (i = 0; i < test->nthreads; i++) {
		const struct naive_thread *thread = &test->threads[i];

		text_printf(t, "  - gpu: %d\n    cluster: %d\n    cta: %d\n"
		    "    warp: %d\n    code: |\n      ", thread->gpu,
		    thread->cluster, thread->cta, thread->warp);
		print_code(t, thread, test, ";\n      ");
		text_printf(t, "\n");
	}
	text_printf(t, "exists: \"");
	print_condition(t, test);
	text_printf(t, "\"\n");
}

/* The cells of a column, one a line. */
static void
print_litmus(struct text *t, const struct naive_test *test, const char *name)
{
	const char *cell[NAIVE_THREADS];
	struct text code;
	bool more = true;
	int i;

	text_printf(t, "PTX %s\n{\nx = 0; y = 0;\nw @ generic aliases x;\n"
	    "t @ texture aliases x;\ns @ surface aliases x;\n"
	    "c @ constant aliases x;\nws @ surface aliases w;\n}\n", name);
	for (i = 0; i < test->nthreads; i++) {
		const struct naive_thread *thread = &test->threads[i];

		text_printf(t, "%s P%d@cta %d,gpu %d ", i ? "|" : "", i,
		    thread->cta, thread->gpu);
		text_init(&code, t->arena);
		print_code(&code, thread, test, "\n");
		cell[i] = code.size ? code.s : "";
	}
	while (more) {
		text_printf(t, ";\n");
		more = false;
		for (i = 0; i < test->nthreads; i++) {
			int n = (int)strcspn(cell[i], "\n");

			text_printf(t, "%s %.*s ", i ? "|" : "", n, cell[i]);
			cell[i] += n + (cell[i][n] != '\0');
			more |= *cell[i] != '\0';
		}
	}
	text_printf(t, ";\nexists (");
	print_condition(t, test);
	text_printf(t, ")\n");
}

char *
naive_text(const struct naive_test *test, const char *name, struct arena *a)
{
	struct text t;

	text_init(&t, a);
	if (test->litmus)
		print_litmus(&t, test, name);
	else
		print_yaml(&t, test, name);
	return t.s;
}
