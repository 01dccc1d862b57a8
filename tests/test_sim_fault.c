/*
 * Faults planted in the software machine, and the tests that catch each:
 * the program must fail, with the right verdict, and name them. The table
 * in driver/README.md is compared with what is caught here; BLESS=1 writes
 * its rows anew. FENCEPOST_SIM_FAULTS=N plants them under the whole suite,
 * with N instances of each test, and prints how many caught them.
 */
#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "../driver/driver.h"
#include "help_cli.h"

#define TABLE "driver/README.md"
#define ENVIRONMENT "tests/sim/plain.env"
#define INSTANCES "16384"
/* The draws change whenever the machine does: what is caught a few times
   may stand in the table or not. */
#define RARE 20 /* instances: not written into the table */
#define OFTEN 80 /* must stand there */

/* Tests of the suite that between them catch every fault. */
static const char *const tests[] = {
	"MP+relacq.gpu", "MP+fence.acq_rel.gpu", "MP+relacq.cta@shared",
	"MP+relacq.cluster@cluster", "SB+fence.sc.gpu", "LB+relacq.gpu",
	"S+relacq.gpu", "R+fence.sc.gpu", "WRC+relacq.gpu",
	"IRIW+fence.sc.gpu", "ISA2-scopes+cta-gpu", "CoRR+relaxed.gpu",
	"CoWW+relaxed.gpu", "CoWR+weak", "LostUpdate+atom.gpu", "Count",
	"Rmw16", "Syncwarp", "Syncthreads", "Named", "ClusterSync",
	"Histogram", "LockCas", "LockTicket", "claim.poll+relaxed",
	"claim.poll-then+acquire",
};
#define NTESTS (sizeof(tests) / sizeof(*tests))

static const struct {
	const char *fault, *verdicts, *about;
} faults[] = {
#define FAULT(id, name, about) {name, VERDICTS_##id, about},
#define VERDICTS_DROP_FENCE "FORBIDDEN"
#define VERDICTS_NARROW_SCOPE "FORBIDDEN"
#define VERDICTS_DROP_RELEASE "FORBIDDEN"
#define VERDICTS_STALE_ACQUIRE "FORBIDDEN"
#define VERDICTS_DROP_SC "FORBIDDEN"
#define VERDICTS_OLD_READ "FORBIDDEN"
#define VERDICTS_REORDER_SAME "FORBIDDEN"
#define VERDICTS_LOSE_STORE "FORBIDDEN, CORRUPT, HANG"
#define VERDICTS_TEAR_VECTOR "FORBIDDEN"
#define VERDICTS_SPLIT_ATOMIC "FORBIDDEN"
#define VERDICTS_DROP_BARRIER "FORBIDDEN"
#define VERDICTS_PASS_BARRIER "FORBIDDEN, FAULT"
#define VERDICTS_STICK_BARRIER "HANG"
#define VERDICTS_STUCK_LINE "HANG"
#define VERDICTS_WRONG_LANE "FORBIDDEN, CORRUPT"
#define VERDICTS_MIX_VALUES "FORBIDDEN, CORRUPT"
#define VERDICTS_FLIP_BIT "CORRUPT"
#define VERDICTS_WILD_STORE "FAULT"
#include "../driver/sim_fault.def"
};
#define NFAULTS ((int)(sizeof(faults) / sizeof(*faults)))

/* ---- running -------------------------------------------------------------- */

struct catch {
	const char *name, *verdict;
	uint64_t instances; /* UINT64_MAX: it did not get to count them */
};

struct caught {
	struct catch list[1024];
	int count, tests; /* tests: that ran */
	int status; /* of the program */
};

/* "  FORBIDDEN MP+relacq.gpu: the model forbids what 7 instances showed" */
static void
summary_line(struct caught *c, char *line, struct arena *a)
{
	char verdict[16], *colon, *digits;
	struct catch *at = &c->list[c->count];
	int n = 0;

	if (sscanf(line, "%d tests in ", &c->tests) == 1 ||
	    sscanf(line, "  %15[A-Z] %n", verdict, &n) != 1 || n == 0 ||
	    !(colon = strstr(line + n, ": ")) ||
	    !isalnum((unsigned char)line[n]))
		return;
	ck_assert_int_lt(c->count, 1024);
	at->name = arena_strndup(a, line + n, (size_t)(colon - line - n));
	at->verdict = arena_strdup(a, verdict);
	digits = strpbrk(colon, "0123456789");
	at->instances = !digits || !strstr(digits, " instances") ||
	    strcmp(verdict, "FAULT") == 0 || strstr(colon, "deadlock") ?
	    UINT64_MAX : strtoull(digits, NULL, 10);
	if (strcmp(verdict, "HANG") == 0)
		at->instances = UINT64_MAX;
	c->count++;
}

/* On a machine with this fault, or NULL; all tests, or those above. */
static void
run(const char *fault, const char *instances, bool all, struct arena *a,
    struct caught *c)
{
	char line[4096];
	struct text t;
	size_t i;
	FILE *f;
	bool summary = false;

	text_init(&t, a);
	text_printf(&t, "%s run -d sim -q --no-twins --color never -e "
	    ENVIRONMENT " -n %s", program(), instances);
	if (fault)
		text_printf(&t, " --sim-fault %s", fault);
	/* a filter also takes the variants of a family: not wanted */
	for (i = 0; !all && i < NTESTS; i++)
		text_printf(&t, " -f '%s' -f '!%s+*'", tests[i], tests[i]);
	*c = (struct caught){0};
	f = popen(t.s, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f)) {
		summary |= strncmp(line, "Summary (software machine)", 26) == 0;
		if (summary)
			summary_line(c, line, a);
	}
	c->status = WEXITSTATUS(pclose(f));
	ck_assert_msg(summary, "no summary of: %s", t.s);
}

/* ---- the table ------------------------------------------------------------ */

static const char *
row_head(int i, struct arena *a)
{
	return arena_printf(a, "| `%s` | %s | %s | ", faults[i].fault,
	    faults[i].about, faults[i].verdicts);
}

/* "| `drop-fence` | fences do nothing | FORBIDDEN | A, B |" */
static char *
row_text(int i, const struct caught *c, struct arena *a)
{
	const char *comma = "";
	struct text t;
	int j;

	text_init(&t, a);
	text_printf(&t, "%s", row_head(i, a));
	for (j = 0; j < c->count; j++) {
		if (c->list[j].instances < RARE)
			continue;
		text_printf(&t, "%s%s", comma, c->list[j].name);
		comma = ", ";
	}
	text_printf(&t, " |");
	return t.s;
}

static const char *
row_find(const char *table, const char *fault, struct arena *a)
{
	const char *at = strstr(table, arena_printf(a, "\n| `%s` |", fault));

	ck_assert_msg(at != NULL, TABLE " has no row `%s`", fault);
	return at + 1;
}

static void
bless(const struct source *table, const char *row, const char *text)
{
	FILE *f = fopen(TABLE, "w");

	ck_assert_ptr_nonnull(f);
	fprintf(f, "%.*s%s%s", (int)(row - table->text), table->text, text,
	    row + strcspn(row, "\n"));
	fclose(f);
}

static bool
is_listed(const char *row, const char *name, struct arena *a)
{
	return strstr(row, arena_printf(a, " %s,", name)) ||
	    strstr(row, arena_printf(a, " %s |", name));
}

static const struct catch *
catch_find(const struct caught *c, const char *name)
{
	int i;

	for (i = 0; i < c->count; i++)
		if (strcmp(c->list[i].name, name) == 0)
			return &c->list[i];
	return NULL;
}

/* The row says what was caught; only what is rare may differ. */
static void
compare(int i, const char *row, const struct caught *c, struct arena *a)
{
	const char *head = row_head(i, a);
	size_t j;

	row = arena_strndup(a, row, strcspn(row, "\n"));
	ck_assert_msg(strncmp(row, head, strlen(head)) == 0,
	    "the row should begin\n%s\nnot\n%s", head, row);
	for (j = 0; j < NTESTS; j++) {
		const struct catch *found = catch_find(c, tests[j]);
		bool listed = is_listed(row, tests[j], a);

		ck_assert_msg(!listed || found, "%s does not catch %s, but "
		    TABLE " says so (BLESS=1 writes it anew)", tests[j],
		    faults[i].fault);
		ck_assert_msg(listed || !found || found->instances < OFTEN,
		    "%s catches %s, but " TABLE " does not say so (BLESS=1 "
		    "writes it anew)", tests[j], faults[i].fault);
	}
}

/* ---- the tests ------------------------------------------------------------ */

START_TEST(planted_faults_are_caught)
{
	const char *fault = faults[_i].fault, *row;
	struct arena *a = arena_new();
	struct caught *c = arena_alloc(a, sizeof(*c));
	struct source table;
	struct err err;
	int j;

	run(fault, INSTANCES, false, a, c);
	ck_assert_int_eq(c->tests, NTESTS);
	ck_assert_msg(c->status == 1 && c->count > 0, "%s: status %d, "
	    "caught by %d", fault, c->status, c->count);
	for (j = 0; j < c->count; j++)
		ck_assert_msg(strstr(faults[_i].verdicts,
		    c->list[j].verdict) != NULL, "%s: %s says %s", fault,
		    c->list[j].name, c->list[j].verdict);
	ck_assert(source_read(TABLE, 1 << 20, a, &table, &err));
	row = row_find(table.text, fault, a);
	if (getenv("BLESS"))
		bless(&table, row, row_text(_i, c, a));
	else
		compare(_i, row, c, a);
	arena_free(a);
}
END_TEST

START_TEST(without_a_fault_nothing_is_caught)
{
	struct arena *a = arena_new();
	struct caught *c = arena_alloc(a, sizeof(*c));

	run(NULL, INSTANCES, false, a, c);
	ck_assert_int_eq(c->tests, NTESTS);
	ck_assert_int_eq(c->status, 0);
	ck_assert_int_eq(c->count, 0);
	arena_free(a);
}
END_TEST

START_TEST(the_whole_suite_catches_them)
{
	const char *instances = getenv("FENCEPOST_SIM_FAULTS");
	struct arena *a = arena_new();
	struct caught *c = arena_alloc(a, sizeof(*c));

	if (instances) {
		run(faults[_i].fault, instances, true, a, c);
		printf("| `%s` | %d of %d |\n", faults[_i].fault, c->count,
		    c->tests);
		ck_assert_int_eq(c->status, 1);
	}
	arena_free(a);
}
END_TEST

/* Whoever may plant them must find their names. */
START_TEST(the_man_page_names_them)
{
	struct arena *a = arena_new();
	struct source man;
	struct err err;

	ck_assert(source_read("man/fencepost.1", 1 << 20, a, &man, &err));
	ck_assert_msg(strstr(man.text, arena_printf(a, ".It Cm %s\n%c%s",
	    faults[_i].fault, toupper((unsigned char)*faults[_i].about),
	    faults[_i].about + 1)) != NULL, "%s", faults[_i].fault);
	ck_assert_ptr_nonnull(strstr(sim_fault_help, faults[_i].fault));
	arena_free(a);
}
END_TEST

Suite *suite_sim_fault(void);

Suite *
suite_sim_fault(void)
{
	Suite *s = suite_create("sim_fault");
	TCase *c = tcase_create("sim_fault");

	tcase_set_timeout(c, 600);
	tcase_add_loop_test(c, planted_faults_are_caught, 0, NFAULTS);
	tcase_add_test(c, without_a_fault_nothing_is_caught);
	tcase_add_loop_test(c, the_whole_suite_catches_them, 0, NFAULTS);
	tcase_add_loop_test(c, the_man_page_names_them, 0, NFAULTS);
	suite_add_tcase(s, c);
	return s;
}
