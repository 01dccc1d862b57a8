#include "help_schema.h"

#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check {
	const json_t *root;
	char *why;
	size_t size;
	char path[256];
};

static bool check(struct check *c, const json_t *schema, const json_t *v);

static bool
wrong(struct check *c, const char *what)
{
	snprintf(c->why, c->size, "%s: %s", c->path, what);
	return false;
}

static bool
is_type(const json_t *v, const char *type)
{
	static const struct { const char *name; int type; } types[] = {
		{"object", JSON_OBJECT}, {"array", JSON_ARRAY},
		{"string", JSON_STRING}, {"integer", JSON_INTEGER},
		{"number", JSON_INTEGER}, {"number", JSON_REAL},
		{"boolean", JSON_TRUE}, {"boolean", JSON_FALSE},
		{"null", JSON_NULL},
	};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strcmp(types[i].name, type) == 0 &&
		    (int)json_typeof(v) == types[i].type)
			return true;
	return false;
}

static bool
check_type(struct check *c, const json_t *arg, const json_t *schema,
    const json_t *v)
{
	size_t i;

	(void)schema;
	if (json_is_string(arg))
		return is_type(v, json_string_value(arg)) ||
		    wrong(c, json_string_value(arg));
	for (i = 0; i < json_array_size(arg); i++)
		if (is_type(v, json_string_value(json_array_get(arg, i))))
			return true;
	return wrong(c, "type");
}

static bool
check_enum(struct check *c, const json_t *arg, const json_t *schema,
    const json_t *v)
{
	size_t i;

	(void)schema;
	for (i = 0; i < json_array_size(arg); i++)
		if (json_equal(json_array_get(arg, i), v))
			return true;
	return wrong(c, "not one of the enum");
}

static bool
check_const(struct check *c, const json_t *arg, const json_t *schema,
    const json_t *v)
{
	(void)schema;
	return json_equal(arg, v) || wrong(c, "not the const");
}

static bool
check_required(struct check *c, const json_t *arg, const json_t *schema,
    const json_t *v)
{
	char what[128];
	size_t i;

	(void)schema;
	for (i = 0; json_is_object(v) && i < json_array_size(arg); i++) {
		const char *key = json_string_value(json_array_get(arg, i));

		snprintf(what, sizeof(what), "needs '%s'", key);
		if (!json_object_get(v, key))
			return wrong(c, what);
	}
	return true;
}

/* Checks v at a step further down the path. */
static bool
check_at(struct check *c, const json_t *schema, const json_t *v,
    const char *step)
{
	size_t n = strlen(c->path);
	bool good;

	snprintf(c->path + n, sizeof(c->path) - n, ".%s", step);
	good = check(c, schema, v);
	if (good)
		c->path[n] = '\0';
	return good;
}

static bool
check_properties(struct check *c, const json_t *arg, const json_t *schema,
    const json_t *v)
{
	const json_t *others = json_object_get(schema,
	    "additionalProperties");
	const char *key;
	json_t *value;

	if (!json_is_object(v))
		return true;
	json_object_foreach((json_t *)(size_t)v, key, value) {
		const json_t *sub = json_object_get(arg, key);

		if (!sub && json_is_false(others))
			return wrong(c, key);
		if (!sub && json_is_object(others))
			sub = others;
		if (sub && !check_at(c, sub, value, key))
			return false;
	}
	return true;
}

static bool
check_others(struct check *c, const json_t *arg, const json_t *schema,
    const json_t *v)
{
	(void)arg; /* check_properties() asks for it */
	return json_object_get(schema, "properties") ||
	    check_properties(c, NULL, schema, v);
}

static bool
check_items(struct check *c, const json_t *arg, const json_t *schema,
    const json_t *v)
{
	char step[24];
	size_t i;

	(void)schema;
	for (i = 0; i < json_array_size(v); i++) {
		snprintf(step, sizeof(step), "%zu", i);
		if (!check_at(c, arg, json_array_get(v, i), step))
			return false;
	}
	return true;
}

static bool
check_pattern(struct check *c, const json_t *arg, const json_t *schema,
    const json_t *v)
{
	regex_t regex;
	int no;

	(void)schema;
	if (!json_is_string(v))
		return true;
	if (regcomp(&regex, json_string_value(arg), REG_EXTENDED) != 0)
		return wrong(c, "a pattern that is none");
	no = regexec(&regex, json_string_value(v), 0, NULL, 0);
	regfree(&regex);
	return !no || wrong(c, json_string_value(arg));
}

static bool
check_minimum(struct check *c, const json_t *arg, const json_t *schema,
    const json_t *v)
{
	(void)schema;
	return !json_is_number(v) || json_number_value(v) >=
	    json_number_value(arg) || wrong(c, "below the minimum");
}

static bool
check_maximum(struct check *c, const json_t *arg, const json_t *schema,
    const json_t *v)
{
	(void)schema;
	return !json_is_number(v) || json_number_value(v) <=
	    json_number_value(arg) || wrong(c, "above the maximum");
}

static bool
check_ref(struct check *c, const json_t *arg, const json_t *schema,
    const json_t *v)
{
	const char *ref = json_string_value(arg);
	const json_t *defs = json_object_get(c->root, "$defs");

	(void)schema;
	if (strncmp(ref, "#/$defs/", 8) != 0 ||
	    !json_object_get(defs, ref + 8))
		return wrong(c, "a $ref to nothing");
	return check(c, json_object_get(defs, ref + 8), v);
}

static bool
check_nothing(struct check *c, const json_t *arg, const json_t *schema,
    const json_t *v)
{
	(void)c;
	(void)arg;
	(void)schema;
	(void)v;
	return true;
}

static const struct keyword {
	const char *name;
	bool (*check)(struct check *c, const json_t *arg,
	    const json_t *schema, const json_t *v);
} keywords[] = {
	{"type", check_type}, {"enum", check_enum}, {"const", check_const},
	{"required", check_required}, {"properties", check_properties},
	{"additionalProperties", check_others}, {"items", check_items},
	{"pattern", check_pattern}, {"minimum", check_minimum},
	{"maximum", check_maximum}, {"$ref", check_ref},
	{"description", check_nothing}, {"title", check_nothing},
	{"$schema", check_nothing}, {"$defs", check_nothing},
};

#define NKEYWORDS (sizeof(keywords) / sizeof(*keywords))

static bool
check(struct check *c, const json_t *schema, const json_t *v)
{
	const char *key;
	json_t *arg;
	size_t i;

	json_object_foreach((json_t *)(size_t)schema, key, arg) {
		for (i = 0; i < NKEYWORDS; i++)
			if (strcmp(keywords[i].name, key) == 0)
				break;
		if (i == NKEYWORDS)
			return wrong(c, "an unknown keyword in the schema");
		if (!keywords[i].check(c, arg, schema, v))
			return false;
	}
	return true;
}

bool
schema_check(const json_t *schema, const json_t *value, char *why,
    size_t size)
{
	struct check c = {.root = schema, .why = why, .size = size};

	return check(&c, schema, value);
}

json_t *
schema_results(void)
{
	const char *path = getenv("FENCEPOST_SCHEMA");
	json_error_t e;
	json_t *schema = json_load_file(path ? path :
	    "reports/results.schema.json", JSON_REJECT_DUPLICATES, &e);

	if (!schema) {
		fprintf(stderr, "schema: %s:%d: %s\n", e.source, e.line,
		    e.text);
		abort();
	}
	return schema;
}
