/*
 * Is the stress in the machine code? Its accesses stand on a line of their
 * own. One that the assembler took out of its loop, or folded with it, is
 * no stress.
 */
#include "sass.h"

#include <string.h>

static const char *
words_of(enum op_class work)
{
	return work == CLASS_LOAD ? "loads" : work == CLASS_STORE ? "stores" :
	    "atomics";
}

/* Does a branch go back over the instruction? */
static bool
is_in_loop(const struct sass *s, int at)
{
	int i, j;

	for (i = at + 1; i < s->ninsns; i++) {
		const char *to = strstr(s->insns[i].text, "`(");

		if (!to || !sass_opcode_is(s->insns[i].opcode, "BRA"))
			continue;
		for (j = 0; j < s->nlabels; j++) {
			const char *name = s->labels[j].name;
			size_t n = strlen(name);

			if (s->labels[j].insn <= at &&
			    strncmp(to + 2, name, n) == 0 && to[n + 2] == ')')
				return true;
		}
	}
	return false;
}

/* Accesses of stress that do this work, and of them those in loops. */
static int
count_stress(const struct sass *s, enum op_class work, int *all)
{
	int i, n = 0;

	*all = 0;
	for (i = 0; i < s->ninsns; i++)
		if (s->insns[i].line == EMIT_LINE_STRESS &&
		    sass_does(s->insns[i].opcode, work)) {
			++*all;
			n += is_in_loop(s, i);
		}
	return n;
}

bool
sass_check_stress(const struct plan *plan, const struct sass *s,
    struct text *detail)
{
	static const struct {
		enum stress stress;
		enum op_class work;
	} parts[] = {
		{STRESS_LOAD, CLASS_LOAD}, {STRESS_STORE, CLASS_STORE},
		{STRESS_LOAD_STORE, CLASS_LOAD},
		{STRESS_LOAD_STORE, CLASS_STORE}, {STRESS_ATOMIC, CLASS_RED},
	};
	const struct env *e = &plan->env;
	enum stress stress = e->stress ? (enum stress)e->stress :
	    STRESS_LOAD_STORE;
	int wanted = (e->stress != 0) + (e->pre_stress != 0), all;
	bool good = true;
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts) && wanted; i++) {
		if (parts[i].stress != stress ||
		    count_stress(s, parts[i].work, &all) >= wanted)
			continue;
		good = false;
		text_printf(detail, "%sthe %s of the stress are %s",
		    detail->size ? "\n" : "", words_of(parts[i].work),
		    all ? "not in a loop" : "not in the machine code");
	}
	return good;
}
