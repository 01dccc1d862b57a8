/* Copies of programs with some instructions changed. */
#include "edit.h"

#include <inttypes.h>
#include <string.h>

#define NAME_ROOM 150

enum scope
scope_between(const struct program *p, int a, int b)
{
	const struct thread *s = &p->threads[a], *t = &p->threads[b];

	return s->gpu != t->gpu ? SCOPE_SYS :
	    s->cta == t->cta ? SCOPE_CTA :
	    s->cluster == t->cluster ? SCOPE_CLUSTER : SCOPE_GPU;
}

void
edit_opcode(struct text *t, const struct insn *insn)
{
	enum op_class class = insn->op->class;

	text_printf(t, "%s", insn->op->mnemonic);
	if (class == CLASS_BARRIER || class == CLASS_WARP)
		return;
	if (class == CLASS_ASYNC) {
		text_printf(t, "%s", insn->reads ? ".read" : "");
		return;
	}
	if (class == CLASS_PROXY_FENCE) {
		text_printf(t, ".%s%s%s", proxy_name(insn->proxy),
		    insn->space == SPACE_GENERIC ? "" : ".",
		    insn->space == SPACE_SHARED ? "shared::cta" :
		    space_name(insn->space));
		return;
	}
	if (insn->op->id == OP_MEMBAR) {
		text_printf(t, ".%s", insn->scope == SCOPE_GPU ? "gl" :
		    scope_name(insn->scope));
		return;
	}
	text_printf(t, ".%s", sem_name(insn->sem));
	if (insn->scope != SCOPE_NONE && insn->sem != SEM_VOLATILE &&
	    class != CLASS_CLUSTER_BARRIER)
		text_printf(t, ".%s", scope_name(insn->scope));
}

static const struct edit *
find(const struct edit *edits, int count, int thread, int insn, bool insert)
{
	int i;

	for (i = 0; i < count; i++)
		if (edits[i].thread == thread && edits[i].insn == insn &&
		    (edits[i].kind == EDIT_INSERT) == insert)
			return &edits[i];
	return NULL;
}

/* moved[i]: where a branch to the old instruction i leads now. */
static void
edit_thread(struct thread *t, int thread, const struct edit *edits,
    int count, struct arena *a)
{
	int moved[INSNS_MAX + 1], i, j, n = 0;
	const struct thread old = *t;

	t->insns = arena_alloc(a, (size_t)(old.ninsns + count) *
	    sizeof(*t->insns));
	for (i = 0; i <= old.ninsns; i++) {
		const struct edit *in = find(edits, count, thread, i, true);
		const struct edit *e = find(edits, count, thread, i, false);

		/* a branch here also runs what is put before it */
		moved[i] = n;
		if (in)
			t->insns[n++] = in->to;
		if (i < old.ninsns && (!e || e->kind == EDIT_REPLACE))
			t->insns[n++] = e ? e->to : old.insns[i];
	}
	t->ninsns = n;
	for (i = 0; i < n; i++)
		for (j = 0; j < t->insns[i].nops; j++)
			if (t->insns[i].ops[j].kind == OPERAND_LABEL)
				t->insns[i].ops[j].imm =
				    moved[t->insns[i].ops[j].imm];
	t->labels = arena_alloc(a, (size_t)old.nlabels * sizeof(*t->labels));
	for (i = 0; i < old.nlabels; i++) {
		t->labels[i] = old.labels[i];
		t->labels[i].insn = moved[old.labels[i].insn];
	}
}

static void
suffix(struct text *t, const struct edit *e)
{
	text_printf(t, "+P%d.%d-%s", e->thread, e->insn,
	    e->kind == EDIT_INSERT ? "new-" : "");
	if (e->kind == EDIT_REMOVE)
		text_printf(t, "none");
	else
		edit_opcode(t, &e->to);
}

struct program *
edit_program(const struct program *p, const struct edit *edits, int count,
    struct arena *a)
{
	struct program *q = arena_alloc(a, sizeof(*q));
	struct text variant;
	int i;

	*q = *p;
	q->expect = EXPECT_NONE;
	text_init(&variant, a);
	for (i = 0; i < count; i++)
		suffix(&variant, &edits[i]);
	/* names are of a bounded length */
	if (strlen(p->name) + variant.size > NAME_ROOM)
		q->variant = arena_printf(a, "%s+%016" PRIx64, p->variant,
		    hash64(variant.s, variant.size, 0));
	else
		q->variant = arena_printf(a, "%s%s", p->variant, variant.s);
	q->name = arena_printf(a, "%s%s", p->name,
	    q->variant + strlen(p->variant));
	q->threads = arena_alloc(a, (size_t)p->nthreads *
	    sizeof(*q->threads));
	for (i = 0; i < p->nthreads; i++) {
		q->threads[i] = p->threads[i];
		edit_thread(&q->threads[i], i, edits, count, a);
	}
	return q;
}

bool
edit_finish(struct program *p, struct arena *a)
{
	struct errs errs = {0};

	return program_check(p, a, &errs);
}

const char *
edit_describe(const struct program *p, const struct edit *edits, int count,
    struct arena *a)
{
	struct text t;
	int i;

	text_init(&t, a);
	for (i = 0; i < count; i++) {
		const struct edit *e = &edits[i];
		const struct thread *th = &p->threads[e->thread];
		bool end = e->insn == th->ninsns;
		const struct insn *at = &th->insns[end ? e->insn - 1 :
		    e->insn];

		text_printf(&t, "%sP%d line %d: ", i ? "; " : "", e->thread,
		    at->loc.line);
		if (e->kind == EDIT_INSERT) {
			edit_opcode(&t, &e->to);
			text_printf(&t, " %s ", end ? "after" : "before");
			edit_opcode(&t, at);
			continue;
		}
		edit_opcode(&t, at);
		text_printf(&t, " -> ");
		if (e->kind == EDIT_REPLACE)
			edit_opcode(&t, &e->to);
		else
			text_printf(&t, "nothing");
	}
	return t.s;
}
