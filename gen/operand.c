/* The operands of one instruction: [x+4], r0, {r0, r1}, 0x10, !p, L0. */
#include "ptx.h"

#include <string.h>

/* ---- operands as written ----------------------------------------------- */

#define NAME_WIDTH 256 /* compilers mangle */

/* An operand before its names are looked up. */
struct raw {
	struct operand operand;
	bool piped; /* follows a bar: d|p */
	int nnames;
	const char *name[VEC_MAX];
	size_t size[VEC_MAX];
	struct loc place[VEC_MAX];
};

static bool
name_take(struct cursor *c, struct raw *raw, const char *what,
    struct err *err)
{
	size_t n = name_length(c->s);

	if (n == 0)
		return err_set(err, ERR_INPUT, c->loc, "expected %s", what);
	if (n > NAME_WIDTH)
		return err_set(err, ERR_LIMIT, c->loc,
		    "a name of more than %d characters", NAME_WIDTH);
	raw->name[raw->nnames] = c->s;
	raw->size[raw->nnames] = n;
	raw->place[raw->nnames++] = c->loc;
	cursor_advance(c, n);
	return true;
}

static bool
address_parse(struct cursor *c, struct raw *raw, struct err *err)
{
	struct loc loc;
	int64_t offset = 0;
	bool minus;

	raw->operand.kind = OPERAND_ADDR;
	cursor_advance(c, 1);
	cursor_skip(c);
	if (number_starts(c->s)) {
		if (!number_parse(c, &raw->operand.imm, err))
			return false;
		return cursor_expect(c, ']', "after the address", err);
	}
	if (!name_take(c, raw, "a location or a register after '['", err))
		return false;
	cursor_skip(c);
	if (c->s[0] == '+' || c->s[0] == '-') {
		minus = c->s[0] == '-';
		cursor_advance(c, 1);
		cursor_skip(c);
		loc = c->loc;
		if (!number_starts(c->s))
			return err_set(err, ERR_INPUT, loc,
			    "expected a constant offset in bytes");
		if (!number_parse(c, &offset, err))
			return false;
		if (offset > INT32_MAX || offset < -(int64_t)INT32_MAX)
			return err_set(err, ERR_INPUT, loc,
			    "the offset does not fit in 32 bits");
		raw->operand.imm = minus ? -offset : offset;
	}
	return cursor_expect(c, ']', "after the address", err);
}

static bool
vector_parse(struct cursor *c, struct raw *raw, struct err *err)
{
	raw->operand.kind = OPERAND_VEC;
	do {
		cursor_advance(c, 1);
		cursor_skip(c);
		if (raw->nnames == VEC_MAX)
			return err_set(err, ERR_INPUT, c->loc,
			    "a vector has at most %d registers", VEC_MAX);
		if (!name_take(c, raw, "a register", err))
			return false;
		cursor_skip(c);
	} while (c->s[0] == ',');
	return cursor_expect(c, '}', "or ',' after the register", err);
}

static bool
raw_parse(struct cursor *c, struct raw *raw, struct err *err)
{
	raw->operand = (struct operand){.loc = c->loc, .reg = -1, .var = -1};
	if (c->s[0] == '[')
		return address_parse(c, raw, err);
	if (c->s[0] == '{')
		return vector_parse(c, raw, err);
	if (number_starts(c->s)) {
		raw->operand.kind = OPERAND_IMM;
		return number_parse(c, &raw->operand.imm, err);
	}
	if (c->s[0] == '!') {
		raw->operand.negated = true;
		cursor_advance(c, 1);
		cursor_skip(c);
	}
	raw->operand.kind = OPERAND_REG; /* until it is looked up */
	return name_take(c, raw, "an operand", err);
}

static bool
list_parse(struct cursor *c, struct raw *raws, int *count, struct err *err)
{
	struct loc after = c->loc;
	bool piped = false;

	cursor_skip(c);
	while (c->s[0] != ';' || *count) {
		if (*count == OPERANDS_MAX)
			return err_set(err, ERR_INPUT, c->loc,
			    "more than %d operands", OPERANDS_MAX);
		if (c->s[0] == '\0')
			return err_set(err, ERR_INPUT, c->loc,
			    "expected ';' at the end of the instruction");
		raws[*count].piped = piped;
		if (!raw_parse(c, &raws[(*count)++], err))
			return false;
		after = c->loc;
		cursor_skip(c);
		if (c->s[0] == ';')
			break;
		piped = c->s[0] == '|';
		if (c->s[0] != ',' && c->s[0] != '|')
			return err_set(err, ERR_INPUT,
			    c->loc.line == after.line ? c->loc : after,
			    "expected ',' or ';' after the operand");
		cursor_advance(c, 1);
		cursor_skip(c);
	}
	cursor_advance(c, 1);
	return true;
}

/* ---- operands against the row's pattern --------------------------------- */

/* The i-th letter, leaving out the optional one if there are fewer. */
static char
letter(const char *pattern, int nops, int i)
{
	int total = 0, at = 0;
	const char *s;

	for (s = pattern; *s; s++)
		total += *s != '?';
	for (s = pattern; *s; s++) {
		if (s[1] == '?' && nops < total) {
			s++;
			continue;
		}
		if (*s != '?' && at++ == i)
			return *s;
	}
	return '\0';
}

char
operand_letter(const struct insn *insn, int operand)
{
	return letter(insn->op->operands, insn->nops, operand);
}

/* "d, [a], b": for the message when the number is wrong. */
static const char *
signature(const char *pattern, char *s, size_t size)
{
	static const char *const text[128] = {
		['d'] = "d", ['o'] = "d", ['p'] = "p", ['s'] = "b", ['q'] = "p",
		['m'] = "a", ['a'] = "[a]", ['l'] = "label",
	};
	size_t n = 0;
	bool first = true;

	s[0] = '\0';
	for (; *pattern && n < size; pattern++) {
		bool optional = pattern[1] == '?';
		const char *name = *pattern == '|' ? "p" :
		    text[(unsigned char)*pattern];

		n += (size_t)snprintf(s + n, size - n, "%s%s%s%s",
		    optional ? "{" : "", *pattern == '|' ? "|" :
		    first ? "" : ", ", name, optional ? "}" : "");
		first = false;
		pattern += optional;
	}
	return s;
}

static bool
count_check(const struct insn *insn, const struct raw *raws, int count,
    struct err *err)
{
	const char *pattern = insn->op->operands, *s;
	int least = 0, most = 0;
	bool cas = insn->op->class == CLASS_RMW && insn->rmw == RMW_CAS;
	char text[64];

	for (s = pattern; *s; s++) {
		most += *s != '?';
		least += *s == '?' ? -1 : 1;
	}
	if (insn->op->id == OP_BULK) {
		bool counts = insn->complete == COMPLETE_MBARRIER;

		pattern = counts ? "aasa" : "aas";
		least = most = counts ? 4 : 3;
	}
	if (insn->op->class == CLASS_RMW) {
		pattern = cas ? "dass" : "das";
		least = most = cas ? 4 : 3;
	}
	/* d|p is one operand with a bar, not two */
	if (strchr(pattern, '|') && count > 1 && !raws[1].piped)
		most--;
	if (count < least || count > most) {
		signature(pattern, text, sizeof(text));
		return err_set(err, ERR_INPUT, insn->loc,
		    "%s%s takes %s%s, not %d operand%s",
		    insn->op->mnemonic, cas ? ".cas" : "",
		    text[0] ? "the operands " : "no operands", text, count,
		    plural((uint64_t)count));
	}
	return true;
}

static bool
fits(int64_t value, enum type type)
{
	int bits = type == TYPE_PRED ? 1 : 8 * type_size(type);

	if (bits == 0 || bits == 64)
		return true;
	return value >= -((int64_t)1 << (bits - 1)) &&
	    value < (int64_t)1 << bits;
}

bool
immediate_check(const struct insn *insn, int operand, struct err *err)
{
	const struct operand *o = &insn->ops[operand];
	enum type type = operand_type(insn, operand);

	if (fits(o->imm, type))
		return true;
	return err_set(err, ERR_INPUT, o->loc, "%lld does not fit in .%s",
	    (long long)o->imm, type_name(type));
}

/* What each letter takes, for "expected ...". */
static const char *
wanted(char letter_wanted)
{
	static const char *const text[128] = {
		['d'] = "a destination register",
		['o'] = "a destination register or _",
		['p'] = "a predicate register",
		['|'] = "a predicate register",
		['q'] = "a predicate register",
		['s'] = "a register or a number",
		['m'] = "a register, a number or a location",
		['a'] = "an address, [x] or [x+4]",
		['l'] = "a label",
	};

	return text[(unsigned char)letter_wanted];
}

static bool
unexpected(const struct raw *raw, char l, struct err *err)
{
	return err_set(err, ERR_INPUT, raw->operand.loc, "expected %s",
	    wanted(l));
}

static bool
reg_find(const struct symbols *y, const struct raw *raw, int i, int *reg,
    struct err *err)
{
	int n = (int)raw->size[i];

	if (y->var(y->user, raw->name[i], raw->size[i]) >= 0)
		return err_set(err, ERR_INPUT, raw->place[i],
		    "'%.*s' is a location, not a register (read it with ld; "
		    "mov.u64 takes its address)", n, raw->name[i]);
	if (raw->name[i][0] == '%' && y->special && y->special(y->user,
	    raw->name[i], raw->size[i]) >= 0)
		return err_set(err, ERR_INPUT, raw->place[i],
		    "'%.*s' is a special register (mov reads it)", n,
		    raw->name[i]);
	*reg = y->reg(y->user, raw->name[i], raw->size[i], raw->place[i]);
	if (*reg < 0)
		return err_set(err, ERR_INPUT, raw->place[i],
		    "'%.*s' cannot be the name of a register", n,
		    raw->name[i]);
	return true;
}

static bool
address_resolve(const struct symbols *y, struct raw *raw, struct err *err)
{
	if (raw->nnames == 0)
		return true;
	raw->operand.var = y->var(y->user, raw->name[0], raw->size[0]);
	if (raw->operand.var >= 0)
		return true;
	return reg_find(y, raw, 0, &raw->operand.reg, err);
}

static bool
vector_resolve(const struct insn *insn, const struct symbols *y,
    struct raw *raw, struct err *err)
{
	int i;

	if (raw->nnames != insn->vec)
		return err_set(err, ERR_INPUT, raw->operand.loc,
		    "expected %d registers, not %d", insn->vec, raw->nnames);
	for (i = 0; i < raw->nnames; i++)
		if (!reg_find(y, raw, i, &raw->operand.vec[i], err))
			return false;
	raw->operand.nvec = raw->nnames;
	return true;
}

/* A name where a value may stand: variable (m), special, or register. */
static bool
value_resolve(const struct symbols *y, struct raw *raw, char l,
    struct err *err)
{
	struct operand *o = &raw->operand;

	if (l == 'm')
		o->var = y->var(y->user, raw->name[0], raw->size[0]);
	if (o->var >= 0) {
		o->kind = OPERAND_VAR;
		return true;
	}
	if (y->special && (l == 'm' || l == 's') && raw->name[0][0] == '%') {
		o->special = y->special(y->user, raw->name[0], raw->size[0]);
		if (o->special >= 0) {
			o->kind = OPERAND_SPECIAL;
			return true;
		}
		o->special = 0;
	}
	return reg_find(y, raw, 0, &o->reg, err);
}

static bool
operand_resolve(const struct insn *insn, const struct symbols *y,
    struct raw *raw, char l, const char **label_name, size_t *label_size,
    struct err *err)
{
	bool value = l == 's' || l == 'm', joined = l == '|';
	bool vector = insn->vec > 1 && (l == 'd' || l == 's');

	if (raw->piped != joined)
		return err_set(err, ERR_INPUT, raw->operand.loc,
		    "a '|' stands between a destination and its predicate "
		    "only");
	if (raw->operand.negated && l != 'q')
		return err_set(err, ERR_INPUT, raw->operand.loc,
		    "'!' is for source predicates only");
	switch (raw->operand.kind) {
	case OPERAND_ADDR:
		return l == 'a' ? address_resolve(y, raw, err) :
		    unexpected(raw, l, err);
	case OPERAND_IMM:
		return value && !vector ? true : unexpected(raw, l, err);
	case OPERAND_VEC:
		return vector ? vector_resolve(insn, y, raw, err) :
		    unexpected(raw, l, err);
	default:
		break;
	}
	if (vector)
		return err_set(err, ERR_INPUT, raw->operand.loc,
		    "expected a vector of %d registers, {r0, ...}",
		    insn->vec);
	if (l == 'a')
		return unexpected(raw, l, err);
	if (l == 'o' && raw->size[0] == 1 && raw->name[0][0] == '_') {
		raw->operand.kind = OPERAND_SINK;
		return true;
	}
	if (l == 'l') {
		raw->operand.kind = OPERAND_LABEL;
		raw->operand.imm = -1;
		*label_name = raw->name[0];
		*label_size = raw->size[0];
		return true;
	}
	return value_resolve(y, raw, l, err);
}

bool
operands_parse(struct cursor *c, const struct symbols *symbols,
    struct arena *a, struct insn *insn, const char **label_name,
    struct err *err)
{
	struct raw raws[OPERANDS_MAX] = {0};
	const char *name = NULL;
	size_t size = 0;
	int count = 0, i;

	if (!list_parse(c, raws, &count, err) ||
	    !count_check(insn, raws, count, err))
		return false;
	insn->nops = count;
	for (i = 0; i < count; i++) {
		if (!operand_resolve(insn, symbols, &raws[i],
		    operand_letter(insn, i), &name, &size, err))
			return false;
		insn->ops[i] = raws[i].operand;
		if (raws[i].operand.kind == OPERAND_IMM &&
		    !immediate_check(insn, i, err))
			return false;
	}
	*label_name = name ? arena_strndup(a, name, size) : NULL;
	return true;
}

bool
guard_parse(struct cursor *c, const struct symbols *symbols, bool *negated,
    int *guard, struct err *err)
{
	struct raw raw = {0};

	*guard = -1;
	if (c->s[0] != '@')
		return true;
	cursor_advance(c, 1);
	cursor_skip(c);
	*negated = c->s[0] == '!';
	if (*negated) {
		cursor_advance(c, 1);
		cursor_skip(c);
	}
	if (!name_take(c, &raw, "a predicate register after '@'", err) ||
	    !reg_find(symbols, &raw, 0, guard, err))
		return false;
	cursor_skip(c);
	return true;
}
