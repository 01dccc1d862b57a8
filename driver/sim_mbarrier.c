/*
 * mbarrier objects: a word of shared memory, and accesses to it. An arrival
 * is an atomic, a wait a load (PTX ISA 9.7.15.15), so that the memory's own
 * rules for them do the rest: the arrivals of a phase are a chain of
 * atomics, which whoever reads its end observes.
 *
 * The word: arrivals that are missing, arrivals expected, phases complete.
 */
#include "sim.h"

#define COUNT_BITS 20
#define COUNT_MASK (((uint64_t)1 << COUNT_BITS) - 1)

static uint64_t
word(uint64_t missing, uint64_t expected, uint64_t phase)
{
	return missing | expected << COUNT_BITS | phase << 2 * COUNT_BITS;
}

uint64_t
sim_mbarrier_init(uint64_t count)
{
	return word(count & COUNT_MASK, count & COUNT_MASK, 0);
}

uint64_t
sim_mbarrier_arrive(uint64_t old, uint64_t count)
{
	uint64_t missing = old & COUNT_MASK;
	uint64_t expected = old >> COUNT_BITS & COUNT_MASK;
	uint64_t phase = old >> 2 * COUNT_BITS;

	if (count < missing)
		return word(missing - count, expected, phase);
	return word(expected, expected, phase + 1);
}

/* `state`: what an arrival returned, or the parity of a phase. */
bool
sim_mbarrier_done(uint64_t now, uint64_t state, bool parity)
{
	uint64_t phase = now >> 2 * COUNT_BITS;

	return parity ? (phase & 1) != (state & 1) :
	    phase != state >> 2 * COUNT_BITS;
}
