/*
 * A program in the .litmus format. What the format cannot say is an error
 * with its place: a file that means something else would be worse than none.
 */
#include "write_litmus.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* ---- what is declared ------------------------------------------------- */

static bool
check_var(struct writer *w, const struct var *v)
{
	if (v->space != SPACE_GLOBAL)
		return litmus_no(w, v->loc, "shared memory");
	if (v->count != 1)
		return litmus_no(w, v->loc, "arrays");
	if (v->size != 4)
		return litmus_no(w, v->loc,
		    "locations that are not 32 bits wide");
	if (v->line != LINE_ANY)
		return litmus_no(w, v->loc, "same_line, other_line");
	return true;
}

static bool
check_thread(struct writer *w, const struct thread *t)
{
	int i;

	if (t->nwarm)
		return litmus_no(w, t->loc, "warm locations");
	if (t->warp != WARP_ANY)
		return litmus_no(w, t->loc, "warps");
	for (i = 0; i < w->p->nthreads; i++)
		if (w->p->threads[i].cta != t->cta &&
		    w->p->threads[i].cluster == t->cluster)
			return litmus_no(w, t->loc, "clusters");
	return true;
}

/* ---- the condition ---------------------------------------------------- */

static const struct {
	enum cond_op op;
	const char *text;
	bool logical;
} operators[] = {
	{COND_AND, "/\\", true}, {COND_OR, "\\/", true},
	{COND_EQ, "==", false}, {COND_NE, "!=", false},
	{COND_LT, "<", false}, {COND_LE, "<=", false},
	{COND_GT, ">", false}, {COND_GE, ">=", false},
};

static bool
put_slot(struct writer *w, struct text *t, const struct slot *s)
{
	const char *reg;

	if (s->thread < 0) {
		text_printf(t, "%s", w->p->vars[s->var].name);
		return true;
	}
	reg = w->columns[s->thread].regs[s->reg];
	if (!reg)
		return litmus_no(w, w->p->loc, "a predicate in a condition");
	text_printf(t, "P%d:%s", s->thread, reg);
	return true;
}

static bool
put_cond(struct writer *w, struct text *t, const struct cond *c)
{
	size_t i;

	switch (c->op) {
	case COND_CONST:
		text_printf(t, "%" PRId64, c->value);
		return true;
	case COND_SLOT:
		return put_slot(w, t, &w->p->slots[c->slot]);
	case COND_NOT:
		text_printf(t, "~(");
		if (!put_cond(w, t, c->a))
			return false;
		text_printf(t, ")");
		return true;
	default:
		break;
	}
	for (i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (operators[i].op == c->op)
			break;
	if (i == sizeof(operators) / sizeof(*operators))
		return litmus_no(w, w->p->loc, "arithmetic in a condition");
	text_printf(t, operators[i].logical ? "(" : "");
	if (!put_cond(w, t, c->a))
		return false;
	text_printf(t, " %s ", operators[i].text);
	if (!put_cond(w, t, c->b))
		return false;
	text_printf(t, operators[i].logical ? ")" : "");
	return true;
}

/* A whole condition stands in parentheses. */
static bool
put_group(struct writer *w, struct text *t, const struct cond *c)
{
	bool bare = c->op != COND_AND && c->op != COND_OR;

	text_printf(t, bare ? "(" : "");
	if (!put_cond(w, t, c))
		return false;
	text_printf(t, bare ? ")\n" : "\n");
	return true;
}

static bool
names_slot(const struct cond *c, int slot)
{
	return c && ((c->op == COND_SLOT && c->slot == slot) ||
	    names_slot(c->a, slot) || names_slot(c->b, slot));
}

/* What is observed and not in the condition. */
static bool
put_locations(struct writer *w, struct text *t)
{
	const char *before = "locations [";
	int i;

	for (i = 0; i < w->p->nslots; i++) {
		if (names_slot(w->p->cond, i) || names_slot(w->p->filter, i))
			continue;
		text_printf(t, "%s", before);
		if (!put_slot(w, t, &w->p->slots[i]))
			return false;
		before = "; ";
	}
	if (before[0] == ';')
		text_printf(t, "]\n");
	return true;
}

static bool
write_condition(struct writer *w, struct text *t)
{
	static const char *const words[] = {
		[QUANT_EXISTS] = "exists", [QUANT_NEVER] = "~exists",
		[QUANT_FORALL] = "forall",
	};

	if (!put_locations(w, t))
		return false;
	if (w->p->filter) {
		text_printf(t, "filter ");
		if (!put_group(w, t, w->p->filter))
			return false;
	}
	text_printf(t, "%s\n", words[w->p->quant]);
	return put_group(w, t, w->p->cond);
}

/* ---- the file --------------------------------------------------------- */

/* A comment there is a string, which nothing can end early. */
static void
write_about(struct text *t, const char *about)
{
	const char *s = about ? about : "";
	size_t n = strlen(s);

	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	if (!n)
		return;
	text_printf(t, "\"");
	for (; n--; s++)
		text_append(t, *s == '"' ? "'" : *s == '{' ? "(" :
		    *s == '}' ? ")" : s, 1);
	text_printf(t, "\"\n");
}

static void
write_inits(struct writer *w, struct text *t)
{
	const struct program *p = w->p;
	bool done[VARS_MAX] = {false};
	int i, j, left;

	text_printf(t, "{\n");
	/* in order, but that an alias stands behind what it names */
	for (left = p->nvars; left; )
		for (i = 0; i < p->nvars; i++) {
			const struct var *v = &p->vars[i];

			if (done[i] || (v->alias_of >= 0 &&
			    !done[v->alias_of]))
				continue;
			if (v->alias_of < 0)
				text_printf(t, "%s=%" PRIu64 ";\n", v->name,
				    v->init[0]);
			else
				text_printf(t, "%s @ %s aliases %s;\n",
				    v->name, proxy_name(v->proxy),
				    p->vars[v->alias_of].name);
			done[i] = true;
			left--;
		}
	for (i = 0; i < p->nthreads; i++)
		for (j = 0; j < p->threads[i].nregs; j++)
			/* 0 too: their order is kept */
			if (w->columns[i].regs[j])
				text_printf(t, "P%d:%s=%" PRIu64 ";\n", i,
				    w->columns[i].regs[j],
				    p->threads[i].regs[j].init);
	text_printf(t, "}\n");
}

static void
write_rows(struct writer *w, struct text *t)
{
	int row, i, rows = 0;

	for (i = 0; i < w->p->nthreads; i++)
		if (w->columns[i].count > rows)
			rows = w->columns[i].count;
	for (row = 0; row < rows; row++) {
		for (i = 0; i < w->p->nthreads; i++) {
			const struct column *c = &w->columns[i];

			text_printf(t, "%s%-*s ", i ? "| " : " ", c->width,
			    row < c->count ? c->cells[row] : "");
		}
		text_printf(t, ";\n");
	}
}

bool
write_litmus(struct text *t, const struct program *p, struct err *err)
{
	struct writer w = {.p = p, .arena = t->arena, .err = err};
	struct text condition, all;
	int i;

	for (i = 0; i < p->nvars; i++)
		if (!check_var(&w, &p->vars[i]))
			return false;
	for (i = 0; i < p->nthreads; i++) {
		const struct thread *th = &p->threads[i];

		if (!check_thread(&w, th))
			return false;
		litmus_add(&w, i, arena_printf(t->arena, "P%d@cta %d,gpu %d",
		    i, th->cta, th->gpu));
		if (!litmus_write_thread(&w, i))
			return false;
	}
	text_init(&condition, t->arena);
	if (!write_condition(&w, &condition))
		return false;
	text_init(&all, t->arena);
	text_printf(&all, "PTX %s\n", p->name);
	write_about(&all, p->about);
	write_inits(&w, &all);
	write_rows(&w, &all);
	text_append(&all, condition.s, condition.size);
	text_append(t, all.s, all.size);
	return true;
}
