/* Barriers in shared memory, which count arrivals: mbarrier. */
#include "barrier.cuh"
#include "mbarrier.cuh"

/*
 * arrive releases, the wait that succeeds acquires, and the phase completes
 * with the last arrival. SHORT: arrivals that the count leaves out. WRONG:
 * waits for the parity of the phase before.
 */
template <enum wait_form F, enum order ARRIVE = RELEASE,
    enum order POLL = ACQUIRE, int SHORT = 0, int WRONG = 0>
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
		    (round - 1 + WRONG) & 1));
	}
};

BARRIER(mbarrier_test, of_mbarrier<TEST>)
BARRIER(mbarrier_try, of_mbarrier<TRY>)
BARRIER(mbarrier_parity, of_mbarrier<PARITY>)
BROKEN_BARRIER(mbarrier_parity_relaxed_arrive, of_mbarrier<PARITY, RELAXED>)
BROKEN_BARRIER(mbarrier_parity_relaxed_wait,
    of_mbarrier<PARITY, RELEASE, RELAXED>)
BROKEN_BARRIER(mbarrier_parity_wrong_parity,
    of_mbarrier<PARITY_TEST, RELEASE, ACQUIRE, 0, 1>)
BROKEN_BARRIER(mbarrier_parity_no_wait, of_mbarrier<NO_WAIT>)
BROKEN_BARRIER(mbarrier_test_short_count,
    of_mbarrier<TEST, RELEASE, ACQUIRE, 32>)
