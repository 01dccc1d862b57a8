/* The .litmus reader's init section, and the names it makes. */
#include "litmus.h"

#include <string.h>

/* ---- locations, registers --------------------------------------------- */

int
litmus_var(struct litmus *l, const struct token *t)
{
	struct program *p = l->p;
	struct var *v;
	int i;

	for (i = 0; i < p->nvars; i++)
		if (token_is(t, p->vars[i].name))
			return i;
	if (p->nvars == VARS_MAX) {
		litmus_error(l, ERR_LIMIT, t->loc,
		    "too many locations (at most 32)");
		return -1;
	}
	v = &p->vars[p->nvars];
	*v = (struct var){
		.name = arena_strndup(l->arena, t->s, t->n),
		.loc = t->loc, .type = TYPE_U32, .size = 4, .count = 1,
		.init = arena_alloc(l->arena, sizeof(*v->init)),
		.space = SPACE_GLOBAL, .cta = -1, .align = 4, .near = -1,
		.alias_of = -1,
	};
	return p->nvars++;
}

#define REGS_MAX 64 /* a thread */

int
litmus_reg(struct litmus *l, int thread, const struct token *t)
{
	struct thread *th = &l->p->threads[thread];
	int *room = &l->threads[thread].nregs_room, i;

	for (i = 0; i < th->nregs; i++)
		if (token_is(t, th->regs[i].name))
			return i;
	if (th->nregs == REGS_MAX) {
		litmus_error(l, ERR_LIMIT, t->loc,
		    "too many registers in this thread (at most 64)");
		return -1;
	}
	if (th->nregs == *room) {
		*room = *room ? 2 * *room : 8;
		th->regs = arena_grow(l->arena, th->regs,
		    (size_t)th->nregs * sizeof(*th->regs),
		    (size_t)*room * sizeof(*th->regs));
	}
	th->regs[th->nregs] = (struct reg){
		.name = arena_strndup(l->arena, t->s, t->n),
		.type = TYPE_NONE, .loc = t->loc,
	};
	return th->nregs++;
}

/* ---- the init section ------------------------------------------------- */

static bool
no_address(struct litmus *l)
{
	if (litmus_is(l, "&") || l->token.kind == TOKEN_WORD)
		return litmus_error(l, ERR_UNSUPPORTED, l->token.loc,
		    "addresses as values are not supported (give a number)");
	return true;
}

static bool
init_alias(struct litmus *l, int var)
{
	static const enum proxy proxies[] = {PROXY_GENERIC, PROXY_TEXTURE,
		PROXY_SURFACE, PROXY_CONSTANT};
	struct var *v = &l->p->vars[var];
	size_t i;
	int of;

	for (i = 0; i < 4; i++)
		if (litmus_take(l, proxy_name(proxies[i])))
			break;
	if (i == 4)
		return litmus_expected(l,
		    "a proxy (generic, texture, surface, constant)");
	if (!litmus_take(l, "aliases"))
		return litmus_expected(l, "'aliases'");
	if (l->token.kind != TOKEN_WORD || token_is_register(&l->token))
		return litmus_expected(l, "a location");
	of = litmus_var(l, &l->token);
	if (of < 0)
		return false;
	/* only what stands above may be named: so there is no cycle */
	if (!l->declared[of])
		return litmus_error(l, ERR_INPUT, l->token.loc,
		    "an alias of a location that is not declared above it");
	v->alias_of = of;
	v->proxy = proxies[i];
	v->init[0] = l->p->vars[of].init[0];
	litmus_next(l);
	return true;
}

static bool
init_location(struct litmus *l, struct token name)
{
	int var = litmus_var(l, &name);
	int64_t value;

	if (var < 0)
		return false;
	if (l->declared[var])
		return litmus_error(l, ERR_INPUT, name.loc, arena_printf(
		    l->arena, "'%s' is declared twice",
		    l->p->vars[var].name));
	if (litmus_take(l, "@")) {
		if (!init_alias(l, var))
			return false;
	} else {
		if (!litmus_take(l, "="))
			return litmus_expected(l, "'=' or '@'");
		if (!no_address(l) || !litmus_value(l, &value))
			return false;
		l->p->vars[var].init[0] = (uint32_t)value;
	}
	l->declared[var] = true;
	return true;
}

static bool
init_register(struct litmus *l, struct token name)
{
	struct reg_init init = {.thread_token = name};

	if (!token_thread(&name, &init.thread))
		return litmus_error(l, ERR_INPUT, name.loc,
		    "expected a thread (P0, P1, ...) before ':'");
	if (!token_is_register(&l->token))
		return litmus_expected(l, "a register (r0, r1, ...)");
	init.reg = l->token;
	litmus_next(l);
	if (!litmus_take(l, "="))
		return litmus_expected(l, "'='");
	if (!no_address(l) || !litmus_value(l, &init.value))
		return false;
	*l->last_init = arena_alloc(l->arena, sizeof(init));
	**l->last_init = init;
	l->last_init = &(*l->last_init)->next;
	return true;
}

static bool
init_one(struct litmus *l)
{
	struct token name = l->token;

	if (name.kind != TOKEN_WORD)
		return litmus_expected(l,
		    "a location or a register, or '}'");
	litmus_next(l);
	if (litmus_take(l, ":"))
		return init_register(l, name);
	if (token_is_register(&name))
		return litmus_error(l, ERR_INPUT, name.loc,
		    "a register needs its thread before it (P0:r0)");
	return init_location(l, name);
}

bool
litmus_inits(struct litmus *l)
{
	bool ok = true;

	if (!litmus_take(l, "{"))
		return litmus_expected(l, "'{' and the initial values");
	while (!litmus_take(l, "}")) {
		if (litmus_take(l, ";"))
			continue;
		if (l->token.kind == TOKEN_END)
			return litmus_expected(l, "'}'");
		if (!init_one(l)) {
			ok = false;
			litmus_recover(l, ";}");
		} else if (!litmus_is(l, ";") && !litmus_is(l, "}")) {
			ok = litmus_expected(l, "';' or '}'");
			litmus_recover(l, ";}");
		}
	}
	litmus_take(l, ";");
	return ok;
}

bool
litmus_place_inits(struct litmus *l)
{
	const struct reg_init *init = l->inits;
	bool ok = true;
	int reg;

	for (; init; init = init->next) {
		if (init->thread >= l->p->nthreads) {
			ok = litmus_error(l, ERR_INPUT,
			    init->thread_token.loc, arena_printf(l->arena,
			    "there is no thread P%d", init->thread));
			continue;
		}
		reg = litmus_reg(l, init->thread, &init->reg);
		if (reg >= 0)
			l->p->threads[init->thread].regs[reg].init =
			    (uint32_t)init->value;
		ok = ok && reg >= 0;
	}
	return ok;
}
