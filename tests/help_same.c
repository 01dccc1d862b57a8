#include "help_same.h"

/* Wherever they are. */
static void
strip(json_t *o)
{
	static const char *const keys[] = {
		"started", "wall_seconds", "seconds", "command", "notes",
		"replay", "rate", "drift", "dispersion", NULL,
	};
	const char *key;
	json_t *value;
	size_t i;

	for (i = 0; keys[i]; i++)
		json_object_del(o, keys[i]);
	json_object_foreach(o, key, value)
		strip(value);
	json_array_foreach(o, i, value)
		strip(value);
}

bool
same_results(json_t *x, json_t *y)
{
	strip(x);
	strip(y);
	return json_equal(x, y);
}
