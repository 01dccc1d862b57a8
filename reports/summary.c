#include "reports.h"

#include <stdlib.h>
#include <string.h>

/* An allowed outcome that the test is about and that did not show. */
static bool
target_unseen(const struct doc_test *t)
{
	int i;

	for (i = 0; i < t->nrows; i++)
		if (t->rows[i].target && t->rows[i].count)
			return false;
	return t->answer == DOC_ALLOWED && t->verdict != VERDICT_NOT_RUN;
}

static void
add_rows(struct summary *s, const struct doc_test *t)
{
	bool weak = false;
	int i;

	/* what ran was not the test */
	if (t->verdict == VERDICT_NOT_RUN || t->verdict == VERDICT_COMPILER)
		return;
	for (i = 0; i < t->nrows; i++) {
		const struct doc_row *row = &t->rows[i];

		if (row->class == ROW_FORBIDDEN)
			s->forbidden_hits += row->count;
		if (row->class == ROW_WEAK)
			s->weak_hits += row->count;
		weak |= row->class == ROW_WEAK && row->count;
	}
	s->weak_tests += weak;
}

const char *
mutation_name(int placement)
{
	return placement == MUTATION_SHARED ? "in shared memory" :
	    placement_names[placement];
}

/* Shared memory decides more than how far apart the threads are. */
static int
mutation_class(const struct doc_test *t)
{
	int class = placement_class(t), i;

	for (i = 0; i < t->nlocations; i++)
		if (class > 1 && strncmp(t->locations[i], ".shared", 7) == 0)
			return MUTATION_SHARED;
	return class;
}

static void
summary_add(struct summary *s, const struct doc_test *t)
{
	const struct doc_evidence *e = t->evidence;
	struct mutation *placed = &s->mutations[mutation_class(t)];
	int i;

	s->tests++;
	s->verdicts[t->verdict]++;
	s->instances += t->instances;
	s->unseen_tests += target_unseen(t);
	s->unjudged += t->answer == DOC_NONE;
	add_rows(s, t);
	for (i = 0; e && i < e->ntwins; i++) {
		bool shown = e->twins[i].hits > 0;

		s->mutation.twins++;
		s->mutation.shown += shown;
		placed->twins++;
		placed->shown += shown;
	}
	s->no_evidence += e && e->strength == DOC_STRENGTH_NO_EVIDENCE;
}

/* Finding something outweighs finding nothing out. */
static void
add_exit(struct summary *s, int exit)
{
	if (exit == 1 || (exit > 1 && s->exit != 1))
		s->exit = exit;
}

void
summary_make(struct summary *s, const struct document *d)
{
	int i;

	*s = (struct summary){0};
	for (i = 0; i < d->ntests; i++) {
		const struct doc_test *t = &d->tests[i];

		summary_add(s, t);
		s->pardoned += t->pardon != NULL;
		add_exit(s, t->pardon ? 0 : verdicts[t->verdict].exit);
	}
	for (i = 0; i < d->nprimitives; i++) {
		int verdict = d->primitives[i].verdict;

		s->prims[verdict]++;
		add_exit(s, verdict == PRIM_BROKEN ||
		    verdict == PRIM_NOT_CAUGHT);
	}
	if (!d->complete)
		add_exit(s, 2);
	if (d->ntests + d->nprimitives == 0)
		add_exit(s, d->complete ? 4 : 2);
}

uint64_t
summary_failed(const struct summary *s)
{
	uint64_t n = s->prims[PRIM_BROKEN] + s->prims[PRIM_NOT_CAUGHT];
	int i;

	for (i = 0; i < VERDICT_COUNT; i++)
		n += verdicts[i].exit ? s->verdicts[i] : 0;
	return n - s->pardoned;
}

static json_t *
counts_json(const struct mutation *m)
{
	return json_pack("{s:I, s:I}", "twins", (json_int_t)m->twins,
	    "shown", (json_int_t)m->shown);
}

static json_t *
mutation_json(const struct summary *s)
{
	json_t *all = counts_json(&s->mutation), *list = json_array();
	int i;

	for (i = 0; i < PLACEMENTS; i++) {
		json_t *placed;

		if (!s->mutations[i].twins)
			continue;
		placed = counts_json(&s->mutations[i]);
		json_object_set_new(placed, "placement",
		    json_string(mutation_name(i)));
		json_array_append_new(list, placed);
	}
	json_object_set_new(all, "placements", list);
	return all;
}

json_t *
summary_json(const struct summary *s)
{
	json_t *by_verdict = json_object(), *all;
	int i;

	for (i = 0; i < VERDICT_COUNT; i++)
		if (s->verdicts[i])
			json_object_set_new(by_verdict, verdicts[i].name,
			    json_integer((json_int_t)s->verdicts[i]));
	all = json_pack("{s:I, s:o, s:I, s:I, s:I}", "tests",
	    (json_int_t)s->tests, "verdicts", by_verdict, "instances",
	    (json_int_t)s->instances, "forbidden_hits",
	    (json_int_t)s->forbidden_hits, "weak_hits",
	    (json_int_t)s->weak_hits);
	if (s->mutation.twins)
		json_object_set_new(all, "mutation", mutation_json(s));
	return all;
}

bool
document_summary(json_t *root, struct err *err)
{
	const json_t *tests = json_object_get(root, "tests");
	struct arena *a = arena_new();
	struct summary s = {0};
	size_t i;
	bool good = true;

	for (i = 0; good && i < json_array_size(tests); i++) {
		char *text = json_dumps(json_array_get(tests, i),
		    JSON_COMPACT);
		struct doc_test t;

		good = text ? test_read((struct span){text, strlen(text)},
		    a, &t, err) : err_set(err, ERR_INPUT, (struct loc){0},
		    "tests[%zu]: not a test", i);
		if (good)
			summary_add(&s, &t);
		free(text);
		arena_reset(a);
	}
	arena_free(a);
	if (good)
		json_object_set_new(root, "summary", summary_json(&s));
	return good;
}
