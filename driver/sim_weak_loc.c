/*
 * Locations and the stores they remember. A location is kept only from its
 * first store on; before that, and after the unit, plain memory holds it.
 */
#include "sim_weak.h"

#include <stdlib.h>
#include <string.h>

#define KEEP 16 /* stores kept when the oldest are forgotten */
#define INSERT_MAX 24 /* stores before which others may still be put */

static msg_set
bit(int i)
{
	return (msg_set)1 << i;
}

static msg_set
all_of(const struct weak_loc *loc)
{
	return loc->n == MSGS_MAX ? ~(msg_set)0 : bit(loc->n) - 1;
}

/* The initial value comes first. */
static msg_set
first_of(const struct weak_loc *loc)
{
	return loc->base == 0 ? bit(0) : 0;
}

/* ---- the table --------------------------------------------------------------- */

static uintptr_t
granule(const uint8_t *at)
{
	return (uintptr_t)at >> 3;
}

static size_t
hash(const struct weak *w, uintptr_t key)
{
	return (uint64_t)key * 0x9e3779b97f4a7c15u >> 20 & (w->nslots - 1);
}

static struct weak_slot *
slot_of(struct weak *w, uintptr_t key)
{
	size_t i = hash(w, key);

	while (w->slots[i].stamp == w->stamp && w->slots[i].key != key)
		i = (i + 1) & (w->nslots - 1);
	return &w->slots[i];
}

static void
slots_double(struct weak *w)
{
	struct weak_slot *old = w->slots;
	size_t n = w->nslots, i;

	w->nslots = n ? 2 * n : 1024;
	w->slots = sim_must(calloc(w->nslots, sizeof(*w->slots)));
	for (i = 0; i < n; i++)
		if (old[i].stamp == w->stamp)
			*slot_of(w, old[i].key) = old[i];
	free(old);
}

static int
final_pick(struct sim_unit *u, const struct weak_loc *loc)
{
	msg_set maximal = 0, stores = all_of(loc) & ~loc->dead;
	int i;

	for (i = 0; i < loc->n; i++)
		if (loc->msgs[i].after == 0)
			maximal |= bit(i);
	if (u->fault == SIM_FAULT_REORDER_SAME && (stores & ~first_of(loc)))
		return msg_pick(u, stores & ~first_of(loc));
	return msg_pick(u, maximal & stores);
}

/* The location's value goes to plain memory: any store that no other
   comes after (3.2 of the model's description). */
static void
flush(struct sim_unit *u, struct weak_loc *loc)
{
	if (!loc->gone)
		sim_cut_store(loc->at, loc->size,
		    loc->msgs[final_pick(u, loc)].value);
	loc->gone = true;
}

/* Locations that an access overlaps in part go back to plain memory, where
   everyone sees one value. What they carried is lost: the model has no
   verdict on a program with such accesses. */
static void
granule_end(struct sim_unit *u, uint8_t *at)
{
	struct weak *w = u->weak;
	struct weak_slot *slot;
	int i;

	pending_everywhere(u, at);
	slot = slot_of(w, granule(at));
	if (slot->stamp != w->stamp || slot->bytes == 0)
		return;
	for (i = 0; i < 8; i++) {
		if (slot->locs[i])
			flush(u, slot->locs[i]);
		slot->locs[i] = NULL;
	}
	slot->bytes = 0;
}

/* The bytes of an access, a bit each in its slot. */
static uint8_t
bytes_of(const uint8_t *at, int size)
{
	return (uint8_t)(((1u << size) - 1) << ((uintptr_t)at & 7));
}

struct weak_loc *
loc_find(struct sim_unit *u, uint8_t *at, int size)
{
	struct weak *w = u->weak;
	const struct weak_slot *slot = slot_of(w, granule(at));
	struct weak_loc *loc;

	if (slot->stamp != w->stamp)
		return NULL;
	loc = slot->locs[(uintptr_t)at & 7];
	if (loc && loc->size == size)
		return loc;
	if (slot->bytes & bytes_of(at, size))
		granule_end(u, at);
	return NULL;
}

int
loc_size(struct sim_unit *u, const uint8_t *at)
{
	const struct weak_slot *slot = slot_of(u->weak, granule(at));
	int i, start = (int)((uintptr_t)at & 7);

	/* its own, or else a neighbour's */
	for (i = 0; slot->stamp == u->weak->stamp && i < 8; i++) {
		const struct weak_loc *loc = slot->locs[start ^ i];

		if (loc)
			return loc->size;
	}
	return 0;
}

static struct weak_slot *
slot_make(struct weak *w, uint8_t *at)
{
	struct weak_slot *slot;

	if (2 * (size_t)(w->nlocs + 1) > w->nslots)
		slots_double(w);
	slot = slot_of(w, granule(at));
	if (slot->stamp == w->stamp)
		return slot;
	*slot = (struct weak_slot){granule(at), w->stamp, 0,
	    weak_alloc(w, 8 * sizeof(*slot->locs))};
	return slot;
}

struct weak_loc *
loc_make(struct sim_unit *u, uint8_t *at, int size)
{
	struct weak *w = u->weak;
	struct weak_loc *loc = loc_find(u, at, size);
	struct weak_slot *slot;

	if (loc)
		return loc;
	slot = slot_make(w, at);
	loc = weak_alloc(w, sizeof(*loc));
	slot->locs[(uintptr_t)at & 7] = loc;
	slot->bytes |= bytes_of(at, size);
	loc->at = at;
	loc->size = (uint8_t)size;
	loc->all = w->all;
	w->all = loc;
	w->nlocs++;
	loc->msgs = loc->first;
	loc->room = sizeof(loc->first) / sizeof(*loc->first);
	loc->n = 1;
	/* the initial value is no strong store of anyone's */
	loc->msgs[0] = (struct weak_msg){.value = sim_cut_load(at, size),
	    .who = {.thread = UINT32_MAX}, .source = -1};
	return loc;
}

void
loc_flush_all(struct sim_unit *u)
{
	struct weak_loc *loc;

	for (loc = u->weak->all; loc; loc = loc->all)
		flush(u, loc);
	u->weak->all = NULL;
	u->weak->nlocs = 0;
}

void
loc_forget(struct sim_unit *u, uint8_t *at, size_t size)
{
	size_t i;

	if (u->weak->nlocs > 0)
		for (i = 0; i < size; i += 8)
			granule_end(u, at + i);
}

/* ---- room ------------------------------------------------------------------------ */

static void
forget_one(struct weak_msg *m, int shift)
{
	m->before >>= shift;
	m->after >>= shift;
	m->source = (int8_t)(m->source < shift ? -1 : m->source - shift);
}

/*
 * Forgets the oldest stores, and lets nobody read what comes before them in
 * coherence order; nothing else changes. What is left is what may still be
 * read: fewer choices, no new ones. INSERT_MAX sees to it that the newest
 * stores come before no old one, so that some are always left.
 */
static void
forget(struct sim_unit *u, struct weak_loc *loc)
{
	int shift = MSGS_MAX - KEEP, i;
	msg_set old;

	pending_everywhere(u, loc->at);
	if (loc->n < MSGS_MAX) /* already done on the way */
		return;
	old = bit(shift) - 1;
	for (i = 0; i < shift; i++)
		loc->dead |= loc->msgs[i].before;
	loc->dead = (loc->dead | old) >> shift;
	memmove(loc->msgs, loc->msgs + shift,
	    KEEP * sizeof(*loc->msgs));
	loc->n = KEEP;
	loc->base += (uint32_t)shift;
	for (i = 0; i < loc->n; i++)
		forget_one(&loc->msgs[i], shift);
}

/* Makes room for one store more. */
void
loc_room(struct sim_unit *u, struct weak_loc *loc)
{
	struct weak_msg *more;
	int room;

	if (loc->n == MSGS_MAX)
		forget(u, loc);
	if (loc->n < loc->room)
		return;
	room = loc->room < 8 ? 8 : MSGS_MAX;
	more = weak_alloc(u->weak, (size_t)room * sizeof(*more));
	memcpy(more, loc->msgs, loc->n * sizeof(*more));
	loc->msgs = more;
	loc->room = (uint8_t)room;
}

/* ---- reading ---------------------------------------------------------------------- */

msg_set
loc_readable(const struct weak_loc *loc, msg_set seen)
{
	msg_set can = all_of(loc) & ~loc->dead;
	int i;

	if (seen != 0)
		for (i = 0; i < loc->n; i++)
			if (loc->msgs[i].after & seen)
				can &= ~bit(i);
	return can;
}

int
msg_pick(struct sim_unit *u, msg_set from)
{
	uint32_t skip, n = (uint32_t)__builtin_popcount(from);

	if (n > 1)
		for (skip = sim_rng_below(&u->rng, n); skip > 0; skip--)
			from &= from - 1;
	return __builtin_ctz(from);
}

/* ---- storing ------------------------------------------------------------------------ */

/* Must the two be ordered? More than the model asks for (moral strength):
   one inclusion is enough. See sim_weak.c, A5. */
static bool
must_order(const struct weak_who *a, const struct weak_who *b)
{
	return a->thread == b->thread || (a->strong && b->strong &&
	    (weak_includes(a, b) || weak_includes(b, a)));
}

static msg_set
down(const struct weak_loc *loc, msg_set set)
{
	msg_set result = set;
	int i;

	for (i = 0; i < loc->n; i++)
		if (set >> i & 1)
			result |= loc->msgs[i].before;
	return result;
}

/*
 * The new store comes after `below` and before `above`. Refused if the two
 * meet, if that would order stores that were not ordered (a reader may have
 * relied on it), or if it would come between an atomic and what it read.
 */
static int
insert(struct weak_loc *loc, msg_set below, msg_set above,
    const struct weak_who *who, uint64_t value)
{
	int i, at = loc->n;

	if (below & above)
		return -1;
	for (i = 0; above && i < at; i++) {
		const struct weak_msg *m = &loc->msgs[i];

		if (below >> i & 1 && above & ~m->after)
			return -1;
		if (above >> i & 1 && m->source >= 0 &&
		    below >> m->source & 1 && weak_moral(who, &m->who))
			return -1;
	}
	loc->msgs[at] = (struct weak_msg){.value = value, .who = *who,
	    .before = below, .after = above, .source = -1};
	for (i = 0; i < at; i++) {
		if (below >> i & 1)
			loc->msgs[i].after |= bit(at);
		if (above >> i & 1)
			loc->msgs[i].before |= bit(at);
	}
	loc->n++;
	return at;
}

/* Stores that must be ordered with one of this thread. */
static msg_set
ordered_with(const struct weak_loc *loc, const struct weak_who *who)
{
	msg_set set = 0;
	int i;

	for (i = 0; i < loc->n; i++)
		if (must_order(&loc->msgs[i].who, who))
			set |= bit(i);
	return set;
}

/* May a store still be put before another? Not where some are forgotten:
   it is not known how they stand to it. */
static bool
may_insert(const struct weak_loc *loc)
{
	return loc->base == 0 && loc->n < INSERT_MAX;
}

int
loc_store(struct sim_unit *u, struct weak_loc *loc, msg_set seen,
    const struct weak_who *who, uint64_t value)
{
	msg_set below = down(loc, seen) | first_of(loc);
	msg_set ordered = ordered_with(loc, who) & ~below, above;
	int at = -1, pick;

	if (ordered && may_insert(loc) && sim_rng_u32(&u->rng) & 1) {
		pick = msg_pick(u, ordered);
		above = bit(pick) | loc->msgs[pick].after;
		at = insert(loc, down(loc, below | (ordered & ~above)),
		    above, who, value);
	}
	if (at < 0)
		at = insert(loc, down(loc, below | ordered), 0, who, value);
	return at;
}

int
loc_rmw(struct sim_unit *u, struct weak_loc *loc, msg_set seen,
    const struct weak_who *who, int source, uint64_t value)
{
	msg_set below = down(loc, seen | bit(source)) | first_of(loc);
	msg_set ordered = ordered_with(loc, who) & ~below, above = 0;
	int i, at;

	(void)u;
	for (i = 0; i < loc->n; i++)
		if (loc->msgs[source].after >> i & 1 &&
		    weak_moral(&loc->msgs[i].who, who))
			above |= bit(i) | loc->msgs[i].after;
	if (above && !may_insert(loc))
		return -1;
	at = insert(loc, down(loc, below | (ordered & ~above)), above, who,
	    value);
	if (at >= 0)
		loc->msgs[at].source = (int8_t)source;
	return at;
}
