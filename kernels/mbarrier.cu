/* Barriers in shared memory, which count arrivals: mbarrier. */
#include "barrier.cuh"

enum wait_form { TEST, TRY, PARITY, WRONG_PARITY, NO_WAIT };

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
	if constexpr (F == WRONG_PARITY)
		POLL_MBARRIER("test_wait.parity.acquire.cta.shared::cta.b64",
		    "r", parity ^ 1);
	return done != 0;
}

/*
 * arrive releases, the wait that succeeds acquires, and the phase completes
 * with the last arrival. SHORT: arrivals that the count leaves out.
 */
template <enum wait_form F, enum order ARRIVE = RELEASE,
    enum order POLL = ACQUIRE, int SHORT = 0>
struct of_mbarrier {
	static const enum scope SCOPE = CTA;

	static __device__ uint64_t *
	bar(void)
	{
		__shared__ uint64_t b;

		return &b;
	}

	static __device__ void
	init(struct place *p)
	{
		if (threadIdx.x == 0)
			mbarrier_init(bar(), blockDim.x - SHORT);
	}

	static __device__ void
	sync(struct place *p, uint32_t round)
	{
		uint64_t state = mbarrier_arrive<ARRIVE>(bar());

		WAIT(p, round, mbarrier_done<F, POLL>(bar(), state,
		    (round - 1) & 1));
	}
};

BARRIER(mbarrier_test, of_mbarrier<TEST>)
BARRIER(mbarrier_try, of_mbarrier<TRY>)
BARRIER(mbarrier_parity, of_mbarrier<PARITY>)
BROKEN_BARRIER(mbarrier_parity_relaxed_arrive, of_mbarrier<PARITY, RELAXED>)
BROKEN_BARRIER(mbarrier_parity_relaxed_wait,
    of_mbarrier<PARITY, RELEASE, RELAXED>)
BROKEN_BARRIER(mbarrier_parity_wrong_parity, of_mbarrier<WRONG_PARITY>)
BROKEN_BARRIER(mbarrier_parity_no_wait, of_mbarrier<NO_WAIT>)
BROKEN_BARRIER(mbarrier_test_short_count,
    of_mbarrier<TEST, RELEASE, ACQUIRE, 32>)
