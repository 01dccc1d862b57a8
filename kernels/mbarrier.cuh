/* mbarrier: barriers in shared memory that count arrivals and bytes. */
#ifndef KERNELS_MBARRIER_CUH
#define KERNELS_MBARRIER_CUH

#include "harness.cuh"

enum wait_form {
	TEST, TRY, /* the phase of an arrival, by its state */
	PARITY, /* the phase by its parity */
	PARITY_TEST, /* the same, without ever sleeping */
	NO_WAIT,
};

INLINE void
mbarrier_init(uint64_t *bar, uint32_t count)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : :
	    "r"(shared(bar)), "r"(count) : "memory");
}

template <enum order O>
INLINE uint64_t
mbarrier_arrive(uint64_t *bar)
{
	uint64_t state = 0;

	if constexpr (O == RELEASE)
		asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 "
		    "%0, [%1];" : "=l"(state) : "r"(shared(bar)) : "memory");
	if constexpr (O == RELAXED)
		asm volatile("mbarrier.arrive.relaxed.cta.shared::cta.b64 "
		    "%0, [%1];" : "=l"(state) : "r"(shared(bar)) : "memory");
	return state;
}

/* At the same barrier of CTA `rank` of the cluster. */
INLINE void
mbarrier_arrive_at(uint64_t *bar, uint32_t rank)
{
	uint32_t there;

	asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) :
	    "r"(shared(bar)), "r"(rank));
	asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 "
	    "_, [%0];" : : "r"(there) : "memory");
}

/* Arrives, and lets the phase wait for so many bytes as well. */
INLINE void
mbarrier_expect(uint64_t *bar, uint32_t bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 "
	    "_, [%0], %1;" : : "r"(shared(bar)), "r"(bytes) : "memory");
}

#define POLL_MBARRIER(text, constraint, value) \
	asm volatile("{\n\t.reg .pred p;\n\t" \
		     "mbarrier." text " p, [%1], %2;\n\t" \
		     "selp.b32 %0, 1, 0, p;\n\t}" \
		     : "=r"(done) : "r"(shared(bar)), constraint(value) \
		     : "memory")

template <enum wait_form F, enum order O>
INLINE bool
mbarrier_done(uint64_t *bar, uint64_t state, uint32_t parity)
{
	uint32_t done = 1;

	if constexpr (F == TEST)
		POLL_MBARRIER("test_wait.acquire.cta.shared::cta.b64", "l",
		    state);
	if constexpr (F == TRY)
		POLL_MBARRIER("try_wait.acquire.cta.shared::cta.b64", "l",
		    state);
	if constexpr (F == PARITY && O == ACQUIRE)
		POLL_MBARRIER("try_wait.parity.acquire.cta.shared::cta.b64",
		    "r", parity);
	if constexpr (F == PARITY && O == RELAXED)
		POLL_MBARRIER("try_wait.parity.relaxed.cta.shared::cta.b64",
		    "r", parity);
	if constexpr (F == PARITY_TEST)
		POLL_MBARRIER("test_wait.parity.acquire.cta.shared::cta.b64",
		    "r", parity);
	return done != 0;
}

/* Acquires what the cluster's arrivals release. */
INLINE bool
mbarrier_done_cluster(uint64_t *bar, uint32_t parity)
{
	uint32_t done;

	POLL_MBARRIER("test_wait.parity.acquire.cluster.shared::cta.b64",
	    "r", parity);
	return done != 0;
}

#endif
