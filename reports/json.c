#include "json.h"

#include <math.h>
#include <string.h>

static bool read_object(struct lex *j, const struct shape *shape,
    void *out);

static bool
read_enum(struct lex *j, const struct field *f, int *out)
{
	const char *at = (lex_peek(j), j->s), *s;
	struct text t;
	int i;

	if (!lex_string(j, &s))
		return false;
	for (i = 0; f->names[i]; i++)
		if (strcmp(s, f->names[i]) == 0) {
			*out = i;
			return true;
		}
	text_init(&t, j->arena);
	for (i = 0; f->names[i]; i++)
		text_printf(&t, "%s%s", i ? ", " : "", f->names[i]);
	return lex_fail(j, at, "'%.40s' is not one of %s", s, t.s);
}

/* One element of an array field, at `out`. */
static bool
read_element(struct lex *j, const struct field *f, void *out)
{
	if (f->kind == FIELD_OBJECTS)
		return read_object(j, f->shape, out);
	if (f->kind == FIELD_STRINGS)
		return lex_string(j, out);
	return lex_int(j, true, out);
}

static bool
read_array(struct lex *j, const struct field *f, char *out)
{
	size_t size = f->kind == FIELD_OBJECTS ? f->shape->size :
	    f->kind == FIELD_STRINGS ? sizeof(char *) : sizeof(int64_t);
	size_t n = 0, room = 0;
	char *list = NULL;
	const char *at;

	if (!lex_take(j, '[', "a list"))
		return false;
	at = j->s - 1;
	if (!lex_enter(j, at))
		return false;
	while (n || lex_peek(j) != ']') {
		if (n == room) {
			list = arena_grow(j->arena, list, n * size,
			    (room ? 2 * room : 4) * size);
			room = room ? 2 * room : 4;
		}
		j->path[j->depth - 1].index = (int)n;
		if (!read_element(j, f, list + n * size))
			return false;
		n++;
		if (lex_peek(j) != ',')
			break;
		j->s++;
	}
	if (!lex_take(j, ']', "',' or ']'"))
		return false;
	j->depth--;
	memcpy(out + f->offset, &list, sizeof(list));
	*(int *)(void *)(out + f->count) = (int)n;
	return true;
}

static bool
read_raw(struct lex *j, const char **out)
{
	const char *begin = (lex_peek(j), j->s);

	if (!lex_skip(j))
		return false;
	*out = arena_strndup(j->arena, begin, (size_t)(j->s - begin));
	return true;
}

static bool
read_maybe(struct lex *j, int *out)
{
	bool b = false;

	if (!lex_bool(j, &b))
		return false;
	*out = b;
	return true;
}

static bool
read_child(struct lex *j, const struct field *f, void **out)
{
	*out = arena_alloc(j->arena, f->shape->size);
	return read_object(j, f->shape, *out);
}

static bool
read_field(struct lex *j, const struct field *f, char *out)
{
	void *to = out + f->offset;

	if (f->flags & FIELD_NULLABLE && lex_word(j, "null"))
		return true;
	switch (f->kind) {
	case FIELD_STRING:
		return lex_string(j, to);
	case FIELD_HEX64:
		return lex_hex64(j, to);
	case FIELD_INT:
		return lex_int(j, true, to);
	case FIELD_COUNT:
		return lex_int(j, false, to);
	case FIELD_NUMBER:
		return lex_number(j, to);
	case FIELD_BOOL:
		return lex_bool(j, to);
	case FIELD_MAYBE:
		return read_maybe(j, to);
	case FIELD_ENUM:
		return read_enum(j, f, to);
	case FIELD_OBJECT:
		return read_child(j, f, to);
	case FIELD_OBJECTS:
	case FIELD_STRINGS:
	case FIELD_INTS:
		return read_array(j, f, out);
	case FIELD_RAW:
		return read_raw(j, to);
	case FIELD_SKIP:
		break;
	}
	return lex_skip(j);
}

/* Keys mostly come in the order of the table: look from `hint` on. */
static int
find_field(const struct shape *shape, struct span key, int hint)
{
	int i;

	for (i = 0; i < shape->count; i++) {
		int at = (hint + i) % shape->count;
		const char *name = shape->fields[at].name;

		if (strncmp(name, key.s, key.size) == 0 && !name[key.size])
			return at;
	}
	return -1;
}

static void
set_absent(const struct shape *shape, char *out)
{
	int i;

	for (i = 0; i < shape->count; i++) {
		const struct field *f = &shape->fields[i];
		void *to = out + f->offset;

		if (f->kind == FIELD_NUMBER)
			*(double *)to = NAN;
		else if (f->kind == FIELD_MAYBE)
			*(int *)to = -1;
	}
}

static bool
read_member(struct lex *j, const struct shape *shape, char *out,
    uint64_t *seen, int *hint)
{
	const char *at = (lex_peek(j), j->s);
	struct span key;
	int i;

	if (!lex_key(j, &key))
		return false;
	i = find_field(shape, key, *hint);
	if (i < 0 && shape->closed)
		return lex_fail(j, at, "%s has no '%.*s'", shape->name,
		    key.size < 40 ? (int)key.size : 40, key.s);
	j->path[j->depth - 1].key = key;
	if (i < 0)
		return lex_skip(j);
	if (*seen >> i & 1)
		return lex_fail(j, at, "given twice");
	*seen |= (uint64_t)1 << i;
	*hint = i + 1;
	return read_field(j, &shape->fields[i], out);
}

static bool
read_object(struct lex *j, const struct shape *shape, void *out)
{
	const char *at = (lex_peek(j), j->s);
	uint64_t seen = 0;
	int i, hint = 0;

	if (*at != '{')
		return lex_expected(j, shape->name);
	j->s++;
	if (!lex_enter(j, at))
		return false;
	set_absent(shape, out);
	while (seen || lex_peek(j) != '}') {
		if (!read_member(j, shape, out, &seen, &hint))
			return false;
		if (lex_peek(j) != ',')
			break;
		j->s++;
		if (lex_peek(j) == '}')
			return lex_expected(j, "a key");
	}
	if (!lex_take(j, '}', "',' or '}'"))
		return false;
	j->depth--;
	for (i = 0; i < shape->count; i++)
		if (shape->fields[i].flags & FIELD_REQUIRED &&
		    !(seen >> i & 1))
			return lex_fail(j, at, "%s needs '%s'", shape->name,
			    shape->fields[i].name);
	if (shape->spans)
		*(struct span *)(void *)((char *)out + shape->span) =
		    (struct span){at, (size_t)(j->s - at)};
	return true;
}

bool
json_read(const struct source *source, const struct shape *shape,
    struct arena *a, void *out, struct err *err)
{
	struct lex j = {.source = source, .s = source->text,
	    .end = source->text + source->size, .arena = a, .err = err};

	if (memchr(source->text, '\0', source->size))
		return lex_fail(&j, memchr(source->text, '\0', source->size),
		    "a zero byte");
	if (!read_object(&j, shape, out))
		return false;
	if (lex_peek(&j), j.s < j.end)
		return lex_expected(&j, "the end");
	return true;
}
