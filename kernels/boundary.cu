/*
 * The end of a kernel and the start of the next one: the barrier that
 * needs no code. Each launch is a round.
 */
#include "harness.cuh"

/* How often this thread has been here, and where it says so: in two places
   in turn, so that a launch reads what the one before wrote. */
INLINE uint32_t *
count_of(const struct args *a, uint32_t parity, uint32_t rank)
{
	return (uint32_t *)a->state + parity * (STATE_BYTES / 8) + rank;
}

KERNEL(kernel_boundary_validate)(const struct args a)
{
	uint32_t size = gridDim.x * blockDim.x;
	uint32_t rank = blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t *here = (uint32_t *)a.payload + rank;
	uint32_t round = peek(here) + 1; /* the payload is all ones at first */
	uint32_t other = (rank + draw(&a, round, 0) % size) % size;
	uint32_t got = peek(count_of(&a, round & 1, other));

	if (got != round)
		record((struct findings *)a.report, FOUND_STALE, round,
		    blockIdx.x, round, got);
	poke(count_of(&a, (round + 1) & 1, rank), round + 1);
	poke(here, round);
	count_launch((struct findings *)a.report);
}

/* Nothing: the host times many of them in a row. */
KERNEL(kernel_boundary_bench)(const struct args a)
{
}
