/* primitives: entries, their kernels, and what is said of costs */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "help_primitive.h"

/* ---- entries ------------------------------------------------------------ */

static bool
has_twin(const char *name)
{
	int i;

	for (i = 0; i < prims.count; i++)
		if (prims.list[i].twin_of &&
		    strcmp(prims.list[i].twin_of, name) == 0)
			return true;
	return false;
}

START_TEST(there_are_enough_and_each_says_what_it_is)
{
	int i, sound = 0, twins = 0;

	for (i = 0; i < prims.count; i++) {
		const struct primitive *p = &prims.list[i];

		ck_assert_int_gt(p->nshapes, 0);
		if (p->twin_of) {
			ck_assert_ptr_nonnull(p->flaw);
			ck_assert_int_ne(p->fails, FAILS_NOT);
			ck_assert_int_eq(prim_find(p->twin_of)->fails, FAILS_NOT);
			twins++;
		} else {
			ck_assert_ptr_nonnull(p->about);
			ck_assert_int_gt(p->nbenches + p->launches, 0);
			/* what needs no code can lack none */
			ck_assert_msg(has_twin(p->name) || strcmp(p->name,
			    "kernel_boundary") == 0, "%s", p->name);
			sound++;
		}
	}
	ck_assert_int_ge(sound, 20);
	ck_assert_int_ge(twins, 40);
}
END_TEST

START_TEST(every_entry_has_its_kernels)
{
	const char *code, *want;
	struct err err;
	int i;

	if (!prims_compiled())
		return;
	for (i = 0; i < prims.count; i++) {
		const struct primitive *p = &prims.list[i];

		ck_assert_msg(primitive_code(p, 90, true, p->nbenches > 0,
		    prim_arena, &code, &err), "%s",
		    err.message);
		want = arena_printf(prim_arena, "entry %s_%s(", p->name,
		    p->nbenches ? "bench" : "validate");
		ck_assert_msg(strstr(code, want) != NULL, "no %s", want);
	}
}
END_TEST

static const struct {
	const char *text, *message;
} malformed[] = {
	{"group: g\n", "'primitives' is missing"},
	{"primitives: []\n", "'group' is missing"},
	{"group: g\nprimitives: 3\n",
	    "'primitives' must be a list, not a scalar"},
	{"group: g\nprimitives: [{about: x}]\n", "'name' is missing"},
	{"group: g\nprimitives: [{name: a b, about: x}]\n",
	    "a name has letters, digits and '_', at most 100"},
	{"group: g\nprimitives: [{name: a}]\n", "'about' is missing"},
	{"group: g\nprimitives: [{name: a, about: x}, {name: a, about: x}]\n",
	    "there is a primitive 'a' already"},
	{"group: g\nprimitives: [{name: a, about: x, twins: "
	    "[{name: b}]}]\n", "'flaw' is missing"},
	{"group: g\nprimitives: [{name: a, about: x, twins: "
	    "[{name: b, flaw: y, fails: often}]}]\n",
	    "'fails' is 'may' or 'must'"},
	{"group: g\nshapes: [{threads: 32}]\n"
	    "primitives: [{name: a, about: x}]\n", "'ctas' is missing"},
	{"group: g\nshapes: [{ctas: 99x}]\n"
	    "primitives: [{name: a, about: x}]\n",
	    "'ctas' takes 1x to 32x, so many an SM"},
	{"group: g\nshapes: [{ctas: 1, threads: 33}]\n"
	    "primitives: [{name: a, about: x}]\n",
	    "'threads' must be a multiple of 32"},
	{"group: g\nshapes: [{ctas: 0}]\n"
	    "primitives: [{name: a, about: x}]\n",
	    "'ctas' must be a number from 1 to 65536"},
	{"a: b\n---\nc: d\n", "expected one document, not 2"},
};

START_TEST(a_bad_entry_is_an_error_with_a_place)
{
	struct source source = {"my.yaml", malformed[_i].text,
	    strlen(malformed[_i].text)};
	struct primitives list = {0};
	struct errs errs = {0};

	ck_assert(!primitive_read(&source, NULL, prim_arena, &list, &errs));
	ck_assert_int_gt(errs.count, 0);
	ck_assert_str_eq(errs.list[0].message, malformed[_i].message);
	ck_assert_str_eq(errs.list[0].loc.source, "my.yaml");
	ck_assert_int_gt(errs.list[0].loc.line, 0);
}
END_TEST

START_TEST(a_kernel_is_cut_out_with_its_shared_variables)
{
	static const char *const names[] = {"b"};
	const char *ptx = ".version 8.0\n"
	    ".shared .align 4 .b8 mine[8];\n.shared .b32 theirs;\n"
	    ".visible .entry a(\n)\n{\n\tst.shared.u32 [theirs], 1;\n}\n"
	    ".visible .entry b(\n)\n{\n\tst.shared.u32 [mine+4], 1;\n}\n"
	    ".visible .entry bb(\n)\n{\n}\n";
	struct text t;

	text_init(&t, prim_arena);
	ck_assert(ptx_extract(&t, ptx, names, 1));
	ck_assert_str_eq(t.s, ".version 8.0\n.visible .entry b(\n)\n{\n"
	    "\t.shared .align 4 .b8 mine[8];\n"
	    "\tst.shared.u32 [mine+4], 1;\n}\n");
	text_init(&t, prim_arena);
	ck_assert(!ptx_extract(&t, ".version 8.0\n", names, 1));
}
END_TEST

/* The build has assembled each for the target it was compiled for; here for
   newer ones too. */
START_TEST(kernels_are_assembled_for_newer_targets)
{
	static const int targets[] = {75, 80, 90, 100, 120};
	static const char *const quick[] = {"async.", "boundary.", "chain.",
	    "cluster.", "mbarrier."};
	const struct embedded *e;
	const void *cubin;
	struct err err;
	size_t size, i, k;
	bool is_quick;

	if (!tool_find("ptxas", prim_arena))
		return;
	for (e = embedded_files; e->name; e++) {
		const char *dot = strchr(e->name, '.');

		if (!dot || strcmp(e->name + strlen(e->name) - 4, ".ptx"))
			continue;
		for (is_quick = false, k = 0; k < 5; k++)
			is_quick |= strncmp(e->name, quick[k],
			    strlen(quick[k])) == 0;
		for (i = 0; i < 5; i++)
			if (targets[i] >= atoi(dot + 1) &&
			    (getenv("FENCEPOST_ALL") ||
			    (is_quick && targets[i] == 100)))
				ck_assert_msg(ptxas_run(e->text, targets[i],
				    prim_arena, &cubin, &size, &err),
				    "%s for sm_%d: %s", e->name, targets[i],
				    err.message);
	}
}
END_TEST

/* ---- claims ------------------------------------------------------------- */

static const struct {
	double cycles;
	bool holds;
} costs[] = {{25, true}, {90, false}};

START_TEST(a_claim_holds_within_its_bounds)
{
	json_t *entries = json_pack("[{s:s, s:[{s:s, s:f, s:f}]}]", "name",
	    "syncthreads", "bench", "what", "latency", "median", 1.0,
	    "cycles", costs[_i].cycles);
	json_t *claims = primitive_claims(entries, 0, false);
	const json_t *holds;

	ck_assert_uint_eq(json_array_size(claims), 1);
	holds = json_object_get(json_array_get(claims, 0), "holds");
	ck_assert(json_is_true(holds) == costs[_i].holds);
	json_decref(claims);
	/* nor does it say anything of them */
	claims = primitive_claims(entries, 0, true);
	holds = json_object_get(json_array_get(claims, 0), "holds");
	ck_assert(json_is_null(holds));
	json_decref(claims);
	json_decref(entries);
}
END_TEST

Suite *suite_primitive(void);

Suite *
suite_primitive(void)
{
	Suite *s = suite_create("primitive");
	TCase *t = tcase_create("primitive");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, prims_read, prims_free);
	tcase_add_test(t, there_are_enough_and_each_says_what_it_is);
	tcase_add_test(t, every_entry_has_its_kernels);
	tcase_add_loop_test(t, a_bad_entry_is_an_error_with_a_place, 0,
	    (int)(sizeof(malformed) / sizeof(*malformed)));
	tcase_add_test(t, a_kernel_is_cut_out_with_its_shared_variables);
	tcase_add_test(t, kernels_are_assembled_for_newer_targets);
	tcase_add_loop_test(t, a_claim_holds_within_its_bounds, 0,
	    (int)(sizeof(costs) / sizeof(*costs)));
	suite_add_tcase(s, t);
	return s;
}
