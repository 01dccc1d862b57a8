/*
 * What PTX says about qualifiers that stand together: legal instructions
 * that the tables alone would not tell from illegal ones.
 */
#include "ptx.h"

/* What a rule sees: the instruction and which groups were written. */
struct written {
	const struct insn *insn;
	uint64_t groups;
	bool dialect;
};

/* A rule returns NULL, or what is wrong; *at is the group to point at. */
typedef const char *rule_fn(const struct written *w, enum group_id *at);

static bool
is_access(const struct insn *insn)
{
	return insn->op->class == CLASS_LOAD ||
	    insn->op->class == CLASS_STORE;
}

static enum group_id
sem_group(const struct insn *insn)
{
	return insn->op->class == CLASS_LOAD ? GROUP_SEM_LD : GROUP_SEM_ST;
}

static const char *
rule_strong_needs_scope(const struct written *w, enum group_id *at)
{
	const struct insn *i = w->insn;

	*at = sem_group(i);
	if (!is_access(i) || i->scope != SCOPE_NONE || i->sem == SEM_WEAK ||
	    i->sem == SEM_VOLATILE || i->sem == SEM_MMIO ||
	    !op_has(i->op, GROUP_SCOPE))
		return NULL;
	return "a strong access needs a scope (cta, cluster, gpu, sys)";
}

static const char *
rule_weak_has_no_scope(const struct written *w, enum group_id *at)
{
	const struct insn *i = w->insn;

	*at = GROUP_SCOPE;
	if (!is_access(i) || i->scope == SCOPE_NONE)
		return NULL;
	if (i->sem == SEM_WEAK)
		return "a weak access takes no scope (.relaxed, .acquire "
		       "and .release do)";
	if (i->sem == SEM_VOLATILE)
		return "a volatile access takes no scope (it acts as "
		       "relaxed.sys)";
	return NULL;
}

static const char *
rule_mmio(const struct written *w, enum group_id *at)
{
	const struct insn *i = w->insn;

	if (i->sem != SEM_MMIO)
		return NULL;
	*at = i->scope == SCOPE_NONE ? sem_group(i) : GROUP_SCOPE;
	if (i->scope != SCOPE_SYS)
		return "an mmio access is .mmio.relaxed.sys";
	*at = GROUP_VEC;
	if (i->vec > 1)
		return "an mmio access takes no vector";
	*at = GROUP_SPACE;
	if (i->space != SPACE_GENERIC && i->space != SPACE_GLOBAL)
		return "an mmio access is to .global memory";
	return NULL;
}

static const char *
rule_cache(const struct written *w, enum group_id *at)
{
	const struct insn *i = w->insn;

	*at = i->op->class == CLASS_LOAD ? GROUP_CACHE_LD : GROUP_CACHE_ST;
	if (i->cache == CACHE_NONE)
		return NULL;
	if (i->sem != SEM_WEAK)
		return "a cache operator is allowed on weak accesses only";
	if (i->evict != EVICT_NONE)
		return "a cache operator cannot stand beside an eviction "
		       "priority";
	if (i->nc && (i->cache == CACHE_LU || i->cache == CACHE_CV))
		return "ld.nc takes the cache operators ca, cg, cs";
	return NULL;
}

static const char *
rule_nc(const struct written *w, enum group_id *at)
{
	const struct insn *i = w->insn;

	if (!i->nc)
		return NULL;
	*at = GROUP_SEM_LD;
	if (w->groups & GROUP_BIT(GROUP_SEM_LD))
		return "ld.nc takes no .weak, .relaxed, .acquire or "
		       ".volatile (ld.global.nc)";
	*at = GROUP_NC;
	if (i->space != SPACE_GENERIC && i->space != SPACE_GLOBAL)
		return "a non-coherent load is from .global memory "
		       "(ld.global.nc)";
	return NULL;
}

static const char *
rule_evict(const struct written *w, enum group_id *at)
{
	const struct insn *i = w->insn;

	*at = GROUP_EVICT;
	if (i->evict == EVICT_NONE)
		return NULL;
	if (i->sem == SEM_VOLATILE || i->sem == SEM_MMIO)
		return "volatile and mmio accesses take no eviction priority";
	if (i->space != SPACE_GENERIC && i->space != SPACE_GLOBAL)
		return "an eviction priority is for .global memory only";
	return NULL;
}

static const char *
rule_vector(const struct written *w, enum group_id *at)
{
	const struct insn *i = w->insn;
	int bytes = i->vec * type_size(i->type);

	*at = GROUP_VEC;
	if (i->vec < 2 || i->type == TYPE_NONE)
		return NULL;
	if (i->vec == 8 && type_size(i->type) != 4)
		return ".v8 is for 32-bit types";
	if (bytes > 16 && i->space != SPACE_GENERIC &&
	    i->space != SPACE_GLOBAL)
		return "a vector of 32 bytes is for .global memory only";
	return NULL;
}

static const char *
rule_fence(const struct written *w, enum group_id *at)
{
	const struct insn *i = w->insn;

	*at = GROUP_COUNT;
	if (i->op->id != OP_FENCE)
		return NULL;
	if (i->scope == SCOPE_NONE)
		return "a fence needs a scope (cta, cluster, gpu, sys)";
	*at = GROUP_INIT;
	if (i->mbarrier_init && (i->sem != SEM_RELEASE ||
	    i->scope != SCOPE_CLUSTER || i->sync_restrict))
		return "the fence of an mbarrier's initialisation is "
		       "fence.mbarrier_init.release.cluster";
	*at = GROUP_RESTRICT;
	if (i->sync_restrict && (i->scope != SCOPE_CLUSTER ||
	    i->sem != (i->space == SPACE_SHARED ? SEM_RELEASE :
	    SEM_ACQUIRE)))
		return "a restricted fence is "
		       "fence.release.sync_restrict::shared::cta.cluster or "
		       "fence.acquire.sync_restrict::shared::cluster.cluster";
	return NULL;
}

static const char *
rule_proxy(const struct written *w, enum group_id *at)
{
	*at = GROUP_PROXY_SPACE;
	if (w->insn->op->id != OP_FENCE_PROXY ||
	    w->insn->space == SPACE_GENERIC ||
	    w->insn->proxy == PROXY_ASYNC)
		return NULL;
	return "only fence.proxy.async takes a state space";
}

/* PTX ISA, atom: which types each operation takes. */
static const struct {
	uint64_t types;
	const char *text;
} rmw_types[] = {
	[RMW_ADD] = {T(U32) | T(S32) | T(U64) | T(F32),
	    "add takes u32, s32, u64"},
	[RMW_EXCH] = {TYPES_B32_B64, "exch takes b32, b64"},
	[RMW_CAS] = {TYPES_BITS, "cas takes b16, b32, b64"},
	[RMW_MIN] = {T(U32) | T(S32) | T(U64) | T(S64),
	    "min takes u32, s32, u64, s64"},
	[RMW_MAX] = {T(U32) | T(S32) | T(U64) | T(S64),
	    "max takes u32, s32, u64, s64"},
	[RMW_AND] = {TYPES_B32_B64, "and takes b32, b64"},
	[RMW_OR] = {TYPES_B32_B64, "or takes b32, b64"},
	[RMW_XOR] = {TYPES_B32_B64, "xor takes b32, b64"},
	[RMW_INC] = {T(U32), "inc takes u32"},
	[RMW_DEC] = {T(U32), "dec takes u32"},
};

static const char *
rule_rmw(const struct written *w, enum group_id *at)
{
	const struct insn *i = w->insn;

	*at = GROUP_TYPE;
	if ((i->op->class != CLASS_RMW && i->op->class != CLASS_RED) ||
	    i->type == TYPE_NONE || w->dialect)
		return NULL;
	return rmw_types[i->rmw].types & TYPE_BIT(i->type) ? NULL :
	    rmw_types[i->rmw].text;
}

static const char *
rule_barrier_red(const struct written *w, enum group_id *at)
{
	const struct insn *i = w->insn;

	*at = GROUP_TYPE;
	if (i->op->class != CLASS_BARRIER || i->type == TYPE_NONE ||
	    (i->rmw == RMW_POPC) == (i->type == TYPE_U32))
		return NULL;
	return i->rmw == RMW_POPC ? "a barrier's popc is .u32" :
	    "a barrier's and, or are .pred";
}

static const char *
rule_vote(const struct written *w, enum group_id *at)
{
	const struct insn *i = w->insn;

	*at = GROUP_TYPE;
	if (i->op->id != OP_VOTE || i->type == TYPE_NONE ||
	    (i->mode == MODE_BALLOT) == (i->type == TYPE_B32))
		return NULL;
	return i->mode == MODE_BALLOT ? "vote.sync.ballot is .b32" :
	    "vote.sync.all, any, uni are .pred";
}

static const char *
rule_compare(const struct written *w, enum group_id *at)
{
	const struct insn *i = w->insn;

	*at = GROUP_CMP;
	if (i->op->id == OP_SETP && i->cmp >= CMP_LEU &&
	    i->type != TYPE_F32)
		return "leu, nan compare floats";
	if (i->type == TYPE_F32)
		return NULL;
	if (i->op->id != OP_SETP || i->cmp == CMP_EQ || i->cmp == CMP_NE)
		return NULL;
	if (T(B16) <= TYPE_BIT(i->type) && TYPES_BITS & TYPE_BIT(i->type))
		return "types without a sign compare with eq, ne only";
	if (i->cmp >= CMP_LO && type_signed(i->type))
		return "lo, ls, hi, hs compare unsigned types";
	return NULL;
}

static const char *
rule_wide(const struct written *w, enum group_id *at)
{
	*at = GROUP_MODE_MUL;
	if (!op_has(w->insn->op, GROUP_MODE_MUL) ||
	    w->insn->mode != MODE_WIDE || type_size(w->insn->type) < 8)
		return NULL;
	return ".wide takes 16-bit and 32-bit types";
}

static const char *
rule_prefetch(const struct written *w, enum group_id *at)
{
	const struct insn *i = w->insn;

	*at = GROUP_SPACE;
	if (i->op->id != OP_PREFETCH || i->space == SPACE_GENERIC ||
	    i->space == SPACE_GLOBAL || i->space == SPACE_LOCAL)
		return NULL;
	return "prefetch is for .global memory";
}

/* PTX ISA, mbarrier: who takes which space and scope. */
static const char *
rule_mbarrier(const struct written *w, enum group_id *at)
{
	const struct insn *i = w->insn;
	uint64_t sems = Q(SEM_ARRIVE_ON) | Q(SEM_EXPECT) | Q(SEM_TEST);
	bool remote = op_has(i->op, GROUP_SEM_ARRIVE_ON) ||
	    op_has(i->op, GROUP_SEM_EXPECT);

	if (i->op->class != CLASS_MBARRIER && i->op->id != OP_CP_ARRIVE)
		return NULL;
	*at = GROUP_SPACE;
	if (i->space != SPACE_GENERIC && i->space != SPACE_SHARED &&
	    (i->space != SPACE_SHARED_CLUSTER || !remote))
		return remote ? "an mbarrier is in .shared::cta or "
		    ".shared::cluster" : "this is for an mbarrier of the own "
		    "CTA (.shared, .shared::cta)";
	*at = GROUP_SCOPE;
	if (i->scope > SCOPE_CLUSTER)
		return "an mbarrier's scope is .cta or .cluster";
	if (w->groups && !(w->groups & sems) != !(w->groups & Q(SCOPE)))
		return "an mbarrier instruction takes semantics and scope "
		       "together, or neither";
	return NULL;
}

/* PTX ISA, cp.async.bulk: from where to where, and how it completes. */
static const struct {
	enum space to, from;
	enum complete complete;
} bulk_forms[] = {
	{SPACE_SHARED_CLUSTER, SPACE_GLOBAL, COMPLETE_MBARRIER},
	{SPACE_SHARED, SPACE_GLOBAL, COMPLETE_MBARRIER},
	{SPACE_SHARED_CLUSTER, SPACE_SHARED, COMPLETE_MBARRIER},
	{SPACE_GLOBAL, SPACE_SHARED, COMPLETE_GROUP},
};

static const char *
rule_bulk(const struct written *w, enum group_id *at)
{
	const struct insn *i = w->insn;
	bool spaces = false;
	size_t k;

	if (i->op->id != OP_BULK)
		return NULL;
	for (k = 0; k < sizeof(bulk_forms) / sizeof(*bulk_forms); k++) {
		if (i->space != bulk_forms[k].to ||
		    i->from != bulk_forms[k].from)
			continue;
		spaces = true;
		if (i->complete == bulk_forms[k].complete)
			return NULL;
	}
	*at = spaces ? GROUP_COMPLETE : GROUP_BULK_FROM;
	if (spaces)
		return "a copy to .global completes by .bulk_group, one to "
		       "shared memory by .mbarrier::complete_tx::bytes";
	return "a bulk copy is .shared::cluster.global, .shared::cta.global, "
	       ".shared::cluster.shared::cta or .global.shared::cta";
}

static rule_fn *const rules[] = {
	rule_strong_needs_scope, rule_weak_has_no_scope, rule_mmio,
	rule_cache, rule_nc, rule_evict, rule_vector, rule_fence,
	rule_proxy, rule_rmw, rule_barrier_red, rule_vote, rule_compare,
	rule_wide, rule_prefetch, rule_mbarrier, rule_bulk,
};

bool
rules_check(const struct insn *insn, unsigned flags, uint64_t seen,
    const struct loc *places, struct loc loc, struct err *err)
{
	struct written w = {insn, seen, flags & OP_DIALECT};
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		enum group_id at = GROUP_COUNT;
		const char *wrong = rules[i](&w, &at);

		if (wrong)
			return err_set(err, ERR_INPUT, at < GROUP_COUNT &&
			    (seen & GROUP_BIT(at)) ? places[at] : loc, "%s",
			    wrong);
	}
	return true;
}

bool
insn_rules(const struct insn *insn, struct err *err)
{
	return rules_check(insn, OP_TEST, 0, NULL, insn->loc, err);
}
