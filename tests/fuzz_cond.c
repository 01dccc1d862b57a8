/* Any bytes as a condition: refused, or printed and read again as the
   same, with the same value. */
#include <stdlib.h>
#include <string.h>

#include "../gen/gen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const char *s, struct program *p, struct arena *a)
{
	uint64_t values[SLOTS_MAX] = {3, 0xffffffff, 1, 0, 7};
	const struct cond *c, *d;
	struct loc loc = {"f", 1, 1};
	enum quantifier q = QUANT_EXISTS;
	struct text t, u;
	struct err err;

	if (!cond_parse(s, loc, p, a, &q, &c, &err))
		return;
	text_init(&t, a);
	text_init(&u, a);
	cond_print(&t, p, c);
	if (t.size > 4096)
		return;
	if (!cond_parse(t.s, loc, p, a, NULL, &d, &err))
		return; /* brackets may be nested deeper now */
	cond_print(&u, p, d);
	if (strcmp(t.s, u.s) != 0 ||
	    cond_eval(c, values) != cond_eval(d, values))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	struct reg regs[2] = {{.name = "r0", .type = TYPE_U32},
	    {.name = "r1", .type = TYPE_S32}};
	struct var var = {.name = "x", .type = TYPE_S16, .size = 2,
	    .count = 3};
	struct thread threads[2] = {{.regs = regs, .nregs = 2},
	    {.regs = regs, .nregs = 2}};
	struct program p = {.vars = &var, .nvars = 1, .threads = threads,
	    .nthreads = 2};

	check(arena_strndup(a, (const char *)data, size), &p, a);
	arena_free(a);
	return 0;
}
