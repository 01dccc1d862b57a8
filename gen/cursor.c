/* Reading PTX text: blanks, names, numbers. */
#include "ptx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void
cursor_advance(struct cursor *c, size_t n)
{
	for (; n && *c->s; n--, c->s++) {
		if (*c->s == '\n') {
			c->loc.line++;
			c->loc.column = 1;
		} else {
			c->loc.column++;
		}
	}
}

void
cursor_skip(struct cursor *c)
{
	for (;;) {
		size_t n = strspn(c->s, " \t\r\n\f\v");
		const char *end;

		cursor_advance(c, n);
		if (c->s[0] == '/' && c->s[1] == '/') {
			cursor_advance(c, strcspn(c->s, "\n"));
		} else if (c->s[0] == '/' && c->s[1] == '*') {
			end = strstr(c->s + 2, "*/");
			cursor_advance(c, end ? (size_t)(end + 2 - c->s) :
			    strlen(c->s));
		} else {
			return;
		}
	}
}

static bool
name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	    c == '$' || c == '%';
}

static bool
name_part(char c)
{
	return (name_start(c) && c != '%') || (c >= '0' && c <= '9');
}

/* PTX's identifiers; %tid.x and its like are one name. */
size_t
name_length(const char *s)
{
	size_t n = 1;

	if (!name_start(s[0]))
		return 0;
	while (name_part(s[n]))
		n++;
	if (s[0] == '%' && n == 1)
		return 0;
	if (s[0] == '%' && s[n] == '.' && strchr("xyzw", s[n + 1]) &&
	    s[n + 1] && !name_part(s[n + 2]))
		n += 2;
	return n;
}

bool
cursor_expect(struct cursor *c, char ch, const char *where, struct err *err)
{
	cursor_skip(c);
	if (c->s[0] != ch)
		return err_set(err, ERR_INPUT, c->loc, "expected '%c' %s", ch,
		    where);
	cursor_advance(c, 1);
	return true;
}

bool
number_parse(struct cursor *c, int64_t *value, struct err *err)
{
	struct loc loc = c->loc;
	const char *s = c->s;
	bool minus = *s == '-';
	int base = 10;
	unsigned long long v;
	char *end;

	if (*s == '-' || *s == '+')
		s++;
	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		base = 16, s += 2;
	else if (s[0] == '0' && (s[1] == 'f' || s[1] == 'F'))
		base = 16, s += 2; /* the bits of a float */
	else if (s[0] == '0' && (s[1] == 'b' || s[1] == 'B'))
		base = 2, s += 2;
	else if (s[0] == '0' && s[1] >= '0' && s[1] <= '7')
		base = 8;
	if (!((*s >= '0' && *s <= '9') || (base == 16 &&
	    ((*s >= 'a' && *s <= 'f') || (*s >= 'A' && *s <= 'F')))))
		return err_set(err, ERR_INPUT, loc, "expected a number");
	errno = 0;
	v = strtoull(s, &end, base);
	if (errno == ERANGE || (minus && v > (uint64_t)INT64_MAX + 1))
		return err_set(err, ERR_INPUT, loc,
		    "the number does not fit in 64 bits");
	if (*end == 'U' || *end == 'u')
		end++;
	if (name_part(*end) || *end == '.')
		return err_set(err, ERR_INPUT, loc,
		    "bad number (decimal, 0x, 0b and 0 forms are read)");
	*value = (int64_t)(minus ? 0 - (uint64_t)v : v);
	cursor_advance(c, (size_t)(end - c->s));
	return true;
}

bool
number_starts(const char *s)
{
	return (*s >= '0' && *s <= '9') || *s == '-' || *s == '+';
}
