/*
 * harness: what every kernel of every primitive has in common. Who am I
 * (enter), what went wrong (note), bounded waits (WAIT), disturbance
 * (delay, stress), a barrier of its own that is known to be sound, and
 * clocks. The kinds of primitives are in barrier.cuh, message.cuh and so
 * on: each turns an adapter, a struct of a few lines, into two kernels,
 * NAME_validate and NAME_bench.
 */
#ifndef KERNELS_HARNESS_CUH
#define KERNELS_HARNESS_CUH

#include "ptx.cuh"

#define LINE 128 /* bytes; what the L1 keeps or drops together */
#define GROUP_STATE 4096 /* bytes of state each group has to itself */
#define MAX_THREADS 1024

/* A worker thread's place. */
struct place {
	const struct args *a;
	struct findings *report;
	uint64_t state; /* a->state */
	uint32_t cta, ctas; /* among the workers */
	uint32_t group, rank, size; /* of the participants, by P::SCOPE */
	uint32_t budget; /* turns of a wait; 1 once something hung */
};

/* Murmur3's finalizer: every bit of x reaches every bit of the result. */
INLINE uint32_t
mix(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x85ebca6b;
	x ^= x >> 13;
	x *= 0xc2b2ae35;
	return x ^ x >> 16;
}

/* Kept from the compiler, which would make bit-field instructions of sums
   that the software machine has to understand. */
INLINE uint32_t
opaque(uint32_t x)
{
	asm("" : "+r"(x));
	return x;
}

/*
 * The same value in a register. A parameter is loaded from the constant bank
 * again each time it is used, at some 30 clocks, also between a bar.sync and
 * the arrival that it lets go, where a kernel of production has a register;
 * but that blockIdx.z is 0 no assembler can know.
 */
INLINE uint64_t
kept(uint64_t x)
{
	return x + blockIdx.z;
}

INLINE uint32_t
kept(uint32_t x)
{
	return x + blockIdx.z;
}

INLINE uint32_t
draw(const struct args *a, uint32_t x, uint32_t y)
{
	return mix((uint32_t)a->seed ^ mix(x ^ mix(y + 0x9e3779b9)));
}

/* ---- findings ----------------------------------------------------------- */

INLINE void
record(struct findings *r, uint32_t kind, uint32_t round, uint32_t cta,
    uint64_t expected, uint64_t got)
{
	if (atomicAdd((unsigned long long *)&r->found[kind], 1ull) != 0)
		return;
	r->first[kind].expected = expected;
	r->first[kind].got = got;
	r->first[kind].round = round;
	r->first[kind].cta = cta;
	r->first[kind].thread = threadIdx.x;
}

INLINE bool
aborted(const struct place *p)
{
	return load<RELAXED, GPU>(&p->report->aborted) != 0;
}

/* Once a wait ran out, everything after it is rubbish and no finding. */
INLINE void
note(struct findings *r, uint32_t kind, uint32_t round, uint32_t cta,
    uint64_t expected, uint64_t got)
{
	if (load<RELAXED, GPU>(&r->aborted) == 0)
		record(r, kind, round, cta, expected, got);
}

INLINE uint32_t
hang(struct findings *r, uint32_t round, uint32_t cta)
{
	if (exchange<RELAXED, GPU>(&r->aborted, 1) == 0)
		record(r, FOUND_HANG, round, cta, 0, 0);
	return 1;
}

/*
 * Polls until the condition holds or the turns run out. A thread that ran
 * out goes on (its CTA may be waiting for it at a bar.sync), but never
 * waits long again; the harness leaves its loop soon after.
 */
#define WAIT(p, round, ...) /* condition */ \
	do { \
		uint32_t left_ = (p)->budget; \
		while (!(__VA_ARGS__)) \
			if (--left_ == 0) { \
				(p)->budget = hang((p)->report, round, \
				    (p)->cta); \
				break; \
			} \
	} while (0)

/*
 * The same for a word, with two loads of it on their way at any time, half a
 * trip to the L2 apart, so that what arrives is noticed sooner by a quarter
 * of a trip on average.
 */
#define HALF_TRIP 180 /* clocks, of an H200 */
template <class LOAD, class FULL>
INLINE uint32_t
wait_pair(struct place *p, uint32_t round, LOAD load, FULL full)
{
	uint32_t left = p->budget, a = load(), b;

	pause_for(HALF_TRIP);
	b = load();
#pragma unroll 1
	for (;;) {
		if (full(a))
			return a;
		a = load();
		if (full(b))
			return b;
		b = load();
		if (--left == 0) {
			p->budget = hang(p->report, round, p->cta);
			return b;
		}
	}
}

/* Every 64 rounds, so that the look costs nothing. */
INLINE bool
go_on(const struct place *p, uint32_t round)
{
	return (round & 63) != 0 || !aborted(p);
}

/* ---- disturbance -------------------------------------------------------- */

/*
 * A random wait: of the whole CTA, of a warp, or of one lane. One in eight
 * waits, so that most rounds find the others already there.
 */
INLINE void
delay(const struct place *p, uint32_t round)
{
	const struct args *a = p->a;
	uint32_t who = p->cta << 10, x, turns;

	if (a->delay == 0)
		return;
	x = mix(round) % 3;
	if (x > 0)
		who |= x == 1 ? threadIdx.x & ~31u : threadIdx.x;
	x = draw(a, round, who);
	if ((x & 7) != 0)
		return;
	turns = (x >> 3) % a->delay;
	for (uint32_t i = 0; i < turns; i++)
		asm volatile("" : : : "memory");
}

/* Traffic on lines of its own until the workers have left. */
INLINE void
stress(const struct args *a, uint32_t index)
{
	struct findings *r = (struct findings *)a->report;
	uint32_t *lines = (uint32_t *)a->scratch;
	uint32_t x = draw(a, index, threadIdx.x), v = 0;

#pragma unroll 1
	for (uint32_t turn = 0; turn < a->rounds * 64u + 1024u; turn++) {
		uint32_t *p = lines + (x & a->stress_mask) * (LINE / 4) +
		    threadIdx.x % 32;
		if (a->stress == 1 || (a->stress == 3 && (x >> 31)))
			v ^= load<RELAXED, GPU>(p);
		else if (a->stress == 4)
			v ^= add<RELAXED, GPU>(p, 1);
		else
			store<WEAK, CTA>(p, v);
		x = mix(x + turn);
		if ((turn & 63) == 0 &&
		    load<RELAXED, GPU>(&r->done) >= a->workers)
			break;
	}
	if (v == 0x12345678)
		lines[0] = v;
}

/* ---- coming and going --------------------------------------------------- */

/*
 * Fills in *p. False: this CTA is no worker, and has done its stressing.
 * Workers are spread over the grid by a permutation of units (clusters, or
 * single CTAs), so that who shares an SM or a GPC with whom is drawn anew.
 */
INLINE bool
enter(struct place *p, const struct args *a, enum scope scope)
{
	uint32_t unit = a->cluster, units = gridDim.x / unit;
	uint32_t n = blockDim.x, t = threadIdx.x;
	uint32_t where = (blockIdx.x / unit * a->stride + a->offset) % units;

	p->a = a;
	p->report = (struct findings *)a->report;
	p->cta = where * unit + blockIdx.x % unit;
	p->ctas = kept(a->workers);
	p->state = kept(a->state);
	p->budget = a->budget;
	if (p->cta >= a->workers) {
		stress(a, p->cta);
		return false;
	}
	p->group = 0, p->rank = p->cta * n + t, p->size = p->ctas * n;
	if (scope == WARP)
		p->group = p->rank / 32, p->rank = t % 32, p->size = 32;
	if (scope == PART)
		p->group = p->rank / 64, p->rank = t % 64, p->size = 64;
	if (scope == CTA)
		p->group = p->cta, p->rank = t, p->size = n;
	if (scope == CLUSTER) {
		p->group = p->cta / unit;
		p->rank = p->cta % unit * n + t;
		p->size = unit * n;
	}
	return true;
}

/* True in the last worker CTA to leave: everything is done and visible.
   `crossings` are those of the CTA. */
INLINE bool
leave(struct place *p, uint64_t crossings)
{
	__shared__ uint32_t before;

	__syncthreads();
	if (threadIdx.x == 0) {
		reduce_add<RELAXED, GPU>(&p->report->crossings, crossings);
		before = add<ACQ_REL, GPU>(&p->report->done, 1);
	}
	__syncthreads();
	return before == p->ctas - 1;
}

/* In place of leave, where each launch is a round. */
INLINE void
count_launch(struct findings *r)
{
	if (threadIdx.x == 0)
		reduce_add<RELAXED, GPU>(&r->crossings, (uint64_t)1);
}

/* State of this group, and a word on a line of its own in it. */
INLINE uint32_t *
state_line(const struct place *p, uint32_t group, uint32_t line)
{
	return (uint32_t *)(p->state + group * GROUP_STATE + line * LINE);
}

/*
 * The harness's own barrier of all workers, sound whatever is being
 * tested: arrivals release, the poll acquires, bar.sync on both sides.
 */
INLINE void
settle(struct place *p, uint32_t round)
{
	__syncthreads();
	if (threadIdx.x == 0) {
		uint32_t *arrived = &p->report->arrived;

		reduce_add<RELEASE, GPU>(arrived, 1);
		WAIT(p, round, (load<ACQUIRE, GPU>(arrived) -
		    round * p->ctas) < 0x80000000u);
	}
	__syncthreads();
}

/* ---- clocks ------------------------------------------------------------- */

/* Laps of one thread, each of per_lap crossings. */
struct watch {
	const struct args *a;
	uint64_t ticks, ns, last;
	uint32_t laps, times; /* how many; where, in shared memory */
};

/* Not in global memory: a store on its way there would make the next release
   wait for it, and be timed. */
INLINE uint32_t *
lap_times(void)
{
	__shared__ uint32_t times[LAPS];

	return times;
}

/* All 64 bits of the clock are used, since of 32 the assembler makes a
   slower read through the uniform registers. */
INLINE void
watch_lap(struct watch *w)
{
	uint64_t now = ticks(), lap = now - w->last;

	asm volatile("st.shared.u32 [%0], %1;" : : "r"(w->times +
	    w->laps++ % LAPS * 4), "r"(lap >> 32 ? 0xffffffff :
	    (uint32_t)lap) : "memory");
	w->last = now;
}

/* Empty laps first: their least is what the watch itself takes. */
INLINE void
watch_start(struct watch *w, const struct place *p, uint32_t per_lap)
{
	uint32_t least = 0xffffffff;

	w->a = p->a;
	w->laps = 0;
	w->times = kept(shared(lap_times()));
	w->last = ticks();
#pragma unroll 1
	for (uint32_t i = 0; i < 16; i++)
		watch_lap(w);
	for (uint32_t i = 0; i < 16; i++)
		least = min(least, lap_times()[i]);
	p->report->overhead = least;
	p->report->per_lap = per_lap;
	w->laps = 0;
	w->ns = nanoseconds();
	w->ticks = w->last = ticks();
}

INLINE void
watch_stop(const struct watch *w, struct findings *r)
{
	uint32_t *samples = (uint32_t *)w->a->samples;

	r->ns = nanoseconds() - w->ns;
	r->ticks = ticks() - w->ticks;
#pragma unroll 1
	for (uint32_t i = 0; i < w->laps && i < LAPS; i++)
		samples[i] = lap_times()[i];
}

#define KERNEL(name) \
	extern "C" __global__ void __launch_bounds__(MAX_THREADS) name

#endif
