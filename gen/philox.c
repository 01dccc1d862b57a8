#include "gen.h"

#include <Random123/philox.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

/* Philox 4x32-10 (Salmon et al., SC 2011) at counter (counter, 0, stream)
   under the key seed: a pure function of the three. */
uint32_t
draw_u32(struct draw *d)
{
	philox4x32_ctr_t c = {{d->counter >> 2, 0, (uint32_t)d->stream,
	    (uint32_t)(d->stream >> 32)}};
	philox4x32_key_t k = {{(uint32_t)d->seed,
	    (uint32_t)(d->seed >> 32)}};

	c = philox4x32(c, k);
	return c.v[d->counter++ & 3];
}

uint64_t
draw_u64(struct draw *d)
{
	uint64_t high = draw_u32(d);

	return high << 32 | draw_u32(d);
}

/* Lemire's multiply-and-reject: exactly uniform. */
uint32_t
draw_below(struct draw *d, uint32_t bound)
{
	uint32_t reject = (0u - bound) % bound;
	uint64_t m;

	do
		m = (uint64_t)draw_u32(d) * bound;
	while ((uint32_t)m < reject);
	return (uint32_t)(m >> 32);
}

double
draw_unit(struct draw *d)
{
	return (double)(draw_u64(d) >> 11) * 0x1p-53;
}

uint64_t
hash64(const void *data, size_t size, uint64_t seed)
{
	return XXH64(data, size, seed);
}
