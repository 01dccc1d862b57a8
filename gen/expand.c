/* Filling placeholders in, and remembering where each byte came from. */
#include "reader.h"

#include <string.h>

#define EXPAND_DEPTH_MAX 8

struct expander {
	const struct variants *all;
	const struct variant *variant;
	struct arena *arena;
	struct errs *errs;
	struct text text;
	struct piece *pieces;
	int npieces;
	bool ok;
};

/* Length of "{name}" at s, or 0. */
static size_t
placeholder_length(const char *s)
{
	size_t n = strspn(s + 1, "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	return *s == '{' && n > 0 && s[n + 1] == '}' &&
	    !(s[1] >= '0' && s[1] <= '9') ? n + 2 : 0;
}

static struct definition *
definition_find(struct definition *const *list, int count, const char *name,
    size_t n)
{
	int i;

	for (i = 0; i < count; i++)
		if (strlen(list[i]->name) == n &&
		    memcmp(list[i]->name, name, n) == 0)
			return list[i];
	return NULL;
}

static bool
known_elsewhere(const struct variants *all, const char *name, size_t n)
{
	int i;

	for (i = 0; i < all->ndefinitions; i++)
		if (strlen(all->definitions[i].name) == n &&
		    memcmp(all->definitions[i].name, name, n) == 0)
			return true;
	return false;
}

static void
piece_add(struct expander *e, const struct node *from, size_t offset,
    size_t base)
{
	size_t size = (size_t)e->npieces * sizeof(*e->pieces);

	if (e->npieces == 0)
		e->pieces = arena_alloc(e->arena, sizeof(*e->pieces));
	else if ((e->npieces & (e->npieces - 1)) == 0)
		e->pieces = arena_grow(e->arena, e->pieces, size, 2 * size);
	e->pieces[e->npieces++] =
	    (struct piece){e->text.size, from, offset, base};
}

static void
fail(struct expander *e, struct loc loc, const char *message,
    const char *name, size_t n)
{
	errs_say(e->errs, loc, message, (int)(n < 64 ? n : 64), name);
	e->ok = false;
}

/* Is the placeholder all that its line holds? */
static bool
stands_alone(const struct node *n, size_t at, size_t length)
{
	size_t i = at, j = at + length;

	while (i > 0 && (n->text[i - 1] == ' ' || n->text[i - 1] == '\t'))
		i--;
	while (n->text[j] == ' ' || n->text[j] == '\t' || n->text[j] == ';')
		j++;
	return (i == 0 || n->text[i - 1] == '\n') &&
	    (n->text[j] == '\n' || n->text[j] == '\0');
}

static void append(struct expander *e, const struct node *n, size_t from,
    size_t to, size_t base, bool code, int depth);

/* Adds what the placeholder at n->text[at] stands for. */
static void
fill(struct expander *e, const struct node *n, size_t at, size_t length,
    size_t base, bool code, int depth)
{
	const char *name = n->text + at + 1;
	struct definition *d = definition_find(e->variant->definitions,
	    e->variant->ndefinitions, name, length - 2);

	if (!d) {
		/* a line that another variant fills is empty in this one */
		if (!(code && stands_alone(n, at, length) &&
		    known_elsewhere(e->all, name, length - 2)))
			fail(e, node_place(n, at), known_elsewhere(e->all,
			    name, length - 2) ?
			    "placeholder '{%.*s}' has no text in this "
			    "variant" :
			    "placeholder '{%.*s}' is defined nowhere", name,
			    length - 2);
		return;
	}
	d->used = true;
	if (depth == EXPAND_DEPTH_MAX)
		fail(e, d->loc, "placeholder '{%.*s}' leads back to itself",
		    name, length - 2);
	else
		append(e, d->value, 0, d->value->size, base, false,
		    depth + 1);
}

/* Adds n->text[from..to) with its placeholders filled. In definitions
   every byte has the base of the placeholder it stands for. */
static void
append(struct expander *e, const struct node *n, size_t from, size_t to,
    size_t base, bool code, int depth)
{
	size_t i = from;

	while (i < to && e->ok) {
		size_t start = i, length = 0;

		while (i < to && (length = placeholder_length(n->text + i)) ==
		    0)
			i++;
		if (i > start) {
			piece_add(e, n, start, depth ? base : start);
			text_append(&e->text, n->text + start, i - start);
		}
		if (i < to) {
			fill(e, n, i, length, depth ? base : i, code, depth);
			i += length;
		}
		if (e->text.size > YAML_SCALAR_MAX)
			fail(e, n->loc, "%.*s", "too long when its "
			    "placeholders are filled in", 64);
	}
}

/* One line of code; it vanishes if filling it in leaves nothing. */
static void
append_line(struct expander *e, const struct node *n, size_t from, size_t to)
{
	size_t size = e->text.size, i;
	int npieces = e->npieces;
	bool filled = false;

	for (i = from; i < to; i++)
		filled = filled || placeholder_length(n->text + i);
	append(e, n, from, to, 0, true, 0);
	if (filled && strspn(e->text.s + size, " \t;\n") ==
	    e->text.size - size) {
		e->text.size = size;
		e->text.s[size] = '\0';
		e->npieces = npieces;
	}
}

bool
expand(const struct node *scalar, const struct variants *all,
    const struct variant *variant, bool code, struct arena *a,
    struct expanded *x, struct errs *errs)
{
	struct expander e = {.all = all, .variant = variant, .arena = a,
	    .errs = errs, .ok = true};
	size_t from = 0, to;

	text_init(&e.text, a);
	while (from < scalar->size && e.ok) {
		const char *end = strchr(scalar->text + from, '\n');

		to = code && end ? (size_t)(end - scalar->text) + 1 :
		    scalar->size;
		if (code)
			append_line(&e, scalar, from, to);
		else
			append(&e, scalar, from, to, 0, false, 0);
		from = to;
	}
	if (!e.ok)
		return false;
	*x = (struct expanded){e.text.s, e.text.size, scalar, e.pieces,
	    e.npieces};
	return true;
}

static const struct piece *
piece_at(const struct expanded *x, size_t offset)
{
	int i = x->npieces - 1;

	while (i > 0 && x->pieces[i].start > offset)
		i--;
	return i < 0 ? NULL : &x->pieces[i];
}

struct loc
expanded_place(const struct expanded *x, size_t offset)
{
	const struct piece *p = piece_at(x, offset);

	return p ? node_place(p->from, p->offset + offset - p->start) :
	    x->node->loc;
}

struct loc
expanded_base(const struct expanded *x, size_t offset)
{
	const struct piece *p = piece_at(x, offset);

	if (!p)
		return x->node->loc;
	return node_place(x->node, p->from == x->node ?
	    p->offset + offset - p->start : p->base);
}

size_t
expanded_offset(const struct expanded *x, struct loc loc)
{
	const char *s = x->text, *end = x->text + x->size;
	int line;

	for (line = 1; line < loc.line && s < end; line++) {
		s = memchr(s, '\n', (size_t)(end - s));
		s = s ? s + 1 : end;
	}
	s += loc.column - 1 < end - s ? loc.column - 1 : end - s;
	return (size_t)(s - x->text);
}
