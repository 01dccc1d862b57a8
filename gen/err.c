#include "gen.h"

#include <stdarg.h>
#include <string.h>

bool
err_set(struct err *err, enum err_code code, struct loc loc,
    const char *format, ...)
{
	va_list args;

	err->code = code;
	err->loc = loc;
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	return false;
}

static int
loc_compare(struct loc a, struct loc b)
{
	if (a.line != b.line)
		return a.line < b.line ? -1 : 1;
	return a.column < b.column ? -1 : a.column > b.column;
}

/* Keeps the list in the order of the places, the earliest ERRS_MAX. */
void
errs_add(struct errs *errs, const struct err *err)
{
	int at = errs->count;

	while (at > 0 && loc_compare(errs->list[at - 1].loc, err->loc) > 0)
		at--;
	if (errs->count == ERRS_MAX) {
		errs->dropped++;
		if (at == ERRS_MAX)
			return;
		errs->count--;
	}
	memmove(errs->list + at + 1, errs->list + at,
	    (size_t)(errs->count - at) * sizeof(*err));
	errs->list[at] = *err;
	errs->count++;
}

bool
errs_say(struct errs *errs, struct loc loc, const char *format, ...)
{
	struct err err = {.code = ERR_INPUT, .loc = loc};
	va_list args;
	int i;

	va_start(args, format);
	vsnprintf(err.message, sizeof(err.message), format, args);
	va_end(args);
	for (i = 0; i < errs->count; i++)
		if (loc_compare(errs->list[i].loc, loc) == 0 &&
		    strcmp(errs->list[i].message, err.message) == 0)
			return false;
	errs_add(errs, &err);
	return false;
}

static const char *
line_start(const struct source *source, int line)
{
	const char *s = source->text, *end = s + source->size;

	while (line > 1 && s < end) {
		s = memchr(s, '\n', (size_t)(end - s));
		if (!s)
			return NULL;
		s++;
		line--;
	}
	return s < end ? s : NULL;
}

/* Names of files and what they hold must not steer a terminal. */
static void
char_print(FILE *f, char c, const char *keep)
{
	bool control = (unsigned char)c < 0x20 || c == 0x7f;

	fputc(control && (!c || !strchr(keep, c)) ? '?' : c, f);
}

#define CARET_WIDTH 200

/* The line and a caret under its column; columns count bytes. */
static void
caret_print(FILE *f, struct loc loc, const struct source *source)
{
	const char *s, *end;
	int i;

	if (loc.line < 1 || loc.column < 1 || loc.column > CARET_WIDTH)
		return;
	s = line_start(source, loc.line);
	if (!s)
		return;
	end = s;
	while (end < source->text + source->size && *end != '\n' &&
	    end - s < CARET_WIDTH)
		end++;
	fputs("  ", f);
	for (i = 0; i < end - s; i++)
		char_print(f, s[i], "\t");
	fputs("\n  ", f);
	for (i = 1; i < loc.column; i++)
		fputc(i <= end - s && s[i - 1] == '\t' ? '\t' : ' ', f);
	fputs("^\n", f);
}

static void
clean_print(FILE *f, const char *s, const char *keep)
{
	for (; *s; s++)
		char_print(f, *s, keep);
}

void
err_print(FILE *f, const struct err *err, const struct source *source)
{
	const struct loc *loc = &err->loc;

	clean_print(f, loc->source ? loc->source : "fencepost", "");
	if (loc->source && loc->line > 0)
		fprintf(f, ":%d:%d", loc->line, loc->column);
	fputs(": error: ", f);
	clean_print(f, err->message, "\n\t");
	fputc('\n', f);
	if (source && loc->source)
		caret_print(f, *loc, source);
}

void
errs_print(FILE *f, const struct errs *errs, const struct source *source)
{
	int i;

	for (i = 0; i < errs->count; i++)
		err_print(f, &errs->list[i], source);
	if (errs->dropped)
		fprintf(f, "%s: %d more error%s not shown\n", source ?
		    source->name : "fencepost", errs->dropped,
		    plural((uint64_t)errs->dropped));
}
