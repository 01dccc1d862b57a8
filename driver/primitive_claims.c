/* The chapter's statements about costs, against what was measured here. */
#include "primitive.h"

#include <math.h>
#include <string.h>

enum claim_unit { CLAIM_NS, CLAIM_CYCLES, CLAIM_TIMES };

struct claim {
	const char *text;
	enum claim_unit unit;
	const char *name, *what, *name2, *what2;
	double low, high;
};

static const struct claim claims[] = {
#define CLAIM(text, unit, ...) {text, CLAIM_##unit, __VA_ARGS__},
#include "claims.def"
#undef CLAIM
};

/* The bench `what` of the primitive `name`, or NULL. */
static const json_t *
find_bench(const json_t *entries, const char *name, const char *what)
{
	const json_t *entry, *bench;
	size_t i, k;

	json_array_foreach(entries, i, entry) {
		const char *s = json_string_value(json_object_get(entry,
		    "name"));

		if (!s || strcmp(s, name) != 0)
			continue;
		json_array_foreach(json_object_get(entry, "bench"), k, bench)
			if (strcmp(json_string_value(json_object_get(bench,
			    "what")), what) == 0)
				return bench;
	}
	return NULL;
}

/* NAN: not measured. */
static double
measured(const json_t *entries, const char *name, const char *what,
    const char *key)
{
	const json_t *bench = find_bench(entries, name, what);
	const json_t *value = json_object_get(bench, key);

	return value ? json_real_value(value) : NAN;
}

static json_t *
figure(const struct claim *c, double a, double b)
{
	switch (c->unit) {
	case CLAIM_CYCLES:
		return json_sprintf("%.3g cycles", a);
	case CLAIM_TIMES:
		return json_sprintf("%.2g times (%.3g against %.3g)", a / b,
		    a, b);
	case CLAIM_NS:
		break;
	}
	return json_sprintf("%.3g us", a / 1e3);
}

/* What was not measured is left out: nobody asked about it. */
json_t *
primitive_claims(const json_t *entries, int device, bool sim)
{
	json_t *list = json_array(), *o;
	size_t i;

	for (i = 0; i < sizeof(claims) / sizeof(*claims); i++) {
		const struct claim *c = &claims[i];
		const char *key = c->unit == CLAIM_CYCLES ? "cycles" :
		    "median";
		double a = measured(entries, c->name, c->what, key), b = 1;

		if (c->name2)
			b = measured(entries, c->name2, c->what2, key);
		if (isnan(a) || isnan(b) || !(b > 0))
			continue;
		o = json_pack("{s:s, s:o, s:i, s:o}", "claim", c->text,
		    "holds", sim ? json_null() : json_boolean(a / b >= c->low
		    && a / b <= c->high), "device", device, "figure", sim ?
		    json_string("software machine") : figure(c, a, b));
		json_array_append_new(list, o);
	}
	return list;
}
