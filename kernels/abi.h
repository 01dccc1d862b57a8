/*
 * abi: what the host and the kernels agree on, in C and in CUDA C.
 */
#ifndef KERNELS_ABI_H
#define KERNELS_ABI_H

#include <stdint.h>

/* What can be wrong with a primitive; the names are the document's. */
enum finding {
	FOUND_STALE, /* an old value where a new one was promised */
	FOUND_TORN, /* part old, part new */
	FOUND_LOST, /* an update that left no trace */
	FOUND_EARLY, /* gone on before the others had come */
	FOUND_OVERLAP, /* two inside a critical section */
	FOUND_HANG, /* a wait that used up its turns */
	FOUND_COUNT,
};

/* The first finding of a kind, with its values. */
struct first {
	uint64_t expected, got;
	uint32_t round, cta, thread, unused;
};

/* Written by the kernel, read by the host; all zero before a launch. */
struct findings {
	uint64_t found[FOUND_COUNT];
	struct first first[FOUND_COUNT];
	uint64_t crossings; /* rounds, summed over whoever takes part */
	uint64_t ticks, ns; /* one span in SM clocks and in nanoseconds */
	uint32_t overhead; /* clocks of a lap with nothing in it */
	uint32_t per_lap; /* crossings that a lap is made of */
	uint32_t arrived, done; /* worker CTAs that came and left */
	uint32_t aborted; /* a wait ran out: what follows is no finding */
	uint32_t carries; /* the next launch may go on from this one's state:
		with its `first`, and nothing cleared */
};

enum switches {
	SWITCH_SHARED = 1, /* payload in shared memory, if within reach */
	SWITCH_OWNER = 2, /* locks: keep track of the owner */
	SWITCH_PAYLOAD = 4, /* bench: a store a thread before each crossing */
};

/*
 * The one parameter of every kernel. Memory: state is zero, payload is all
 * ones (a NaN, and no stamp), scratch is the stress's own.
 */
struct args {
	uint64_t state, payload, scratch; /* addresses */
	uint64_t report; /* of a struct findings */
	uint64_t samples; /* of uint32_t clocks, LAPS of them */
	uint64_t seed;
	uint32_t first; /* rounds that state has behind it */
	uint32_t rounds;
	uint32_t budget; /* turns of a wait before it counts as hung */
	uint32_t workers; /* CTAs that work; the others stress */
	uint32_t stride, offset; /* which CTAs: a permutation of units */
	uint32_t cluster; /* CTAs of a unit, at least 1 */
	uint32_t group; /* CTAs that share a lock, a chain, a counter */
	uint32_t bins; /* addresses that updates spread over */
	uint32_t delay; /* upper bound of a random wait, in loop turns */
	uint32_t stress; /* enum stress of gen.h */
	uint32_t stress_mask; /* 128-byte lines it works on, less one */
	uint32_t switches;
	uint32_t unused;
};

/* What a bench keeps: the last laps, a power of two of them. */
#define LAPS 4096

#define STATE_BYTES (2u << 20)
#define PAYLOAD_BYTES (8u << 20)
#define SCRATCH_BYTES (16u << 20)

#endif
