/* A YAML document as programs: one for each variant of its test. */
#include "reader.h"

#include <string.h>

static const char *const test_keys[] = {"name", "about", "tags",
	"locations", "threads", "observe", "exists", "never", "forall",
	"filter", "expect", "variants", "matrix", NULL};

static bool
about_read(struct reader *r)
{
	const struct node *n = node_get(r->test, "about");
	size_t size;

	r->program->about = "";
	if (!n)
		return true;
	if (!node_is(n, NODE_SCALAR, "about", r->errs))
		return false;
	for (size = n->size; size && n->text[size - 1] == '\n'; size--)
		continue;
	r->program->about = arena_strndup(r->arena, n->text, size);
	return true;
}

static bool
tags_read(struct reader *r)
{
	const struct node *list = node_get(r->test, "tags");
	struct program *p = r->program;
	bool ok = true;
	int i;

	if (!list)
		return true;
	if (!node_is(list, NODE_SEQUENCE, "tags", r->errs))
		return false;
	p->tags = arena_alloc(r->arena,
	    ((size_t)list->count + 1) * sizeof(*p->tags));
	for (i = 0; i < list->count; i++) {
		if (!node_is(&list->items[i], NODE_SCALAR, "a tag", r->errs))
			return false;
		if (!name_is_good(list->items[i].text))
			ok = errs_say(r->errs, list->items[i].loc,
			    "bad tag '%.64s' (letters, digits, _ . + - @)",
			    list->items[i].text);
		p->tags[p->ntags++] = list->items[i].text;
	}
	return ok;
}

static bool
variant_read(struct reader *r)
{
	struct program *p = r->program;
	const char *suffix = r->variant->suffix;
	bool ok;

	*p = (struct program){.family = r->family};
	p->name = arena_printf(r->arena, "%s%s", r->family, suffix);
	p->variant = suffix + (*suffix == '+');
	p->loc = node_get(r->test, "name")->loc;
	if (strlen(p->name) > TEST_NAME_MAX)
		return errs_say(r->errs, p->loc,
		    "the name %.40s... is longer than %d", p->name,
		    TEST_NAME_MAX);
	ok = about_read(r);
	ok = tags_read(r) && ok;
	ok = read_locations(r) && ok;
	ok = read_threads(r) && ok;
	/* conditions speak of registers' types */
	ok = ok && program_types(p, r->errs);
	if (!ok || !read_question(r))
		return false;
	ok = read_observe(r);
	ok = read_filter(r) && ok;
	ok = read_expect(r) && ok;
	return ok && program_check(p, r->arena, r->errs);
}

/* Is the placeholder's name used, be it with another variant's text? */
static bool
name_used(const struct variants *v, const char *name)
{
	int i;

	for (i = 0; i < v->ndefinitions; i++)
		if (v->definitions[i].used &&
		    strcmp(v->definitions[i].name, name) == 0)
			return true;
	return false;
}

static bool
definitions_used(const struct variants *v, struct errs *errs)
{
	bool ok = true;
	int i;

	for (i = 0; i < v->ndefinitions; i++)
		if (!v->definitions[i].used &&
		    !name_used(v, v->definitions[i].name))
			ok = errs_say(errs, v->definitions[i].loc,
			    "placeholder '{%s}' is used nowhere",
			    v->definitions[i].name);
	return ok;
}

#define FOUND_MAX 64

/* The errors of a test's variants: one that all have is said once, one
   that few have is said with a name. */
struct found {
	struct err list[FOUND_MAX];
	const char *variant[FOUND_MAX]; /* the first that has it */
	int variants[FOUND_MAX];
	int count, dropped;
};

static void
found_add(struct found *f, const struct errs *errs, const char *variant)
{
	int i, j;

	f->dropped += errs->dropped;
	for (i = 0; i < errs->count; i++) {
		const struct err *e = &errs->list[i];

		for (j = 0; j < f->count; j++)
			if (f->list[j].loc.line == e->loc.line &&
			    f->list[j].loc.column == e->loc.column &&
			    strcmp(f->list[j].message, e->message) == 0)
				break;
		if (j == FOUND_MAX) {
			f->dropped++;
			continue;
		}
		if (j == f->count) {
			f->list[f->count++] = *e;
			f->variant[j] = variant;
			f->variants[j] = 0;
		}
		f->variants[j]++;
	}
}

static void
found_report(struct found *f, int variants, struct errs *errs)
{
	int i;

	for (i = 0; i < f->count; i++) {
		struct err *e = &f->list[i];
		size_t n = strlen(e->message);

		if (f->variants[i] < variants && !strstr(e->message,
		    f->variant[i]))
			snprintf(e->message + n, sizeof(e->message) - n,
			    " [%s%s]", f->variant[i], f->variants[i] > 1 ?
			    " and others" : "");
		errs_add(errs, e);
	}
	errs->dropped += f->dropped;
}

static bool
test_name(const struct node *test, struct errs *errs, const char **name)
{
	const struct node *n = node_get(test, "name");

	if (!n)
		return errs_say(errs, test->loc, "a test needs a name");
	if (!node_is(n, NODE_SCALAR, "name", errs))
		return false;
	if (n->size == 0 || !name_is_good(n->text))
		return errs_say(errs, n->loc,
		    "bad name '%.64s' (letters, digits, _ . + - @)", n->text);
	*name = n->text;
	return true;
}

static bool
test_read(const struct node *test, struct arena *a, struct suite *suite,
    struct errs *errs)
{
	struct found *all = arena_alloc(a, sizeof(*all));
	struct variants variants;
	const char *family = NULL;
	bool ok;
	int i;

	if (!node_is(test, NODE_MAPPING, "a test", errs))
		return false;
	ok = node_keys_known(test, test_keys, errs);
	if (!test_name(test, errs, &family) ||
	    !variants_make(test, a, &variants, errs) || !ok)
		return false;
	if (suite->count + variants.count > VARIANTS_MAX)
		return errs_say(errs, test->loc,
		    "more than %d variants in a file", VARIANTS_MAX);
	suite->programs = arena_grow(a, suite->programs,
	    (size_t)suite->count * sizeof(struct program),
	    (size_t)(suite->count + variants.count) *
	    sizeof(struct program));
	for (i = 0; i < variants.count; i++) {
		struct errs found = {0};
		struct reader r = {.test = test, .family = family,
		    .variants = &variants, .variant = &variants.list[i],
		    .program = &suite->programs[suite->count], .arena = a,
		    .errs = &found};

		if (variant_read(&r))
			suite->count++;
		else
			ok = false;
		found_add(all, &found, r.program->name);
	}
	found_report(all, variants.count, errs);
	return ok && definitions_used(&variants, errs);
}

static bool
names_unique(const struct suite *suite, struct errs *errs)
{
	bool ok = true;
	int i, j;

	for (i = 0; i < suite->count; i++)
		for (j = 0; j < i; j++)
			if (strcmp(suite->programs[i].name,
			    suite->programs[j].name) == 0)
				ok = errs_say(errs, suite->programs[i].loc,
				    "a second test of the name %s (the other "
				    "is on line %d)", suite->programs[i].name,
				    suite->programs[j].loc.line);
	return ok;
}

bool
read_yaml(const struct source *source, struct arena *a, struct suite *suite,
    struct errs *errs)
{
	struct suite read = {0};
	struct node *documents;
	struct program *all;
	int count, i, before = errs->count + errs->dropped;
	size_t size = sizeof(*all);

	if (!yaml_documents(source, a, &documents, &count, errs))
		return false;
	if (count == 0)
		return errs_say(errs, (struct loc){source->name, 0, 0},
		    "no test in the file");
	for (i = 0; i < count; i++)
		test_read(&documents[i], a, &read, errs);
	if (read.count)
		names_unique(&read, errs);
	if (errs->count + errs->dropped > before)
		return false;
	all = arena_grow(a, suite->programs, (size_t)suite->count * size,
	    (size_t)(suite->count + read.count) * size);
	memcpy(all + suite->count, read.programs, (size_t)read.count * size);
	suite->programs = all;
	suite->count += read.count;
	return true;
}
