/* Environments as data: read, checked and printed. */
#include "yaml.h"

#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#define ENV_NAME_MAX 63
#define ENVS_MAX 4096

struct field {
	const char *name;
	size_t offset;
	int low, high, fallback;
	const char *names; /* spellings of low, low + 1, ... or "" */
};

static const struct field fields[] = {
#define ENV(type, field, low, high, fallback, names, help) \
	{#field, offsetof(struct env, field), low, high, fallback, names},
#include "env.def"
#undef ENV
};

#define NFIELDS (sizeof(fields) / sizeof(*fields))

static int *
at(struct env *e, const struct field *f)
{
	return (int *)(void *)((char *)e + f->offset);
}

static int
value_of(const struct env *e, const struct field *f)
{
	return *(const int *)(const void *)((const char *)e + f->offset);
}

void
env_default(struct env *e)
{
	size_t i;

	e->name = "default";
	for (i = 0; i < NFIELDS; i++)
		*at(e, &fields[i]) = fields[i].fallback;
}

/* The nth spelling, not zero-terminated; NULL if there are fewer. */
static const char *
spelling(const struct field *f, int n, size_t *size)
{
	const char *s = f->names;

	while (*s) {
		*size = strcspn(s, " ");
		if (n-- == 0)
			return s;
		s += *size;
		s += *s == ' ';
	}
	return NULL;
}

static bool
parse_name(const struct field *f, const char *value, int *out)
{
	const char *s;
	size_t size;
	int i;

	for (i = 0; (s = spelling(f, i, &size)); i++)
		if (strlen(value) == size && !memcmp(s, value, size)) {
			*out = f->low + i;
			return true;
		}
	return false;
}

static bool
bad_value(const struct field *f, const char *value, struct err *err)
{
	char list[160];
	size_t i;

	if (!*f->names)
		return err_set(err, ERR_INPUT, (struct loc){0},
		    "%s: '%.40s' is not a whole number from %d to %d",
		    f->name, value, f->low, f->high);
	snprintf(list, sizeof(list), "%s", f->names);
	for (i = 0; list[i]; i++)
		if (list[i] == ' ')
			list[i] = '|';
	return err_set(err, ERR_INPUT, (struct loc){0},
	    "%s: unknown choice '%.40s' (%s)", f->name, value, list);
}

static bool
unknown_field(const char *name, struct err *err)
{
	size_t i;

	for (i = 0; i < NFIELDS; i++)
		if (is_near(name, strlen(name), fields[i].name))
			return err_set(err, ERR_INPUT, (struct loc){0},
			    "unknown field '%.40s' of an environment (did you "
			    "mean '%s'?)", name, fields[i].name);
	return err_set(err, ERR_INPUT, (struct loc){0},
	    "unknown field '%.40s' of an environment", name);
}

bool
env_set(struct env *e, const char *name, const char *value, struct err *err)
{
	const struct field *f;
	int64_t number;
	int n;
	size_t i;

	for (i = 0; i < NFIELDS && strcmp(fields[i].name, name); i++)
		;
	if (i == NFIELDS)
		return unknown_field(name, err);
	f = &fields[i];
	if (*f->names) {
		if (!parse_name(f, value, &n))
			return bad_value(f, value, err);
	} else if (text_int(value, &number) && number >= f->low &&
	    number <= f->high) {
		n = (int)number;
	} else {
		return bad_value(f, value, err);
	}
	*at(e, f) = n;
	return true;
}

bool
env_check(const struct env *e, struct err *err)
{
	size_t i;

	for (i = 0; i < NFIELDS; i++) {
		int n = value_of(e, &fields[i]);

		if (n < fields[i].low || n > fields[i].high)
			return err_set(err, ERR_INPUT, (struct loc){0},
			    "environment %s: %s is %d, not from %d to %d",
			    e->name, fields[i].name, n, fields[i].low,
			    fields[i].high);
	}
	if (e->block % 32)
		return err_set(err, ERR_INPUT, (struct loc){0},
		    "environment %s: block is %d, not a multiple of 32",
		    e->name, e->block);
	if (e->stride % 4)
		return err_set(err, ERR_INPUT, (struct loc){0},
		    "environment %s: stride is %d, not a multiple of 4",
		    e->name, e->stride);
	return true;
}

/* A flow map of what differs from the default. */
void
env_print(struct text *t, const struct env *e)
{
	size_t i, size = 0;

	text_printf(t, "{name: %s", e->name);
	for (i = 0; i < NFIELDS; i++) {
		const struct field *f = &fields[i];
		int n = value_of(e, f);
		const char *s;

		if (n == f->fallback)
			continue;
		s = spelling(f, n - f->low, &size);
		if (s)
			text_printf(t, ", %s: %.*s", f->name, (int)size, s);
		else
			text_printf(t, ", %s: %d", f->name, n);
	}
	text_printf(t, "}");
}

/* ---- records ----------------------------------------------------------- */

static bool
read_name(const struct node *n, struct arena *a, struct env *e,
    struct errs *errs)
{
	size_t i;

	for (i = 0; i < n->size; i++)
		if (!isalnum((unsigned char)n->text[i]) &&
		    !strchr("_.+-", n->text[i]))
			return errs_say(errs, n->loc, "a name has letters, "
			    "digits and _ . + - only");
	if (n->size == 0 || n->size > ENV_NAME_MAX)
		return errs_say(errs, n->loc, "a name has 1 to %d "
		    "characters", ENV_NAME_MAX);
	e->name = arena_strdup(a, n->text);
	return true;
}

static bool
read_record(const struct node *map, struct arena *a, struct env *e,
    struct errs *errs)
{
	struct err err;
	bool ok = true;
	int i;

	env_default(e);
	if (!node_is(map, NODE_MAPPING, "an environment", errs))
		return false;
	for (i = 0; i < map->count; i++) {
		const struct node *key = &map->keys[i], *n = &map->items[i];

		if (!node_is(n, NODE_SCALAR, key->text, errs)) {
			ok = false;
		} else if (strcmp(key->text, "name") == 0) {
			ok &= read_name(n, a, e, errs);
		} else if (!env_set(e, key->text, n->text, &err)) {
			err.loc = strncmp(err.message, "unknown field", 13) ?
			    n->loc : key->loc;
			errs_add(errs, &err);
			ok = false;
		}
	}
	if (ok && !env_check(e, &err)) {
		err.loc = map->loc;
		errs_add(errs, &err);
		ok = false;
	}
	return ok;
}

/* A record, or a list of them. */
bool
env_read(const struct source *source, struct arena *a, struct env **envs,
    int *count, struct errs *errs)
{
	struct node *documents;
	const struct node *n;
	struct env *list;
	int ndocuments, i, total;
	bool ok = true;

	if (!yaml_documents(source, a, &documents, &ndocuments, errs))
		return false;
	if (ndocuments != 1)
		return errs_say(errs, (struct loc){source->name, 1, 1},
		    "expected one document with an environment or a list of "
		    "them, found %d", ndocuments);
	n = &documents[0];
	total = n->kind == NODE_SEQUENCE ? n->count : 1;
	if (total < 1 || total > ENVS_MAX)
		return errs_say(errs, n->loc, "1 to %d environments, "
		    "found %d", ENVS_MAX, total);
	list = arena_alloc(a, (size_t)total * sizeof(*list));
	for (i = 0; i < total; i++)
		ok &= read_record(n->kind == NODE_SEQUENCE ? &n->items[i] : n,
		    a, &list[i], errs);
	if (!ok)
		return false;
	*envs = list;
	*count = total;
	return true;
}
