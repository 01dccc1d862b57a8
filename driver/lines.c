/* What a worker says, a line at a time. */
#include "crew.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool
make_room(struct lines *l, size_t limit, struct err *err)
{
	size_t room = l->room ? 2 * l->room : 65536;
	char *text;

	if (l->size < l->room)
		return true;
	text = room <= limit ? realloc(l->text, room) : NULL;
	if (!text)
		return err_set(err, ERR_LIMIT, (struct loc){0},
		    "a result of more than %zu bytes", l->size);
	l->text = text;
	l->room = room;
	return true;
}

bool
lines_read(struct lines *l, int from, size_t limit, bool *ended,
    struct err *err)
{
	ssize_t n;

	if (l->start > 0)
		memmove(l->text, l->text + l->start, l->size - l->start);
	l->size -= l->start;
	l->start = 0;
	if (!make_room(l, limit, err))
		return false;
	n = read(from, l->text + l->size, l->room - l->size);
	*ended = n == 0 || (n < 0 && errno != EINTR);
	if (n > 0)
		l->size += (size_t)n;
	return true;
}

char *
lines_next(struct lines *l)
{
	char *line, *end;

	if (l->start == l->size)
		return NULL;
	line = l->text + l->start;
	end = memchr(line, '\n', l->size - l->start);
	if (!end)
		return NULL;
	*end = '\0';
	l->start += (size_t)(end - line) + 1;
	return line;
}
