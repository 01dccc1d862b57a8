/* Conditions: parsing, meaning, printing; outcome codes. */
#include <check.h>
#include <string.h>

#include "../gen/gen.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof(*(a))))

/* Threads 0 and 1 with r0 (u32), r1 (s32), p; x (u32), a (s16 x 2). */
static void
world(struct program *p, struct arena *a)
{
	static struct reg regs[3];
	static uint64_t zeros[2];
	int i;

	regs[0] = (struct reg){.name = "r0", .type = TYPE_U32};
	regs[1] = (struct reg){.name = "r1", .type = TYPE_S32};
	regs[2] = (struct reg){.name = "P", .type = TYPE_PRED};
	*p = (struct program){0};
	p->vars = arena_alloc(a, 2 * sizeof(*p->vars));
	p->vars[0] = (struct var){.name = "x", .type = TYPE_U32, .size = 4,
	    .count = 1, .init = zeros, .alias_of = -1, .near = -1};
	p->vars[1] = (struct var){.name = "a", .type = TYPE_S16, .size = 2,
	    .count = 2, .init = zeros, .alias_of = -1, .near = -1};
	p->nvars = 2;
	p->threads = arena_alloc(a, 2 * sizeof(*p->threads));
	p->nthreads = 2;
	for (i = 0; i < 2; i++) {
		p->threads[i].regs = regs;
		p->threads[i].nregs = 3;
	}
}

/* What a condition prints as, and its value where 0:r0 = 3, 0:r1 = -2,
   1:r0 = 0xffffffff, 0:P = 1, x = 7, a = {-1, 5}. */
static const struct {
	const char *in, *out;
	int64_t value;
} conditions[] = {
	{"0:r0 == 3", "0:r0 == 3", 1},
	{"P0:r0=3", "0:r0 == 3", 1},
	{"0:r1 == -2", "0:r1 == -2", 1},
	{"0:r1 == 0xfffffffe", "0:r1 == 4294967294", 0},
	{"1:r0 == 0xffffffff", "1:r0 == 4294967295", 1},
	{"1:r0 == -1", "1:r0 == -1", 0},
	{"0:P", "0:P", 1},
	{"x == 7", "[x] == 7", 1},
	{"[x]=7 /\\ [ x ] != 6", "[x] == 7 && [x] != 6", 1},
	{"a[1] == 5 && [a+2] == 5 && a == -1",
	    "[a+2] == 5 && [a+2] == 5 && [a] == -1", 1},
	{"x == 1 \\/ x == 7", "[x] == 1 || [x] == 7", 1},
	{"x == 1 || x == 7 && 0:r0 == 3",
	    "[x] == 1 || [x] == 7 && 0:r0 == 3", 1},
	{"(x == 1 || x == 7) && 0:r0 == 4",
	    "([x] == 1 || [x] == 7) && 0:r0 == 4", 0},
	{"~(x == 7)", "!([x] == 7)", 0},
	{"not x == 7", "![x] == 7", 0},
	{"not (x == 7)", "!([x] == 7)", 0},
	{"~x == -8", "~[x] == -8", 1},
	{"!x == 0", "![x] == 0", 1},
	{"-x + 1 == -6", "-[x] + 1 == -6", 1},
	{"x - 1 - 2 == 4", "[x] - 1 - 2 == 4", 1},
	{"x - (1 - 2) == 8", "[x] - (1 - 2) == 8", 1},
	{"x * 2 + 1", "[x] * 2 + 1", 15},
	{"x << 2 >> 1", "[x] << 2 >> 1", 14},
	{"x & 6 | 8 ^ 1", "[x] & 6 | 8 ^ 1", 15},
	{"x & (6 | 8)", "[x] & (6 | 8)", 6},
	{"0:r1 < 0 && 0:r1 <= -2 && x > 6 && x >= 7",
	    "0:r1 < 0 && 0:r1 <= -2 && [x] > 6 && [x] >= 7", 1},
	{"true && !false", "1 && !0", 1},
	{"1 << 64", "1 << 64", 0},
	{"x == 7 == 1", "[x] == 7 == 1", 1},
	{"((((0:r0))))==3", "0:r0 == 3", 1},
};

static void
values_set(const struct program *p, uint64_t *values)
{
	int i;

	for (i = 0; i < p->nslots; i++) {
		const struct slot *s = &p->slots[i];

		if (s->thread >= 0)
			values[i] = s->reg == 2 ? 1 :
			    s->thread == 1 ? 0xffffffff :
			    s->reg == 1 ? 0xfffffffe : 3;
		else
			values[i] = s->var == 0 ? 7 : s->elem ? 5 : 0xffff;
	}
}

START_TEST(means_what_it_says)
{
	struct arena *a = arena_new();
	uint64_t values[SLOTS_MAX];
	struct program p;
	const struct cond *c;
	struct text t;
	struct err err;

	world(&p, a);
	ck_assert_msg(cond_parse(conditions[_i].in, (struct loc){"c", 1, 1},
	    &p, a, NULL, &c, &err), "%s: %s", conditions[_i].in, err.message);
	values_set(&p, values);
	ck_assert_int_eq(cond_eval(c, values), conditions[_i].value);
	text_init(&t, a);
	cond_print(&t, &p, c);
	ck_assert_str_eq(t.s, conditions[_i].out);
	arena_free(a);
}
END_TEST

/* What is printed is read back as the same. */
START_TEST(prints_to_itself)
{
	struct arena *a = arena_new();
	struct program p;
	const struct cond *c;
	struct text t;
	struct err err;

	world(&p, a);
	ck_assert(cond_parse(conditions[_i].out, (struct loc){"c", 1, 1}, &p,
	    a, NULL, &c, &err));
	text_init(&t, a);
	cond_print(&t, &p, c);
	ck_assert_str_eq(t.s, conditions[_i].out);
	arena_free(a);
}
END_TEST

static const struct {
	const char *in;
	int column;
	const char *message;
} wrong[] = {
	{"", 1, "expected a register, a location or a number at the end of "
		"the condition"},
	{"0:r0 ==", 8, "expected a register, a location or a number at the "
		       "end of the condition"},
	{"0:r0 == 3)", 10, "expected an operator or the end, not ')'"},
	{"(0:r0 == 3", 11, "expected ')' at the end of the condition"},
	{"0:r9", 3, "thread 0 has no register 'r9' (r0, r1, P)"},
	{"2:r0", 1, "no thread 2 (0 to 1)"},
	{"0:", 3, "expected a register at the end of the condition"},
	{"r0 == 1", 1, "no location 'r0' (a register is thread:register, "
		       "0:r0)"},
	{"[z]", 2, "no location 'z'"},
	{"[x", 3, "expected ']' at the end of the condition"},
	{"[]", 2, "expected a location, not ']'"},
	{"[x+]", 4, "expected a number, not ']'"},
	{"[x+4]", 4, "x has 1 element"},
	{"a[2]", 3, "a has 2 elements"},
	{"[a+1]", 4, "offset 1 is inside an element of a (2 bytes each)"},
	{"1 + + 2", 5, "expected a register, a location or a number, not "
		       "'+'"},
	{"99999999999999999999", 1, "expected a number of 64 bits, not "
				    "'99999999999999999999'"},
};

START_TEST(names_what_is_wrong)
{
	struct arena *a = arena_new();
	struct program p;
	const struct cond *c = NULL;
	struct err err;

	world(&p, a);
	ck_assert(!cond_parse(wrong[_i].in, (struct loc){"c", 1, 1}, &p, a,
	    NULL, &c, &err));
	ck_assert_str_eq(err.message, wrong[_i].message);
	ck_assert_int_eq(err.loc.column, wrong[_i].column);
	ck_assert_ptr_null(c);
	ck_assert_int_eq(p.nslots, 0);
	arena_free(a);
}
END_TEST

static const struct {
	const char *in;
	enum quantifier quant;
} quantified[] = {
	{"exists x == 1", QUANT_EXISTS}, {"exists (x=1)", QUANT_EXISTS},
	{"~exists x == 1", QUANT_NEVER}, {"~ exists(x=1)", QUANT_NEVER},
	{"never x == 1", QUANT_NEVER}, {"forall (x=1)", QUANT_FORALL},
	{"x == 1", QUANT_FORALL}, {"~x == 1", QUANT_FORALL},
};

START_TEST(quantifier_may_stand_before)
{
	struct arena *a = arena_new();
	enum quantifier q = QUANT_FORALL;
	struct program p;
	const struct cond *c;
	struct err err;

	world(&p, a);
	ck_assert(cond_parse(quantified[_i].in, (struct loc){"c", 1, 1}, &p,
	    a, &q, &c, &err));
	ck_assert_int_eq(q, quantified[_i].quant);
	arena_free(a);
}
END_TEST

START_TEST(target_is_what_the_test_is_about)
{
	static const bool want[][2] = {
		[QUANT_EXISTS] = {true, false},
		[QUANT_NEVER] = {true, false},
		[QUANT_FORALL] = {false, true},
	};
	struct arena *a = arena_new();
	uint64_t seven = 7, six = 6;
	struct program p;
	struct err err;

	world(&p, a);
	ck_assert(cond_parse("x == 7", (struct loc){"c", 1, 1}, &p, a, NULL,
	    &p.cond, &err));
	p.quant = (enum quantifier)_i;
	ck_assert(program_is_target(&p, &seven) == want[_i][0]);
	ck_assert(program_is_target(&p, &six) == want[_i][1]);
	arena_free(a);
}
END_TEST

/* Codes and vectors of values are the two sides of one map. */
START_TEST(outcome_codes_are_a_bijection)
{
	uint64_t v0[] = {0, 1, 9}, v1[] = {5}, v2[] = {2, 0xffffffff};
	struct slot slots[] = {{.values = v0, .nvalues = 3},
	    {.values = v1, .nvalues = 1}, {.values = v2, .nvalues = 2}};
	struct program p = {.slots = slots, .nslots = 3, .noutcomes = 6};
	uint64_t values[3], last[3] = {0};
	uint32_t code;

	for (code = 0; code < 6; code++) {
		outcome_values(&p, code, values);
		ck_assert_uint_eq(outcome_code(&p, values), code);
		/* ascending, the first slot counts most */
		ck_assert(code == 0 || values[0] > last[0] ||
		    (values[0] == last[0] && values[2] > last[2]));
		memcpy(last, values, sizeof(last));
	}
	values[0] = 2;
	ck_assert_uint_eq(outcome_code(&p, values), UINT32_MAX);
	values[0] = 10;
	ck_assert_uint_eq(outcome_code(&p, values), UINT32_MAX);
}
END_TEST

START_TEST(addresses_lead_back)
{
	struct arena *a = arena_new();
	struct program p;
	int64_t offset;
	int var;

	world(&p, a);
	ck_assert(address_find(&p, var_address(&p, 1) + 3, &var, &offset));
	ck_assert_int_eq(var, 1);
	ck_assert_int_eq(offset, 3);
	ck_assert(!address_find(&p, var_address(&p, 1) + 4, &var, &offset));
	ck_assert(!address_find(&p, var_address(&p, 0) - 1, &var, &offset));
	ck_assert(!address_find(&p, var_address(&p, 2), &var, &offset));
	ck_assert(!address_find(&p, 0, &var, &offset));
	arena_free(a);
}
END_TEST

Suite *suite_cond(void);

Suite *
suite_cond(void)
{
	Suite *s = suite_create("cond");
	TCase *c = tcase_create("cond");

	tcase_add_loop_test(c, means_what_it_says, 0, COUNT(conditions));
	tcase_add_loop_test(c, prints_to_itself, 0, COUNT(conditions));
	tcase_add_loop_test(c, names_what_is_wrong, 0, COUNT(wrong));
	tcase_add_loop_test(c, quantifier_may_stand_before, 0,
	    COUNT(quantified));
	tcase_add_loop_test(c, target_is_what_the_test_is_about, 0, 3);
	tcase_add_test(c, outcome_codes_are_a_bijection);
	tcase_add_test(c, addresses_lead_back);
	suite_add_tcase(s, c);
	return s;
}
