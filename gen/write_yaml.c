/* A program as YAML that the reader takes back. */
#include "gen.h"

#include <string.h>

/* In double quotes, as YAML 1.1 has them. */
static void
quoted(struct text *t, const char *s)
{
	text_printf(t, "\"");
	for (; *s; s++) {
		if (*s == '\n')
			text_printf(t, "\\n");
		else if (*s == '\t')
			text_printf(t, "\\t");
		else if (*s == '"' || *s == '\\')
			text_printf(t, "\\%c", *s);
		else
			text_append(t, s, 1);
	}
	text_printf(t, "\"");
}

static void
values_write(struct text *t, const struct var *v)
{
	int i;

	text_printf(t, "init: [");
	for (i = 0; i < v->count; i++)
		text_printf(t, "%s%lld", i ? ", " : "",
		    (long long)value_signed(v->init[i], v->type));
	text_printf(t, "]");
}

static void
var_write(struct text *t, const struct program *p, const struct var *v)
{
	text_printf(t, "  %s: {", v->name);
	if (v->arrivals) {
		text_printf(t, "mbarrier: %d", v->arrivals);
	} else {
		text_printf(t, "type: %s, count: %d, ", type_name(v->type),
		    v->count);
		if (v->alias_of >= 0)
			text_printf(t, "alias: %s", p->vars[v->alias_of].name);
		else
			values_write(t, v);
	}
	if (v->space == SPACE_SHARED)
		text_printf(t, ", space: shared, cta: %d", v->cta);
	text_printf(t, ", align: %d", v->align);
	if (v->line == LINE_SAME)
		text_printf(t, ", same_line: %s", p->vars[v->near].name);
	if (v->line == LINE_OTHER)
		text_printf(t, ", other_line: %s", p->vars[v->near].name);
	text_printf(t, "}\n");
}

static void
regs_write(struct text *t, const struct thread *thread)
{
	bool first = true;
	int i;

	for (i = 0; i < thread->nregs; i++) {
		const struct reg *r = &thread->regs[i];

		if (r->type == TYPE_PRED)
			continue;
		text_printf(t, "%s%s: {type: %s, init: %lld}",
		    first ? "    regs: {" : ", ", r->name,
		    type_name(r->type),
		    (long long)value_signed(r->init, r->type));
		first = false;
	}
	if (!first)
		text_printf(t, "}\n");
}

static void
labels_write(struct text *t, const struct thread *thread, int insn)
{
	int i;

	for (i = 0; i < thread->nlabels; i++)
		if (thread->labels[i].insn == insn)
			text_printf(t, "      %s:\n",
			    thread->labels[i].name);
}

static void
thread_write(struct text *t, const struct program *p, int index)
{
	const struct thread *thread = &p->threads[index];
	int i;

	text_printf(t, "  - gpu: %d\n    cluster: %d\n    cta: %d\n",
	    thread->gpu, thread->cluster, thread->cta);
	if (thread->warp != WARP_ANY)
		text_printf(t, "    warp: %d\n", thread->warp);
	for (i = 0; i < thread->nwarm; i++)
		text_printf(t, "%s%s%s", i ? ", " : "    warm: [",
		    p->vars[thread->warm[i]].name,
		    i + 1 == thread->nwarm ? "]\n" : "");
	regs_write(t, thread);
	if (thread->ninsns == 0 && thread->nlabels == 0) {
		text_printf(t, "    code: \"\"\n");
		return;
	}
	text_printf(t, "    code: |\n");
	for (i = 0; i <= thread->ninsns; i++) {
		labels_write(t, thread, i);
		if (i == thread->ninsns)
			break;
		text_printf(t, "      ");
		insn_print(t, p, index, &thread->insns[i]);
		text_printf(t, ";\n");
	}
}

void
program_body(struct text *t, const struct program *p)
{
	int i;

	text_printf(t, "locations:%s\n", p->nvars ? "" : " {}");
	for (i = 0; i < p->nvars; i++)
		var_write(t, p, &p->vars[i]);
	text_printf(t, "threads:\n");
	for (i = 0; i < p->nthreads; i++)
		thread_write(t, p, i);
	text_printf(t, "%s: ", quantifier_name(p->quant));
	text_printf(t, "\"");
	cond_print(t, p, p->cond);
	text_printf(t, "\"\n");
	for (i = 0; i < p->nslots; i++)
		text_printf(t, "%s\"%s\"%s", i ? ", " : "observe: [",
		    p->slots[i].name, i + 1 == p->nslots ? "]\n" : "");
	if (p->filter) {
		text_printf(t, "filter: \"");
		cond_print(t, p, p->filter);
		text_printf(t, "\"\n");
	}
}

void
write_yaml(struct text *t, const struct program *p)
{
	int i;

	text_printf(t, "name: ");
	quoted(t, p->name);
	if (p->about && *p->about) {
		text_printf(t, "\nabout: ");
		quoted(t, p->about);
	}
	for (i = 0; i < p->ntags; i++)
		text_printf(t, "%s%s%s", i ? ", " : "\ntags: [", p->tags[i],
		    i + 1 == p->ntags ? "]" : "");
	text_printf(t, "\n");
	program_body(t, p);
	if (p->expect != EXPECT_NONE)
		text_printf(t, "expect: %s\n", expect_name(p->expect));
}
