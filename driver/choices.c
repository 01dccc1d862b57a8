/*
 * What a run has learnt: in which environments tests of a kind (shape and
 * placement) showed what they are about, and which weakenings show at all.
 * The next test of the kind, or of its placement, begins with those; of many
 * nearest twins it has those whose like has shown.
 */
#include "driver.h"

#include <string.h>

#define AROUND 0.25 /* weight of a test that is only placed alike */
#define PRIOR 0.5 /* of the first one built in, to show what none showed */

struct choice {
	uint64_t kind, place, env; /* hashes */
	double tried, showed;
};

struct choices {
	struct arena *arena;
	struct choice *list;
	int count, room;
};

struct choices *
choices_new(struct arena *a)
{
	struct choices *c = arena_alloc(a, sizeof(*c));

	c->arena = a;
	return c;
}

static uint64_t
hash_of(const char *s, uint64_t seed)
{
	return hash64(s, strlen(s), seed);
}

/* The kind is "FAMILY.PLACE", and FAMILY may have dots of its own. */
static struct choice
key_of(const struct program *p, const struct env *e)
{
	struct arena *a = arena_new();
	const char *kind = test_kind_name(p, a);
	struct choice key = {.kind = hash_of(kind, 0),
		.place = hash_of(kind + strlen(p->family), 1),
		.env = hash_of(e->name, 2)};

	arena_free(a);
	return key;
}

/* NULL: there is none. */
static struct choice *
find(const struct choices *c, const struct choice *key)
{
	int i;

	for (i = 0; i < c->count; i++)
		if (c->list[i].kind == key->kind && c->list[i].env == key->env)
			return &c->list[i];
	return NULL;
}

static struct choice *
add(struct choices *c, const struct choice *key)
{
	if (c->count == c->room) {
		size_t old = (size_t)c->room * sizeof(*c->list);

		c->room = c->room ? 2 * c->room : 64;
		c->list = arena_grow(c->arena, c->list, old,
		    (size_t)c->room * sizeof(*c->list));
	}
	c->list[c->count] = *key;
	return &c->list[c->count++];
}

static void
note(struct choices *c, struct choice key, bool showed)
{
	struct choice *known = find(c, &key);

	if (!known)
		known = add(c, &key);
	known->tried++;
	known->showed += showed;
}

void
choices_note(struct choices *c, const struct program *p, const struct env *e,
    bool showed)
{
	note(c, key_of(p, e), showed);
}

/* "P0 line 7: st.release.gpu -> st.relaxed.gpu; P1 line 9: ..." without the
   places: the same weakening of another test. */
static struct choice
key_of_twin(const char *what)
{
	struct choice key = {.kind = 3};

	while (*what) {
		const char *colon = strstr(what, ": ");
		size_t n = strcspn(what, ";");

		if (colon && colon < what + n) {
			n -= (size_t)(colon + 2 - what);
			what = colon + 2;
		}
		key.kind = hash64(what, n, key.kind);
		what += n;
		what += strspn(what, "; ");
	}
	return key;
}

void
choices_note_twin(struct choices *c, const char *what, bool showed)
{
	note(c, key_of_twin(what), showed);
}

double
choices_twin_score(const struct choices *c, const char *what)
{
	struct choice key = key_of_twin(what);
	const struct choice *known = find(c, &key);

	return known ? (known->showed + PRIOR) / (known->tried + 1) : PRIOR;
}

double
choices_score(const struct choices *c, const struct program *p,
    const struct env *e, int rank)
{
	struct choice key = key_of(p, e);
	double tried = 1, showed = PRIOR / (1 + rank);
	int i;

	for (i = 0; i < c->count; i++) {
		const struct choice *known = &c->list[i];
		double weight = known->kind == key.kind ? 1 : AROUND;

		if (known->env != key.env || known->place != key.place)
			continue;
		tried += weight * known->tried;
		showed += weight * known->showed;
	}
	return showed / tried;
}
