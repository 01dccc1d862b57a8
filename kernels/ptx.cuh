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

/* All orders but NONE with the scopes they take. */
#define CASE(order, scope, body) \
	if constexpr (O == order && (S == scope || order < RELAXED)) \
		body
#define CASES(order, text) \
	CASE(order, CTA, ONE(text ".cta")) \
	CASE(order, CLUSTER, ONE(text ".cluster")) \
	CASE(order, GPU, ONE(text ".gpu")) \
	CASE(order, SYS, ONE(text ".sys"))

/* ld of global memory */
template <enum order O, enum scope S>
INLINE uint32_t
load(const uint32_t *p)
{
	uint32_t v = 0;

#define ONE(text) \
	asm volatile("ld." text ".u32 %0, [%1];" \
		     : "=r"(v) : "l"(global(p)) : "memory");
	CASE(WEAK, CTA, ONE("weak.global"))
	CASE(VOLATILE, CTA, ONE("volatile.global"))
	CASE(CV, CTA, ONE("global.cv"))
	CASE(CG, CTA, ONE("global.cg"))
	CASE(NC, CTA, ONE("global.nc"))
#undef ONE
#define ONE(text) \
	asm volatile("ld." text ".global.u32 %0, [%1];" \
		     : "=r"(v) : "l"(global(p)) : "memory");
	CASES(RELAXED, "relaxed")
	CASES(ACQUIRE, "acquire")
#undef ONE
	return v;
}

template <enum order O, enum scope S>
INLINE uint32_t
load(const uint8_t *p)
{
	uint32_t v = 0;

#define ONE(text) \
	asm volatile("ld." text ".global.u8 %0, [%1];" \
		     : "=r"(v) : "l"(global(p)) : "memory");
	CASES(RELAXED, "relaxed")
	CASES(ACQUIRE, "acquire")
#undef ONE
	return v;
}

template <enum order O, enum scope S>
INLINE uint64_t
load(const uint64_t *p)
{
	uint64_t v = 0;

#define ONE(text) \
	asm volatile("ld." text ".u64 %0, [%1];" \
		     : "=l"(v) : "l"(global(p)) : "memory");
	CASE(WEAK, CTA, ONE("weak.global"))
	CASE(VOLATILE, CTA, ONE("volatile.global"))
#undef ONE
#define ONE(text) \
	asm volatile("ld." text ".global.u64 %0, [%1];" \
		     : "=l"(v) : "l"(global(p)) : "memory");
	CASES(RELAXED, "relaxed")
	CASES(ACQUIRE, "acquire")
#undef ONE
	return v;
}

template <enum order O, enum scope S>
INLINE uint4
load(const uint4 *p)
{
	uint4 v = {0, 0, 0, 0};

#define ONE(text) \
	asm volatile("ld." text ".v4.u32 {%0, %1, %2, %3}, [%4];" \
		     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) \
		     : "l"(global(p)) : "memory");
	CASE(WEAK, CTA, ONE("weak.global"))
	CASE(VOLATILE, CTA, ONE("volatile.global"))
	CASE(CV, CTA, ONE("global.cv"))
	CASE(NC, CTA, ONE("global.nc"))
#undef ONE
#define ONE(text) \
	asm volatile("ld." text ".global.v4.u32 {%0, %1, %2, %3}, [%4];" \
		     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) \
		     : "l"(global(p)) : "memory");
	CASES(RELAXED, "relaxed")
#undef ONE
	return v;
}

/* st to global memory */
template <enum order O, enum scope S>
INLINE void
store(uint32_t *p, uint32_t v)
{
#define ONE(text) \
	asm volatile("st." text ".u32 [%0], %1;" \
		     : : "l"(global(p)), "r"(v) : "memory");
	CASE(WEAK, CTA, ONE("weak.global"))
	CASE(VOLATILE, CTA, ONE("volatile.global"))
#undef ONE
#define ONE(text) \
	asm volatile("st." text ".global.u32 [%0], %1;" \
		     : : "l"(global(p)), "r"(v) : "memory");
	CASES(RELAXED, "relaxed")
	CASES(RELEASE, "release")
#undef ONE
}

template <enum order O, enum scope S>
INLINE void
store(uint8_t *p, uint32_t v)
{
#define ONE(text) \
	asm volatile("st." text ".global.u8 [%0], %1;" \
		     : : "l"(global(p)), "r"(v) : "memory");
	CASES(RELAXED, "relaxed")
	CASES(RELEASE, "release")
#undef ONE
}

template <enum order O, enum scope S>
INLINE void
store(uint64_t *p, uint64_t v)
{
#define ONE(text) \
	asm volatile("st." text ".u64 [%0], %1;" \
		     : : "l"(global(p)), "l"(v) : "memory");
	CASE(WEAK, CTA, ONE("weak.global"))
	CASE(VOLATILE, CTA, ONE("volatile.global"))
#undef ONE
#define ONE(text) \
	asm volatile("st." text ".global.u64 [%0], %1;" \
		     : : "l"(global(p)), "l"(v) : "memory");
	CASES(RELAXED, "relaxed")
	CASES(RELEASE, "release")
#undef ONE
}

template <enum order O, enum scope S>
INLINE void
store(uint4 *p, uint4 v)
{
#define ONE(text) \
	asm volatile("st." text ".v4.u32 [%0], {%1, %2, %3, %4};" \
		     : : "l"(global(p)), "r"(v.x), "r"(v.y), "r"(v.z), \
		     "r"(v.w) : "memory");
	CASE(WEAK, CTA, ONE("weak.global"))
	CASE(VOLATILE, CTA, ONE("volatile.global"))
#undef ONE
#define ONE(text) \
	asm volatile("st." text ".global.v4.u32 [%0], {%1, %2, %3, %4};" \
		     : : "l"(global(p)), "r"(v.x), "r"(v.y), "r"(v.z), \
		     "r"(v.w) : "memory");
	CASES(RELAXED, "relaxed")
#undef ONE
}

/* atom and red on global memory */
#define ONE(text) \
	asm volatile("atom." text ".global." OPERATION " %0, [%1], %2;" \
		     : "=r"(old) : "l"(global(p)), "r"(v) : "memory");
#define ATOM(name) \
	template <enum order O, enum scope S> \
	INLINE uint32_t \
	name(uint32_t *p, uint32_t v) \
	{ \
		uint32_t old = 0; \
		CASES(RELAXED, "relaxed") \
		CASES(ACQUIRE, "acquire") \
		CASES(RELEASE, "release") \
		CASES(ACQ_REL, "acq_rel") \
		return old; \
	}
#define OPERATION "add.u32"
ATOM(add)
#undef OPERATION
#define OPERATION "exch.b32"
ATOM(exchange)
#undef OPERATION
#define OPERATION "or.b32"
ATOM(fetch_or)
#undef OPERATION
#define OPERATION "inc.u32"
ATOM(increment)
#undef OPERATION
#undef ATOM
#undef ONE

template <enum order O, enum scope S>
INLINE uint32_t
compare_swap(uint32_t *p, uint32_t expected, uint32_t v)
{
	uint32_t old = 0;

#define ONE(text) \
	asm volatile("atom." text ".global.cas.b32 %0, [%1], %2, %3;" \
		     : "=r"(old) : "l"(global(p)), "r"(expected), "r"(v) \
		     : "memory");
	CASES(RELAXED, "relaxed")
	CASES(ACQUIRE, "acquire")
	CASES(RELEASE, "release")
	CASES(ACQ_REL, "acq_rel")
#undef ONE
	return old;
}

template <enum order O, enum scope S>
INLINE void
reduce_add(uint32_t *p, uint32_t v)
{
#define ONE(text) \
	asm volatile("red." text ".global.add.u32 [%0], %1;" \
		     : : "l"(global(p)), "r"(v) : "memory");
	CASES(RELAXED, "relaxed")
	CASES(RELEASE, "release")
#undef ONE
}

template <enum order O, enum scope S>
INLINE void
reduce_add(uint64_t *p, uint64_t v)
{
#define ONE(text) \
	asm volatile("red." text ".global.add.u64 [%0], %1;" \
		     : : "l"(global(p)), "l"(v) : "memory");
	CASES(RELAXED, "relaxed")
#undef ONE
}

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

template <enum order O, enum scope S>
INLINE void
fence(void)
{
#define ONE(text) asm volatile("fence." text ";" : : : "memory");
	CASES(ACQUIRE, FENCE_ACQUIRE)
	CASES(RELEASE, FENCE_RELEASE)
	CASES(ACQ_REL, "acq_rel")
	CASES(SC, "sc")
#undef ONE
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
