/* Running hand-written PTX on the software machine. */
#ifndef HELP_SIM_H
#define HELP_SIM_H

#include "../driver/driver.h"

/* One launch of kernel k, whose one parameter is the address of words[]. */
struct sim_case {
	const char *options;
	const char *ptx;
	uint32_t grid, block, cluster, shared, together;
	uint64_t repeat; /* 0: once */
	uint64_t seed, stream;
	double timeout; /* 0: 10 seconds */
	uint32_t *words; /* in and out */
	size_t nwords;
};

bool sim_case_run(const struct sim_case *c, struct err *err);
/* A module with kernel k(.param .u64 p): registers declared, %rd0 = p. */
char *sim_module(struct arena *a, const char *declarations,
    const char *body);

#endif
