/* The variants of a test: named ones, and all combinations of a matrix. */
#include "reader.h"

#include <fnmatch.h>
#include <string.h>

#define AXES_MAX 8

struct axis {
	const struct node *key, *values;
};

struct maker {
	const struct node *test, *named, *matrix;
	struct axis axes[AXES_MAX];
	int naxes;
	struct arena *arena;
	struct variants *out;
	struct errs *errs;
	bool *matched; /* include and exclude entries that did something */
};

bool
name_is_good(const char *s)
{
	return strspn(s, "abcdefghijklmnopqrstuvwxyz"
			 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+@-") ==
	    strlen(s);
}

static bool
names_check(const struct node *map, struct errs *errs)
{
	bool ok = true;
	int i;

	for (i = 0; i < map->count; i++) {
		const char *name = map->keys[i].text;

		if (!name_is_good(name))
			ok = errs_say(errs, map->keys[i].loc,
			    "bad name '%.64s' (letters, digits, _ . + - @)",
			    name);
		else if (*name == '+')
			ok = errs_say(errs, map->keys[i].loc,
			    "the '+' before '%.64s' is set anyway", name + 1);
	}
	return ok;
}

/* ---- definitions -------------------------------------------------------- */

static bool
placeholder_check(const struct node *key, struct errs *errs)
{
	const char *s = key->text;

	if (*s && strspn(s, "abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") ==
	    strlen(s) && !(*s >= '0' && *s <= '9'))
		return true;
	return errs_say(errs, key->loc,
	    "bad placeholder '%.64s' (letters, digits, _)", s);
}

static bool
definition_add(struct maker *m, const struct node *key, const char *name,
    const struct node *value)
{
	struct definition *d = &m->out->definitions[m->out->ndefinitions];

	if (!node_is(value, NODE_SCALAR, "a placeholder's text", m->errs))
		return false;
	*d = (struct definition){name, key->loc, value, false};
	m->out->ndefinitions++;
	return true;
}

/* Those of one variant, or of one value of an axis. */
static bool
definitions_add(struct maker *m, const struct node *map, bool with_expect)
{
	bool ok = true;
	int i;

	for (i = 0; i < map->count; i++) {
		const struct node *key = &map->keys[i];

		if (strcmp(key->text, "expect") == 0) {
			if (!with_expect)
				ok = errs_say(m->errs, key->loc,
				    "expect stands in the test or in a "
				    "variant, not in a matrix");
			continue;
		}
		ok = placeholder_check(key, m->errs) &&
		    definition_add(m, key, key->text, &map->items[i]) && ok;
	}
	return ok;
}

static bool
is_empty(const struct node *n)
{
	return n->kind == NODE_SCALAR && n->size == 0;
}

static bool
named_definitions(struct maker *m)
{
	bool ok = names_check(m->named, m->errs);
	int i;

	if (m->named->count == 0)
		return errs_say(m->errs, m->named->loc,
		    "variants is empty");
	for (i = 0; i < m->named->count; i++)
		if (!is_empty(&m->named->items[i]))
			ok = node_is(&m->named->items[i], NODE_MAPPING,
			    "a variant", m->errs) &&
			    definitions_add(m, &m->named->items[i], true) &&
			    ok;
	return ok;
}

static bool
axis_definitions(struct maker *m, const struct axis *axis)
{
	const struct node *values = axis->values;
	bool ok = names_check(values, m->errs);
	int i;

	for (i = 0; i < values->count; i++) {
		const struct node *value = &values->items[i];

		if (value->kind == NODE_MAPPING)
			ok = definitions_add(m, value, false) && ok;
		else
			ok = definition_add(m, &values->keys[i],
			    axis->key->text, value) && ok;
	}
	return ok;
}

static bool
axes_find(struct maker *m)
{
	bool ok = true;
	int i;

	for (i = 0; i < m->matrix->count; i++) {
		const struct node *key = &m->matrix->keys[i];
		const struct node *item = &m->matrix->items[i];

		if (strcmp(key->text, "include") == 0 ||
		    strcmp(key->text, "exclude") == 0) {
			ok = node_is(item, NODE_SEQUENCE, key->text,
			    m->errs) && ok;
			continue;
		}
		if (m->naxes == AXES_MAX)
			return errs_say(m->errs, key->loc,
			    "more than %d axes", AXES_MAX);
		ok = placeholder_check(key, m->errs) &&
		    node_is(item, NODE_MAPPING, "an axis", m->errs) && ok;
		if (item->kind == NODE_MAPPING && item->count == 0)
			ok = errs_say(m->errs, item->loc,
			    "an axis without a value");
		m->axes[m->naxes++] = (struct axis){key, item};
	}
	if (m->naxes == 0)
		return errs_say(m->errs, m->matrix->loc,
		    "a matrix needs an axis");
	return ok;
}

/* ---- include and exclude ------------------------------------------------ */

/* {scope: gpu, sem: [weak, relaxed]} against the chosen values. */
static bool
entry_map_matches(const struct maker *m, const struct node *entry,
    const int *choice)
{
	int i, j, k;

	for (i = 0; i < entry->count; i++) {
		const struct node *wanted = &entry->items[i];
		bool found = false;

		for (j = 0; j < m->naxes; j++) {
			const char *value;

			if (strcmp(m->axes[j].key->text,
			    entry->keys[i].text) != 0)
				continue;
			value = m->axes[j].values->keys[choice[j]].text;
			if (wanted->kind == NODE_SCALAR)
				found = strcmp(wanted->text, value) == 0;
			for (k = 0; k < wanted->count; k++)
				found = found || strcmp(wanted->items[k].text,
				    value) == 0;
		}
		if (!found)
			return false;
	}
	return true;
}

/* Does any entry match? Marks all that do. */
static bool
entries_match(struct maker *m, const struct node *entries, bool *matched,
    const char *suffix, const int *choice)
{
	bool any = false;
	int i;

	for (i = 0; i < entries->count; i++) {
		const struct node *e = &entries->items[i];
		const char *name = suffix + (*suffix == '+');

		if (e->kind == NODE_SCALAR ?
		    fnmatch(e->text, name, 0) == 0 :
		    entry_map_matches(m, e, choice))
			any = matched[i] = true;
	}
	return any;
}

static bool
entry_value_check(struct maker *m, const struct node *axis,
    const struct node *value)
{
	int i;

	if (!node_is(value, NODE_SCALAR, "a value's name", m->errs))
		return false;
	for (i = 0; i < m->naxes; i++)
		if (strcmp(m->axes[i].key->text, axis->text) == 0) {
			if (node_get(m->axes[i].values, value->text))
				return true;
			return errs_say(m->errs, value->loc,
			    "axis '%s' has no value '%.64s'", axis->text,
			    value->text);
		}
	return errs_say(m->errs, axis->loc, "no axis '%.64s'",
	    axis->text);
}

static bool
entries_check(struct maker *m, const struct node *entries)
{
	bool ok = true;
	int i, j, k;

	for (i = 0; i < entries->count; i++) {
		const struct node *e = &entries->items[i];

		if (e->kind == NODE_SEQUENCE)
			return errs_say(m->errs, e->loc,
			    "expected a pattern or a map of axis: value");
		for (j = 0; e->kind == NODE_MAPPING && j < e->count; j++) {
			const struct node *v = &e->items[j];

			if (v->kind != NODE_SEQUENCE) {
				ok = entry_value_check(m, &e->keys[j], v) &&
				    ok;
				continue;
			}
			for (k = 0; k < v->count; k++)
				ok = entry_value_check(m, &e->keys[j],
				    &v->items[k]) && ok;
		}
	}
	return ok;
}

static bool
entries_used(struct maker *m, const struct node *entries,
    const bool *matched, const char *what)
{
	bool ok = true;
	int i;

	for (i = 0; i < entries->count; i++)
		if (!matched[i])
			ok = errs_say(m->errs, entries->items[i].loc,
			    "this %s matches no variant", what);
	return ok;
}

/* ---- making them --------------------------------------------------------- */

static struct definition *
definition_of(struct maker *m, const struct node *value)
{
	int i;

	for (i = 0; i < m->out->ndefinitions; i++)
		if (m->out->definitions[i].value == value)
			return &m->out->definitions[i];
	return NULL;
}

static bool
variant_define(struct maker *m, struct variant *v, const struct node *value,
    const char *what)
{
	struct definition *d = definition_of(m, value);
	int i;

	if (!d)
		return true; /* expect */
	for (i = 0; i < v->ndefinitions; i++)
		if (strcmp(v->definitions[i]->name, d->name) == 0)
			return errs_say(m->errs, d->loc, "placeholder "
			    "'%s' of %s is already given on line %d",
			    d->name, what, v->definitions[i]->loc.line);
	if (v->ndefinitions == DEFINITIONS_MAX)
		return errs_say(m->errs, d->loc,
		    "more than %d placeholders in one variant",
		    DEFINITIONS_MAX);
	v->definitions[v->ndefinitions++] = d;
	return true;
}

static bool
variant_define_all(struct maker *m, struct variant *v,
    const struct node *map, const char *what)
{
	bool ok = true;
	int i;

	if (map->kind == NODE_SCALAR)
		return is_empty(map) || variant_define(m, v, map, what);
	for (i = 0; i < map->count; i++)
		ok = variant_define(m, v, &map->items[i], what) && ok;
	return ok;
}

/* A value whose text is empty is a definition, too. */
static bool
variant_choose(struct maker *m, struct variant *v, const int *choice)
{
	bool ok = true;
	int i;

	for (i = 0; i < m->naxes; i++) {
		const struct node *value =
		    &m->axes[i].values->items[choice[i]];

		ok = (value->kind == NODE_SCALAR ?
		    variant_define(m, v, value, "the matrix") :
		    variant_define_all(m, v, value, "the matrix")) && ok;
	}
	return ok;
}

/* Parts are joined by '+', unless they bring a '.' or an '@'. */
static void
suffix_add(struct text *t, const char *part)
{
	if (*part)
		text_printf(t, "%s%s", *part == '@' || (*part == '.' &&
		    t->size) ? "" : "+", part);
}

static const char *
suffix_make(struct maker *m, int named, const int *choice)
{
	struct text t;
	int i;

	text_init(&t, m->arena);
	if (m->named)
		suffix_add(&t, m->named->keys[named].text);
	for (i = 0; i < m->naxes; i++)
		suffix_add(&t, m->axes[i].values->keys[choice[i]].text);
	return t.s;
}

static bool
variant_make(struct maker *m, int named, const int *choice,
    const struct node *include, const struct node *exclude)
{
	struct variant *v = &m->out->list[m->out->count];
	const char *suffix = suffix_make(m, named, choice);
	bool ok = true;

	if (include && !entries_match(m, include, m->matched, suffix, choice))
		return true;
	if (exclude && entries_match(m, exclude, m->matched +
	    (include ? include->count : 0), suffix, choice))
		return true;
	*v = (struct variant){.suffix = suffix};
	if (m->named) {
		const struct node *n = &m->named->items[named];

		ok = variant_define_all(m, v, n, "the variant");
		if (n->kind == NODE_MAPPING)
			v->expect = node_get(n, "expect");
	}
	ok = variant_choose(m, v, choice) && ok;
	m->out->count++;
	return ok;
}

/* The next combination of the axes' values, last axis fastest. */
static bool
choice_next(const struct maker *m, int *choice)
{
	int i;

	for (i = m->naxes - 1; i >= 0; i--) {
		if (++choice[i] < m->axes[i].values->count)
			return true;
		choice[i] = 0;
	}
	return false;
}

static bool
combinations_make(struct maker *m, const struct node *include,
    const struct node *exclude)
{
	int choice[AXES_MAX] = {0}, named = 0;
	int nnamed = m->named ? m->named->count : 1;
	bool ok = true;

	do {
		do
			ok = variant_make(m, named, choice, include,
			    exclude) && ok;
		while (choice_next(m, choice));
	} while (++named < nnamed);
	if (include)
		ok = entries_used(m, include, m->matched, "include") && ok;
	if (exclude)
		ok = entries_used(m, exclude, m->matched +
		    (include ? include->count : 0), "exclude") && ok;
	if (ok && m->out->count == 0)
		return errs_say(m->errs, m->matrix->loc,
		    "the matrix leaves no variant");
	return ok;
}

/* How many there are before include and exclude, and of definitions. */
static bool
sizes_find(struct maker *m, size_t *variants, size_t *definitions)
{
	int i, j;

	*variants = m->named ? (size_t)m->named->count : 1;
	*definitions = 0;
	for (i = 0; m->named && i < m->named->count; i++)
		*definitions += (size_t)m->named->items[i].count;
	for (i = 0; i < m->naxes; i++) {
		const struct node *values = m->axes[i].values;

		*variants *= (size_t)(values->count ? values->count : 1);
		if (*variants > VARIANTS_MAX)
			return errs_say(m->errs, m->axes[i].key->loc,
			    "more than %d variants", VARIANTS_MAX);
		for (j = 0; j < values->count; j++)
			*definitions += (size_t)values->items[j].count + 1;
	}
	return *variants <= VARIANTS_MAX || errs_say(m->errs,
	    m->named->loc, "more than %d variants", VARIANTS_MAX);
}

bool
variants_make(const struct node *test, struct arena *a, struct variants *v,
    struct errs *errs)
{
	struct maker m = {.test = test, .arena = a, .out = v, .errs = errs,
	    .named = node_get(test, "variants"),
	    .matrix = node_get(test, "matrix")};
	const struct node *include = NULL, *exclude = NULL;
	size_t nvariants, ndefinitions;
	bool ok = true;
	int i;

	*v = (struct variants){0};
	if ((m.named && !node_is(m.named, NODE_MAPPING, "variants", errs)) ||
	    (m.matrix && !node_is(m.matrix, NODE_MAPPING, "matrix", errs)) ||
	    (m.matrix && !axes_find(&m)) ||
	    !sizes_find(&m, &nvariants, &ndefinitions))
		return false;
	v->list = arena_alloc(a, nvariants * sizeof(*v->list));
	v->definitions = arena_alloc(a,
	    (ndefinitions + 1) * sizeof(*v->definitions));
	if (m.named)
		ok = named_definitions(&m);
	for (i = 0; i < m.naxes; i++)
		ok = axis_definitions(&m, &m.axes[i]) && ok;
	if (m.matrix) {
		include = node_get(m.matrix, "include");
		exclude = node_get(m.matrix, "exclude");
		ok = (!include || entries_check(&m, include)) && ok;
		ok = (!exclude || entries_check(&m, exclude)) && ok;
		m.matched = arena_alloc(a, 1 +
		    (size_t)(include ? include->count : 0) +
		    (size_t)(exclude ? exclude->count : 0));
	}
	return ok && combinations_make(&m, include, exclude);
}
