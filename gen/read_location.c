/* The locations of a test. */
#include "reader.h"

#include <string.h>

static const char *const location_keys[] = {"init", "type", "space", "cta",
	"count", "align", "same_line", "other_line", "alias", "mbarrier", NULL};

#define ELEMENTS_MAX 1024

static bool
location_init(struct reader *r, const struct node *init, struct var *v,
    bool counted)
{
	bool ok = true;
	int i;

	if (init && init->kind == NODE_SEQUENCE) {
		if (counted && init->count != v->count)
			return errs_say(r->errs, init->loc,
			    "%d values for a count of %d", init->count,
			    v->count);
		if (init->count < 1 || init->count > ELEMENTS_MAX)
			return errs_say(r->errs, init->loc,
			    "an array has 1 to %d elements", ELEMENTS_MAX);
		v->count = init->count;
	}
	v->init = arena_alloc(r->arena, (size_t)v->count * sizeof(*v->init));
	for (i = 0; init && i < v->count; i++)
		ok = read_value(r, init->kind == NODE_SEQUENCE ?
		    &init->items[i] : init, v->type, &v->init[i]) && ok;
	return ok;
}

static bool
space_read(struct reader *r, const struct node *n, enum space *space)
{
	struct expanded x;

	if (!read_scalar(r, n, "space", &x))
		return false;
	if (strcmp(x.text, "global") == 0)
		*space = SPACE_GLOBAL;
	else if (strcmp(x.text, "shared") == 0)
		*space = SPACE_SHARED;
	else
		return errs_say(r->errs, expanded_place(&x, 0),
		    "unknown space '%.40s' (global, shared)", x.text);
	return true;
}

/* What is said of its place beside others; all names are known by now. */
static bool
location_relations(struct reader *r, const struct node *map, int self)
{
	struct var *v = &r->program->vars[self];
	const struct node *same = node_get(map, "same_line");
	const struct node *other = node_get(map, "other_line");
	const struct node *alias = node_get(map, "alias");

	if (same && other)
		return errs_say(r->errs, other->loc,
		    "same_line and other_line exclude each other");
	if (same || other)
		v->line = same ? LINE_SAME : LINE_OTHER;
	if (alias && node_get(map, "init"))
		return errs_say(r->errs, node_get(map, "init")->loc,
		    "an alias has the values of its location");
	return (!same || read_var(r, same, "same_line", self,
		    &v->near)) &&
	    (!other || read_var(r, other, "other_line", self,
		&v->near)) &&
	    (!alias || read_var(r, alias, "alias", self, &v->alias_of));
}

/* Set up before the test for so many arrivals. */
static bool
location_mbarrier(struct reader *r, const struct node *map, struct var *v)
{
	const struct node *n = node_get(map, "mbarrier");
	static const char *const others[] = {"init", "type", "count", "alias"};
	int64_t arrivals;
	size_t i;

	if (!n)
		return true;
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (node_get(map, others[i]))
			return errs_say(r->errs, node_get(map, others[i])->loc,
			    "an mbarrier is one opaque object of 64 bits");
	if (v->space != SPACE_SHARED)
		return errs_say(r->errs, n->loc,
		    "an mbarrier is in shared memory (space: shared)");
	if (!read_integer(r, n, "mbarrier", 1, MBARRIER_COUNT_MAX, &arrivals))
		return false;
	v->arrivals = (int)arrivals;
	v->type = TYPE_B64;
	v->size = 8;
	v->align = v->align < 8 ? 8 : v->align;
	return true;
}

static bool
location_map(struct reader *r, const struct node *map, struct var *v)
{
	const struct node *type = node_get(map, "type");
	const struct node *space = node_get(map, "space");
	const struct node *count = node_get(map, "count");
	const struct node *cta = node_get(map, "cta");
	int64_t n = 1;
	bool ok = node_keys_known(map, location_keys, r->errs);

	ok = (!type || read_type(r, type, &v->type)) && ok;
	ok = (!space || space_read(r, space, &v->space)) && ok;
	ok = (!count || read_integer(r, count, "count", 1, ELEMENTS_MAX, &n)) &&
	    ok;
	v->count = (int)n;
	v->size = type_size(v->type);
	v->align = v->size;
	ok = read_number(r, map, "align", 4096, &v->align) && ok;
	if (cta && v->space != SPACE_SHARED)
		return errs_say(r->errs, cta->loc,
		    "only a shared location belongs to a CTA");
	ok = read_number(r, map, "cta", 1023, &v->cta) && ok;
	ok = location_mbarrier(r, map, v) && ok;
	ok = location_init(r, node_get(map, "init"), v, count != NULL) && ok;
	if (v->arrivals)
		v->init[0] = mbarrier_word((uint64_t)v->arrivals);
	return ok;
}

static bool
location_read(struct reader *r, const struct node *key,
    const struct node *item, struct var *v)
{
	struct err err;

	*v = (struct var){.name = key->text, .loc = key->loc,
	    .type = TYPE_U32, .size = 4, .count = 1, .space = SPACE_GLOBAL,
	    .cta = -1, .align = 4, .near = -1, .alias_of = -1};
	if (!identifier_check(key->text, key->size, "location", key->loc,
	    &err))
		return errs_say(r->errs, err.loc, "%s", err.message);
	if (item->kind == NODE_MAPPING && !(item->count == 1 &&
	    item->items[0].kind == NODE_SCALAR && item->items[0].size == 0))
		return location_map(r, item, v);
	return location_init(r, item, v, false);
}

bool
read_locations(struct reader *r)
{
	const struct node *map = node_get(r->test, "locations");
	struct program *p = r->program;
	bool ok = true;
	int i;

	if (!map)
		return true;
	if (!node_is(map, NODE_MAPPING, "locations", r->errs))
		return false;
	if (map->count > VARS_MAX)
		return errs_say(r->errs, map->keys[VARS_MAX].loc,
		    "more than %d locations", VARS_MAX);
	p->vars = arena_alloc(r->arena,
	    ((size_t)map->count + 1) * sizeof(*p->vars));
	for (i = 0; i < map->count; i++)
		ok = location_read(r, &map->keys[i], &map->items[i],
		    &p->vars[i]) && ok;
	p->nvars = map->count;
	for (i = 0; i < map->count; i++)
		if (map->items[i].kind == NODE_MAPPING)
			ok = location_relations(r, &map->items[i], i) && ok;
	return ok;
}
