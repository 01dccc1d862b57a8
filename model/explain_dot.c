/* A picture for Graphviz. */
#include "explain.h"

#include <string.h>

static void
quoted(struct text *t, const char *s)
{
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			text_append(t, "\\", 1);
		text_append(t, s, 1);
	}
}

static void
put_node(struct text *t, const struct picture *g, int i)
{
	const struct node *n = &g->nodes[i];

	text_printf(t, "    n%d [label=\"%s: ", i, n->letter);
	quoted(t, n->text);
	text_printf(t, "%s%s\"];\n", *n->note ? "\\n" : "", n->note);
}

static void
put_thread(struct text *t, const struct picture *g, int thread)
{
	const struct thread *th = &g->p->threads[thread];
	int i;

	text_printf(t, "  subgraph cluster_%d {\n    label=\"P%d  cta %d, "
	    "gpu %d\";\n", thread, thread, th->cta, th->gpu);
	for (i = 0; i < g->nnodes; i++)
		if (g->nodes[i].thread == thread)
			put_node(t, g, i);
	text_printf(t, "  }\n");
}

void
picture_dot(struct text *t, const struct picture *g)
{
	int i;

	text_printf(t, "digraph \"");
	quoted(t, g->p->name);
	text_printf(t, "\" {\n  label=\"");
	quoted(t, g->title);
	text_printf(t, "\";\n  node [shape=box, style=rounded, "
	    "fontname=\"monospace\"];\n  edge [fontname=\"sans-serif\"];\n");
	for (i = 0; i < g->nnodes; i++)
		if (g->nodes[i].thread < 0)
			put_node(t, g, i);
	for (i = 0; i < g->p->nthreads; i++)
		put_thread(t, g, i);
	for (i = 0; i < g->nlinks; i++) {
		const struct link *l = &g->links[i];
		const struct arrow_style *s = &arrow_styles[l->kind];

		/* only program order ranks the boxes */
		text_printf(t, "  n%d -> n%d [label=\"%s\", color=\"%s\", "
		    "fontcolor=\"%s\"%s%s%s];\n", l->from, l->to, s->name,
		    s->colour, s->colour, s->dashed ? ", style=dashed" : "",
		    l->marked ? ", penwidth=3" : "",
		    l->kind == ARROW_PO ? "" : ", constraint=false");
	}
	text_printf(t, "}\n");
}
