/*
 * Entries of primitives: a YAML map a file, beside its kernels.
 *
 *	kernels: my.cu        # or .ptx, .cubin; built-in ones have none
 *	group: lock           # for tables
 *	shapes: [{ctas: 1x, threads: 256}, ...]
 *	bench: [{as: latency, ctas: 8, threads: 32}, ...]
 *	primitives:
 *	  - name: my_lock
 *	    about: what it guarantees
 *	    litmus: MyLock
 *	    twins:
 *	      - {name: relaxed, flaw: "...", litmus: MyLock+relaxed}
 *
 * A twin's kernels are named PRIMITIVE_TWIN.
 */
#include "primitive.h"

#include <string.h>

#include "../gen/yaml.h"

#define CTAS_MAX 65536

struct entries {
	struct arena *arena;
	struct errs *errs;
	struct primitives *list;
	struct origin *origin;
	const char *group;
	const struct node *shapes, *bench; /* of the file, or NULL */
};

static const char *const file_keys[] = {
	"kernels", "group", "shapes", "bench", "primitives", NULL,
};
static const char *const primitive_keys[] = {
	"name", "about", "litmus", "twins", "shapes", "bench", "launches",
	"alone",
	NULL,
};
static const char *const twin_keys[] = {
	"name", "flaw", "litmus", "fails", "bench", NULL,
};
static const char *const shape_keys[] = {
	"as", "ctas", "threads", "cluster", "group", "bins", "payload",
	"scope", NULL,
};

static const char *
text_of(struct entries *e, const struct node *map, const char *key,
    bool needed)
{
	const struct node *n = node_get(map, key);

	if (n && n->kind == NODE_SCALAR && n->size > 0)
		return n->text;
	if (n)
		errs_say(e->errs, n->loc, "'%s' must be text", key);
	else if (needed)
		errs_say(e->errs, map->loc, "'%s' is missing", key);
	return NULL;
}

/* Letters, digits and '_': a name is part of its kernels' names. */
static const char *
name_of(struct entries *e, const struct node *map)
{
	const char *name = text_of(e, map, "name", true);
	const struct node *n = node_get(map, "name");

	if (name && (strlen(name) > 100 || name[strspn(name,
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "0123456789_")] != '\0')) {
		errs_say(e->errs, n->loc,
		    "a name has letters, digits and '_', at most 100");
		return NULL;
	}
	return name;
}

/* ---- shapes ------------------------------------------------------------- */

static bool
number_of(struct entries *e, const struct node *map, const char *key,
    int64_t low, int64_t high, uint32_t *value)
{
	const struct node *n = node_get(map, key);
	int64_t v;

	if (!n)
		return true;
	if (n->kind != NODE_SCALAR || !node_int(n, &v) || v < low || v > high)
		return errs_say(e->errs, n->loc, "'%s' must be a number "
		    "from %lld to %lld", key, (long long)low,
		    (long long)high);
	*value = (uint32_t)v;
	return true;
}

/* 132, or 2x: two an SM. */
static bool
ctas_of(struct entries *e, const struct node *map, struct shape *s)
{
	const struct node *n = node_get(map, "ctas");
	char digits[8];
	int64_t v;

	if (!n)
		return errs_say(e->errs, map->loc, "'ctas' is missing");
	if (n->kind == NODE_SCALAR && n->size > 1 && n->size < 8 &&
	    n->text[n->size - 1] == 'x') {
		memcpy(digits, n->text, n->size - 1);
		digits[n->size - 1] = '\0';
		if (text_int(digits, &v) && v >= 1 && v <= 32) {
			s->per_sm = (uint32_t)v;
			return true;
		}
		return errs_say(e->errs, n->loc,
		    "'ctas' takes 1x to 32x, so many an SM");
	}
	return number_of(e, map, "ctas", 1, CTAS_MAX, &s->ctas);
}

static bool
shape_read(struct entries *e, const struct node *n, struct shape *s)
{
	memset(s, 0, sizeof(*s));
	s->cluster = 1;
	s->group = 4;
	s->bins = 32;
	s->threads = 32;
	if (!node_is(n, NODE_MAPPING, "a shape", e->errs) ||
	    !node_keys_known(n, shape_keys, e->errs) || !ctas_of(e, n, s) ||
	    !number_of(e, n, "threads", 32, 1024, &s->threads) ||
	    !number_of(e, n, "cluster", 1, 16, &s->cluster) ||
	    !number_of(e, n, "group", 1, 1024, &s->group) ||
	    !number_of(e, n, "bins", 1, 1024, &s->bins))
		return false;
	if (s->threads % 32 != 0)
		return errs_say(e->errs, node_get(n, "threads")->loc,
		    "'threads' must be a multiple of 32");
	s->as = node_get(n, "as") ? text_of(e, n, "as", true) : "latency";
	s->scope = text_of(e, n, "scope", false);
	s->payload = node_get(n, "payload") != NULL;
	return true;
}

static bool
shapes_read(struct entries *e, const struct node *n, struct shape *list,
    int *count)
{
	int i;

	*count = 0;
	if (!n)
		return true;
	if (!node_is(n, NODE_SEQUENCE, "shapes", e->errs))
		return false;
	if (n->count > SHAPES_MAX)
		return errs_say(e->errs, n->loc, "too many shapes");
	for (i = 0; i < n->count; i++)
		if (!shape_read(e, &n->items[i], &list[(*count)++]))
			return false;
	return true;
}

/* ---- primitives --------------------------------------------------------- */

static struct primitive *
add(struct entries *e, const struct node *n, const char *name)
{
	struct primitives *list = e->list;
	struct primitive *p;
	int i;

	for (i = 0; i < list->count; i++)
		if (strcmp(list->list[i].name, name) == 0) {
			errs_say(e->errs, n->loc,
			    "there is a primitive '%s' already", name);
			return NULL;
		}
	if (list->count == PRIMITIVES_MAX) {
		errs_say(e->errs, n->loc, "too many primitives");
		return NULL;
	}
	if (!list->list)
		list->list = arena_alloc(e->arena,
		    PRIMITIVES_MAX * sizeof(*list->list));
	p = &list->list[list->count++];
	memset(p, 0, sizeof(*p));
	p->name = name;
	p->group = e->group;
	p->origin = e->origin;
	p->loc = n->loc;
	return p;
}

static bool
fails_read(struct entries *e, const struct node *n, enum fails *fails)
{
	const struct node *f = node_get(n, "fails");

	*fails = FAILS_MAY;
	if (!f || (f->kind == NODE_SCALAR && strcmp(f->text, "may") == 0))
		return true;
	if (f->kind != NODE_SCALAR || strcmp(f->text, "must") != 0)
		return errs_say(e->errs, f->loc, "'fails' is 'may' or 'must'");
	*fails = FAILS_MUST;
	return true;
}

static bool
twin_read(struct entries *e, const struct node *n, const char *of)
{
	const struct primitive *sound = &e->list->list[e->list->count - 1];
	struct primitive *p;
	const char *name;

	while (strcmp(sound->name, of) != 0)
		sound--;
	if (!node_is(n, NODE_MAPPING, "a twin", e->errs) ||
	    !node_keys_known(n, twin_keys, e->errs) ||
	    !(name = name_of(e, n)) ||
	    !(p = add(e, n, arena_printf(e->arena, "%s_%s", of, name))))
		return false;
	p->twin_of = of;
	p->flaw = text_of(e, n, "flaw", true);
	p->litmus = text_of(e, n, "litmus", false);
	p->launches = sound->launches;
	p->alone = sound->alone;
	memcpy(p->shapes, sound->shapes, sizeof(p->shapes));
	p->nshapes = sound->nshapes;
	if (node_get(n, "bench")) {
		memcpy(p->benches, sound->benches, sizeof(p->benches));
		p->nbenches = sound->nbenches;
	}
	return p->flaw && fails_read(e, n, &p->fails);
}

static bool
primitive_entry_read(struct entries *e, const struct node *n)
{
	const struct node *own = node_get(n, "shapes"), *twins;
	struct primitive *p;
	const char *name;
	bool ok;
	int i;

	if (!node_is(n, NODE_MAPPING, "a primitive", e->errs) ||
	    !node_keys_known(n, primitive_keys, e->errs) ||
	    !(name = name_of(e, n)) || !(p = add(e, n, name)))
		return false;
	p->about = text_of(e, n, "about", true);
	p->litmus = text_of(e, n, "litmus", false);
	p->launches = node_get(n, "launches") != NULL;
	p->alone = node_get(n, "alone") != NULL;
	ok = shapes_read(e, own ? own : e->shapes, p->shapes, &p->nshapes);
	own = node_get(n, "bench");
	ok = shapes_read(e, own ? own : e->bench, p->benches, &p->nbenches) &&
	    ok;
	twins = node_get(n, "twins");
	if (twins && !node_is(twins, NODE_SEQUENCE, "'twins'", e->errs))
		return false;
	for (i = 0; twins && i < twins->count; i++)
		ok = twin_read(e, &twins->items[i], name) && ok;
	return ok && p->about;
}

/* ---- files -------------------------------------------------------------- */

/* "grid" of "grid.yaml". */
static const char *
stem_of(const char *path, struct arena *a)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 :
	    path;

	return arena_strndup(a, base, strcspn(base, "."));
}

static bool
file_read(struct entries *e, const struct node *n, const char *directory)
{
	const struct node *list;
	const char *kernels;
	bool ok = true;
	int i;

	if (!node_is(n, NODE_MAPPING, "a file of primitives", e->errs) ||
	    !node_keys_known(n, file_keys, e->errs))
		return false;
	kernels = text_of(e, n, "kernels", directory != NULL);
	if (kernels && directory)
		e->origin->path = kernels[0] == '/' ? kernels :
		    arena_printf(e->arena, "%s/%s", directory, kernels);
	e->group = text_of(e, n, "group", true);
	e->shapes = node_get(n, "shapes");
	e->bench = node_get(n, "bench");
	list = node_get(n, "primitives");
	if (!list)
		return errs_say(e->errs, n->loc, "'primitives' is missing");
	if (!node_is(list, NODE_SEQUENCE, "'primitives'", e->errs))
		return false;
	for (i = 0; i < list->count; i++)
		ok = primitive_entry_read(e, &list->items[i]) && ok;
	return ok && (kernels || !directory) && e->group;
}

bool
primitive_read(const struct source *source, const char *directory,
    struct arena *a, struct primitives *list, struct errs *errs)
{
	struct entries e = {.arena = a, .errs = errs, .list = list};
	struct node *documents;
	int count;

	e.origin = arena_alloc(a, sizeof(*e.origin));
	e.origin->stem = stem_of(source->name, a);
	e.origin->loc = (struct loc){source->name, 1, 1};
	if (!yaml_documents(source, a, &documents, &count, errs))
		return false;
	if (count != 1)
		return errs_say(errs, e.origin->loc,
		    "expected one document, not %d", count);
	return file_read(&e, &documents[0], directory);
}
