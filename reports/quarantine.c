#include "reports.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#define PARDONS_MAX 10000

static bool
is_date(const char *s)
{
	static const char form[] = "dddd-dd-dd";
	int month, day;
	size_t i;

	for (i = 0; form[i]; i++)
		if (form[i] == 'd' ? !isdigit((unsigned char)s[i]) :
		    s[i] != form[i])
			return false;
	month = (s[5] - '0') * 10 + s[6] - '0';
	day = (s[8] - '0') * 10 + s[9] - '0';
	return !s[10] && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/* The next word of the line, cut out of it; NULL at its end. */
static char *
word(char **s)
{
	char *begin = *s + strspn(*s, " \t\r"), *end;

	if (!*begin)
		return NULL;
	end = begin + strcspn(begin, " \t\r");
	*s = *end ? end + 1 : end;
	*end = '\0';
	return begin;
}

/* False with err->code ERR_NONE: an empty line. */
static bool
read_line(char *line, struct loc loc, struct pardon *p, struct err *err)
{
	char *s = line;

	err->code = ERR_NONE;
	p->loc = loc;
	p->until = word(&s);
	if (!p->until || *p->until == '#')
		return false;
	p->loc.column = (int)(p->until - line) + 1;
	if (!is_date(p->until))
		return err_set(err, ERR_INPUT, p->loc, "'%.40s' is not a "
		    "last day such as 2026-12-31", p->until);
	p->glob = word(&s);
	s += strspn(s, " \t");
	if (p->glob && *s == '@')
		p->device = word(&s) + 1;
	s += strspn(s, " \t");
	loc.column = (int)(s - line) + 1;
	if (!p->glob)
		return err_set(err, ERR_INPUT, loc,
		    "expected the name of a test, or a glob");
	if (!*s)
		return err_set(err, ERR_INPUT, loc,
		    "expected a reason: what is known, and where");
	p->reason = s;
	return true;
}

bool
quarantine_read(const struct source *source, struct arena *a,
    struct quarantine *q, struct errs *errs)
{
	const char *s = source->text, *end = s + source->size;
	struct pardon *list = NULL;
	size_t count = 0, room = 0;
	int before = errs->count, line;

	for (line = 1; s < end; line++) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		size_t n = (size_t)((stop ? stop : end) - s);
		struct loc loc = {source->name, line, 1};
		struct err err = {0};

		if (count == room) {
			list = arena_grow(a, list, room * sizeof(*list),
			    (room + 64) * sizeof(*list));
			room += 64;
		}
		if (read_line(text_clean(a, s, n), loc, &list[count], &err))
			count++;
		else if (err.code != ERR_NONE)
			errs_add(errs, &err);
		if (count > PARDONS_MAX) {
			err_set(&err, ERR_LIMIT, loc,
			    "more than %d entries", PARDONS_MAX);
			errs_add(errs, &err);
			break;
		}
		s += n + 1;
	}
	if (errs->count > before)
		return false;
	q->list = list;
	q->count = (int)count;
	return true;
}

static bool
covers(const struct pardon *p, const struct document *d,
    const struct doc_test *t)
{
	return fnmatch(p->glob, t->name, 0) == 0 && (!p->device ||
	    fnmatch(p->device, test_device(d, t)->name, 0) == 0);
}

void
quarantine_apply(struct quarantine *q, struct document *d)
{
	int i, k;

	for (k = 0; k < q->count; k++)
		q->list[k].expired = strncmp(d->started, q->list[k].until,
		    10) > 0;
	for (i = 0; i < d->ntests; i++) {
		struct doc_test *t = &d->tests[i];

		if (verdicts[t->verdict].exit == 0)
			continue;
		for (k = 0; k < q->count && !t->pardon; k++) {
			if (!covers(&q->list[k], d, t))
				continue;
			q->list[k].used++;
			if (!q->list[k].expired)
				t->pardon = &q->list[k];
		}
	}
}

enum junit
test_kind(const struct doc_test *t)
{
	return t->pardon ? JUNIT_SKIPPED : verdicts[t->verdict].junit;
}
