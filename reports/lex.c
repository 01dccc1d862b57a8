#include "json.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct loc
source_place(const struct source *source, const char *at)
{
	const char *s = source->text, *next;
	struct loc loc = {source->name, 1, 1};

	while ((next = memchr(s, '\n', (size_t)(at - s)))) {
		loc.line++;
		s = next + 1;
	}
	loc.column = (int)(at - s) + 1;
	return loc;
}

static void
path_print(struct text *t, const struct lex *j)
{
	int i;

	for (i = 0; i < j->depth; i++) {
		const struct step *step = &j->path[i];

		if (step->index >= 0)
			text_printf(t, "[%d]", step->index);
		else if (step->key.s)
			text_printf(t, "%s%.*s", t->size ? "." : "",
			    step->key.size < 40 ? (int)step->key.size : 40,
			    step->key.s);
	}
	if (t->size)
		text_append(t, ": ", 2);
}

bool
lex_fail(struct lex *j, const char *at, const char *format, ...)
{
	struct text t;
	va_list args;
	char message[256];

	text_init(&t, j->arena);
	path_print(&t, j);
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	text_printf(&t, "%s", message);
	return err_set(j->err, ERR_INPUT, source_place(j->source, at), "%s",
	    t.s);
}

static void
skip_space(struct lex *j)
{
	while (j->s < j->end && (*j->s == ' ' || *j->s == '\n' ||
	    *j->s == '\t' || *j->s == '\r'))
		j->s++;
}

/* The next character after space, 0 at the end. */
char
lex_peek(struct lex *j)
{
	skip_space(j);
	return j->s < j->end ? *j->s : '\0';
}

bool
lex_expected(struct lex *j, const char *what)
{
	char c = lex_peek(j);

	if (j->s >= j->end)
		return lex_fail(j, j->s, "the text ends where %s is expected",
		    what);
	if (c < 0x21 || c > 0x7e)
		return lex_fail(j, j->s, "expected %s, found byte 0x%02x", what,
		    (unsigned char)c);
	return lex_fail(j, j->s, "expected %s, found '%c'", what, c);
}

bool
lex_take(struct lex *j, char c, const char *what)
{
	if (lex_peek(j) != c || j->s >= j->end)
		return lex_expected(j, what);
	j->s++;
	return true;
}

bool
lex_enter(struct lex *j, const char *at)
{
	if (j->depth == JSON_DEPTH_MAX)
		return lex_fail(j, at, "nested deeper than %d levels",
		    JSON_DEPTH_MAX);
	j->path[j->depth++] = (struct step){.index = -1};
	return true;
}

/* ---- strings ----------------------------------------------------------- */

static bool
hex4(struct lex *j, uint32_t *c)
{
	int i;

	*c = 0;
	for (i = 0; i < 4; i++, j->s++) {
		char d = j->s < j->end ? *j->s : '\0';

		if (d >= '0' && d <= '9')
			*c = *c << 4 | (uint32_t)(d - '0');
		else if ((d | 0x20) >= 'a' && (d | 0x20) <= 'f')
			*c = *c << 4 | (uint32_t)((d | 0x20) - 'a' + 10);
		else
			return lex_fail(j, j->s,
			    "expected four hexadecimal digits after \\u");
	}
	return true;
}

static size_t
utf8_put(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* After "\u": one character, or the pair that spells one. */
static bool
escape_u(struct lex *j, const char *at, uint32_t *c)
{
	uint32_t low;

	if (!hex4(j, c))
		return false;
	if (*c == 0)
		return lex_fail(j, at, "a zero character in a string");
	if (*c < 0xd800 || *c > 0xdfff)
		return true;
	if (*c > 0xdbff || j->end - j->s < 2 || memcmp(j->s, "\\u", 2) != 0)
		return lex_fail(j, at, "half of a surrogate pair");
	j->s += 2;
	if (!hex4(j, &low))
		return false;
	if (low < 0xdc00 || low > 0xdfff)
		return lex_fail(j, at, "half of a surrogate pair");
	*c = 0x10000 + ((*c - 0xd800) << 10) + (low - 0xdc00);
	return true;
}

/* At the backslash; writes what the escape means. */
static bool
escape(struct lex *j, char *out, size_t *n)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at = j->s, *found;
	uint32_t c;

	j->s++;
	if (j->s < j->end && *j->s == 'u') {
		j->s++;
		if (!escape_u(j, at, &c))
			return false;
		*n = utf8_put(out, c);
		return true;
	}
	found = j->s < j->end && *j->s ? strchr(from, *j->s) : NULL;
	if (!found)
		return lex_fail(j, at, "unknown escape in a string");
	out[0] = to[found - from];
	*n = 1;
	j->s++;
	return true;
}

/*
 * Moves past one valid UTF-8 character of several bytes. (text_clean()
 * afterwards replaces those that are valid but not fit to print.)
 */
static bool
skip_utf8(struct lex *j)
{
	const unsigned char *s = (const unsigned char *)j->s;
	size_t left = (size_t)(j->end - j->s), i;
	size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	bool good = s[0] >= 0xc2 && s[0] < 0xf5 && length <= left;

	for (i = 1; good && i < length; i++)
		good = (s[i] & 0xc0) == 0x80;
	if (good && length == 3)
		good = !(s[0] == 0xe0 && s[1] < 0xa0) &&
		    !(s[0] == 0xed && s[1] > 0x9f);
	if (good && length == 4)
		good = !(s[0] == 0xf0 && s[1] < 0x90) &&
		    !(s[0] == 0xf4 && s[1] > 0x8f);
	if (!good)
		return lex_fail(j, j->s, "invalid UTF-8 (byte 0x%02x)", s[0]);
	j->s += length;
	return true;
}

/* Finds the end of a string and checks its bytes; j->s is left there. */
static bool
scan_string(struct lex *j, const char *open, bool *plain)
{
	*plain = true;
	while (j->s < j->end && *j->s != '"') {
		unsigned char c = (unsigned char)*j->s;

		if (c < 0x20)
			return lex_fail(j, j->s,
			    "control character 0x%02x in a string", c);
		if (c == '\\' || c >= 0x7f)
			*plain = false;
		if (c >= 0x80) {
			if (!skip_utf8(j))
				return false;
		} else {
			j->s += c == '\\' && j->end - j->s > 1 ? 2 : 1;
		}
	}
	if (j->s >= j->end)
		return lex_fail(j, open, "a string without an end");
	if ((size_t)(j->s - open) > JSON_STRING_MAX)
		return lex_fail(j, open, "a string longer than %zu bytes",
		    JSON_STRING_MAX);
	return true;
}

/* The string at j->s; out may be NULL: only checked. */
bool
lex_string(struct lex *j, const char **out)
{
	const char *open, *close, *begin;
	bool plain;
	char *to;
	size_t n = 0, step = 0;

	if (!lex_take(j, '"', "a string"))
		return false;
	open = j->s - 1;
	if (!scan_string(j, open, &plain))
		return false;
	close = j->s;
	if (plain) {
		if (out)
			*out = arena_strndup(j->arena, open + 1,
			    (size_t)(close - open) - 1);
		j->s++;
		return true;
	}
	to = arena_alloc(j->arena, (size_t)(close - open) + 1);
	for (j->s = open + 1; j->s < close;) {
		if (*j->s == '\\') {
			if (!escape(j, to + n, &step))
				return false;
			n += step;
			continue;
		}
		begin = j->s;
		while (j->s < close && *j->s != '\\')
			j->s++;
		memcpy(to + n, begin, (size_t)(j->s - begin));
		n += (size_t)(j->s - begin);
	}
	j->s = close + 1;
	if (out)
		*out = text_clean(j->arena, to, n);
	return true;
}

/* A key and its ':'. Most are spelled plainly and stay where they are. */
bool
lex_key(struct lex *j, struct span *key)
{
	const char *open, *s;
	bool plain;

	if (lex_peek(j) != '"')
		return lex_expected(j, "a key");
	open = j->s++;
	if (!scan_string(j, open, &plain))
		return false;
	if (plain) {
		*key = (struct span){open + 1, (size_t)(j->s - open) - 1};
		j->s++;
	} else {
		j->s = open;
		if (!lex_string(j, &s))
			return false;
		*key = (struct span){s, strlen(s)};
	}
	return lex_take(j, ':', "':'");
}

/* ---- numbers ----------------------------------------------------------- */

static void
skip_digits(struct lex *j)
{
	while (j->s < j->end && *j->s >= '0' && *j->s <= '9')
		j->s++;
}

/* Checks JSON's grammar of numbers; *whole: no fraction, no exponent. */
static bool
scan_number(struct lex *j, bool *whole)
{
	const char *begin, *digits;

	lex_peek(j);
	begin = j->s;
	if (j->s < j->end && *j->s == '-')
		j->s++;
	digits = j->s;
	skip_digits(j);
	if (j->s == digits || (*digits == '0' && j->s - digits > 1)) {
		j->s = begin;
		return lex_expected(j, "a number");
	}
	*whole = true;
	if (j->s < j->end && *j->s == '.') {
		*whole = false;
		digits = ++j->s;
		skip_digits(j);
		if (j->s == digits)
			return lex_fail(j, begin, "a number ends in '.'");
	}
	if (j->s < j->end && (*j->s == 'e' || *j->s == 'E')) {
		*whole = false;
		j->s++;
		if (j->s < j->end && (*j->s == '+' || *j->s == '-'))
			j->s++;
		digits = j->s;
		skip_digits(j);
		if (j->s == digits)
			return lex_fail(j, begin, "an exponent without digits");
	}
	return true;
}

bool
lex_int(struct lex *j, bool negative, int64_t *out)
{
	const char *begin;
	bool whole;

	lex_peek(j);
	begin = j->s;
	if (!scan_number(j, &whole))
		return false;
	if (!whole)
		return lex_fail(j, begin, "expected a whole number");
	if (*begin == '-' && !negative)
		return lex_fail(j, begin, "expected a number of 0 or more");
	errno = 0;
	*out = strtoll(begin, NULL, 10); /* the text ends in a zero */
	if (errno)
		return lex_fail(j, begin, "a number beyond 64 bits");
	return true;
}

bool
lex_number(struct lex *j, double *out)
{
	const char *begin;
	bool whole;

	lex_peek(j);
	begin = j->s;
	if (!scan_number(j, &whole))
		return false;
	*out = strtod(begin, NULL);
	if (!isfinite(*out))
		return lex_fail(j, begin, "a number too large");
	return true;
}

bool
lex_hex64(struct lex *j, uint64_t *out)
{
	const char *at = (lex_peek(j), j->s), *s;
	char *end;

	if (!lex_string(j, &s))
		return false;
	if (strlen(s) != 16 || strspn(s, "0123456789abcdef") != 16)
		return lex_fail(j, at,
		    "expected 16 lower-case hexadecimal digits");
	*out = strtoull(s, &end, 16);
	return true;
}

/* A bare word: true, false, null. */
bool
lex_word(struct lex *j, const char *word)
{
	size_t n = strlen(word);

	lex_peek(j);
	if ((size_t)(j->end - j->s) < n || memcmp(j->s, word, n) != 0)
		return false;
	j->s += n;
	return true;
}

bool
lex_bool(struct lex *j, bool *out)
{
	if (lex_word(j, "true"))
		*out = true;
	else if (lex_word(j, "false"))
		*out = false;
	else
		return lex_expected(j, "true or false");
	return true;
}

/* ---- values of no interest --------------------------------------------- */

static bool
skip_members(struct lex *j, bool keys, char close)
{
	const char *at = j->s++;

	if (!lex_enter(j, at))
		return false;
	if (lex_peek(j) == close) {
		j->s++;
		j->depth--;
		return true;
	}
	for (;;) {
		if (!keys)
			j->path[j->depth - 1].index++;
		if (keys && !lex_key(j, &j->path[j->depth - 1].key))
			return false;
		if (!lex_skip(j))
			return false;
		if (lex_peek(j) != ',')
			break;
		j->s++;
	}
	if (!lex_take(j, close, keys ? "',' or '}'" : "',' or ']'"))
		return false;
	j->depth--;
	return true;
}

bool
lex_skip(struct lex *j)
{
	bool whole;

	switch (lex_peek(j)) {
	case '{':
		return skip_members(j, true, '}');
	case '[':
		return skip_members(j, false, ']');
	case '"':
		return lex_string(j, NULL);
	case 't':
	case 'f':
	case 'n':
		if (lex_word(j, "true") || lex_word(j, "false") ||
		    lex_word(j, "null"))
			return true;
		return lex_expected(j, "a value");
	}
	if (*j->s != '-' && (*j->s < '0' || *j->s > '9'))
		return lex_expected(j, "a value");
	return scan_number(j, &whole);
}

