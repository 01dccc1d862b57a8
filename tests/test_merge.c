/* merge: shards come to the whole, or are refused */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../reports/reports.h"
#include "help_sample.h"

#define SHARDS 4

static void
make_shards(struct document *list, struct sample s, struct arena *a)
{
	int i;

	s.shards = SHARDS;
	for (i = 0; i < SHARDS; i++) {
		s.shard = i + 1;
		list[i] = sample_document(&s, a);
	}
}

static json_t *
as_json(const struct document *d)
{
	char *s = NULL;
	size_t size;
	FILE *f = open_memstream(&s, &size);
	json_t *json;

	document_write(f, d, true);
	fclose(f);
	json = json_loadb(s, size, JSON_REJECT_DUPLICATES, NULL);
	free(s);
	ck_assert_ptr_nonnull(json);
	return json;
}

static const struct sample merged[] = {
	{.seed = 1, .tests = 103},
	{.seed = 2, .tests = 50, .gpus = 2},
	{.seed = 3, .tests = 3}, /* a shard with nothing to do */
	{.seed = 4, .tests = 20, .sim = true},
	{.seed = 5, .tests = 20, .hostile = true},
};

START_TEST(shards_come_to_the_whole_run)
{
	struct arena *a = arena_new();
	struct document list[SHARDS], swap, whole;
	json_t *one = sample_json(&merged[_i]), *all;
	struct err err;

	make_shards(list, merged[_i], a);
	swap = list[0];
	list[0] = list[2];
	list[2] = swap;
	ck_assert_msg(merge_make(list, SHARDS, false, a, &whole, &err), "%s",
	    err.message);
	all = as_json(&whole);
	ck_assert(json_equal(one, all));
	json_decref(one);
	json_decref(all);
	arena_free(a);
}
END_TEST

static const struct {
	const char *shard[8], *whole;
} commands[] = {
	{{"run", "--shard", "1/4", "-o", "1.json", "a.yaml"}, "run a.yaml"},
	{{"run", "--shard=1/4", "--json=1", "-n", "5"}, "run -n 5"},
	{{"run", "--sh", "1/4", "--js", "1", "--seed", "3"}, "run --seed 3"},
	{{"run", "-qo1.json", "--resume", "1", "-x"}, "run -q -x"},
	{{"run", "-xqo", "1.json", "--junit", "j", "-q"}, "run -xq -q"},
	{{"run", "--sim-fault", "flip-bit", "--jobs", "1"},
	    "run --sim-fault flip-bit --jobs 1"},
	{{"run", "--", "--json", "-o"}, "run -- --json -o"},
};

/* What makes the whole again is neither a shard nor writes over one. */
START_TEST(a_merged_command_makes_the_whole)
{
	struct arena *a = arena_new();
	struct document list[SHARDS], whole;
	struct err err;
	int n = 0;

	make_shards(list, merged[0], a);
	while (n < 8 && commands[_i].shard[n])
		n++;
	list[0].command = arena_alloc(a, sizeof(commands[_i].shard));
	memcpy(list[0].command, commands[_i].shard,
	    sizeof(commands[_i].shard));
	list[0].ncommand = n;
	ck_assert(merge_make(list, SHARDS, false, a, &whole, &err));
	ck_assert_str_eq(shell_command(&whole, a), commands[_i].whole);
	arena_free(a);
}
END_TEST

/* Each spoils the four shards in its way. */
static void
lose_last(struct document *list, int *n)
{
	(void)list;
	--*n;
}

static void
repeat_one(struct document *list, int *n)
{
	(void)n;
	list[1] = list[0];
}

static void
other_seed(struct document *list, int *n)
{
	(void)n;
	list[1].seed++;
}

static void
other_suite(struct document *list, int *n)
{
	(void)n;
	list[1].shard->suite_hash++;
}

static void
other_count(struct document *list, int *n)
{
	(void)n;
	list[1].shard->count++;
}

static void
other_device(struct document *list, int *n)
{
	(void)n;
	list[1].devices[0].name = "NVIDIA B200";
}

static void
other_driver(struct document *list, int *n)
{
	(void)n;
	list[1].devices[0].driver_version = "575.1";
}

static void
other_model(struct document *list, int *n)
{
	(void)n;
	list[1].model = 0;
}

static void
software(struct document *list, int *n)
{
	(void)n;
	list[1].hardware = !list[1].hardware;
}

static void
interrupted(struct document *list, int *n)
{
	(void)n;
	list[1].complete = false;
}

static struct arena *spoil_arena;

/* Only the hash of the suite can tell. */
static void
lose_test(struct document *list, int *n)
{
	struct err err;

	(void)n;
	list[1].ntests--;
	list[1].shard->selected--;
	ck_assert(document_sort(&list[1], spoil_arena, &err));
}

static const struct {
	void (*spoil)(struct document *list, int *n);
	const char *message; /* a part of it */
} spoiled[] = {
	{lose_last, "1 of 4 shards missing, the first is shard 4"},
	{repeat_one, "shard 1 is there twice"},
	{other_seed, "its seed is 0000000000000002"},
	{other_suite, "its suite hash is"},
	{other_count, "its number of shards is 5"},
	{other_device, "its device is NVIDIA B200, that of the first is "
	    "NVIDIA H200"},
	{other_driver, "its driver is 575.1, CUDA 13.0"},
	{other_model, "its model is ptx-6.0, that of the first is ptx"},
	{software, "its device is the software PTX machine"},
	{interrupted, "shard 2 was interrupted"},
	{lose_test, "they are not all of it"},
};

START_TEST(what_does_not_belong_together_is_refused)
{
	struct arena *a = arena_new();
	struct document list[SHARDS], whole;
	int n = SHARDS;
	struct err err;

	make_shards(list, merged[0], a);
	spoil_arena = a;
	spoiled[_i].spoil(list, &n);
	ck_assert(!merge_make(list, n, false, a, &whole, &err));
	ck_assert_msg(strstr(err.message, spoiled[_i].message), "%s",
	    err.message);
	arena_free(a);
}
END_TEST

START_TEST(a_partial_merge_says_so)
{
	struct arena *a = arena_new();
	struct document list[SHARDS], whole;
	struct summary s;
	struct err err;

	make_shards(list, merged[0], a);
	list[2].complete = false;
	ck_assert_msg(merge_make(list, 3, true, a, &whole, &err), "%s",
	    err.message);
	ck_assert(!whole.complete);
	ck_assert_int_eq(whole.ntests, list[0].ntests + list[1].ntests +
	    list[2].ntests);
	summary_make(&s, &whole);
	ck_assert_int_eq(s.exit, 2); /* not green */
	arena_free(a);
}
END_TEST

Suite *suite_merge(void);

Suite *
suite_merge(void)
{
	Suite *s = suite_create("merge");
	TCase *t = tcase_create("merge");

	tcase_add_loop_test(t, shards_come_to_the_whole_run, 0,
	    sizeof(merged) / sizeof(*merged));
	tcase_add_loop_test(t, what_does_not_belong_together_is_refused, 0,
	    sizeof(spoiled) / sizeof(*spoiled));
	tcase_add_test(t, a_partial_merge_says_so);
	tcase_add_loop_test(t, a_merged_command_makes_the_whole, 0,
	    sizeof(commands) / sizeof(*commands));
	suite_add_tcase(s, t);
	return s;
}
