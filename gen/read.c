/* A YAML document as programs: one for each variant of its test. */
#include "reader.h"

#include <fnmatch.h>
#include <string.h>

/* Reading one variant of one test. */
struct reader {
	const struct node *test;
	const char *family;
	const struct variants *variants;
	const struct variant *variant;
	struct program *program;
	struct arena *arena;
	struct errs *errs;
};

static const char *const test_keys[] = {"name", "about", "tags",
	"locations", "threads", "observe", "exists", "never", "forall",
	"filter", "expect", "variants", "matrix", NULL};
static const char *const location_keys[] = {"init", "type", "space", "cta",
	"count", "align", "same_line", "other_line", "alias", NULL};
static const char *const thread_keys[] = {"gpu", "cluster", "cta", "warp",
	"warm", "regs", "code", NULL};
static const char *const reg_keys[] = {"type", "init", NULL};

/* ---- scalars with their placeholders filled in -------------------------- */

static bool
scalar(struct reader *r, const struct node *n, const char *what,
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

static bool
integer(struct reader *r, const struct node *n, const char *what,
    int64_t low, int64_t high, int64_t *value)
{
	struct expanded x;
	int64_t v;

	if (!scalar(r, n, what, &x))
		return false;
	if (!text_int(x.text, &v) || v < low || v > high)
		return errs_say(r->errs, expanded_place(&x, 0),
		    "%s must be a number from %lld to %lld, not '%.40s'",
		    what, (long long)low, (long long)high, x.text);
	*value = v;
	return true;
}

static bool
number(struct reader *r, const struct node *map, const char *key, int high,
    int *value)
{
	const struct node *n = node_get(map, key);
	int64_t v;

	if (!n)
		return true;
	if (!integer(r, n, key, 0, high, &v))
		return false;
	*value = (int)v;
	return true;
}

/* A value for an element or a register of that type. */
static bool
value(struct reader *r, const struct node *n, enum type type, uint64_t *v)
{
	struct expanded x;
	int64_t number_read;
	int bits = 8 * type_size(type);

	if (!scalar(r, n, "a value", &x))
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

static bool
type_read(struct reader *r, const struct node *n, enum type *type)
{
	struct expanded x;
	enum type t;

	if (!scalar(r, n, "type", &x))
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

/* ---- locations ------------------------------------------------------------ */

#define ELEMENTS_MAX 1024

static int
var_named(const struct program *p, const char *name)
{
	int i;

	for (i = 0; i < p->nvars; i++)
		if (strcmp(p->vars[i].name, name) == 0)
			return i;
	return -1;
}

static bool
var_reference(struct reader *r, const struct node *n, const char *what,
    int self, int *index)
{
	struct expanded x;
	int i;

	if (!scalar(r, n, what, &x))
		return false;
	i = var_named(r->program, x.text);
	if (i < 0)
		return errs_say(r->errs, expanded_place(&x, 0),
		    "no location '%.40s'", x.text);
	if (i == self)
		return errs_say(r->errs, expanded_place(&x, 0),
		    "%s of a location names itself", what);
	*index = i;
	return true;
}

static bool
location_init(struct reader *r, const struct node *init, struct var *v,
    bool counted)
{
	bool ok = true;
	int i;

	if (init && init->kind == NODE_SEQUENCE) {
		if (counted && init->count != v->count)
			return errs_say(r->errs, init->loc,
			    "%d values for a count of %d", init->count,
			    v->count);
		if (init->count < 1 || init->count > ELEMENTS_MAX)
			return errs_say(r->errs, init->loc,
			    "an array has 1 to %d elements", ELEMENTS_MAX);
		v->count = init->count;
	}
	v->init = arena_alloc(r->arena, (size_t)v->count * sizeof(*v->init));
	for (i = 0; init && i < v->count; i++)
		ok = value(r, init->kind == NODE_SEQUENCE ? &init->items[i] :
		    init, v->type, &v->init[i]) && ok;
	return ok;
}

static bool
space_read(struct reader *r, const struct node *n, enum space *space)
{
	struct expanded x;

	if (!scalar(r, n, "space", &x))
		return false;
	if (strcmp(x.text, "global") == 0)
		*space = SPACE_GLOBAL;
	else if (strcmp(x.text, "shared") == 0)
		*space = SPACE_SHARED;
	else
		return errs_say(r->errs, expanded_place(&x, 0),
		    "unknown space '%.40s' (global, shared)", x.text);
	return true;
}

/* What is said of its place beside others; all names are known by now. */
static bool
location_relations(struct reader *r, const struct node *map, int self)
{
	struct var *v = &r->program->vars[self];
	const struct node *same = node_get(map, "same_line");
	const struct node *other = node_get(map, "other_line");
	const struct node *alias = node_get(map, "alias");

	if (same && other)
		return errs_say(r->errs, other->loc,
		    "same_line and other_line exclude each other");
	if (same || other)
		v->line = same ? LINE_SAME : LINE_OTHER;
	if (alias && node_get(map, "init"))
		return errs_say(r->errs, node_get(map, "init")->loc,
		    "an alias has the values of its location");
	return (!same || var_reference(r, same, "same_line", self,
		    &v->near)) &&
	    (!other || var_reference(r, other, "other_line", self,
		&v->near)) &&
	    (!alias || var_reference(r, alias, "alias", self, &v->alias_of));
}

static bool
location_map(struct reader *r, const struct node *map, struct var *v)
{
	const struct node *type = node_get(map, "type");
	const struct node *space = node_get(map, "space");
	const struct node *count = node_get(map, "count");
	const struct node *cta = node_get(map, "cta");
	int64_t n = 1;
	bool ok = node_keys_known(map, location_keys, r->errs);

	ok = (!type || type_read(r, type, &v->type)) && ok;
	ok = (!space || space_read(r, space, &v->space)) && ok;
	ok = (!count || integer(r, count, "count", 1, ELEMENTS_MAX, &n)) &&
	    ok;
	v->count = (int)n;
	v->size = type_size(v->type);
	v->align = v->size;
	ok = number(r, map, "align", 4096, &v->align) && ok;
	if (cta && v->space != SPACE_SHARED)
		return errs_say(r->errs, cta->loc,
		    "only a shared location belongs to a CTA");
	ok = number(r, map, "cta", 1023, &v->cta) && ok;
	return location_init(r, node_get(map, "init"), v, count != NULL) &&
	    ok;
}

static bool
location_read(struct reader *r, const struct node *key,
    const struct node *item, struct var *v)
{
	struct err err;

	*v = (struct var){.name = key->text, .loc = key->loc,
	    .type = TYPE_U32, .size = 4, .count = 1, .space = SPACE_GLOBAL,
	    .cta = -1, .align = 4, .near = -1, .alias_of = -1};
	if (!identifier_check(key->text, key->size, "location", key->loc,
	    &err))
		return errs_say(r->errs, err.loc, "%s", err.message);
	if (item->kind == NODE_MAPPING && !(item->count == 1 &&
	    item->items[0].kind == NODE_SCALAR && item->items[0].size == 0))
		return location_map(r, item, v);
	return location_init(r, item, v, false);
}

static bool
locations_read(struct reader *r)
{
	const struct node *map = node_get(r->test, "locations");
	struct program *p = r->program;
	bool ok = true;
	int i;

	if (!map)
		return true;
	if (!node_is(map, NODE_MAPPING, "locations", r->errs))
		return false;
	if (map->count > VARS_MAX)
		return errs_say(r->errs, map->keys[VARS_MAX].loc,
		    "more than %d locations", VARS_MAX);
	p->vars = arena_alloc(r->arena,
	    ((size_t)map->count + 1) * sizeof(*p->vars));
	for (i = 0; i < map->count; i++)
		ok = location_read(r, &map->keys[i], &map->items[i],
		    &p->vars[i]) && ok;
	p->nvars = map->count;
	for (i = 0; i < map->count; i++)
		if (map->items[i].kind == NODE_MAPPING)
			ok = location_relations(r, &map->items[i], i) && ok;
	return ok;
}

/* ---- threads -------------------------------------------------------------- */

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
	t->nwarm = list->count;
	for (i = 0; i < list->count; i++)
		ok = var_reference(r, &list->items[i], "warm", -1,
		    &t->warm[i]) && ok;
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
	if (var_named(r->program, key->text) >= 0)
		return errs_say(r->errs, key->loc,
		    "'%s' is a location already", key->text);
	if (item->kind == NODE_MAPPING) {
		if (!node_keys_known(item, reg_keys, r->errs))
			return false;
		type = node_get(item, "type");
		init = node_get(item, "init");
	}
	reg->type = init && !type ? TYPE_U32 : TYPE_NONE;
	return (!type || type_read(r, type, &reg->type)) &&
	    (!init || value(r, init, reg->type, &reg->init));
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
	ok = number(r, n, "gpu", 15, &t->gpu) && ok;
	ok = number(r, n, "cluster", 1023, &t->cluster) && ok;
	ok = number(r, n, "cta", 1023, &t->cta) && ok;
	ok = number(r, n, "warp", 31, &t->warp) && ok;
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

static bool
threads_read(struct reader *r)
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

/* ---- conditions and expectations ------------------------------------------ */

static bool
condition(struct reader *r, const struct node *n, const char *what,
    const struct cond **cond)
{
	struct expanded x;
	struct err err;

	if (!scalar(r, n, what, &x))
		return false;
	if (cond_parse(x.text, (struct loc){n->loc.source, 1, 1}, r->program,
	    r->arena, NULL, cond, &err))
		return true;
	return errs_say(r->errs, expanded_place(&x, expanded_offset(&x,
	    err.loc)), "%s", err.message);
}

static bool
question_read(struct reader *r)
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
	return condition(r, found, keys[r->program->quant],
	    &r->program->cond);
}

static bool
observe_read(struct reader *r)
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
		if (!condition(r, &list->items[i], "observe", &cond))
			ok = false;
		else if (cond->op != COND_SLOT)
			ok = errs_say(r->errs, list->items[i].loc,
			    "expected a register, 0:r0, or a location, [x]");
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

static bool
expect_read(struct reader *r)
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

/* ---- tests ----------------------------------------------------------------- */

static bool
text_of(struct reader *r, const char *key, const char **s)
{
	const struct node *n = node_get(r->test, key);

	if (!n)
		return true;
	if (!node_is(n, NODE_SCALAR, key, r->errs))
		return false;
	*s = n->text;
	return true;
}

static bool
tags_read(struct reader *r)
{
	const struct node *list = node_get(r->test, "tags");
	struct program *p = r->program;
	bool ok = true;
	int i;

	if (!list)
		return true;
	if (!node_is(list, NODE_SEQUENCE, "tags", r->errs))
		return false;
	p->tags = arena_alloc(r->arena,
	    ((size_t)list->count + 1) * sizeof(*p->tags));
	for (i = 0; i < list->count; i++) {
		if (!node_is(&list->items[i], NODE_SCALAR, "a tag", r->errs))
			return false;
		if (!name_is_good(list->items[i].text))
			ok = errs_say(r->errs, list->items[i].loc,
			    "bad tag '%.64s' (letters, digits, _ . + - @)",
			    list->items[i].text);
		p->tags[p->ntags++] = list->items[i].text;
	}
	return ok;
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

static bool
variant_read(struct reader *r)
{
	struct program *p = r->program;
	const struct node *filter = node_get(r->test, "filter");
	const char *suffix = r->variant->suffix;
	bool ok;

	*p = (struct program){.family = r->family};
	p->name = arena_printf(r->arena, "%s%s", r->family, suffix);
	p->variant = suffix + (*suffix == '+');
	p->loc = node_get(r->test, "name")->loc;
	p->about = "";
	if (strlen(p->name) > TEST_NAME_MAX)
		return errs_say(r->errs, p->loc,
		    "the name %.40s... is longer than %d", p->name,
		    TEST_NAME_MAX);
	ok = text_of(r, "about", &p->about) && tags_read(r) &&
	    locations_read(r) && threads_read(r);
	/* conditions speak of registers' types */
	ok = ok && program_types(p, r->errs);
	if (!ok || !question_read(r))
		return false;
	ok = observe_read(r);
	ok = (!filter || condition(r, filter, "filter", &p->filter)) && ok;
	ok = expect_read(r) && ok;
	p->cond_text = condition_text(r);
	return ok && program_check(p, r->arena, r->errs);
}

static bool
definitions_used(const struct variants *v, struct errs *errs)
{
	bool ok = true;
	int i;

	for (i = 0; i < v->ndefinitions; i++)
		if (!v->definitions[i].used)
			ok = errs_say(errs, v->definitions[i].loc,
			    "placeholder '{%s}' is used nowhere",
			    v->definitions[i].name);
	return ok;
}

#define FOUND_MAX 64

/* The errors of a test's variants: one that all have is said once, one
   that few have is said with a name. */
struct found {
	struct err list[FOUND_MAX];
	const char *variant[FOUND_MAX]; /* the first that has it */
	int variants[FOUND_MAX];
	int count, dropped;
};

static void
found_add(struct found *f, const struct errs *errs, const char *variant)
{
	int i, j;

	f->dropped += errs->dropped;
	for (i = 0; i < errs->count; i++) {
		const struct err *e = &errs->list[i];

		for (j = 0; j < f->count; j++)
			if (f->list[j].loc.line == e->loc.line &&
			    f->list[j].loc.column == e->loc.column &&
			    strcmp(f->list[j].message, e->message) == 0)
				break;
		if (j == FOUND_MAX) {
			f->dropped++;
			continue;
		}
		if (j == f->count) {
			f->list[f->count++] = *e;
			f->variant[j] = variant;
			f->variants[j] = 0;
		}
		f->variants[j]++;
	}
}

static void
found_report(struct found *f, int variants, struct errs *errs)
{
	int i;

	for (i = 0; i < f->count; i++) {
		struct err *e = &f->list[i];
		size_t n = strlen(e->message);

		if (f->variants[i] < variants && !strstr(e->message,
		    f->variant[i]))
			snprintf(e->message + n, sizeof(e->message) - n,
			    " [%s%s]", f->variant[i], f->variants[i] > 1 ?
			    " and others" : "");
		errs_add(errs, e);
	}
	errs->dropped += f->dropped;
}

static bool
test_name(const struct node *test, struct errs *errs, const char **name)
{
	const struct node *n = node_get(test, "name");

	if (!n)
		return errs_say(errs, test->loc, "a test needs a name");
	if (!node_is(n, NODE_SCALAR, "name", errs))
		return false;
	if (n->size == 0 || !name_is_good(n->text))
		return errs_say(errs, n->loc,
		    "bad name '%.64s' (letters, digits, _ . + - @)", n->text);
	*name = n->text;
	return true;
}

static bool
test_read(const struct node *test, struct arena *a, struct suite *suite,
    struct errs *errs)
{
	struct found *all = arena_alloc(a, sizeof(*all));
	struct variants variants;
	const char *family = NULL;
	bool ok;
	int i;

	if (!node_is(test, NODE_MAPPING, "a test", errs))
		return false;
	ok = node_keys_known(test, test_keys, errs);
	if (!test_name(test, errs, &family) ||
	    !variants_make(test, a, &variants, errs) || !ok)
		return false;
	if (suite->count + variants.count > VARIANTS_MAX)
		return errs_say(errs, test->loc,
		    "more than %d variants in a file", VARIANTS_MAX);
	suite->programs = arena_grow(a, suite->programs,
	    (size_t)suite->count * sizeof(struct program),
	    (size_t)(suite->count + variants.count) *
	    sizeof(struct program));
	for (i = 0; i < variants.count; i++) {
		struct errs found = {0};
		struct reader r = {.test = test, .family = family,
		    .variants = &variants, .variant = &variants.list[i],
		    .program = &suite->programs[suite->count], .arena = a,
		    .errs = &found};

		if (variant_read(&r))
			suite->count++;
		else
			ok = false;
		found_add(all, &found, r.program->name);
	}
	found_report(all, variants.count, errs);
	return ok && definitions_used(&variants, errs);
}

static bool
names_unique(const struct suite *suite, struct errs *errs)
{
	bool ok = true;
	int i, j;

	for (i = 0; i < suite->count; i++)
		for (j = 0; j < i; j++)
			if (strcmp(suite->programs[i].name,
			    suite->programs[j].name) == 0)
				ok = errs_say(errs, suite->programs[i].loc,
				    "a second test of the name %s (the other "
				    "is on line %d)", suite->programs[i].name,
				    suite->programs[j].loc.line);
	return ok;
}

bool
read_yaml(const struct source *source, struct arena *a, struct suite *suite,
    struct errs *errs)
{
	struct suite read = {0};
	struct node *documents;
	struct program *all;
	int count, i, before = errs->count + errs->dropped;
	size_t size = sizeof(*all);

	if (!yaml_documents(source, a, &documents, &count, errs))
		return false;
	if (count == 0)
		return errs_say(errs, (struct loc){source->name, 0, 0},
		    "no test in the file");
	for (i = 0; i < count; i++)
		test_read(&documents[i], a, &read, errs);
	if (read.count)
		names_unique(&read, errs);
	if (errs->count + errs->dropped > before)
		return false;
	all = arena_grow(a, suite->programs, (size_t)suite->count * size,
	    (size_t)(suite->count + read.count) * size);
	memcpy(all + suite->count, read.programs, (size_t)read.count * size);
	suite->programs = all;
	suite->count += read.count;
	return true;
}
