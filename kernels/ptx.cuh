/*
 * ptx: the memory instructions that primitives are made of, one function an
 * instruction, so that what is read is what is run. load<ACQUIRE, GPU>(p)
 * is ld.acquire.gpu.global.u32, and nothing else.
 *
 * All are volatile and clobber memory: the compiler neither drops, doubles
 * nor moves them. What the hardware may reorder stays as PTX has it.
 */
#ifndef KERNELS_PTX_CUH
#define KERNELS_PTX_CUH

#include "abi.h"

enum order {
	WEAK, /* ld, st as C++ has them for plain variables */
	VOLATILE,
	CV, CG, NC, /* cache operators: weak accesses with a hint */
	RELAXED,
	ACQUIRE,
	RELEASE,
	ACQ_REL,
	SC,
	NONE, /* no instruction at all, for twins */
};

enum scope { WARP, PART, CTA, CLUSTER, GPU, GRID = GPU, SYS };

#define INLINE static __device__ __forceinline__

INLINE uint64_t
global(const void *p)
{
	return (uint64_t)__cvta_generic_to_global(p);
}

INLINE uint32_t
shared(const void *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

/*
 * Each instruction is one macro of asm, EACH(qualifiers, ...), that comes
 * with each order and scope it may have; which one is there is settled when
 * the template is used, and an order it does not have is an error then.
 */
#define CASE(order, scope, ...) \
	if constexpr (O == order && (S == scope || order < RELAXED)) \
		__VA_ARGS__
#define SCOPES(order, text, space, EACH, ...) \
	CASE(order, CTA, EACH(text ".cta" space, __VA_ARGS__)) \
	CASE(order, CLUSTER, EACH(text ".cluster" space, __VA_ARGS__)) \
	CASE(order, GPU, EACH(text ".gpu" space, __VA_ARGS__)) \
	CASE(order, SYS, EACH(text ".sys" space, __VA_ARGS__))

/* ld of global memory */
#define LOAD_ONE(text, type, at, ...) \
	asm volatile("ld." text type ", [" at "];" \
		     : __VA_ARGS__ : "l"(global(p)) : "memory");
#define LOAD(value, memory, ...) /* type, address, outputs of asm */ \
	template <enum order O, enum scope S> \
	INLINE value \
	load(const memory *p) \
	{ \
		value v = {}; \
		static_assert(O <= ACQUIRE, "no such load"); \
		CASE(WEAK, CTA, LOAD_ONE("weak.global", __VA_ARGS__)) \
		CASE(VOLATILE, CTA, LOAD_ONE("volatile.global", __VA_ARGS__)) \
		CASE(CV, CTA, LOAD_ONE("global.cv", __VA_ARGS__)) \
		CASE(CG, CTA, LOAD_ONE("global.cg", __VA_ARGS__)) \
		CASE(NC, CTA, LOAD_ONE("global.nc", __VA_ARGS__)) \
		SCOPES(RELAXED, "relaxed", ".global", LOAD_ONE, __VA_ARGS__) \
		SCOPES(ACQUIRE, "acquire", ".global", LOAD_ONE, __VA_ARGS__) \
		return v; \
	}

LOAD(uint32_t, uint8_t, ".u8 %0", "%1", "=r"(v))
LOAD(uint32_t, uint32_t, ".u32 %0", "%1", "=r"(v))
LOAD(uint64_t, uint64_t, ".u64 %0", "%1", "=l"(v))
LOAD(uint4, uint4, ".v4.u32 {%0, %1, %2, %3}", "%4", "=r"(v.x), "=r"(v.y),
    "=r"(v.z), "=r"(v.w))
LOAD(ulonglong2, ulonglong2, ".v2.u64 {%0, %1}", "%2", "=l"(v.x), "=l"(v.y))

/* st to global memory */
#define STORE_ONE(text, type, ...) \
	asm volatile("st." text type ";" \
		     : : "l"(global(p)), __VA_ARGS__ : "memory");
#define STORE(value, memory, ...) /* type, inputs of asm */ \
	template <enum order O, enum scope S> \
	INLINE void \
	store(memory *p, value v) \
	{ \
		static_assert(O == WEAK || O == VOLATILE || O == RELAXED || \
		    O == RELEASE, "no such store"); \
		CASE(WEAK, CTA, STORE_ONE("weak.global", __VA_ARGS__)) \
		CASE(VOLATILE, CTA, STORE_ONE("volatile.global", __VA_ARGS__)) \
		SCOPES(RELAXED, "relaxed", ".global", STORE_ONE, __VA_ARGS__) \
		SCOPES(RELEASE, "release", ".global", STORE_ONE, __VA_ARGS__) \
	}

STORE(uint32_t, uint8_t, ".u8 [%0], %1", "r"(v))
STORE(uint32_t, uint32_t, ".u32 [%0], %1", "r"(v))
STORE(uint64_t, uint64_t, ".u64 [%0], %1", "l"(v))
STORE(uint4, uint4, ".v4.u32 [%0], {%1, %2, %3, %4}", "r"(v.x), "r"(v.y),
    "r"(v.z), "r"(v.w))
STORE(ulonglong2, ulonglong2, ".v2.u64 [%0], {%1, %2}", "l"(v.x), "l"(v.y))

/* atom and red on global memory */
#define ATOM_ONE(text, operation, ...) \
	asm volatile("atom." text "." operation ";" \
		     : "=r"(old) : "l"(global(p)), __VA_ARGS__ : "memory");
#define ATOM(name, values, ...) /* operation, inputs of asm */ \
	template <enum order O, enum scope S> \
	INLINE uint32_t \
	name(uint32_t *p, UNPACK values) \
	{ \
		uint32_t old = 0; \
		static_assert(O >= RELAXED && O <= ACQ_REL, "no such atom"); \
		SCOPES(RELAXED, "relaxed", ".global", ATOM_ONE, __VA_ARGS__) \
		SCOPES(ACQUIRE, "acquire", ".global", ATOM_ONE, __VA_ARGS__) \
		SCOPES(RELEASE, "release", ".global", ATOM_ONE, __VA_ARGS__) \
		SCOPES(ACQ_REL, "acq_rel", ".global", ATOM_ONE, __VA_ARGS__) \
		return old; \
	}
#define UNPACK(...) __VA_ARGS__

ATOM(add, (uint32_t v), "add.u32 %0, [%1], %2", "r"(v))
ATOM(exchange, (uint32_t v), "exch.b32 %0, [%1], %2", "r"(v))
ATOM(fetch_or, (uint32_t v), "or.b32 %0, [%1], %2", "r"(v))
ATOM(increment, (uint32_t v), "inc.u32 %0, [%1], %2", "r"(v))
ATOM(compare_swap, (uint32_t expected, uint32_t v),
    "cas.b32 %0, [%1], %2, %3", "r"(expected), "r"(v))

#define REDUCE_ONE(text, type, ...) \
	asm volatile("red." text ".add" type " [%0], %1;" \
		     : : "l"(global(p)), __VA_ARGS__ : "memory");
#define REDUCE(value, ...) /* type, input of asm */ \
	template <enum order O, enum scope S> \
	INLINE void \
	reduce_add(value *p, value v) \
	{ \
		static_assert(O == RELAXED || O == RELEASE, "no such red"); \
		SCOPES(RELAXED, "relaxed", ".global", REDUCE_ONE, \
		    __VA_ARGS__) \
		SCOPES(RELEASE, "release", ".global", REDUCE_ONE, \
		    __VA_ARGS__) \
	}

REDUCE(uint32_t, ".u32", "r"(v))
REDUCE(uint64_t, ".u64", "l"(v))

/*
 * fence. ACQUIRE and RELEASE alone need sm_90: on an H200 the first costs
 * an invalidation of L1 (CCTL.IVALL), the second a MEMBAR, and acq_rel
 * both. Older targets get acq_rel, which is stronger.
 */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define FENCE_ACQUIRE "acq_rel"
#define FENCE_RELEASE "acq_rel"
#else
#define FENCE_ACQUIRE "acquire"
#define FENCE_RELEASE "release"
#endif

#define FENCE_ONE(text, ...) asm volatile("fence." text ";" : : : "memory");
template <enum order O, enum scope S>
INLINE void
fence(void)
{
	static_assert(O >= ACQUIRE, "no such fence");
	SCOPES(ACQUIRE, FENCE_ACQUIRE, "", FENCE_ONE, )
	SCOPES(RELEASE, FENCE_RELEASE, "", FENCE_ONE, )
	SCOPES(ACQ_REL, "acq_rel", "", FENCE_ONE, )
	SCOPES(SC, "sc", "", FENCE_ONE, )
}

/* A barrier of the cluster; RELAXED: one that orders nothing. */
template <enum order O>
INLINE void
cluster_barrier(void)
{
	if constexpr (O == RELAXED)
		asm volatile("barrier.cluster.arrive.relaxed.aligned;" : : :
		    "memory");
	else
		asm volatile("barrier.cluster.arrive.release.aligned;" : : :
		    "memory");
	asm volatile("barrier.cluster.wait.acquire.aligned;" : : : "memory");
}

/* Weak accesses to memory of any space, for payloads. */
INLINE uint32_t
peek(const uint32_t *p)
{
	uint32_t v;

	asm volatile("ld.weak.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
	return v;
}

INLINE void
poke(uint32_t *p, uint32_t v)
{
	asm volatile("st.weak.u32 [%0], %1;" : : "l"(p), "r"(v) : "memory");
}

INLINE uint64_t
nanoseconds(void)
{
	uint64_t v;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(v) : : "memory");
	return v;
}

/* Stands still for so many clocks of the SM. */
INLINE void
pause_for(uint32_t clocks)
{
	uint32_t start, now;

	asm volatile("mov.u32 %0, %%clock;" : "=r"(start) : : "memory");
	do
		asm volatile("mov.u32 %0, %%clock;" : "=r"(now) : : "memory");
	while (now - start < clocks);
}

INLINE uint64_t
ticks(void)
{
	uint64_t v;

	asm volatile("mov.u64 %0, %%clock64;" : "=l"(v) : : "memory");
	return v;
}

#endif
