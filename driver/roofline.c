/*
 * What an instance must cost, and what the machine can do: their quotient
 * is the most instances a second that can be hoped for.
 *
 * Bytes are those between the processors and the L2, in sectors of 32 bytes
 * where neighbours do not share one: the tested accesses, the results, and
 * what the tally reads and resets. Instructions are those of the emitted
 * PTX along the way of each role, loops that wait gone through once, and
 * the tally's share of them; an assembler makes about as many of its own.
 */
#include "driver.h"

#include <math.h>
#include <string.h>

#define SECTOR 32.0
#define SCHEDULERS 4.0 /* a processor since sm_70, each starts a warp's
	instruction a cycle: CUDA C++ programming guide, compute
	capabilities, "architecture" */
#define WARP 32.0

/* ---- bytes ------------------------------------------------------------- */

/* Of one access to a copy of `bytes`, `stride` from the next instance's. */
static double
traffic(const struct plan *plan, double bytes, double stride)
{
	double sectors = ceil(bytes / SECTOR) * SECTOR;

	if (plan->env.permute || stride >= SECTOR)
		return sectors;
	return fmin(fmax(bytes, stride), sectors);
}

/* The operand that is an address, and how often what it names travels. */
static double
insn_bytes(const struct plan *plan, const struct insn *insn)
{
	double times = insn->op->class == CLASS_RMW ? 2 : 1, bytes;
	int i;

	if (insn->op->class != CLASS_LOAD && insn->op->class != CLASS_STORE &&
	    insn->op->class != CLASS_RMW && insn->op->class != CLASS_RED)
		return 0;
	bytes = type_size(insn->type) * (insn->vec ? insn->vec : 1);
	for (i = 0; i < insn->nops; i++) {
		const struct operand *o = &insn->ops[i];

		if (o->kind != OPERAND_ADDR)
			continue;
		if (o->var < 0) /* through a register: somewhere */
			return times * SECTOR;
		if (plan->program->vars[o->var].space == SPACE_SHARED)
			return 0;
		return times * traffic(plan, bytes,
		    plan->spot[o->var].stride);
	}
	return 0;
}

static double
tested_bytes(const struct plan *plan)
{
	const struct program *p = plan->program;
	double sum = 0;
	int i, j;

	for (i = 0; i < p->nthreads; i++)
		for (j = 0; j < p->threads[i].ninsns; j++)
			sum += insn_bytes(plan, &p->threads[i].insns[j]);
	return sum;
}

/* Results are written where the instance is, and read in order. */
static double
result_bytes(const struct plan *plan)
{
	double size = plan->result_size, sum = 0;
	int i;

	for (i = 0; i < plan->program->nthreads; i++)
		if (plan->result_bytes[i])
			sum += traffic(plan, size, size) + size;
	return sum;
}

static double
tally_bytes(const struct plan *plan)
{
	const struct program *p = plan->program;
	double sum = 0;
	int i;

	for (i = 0; i < p->nslots; i++)
		if (plan->report[i].thread < 0)
			sum += fmin(fmax(p->slots[i].size,
			    plan->spot[p->slots[i].var].stride), SECTOR);
	for (i = 0; i < p->nvars; i++) {
		double bytes = p->vars[i].size * p->vars[i].count;

		if (plan_resets_var(plan, i))
			sum += fmax(bytes, fmin(plan->spot[i].stride,
			    SECTOR));
	}
	return sum;
}

/* ---- instructions ------------------------------------------------------ */

#define LINES_MAX 65536

struct lines {
	const char **list;
	int count;
};

/* The lines of a kernel. */
static struct lines
kernel_lines(const char *ptx, const char *kernel, struct arena *a)
{
	const char *s = strstr(ptx, arena_printf(a, ".entry %s(", kernel));
	const char *end = s ? strstr(s, "\n}\n") : NULL;
	struct lines l = {arena_alloc(a, LINES_MAX * sizeof(*l.list)), 0};

	while (s && end && s < end && l.count < LINES_MAX) {
		l.list[l.count++] = s;
		s = strchr(s, '\n') + 1;
	}
	return l;
}

static bool
is_label_line(const char *s)
{
	return *s == '$';
}

/* "\t@$p_role bra $ROLE1;" */
static bool
is_insn_line(const char *s)
{
	return *s == '\t' && s[1] != '.' && s[1] != '/' && s[1] != '{' &&
	    s[1] != '}' && s[1] != '\n' && s[1] != '\t';
}

static int
find_label(const struct lines *l, const char *name, size_t n)
{
	int i;

	for (i = 0; i < l->count; i++)
		if (is_label_line(l->list[i]) &&
		    strncmp(l->list[i], name, n) == 0 && l->list[i][n] == ':')
			return i;
	return -1;
}

/* The label that a branch goes to; NULL: it is none. */
static const char *
target_of(const char *s, size_t *n)
{
	const char *end = strchr(s, '\n'), *at;

	at = strstr(s, "bra");
	if (!at || at > end || (at != s + 1 && at[-1] != ' '))
		return NULL;
	at = strchr(at, '$');
	if (!at || at > end)
		return NULL;
	*n = strcspn(at, ";");
	return at;
}

/*
 * Instructions from line `at` on: conditional branches are taken only to
 * `role`, others unless they go back, which ends the way, as ret does. Of
 * those inside the loop over turns *turns is how many.
 */
static int
walk(const struct lines *l, int at, const char *role, int *turns)
{
	int count = 0, begun = 0, to;

	*turns = 0;
	for (; at < l->count; at++) {
		const char *s = l->list[at], *target;
		bool guarded = s[1] == '@';
		size_t n;

		if (strncmp(s, "$TURN:", 6) == 0)
			begun = count;
		if (!is_insn_line(s))
			continue;
		count++;
		if (!guarded && strncmp(s, "\tret;", 5) == 0)
			return count;
		target = target_of(s, &n);
		if (!target)
			continue;
		if (strncmp(target, "$TURN;", 6) == 0)
			*turns = count - begun;
		if (guarded && (strlen(role) != n ||
		    strncmp(target, role, n) != 0))
			continue;
		to = find_label(l, target, n);
		if (to <= at)
			return count;
		at = to;
	}
	return count;
}

/* A thread's instructions for one instance. */
static double
role_instructions(const struct plan *plan, const struct lines *l,
    const char *role)
{
	int turns, all = walk(l, 0, role, &turns);

	return turns + (double)(all - turns) / plan->env.repeat;
}

static double
test_instructions(const struct plan *plan, const char *ptx, struct arena *a)
{
	struct lines l = kernel_lines(ptx, plan->test.name, a);
	double sum = 0;
	int i;

	if (plan->env.layout == LAYOUT_ALL)
		return role_instructions(plan, &l, "");
	for (i = 0; i < plan->program->nthreads; i++)
		sum += role_instructions(plan, &l,
		    arena_printf(a, "$ROLE%d", i));
	/* lanes of different roles wait for each other */
	return sum * plan->lanes;
}

/* What the tally does for a chunk of instances. */
static double
tally_instructions(const struct plan *plan, const char *ptx, struct arena *a)
{
	struct lines l = kernel_lines(ptx, plan->tally.name, a);
	int chunk = find_label(&l, "$CHUNK", 6), turns;

	return plan->tally.grid == 0 || chunk < 0 ? 0 :
	    (double)walk(&l, chunk, "", &turns) / plan->tally_width;
}

struct cost
plan_cost(const struct plan *plan)
{
	struct arena *a = arena_new();
	const char *ptx = emit_ptx(plan, SABOTAGE_NONE, a);
	struct cost c = {
		.bytes = tested_bytes(plan) + result_bytes(plan) +
		    tally_bytes(plan),
		.instructions = test_instructions(plan, ptx, a) +
		    tally_instructions(plan, ptx, a),
	};

	arena_free(a);
	return c;
}

double
issue_rate(const struct device_info *d)
{
	return d->caps.processors * SCHEDULERS * WARP * 1e3 * d->clock_khz;
}

double
cost_limit(const struct cost *c, const struct limits *l, bool *by_bytes)
{
	double bytes = c->bytes > 0 ? l->bytes / c->bytes : INFINITY;
	double issue = c->instructions > 0 ?
	    l->instructions / c->instructions : INFINITY;

	*by_bytes = bytes < issue;
	return fmin(bytes, issue);
}

/* ---- the bandwidth of the L2 ------------------------------------------- */

/* 16 MiB, so that the L2 of any GPU since sm_80 holds it; loads past the L1
   (.cg), eight in flight; what they brought decides a store that never is. */
#define L2_BYTES ((size_t)16 << 20)
#define L2_LOADS 8
#define L2_TURNS 64
#define L2_BLOCK 512

static const char l2_head[] =
	".version 6.4\n.target sm_75\n.address_size 64\n"
	".visible .entry l2(.param .u64 from, .param .u32 turns)\n"
	".maxntid 512, 1, 1\n{\n"
	"\t.reg .pred p;\n"
	"\t.reg .b32 i, n, mask, left, sum, a, b, c, d, step;\n"
	"\t.reg .b64 base, at, w;\n"
	"\tld.param.u64 base, [from];\n"
	"\tld.param.u32 left, [turns];\n"
	"\tmov.u32 i, %ctaid.x;\n"
	"\tmov.u32 n, %tid.x;\n"
	"\tmad.lo.u32 i, i, 512, n;\n"
	"\tmov.u32 step, %nctaid.x;\n"
	"\tshl.b32 step, step, 9;\n"
	"\tmov.u32 sum, 0;\n"
	"LOOP:\n";
static const char l2_load[] =
	"\tand.b32 n, i, 1048575;\n"
	"\tmul.wide.u32 w, n, 16;\n"
	"\tadd.u64 at, base, w;\n"
	"\tld.global.cg.v4.u32 {a, b, c, d}, [at];\n"
	"\txor.b32 a, a, b;\n"
	"\txor.b32 c, c, d;\n"
	"\txor.b32 a, a, c;\n"
	"\txor.b32 sum, sum, a;\n"
	"\tadd.u32 i, i, step;\n";
static const char l2_tail[] =
	"\tadd.s32 left, left, -1;\n"
	"\tsetp.ne.s32 p, left, 0;\n"
	"\t@p bra LOOP;\n"
	"\tsetp.eq.u32 p, sum, 1522443147;\n"
	"\t@p st.global.u32 [base], sum;\n"
	"\tret;\n}\n";

const char *
l2_ptx(struct arena *a)
{
	struct text t;
	int i;

	text_init(&t, a);
	text_printf(&t, "%s", l2_head);
	for (i = 0; i < L2_LOADS; i++)
		text_printf(&t, "%s", l2_load);
	text_printf(&t, "%s", l2_tail);
	return t.s;
}

static bool
l2_run(struct bench *b, struct module *m, uint64_t from, double *bandwidth,
    struct err *err)
{
	bool sim = b->info.caps.sim;
	struct {
		uint64_t from;
		uint32_t turns, none;
	} params = {from, sim ? 1 : L2_TURNS, 0};
	uint32_t ctas = sim ? 1 : 4 * (uint32_t)b->info.caps.processors;
	struct launch l = {.module = m, .kernel = "l2", .grid = {ctas, 1, 1},
		.block = {L2_BLOCK, 1, 1}, .harness = true,
		.params = &params, .params_size = 12};
	double bytes = 16.0 * L2_LOADS * L2_BLOCK * ctas * params.turns;
	double seconds;
	int i, runs = sim ? 1 : 5;

	*bandwidth = 0;
	for (i = 0; i < runs; i++) {
		int repeat = i ? 20 : 1;

		if (!b->ops->run(b->device, &l, 1, (uint64_t)repeat,
		    b->timeout, &seconds, err))
			return false;
		/* the first only fills the cache */
		if (i || sim)
			*bandwidth = fmax(*bandwidth, bytes * repeat /
			    fmax(seconds, 1e-9));
	}
	return true;
}

bool
l2_bandwidth(struct bench *b, double *bandwidth, struct err *err)
{
	struct arena *a = arena_new();
	struct module *m;
	uint64_t from;
	bool ok;

	ok = b->ops->load(b->device, l2_ptx(a), b->assembler, &m, err);
	arena_free(a);
	if (!ok)
		return false;
	ok = bench_memory(b, 0, L2_BYTES, &from, err) &&
	    b->ops->fill(b->device, from, 1, L2_BYTES, err) &&
	    l2_run(b, m, from, bandwidth, err);
	if (ok || (err->code != ERR_HANG && err->code != ERR_FAULT))
		b->ops->unload(b->device, m);
	return ok;
}
