#include "yaml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct builder {
	const struct source *source;
	struct arena *arena;
	struct errs *errs;
	yaml_parser_t parser;
	const char **lines; /* where each line of the source starts */
	int nlines;
	int nodes;
};

/* ---- places ------------------------------------------------------------ */

static void
lines_find(struct builder *b)
{
	const char *s = b->source->text, *end = s + b->source->size;
	int room = 256;

	b->lines = arena_alloc(b->arena, (size_t)room * sizeof(*b->lines));
	for (;;) {
		if (b->nlines == room) {
			b->lines = arena_grow(b->arena, b->lines,
			    (size_t)room * sizeof(*b->lines),
			    (size_t)room * 2 * sizeof(*b->lines));
			room *= 2;
		}
		b->lines[b->nlines++] = s;
		s = s < end ? memchr(s, '\n', (size_t)(end - s)) : NULL;
		if (!s)
			return;
		s++;
	}
}

/* libyaml counts characters; our columns count bytes. */
static struct loc
mark_loc(const struct builder *b, yaml_mark_t mark)
{
	struct loc loc = {b->source->name, (int)mark.line + 1, 1};
	const char *s, *end = b->source->text + b->source->size;
	size_t i;

	if (loc.line > b->nlines)
		return (struct loc){b->source->name, b->nlines, 1};
	s = b->lines[loc.line - 1];
	if (loc.line == 1 && strncmp(s, "\xef\xbb\xbf", 3) == 0)
		s += 3;
	for (i = 0; i < mark.column && s < end; i++) {
		s++;
		while (s < end && ((unsigned char)*s & 0xc0) == 0x80)
			s++;
	}
	loc.column = (int)(s - b->lines[loc.line - 1]) + 1;
	return loc;
}

/* Blanks that a literal block takes off each line of its text. */
static int
literal_indent(const struct builder *b, const struct node *n)
{
	const char *text = n->text;
	int line = n->loc.line; /* index of the line after the '|' */

	while (*text == '\n')
		text++, line++;
	if (!*text || line >= b->nlines)
		return 0;
	return (int)(strspn(b->lines[line], " ") - strspn(text, " "));
}

struct loc
node_place(const struct node *scalar, size_t offset)
{
	struct loc loc = scalar->loc;
	size_t i, start = 0;

	if (scalar->style == STYLE_LITERAL) {
		loc.line++;
		for (i = 0; i < offset && i < scalar->size; i++)
			if (scalar->text[i] == '\n')
				loc.line++, start = i + 1;
		loc.column = scalar->indent + (int)(offset - start) + 1;
	} else if (scalar->one_line) {
		loc.column += (int)offset + (scalar->style == STYLE_QUOTED);
	}
	return loc;
}

/* ---- building ---------------------------------------------------------- */

static bool
parser_error(struct builder *b)
{
	const yaml_parser_t *p = &b->parser;
	yaml_mark_t mark = p->problem_mark;
	const char *problem = p->problem ? p->problem : "malformed YAML";
	struct loc loc;
	const char *at;

	if (p->error == YAML_READER_ERROR) {
		/* no mark there: only the byte's offset */
		at = b->source->text + (p->problem_offset < b->source->size ?
		    p->problem_offset : b->source->size);
		loc = (struct loc){b->source->name, 1, 1};
		while (loc.line < b->nlines && b->lines[loc.line] <= at)
			loc.line++;
		loc.column = (int)(at - b->lines[loc.line - 1]) + 1;
		return errs_say(b->errs, loc, "%s", problem);
	}
	loc = mark_loc(b, mark);
	at = b->lines[loc.line - 1] + loc.column - 1;
	if (*at == '\t')
		return errs_say(b->errs, loc,
		    "a tab cannot indent YAML (use blanks)");
	if (p->context && p->context_mark.line + 1 != (size_t)loc.line)
		return errs_say(b->errs, loc, "YAML: %s from line %zu on, %s",
		    p->context, p->context_mark.line + 1, problem);
	if (p->context)
		return errs_say(b->errs, loc, "YAML: %s, %s", p->context,
		    problem);
	return errs_say(b->errs, loc, "YAML: %s", problem);
}

static bool
event_next(struct builder *b, yaml_event_t *event)
{
	return yaml_parser_parse(&b->parser, event) ? true : parser_error(b);
}

/* What our files do without. */
static bool
event_plain(struct builder *b, const yaml_event_t *e, struct loc loc)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	if (e->type == YAML_ALIAS_EVENT)
		return errs_say(b->errs, loc,
		    "YAML aliases are not used here (write it out)");
	if (e->type == YAML_SCALAR_EVENT) {
		anchor = e->data.scalar.anchor;
		tag = e->data.scalar.tag;
	} else if (e->type == YAML_SEQUENCE_START_EVENT) {
		anchor = e->data.sequence_start.anchor;
		tag = e->data.sequence_start.tag;
	} else if (e->type == YAML_MAPPING_START_EVENT) {
		anchor = e->data.mapping_start.anchor;
		tag = e->data.mapping_start.tag;
	}
	if (anchor)
		return errs_say(b->errs, loc,
		    "YAML anchors are not used here (write it out)");
	if (tag)
		return errs_say(b->errs, loc, "YAML tags are not used here");
	return true;
}

static bool
scalar_build(struct builder *b, const yaml_event_t *e, struct node *n)
{
	static const enum node_style styles[] = {
		[YAML_PLAIN_SCALAR_STYLE] = STYLE_PLAIN,
		[YAML_SINGLE_QUOTED_SCALAR_STYLE] = STYLE_QUOTED,
		[YAML_DOUBLE_QUOTED_SCALAR_STYLE] = STYLE_QUOTED,
		[YAML_LITERAL_SCALAR_STYLE] = STYLE_LITERAL,
		[YAML_FOLDED_SCALAR_STYLE] = STYLE_FOLDED,
	};
	size_t i;

	n->kind = NODE_SCALAR;
	n->style = styles[e->data.scalar.style];
	n->size = e->data.scalar.length;
	n->one_line = e->start_mark.line == e->end_mark.line;
	if (n->size > YAML_SCALAR_MAX)
		return errs_say(b->errs, n->loc,
		    "a scalar of more than %zu KiB", YAML_SCALAR_MAX >> 10);
	n->text = arena_strndup(b->arena, (const char *)e->data.scalar.value,
	    n->size);
	for (i = 0; i < n->size; i++)
		if ((unsigned char)n->text[i] < 0x20 && n->text[i] != '\n' &&
		    n->text[i] != '\t')
			return errs_say(b->errs, n->loc,
			    "a control character (0x%02x) in a scalar",
			    (unsigned char)n->text[i]);
	if (n->style == STYLE_LITERAL)
		n->indent = literal_indent(b, n);
	return true;
}

static bool node_build(struct builder *b, const yaml_event_t *e,
    struct node *n, int depth);

/* One more node at the end of an array that doubles. */
static struct node *
node_add(struct builder *b, struct node **list, int count)
{
	size_t size = (size_t)count * sizeof(**list);

	if (count == 0)
		*list = arena_alloc(b->arena, sizeof(**list));
	else if ((count & (count - 1)) == 0)
		*list = arena_grow(b->arena, *list, size, 2 * size);
	return &(*list)[count];
}

static bool
key_check(struct builder *b, const struct node *map, const struct node *key)
{
	int i;

	if (key->kind != NODE_SCALAR)
		return errs_say(b->errs, key->loc,
		    "a key must be a plain name");
	for (i = 0; i < map->count; i++)
		if (strcmp(map->keys[i].text, key->text) == 0)
			return errs_say(b->errs, key->loc,
			    "key '%.64s' is already on line %d", key->text,
			    map->keys[i].loc.line);
	return true;
}

/* Children up to the end event; keys and values alternate in a mapping. */
static bool
children_build(struct builder *b, struct node *n, int depth)
{
	bool ok = true;

	for (;;) {
		bool is_key = n->kind == NODE_MAPPING;
		yaml_event_t e;
		struct node *child;

		if (!event_next(b, &e))
			return false;
		if (e.type == YAML_SEQUENCE_END_EVENT ||
		    e.type == YAML_MAPPING_END_EVENT) {
			yaml_event_delete(&e);
			return ok;
		}
		child = node_add(b, is_key ? &n->keys : &n->items, n->count);
		if (!node_build(b, &e, child, depth))
			return false;
		if (is_key) {
			/* a doubled key is kept: its value is read, too */
			ok = key_check(b, n, child) && ok;
			if (child->kind != NODE_SCALAR || !event_next(b, &e))
				return false;
			child = node_add(b, &n->items, n->count);
			if (!node_build(b, &e, child, depth))
				return false;
		}
		n->count++;
	}
}

/* Builds the node that the event starts, and deletes the event. */
static bool
node_build(struct builder *b, const yaml_event_t *e, struct node *n,
    int depth)
{
	yaml_event_t event = *e;
	bool ok;

	n->loc = mark_loc(b, e->start_mark);
	ok = event_plain(b, e, n->loc);
	if (ok && depth > YAML_DEPTH_MAX)
		ok = errs_say(b->errs, n->loc,
		    "nested more than %d deep", YAML_DEPTH_MAX);
	if (ok && ++b->nodes > YAML_NODES_MAX)
		ok = errs_say(b->errs, n->loc,
		    "more than %d YAML nodes in a file", YAML_NODES_MAX);
	if (ok && e->type == YAML_SCALAR_EVENT)
		ok = scalar_build(b, e, n);
	n->kind = e->type == YAML_SCALAR_EVENT ? NODE_SCALAR :
	    e->type == YAML_SEQUENCE_START_EVENT ? NODE_SEQUENCE :
	    NODE_MAPPING;
	yaml_event_delete(&event);
	return ok && (n->kind == NODE_SCALAR ||
	    children_build(b, n, depth + 1));
}

static bool
documents_build(struct builder *b, struct node **documents, int *count)
{
	yaml_event_t e;
	bool end = false;

	while (!end) {
		if (!event_next(b, &e))
			return false;
		end = e.type == YAML_STREAM_END_EVENT;
		if (e.type == YAML_STREAM_START_EVENT || end ||
		    e.type == YAML_DOCUMENT_START_EVENT ||
		    e.type == YAML_DOCUMENT_END_EVENT) {
			yaml_event_delete(&e);
			continue;
		}
		if (!node_build(b, &e, node_add(b, documents, *count), 1))
			return false;
		++*count;
	}
	return true;
}

bool
yaml_documents(const struct source *source, struct arena *a,
    struct node **documents, int *count, struct errs *errs)
{
	struct builder b = {.source = source, .arena = a, .errs = errs};
	struct node *list = NULL;
	int n = 0, before = errs->count + errs->dropped;
	bool ok;

	if (source->size > YAML_SIZE_MAX)
		return errs_say(errs, (struct loc){source->name, 0, 0},
		    "larger than %zu KiB", YAML_SIZE_MAX >> 10);
	lines_find(&b);
	if (!yaml_parser_initialize(&b.parser))
		return errs_say(errs, (struct loc){source->name, 0, 0},
		    "no memory for the YAML parser");
	yaml_parser_set_encoding(&b.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&b.parser,
	    (const unsigned char *)source->text, source->size);
	ok = documents_build(&b, &list, &n);
	yaml_parser_delete(&b.parser);
	if (!ok || errs->count + errs->dropped > before)
		return false;
	*documents = list;
	*count = n;
	return true;
}

/* ---- looking at nodes --------------------------------------------------- */

const char *
node_kind_name(enum node_kind kind)
{
	static const char *const names[] = {
		[NODE_SCALAR] = "a scalar", [NODE_SEQUENCE] = "a list",
		[NODE_MAPPING] = "a map",
	};

	return names[kind];
}

const struct node *
node_get(const struct node *map, const char *key)
{
	int i;

	for (i = 0; i < map->count; i++)
		if (strcmp(map->keys[i].text, key) == 0)
			return &map->items[i];
	return NULL;
}

bool
node_is(const struct node *n, enum node_kind kind, const char *what,
    struct errs *errs)
{
	if (n->kind == kind)
		return true;
	return errs_say(errs, n->loc, "%s must be %s, not %s", what,
	    node_kind_name(kind), node_kind_name(n->kind));
}

static bool
key_unknown(const struct node *key, const char *const *known,
    struct errs *errs)
{
	char list[240] = "";
	size_t n = 0;
	int i;

	for (i = 0; known[i]; i++) {
		if (is_near(key->text, key->size, known[i]))
			return errs_say(errs, key->loc,
			    "unknown key '%.64s' (did you mean '%s'?)",
			    key->text, known[i]);
		if (n < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n,
			    "%s%s", i ? ", " : "", known[i]);
	}
	return errs_say(errs, key->loc, "unknown key '%.64s' (%s)",
	    key->text, list);
}

bool
node_keys_known(const struct node *map, const char *const *known,
    struct errs *errs)
{
	bool ok = true;
	int i, j;

	for (i = 0; i < map->count; i++) {
		for (j = 0; known[j]; j++)
			if (strcmp(map->keys[i].text, known[j]) == 0)
				break;
		if (!known[j])
			ok = key_unknown(&map->keys[i], known, errs);
	}
	return ok;
}

/* Decimal or 0x, with a sign; all of the text. Values up to 2^64 - 1. */
bool
text_int(const char *s, int64_t *value)
{
	bool minus = *s == '-';
	const char *digits = s + (minus || *s == '+');
	bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	unsigned long long v;
	char *end;

	digits += hex ? 2 : 0;
	if (!*digits || strspn(digits, hex ? "0123456789abcdefABCDEF" :
	    "0123456789") != strlen(digits))
		return false;
	errno = 0;
	v = strtoull(digits, &end, hex ? 16 : 10);
	if (errno || (minus && v > (uint64_t)INT64_MAX + 1))
		return false;
	*value = (int64_t)(minus ? 0 - (uint64_t)v : v);
	return true;
}

bool
node_int(const struct node *n, int64_t *value)
{
	return n->kind == NODE_SCALAR && text_int(n->text, value);
}
