/* results: documents against their schema, and through the printer */
#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../driver/driver.h"
#include "help_cycle.h"

/* Everything that a document says of a test is in here somewhere. */
static const char yaml[] =
	"name: T\n"
	"about: \"all \\u00e9 sorts\"\n"
	"tags: [one, two]\n"
	"locations:\n"
	"  x: 0\n"
	"  a: {type: u32, init: [1, 2], count: 2}\n"
	"threads:\n"
	"  - {cta: 0, warp: 1, code: \"st.weak.global.u32 [x], 1;\"}\n"
	"  - cta: 1\n"
	"    code: |\n"
	"      again:\n"
	"      ld.relaxed.gpu.global.u32 r0, [x];\n"
	"      setp.eq.u32 p, r0, 0;\n"
	"      @p bra again;\n"
	"      ld.relaxed.gpu.global.u32 r1, [x];\n"
	"exists: 1:r0 == 1 && 1:r1 == 0\n"
	"expect: allowed\n";

static struct env env;
static struct env_tally envs[] = {{&env, 1000, 3, 10, 0.5}};
static struct twin_tally twins[] = {{.name = "T~1",
	.what = "line 1: \x1b[31mred", .instances = 100, .hits = 7,
	.rate = 14, .envs = envs, .nenvs = 1}};

static json_t *
make_test(const struct program *p, bool ran, struct arena *a)
{
	struct outcomes outcomes = {.status = MODEL_OK};
	struct tally t = {.instances = 1000, .launches = 10,
		.seconds = 0.5, .drift = 0.25, .dispersion = -1};
	struct judgement j;
	struct result r = {
		.program = p, .judgement = &j, .assembler = "sim",
		.replay = "fencepost run", .device = 0,
	};

	t.bins = arena_alloc(a, p->noutcomes * sizeof(*t.bins));
	t.bins[0] = 600;
	t.bins[p->noutcomes - 1] = 397;
	t.hang = 3;
	outcomes.list = arena_alloc(a, sizeof(*outcomes.list));
	outcomes.list[0].sc = true;
	outcomes.count = 1;
	outcomes.hang = true;
	if (!ran) {
		judge_failure(p, NULL, "too large", VERDICT_FAULT,
		    "log:\n\x01\xff", a, &j);
		return results_test(&r, a);
	}
	judge_test(p, &outcomes, NULL, &t, twins, 1, a, &j);
	env_default(&env);
	env.name = "mine";
	env.layout = LAYOUT_ALL;
	env.stride = 64;
	r.tally = &t;
	r.envs = envs;
	r.nenvs = 1;
	r.twins = twins;
	r.ntwins = 1;
	return results_test(&r, a);
}

static char *words[] = {"run", "a b", "--json", "x"};

static json_t *
make_document(struct arena *a)
{
	const struct program *p = help_yaml(yaml, a);
	static const struct device_info device = {
		.kind = "sim", .name = "machine", .uuid = "sim",
		.caps = {.sm = 90, .memory = 1 << 20}, .mig = -1,
	};
	const struct run_info info = {
		.argc = 4, .argv = words, .seed = UINT64_MAX,
		.started = "2026-01-02T03:04:05Z", .model = MODEL_PTX,
		.shard = 1, .shards = 1, .selected = 2, .suite_hash = 1,
		.devices = &device, .ndevices = 1, .level = 2,
	};
	json_t *tests = json_array(), *document;

	json_array_append_new(tests, make_test(p, true, a));
	json_array_append_new(tests, make_test(p, false, a));
	json_object_set_new(json_array_get(tests, 1), "name",
	    json_string("U"));
	document = results_document(&info, true, 1.5, tests);
	json_decref(tests);
	return document;
}

static const char *
string_of(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

START_TEST(a_test_says_what_it_was)
{
	struct arena *a = arena_new();
	json_t *document = make_document(a), *test, *o;

	test = json_array_get(json_object_get(document, "tests"), 0);
	ck_assert_str_eq(string_of(test, "name"), "T");
	ck_assert_str_eq(string_of(test, "verdict"), "forbidden");
	ck_assert_str_eq(string_of(test, "placement"),
	    "0: gpu 0, cluster 0, cta 0, warp 1; 1: gpu 0, cluster 1, cta 1");
	o = json_array_get(json_object_get(test, "threads"), 1);
	o = json_object_get(o, "code");
	ck_assert_uint_eq(json_array_size(o), 5);
	ck_assert_str_eq(json_string_value(json_array_get(o, 0)), "again:");
	o = json_array_get(json_object_get(test, "locations"), 1);
	ck_assert_str_eq(json_string_value(o), ".global.u32 a[2] = 1, 2");
	o = json_array_get(json_object_get(test, "environments"), 0);
	o = json_object_get(o, "env");
	ck_assert_str_eq(string_of(o, "layout"), "all");
	ck_assert_int_eq(json_integer_value(json_object_get(o, "stride")),
	    64);
	ck_assert_ptr_null(json_object_get(o, "block"));
	o = json_object_get(test, "evidence");
	ck_assert(json_is_null(json_object_get(o, "dispersion")));
	ck_assert(json_is_real(json_object_get(o, "drift")));
	o = json_array_get(json_object_get(o, "twins"), 0);
	ck_assert_str_eq(string_of(o, "what"), "line 1: ?[31mred");
	ck_assert_int_eq((int)json_real_value(json_object_get(o, "rate")),
	    14);
	o = json_object_get(json_array_get(json_object_get(o,
	    "environments"), 0), "env");
	ck_assert_str_eq(string_of(o, "name"), "mine");
	test = json_array_get(json_object_get(document, "tests"), 1);
	ck_assert_str_eq(string_of(test, "reason"), "too large");
	ck_assert_str_eq(string_of(test, "message"),
	    "log:\n?\xef\xbf\xbd");
	ck_assert_str_eq(string_of(document, "seed"), "ffffffffffffffff");
	ck_assert(json_is_false(json_object_get(document, "hardware")));
	json_decref(document);
	arena_free(a);
}
END_TEST

/* The source that a document keeps is the same test. */
START_TEST(the_source_reads_back)
{
	struct arena *a = arena_new();
	const struct program *p = help_yaml(yaml, a);
	json_t *document = make_document(a);
	struct source source = {"kept.yaml", NULL, 0};
	struct suite suite = {0};
	struct errs errs = {0};

	source.text = string_of(json_array_get(json_object_get(document,
	    "tests"), 0), "source");
	source.size = strlen(source.text);
	ck_assert_msg(read_yaml(&source, a, &suite, &errs), "%s\n%s",
	    errs.list[0].message, source.text);
	ck_assert_int_eq(suite.count, 1);
	ck_assert_uint_eq(suite.programs[0].hash, p->hash);
	json_decref(document);
	arena_free(a);
}
END_TEST

static const char validator[] =
	"import json, sys, jsonschema\n"
	"s = json.load(open('reports/results.schema.json'))\n"
	"jsonschema.Draft202012Validator.check_schema(s)\n"
	"jsonschema.validate(json.load(open(sys.argv[1])), s)\n";

START_TEST(documents_fit_the_schema)
{
	struct arena *a = arena_new();
	json_t *document = make_document(a);
	char path[] = "/tmp/fencepost-results-XXXXXX";
	int fd = mkstemp(path);
	struct err err;

	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_msg(results_write(document, path, &err), "%s", err.message);
	if (system("python3 -c 'import jsonschema' 2>/dev/null") != 0)
		fprintf(stderr, "SKIPPED: no python3-jsonschema; the results "
		    "document is not compared with its schema\n");
	else
		ck_assert_int_eq(system(arena_printf(a, "python3 -c \"%s\" "
		    "%s", validator, path)), 0);
	unlink(path);
	json_decref(document);
	arena_free(a);
}
END_TEST

START_TEST(an_unwritable_document_is_an_error)
{
	struct arena *a = arena_new();
	json_t *document = make_document(a);
	struct err err;

	ck_assert(!results_write(document, "/nowhere/at/all", &err));
	ck_assert_int_eq(err.code, ERR_IO);
	ck_assert_str_eq(err.loc.source, "/nowhere/at/all");
	json_decref(document);
	arena_free(a);
}
END_TEST

/* As root, a rename would take the place of /dev/null. */
START_TEST(what_is_no_file_is_not_replaced)
{
	struct arena *a = arena_new();
	json_t *document = make_document(a);
	char folder[] = "/tmp/fencepost-results-XXXXXX", *path;
	struct stat st;
	struct err err;
	int fd;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert(!output_check(folder, &err));
	path = arena_printf(a, "%s/pipe", folder);
	ck_assert(output_check(path, &err) && stat(path, &st) != 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	fd = open(path, O_RDWR);
	ck_assert_int_ge(fd, 0);
	ck_assert(fcntl(fd, F_SETPIPE_SZ, 1 << 20) > 0);
	ck_assert(results_write(document, path, &err));
	ck_assert(stat(path, &st) == 0 && S_ISFIFO(st.st_mode));
	close(fd);
	unlink(path);
	rmdir(folder);
	json_decref(document);
	arena_free(a);
}
END_TEST

/* ---- for people -------------------------------------------------------- */

static const char whole[] =
	"Test U Unjudged\n"
	"Histogram (0 states)\n"
	"Observation U Never 0 0\n"
	"Condition exists (1:r0 == 1 && 1:r1 == 0)\n"
	"Model no verdict: too large\n"
	"Time U 0.00\n"
	"Verdict U FAULT: log:\n?\xef\xbf\xbd; no verdict of the model; "
	"nothing ran (software machine)\n"
	"\n";

START_TEST(tests_are_printed_as_litmus_does)
{
	struct arena *a = arena_new();
	json_t *root = make_document(a);
	const struct style style = {.sim = true}, quiet = {.quiet = true};
	char *s = json_dumps(root, 0), *out = NULL;
	struct source source = {"results", s, strlen(s)};
	struct document d;
	struct err err;
	size_t size;
	FILE *f;

	ck_assert_msg(document_read(&source, a, &d, &err), "%s",
	    err.message);
	f = open_memstream(&out, &size);
	print_test(f, &d, &d.tests[1], &style);
	fclose(f);
	ck_assert_str_eq(out, whole);
	free(out);
	f = open_memstream(&out, &size);
	print_test(f, &d, &d.tests[0], &quiet);
	fclose(f);
	ck_assert_str_eq(out, "FORBIDDEN  T: the model forbids what 397 "
	    "instances showed; allowed; seen 600 times in 1,000, 1,200 a "
	    "second; 3 ran out of turns; 1 broken twin: 7 in 100, 14 a second\n");
	free(out);
	free(s);
	json_decref(root);
	arena_free(a);
}
END_TEST

/* Silence is told with what was tried, and the score by placement. */
START_TEST(silence_says_what_was_tried)
{
	struct arena *a = arena_new();
	json_t *root = make_document(a), *o;
	const struct style quiet = {.quiet = true};
	struct source source = {.name = "results"};
	char *s, *out = NULL;
	struct document d;
	struct err err;
	size_t size;
	FILE *f;

	o = json_object_get(json_array_get(json_object_get(root, "tests"),
	    0), "evidence");
	json_object_set_new(o, "target_hits", json_integer(0));
	json_object_set_new(o, "bound95", json_real(0.003));
	json_object_set_new(o, "strength", json_string("no-evidence"));
	o = json_array_get(json_object_get(o, "twins"), 0);
	json_object_set_new(o, "hits", json_integer(0));
	json_object_set_new(o, "rate", json_real(0));
	s = json_dumps(root, 0);
	source.text = s;
	source.size = strlen(s);
	ck_assert_msg(document_read(&source, a, &d, &err), "%s",
	    err.message);
	f = open_memstream(&out, &size);
	print_test(f, &d, &d.tests[0], &quiet);
	print_summary(f, &d, &quiet);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(out, "1 broken twin: 0 in 100, so this "
	    "silence is no evidence\n"
	    "  looked for in mine\n"
	    "  its twin never showed (line 1: ?[31mred): 100 instances of "
	    "mine\n"));
	ck_assert_ptr_nonnull(strstr(out, "  mutation score 0.00: 0 of 1 "
	    "broken twin showed\n"
	    "    across CTAs                      0.00: 0 of 1\n"
	    "    no twin showed of 1 silent test\n"));
	free(out);
	free(s);
	json_decref(root);
	arena_free(a);
}
END_TEST

Suite *suite_results(void);

Suite *
suite_results(void)
{
	Suite *s = suite_create("results");
	TCase *c = tcase_create("results");

	tcase_add_test(c, a_test_says_what_it_was);
	tcase_add_test(c, the_source_reads_back);
	tcase_add_test(c, documents_fit_the_schema);
	tcase_add_test(c, an_unwritable_document_is_an_error);
	tcase_add_test(c, what_is_no_file_is_not_replaced);
	tcase_add_test(c, tests_are_printed_as_litmus_does);
	tcase_add_test(c, silence_says_what_was_tried);
	suite_add_tcase(s, c);
	return s;
}
