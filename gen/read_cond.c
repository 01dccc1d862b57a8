/* What a test asks and what it expects. */
#include "reader.h"

#include <fnmatch.h>
#include <string.h>

static bool
condition(struct reader *r, const struct node *n, const char *what,
    const struct cond **cond)
{
	struct expanded x;
	struct err err;

	if (!read_scalar(r, n, what, &x))
		return false;
	if (cond_parse(x.text, (struct loc){n->loc.source, 1, 1}, r->program,
	    r->arena, NULL, cond, &err))
		return true;
	return errs_say(r->errs, expanded_place(&x, expanded_offset(&x,
	    err.loc)), "%s", err.message);
}

static const char *
condition_text(struct reader *r)
{
	static const char *const words[] = {
		[QUANT_EXISTS] = "exists", [QUANT_NEVER] = "~exists",
		[QUANT_FORALL] = "forall",
	};
	struct text t;

	text_init(&t, r->arena);
	text_printf(&t, "%s (", words[r->program->quant]);
	cond_print(&t, r->program, r->program->cond);
	text_printf(&t, ")");
	return t.s;
}

bool
read_question(struct reader *r)
{
	static const char *const keys[] = {
		[QUANT_EXISTS] = "exists", [QUANT_NEVER] = "never",
		[QUANT_FORALL] = "forall",
	};
	const struct node *found = NULL, *n;
	enum quantifier q;

	for (q = QUANT_EXISTS; q <= QUANT_FORALL; q++) {
		n = node_get(r->test, keys[q]);
		if (!n)
			continue;
		if (found)
			return errs_say(r->errs, n->loc,
			    "a test has one condition: exists, never or "
			    "forall");
		found = n;
		r->program->quant = q;
	}
	if (!found)
		return errs_say(r->errs, r->test->loc,
		    "a test needs a condition: exists, never or forall");
	if (!condition(r, found, keys[r->program->quant],
	    &r->program->cond))
		return false;
	r->program->cond_text = condition_text(r);
	return true;
}

bool
read_filter(struct reader *r)
{
	const struct node *n = node_get(r->test, "filter");

	return !n || condition(r, n, "filter", &r->program->filter);
}

bool
read_observe(struct reader *r)
{
	const struct node *list = node_get(r->test, "observe");
	const struct cond *cond;
	bool ok = true;
	int i;

	if (!list)
		return true;
	if (!node_is(list, NODE_SEQUENCE, "observe", r->errs))
		return false;
	for (i = 0; i < list->count; i++) {
		if (!condition(r, &list->items[i], "observe", &cond)) {
			ok = false;
			if (r->program->nslots == SLOTS_MAX)
				break;
		} else if (cond->op != COND_SLOT) {
			ok = errs_say(r->errs, list->items[i].loc,
			    "expected a register, 0:r0, or a location, [x]");
		}
	}
	return ok;
}

static bool
expect_word(struct reader *r, const struct node *n)
{
	enum expect e;

	for (e = EXPECT_NONE; e <= EXPECT_FORBIDDEN; e++)
		if (strcmp(n->text, expect_name(e)) == 0) {
			r->program->expect = e;
			r->program->expect_loc = n->loc;
			return true;
		}
	return errs_say(r->errs, n->loc,
	    "unknown expectation '%.40s' (allowed, forbidden, none)",
	    n->text);
}

/* One list of patterns: does any match the test's name? */
static bool
expect_list(struct reader *r, const struct node *list, const char *key,
    enum expect e, int *matches)
{
	int i;

	if (!node_is(list, NODE_SEQUENCE, key, r->errs))
		return false;
	for (i = 0; i < list->count; i++) {
		const struct node *n = &list->items[i];

		if (!node_is(n, NODE_SCALAR, "a pattern", r->errs))
			return false;
		if (fnmatch(n->text, r->program->name, 0) != 0)
			continue;
		++*matches;
		r->program->expect = e;
		r->program->expect_loc = n->loc;
		break;
	}
	return true;
}

bool
read_expect(struct reader *r)
{
	static const char *const keys[] = {"allowed", "forbidden", "none",
		NULL};
	static const enum expect values[] = {EXPECT_ALLOWED,
		EXPECT_FORBIDDEN, EXPECT_NONE};
	const struct node *n = r->variant->expect;
	int i, matches = 0;

	if (!n)
		n = node_get(r->test, "expect");
	if (!n)
		return true;
	if (n->kind == NODE_SCALAR)
		return expect_word(r, n);
	if (!node_is(n, NODE_MAPPING, "expect", r->errs) ||
	    !node_keys_known(n, keys, r->errs))
		return false;
	for (i = 0; i < n->count; i++) {
		int k = 0;

		while (strcmp(n->keys[i].text, keys[k]) != 0)
			k++;
		if (!expect_list(r, &n->items[i], keys[k], values[k],
		    &matches))
			return false;
	}
	if (matches == 1)
		return true;
	return errs_say(r->errs, n->loc, "%s is in %s of the lists of "
	    "expect, and must be in one", r->program->name,
	    matches ? "several" : "none");
}
