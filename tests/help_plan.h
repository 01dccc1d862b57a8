/* Running a plan's kernels on a device, as a campaign does. */
#ifndef HELP_PLAN_H
#define HELP_PLAN_H

#include "../driver/driver.h"

struct plan_run {
	const struct plan *plan;
	const char *options; /* of the device */
	enum sabotage sabotage;
	uint64_t seed;
	uint64_t launches;
	uint64_t *bins; /* plan->nbins of them */
};

/* On the software machine; new draws for each launch. */
bool plan_run(const struct plan_run *r, struct err *err);
/* The draws of a kernel, by id, from d. */
void plan_draw(const struct kernel *k, struct draw *d, uint32_t *draws);
/* The program of that name in the text of a YAML file; dies if the text
   does not read. */
const struct program *plan_program(const char *text, const char *name,
    struct arena *a);
/* Sets what "field value field value ..." says. */
void plan_env(const char *text, struct env *e);
/* What the tests take an H200, and the software machine, to be. */
extern const struct caps plan_h200, plan_sim;
/* The name of the file is the arena's. Fails the test if ptxas says no;
   false, said on stderr once, if there is no ptxas. */
bool plan_assemble(const char *ptx, int sm, struct arena *a,
    const char **cubin);

#endif
