/* documents: read, checked, refused */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../reports/json.h"
#include "help_sample.h"
#include "help_schema.h"

static const struct sample samples[] = {
	{.seed = 1, .tests = 200, .primitives = 20, .forbidden = 3},
	{.seed = 2, .tests = 50, .sim = true},
	{.seed = 3, .tests = 60, .gpus = 3, .primitives = 5},
	{.seed = 4, .tests = 40, .hostile = true, .primitives = 10,
	    .forbidden = 2},
	{.seed = 5, .tests = 0},
	{.seed = 6, .tests = 100, .shard = 2, .shards = 4},
};

#define NSAMPLES (sizeof(samples) / sizeof(*samples))

START_TEST(sample_fits_the_schema)
{
	json_t *schema = schema_results(), *root = sample_json(&samples[_i]);
	char why[256];

	ck_assert_msg(schema_check(schema, root, why, sizeof(why)), "%s",
	    why);
	json_decref(root);
	json_decref(schema);
}
END_TEST

START_TEST(sample_reads_as_it_was_written)
{
	struct arena *a = arena_new();
	json_t *root = sample_json(&samples[_i]), *test;
	struct document d = sample_document(&samples[_i], a);
	size_t i;

	ck_assert_int_eq(d.ntests, (int)json_array_size(
	    json_object_get(root, "tests")));
	json_array_foreach(json_object_get(root, "tests"), i, test) {
		const struct doc_test *t = &d.tests[i];
		json_t *again = json_loadb(t->span.s, t->span.size, 0, NULL);

		ck_assert_str_eq(t->name, json_string_value(
		    json_object_get(test, "name")));
		ck_assert_uint_eq(t->instances, (uint64_t)json_integer_value(
		    json_object_get(test, "instances")));
		ck_assert_int_eq(t->nrows, (int)json_array_size(
		    json_object_get(test, "histogram")));
		ck_assert(json_equal(test, again));
		json_decref(again);
	}
	json_decref(root);
	arena_free(a);
}
END_TEST

/* ---- the tables and the schema say the same ---------------------------- */

static bool
fits_kind(const struct field *f, const json_t *schema, const json_t *defs)
{
	const char *ref = json_string_value(json_object_get(schema, "$ref"));
	const json_t *type;
	const char *name;

	if (ref && strcmp(ref, "#/$defs/hex64") == 0)
		return f->kind == FIELD_HEX64;
	if (ref)
		schema = json_object_get(defs, ref + 8);
	type = json_object_get(schema, "type");
	if (json_object_get(schema, "enum"))
		return f->kind == FIELD_ENUM || f->kind == FIELD_STRING;
	if (json_object_get(schema, "const"))
		return f->kind == FIELD_STRING || f->kind == FIELD_INT;
	name = json_string_value(json_is_array(type) ?
	    json_array_get(type, 0) : type);
	switch (*name) {
	case 's':
		return f->kind == FIELD_STRING;
	case 'i':
		return f->kind == (json_object_get(schema, "minimum") &&
		    json_integer_value(json_object_get(schema, "minimum")) ==
		    0 ? FIELD_COUNT : FIELD_INT);
	case 'n':
		return f->kind == FIELD_NUMBER;
	case 'b':
		return f->kind == FIELD_BOOL || f->kind == FIELD_MAYBE;
	case 'o':
		return f->kind == FIELD_OBJECT || f->kind == FIELD_RAW ||
		    f->kind == FIELD_SKIP;
	}
	return f->kind == FIELD_OBJECTS || f->kind == FIELD_STRINGS ||
	    f->kind == FIELD_INTS;
}

static bool
requires(const json_t *schema, const char *name)
{
	size_t i;
	json_t *key;

	json_array_foreach(json_object_get(schema, "required"), i, key)
		if (strcmp(json_string_value(key), name) == 0)
			return true;
	return false;
}

static bool
nullable(const json_t *property)
{
	const json_t *type = json_object_get(property, "type");
	size_t i;
	json_t *name;

	json_array_foreach(type, i, name)
		if (strcmp(json_string_value(name), "null") == 0)
			return true;
	return false;
}

static void
compare_enums(const struct field *f, const json_t *property)
{
	const json_t *list = json_object_get(property, "enum");
	size_t i, n = 0;
	json_t *value;

	if (f->kind != FIELD_ENUM)
		return;
	while (f->names[n])
		n++;
	/* an unseen state is allowed, so that `forbidden` is not among its
	   classes */
	ck_assert_uint_eq(n, json_array_size(list) +
	    (f->names == row_classes && json_array_size(list) == 3));
	json_array_foreach(list, i, value) {
		for (n = 0; f->names[n]; n++)
			if (strcmp(f->names[n], json_string_value(value)) ==
			    0)
				break;
		ck_assert_ptr_nonnull(f->names[n]);
	}
}

static void
compare_shapes(const struct shape *shape, const json_t *schema,
    const json_t *defs)
{
	const char *ref = json_string_value(json_object_get(schema, "$ref"));
	const json_t *properties;
	int i;

	if (ref)
		schema = json_object_get(defs, ref + 8);
	properties = json_object_get(schema, "properties");
	ck_assert_int_le(shape->count, FIELDS_MAX);
	ck_assert_int_eq(shape->count, (int)json_object_size(properties));
	ck_assert_int_eq(shape->closed, json_is_false(json_object_get(schema,
	    "additionalProperties")));
	for (i = 0; i < shape->count; i++) {
		const struct field *f = &shape->fields[i];
		const json_t *p = json_object_get(properties, f->name);

		ck_assert_msg(p, "%s.%s", shape->name, f->name);
		ck_assert_msg(fits_kind(f, p, defs), "%s.%s", shape->name,
		    f->name);
		ck_assert_msg(!(f->flags & FIELD_REQUIRED) ==
		    !requires(schema, f->name), "%s.%s", shape->name,
		    f->name);
		ck_assert_msg(!(f->flags & FIELD_NULLABLE) == !nullable(p),
		    "%s.%s", shape->name, f->name);
		compare_enums(f, p);
		if (f->kind == FIELD_OBJECT)
			compare_shapes(f->shape, p, defs);
		if (f->kind == FIELD_OBJECTS)
			compare_shapes(f->shape, json_object_get(p, "items"),
			    defs);
	}
}

START_TEST(tables_and_schema_agree)
{
	json_t *schema = schema_results();

	compare_shapes(&document_shape, schema, json_object_get(schema,
	    "$defs"));
	json_decref(schema);
}
END_TEST

/* ---- what is refused --------------------------------------------------- */

#define HEAD "{\"format\": \"fencepost-results\", \"version\": 1, " \
	"\"tool\": {\"name\": \"fencepost\", \"version\": \"1\"}, " \
	"\"command\": [], \"seed\": \"0123456789abcdef\", " \
	"\"started\": \"2026-01-31T12:00:00Z\", \"hardware\": true, " \
	"\"complete\": true, \"shard\": {\"index\": 1, \"count\": 1, " \
	"\"selected\": 0}, \"model\": \"ptx\", \"primitives\": [], " \
	"\"summary\": {}"
#define DEVICES ",\n\"devices\": [{\"index\": 0, \"kind\": \"cuda\", " \
	"\"name\": \"g\", \"uuid\": \"u\", \"sm\": 90, \"driver\": \"1\", " \
	"\"toolkit\": \"\"}]"
#define TEST(name, device, rows, instances) "{\"name\": \"" name "\", " \
	"\"family\": \"f\", \"file\": \"f\", \"line\": 1, \"source_hash\": " \
	"\"0123456789abcdef\", \"device\": " device ", \"verdict\": " \
	"\"pass\", \"expect\": \"none\", \"answer\": \"allowed\", " \
	"\"quantifier\": \"exists\", \"condition\": \"\", \"slots\": " \
	"[\"a\"], \"launches\": 1, \"seconds\": 1.0, \"other\": 0, " \
	"\"hang\": 0, \"histogram\": [" rows "], \"instances\": " instances "}"
#define ROW(values, count) "{\"values\": [" values "], \"count\": " count \
	", \"class\": \"sc\", \"target\": false}"

static const struct {
	const char *text, *message; /* "line:column: message" */
} refused[] = {
	{"", "1:1: the text ends where a results document is expected"},
	{"[]", "1:1: expected a results document, found '['"},
	{"{", "1:2: the text ends where a key is expected"},
	{"{}", "1:1: a results document needs 'format'"},
	{"{\"format\" 1}", "1:11: expected ':', found '1'"},
	{"{\"format\": 1}", "1:12: format: expected a string, found '1'"},
	{"{\"format\": \"a\",}", "1:16: format: expected a key, found '}'"},
	{"{\"format\": \"a\" \"b\"}",
	    "1:16: format: expected ',' or '}', found '\"'"},
	{"{\"what\": 1}", "1:2: a results document has no 'what'"},
	{"{\"format\": \"a\", \"format\": \"b\"}", "1:17: format: given twice"},
	{"{\"format\": \"a", "1:12: format: a string without an end"},
	{"{\"format\": \"a\\", "1:12: format: a string without an end"},
	{"{\"format\": \"\n\"}",
	    "1:13: format: control character 0x0a in a string"},
	{"{\"format\": \"\\q\"}", "1:13: format: unknown escape in a string"},
	{"{\"format\": \"\\u12g4\"}",
	    "1:17: format: expected four hexadecimal digits after \\u"},
	{"{\"format\": \"\\u0000\"}",
	    "1:13: format: a zero character in a string"},
	{"{\"format\": \"\\ud800x\"}",
	    "1:13: format: half of a surrogate pair"},
	{"{\"format\": \"\\udc00\"}", "1:13: format: half of a surrogate pair"},
	{"{\"format\": \"\\ud800\\u0041\"}",
	    "1:13: format: half of a surrogate pair"},
	{"{\"format\": \"a\xff\"}", "1:14: format: invalid UTF-8 (byte 0xff)"},
	{"{\"format\": \"\xc0\xaf\"}",
	    "1:13: format: invalid UTF-8 (byte 0xc0)"},
	{"{\"format\": \"\xed\xa0\x80\"}",
	    "1:13: format: invalid UTF-8 (byte 0xed)"},
	{"{\"format\": \"\xf4\x90\x80\x80\"}",
	    "1:13: format: invalid UTF-8 (byte 0xf4)"},
	{"{\"version\": 1.5}", "1:13: version: expected a whole number"},
	{"{\"version\": 01}", "1:13: version: expected a number, found '0'"},
	{"{\"version\": 1.}", "1:13: version: a number ends in '.'"},
	{"{\"version\": 1e}", "1:13: version: an exponent without digits"},
	{"{\"version\": -}", "1:13: version: expected a number, found '-'"},
	{"{\"version\": 99999999999999999999}",
	    "1:13: version: a number beyond 64 bits"},
	{"{\"wall_seconds\": 1e999}",
	    "1:18: wall_seconds: a number too large"},
	{"{\"seed\": \"xyz\"}",
	    "1:10: seed: expected 16 lower-case hexadecimal digits"},
	{"{\"hardware\": 1}",
	    "1:14: hardware: expected true or false, found '1'"},
	{"{\"model\": \"x86\"}",
	    "1:11: model: 'x86' is not one of ptx-6.0, ptx-7.5, ptx"},
	{"{\"tests\": [1]}", "1:12: tests[0]: expected a test, found '1'"},
	{"{\"tests\": [{}]}", "1:12: tests[0]: a test needs 'name'"},
	{"{\"tests\": {}}", "1:11: tests: expected a list, found '{'"},
	{"{\"notes\": [\"a\" 1]}",
	    "1:16: notes[0]: expected ',' or ']', found '1'"},
	{"{\"tests\": [{\"device\": -1}]}",
	    "1:23: tests[0].device: expected a number of 0 or more"},
	{"{\"summary\": [1, 2, {\"a\": tru}]}",
	    "1:26: summary[2].a: expected a value, found 't'"},
	{"{\"summary\": [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]}",
	    "1:28: summary[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]: "
	    "nested deeper than 16 levels"},
	{"{} {}", "1:1: a results document needs 'format'"},
	{HEAD DEVICES ", \"tests\": []} x", "2:123: expected the end, found "
	    "'x'"},
	{HEAD ", \"devices\": [], \"tests\": [" TEST("t", "0", "", "0")
	    "]}", "1:332: tests[0]: t: device 0 is none of 0"},
	{HEAD DEVICES ",\n\"tests\": [\n" TEST("t", "0", ROW("1", "5"), "6")
	    "]}", "4:1: tests[0]: t: the bins add up to 5, but 6 instances "
	    "ran"},
	{HEAD DEVICES ",\n\"tests\": [\n" TEST("t", "0",
	    ROW("1", "9223372036854775807") ","
	    ROW("2", "9223372036854775807") "," ROW("3", "5"), "3") "]}",
	    "4:1: tests[0]: t: the bins add up to 3, but 3 instances ran"},
	{HEAD DEVICES ",\n\"tests\": [\n" TEST("t", "0", ROW("1, 2", "5"),
	    "5") "]}",
	    "4:1: tests[0]: t: histogram[0] has 2 values for 1 slots"},
	{HEAD DEVICES ",\n\"tests\": [\n" TEST("t", "0", "", "0") ",\n"
	    TEST("u", "0", "", "0") ",\n" TEST("t", "0", "", "0") "]}",
	    "6:1: tests[2]: t is there twice for one device"},
};

START_TEST(bad_documents_are_refused)
{
	struct arena *a = arena_new();
	struct source source = {"d", refused[_i].text,
	    strlen(refused[_i].text)};
	struct document d = {.ref = "untouched"};
	struct err err;

	ck_assert(!document_read(&source, a, &d, &err));
	ck_assert_str_eq(arena_printf(a, "%d:%d: %s", err.loc.line,
	    err.loc.column, err.message), refused[_i].message);
	ck_assert_str_eq(d.ref, "untouched");
	arena_free(a);
}
END_TEST

static const struct {
	const char *from, *to, *message;
} spoiled[] = {
	{"fencepost-results", "fencepost-result",
	    "format 'fencepost-result' is not fencepost-results"},
	{"\"version\": 1,", "\"version\": 2,", "version 2 of results "
	    "documents; this program reads version 1"},
	{"2026-01-31T12:00:00Z", "yesterday", "started 'yesterday' is not a "
	    "time such as 2026-01-31T12:00:00Z"},
	{"\"index\": 1,\n", "\"index\": 7,\n", "shard 7 of 1 is none"},
	{"\"hardware\": true", "\"hardware\": false",
	    "hardware is false, but devices[0] is of kind cuda"},
	{"\"from\": 0", "\"from\": 77", NULL},
	{"\"thread\": 1", "\"thread\": 9", NULL},
};

START_TEST(spoiled_heads_are_refused)
{
	struct arena *a = arena_new();
	struct source s = sample_source(&(struct sample){.seed = 1,
	    .tests = 12}, a);
	const char *at = strstr(s.text, spoiled[_i].from);
	struct document d;
	struct err err;
	struct text t;

	ck_assert_ptr_nonnull(at);
	text_init(&t, a);
	text_append(&t, s.text, (size_t)(at - s.text));
	text_printf(&t, "%s", spoiled[_i].to);
	text_printf(&t, "%s", at + strlen(spoiled[_i].from));
	s.text = t.s;
	s.size = t.size;
	ck_assert(!document_read(&s, a, &d, &err));
	if (spoiled[_i].message)
		ck_assert_str_eq(err.message, spoiled[_i].message);
	arena_free(a);
}
END_TEST

/*
 * Our reader and jansson take the same texts for JSON: spoil a document in
 * one to three places, and ask both. Numbers are read by neither.
 */
START_TEST(spoiled_texts_are_judged_as_by_jansson)
{
	static const char bytes[] = "{}[]\",:\\ue1-.tfn \n\x01\xff\xc3";
	static const struct shape nothing = {"anything", 1, NULL, 0, false,
	    false, 0};
	struct arena *a = arena_new();
	struct source s = sample_source(&(struct sample){.seed = 1,
	    .tests = 2}, a);
	struct draw draw = {7, (uint64_t)_i, 0};
	int round, k, accepted = 0;

	for (round = 0; round < 200; round++) {
		struct arena *b = arena_new();
		char *text = arena_strndup(b, s.text, s.size), out[8];
		struct source t = {"t", text, s.size};
		struct err err;
		json_error_t e;
		json_t *tree;
		bool good;

		for (k = (int)draw_below(&draw, 3); k >= 0; k--)
			text[draw_below(&draw, (uint32_t)s.size)] =
			    bytes[draw_below(&draw, sizeof(bytes) - 1)];
		good = json_read(&t, &nothing, b, out, &err);
		tree = json_loadb(text, s.size, 0, &e);
		if (!(tree == NULL && (json_error_code(&e) ==
		    json_error_numeric_overflow)))
			ck_assert_msg(good == (tree != NULL),
			    "round %d.%d: we %s, jansson %s (%s)", _i, round,
			    good ? "take it" : err.message,
			    tree ? "takes it" : "refuses", e.text);
		accepted += good;
		json_decref(tree);
		arena_free(b);
	}
	ck_assert_int_gt(accepted, 10);
	ck_assert_int_lt(accepted, 190);
	arena_free(a);
}
END_TEST

START_TEST(hostile_strings_come_in_clean)
{
	struct arena *a = arena_new();
	struct document d = sample_document(&samples[3], a);
	const char *s;
	int i;

	for (i = 0; i < d.ntests; i++)
		for (s = d.tests[i].name; *s; s++)
			ck_assert((unsigned char)*s >= 0x20 && *s != 0x7f);
	arena_free(a);
}
END_TEST

START_TEST(tests_are_found_by_name_and_device)
{
	struct arena *a = arena_new();
	struct document d = sample_document(&samples[2], a);
	int i;

	for (i = 0; i < d.ntests; i++)
		ck_assert_ptr_eq(document_find(&d, d.tests[i].name,
		    test_device(&d, &d.tests[i])->uuid), &d.tests[i]);
	ck_assert_ptr_null(document_find(&d, "no such test", "u"));
	ck_assert_ptr_null(document_find(&d, d.tests[0].name, "u"));
	arena_free(a);
}
END_TEST

START_TEST(written_again_it_is_the_same)
{
	struct arena *a = arena_new();
	struct document d = sample_document(&samples[_i], a);
	json_t *before = sample_json(&samples[_i]), *after;
	char *s = NULL;
	size_t size;
	FILE *f = open_memstream(&s, &size);

	document_write(f, &d, true);
	fclose(f);
	after = json_loadb(s, size, JSON_REJECT_DUPLICATES, NULL);
	ck_assert_ptr_nonnull(after);
	ck_assert(json_equal(before, after));
	json_decref(before);
	json_decref(after);
	free(s);
	arena_free(a);
}
END_TEST

START_TEST(summary_counts)
{
	struct arena *a = arena_new();
	struct document d = sample_document(&samples[0], a);
	struct summary s;
	uint64_t all = 0;
	int i;

	summary_make(&s, &d);
	ck_assert_uint_eq(s.tests, 200);
	ck_assert_uint_eq(s.verdicts[VERDICT_FORBIDDEN], 3);
	ck_assert_uint_eq(s.forbidden_hits, 9);
	for (i = 0; i < VERDICT_COUNT; i++)
		all += s.verdicts[i];
	ck_assert_uint_eq(all, 200);
	ck_assert_int_eq(s.exit, 1);
	ck_assert_uint_eq(summary_failed(&s), 3 + s.prims[PRIM_BROKEN] +
	    s.prims[PRIM_NOT_CAUGHT]);
	d.ntests = d.nprimitives = 0;
	summary_make(&s, &d);
	ck_assert_int_eq(s.exit, 4);
	d.complete = false;
	summary_make(&s, &d);
	ck_assert_int_eq(s.exit, 2);
	arena_free(a);
}
END_TEST

Suite *suite_reports(void);
Suite *
suite_reports(void)
{
	Suite *s = suite_create("reports");
	TCase *t = tcase_create("document");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, sample_fits_the_schema, 0, NSAMPLES);
	tcase_add_loop_test(t, sample_reads_as_it_was_written, 0, NSAMPLES);
	tcase_add_test(t, tables_and_schema_agree);
	tcase_add_loop_test(t, bad_documents_are_refused, 0,
	    sizeof(refused) / sizeof(*refused));
	tcase_add_loop_test(t, spoiled_heads_are_refused, 0,
	    sizeof(spoiled) / sizeof(*spoiled));
	tcase_add_loop_test(t, spoiled_texts_are_judged_as_by_jansson, 0, 8);
	tcase_add_test(t, hostile_strings_come_in_clean);
	tcase_add_test(t, tests_are_found_by_name_and_device);
	tcase_add_loop_test(t, written_again_it_is_the_same, 0, NSAMPLES);
	tcase_add_test(t, summary_counts);
	suite_add_tcase(s, t);
	return s;
}
