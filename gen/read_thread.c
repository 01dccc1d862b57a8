/* The threads of a test. */
#include "reader.h"

#include <string.h>

static const char *const thread_keys[] = {"gpu", "cluster", "cta", "warp",
	"warm", "regs", "code", NULL};
static const char *const reg_keys[] = {"type", "init", NULL};

/* A number of `key`, or "any": -1, as if the key were not there. */
static bool
any_or_number(struct reader *r, const struct node *map, const char *key,
    int high, int *value)
{
	const struct node *n = node_get(map, key);
	struct expanded x;
	int64_t v;

	if (!n)
		return true;
	if (!read_scalar(r, n, key, &x))
		return false;
	if (strcmp(x.text, "any") == 0)
		return true;
	if (!text_int(x.text, &v) || v < 0 || v > high)
		return errs_say(r->errs, expanded_place(&x, 0),
		    "%s must be a number from 0 to %d or any, not '%.40s'",
		    key, high, x.text);
	*value = (int)v;
	return true;
}

/* An entry that its placeholders leave empty warms nothing. */
static bool
warm_read(struct reader *r, const struct node *list, struct thread *t)
{
	bool ok = true;
	int i;

	if (!node_is(list, NODE_SEQUENCE, "warm", r->errs))
		return false;
	if (list->count > VARS_MAX)
		return errs_say(r->errs, list->loc,
		    "more than %d locations to warm", VARS_MAX);
	t->warm = arena_alloc(r->arena,
	    ((size_t)list->count + 1) * sizeof(*t->warm));
	for (i = 0; i < list->count; i++) {
		struct expanded x;

		if (!read_scalar(r, &list->items[i], "warm", &x))
			ok = false;
		else if (x.size)
			ok = read_var(r, &list->items[i], "warm", -1,
			    &t->warm[t->nwarm++]) && ok;
	}
	return ok;
}

static bool
reg_read(struct reader *r, const struct node *key, const struct node *item,
    struct reg *reg)
{
	const struct node *type = item, *init = NULL;
	struct err err;

	*reg = (struct reg){.name = key->text, .loc = key->loc};
	if (!identifier_check(key->text, key->size, "register", key->loc,
	    &err))
		return errs_say(r->errs, err.loc, "%s", err.message);
	if (read_var_named(r->program, key->text) >= 0)
		return errs_say(r->errs, key->loc,
		    "'%s' is a location already", key->text);
	if (item->kind == NODE_MAPPING) {
		if (!node_keys_known(item, reg_keys, r->errs))
			return false;
		type = node_get(item, "type");
		init = node_get(item, "init");
	}
	reg->type = init && !type ? TYPE_U32 : TYPE_NONE;
	return (!type || read_type(r, type, &reg->type)) &&
	    (!init || read_value(r, init, reg->type, &reg->init));
}

static bool
regs_read(struct reader *r, const struct node *map, struct thread *t)
{
	bool ok = true;
	int i;

	if (!node_is(map, NODE_MAPPING, "regs", r->errs))
		return false;
	if (map->count > 64)
		return errs_say(r->errs, map->loc,
		    "more than 64 registers in a thread");
	t->regs = arena_alloc(r->arena,
	    ((size_t)map->count + 1) * sizeof(*t->regs));
	for (i = 0; i < map->count; i++)
		ok = reg_read(r, &map->keys[i], &map->items[i],
		    &t->regs[i]) && ok;
	t->nregs = map->count;
	return ok;
}

static bool
code_node_read(struct reader *r, const struct node *n, int thread)
{
	struct expanded x;

	if (!node_is(n, NODE_SCALAR, "code", r->errs))
		return false;
	if (n->style == STYLE_FOLDED || (n->style != STYLE_LITERAL &&
	    !n->one_line))
		return errs_say(r->errs, n->loc,
		    "write code of several lines as a block after '|'");
	return expand(n, r->variants, r->variant, true, r->arena, &x,
	    r->errs) && code_read(&x, r->program, thread, r->arena, r->errs);
}

static bool
thread_read(struct reader *r, const struct node *n, int index)
{
	struct thread *t = &r->program->threads[index];
	const struct node *warm, *regs, *code;
	bool ok;

	*t = (struct thread){.loc = n->loc, .cluster = -1, .cta = index,
	    .warp = WARP_ANY};
	if (!node_is(n, NODE_MAPPING, "a thread", r->errs))
		return false;
	ok = node_keys_known(n, thread_keys, r->errs);
	warm = node_get(n, "warm");
	regs = node_get(n, "regs");
	code = node_get(n, "code");
	ok = read_number(r, n, "gpu", 15, &t->gpu) && ok;
	ok = any_or_number(r, n, "cluster", 1023, &t->cluster) && ok;
	ok = read_number(r, n, "cta", 1023, &t->cta) && ok;
	ok = any_or_number(r, n, "warp", 31, &t->warp) && ok;
	ok = (!warm || warm_read(r, warm, t)) && ok;
	ok = (!regs || regs_read(r, regs, t)) && ok;
	if (!code)
		return errs_say(r->errs, n->loc, "a thread needs code");
	return code_node_read(r, code, index) && ok;
}

/* A CTA whose cluster nobody names has a cluster of its own. */
static void
clusters_fill(struct program *p)
{
	int next = 0, i, j;

	for (i = 0; i < p->nthreads; i++)
		for (j = 0; j < p->nthreads; j++)
			if (p->threads[i].cluster < 0 &&
			    p->threads[i].cta == p->threads[j].cta)
				p->threads[i].cluster = p->threads[j].cluster;
	for (i = 0; i < p->nthreads; i++)
		if (p->threads[i].cluster >= next)
			next = p->threads[i].cluster + 1;
	for (i = 0; i < p->nthreads; i++) {
		if (p->threads[i].cluster >= 0)
			continue;
		for (j = 0; j < p->nthreads; j++)
			if (j != i && p->threads[j].cta == p->threads[i].cta)
				p->threads[j].cluster = next;
		p->threads[i].cluster = next++;
	}
}

bool
read_threads(struct reader *r)
{
	const struct node *list = node_get(r->test, "threads");
	struct program *p = r->program;
	int i, with_cta = 0;
	bool ok = true;

	if (!list)
		return errs_say(r->errs, r->test->loc,
		    "a test needs threads");
	if (!node_is(list, NODE_SEQUENCE, "threads", r->errs))
		return false;
	if (list->count < 1 || list->count > THREADS_MAX)
		return errs_say(r->errs, list->loc,
		    "a test has 1 to %d threads", THREADS_MAX);
	p->threads = arena_alloc(r->arena,
	    (size_t)list->count * sizeof(*p->threads));
	p->nthreads = list->count;
	for (i = 0; i < list->count; i++) {
		ok = thread_read(r, &list->items[i], i) && ok;
		with_cta += list->items[i].kind == NODE_MAPPING &&
		    node_get(&list->items[i], "cta");
	}
	if (ok && with_cta != 0 && with_cta != list->count)
		return errs_say(r->errs, list->loc,
		    "give the cta of all threads or of none");
	clusters_fill(p);
	return ok;
}
