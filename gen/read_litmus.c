/*
 * The .litmus reader: rows, condition and the whole. The init section is
 * in litmus_init.c, the instructions are in litmus_cell.c.
 */
#include "litmus.h"

#include <ctype.h>
#include <string.h>

/* ---- threads and rows ------------------------------------------------- */

/*
 * CTA ids are unique in a program; in a file they may repeat on another
 * GPU. They are kept where they can be.
 */
static void
number_ctas(struct program *p, const int *ctas)
{
	int i, j, fresh = 0;

	for (i = 0; i < p->nthreads; i++)
		if (ctas[i] >= fresh)
			fresh = ctas[i] + 1;
	for (i = 0; i < p->nthreads; i++) {
		struct thread *t = &p->threads[i];

		t->cta = ctas[i];
		for (j = 0; j < i; j++) {
			const struct thread *o = &p->threads[j];

			if (ctas[j] == ctas[i] && o->gpu == t->gpu) {
				t->cta = o->cta;
				break;
			}
			if (o->cta == t->cta)
				t->cta = fresh;
		}
		if (t->cta == fresh)
			fresh++;
	}
}

/* No clusters: each CTA has its own. */
static void
number_clusters(struct program *p)
{
	int i, j, next = 0;

	for (i = 0; i < p->nthreads; i++) {
		for (j = 0; p->threads[j].cta != p->threads[i].cta; j++)
			;
		p->threads[i].cluster = j < i ? p->threads[j].cluster :
		    next++;
	}
}

static bool
read_thread(struct litmus *l, int *cta)
{
	struct program *p = l->p;
	struct thread *t = &p->threads[p->nthreads];
	int number;

	if (!token_thread(&l->token, &number) || *l->token.s != 'P')
		return litmus_expected(l, "a thread (P0@cta 0,gpu 0)");
	if (number != p->nthreads)
		return litmus_error(l, ERR_INPUT, l->token.loc, arena_printf(
		    l->arena, "expected P%d here: threads stand in order",
		    p->nthreads));
	if (number == THREADS_MAX)
		return litmus_error(l, ERR_LIMIT, l->token.loc,
		    "too many threads (at most 16)");
	*t = (struct thread){.loc = l->token.loc, .warp = WARP_ANY};
	litmus_next(l);
	if (!litmus_take(l, "@"))
		return litmus_expected(l, "'@' and the placement");
	if (!litmus_take(l, "cta"))
		return litmus_expected(l, "'cta'");
	if (!litmus_id(l, "the CTA's number", cta))
		return false;
	if (!litmus_take(l, ","))
		return litmus_expected(l, "',' and the GPU");
	if (!litmus_take(l, "gpu"))
		return litmus_expected(l, "'gpu'");
	if (!litmus_id(l, "the GPU's number", &t->gpu))
		return false;
	p->nthreads++;
	return true;
}

static bool
read_threads(struct litmus *l)
{
	int ctas[THREADS_MAX + 1];

	do {
		if (!read_thread(l, &ctas[l->p->nthreads]))
			return false;
	} while (litmus_take(l, "|"));
	if (!litmus_take(l, ";"))
		return litmus_expected(l, "'|' or ';'");
	number_ctas(l->p, ctas);
	number_clusters(l->p);
	return true;
}

static bool
at_condition(const struct litmus *l)
{
	static const char *const words[] = {"exists", "forall", "final",
		"filter", "locations", "not", "~"};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (litmus_is(l, words[i]))
			return true;
	return l->token.kind == TOKEN_END;
}

static bool
read_row(struct litmus *l)
{
	struct loc end = l->token.loc;
	bool ok = true;
	int i;

	for (i = 0;; i++) {
		if (i == l->p->nthreads) {
			ok = litmus_error(l, ERR_INPUT, l->token.loc,
			    arena_printf(l->arena, "this row has more cells "
			    "than there are threads (%d)", i));
			litmus_recover(l, ";");
			litmus_next(l);
			return ok;
		}
		if (!litmus_is(l, "|") && !litmus_is(l, ";") &&
		    !litmus_cell(l, i)) {
			ok = false;
			litmus_recover(l, "|;");
		}
		end = l->token.loc;
		if (litmus_take(l, ";"))
			break;
		if (!litmus_take(l, "|")) {
			ok = litmus_expected(l, "'|' or ';'");
			litmus_recover(l, "|;");
			if (litmus_take(l, ";") || !litmus_take(l, "|"))
				return false;
		}
	}
	if (i + 1 != l->p->nthreads)
		ok = litmus_error(l, ERR_INPUT, end, arena_printf(l->arena,
		    "this row has %d cells for %d threads", i + 1,
		    l->p->nthreads));
	return ok;
}

static bool
read_rows(struct litmus *l)
{
	bool ok = true;
	int i;

	while (!at_condition(l))
		ok = read_row(l) && ok;
	for (i = 0; i < l->p->nthreads; i++)
		ok = litmus_resolve(l, i) && ok;
	return ok;
}

/* ---- the condition ---------------------------------------------------- */

static bool
is_keyword(const struct token *t)
{
	static const char *const words[] = {"exists", "forall", "final",
		"filter", "not", "with", "and", "or", "true", "false"};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (token_is(t, words[i]))
			return true;
	return false;
}

/*
 * A condition may name what the program does not: an undeclared location
 * is 0, and so is a register that nothing writes.
 */
static bool
declare_named(struct litmus *l)
{
	struct token t = l->token;
	int thread;

	litmus_next(l);
	if (litmus_is(l, ":") && token_thread(&t, &thread)) {
		litmus_next(l);
		if (thread >= l->p->nthreads)
			return litmus_error(l, ERR_INPUT, t.loc,
			    arena_printf(l->arena, "there is no thread P%d",
			    thread));
		if (!token_is_register(&l->token))
			return litmus_expected(l, "a register (r0, r1, ...)");
		if (litmus_reg(l, thread, &l->token) < 0)
			return false;
		litmus_next(l);
		return true;
	}
	if (token_is_register(&t))
		return litmus_error(l, ERR_INPUT, t.loc,
		    "a register needs its thread before it (P0:r0)");
	return t.kind != TOKEN_WORD || is_keyword(&t) ||
	    litmus_var(l, &t) >= 0;
}

/* From the token on, as cond_parse() takes it: a group in parentheses, or
   up to the end. */
static bool
read_clause(struct litmus *l, bool group, enum quantifier *quant,
    const struct cond **cond, const char **text)
{
	struct token from = l->token;
	struct err err;
	int depth = 0;
	size_t n;

	if (group && !litmus_is(l, "("))
		return litmus_expected(l, "'(' and a condition");
	while (l->token.kind != TOKEN_END && !litmus_is(l, ";") &&
	    !litmus_is(l, "]") && !litmus_is(l, "with")) {
		if (l->token.kind == TOKEN_STRING)
			return litmus_expected(l, "a condition");
		depth += litmus_is(l, "(") - litmus_is(l, ")");
		if (!declare_named(l))
			return false;
		if (group && depth == 0)
			break;
	}
	n = (size_t)(l->token.s - from.s);
	while (n && isspace((unsigned char)from.s[n - 1]))
		n--;
	*text = arena_strndup(l->arena, from.s, n);
	/* slots have the sizes of their registers */
	if (!program_types(l->p, l->errs))
		return false;
	if (cond_parse(*text, from.loc, l->p, l->arena, quant, cond, &err))
		return true;
	errs_add(l->errs, &err);
	return false;
}

/* locations [x; P0:r1]: observed beside what the condition names. */
static bool
read_locations(struct litmus *l)
{
	const struct cond *cond;
	const char *text;

	litmus_next(l);
	if (!litmus_take(l, "["))
		return litmus_expected(l, "'['");
	while (!litmus_take(l, "]")) {
		if (litmus_take(l, ";"))
			continue;
		if (!read_clause(l, false, NULL, &cond, &text))
			return false;
		if (cond->op != COND_SLOT)
			return litmus_error(l, ERR_INPUT, cond->loc,
			    "expected a location or a register (P0:r0)");
		if (!litmus_is(l, ";") && !litmus_is(l, "]"))
			return litmus_expected(l, "';' or ']'");
	}
	return true;
}

static bool
read_question(struct litmus *l)
{
	struct program *p = l->p;
	const char *text;

	if (litmus_take(l, "filter") &&
	    !read_clause(l, true, NULL, &p->filter, &text))
		return false;
	if (l->token.kind == TOKEN_END || !at_condition(l) ||
	    litmus_is(l, "filter") || litmus_is(l, "locations"))
		return litmus_expected(l,
		    "a condition (exists, ~exists, forall)");
	/* the old form "final c with ..." asks what exists does */
	if (litmus_take(l, "final") ?
	    !read_clause(l, false, NULL, &p->cond, &p->cond_text) :
	    !read_clause(l, false, &p->quant, &p->cond, &p->cond_text))
		return false;
	litmus_take(l, ";");
	if (l->token.kind != TOKEN_END && !litmus_is(l, "with"))
		return litmus_expected(l, "the end of the file");
	return true;
}

/* What the condition names is observed first: the list is read last. */
static bool
read_condition(struct litmus *l)
{
	const char *s = l->s;
	struct loc loc = l->loc;
	struct token token = l->token;
	bool list = litmus_is(l, "locations");

	if (list) {
		litmus_recover(l, "]");
		litmus_take(l, "]");
	}
	if (!read_question(l))
		return false;
	if (!list)
		return true;
	l->s = s;
	l->loc = loc;
	l->token = token;
	return read_locations(l);
}

/* ---- the file --------------------------------------------------------- */

/* "PTX name", then strings that say what the test is about. */
static bool
read_header(struct litmus *l)
{
	struct program *p = l->p;
	struct text about;

	if (!litmus_is(l, "PTX") && !litmus_is(l, "ptx"))
		return litmus_expected(l, "'PTX' and the test's name");
	p->loc = l->token.loc;
	p->name = p->family = litmus_line(l);
	p->variant = "";
	if (!*p->name)
		return litmus_expected(l, "the test's name on this line");
	text_init(&about, l->arena);
	while (l->token.kind != TOKEN_END && !litmus_is(l, "{")) {
		if (l->token.kind == TOKEN_STRING)
			text_printf(&about, "%s%s", about.size ? "\n" : "",
			    text_clean(l->arena, l->token.s, l->token.n));
		litmus_next(l);
	}
	p->about = about.s;
	return true;
}

static bool
read_program(struct litmus *l)
{
	bool ok;

	if (!read_header(l))
		return false;
	ok = litmus_inits(l);
	if (l->token.kind == TOKEN_END)
		return ok && litmus_expected(l, "the row of threads");
	/* without the threads the rest means nothing */
	if (!read_threads(l))
		return false;
	ok = litmus_place_inits(l) && ok;
	ok = read_rows(l) && ok;
	return ok && read_condition(l);
}

bool
read_litmus(const struct source *source, struct arena *a,
    struct suite *suite, struct errs *errs)
{
	struct program p = {
		.dialect = DIALECT_LITMUS,
		.vars = arena_alloc(a, VARS_MAX * sizeof(*p.vars)),
		.threads = arena_alloc(a, THREADS_MAX * sizeof(*p.threads)),
		.slots = arena_alloc(a, SLOTS_MAX * sizeof(*p.slots)),
	};
	struct litmus l = {
		.arena = a, .errs = errs, .p = &p,
		.s = source->text, .end = source->text + source->size,
		.loc = {source->name, 1, 1},
	};
	size_t n = (size_t)suite->count;

	l.last_init = &l.inits;
	litmus_next(&l);
	if (!read_program(&l) || errs->count || !program_check(&p, a, errs))
		return false;
	suite->programs = arena_grow(a, suite->programs,
	    n * sizeof(p), (n + 1) * sizeof(p));
	suite->programs[suite->count++] = p;
	return true;
}

bool
read_any(const struct source *source, struct arena *a, struct suite *suite,
    struct errs *errs)
{
	const char *dot = strrchr(source->name, '.');

	return dot && strcmp(dot, ".litmus") == 0 ?
	    read_litmus(source, a, suite, errs) :
	    read_yaml(source, a, suite, errs);
}
