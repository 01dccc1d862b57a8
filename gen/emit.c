/* The PTX of a plan: one module, three kernels. */
#include "emit.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

/* ---- lines ------------------------------------------------------------- */

static bool
is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void
remember(struct emit *e, const char *s, size_t n)
{
	int i;

	for (i = 0; i < e->nnames; i++)
		if (strlen(e->names[i]) == n && !memcmp(e->names[i], s, n))
			return;
	if (e->nnames < EMIT_NAMES_MAX)
		e->names[e->nnames++] = arena_strndup(e->arena, s, n);
}

static void
remember_names(struct emit *e, const char *s)
{
	while ((s = strchr(s, '$'))) {
		size_t n = 1;

		while (is_name(s[n]))
			n++;
		if (islower((unsigned char)s[1]))
			remember(e, s, n);
		s += n;
	}
}

static void
line(struct emit *e, const char *before, const char *after,
    const char *format, va_list args)
{
	va_list copy;
	char *s;
	int n;

	va_copy(copy, args);
	n = vsnprintf(NULL, 0, format, copy);
	va_end(copy);
	s = arena_alloc(e->arena, (size_t)(n < 0 ? 0 : n) + 1);
	vsnprintf(s, (size_t)n + 1, format, args);
	text_printf(&e->text, "%s%s%s\n", before, s, after);
	if (*after == ';')
		remember_names(e, s);
}

void
emit_put(struct emit *e, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line(e, "\t", ";", format, args);
	va_end(args);
}

void
emit_label(struct emit *e, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line(e, "", ":", format, args);
	va_end(args);
}

void
emit_note(struct emit *e, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line(e, "\t// ", "", format, args);
	va_end(args);
}

void
emit_line(struct emit *e, int number)
{
	text_printf(&e->text, "\t.loc 1 %d 1\n", number);
}

bool
emit_know(struct emit *e, const char *name)
{
	int i;

	for (i = 0; i < e->nknown; i++)
		if (strcmp(e->known[i], name) == 0)
			return false;
	if (e->nknown < EMIT_NAMES_MAX)
		e->known[e->nknown++] = arena_strdup(e->arena, name);
	return true;
}

void
emit_forget(struct emit *e)
{
	e->nknown = 0;
}

/* ---- arithmetic -------------------------------------------------------- */

static int
power(uint32_t n)
{
	int i;

	for (i = 0; i < 31; i++)
		if (n == (uint32_t)1 << i)
			return i;
	return -1;
}

void
emit_param(struct emit *e, const char *to, const char *param)
{
	emit_put(e, "ld.param.u64 %s, [%s]", to, param);
}

void
emit_divide(struct emit *e, const char *quotient, const char *remainder,
    const char *from, uint32_t n)
{
	int shift = power(n);

	if (shift >= 0) {
		/* the remainder first: the quotient may replace `from` */
		if (remainder)
			emit_put(e, "and.b32 %s, %s, %u", remainder, from,
			    n - 1);
		if (quotient)
			emit_put(e, "shr.u32 %s, %s, %d", quotient, from,
			    shift);
		return;
	}
	if (remainder)
		emit_put(e, "rem.u32 %s, %s, %u", remainder, from, n);
	if (quotient)
		emit_put(e, "div.u32 %s, %s, %u", quotient, from, n);
}

void
emit_modulo(struct emit *e, const char *to, const char *from, uint32_t n)
{
	emit_divide(e, NULL, to, from, n);
}

void
emit_times(struct emit *e, const char *to, const char *from, uint32_t n)
{
	int shift = power(n);

	if (shift == 0 && strcmp(to, from))
		emit_put(e, "mov.u32 %s, %s", to, from);
	else if (shift > 0)
		emit_put(e, "shl.b32 %s, %s, %d", to, from, shift);
	else if (shift < 0)
		emit_put(e, "mul.lo.u32 %s, %s, %u", to, from, n);
}

void
emit_offset(struct emit *e, const char *to, const char *base,
    const char *from)
{
	emit_put(e, "cvt.u64.u32 $w_offset, %s", from);
	emit_put(e, "add.u64 %s, %s, $w_offset", to, base);
}

/* ---- kernels ----------------------------------------------------------- */

static const char *
register_type(const char *name)
{
	if (!strchr("paw", name[1]) || name[2] != '_')
		return "b32";
	return name[1] == 'p' ? "pred" : "b64";
}

static void
declare(struct text *t, const struct emit *e, const char *type)
{
	int i, n = 0;

	for (i = 0; i < e->nnames; i++) {
		if (strcmp(register_type(e->names[i]), type))
			continue;
		if (n % 8 == 0)
			text_printf(t, "%s\t.reg .%s ", n ? ";\n" : "", type);
		text_printf(t, "%s%s", n % 8 ? ", " : "", e->names[i]);
		n++;
	}
	if (n)
		text_printf(t, ";\n");
}

static bool
is_address(enum param_kind kind)
{
	return kind != PARAM_DRAW && kind != PARAM_U32;
}

static void
kernel(struct text *t, struct emit *e, const struct kernel *k,
    void (*body)(struct emit *e))
{
	int i;

	text_init(&e->text, e->arena);
	e->nnames = 0;
	emit_forget(e);
	body(e);
	text_printf(t, "\n.visible .entry %s(", k->name);
	for (i = 0; i < k->nparams; i++)
		text_printf(t, "%s\n\t.param .%s %s", i ? "," : "",
		    is_address(k->params[i].kind) ? "u64" : "u32",
		    k->params[i].name);
	text_printf(t, "\n)\n.maxntid %u, 1, 1\n{\n", k->block);
	declare(t, e, "pred");
	declare(t, e, "b32");
	declare(t, e, "b64");
	text_append(t, e->text.s, e->text.size);
	text_printf(t, "}\n");
}

static void
describe_thread(struct text *t, const struct plan *plan, int thread)
{
	const struct place *at = &plan->place[thread];

	text_printf(t, "//   P%d: ", thread);
	if (plan->env.layout == LAYOUT_ALL) {
		text_printf(t, "every thread, %d groups on, %d warps and "
		    "%d lanes aside\n", at->unit * plan->env.role_shift,
		    at->slot, at->lane);
		return;
	}
	text_printf(t, "CTA %d of its group, warp %d of %d, lane %d of %d\n",
	    at->unit * plan->ranks + at->rank, at->slot, plan->slots,
	    at->lane, plan->lanes);
}

static void
describe(struct text *t, const struct plan *plan)
{
	const struct program *p = plan->program;
	int i;

	text_printf(t, "// The test %s, as fencepost runs it.\n", p->name);
	text_printf(t, "// A launch: %llu instances; %u groups of %u CTAs, "
	    "%u instances in each group, %d a thread.\n",
	    (unsigned long long)plan->instances, plan->groups,
	    plan->working / plan->groups, plan->per_group,
	    plan->env.repeat);
	text_printf(t, "// Environment: ");
	env_print(t, &plan->env);
	text_printf(t, "\n// Line 1000 * (n + 1) + i of the line table is "
	    "instruction i of thread n:\n");
	for (i = 0; i < p->nthreads; i++)
		describe_thread(t, plan, i);
}

static void
module_head(struct text *t, const struct plan *plan)
{
	text_printf(t, ".version %d.%d\n.target sm_%d\n.address_size 64\n",
	    plan->ptx / 10, plan->ptx % 10, plan->sm);
	text_printf(t, ".file 1 \"%s\"\n", plan->program->name);
}

const char *
emit_ptx(const struct plan *plan, enum sabotage sabotage, struct arena *a)
{
	struct emit *e = arena_alloc(a, sizeof(*e));
	struct text t;

	e->plan = plan;
	e->program = plan->program;
	e->arena = a;
	e->sabotage = sabotage;
	text_init(&t, a);
	describe(&t, plan);
	module_head(&t, plan);
	kernel(&t, e, &plan->init, emit_init);
	kernel(&t, e, &plan->test, emit_test);
	if (plan->tally.grid)
		kernel(&t, e, &plan->tally, emit_tally);
	return t.s;
}
