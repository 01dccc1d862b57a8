/*
 * Drawing environments. Which dimensions matter depends on where the
 * threads of the test are: across CTAs the grid, the distance of the
 * copies and how launches overlap; inside a CTA and a warp the order of the
 * roles, what is in the L1 and what else the warps do.
 */
#include "plan.h"

struct choice {
	int weight, value;
};

static int
choose(struct draw *d, const struct choice *choices, int n)
{
	uint32_t total = 0, pick;
	int i;

	for (i = 0; i < n; i++)
		total += (uint32_t)choices[i].weight;
	pick = draw_below(d, total);
	for (i = 0; pick >= (uint32_t)choices[i].weight; i++)
		pick -= (uint32_t)choices[i].weight;
	return choices[i].value;
}

#define CHOOSE(d, ...) \
	choose(d, (const struct choice[]){__VA_ARGS__}, \
	    (int)(sizeof((const struct choice[]){__VA_ARGS__}) / \
		sizeof(struct choice)))

static bool
chance(struct draw *d, uint32_t percent)
{
	return draw_below(d, 100) < percent;
}

static int
power_of_two(struct draw *d, uint32_t low, uint32_t high)
{
	return 1 << (low + draw_below(d, high - low + 1));
}

/* Order and rotation of the roles: all placements. */
static void
draw_roles(const struct shape *s, struct draw *d, struct env *e)
{
	e->swap = chance(d, 50);
	e->permute = chance(d, 30);
	if (s->slots > 1)
		e->warp_offset = (int)draw_below(d, (uint32_t)s->slots);
	if (s->units > 1) {
		e->role_shift = CHOOSE(d, {60, 0}, {15, 1}, {10, 2}, {10, 8},
		    {5, 32});
		/* roles that wait are kept near those they wait for */
		if (!s->spins) {
			e->interleave = chance(d, 85);
			e->shuffle = chance(d, 15);
		}
	}
}

static void
draw_grid(const struct shape *s, struct draw *d, struct env *e)
{
	uint32_t threads = (uint32_t)CHOOSE(d, {1, 1 << 18}, {2, 1 << 20},
	    {3, 1 << 21}, {4, 1 << 22}, {3, 1 << 23});

	if (!s->barriers)
		e->block = CHOOSE(d, {1, 64}, {2, 128}, {4, 256}, {5, 512},
		    {1, 1024});
	if (e->block)
		e->blocks = (int)(threads / (uint32_t)e->block);
	if (!s->shared)
		e->repeat = CHOOSE(d, {80, 1}, {8, 2}, {6, 4}, {6, 16});
	e->blocks /= e->repeat;
}

static void
draw_memory(const struct shape *s, struct draw *d, struct env *e)
{
	e->stride = CHOOSE(d, {50, 0}, {8, 8}, {8, 16}, {14, 32}, {8, 64},
	    {8, 128}, {4, 256});
	/* far apart, so fewer of them */
	while (e->blocks > 512 && e->stride > 16 &&
	    (int64_t)e->blocks * e->block * e->stride > (int64_t)64 << 20)
		e->blocks /= 2;
	e->together = chance(d, 20);
	if (e->together)
		e->gap = CHOOSE(d, {40, 0}, {30, 32}, {30, 128});
	e->skew = CHOOSE(d, {70, 0}, {10, 128}, {10, 4096}, {10, 33024});
	e->values = chance(d, 90) ? VALUES_EPOCH : VALUES_PLAIN;
	e->tally = chance(d, 50) ? TALLY_FUSED : TALLY_SEPARATE;
	if (s->shared)
		e->bank = CHOOSE(d, {50, 0}, {10, 1}, {10, 7}, {10, 15},
		    {20, 31});
}

static void
draw_start(const struct shape *s, struct draw *d, struct env *e)
{
	bool inside = s->units * s->ranks == 1;

	e->align = CHOOSE(d, {60, ALIGN_NONE}, {20, ALIGN_PAIR},
	    {20, ALIGN_GROUP});
	/* a warmed line is stale only if the others come after */
	if (s->warms)
		e->align = CHOOSE(d, {20, ALIGN_NONE}, {60, ALIGN_PAIR},
		    {20, ALIGN_GROUP});
	e->delay = chance(d, 30) ? power_of_two(d, 4, 12) : 0;
	e->warm = chance(d, inside ? 50 : 20);
	e->evict = chance(d, 5) ? power_of_two(d, 2, 7) : 0;
}

static void
draw_stress(struct draw *d, struct env *e)
{
	e->stress = CHOOSE(d, {65, STRESS_NONE}, {8, STRESS_LOAD},
	    {9, STRESS_STORE}, {10, STRESS_LOAD_STORE}, {8, STRESS_ATOMIC});
	e->pre_stress = chance(d, 15) ? power_of_two(d, 0, 4) : 0;
	if (!e->stress && !e->pre_stress)
		return;
	e->stress_lines = power_of_two(d, 0, 12);
	e->stress_spread = power_of_two(d, 0, 4);
	if (!e->stress)
		return;
	e->stress_turns = power_of_two(d, 4, 10);
	e->stress_blocks = CHOOSE(d, {1, 66}, {2, 132}, {2, 264}, {1, 1056});
}

/* The software machine has no caches, no clock worth the name, and little
   time: only what changes the order of things is drawn. */
static void
draw_sim(const struct shape *s, struct draw *d, struct env *e)
{
	if (chance(d, 30) && shape_permits_all(s))
		e->layout = LAYOUT_ALL;
	e->swap = chance(d, 50);
	e->permute = chance(d, 30);
	e->values = chance(d, 80) ? VALUES_EPOCH : VALUES_PLAIN;
	e->tally = chance(d, 50) ? TALLY_FUSED : TALLY_SEPARATE;
}

void
env_draw(const struct program *p, const struct caps *caps, struct draw *d,
    struct env *e)
{
	struct shape s;

	env_default(e);
	e->name = "drawn";
	e->same_warp = chance(d, 15);
	shape_make(p, e, &s);
	if (s.lanes == 1)
		e->same_warp = 0;
	if (caps->sim) {
		draw_sim(&s, d, e);
		return;
	}
	if (chance(d, 30) && shape_permits_all(&s))
		e->layout = LAYOUT_ALL;
	draw_roles(&s, d, e);
	draw_grid(&s, d, e);
	draw_memory(&s, d, e);
	draw_start(&s, d, e);
	draw_stress(d, e);
}
