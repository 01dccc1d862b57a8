/* The scalars of a test, with their placeholders filled in. */
#include "reader.h"

#include <string.h>

bool
read_scalar(struct reader *r, const struct node *n, const char *what,
    struct expanded *x)
{
	if (n->kind == NODE_MAPPING && n->count == 1 &&
	    n->keys[0].kind == NODE_SCALAR &&
	    n->items[0].kind == NODE_SCALAR && n->items[0].size == 0)
		return errs_say(r->errs, n->loc,
		    "%s must be a scalar; write \"{%.64s}\" in quotes", what,
		    n->keys[0].text);
	return node_is(n, NODE_SCALAR, what, r->errs) &&
	    expand(n, r->variants, r->variant, false, r->arena, x, r->errs);
}

bool
read_integer(struct reader *r, const struct node *n, const char *what,
    int64_t low, int64_t high, int64_t *value)
{
	struct expanded x;
	int64_t v;

	if (!read_scalar(r, n, what, &x))
		return false;
	if (!text_int(x.text, &v) || v < low || v > high)
		return errs_say(r->errs, expanded_place(&x, 0),
		    "%s must be a number from %lld to %lld, not '%.40s'",
		    what, (long long)low, (long long)high, x.text);
	*value = v;
	return true;
}

bool
read_number(struct reader *r, const struct node *map, const char *key, int high,
    int *value)
{
	const struct node *n = node_get(map, key);
	int64_t v;

	if (!n)
		return true;
	if (!read_integer(r, n, key, 0, high, &v))
		return false;
	*value = (int)v;
	return true;
}

/* A value for an element or a register of that type. */
bool
read_value(struct reader *r, const struct node *n, enum type type, uint64_t *v)
{
	struct expanded x;
	int64_t number_read;
	int bits = 8 * type_size(type);

	if (!read_scalar(r, n, "a value", &x))
		return false;
	if (!text_int(x.text, &number_read))
		return errs_say(r->errs, expanded_place(&x, 0),
		    "expected a number, not '%.40s'", x.text);
	if (bits < 64 && (number_read < -((int64_t)1 << (bits - 1)) ||
	    number_read >= (int64_t)1 << bits))
		return errs_say(r->errs, expanded_place(&x, 0),
		    "%.40s does not fit in %s", x.text, type_name(type));
	*v = value_cut((uint64_t)number_read, type);
	return true;
}

bool
read_type(struct reader *r, const struct node *n, enum type *type)
{
	struct expanded x;
	enum type t;

	if (!read_scalar(r, n, "type", &x))
		return false;
	for (t = TYPE_B8; t <= TYPE_F64; t++)
		if (t != TYPE_F32 && t != TYPE_F64 &&
		    strcmp(type_name(t), x.text) == 0) {
			*type = t;
			return true;
		}
	return errs_say(r->errs, expanded_place(&x, 0),
	    "unknown type '%.40s' (u8, u16, u32, u64, s8 ... s64, b8 ... "
	    "b64)", x.text);
}

int
read_var_named(const struct program *p, const char *name)
{
	int i;

	for (i = 0; i < p->nvars; i++)
		if (strcmp(p->vars[i].name, name) == 0)
			return i;
	return -1;
}

bool
read_var(struct reader *r, const struct node *n, const char *what,
    int self, int *index)
{
	struct expanded x;
	int i;

	if (!read_scalar(r, n, what, &x))
		return false;
	i = read_var_named(r->program, x.text);
	if (i < 0)
		return errs_say(r->errs, expanded_place(&x, 0),
		    "no location '%.40s'", x.text);
	if (i == self)
		return errs_say(r->errs, expanded_place(&x, 0),
		    "%s of a location names itself", what);
	*index = i;
	return true;
}
