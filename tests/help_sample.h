/* Results documents made up from a seed, for the tests of reports. */
#ifndef HELP_SAMPLE_H
#define HELP_SAMPLE_H

#include "../reports/reports.h"

struct sample {
	uint64_t seed; /* of the counts; the tests are the same for all */
	int tests, primitives;
	bool sim;
	const char *gpu; /* its name; NULL: an H200 */
	int gpus; /* 0: one */
	double faster; /* factor on all weak rates, 0: 1 */
	double noise; /* sd of the log rate from run to run, 0: none */
	int forbidden; /* so many tests show a forbidden outcome */
	bool hostile; /* names and logs full of markup and controls */
	int shard, shards; /* 0: not sharded */
};

json_t *sample_json(const struct sample *s); /* a new reference */
/* The same as text in the arena. */
struct source sample_source(const struct sample *s, struct arena *a);
struct document sample_document(const struct sample *s, struct arena *a);
/* A string fit to break every format. */
extern const char sample_hostile[];

#endif
