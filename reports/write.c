#include "reports.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void
put_value(FILE *f, const char *key, json_t *value)
{
	fprintf(f, " \"%s\": ", key);
	json_dumpf(value, f, JSON_ENCODE_ANY | JSON_COMPACT);
	json_decref(value);
	fputs(",\n", f);
}

static json_t *
strings(const char **list, int n)
{
	json_t *all = json_array();
	int i;

	for (i = 0; i < n; i++)
		json_array_append_new(all, json_string(list[i]));
	return all;
}

static json_t *
shard_json(const struct doc_shard *s)
{
	json_t *o = json_pack("{s:I, s:I, s:I}", "index",
	    (json_int_t)s->index, "count", (json_int_t)s->count, "selected",
	    (json_int_t)s->selected);

	if (s->suite_hash)
		json_object_set_new(o, "suite_hash",
		    json_sprintf("%016" PRIx64, s->suite_hash));
	return o;
}

static void
put_head(FILE *f, const struct document *d)
{
	put_value(f, "format", json_string(d->format));
	put_value(f, "version", json_integer((json_int_t)d->version));
	put_value(f, "tool", json_pack("{s:s, s:s}", "name", d->tool->name,
	    "version", d->tool->version));
	put_value(f, "command", strings(d->command, d->ncommand));
	put_value(f, "seed", json_sprintf("%016" PRIx64, d->seed));
	put_value(f, "started", json_string(d->started));
	if (!isnan(d->wall_seconds))
		put_value(f, "wall_seconds", json_real(d->wall_seconds));
	put_value(f, "hardware", json_boolean(d->hardware));
	put_value(f, "complete", json_boolean(d->complete));
	put_value(f, "shard", shard_json(d->shard));
	put_value(f, "model", json_string(doc_models[d->model]));
	if (d->level)
		put_value(f, "level", json_integer((json_int_t)d->level));
	if (d->nnotes)
		put_value(f, "notes", strings(d->notes, d->nnotes));
}

/* The spans of n structs of a size, each `at` bytes into its own. */
static void
put_spans(FILE *f, const char *key, const void *list, int n, size_t size,
    size_t at)
{
	int i;

	fprintf(f, " \"%s\": [", key);
	for (i = 0; i < n; i++) {
		const struct span *s = (const struct span *)(const void *)
		    ((const char *)list + (size_t)i * size + at);

		fputs(i ? ",\n  " : "\n  ", f);
		fwrite(s->s, 1, s->size, f);
	}
	fputs(n ? "\n ],\n" : "],\n", f);
}

void
document_write(FILE *f, const struct document *d, bool lists)
{
	struct summary s;
	json_t *summary;

	fputs("{\n", f);
	put_head(f, d);
	put_spans(f, "devices", d->devices, lists ? d->ndevices : 0,
	    sizeof(struct doc_device), offsetof(struct doc_device, span));
	put_spans(f, "tests", d->tests, lists ? d->ntests : 0,
	    sizeof(struct doc_test), offsetof(struct doc_test, span));
	put_spans(f, "primitives", d->primitives, lists ? d->nprimitives : 0,
	    sizeof(struct doc_primitive),
	    offsetof(struct doc_primitive, span));
	if (d->nclaims || !lists)
		put_spans(f, "claims", d->claims, lists ? d->nclaims : 0,
		    sizeof(struct doc_claim),
		    offsetof(struct doc_claim, span));
	summary_make(&s, d);
	summary = summary_json(&s);
	fputs(" \"summary\": ", f);
	json_dumpf(summary, f, JSON_COMPACT);
	json_decref(summary);
	fputs("\n}\n", f);
}

bool
span_move(struct span span, uint64_t device, struct arena *a,
    struct span *moved, struct err *err)
{
	json_error_t e;
	json_t *o = json_loadb(span.s, span.size, 0, &e);
	char *text;

	if (!o)
		return err_set(err, ERR_INPUT, (struct loc){0}, "%s",
		    e.text);
	json_object_set_new(o, "device", json_integer((json_int_t)device));
	text = json_dumps(o, JSON_INDENT(1));
	json_decref(o);
	moved->s = arena_strdup(a, text);
	moved->size = strlen(text);
	free(text);
	return true;
}

uint64_t
suite_hash(const struct document *d)
{
	struct arena *a = arena_new();
	struct text t;
	uint64_t hash;
	int i;

	text_init(&t, a);
	for (i = 0; i < d->ntests; i++)
		if (i == 0 || strcmp(d->by_name[i - 1]->name,
		    d->by_name[i]->name) != 0)
			text_printf(&t, "%s %016" PRIx64 "\n",
			    d->by_name[i]->name, d->by_name[i]->source_hash);
	hash = hash64(t.s, t.size, 0);
	arena_free(a);
	return hash;
}
