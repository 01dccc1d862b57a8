/*
 * What threads know: for each location the stores that come before
 * whatever they do next. Knowledge passes from thread to thread through
 * the heads of release patterns, as copies, and through domains (barriers,
 * fence.sc), where it is kept with the location and a thread only notes up
 * to when it has heard everything.
 */
#include "sim_weak.h"

#include <stdlib.h>
#include <string.h>

#define SCAN_MAX 8 /* entries searched without the index */

void *
weak_alloc(struct weak *w, size_t size)
{
	w->bytes += size;
	return arena_alloc(w->arena, size);
}

static void *
grow(struct weak *w, void *list, uint32_t n, uint32_t *room, size_t size)
{
	uint32_t more = *room ? 2 * *room : 4;
	void *p;

	if (n < *room)
		return list;
	p = weak_alloc(w, more * size);
	if (n > 0)
		memcpy(p, list, n * size);
	*room = more;
	return p;
}

/* A set as it stands after the location forgot its oldest stores. */
static msg_set
rebase(msg_set seen, uint32_t base, const struct weak_loc *loc)
{
	uint32_t shift = loc->base - base;

	return shift < MSGS_MAX ? seen >> shift : 0;
}

/* ---- tables from pairs to numbers ---------------------------------------------- */

static size_t
home(uint64_t key, size_t n)
{
	return key * 0x9e3779b97f4a7c15u >> 20 & (n - 1);
}

static struct weak_index *
table_slot(const struct weak *w, struct weak_index *table, size_t n,
    uint64_t key)
{
	size_t i = home(key, n);

	while (table[i].stamp == w->stamp && table[i].key != key)
		i = (i + 1) & (n - 1);
	return &table[i];
}

/* With room for one more of `used`. */
static void
table_room(const struct weak *w, struct weak_index **table, size_t *n,
    size_t used)
{
	struct weak_index *old = *table;
	size_t room = *n, i;

	if (2 * (used + 1) <= room)
		return;
	*n = room ? 2 * room : 256;
	*table = sim_must(calloc(*n, sizeof(**table)));
	for (i = 0; i < room; i++)
		if (old[i].stamp == w->stamp)
			*table_slot(w, *table, *n, old[i].key) = old[i];
	free(old);
}

static void
table_set(const struct weak *w, struct weak_index *slot, uint64_t key,
    uint32_t at, size_t *used)
{
	if (slot->stamp != w->stamp)
		++*used;
	*slot = (struct weak_index){key, w->stamp, at};
}

/* Only threads with many entries use the index. */
static uint64_t
index_key(const struct weak_thread *t, const struct weak_loc *loc)
{
	return (uint64_t)(uintptr_t)loc ^ (uint64_t)t->thread->id << 48;
}

static void
index_set(struct weak *w, const struct weak_thread *t,
    const struct weak_loc *loc, uint32_t at)
{
	uint64_t key = index_key(t, loc);

	table_room(w, &w->index, &w->nindex, w->nindexed);
	table_set(w, table_slot(w, w->index, w->nindex, key), key, at,
	    &w->nindexed);
}

static struct weak_entry *
entry_find(struct weak *w, const struct weak_thread *t,
    const struct weak_loc *loc)
{
	struct weak_entry *e = t->view.entries;
	uint32_t i;

	if (t->view.n > SCAN_MAX) {
		const struct weak_index *slot = table_slot(w, w->index,
		    w->nindex, index_key(t, loc));

		/* slots may be out of date: the entry itself decides */
		return slot->stamp == w->stamp && slot->at < t->view.n &&
		    e[slot->at].loc == loc ? &e[slot->at] : NULL;
	}
	for (i = t->view.n; i-- > 0;)
		if (e[i].loc == loc)
			return &e[i];
	return NULL;
}

/* ---- entries ------------------------------------------------------------------- */

static struct weak_entry *
entry_append(struct weak *w, struct weak_view *v, struct weak_loc *loc,
    msg_set seen)
{
	v->entries = grow(w, v->entries, v->n, &v->room,
	    sizeof(*v->entries));
	v->entries[v->n] = (struct weak_entry){loc, loc->base, seen, 0};
	return &v->entries[v->n++];
}

static void
entry_merge(struct weak_entry *e, msg_set seen)
{
	e->seen = rebase(e->seen, e->base, e->loc) | seen;
	e->base = e->loc->base;
}

static void
entry_changed(struct weak *w, struct weak_thread *t, struct weak_entry *e)
{
	t->published = NULL;
	if (e->changed == t->epoch)
		return;
	e->changed = t->epoch;
	t->changed = grow(w, t->changed, t->nchanged, &t->changed_room,
	    sizeof(*t->changed));
	t->changed[t->nchanged++] = (uint32_t)(e - t->view.entries);
}

void
view_add(struct weak *w, struct weak_thread *t, struct weak_loc *loc,
    msg_set seen)
{
	struct weak_entry *e;
	uint32_t i;

	if (seen == 0)
		return;
	e = entry_find(w, t, loc);
	if (e) {
		entry_merge(e, 0);
		if (seen & ~e->seen)
			entry_changed(w, t, e);
		e->seen |= seen;
		return;
	}
	e = entry_append(w, &t->view, loc, seen);
	entry_changed(w, t, e);
	if (t->view.n == SCAN_MAX + 1)
		for (i = 0; i < t->view.n; i++)
			index_set(w, t, t->view.entries[i].loc, i);
	else if (t->view.n > SCAN_MAX)
		index_set(w, t, loc, t->view.n - 1);
}

void
view_patch(struct weak *w, struct weak_view *v, struct weak_loc *loc,
    msg_set seen)
{
	uint32_t i;

	for (i = 0; i < v->n; i++)
		if (v->entries[i].loc == loc) {
			entry_merge(&v->entries[i], seen);
			return;
		}
	entry_append(w, v, loc, seen);
}

/* ---- domains --------------------------------------------------------------------- */

static void
known_raise(struct weak *w, struct weak_known **list, uint32_t *n,
    uint32_t *room, struct weak_known k)
{
	uint32_t i;

	for (i = 0; i < *n; i++)
		if ((*list)[i].domain == k.domain) {
			if ((*list)[i].time < k.time)
				(*list)[i].time = k.time;
			return;
		}
	*list = grow(w, *list, *n, room, sizeof(**list));
	(*list)[(*n)++] = k;
}

void
view_know(struct weak *w, struct weak_view *v, struct weak_known k)
{
	known_raise(w, &v->known, &v->nknown, &v->known_room, k);
}

void
loc_publish(struct weak *w, struct weak_loc *loc,
    const struct sim_domain *domain, uint64_t time, msg_set seen)
{
	msg_set old = 0;
	uint32_t i;

	for (i = 0; i < loc->npubs; i++)
		if (loc->pubs[i].domain == domain && loc->pubs[i].time <= time)
			old |= rebase(loc->pubs[i].seen, loc->pubs[i].base,
			    loc);
	if ((seen & ~old) == 0)
		return;
	loc->pubs = grow(w, loc->pubs, loc->npubs, &loc->pubs_room,
	    sizeof(*loc->pubs));
	loc->pubs[loc->npubs++] = (struct weak_pub){domain, time, loc->base,
	    seen & ~old};
}

void
view_publish(struct weak *w, struct weak_thread *t,
    struct sim_domain *domain)
{
	uint64_t time = ++w->time;
	uint32_t i;

	domain->time = time;
	for (i = 0; i < t->view.n; i++) {
		struct weak_entry *e = &t->view.entries[i];

		entry_merge(e, 0);
		if (!e->loc->gone)
			loc_publish(w, e->loc, domain, time, e->seen);
	}
	for (i = 0; i < t->view.nknown; i++)
		if (t->view.known[i].domain != domain)
			known_raise(w, &domain->known, &domain->nknown,
			    &domain->known_room, t->view.known[i]);
	t->published = domain;
	if (t->npending > 0) {
		t->since_pubs = grow(w, t->since_pubs, t->nsince_pubs,
		    &t->since_room, sizeof(*t->since_pubs));
		t->since_pubs[t->nsince_pubs++] = (struct weak_known){domain,
		    time};
	}
}

/* Everything published so far; what the thread itself had published, if it
   learnt nothing since, needs no entries any more. */
void
view_learn(struct weak *w, struct weak_thread *t, struct sim_domain *domain)
{
	uint32_t i;

	if (domain->time == 0)
		return;
	view_know(w, &t->view, (struct weak_known){domain, domain->time});
	for (i = 0; i < domain->nknown; i++)
		view_know(w, &t->view, domain->known[i]);
	if (t->published == domain)
		t->view.n = t->nchanged = 0;
}

/* ---- whole views --------------------------------------------------------------------- */

void
view_head(struct weak *w, struct weak_thread *t, struct weak_head *head)
{
	uint32_t i;

	for (i = 0; i < t->nchanged; i++) {
		const struct weak_entry *e = &t->view.entries[t->changed[i]];

		if (!e->loc->gone)
			view_patch(w, &head->view, e->loc,
			    rebase(e->seen, e->base, e->loc));
	}
	t->nchanged = 0;
	t->epoch++;
	for (i = 0; i < t->view.nknown; i++)
		view_know(w, &head->view, t->view.known[i]);
}

static void
join_one(struct weak *w, struct weak_thread *t, const struct weak_view *from)
{
	uint32_t i;

	for (i = 0; i < from->n; i++) {
		const struct weak_entry *e = &from->entries[i];

		if (!e->loc->gone)
			view_add(w, t, e->loc, rebase(e->seen, e->base,
			    e->loc));
	}
	for (i = 0; i < from->nknown; i++)
		view_know(w, &t->view, from->known[i]);
}

void
view_join(struct weak *w, struct weak_thread *t, const struct weak_head *head)
{
	uint64_t key = (uint64_t)t->who.thread << 32 | head->who.thread;
	uint32_t number = head->number, taken;
	struct weak_index *slot;

	table_room(w, &w->taken, &w->ntaken, w->ntakens);
	slot = table_slot(w, w->taken, w->ntaken, key);
	taken = slot->stamp == w->stamp ? slot->at : 0;
	if (taken >= number)
		return;
	table_set(w, slot, key, number, &w->ntakens);
	for (; head && head->number > taken; head = head->before)
		join_one(w, t, &head->view);
}

static uint64_t
known_time(const struct weak_view *v, const struct sim_domain *domain)
{
	uint32_t i;

	for (i = 0; i < v->nknown; i++)
		if (v->known[i].domain == domain)
			return v->known[i].time;
	return 0;
}

msg_set
view_seen(struct weak *w, const struct weak_thread *t,
    const struct weak_loc *loc)
{
	const struct weak_entry *e = entry_find(w, t, loc);
	msg_set seen = e ? rebase(e->seen, e->base, loc) : 0;
	uint32_t i;

	for (i = 0; i < loc->npubs; i++) {
		const struct weak_pub *p = &loc->pubs[i];

		if (t->view.nknown > 0 &&
		    p->time <= known_time(&t->view, p->domain))
			seen |= rebase(p->seen, p->base, loc);
	}
	return seen;
}
