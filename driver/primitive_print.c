/* Findings and costs of primitives, for people. */
#include "primitive.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define NAME_COLUMN 36
#define WHAT_COLUMN 36

static const char *
text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static uint64_t
count_of(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

/* What people are told, and in what colour. */
static const struct word {
	const char *verdict, *sound, *twin, *color;
} words[] = {
	{"pass", "ok", "caught", "\033[32m"},
	{"broken", "BROKEN", "BROKEN", "\033[1;31m"},
	{"not-caught", "NOT CAUGHT", "NOT CAUGHT", "\033[1;31m"},
	{"not-caught-here", "", "not caught here", "\033[33m"},
	{"measured", "measured, not validated", "measured, not validated",
	    ""},
	{"not-run", "skipped", "skipped", "\033[33m"},
};

static const struct word *
word_of(const json_t *entry)
{
	const char *verdict = text_of(entry, "verdict");
	size_t i;

	for (i = 0; i + 1 < sizeof(words) / sizeof(*words); i++)
		if (strcmp(words[i].verdict, verdict) == 0)
			break;
	return &words[i];
}

static void
print_findings(FILE *f, const json_t *entry)
{
	const json_t *finding;
	size_t i;

	json_array_foreach(json_object_get(entry, "findings"), i, finding) {
		fprintf(f, "%s%s %s", i ? "; " : "", text_of(finding, "kind"),
		    count_text(count_of(finding, "count")).s);
		if (json_object_get(finding, "round"))
			fprintf(f, ", round %" PRIu64,
			    count_of(finding, "round"));
		fprintf(f, ": %s", text_of(finding, "detail"));
	}
}

/*
 * "grid_monotonic   ok   1.2M rounds, 3.4G crossings"
 * "  relaxed_poll   caught   stale 12, round 3: CTA 4 thread ..."
 */
void
primitive_print(FILE *f, const json_t *entry, const struct style *style)
{
	const struct word *word = word_of(entry);
	const char *name = text_of(entry, "name");
	const char *of = text_of(entry, "twin_of");
	bool twin = *of != '\0';
	size_t n = strlen(of);

	if (twin && strncmp(name, of, n) == 0 && name[n] == '_')
		name += n + 1;
	fprintf(f, "%s%-*s %s%-15s%s ", twin ? "  " : "",
	    NAME_COLUMN - (twin ? 2 : 0), name, style->color ? word->color :
	    "", twin ? word->twin : word->sound, style->color ? "\033[0m" :
	    "");
	if (json_array_size(json_object_get(entry, "findings")))
		print_findings(f, entry);
	else if (json_object_get(entry, "crossings"))
		fprintf(f, "%s rounds, %s crossings",
		    count_text(count_of(entry, "rounds")).s,
		    count_text(count_of(entry, "crossings")).s);
	if (*text_of(entry, "message") && word->verdict[0] != 'p' &&
	    strcmp(word->sound, text_of(entry, "message")) != 0 &&
	    strcmp(word->verdict, "not-caught-here") != 0)
		fprintf(f, "%s%s", json_object_get(entry, "crossings") ?
		    "; " : "", text_of(entry, "message"));
	if (twin && word->verdict[0] != 'p')
		fprintf(f, " [%s]", text_of(entry, "flaw"));
	fprintf(f, "%s\n", style->sim ? " (software machine)" : "");
}

/* ---- costs -------------------------------------------------------------- */

/* Neither costs nor what is said of them. */
static const char not_judged[] = "  not judged: software machine";

static double
number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return v ? json_real_value(v) : NAN;
}

static bool
is_rate(const json_t *b)
{
	return strcmp(text_of(b, "unit"), "1/s") == 0;
}

static void
print_row(FILE *f, const json_t *entry, const json_t *b,
    const struct style *style)
{
	fprintf(f, "%-26s %-*s %5" PRIu64 "x%-5" PRIu64,
	    text_of(entry, "name"), WHAT_COLUMN, text_of(b, "what"),
	    count_of(b, "ctas"), count_of(b, "threads"));
	if (is_rate(b))
		fprintf(f, "%10s/s", rate_text(number(b, "median")).s);
	else
		fprintf(f, "%10.4g%10.4g%10.4g", number(b, "median"),
		    number(b, "p1"), number(b, "p99"));
	if (json_object_get(b, "cycles"))
		fprintf(f, "%10.4g", number(b, "cycles"));
	fprintf(f, "%s\n", style->sim ? not_judged : "");
}

static void
print_rows(FILE *f, const json_t *entries, bool rates,
    const struct style *style)
{
	const json_t *entry, *b;
	size_t i, k;

	json_array_foreach(entries, i, entry)
		json_array_foreach(json_object_get(entry, "bench"), k, b)
			if (is_rate(b) == rates)
				print_row(f, entry, b, style);
}

void
primitive_print_benches(FILE *f, const json_t *entries,
    const struct style *style)
{
	const json_t *entry;
	size_t i, n = 0;

	json_array_foreach(entries, i, entry)
		n += json_array_size(json_object_get(entry, "bench"));
	if (n == 0)
		return;
	fprintf(f, "\n%-26s %-*s %5s %-5s%10s%10s%10s%10s\n", "latency, ns",
	    WHAT_COLUMN, "", "CTAs", "thr.", "median", "p1", "p99", "cycles");
	print_rows(f, entries, false, style);
	fprintf(f, "\n%-26s %-*s %5s %-5s%10s\n", "throughput", WHAT_COLUMN,
	    "", "CTAs", "thr.", "crossings");
	print_rows(f, entries, true, style);
}

void
primitive_print_claims(FILE *f, const json_t *claims,
    const struct style *style)
{
	const json_t *claim;
	size_t i;

	if (json_array_size(claims) == 0)
		return;
	fprintf(f, "\nThe chapter says:\n");
	json_array_foreach(claims, i, claim) {
		const json_t *holds = json_object_get(claim, "holds");

		fprintf(f, "  %-18s %s: %s\n", style->sim ? "not judged" :
		    json_is_true(holds) ? "holds" : "does not hold here",
		    text_of(claim, "claim"), text_of(claim, "figure"));
	}
}

/* ---- in sum ------------------------------------------------------------- */

struct sum {
	int sound, clean, twins, caught, measured, skipped;
};

static struct sum
add_up(const json_t *entries)
{
	struct sum sum = {0};
	const json_t *entry;
	size_t i;

	json_array_foreach(entries, i, entry) {
		const char *verdict = text_of(entry, "verdict");
		bool pass = strcmp(verdict, "pass") == 0;

		if (strcmp(verdict, "not-run") == 0) {
			sum.skipped++;
		} else if (strcmp(verdict, "measured") == 0) {
			sum.measured++;
		} else if (*text_of(entry, "twin_of")) {
			sum.twins++;
			sum.caught += pass;
		} else {
			sum.sound++;
			sum.clean += pass;
		}
	}
	return sum;
}

static bool
skipped_for(const json_t *entry, const char *why)
{
	return strcmp(text_of(entry, "verdict"), "not-run") == 0 &&
	    strcmp(text_of(entry, "message"), why) == 0;
}

/* "  no time was left for it: lock_cas, lock_ticket, 7 twins" */
static void
print_reason(FILE *f, const json_t *entries, const char *why)
{
	const json_t *entry;
	size_t i;
	int names = 0, twins = 0;

	fprintf(f, "  %s: ", *why ? why : "nothing to do");
	json_array_foreach(entries, i, entry)
		if (!skipped_for(entry, why))
			continue;
		else if (*text_of(entry, "twin_of"))
			twins++;
		else
			fprintf(f, "%s%s", names++ ? ", " : "",
			    text_of(entry, "name"));
	if (twins)
		fprintf(f, "%s%d twin%s", names ? ", " : "", twins,
		    plural((uint64_t)twins));
	fputc('\n', f);
}

/* Each reason once, where it comes first. */
static void
print_skipped(FILE *f, const json_t *entries)
{
	const json_t *entry;
	size_t i, k;

	json_array_foreach(entries, i, entry) {
		const char *why = text_of(entry, "message");

		if (!skipped_for(entry, why))
			continue;
		for (k = 0; !skipped_for(json_array_get(entries, k), why); )
			k++;
		if (k == i)
			print_reason(f, entries, why);
	}
}

void
primitive_print_summary(FILE *f, const json_t *entries,
    const struct style *style)
{
	struct sum sum = add_up(entries);

	fputc('\n', f);
	if (sum.sound + sum.twins || !sum.measured)
		fprintf(f, "%d of %d primitives clean, %d of %d broken twins "
		    "caught%s", sum.clean, sum.sound, sum.caught, sum.twins,
		    sum.measured ? ", " : "");
	if (sum.measured)
		fprintf(f, "%d measured, not validated", sum.measured);
	if (sum.skipped)
		fprintf(f, ", %d skipped", sum.skipped);
	fprintf(f, "%s\n", style->sim ? " (software machine: no GPU took "
	    "part)" : "");
	if (sum.skipped)
		fprintf(f, "%zu of %zu ran; skipped:\n",
		    json_array_size(entries) - (size_t)sum.skipped,
		    json_array_size(entries));
	print_skipped(f, entries);
}
