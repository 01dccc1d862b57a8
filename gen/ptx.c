/*
 * The opcode of one instruction: mnemonic and qualifiers, by the tables
 * ops.def and quals.def. The rules between qualifiers are in rules.c.
 */
#include "ptx.h"

#include <string.h>

const struct op ops_table[OP_COUNT] = {
#define OP(id, mnemonic, class, quals, operands, ptx, sm, flags)           \
	[OP_##id] = {OP_##id, mnemonic, class, quals, operands, ptx, sm,   \
	    flags},
#include "ops.def"
#undef OP
};

const struct group groups_table[GROUP_COUNT] = {
#define GROUP(id, label, field, required)                                  \
	[GROUP_##id] = {label, offsetof(struct insn, field),               \
	    sizeof(((struct insn *)0)->field), required},
#include "quals.def"
};

const struct qual quals_table[] = {
#define QUAL(group, spelling, value, ptx, sm, flags) \
	{GROUP_##group, spelling, (int)(value), ptx, sm, flags},
#include "quals.def"
};
const size_t quals_count = sizeof(quals_table) / sizeof(*quals_table);

/* fields are reached by offset: enums and ints, and bools */
_Static_assert(sizeof(enum sem) == sizeof(int), "an enum is an int here");

static int
field_get(const struct insn *insn, const struct group *g)
{
	const char *at = (const char *)insn + g->offset;
	int value;

	if (g->size == sizeof(bool))
		return *(const bool *)at;
	memcpy(&value, at, sizeof(value));
	return value;
}

static void
field_set(struct insn *insn, const struct group *g, int value)
{
	char *at = (char *)insn + g->offset;

	if (g->size == sizeof(bool))
		*(bool *)at = value != 0;
	else
		memcpy(at, &value, sizeof(value));
}

bool
op_has(const struct op *op, enum group_id group)
{
	return op->quals & GROUP_BIT(group);
}

/* The second type of cvt is spelled as the first. */
static enum group_id
rows_of(enum group_id group)
{
	return group == GROUP_TYPE2 ? GROUP_TYPE : group;
}

/* Is the row one that the instruction may carry in that group? */
static bool
row_fits(const struct op *op, unsigned flags, enum group_id group,
    const struct qual *q)
{
	return q->group == rows_of(group) && op_has(op, group) &&
	    (q->flags & flags) &&
	    (q->group != GROUP_TYPE ||
		(op->quals & TYPE_BIT((unsigned)q->value)));
}

const struct qual *
insn_qual(const struct insn *insn, enum group_id group)
{
	int value = field_get(insn, &groups_table[group]);
	size_t i;

	if (group == GROUP_RESTRICT && !insn->sync_restrict)
		return NULL;
	for (i = 0; i < quals_count; i++)
		if (quals_table[i].value == value &&
		    row_fits(insn->op, ~0u, group, &quals_table[i]))
			return &quals_table[i];
	return NULL;
}

void
insn_needs(const struct insn *insn, int *ptx, int *sm)
{
	enum group_id g;

	*ptx = insn->op->ptx;
	*sm = insn->op->sm;
	for (g = 0; g < GROUP_COUNT; g++) {
		const struct qual *q = insn_qual(insn, g);

		if (q && q->ptx > *ptx)
			*ptx = q->ptx;
		if (q && q->sm > *sm)
			*sm = q->sm;
	}
	if (insn->op->class == CLASS_MBARRIER) {
		bool counted = insn->op->id == OP_MBARRIER_ARRIVE &&
		    insn->nops > 2;
		bool remote = insn->space == SPACE_SHARED_CLUSTER ||
		    insn->scope == SCOPE_CLUSTER || counted;

		*ptx = remote && *ptx < 80 ? 80 : *ptx;
		*sm = remote && *sm < 90 ? 90 : *sm;
	}
	/* bar.cta.sync and its like */
	if (insn->op->class == CLASS_BARRIER && insn->scope == SCOPE_CTA)
		*ptx = 78;
	if (insn->vec * type_size(insn->type) > 16) {
		*ptx = *ptx > 88 ? *ptx : 88;
		*sm = *sm > 100 ? *sm : 100;
	}
}

/* ---- what a message lists -------------------------------------------- */

/* "cta, cluster, gpu, sys": what the group offers to the instruction. */
static const char *
offers(const struct op *op, unsigned flags, enum group_id group, char *s,
    size_t size)
{
	size_t i, n = 0;

	s[0] = '\0';
	for (i = 0; i < quals_count && n < size; i++)
		if (row_fits(op, flags, group, &quals_table[i]))
			n += (size_t)snprintf(s + n, size - n, "%s%s",
			    n ? ", " : "", quals_table[i].spelling);
	return s;
}

/* The group of the instruction that has this label, or GROUP_COUNT. */
static enum group_id
group_like(const struct op *op, enum group_id group)
{
	enum group_id g;

	for (g = 0; g < GROUP_COUNT; g++)
		if (op_has(op, g) && strcmp(groups_table[g].label,
		    groups_table[rows_of(group)].label) == 0)
			return g;
	return GROUP_COUNT;
}

/* s[0..n) is no qualifier of the instruction: says which it could be. */
static bool
qual_unknown(const struct op *op, unsigned flags, const char *s, size_t n,
    struct loc loc, struct err *err)
{
	const struct qual *exact = NULL, *near = NULL;
	char list[200];
	enum group_id g;
	size_t i;

	for (i = 0; i < quals_count; i++) {
		const struct qual *q = &quals_table[i];

		if (strlen(q->spelling) == n &&
		    memcmp(q->spelling, s, n) == 0 && (!exact ||
		    group_like(op, exact->group) == GROUP_COUNT))
			exact = q;
		if (!near && is_near(s, n, q->spelling) &&
		    row_fits(op, flags, q->group, q))
			near = q;
	}
	g = exact ? group_like(op, exact->group) : GROUP_COUNT;
	if (exact && g != GROUP_COUNT)
		return err_set(err, ERR_INPUT, loc,
		    "%s takes no %s '%.*s' (%s)", op->mnemonic,
		    groups_table[g].label, (int)n, s,
		    offers(op, flags, g, list, sizeof(list)));
	if (exact)
		return err_set(err, ERR_INPUT, loc, "%s takes no %s ('.%.*s')",
		    op->mnemonic, groups_table[exact->group].label, (int)n, s);
	if (near)
		return err_set(err, ERR_INPUT, loc, "unknown %s '%.*s' (%s)",
		    groups_table[near->group].label, (int)n, s,
		    offers(op, flags, near->group, list, sizeof(list)));
	return err_set(err, ERR_INPUT, loc, "unknown qualifier '%.*s' of %s",
	    (int)(n < 40 ? n : 40), s, op->mnemonic);
}

/* ---- parsing ---------------------------------------------------------- */

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_' || c == ':' || c == '$';
}

/* Bytes of the word that the mnemonic takes, 0 if it is another. A ".cta"
   may stand after the first part of a barrier's name. */
static size_t
mnemonic_match(const char *word, const struct op *op, bool *cta)
{
	const char *m = op->mnemonic, *w = word;

	*cta = false;
	while (*m) {
		if (op->class == CLASS_BARRIER && *m == '.' &&
		    strncmp(w, ".cta.", 5) == 0 && !*cta) {
			*cta = true;
			w += 4;
		}
		if (*m++ != *w++)
			return 0;
	}
	return is_word(*w) ? 0 : (size_t)(w - word);
}

static const struct op *
op_find(const char *word, unsigned flags, size_t *size, bool *cta)
{
	const struct op *best = NULL;
	enum op_id id;

	*size = 0;
	for (id = OP_NONE + 1; id < OP_COUNT; id++) {
		bool with_cta;
		size_t n = mnemonic_match(word, &ops_table[id], &with_cta);

		if (n > *size && (ops_table[id].flags & flags)) {
			best = &ops_table[id];
			*size = n;
			*cta = with_cta;
		}
	}
	return best;
}

static bool
mnemonic_unknown(const char *word, size_t n, unsigned flags, struct loc loc,
    struct err *err)
{
	size_t first = strcspn(word, "."), size = 0;
	char list[300] = "";
	enum op_id id;
	bool cta;

	if (first > n)
		first = n;
	if (first == 0)
		return err_set(err, ERR_INPUT, loc, "expected an instruction");
	if (op_find(word, ~flags, &size, &cta))
		return err_set(err, ERR_INPUT, loc, "%.*s cannot stand in a "
		    "test", (int)size, word);
	for (id = OP_NONE + 1; id < OP_COUNT; id++) {
		const char *m = ops_table[id].mnemonic;

		if ((ops_table[id].flags & flags) && size < sizeof(list) &&
		    strcspn(m, ".") == first && memcmp(m, word, first) == 0)
			size += (size_t)snprintf(list + size,
			    sizeof(list) - size, "%s%s", size ? ", " : "", m);
	}
	if (size)
		return err_set(err, ERR_INPUT, loc,
		    "unknown form of %.*s (%s)", (int)first, word, list);
	for (id = OP_NONE + 1; id < OP_COUNT; id++)
		if ((ops_table[id].flags & flags) &&
		    is_near(word, first, ops_table[id].mnemonic))
			return err_set(err, ERR_INPUT, loc, "unknown "
			    "instruction '%.*s' (did you mean %s?)",
			    (int)first, word, ops_table[id].mnemonic);
	return err_set(err, ERR_INPUT, loc, "unknown instruction '%.*s'",
	    (int)(first < 40 ? first : 40), word);
}

/* What PTX takes where nothing is written. */
static void
defaults_set(struct insn *insn, bool cta)
{
	static const struct {
		enum group_id group;
		enum sem sem;
		enum scope scope;
	} semantics[] = {
		{GROUP_SEM_RMW, SEM_RELAXED, SCOPE_GPU},
		{GROUP_SEM_RED, SEM_RELAXED, SCOPE_GPU},
		{GROUP_SEM_FENCE, SEM_ACQ_REL, SCOPE_NONE},
		{GROUP_SEM_ARRIVE, SEM_RELEASE, SCOPE_NONE},
		{GROUP_SEM_ARRIVE_ON, SEM_RELEASE, SCOPE_CTA},
		{GROUP_SEM_EXPECT, SEM_RELAXED, SCOPE_CTA},
		{GROUP_SEM_WAIT, SEM_ACQUIRE, SCOPE_NONE},
		{GROUP_SEM_TEST, SEM_ACQUIRE, SCOPE_CTA},
		{GROUP_MEMBAR, SEM_SC, SCOPE_NONE},
	};
	static const enum proxy proxies[OP_COUNT] = {
		[OP_SUST] = PROXY_SURFACE, [OP_SULD] = PROXY_SURFACE,
		[OP_TLD] = PROXY_TEXTURE, [OP_COLD] = PROXY_CONSTANT,
		[OP_BULK] = PROXY_ASYNC,
	};
	size_t i;

	for (i = 0; i < sizeof(semantics) / sizeof(*semantics); i++)
		if (op_has(insn->op, semantics[i].group)) {
			insn->sem = semantics[i].sem;
			insn->scope = semantics[i].scope;
		}
	insn->proxy = proxies[insn->op->id];
	insn->vec = 1;
	insn->guard = -1;
	if (insn->op->class == CLASS_BARRIER) {
		insn->scope = cta ? SCOPE_CTA : SCOPE_NONE;
		insn->aligned = !op_has(insn->op, GROUP_ALIGNED);
	}
}

/* The longest qualifier of the instruction that starts at s; of a group
   that has none yet, if there are two (a copy's target and source). */
static const struct qual *
qual_find(const struct op *op, unsigned flags, uint64_t seen, const char *s)
{
	const struct qual *best = NULL;
	size_t i, longest = 0;

	for (i = 0; i < quals_count; i++) {
		const struct qual *q = &quals_table[i];
		size_t n = strlen(q->spelling);

		if ((n > longest || (n == longest && best && seen &
		    GROUP_BIT(best->group))) &&
		    strncmp(s, q->spelling, n) == 0 &&
		    !is_word(s[n]) && row_fits(op, flags, q->group, q)) {
			best = q;
			longest = n;
		}
	}
	return best;
}

static bool
qual_place(struct insn *insn, const struct qual *q, enum group_id g,
    enum group_id last, uint64_t *seen, struct loc loc, struct err *err)
{
	if (*seen & GROUP_BIT(g))
		return err_set(err, ERR_INPUT, loc, "a second %s ('.%s')",
		    groups_table[g].label, q->spelling);
	if (*seen && g < last)
		return err_set(err, ERR_INPUT, loc,
		    "'.%s' must stand before the %s", q->spelling,
		    groups_table[last].label);
	field_set(insn, &groups_table[g], q->value);
	if (g == GROUP_RESTRICT)
		insn->sync_restrict = true;
	*seen |= GROUP_BIT(g);
	return true;
}

static bool
required_check(const struct insn *insn, unsigned flags, uint64_t seen,
    struct loc loc, struct err *err)
{
	enum group_id g;
	char list[200];

	for (g = 0; g < GROUP_COUNT; g++) {
		if (!groups_table[g].required || !op_has(insn->op, g) ||
		    (seen & GROUP_BIT(g)))
			continue;
		/* an access takes its location's type */
		if (g == GROUP_TYPE && insn->op->class >= CLASS_LOAD &&
		    insn->op->class <= CLASS_RED)
			continue;
		return err_set(err, ERR_INPUT, loc, "%s needs its %s (%s)",
		    insn->op->mnemonic, groups_table[g].label,
		    offers(insn->op, flags, g, list, sizeof(list)));
	}
	return true;
}

bool
opcode_parse(struct cursor *c, unsigned flags, struct insn *insn,
    struct err *err)
{
	struct loc start = c->loc, places[GROUP_COUNT];
	enum group_id g, last = GROUP_INIT;
	uint64_t seen = 0;
	size_t n = 0;
	bool cta = false;

	insn->op = op_find(c->s, flags, &n, &cta);
	if (!insn->op) {
		while (is_word(c->s[n]) || c->s[n] == '.')
			n++;
		return mnemonic_unknown(c->s, n, flags, start, err);
	}
	defaults_set(insn, cta);
	cursor_advance(c, n);
	while (c->s[0] == '.') {
		const struct qual *q;

		cursor_advance(c, 1);
		q = qual_find(insn->op, flags, seen, c->s);
		if (!q) {
			for (n = 0; is_word(c->s[n]); n++)
				continue;
			return qual_unknown(insn->op, flags, c->s, n, c->loc,
			    err);
		}
		g = q->group;
		if (g == GROUP_TYPE && (seen & GROUP_BIT(GROUP_TYPE)) &&
		    op_has(insn->op, GROUP_TYPE2))
			g = GROUP_TYPE2;
		if (!qual_place(insn, q, g, last, &seen, c->loc, err))
			return false;
		places[g] = c->loc;
		last = g;
		cursor_advance(c, strlen(q->spelling));
	}
	return required_check(insn, flags, seen, start, err) &&
	    rules_check(insn, flags, seen, places, start, err);
}

bool
ptx_opcode(const char **s, struct loc *loc, unsigned flags,
    struct insn *insn, struct err *err)
{
	struct cursor c = {*s, *loc};
	struct insn parsed = {.loc = *loc};

	if (!opcode_parse(&c, flags, &parsed, err))
		return false;
	*s = c.s;
	*loc = c.loc;
	*insn = parsed;
	return true;
}

bool
ptx_parse(const char **s, struct loc *loc, const struct symbols *symbols,
    struct arena *a, struct insn *insn, const char **label_name,
    struct err *err)
{
	struct cursor c = {*s, *loc};
	struct insn parsed = {0};
	const char *label = NULL;
	bool negated = false;
	int guard;

	cursor_skip(&c);
	parsed.loc = c.loc;
	if (!guard_parse(&c, symbols, &negated, &guard, err) ||
	    !opcode_parse(&c, symbols->flags, &parsed, err))
		return false;
	parsed.guard = guard;
	parsed.guard_negated = negated;
	if (!operands_parse(&c, symbols, a, &parsed, &label, err))
		return false;
	*s = c.s;
	*loc = c.loc;
	*insn = parsed;
	*label_name = label;
	return true;
}
