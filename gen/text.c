#include "gen.h"

#include <stdarg.h>
#include <string.h>

void
text_init(struct text *t, struct arena *a)
{
	t->arena = a;
	t->room = 256;
	t->size = 0;
	t->s = arena_alloc(a, t->room);
}

static void
reserve(struct text *t, size_t more)
{
	size_t room = t->room;

	if (more < room - t->size)
		return;
	while (room - t->size <= more)
		room *= 2;
	t->s = arena_grow(t->arena, t->s, t->size + 1, room);
	t->room = room;
}

void
text_append(struct text *t, const char *s, size_t n)
{
	reserve(t, n);
	memcpy(t->s + t->size, s, n);
	t->size += n;
	t->s[t->size] = '\0';
}

void
text_printf(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n <= 0)
		return;
	reserve(t, (size_t)n);
	va_start(args, format);
	vsnprintf(t->s + t->size, (size_t)n + 1, format, args);
	va_end(args);
	t->size += (size_t)n;
}

/* Length of the valid UTF-8 sequence at s, or 0. */
static size_t
utf8_length(const unsigned char *s, size_t n)
{
	uint32_t c;
	size_t length, i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] < 0xe0)
		length = 2, c = s[0] & 0x1f;
	else if (s[0] >= 0xe0 && s[0] < 0xf0)
		length = 3, c = s[0] & 0x0f;
	else if (s[0] >= 0xf0 && s[0] < 0xf5)
		length = 4, c = s[0] & 0x07;
	else
		return 0;
	if (length > n)
		return 0;
	for (i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if ((length == 3 && c < 0x800) || (length == 4 && c < 0x10000) ||
	    c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	/* not characters in XML; C1 controls act on terminals */
	if (c == 0xfffe || c == 0xffff || (c >= 0x80 && c < 0xa0))
		return 0;
	return length;
}

char *
text_clean(struct arena *a, const char *s, size_t n)
{
	struct text t;
	size_t i = 0;

	text_init(&t, a);
	while (i < n) {
		unsigned char c = (unsigned char)s[i];
		size_t length = utf8_length((const unsigned char *)s + i,
		    n - i);

		if (length == 0 || c == 0x7f ||
		    (c < 0x20 && c != '\n' && c != '\t')) {
			text_append(&t, length ? "?" : "\xef\xbf\xbd",
			    length ? 1 : 3);
			i++;
		} else {
			text_append(&t, s + i, length);
			i += length;
		}
	}
	return t.s;
}

const char *
plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}
