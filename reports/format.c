#include "reports.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *const sim_notice = "software PTX machine: no GPU was involved";

/* "4.53e+08" -> "4.53e8" */
static void
short_exponent(char *s)
{
	char *e = strchr(s, 'e'), *from, *to;

	if (!e)
		return;
	from = to = e + 1;
	if (*from == '-')
		to++;
	if (*from == '-' || *from == '+')
		from++;
	while (*from == '0' && from[1])
		from++;
	memmove(to, from, strlen(from) + 1);
}

struct count_text
count_text(uint64_t n)
{
	struct count_text t;

	if (n < 1000)
		snprintf(t.s, sizeof(t.s), "%" PRIu64, n);
	else if (n < 1000000)
		snprintf(t.s, sizeof(t.s), "%" PRIu64 ",%03" PRIu64,
		    n / 1000, n % 1000);
	else
		t = rate_text((double)n);
	return t;
}

struct count_text
rate_text(double x)
{
	struct count_text t;

	if (isnan(x))
		snprintf(t.s, sizeof(t.s), "-");
	else if (fabs(x) >= 1e3 && fabs(x) < 1e6)
		snprintf(t.s, sizeof(t.s), "%.0f,%03.0f", floor(x / 1e3),
		    fmod(floor(x), 1e3));
	else if (fabs(x) >= 1e6)
		snprintf(t.s, sizeof(t.s), "%.2e", x);
	else
		snprintf(t.s, sizeof(t.s), "%.3g", x);
	short_exponent(t.s);
	return t;
}

struct count_text
time_text(double seconds)
{
	static const struct { double unit; const char *name; } units[] = {
		{60, "min"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "us"},
	};
	struct count_text t;
	size_t i = 0;

	if (isnan(seconds)) {
		snprintf(t.s, sizeof(t.s), "-");
		return t;
	}
	while (i < 3 && seconds < (i ? units[i].unit : 120))
		i++;
	snprintf(t.s, sizeof(t.s), "%.3g %s", seconds / units[i].unit,
	    units[i].name);
	return t;
}

void
row_print(FILE *f, const struct doc_test *t, const struct doc_row *r)
{
	int i;

	for (i = 0; i < r->nvalues; i++)
		fprintf(f, "%s%s=%" PRId64 ";", i ? " " : "", t->slots[i],
		    r->values[i]);
}

const char *
test_message(const struct doc_test *t)
{
	return t->message && *t->message ? t->message :
	    verdicts[t->verdict].words;
}

const char *
test_label(const struct document *d, const struct doc_test *t,
    struct arena *a)
{
	const struct doc_device *device = test_device(d, t);

	if (d->ndevices < 2)
		return t->name;
	return arena_printf(a, "%s [%s %" PRId64 "]", t->name, device->name,
	    device->index);
}

const char *
driver_label(const struct doc_device *d, struct arena *a)
{
	return d->driver_version ? arena_printf(a, "%s, %s",
	    d->driver_version, d->driver) : d->driver;
}

bool
same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

bool
same_driver(const struct doc_device *a, const struct doc_device *b)
{
	return strcmp(a->driver, b->driver) == 0 &&
	    same_text(a->driver_version, b->driver_version);
}

const char *
device_label(const struct doc_device *d, struct arena *a)
{
	if (d->kind == DOC_SIM)
		return sim_notice;
	return arena_printf(a, "%s (sm_%" PRId64 ", driver %s)", d->name,
	    d->sm, driver_label(d, a));
}

const char *
prim_words(const struct doc_primitive *p)
{
	return p->verdict == PRIM_MEASURED ? "measured, not validated" :
	    prim_verdicts[p->verdict];
}

const char *
claim_words(const struct document *d, const struct doc_claim *c)
{
	static const char *const words[] = {
		"not measured", "does not hold here", "holds",
	};

	return d->hardware ? words[c->holds + 1] :
	    "not judged: software machine";
}

/* Quoted for a shell where it must be. */
static void
put_word(struct text *t, const char *s)
{
	if (*s && !s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
	    "qrstuvwxyz0123456789+-_./=:,@%")]) {
		text_printf(t, "%s", s);
		return;
	}
	text_append(t, "'", 1);
	for (; *s; s++)
		if (*s == '\'')
			text_append(t, "'\\''", 4);
		else
			text_append(t, s, 1);
	text_append(t, "'", 1);
}

const char *
shell_command(const struct document *d, struct arena *a)
{
	struct text t;
	int i;

	text_init(&t, a);
	for (i = 0; i < d->ncommand; i++) {
		if (i)
			text_append(&t, " ", 1);
		put_word(&t, d->command[i]);
	}
	return t.s;
}

void
histogram_print(FILE *f, const struct doc_test *t)
{
	uint64_t hits = 0;
	int i;

	/* "1 states", as litmus7 has it: programs read this line */
	fprintf(f, "Histogram (%d states)\n", t->nrows);
	for (i = 0; i < t->nrows; i++) {
		const struct doc_row *r = &t->rows[i];

		fprintf(f, "%-12" PRIu64 "%s> ", r->count,
		    r->target ? "*" : ":");
		row_print(f, t, r);
		if (r->class != ROW_SC)
			fprintf(f, "  # %s", row_classes[r->class]);
		fprintf(f, "\n");
		hits += r->target ? r->count : 0;
	}
	if (t->other)
		fprintf(f, "%-12" PRIu64 ":> other\n", t->other);
	if (t->hang)
		fprintf(f, "%-12" PRIu64 ":> hang\n", t->hang);
	fprintf(f, "Observation %s %s %" PRIu64 " %" PRIu64 "\n", t->name,
	    !hits ? "Never" : hits < t->instances ? "Sometimes" : "Always",
	    hits, hits < t->instances ? t->instances - hits : 0);
}

void
put_xml(FILE *f, const char *s)
{
	static const char special[] = "&<>\"'";
	static const char *const entities[] = {
		"&amp;", "&lt;", "&gt;", "&quot;", "&#39;",
	};

	while (*s) {
		size_t n = strcspn(s, special);

		fwrite(s, 1, n, f);
		s += n;
		if (*s)
			fputs(entities[strchr(special, *s++) - special], f);
	}
}

/* May the character at s mean something to Markdown, HTML or GitHub? */
static bool
acts(const char *s, const char *begin)
{
	if (strchr("&<>*[]`|\\~#$@{}", *s))
		return true;
	if (*s == '_') /* inside a word it stands for itself */
		return s == begin || !isalnum((unsigned char)s[-1]) ||
		    !isalnum((unsigned char)s[1]);
	if (*s == ':') /* no links of its own making */
		return s[1] == '/' || s[1] == ':';
	return s == begin && strchr("-+=", *s);
}

static void
put_entities(FILE *f, const char *s, bool all)
{
	const char *begin = s;

	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '\n' || c == '\t' || c == '\r')
			fputc(' ', f);
		else if (all ? ispunct(c) && !strchr(" ,.;=/+-", c) :
		    acts(s, begin))
			fprintf(f, "&#%d;", c);
		else
			fputc(c, f);
	}
}

void
put_code(FILE *f, const char *s)
{
	if (*s && !strpbrk(s, "`|\\\n\t") && s[0] != ' ' &&
	    s[strlen(s) - 1] != ' ') {
		fprintf(f, "`%s`", s);
		return;
	}
	fputs("<code>", f);
	put_entities(f, s, true);
	fputs("</code>", f);
}

void
put_markdown(FILE *f, const char *s)
{
	put_entities(f, s, false);
}
