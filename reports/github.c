/*
 * GitHub workflow commands: annotations on the lines of the tests. GitHub
 * shows the first ten of a kind a step, so the tenth counts the rest.
 */
#include "reports.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHOWN 9

/* Data keeps ':' and ','; properties do not. */
static void
put(FILE *f, const char *s, bool property)
{
	for (; *s; s++) {
		if (strchr("%\r\n", *s) || (property && strchr(":,", *s)))
			fprintf(f, "%%%02X", (unsigned char)*s);
		else
			fputc(*s, f);
	}
}

/* Relative to the working folder, as GitHub wants it. */
static const char *
relative(const char *path, const char *here)
{
	size_t n = strlen(here);

	if (n && strncmp(path, here, n) == 0 && path[n] == '/')
		return path + n + 1;
	return path;
}

static void
put_test(FILE *f, const char *command, const struct document *d,
    const struct doc_test *t, const char *here, struct arena *a)
{
	fprintf(f, "::%s file=", command);
	put(f, relative(t->file, here), true);
	fprintf(f, ",line=%" PRIu64 ",title=", t->line ? t->line : 1);
	put(f, test_label(d, t, a), true);
	fputs("::", f);
	put(f, test_cell(t) == CELL_MUTE ? cell_rows[CELL_MUTE].words :
	    test_message(t), false);
	if (t->pardon)
		put(f, arena_printf(a, "\nquarantined until %s: %s",
		    t->pardon->until, t->pardon->reason), false);
	if (!d->hardware)
		put(f, arena_printf(a, "\n%s", sim_notice), false);
	if (t->explanation)
		put(f, arena_printf(a, "\n%s", t->explanation), false);
	if (t->replay)
		put(f, arena_printf(a, "\nreplay: %s", t->replay), false);
	fputc('\n', f);
}

static void
put_tests(FILE *f, const char *command, const struct document *d,
    bool (*wanted)(const struct doc_test *t), const char *here,
    struct arena *a)
{
	int i, n = 0;

	for (i = 0; i < d->ntests; i++)
		if (wanted(&d->tests[i]) && n++ < SHOWN)
			put_test(f, command, d, &d->tests[i], here, a);
	if (n > SHOWN)
		fprintf(f, "::%s::and %d more; the summary lists them all\n",
		    command, n - SHOWN);
}

static bool
failing(const struct doc_test *t)
{
	return verdicts[t->verdict].exit && !t->pardon;
}

static bool
doubtful(const struct doc_test *t)
{
	return t->pardon || test_cell(t) == CELL_MUTE;
}

static void
put_primitives(FILE *f, const struct document *d, const char *here)
{
	int i;

	for (i = 0; i < d->nprimitives; i++) {
		const struct doc_primitive *p = &d->primitives[i];

		if (p->verdict != PRIM_BROKEN && p->verdict != PRIM_NOT_CAUGHT)
			continue;
		fputs("::error ", f);
		if (p->file) {
			fputs("file=", f);
			put(f, relative(p->file, here), true);
			fprintf(f, ",line=%" PRIu64 ",", p->line ? p->line :
			    1);
		}
		fputs("title=", f);
		put(f, p->name, true);
		fputs("::", f);
		put(f, p->message ? p->message : prim_verdicts[p->verdict],
		    false);
		fputc('\n', f);
	}
}

void
github_write(FILE *f, const struct document *d)
{
	struct arena *a = arena_new();
	char here[PATH_MAX];

	if (!getcwd(here, sizeof(here)))
		here[0] = '\0';
	put_tests(f, "error", d, failing, here, a);
	put_primitives(f, d, here);
	put_tests(f, "warning", d, doubtful, here, a);
	if (!d->complete)
		fputs("::error::the run did not complete; what finished is "
		    "in the results\n", f);
	arena_free(a);
}
