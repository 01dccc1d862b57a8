/* Any bytes as an instruction: refused, or printed and read again as the
   same. */
#include <stdlib.h>
#include <string.h>

#include "../gen/gen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct world {
	char names[16][65];
	int count;
};

static int
reg(void *user, const char *name, size_t n, struct loc loc)
{
	struct world *w = user;
	int i;

	(void)loc;
	for (i = 0; i < w->count; i++)
		if (strlen(w->names[i]) == n &&
		    memcmp(w->names[i], name, n) == 0)
			return i;
	if (i == 16 || n > 64)
		return -1;
	memcpy(w->names[i], name, n);
	w->names[i][n] = '\0';
	return w->count++;
}

static int
var(void *user, const char *name, size_t n)
{
	(void)user;
	return n == 1 && *name == 'x' ? 0 : -1;
}

static const char *
spell_reg(void *user, int i)
{
	return ((struct world *)user)->names[i];
}

static const char *
spell_var(void *user, int i)
{
	(void)user;
	(void)i;
	return "x";
}

static const char *
spell_label(void *user, int i)
{
	(void)user;
	(void)i;
	return "L";
}

static bool
parse(const char *s, struct world *w, struct arena *a, struct insn *insn)
{
	struct symbols y = {w, reg, var, NULL,
	    OP_TEST | OP_HARNESS | OP_DIALECT};
	struct loc loc = {"f", 1, 1};
	const char *label;
	struct err err;

	return ptx_parse(&s, &loc, &y, a, insn, &label, &err);
}

static const char *
print(const struct insn *insn, struct world *w, struct arena *a)
{
	struct spelling y = {.user = w, .reg = spell_reg, .var = spell_var,
	    .label = spell_label};
	struct text t;

	text_init(&t, a);
	ptx_print(&t, insn, &y);
	text_printf(&t, ";");
	return t.s;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	const char *s = arena_strndup(a, (const char *)data, size), *once;
	struct world w = {0};
	struct insn insn;

	if (parse(s, &w, a, &insn)) {
		once = print(&insn, &w, a);
		if (!parse(once, &w, a, &insn) ||
		    strcmp(once, print(&insn, &w, a)) != 0)
			abort();
	}
	arena_free(a);
	return 0;
}
