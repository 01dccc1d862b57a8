/* "jobs=N,seed=S,memory=weak|sc,fault=NAME,steps=N" */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_DEFAULT 20000000

static const char *const fault_names[SIM_FAULT_COUNT] = {
	[SIM_FAULT_NONE] = "none",
#define FAULT(id, name, about) [SIM_FAULT_##id] = name,
#include "sim_fault.def"
#undef FAULT
};

const char sim_fault_help[] = "plant a fault in the software machine; one of"
#define FAULT(id, name, about) " " name
#include "sim_fault.def"
#undef FAULT
    ;

static const char fault_list[] = "none"
#define FAULT(id, name, about) ", " name
#include "sim_fault.def"
#undef FAULT
    ;

static bool
option_fault(const char *s, enum sim_fault *fault, struct err *err)
{
	struct loc nowhere = {0};
	int i;

	for (i = 0; i < SIM_FAULT_COUNT; i++)
		if (strcmp(s, fault_names[i]) == 0) {
			*fault = (enum sim_fault)i;
			return true;
		}
	return err_set(err, ERR_USAGE, nowhere,
	    "sim: unknown fault '%.20s' (%s)", s, fault_list);
}

bool
sim_fault_check(const char *name, struct err *err)
{
	enum sim_fault fault;

	return !name || option_fault(name, &fault, err);
}

/* One "name=value" of the options. */
static bool
option(char *s, struct sim_options *o, struct err *err)
{
	struct loc nowhere = {0};
	char *value = strchr(s, '='), *end = NULL;
	uint64_t number;

	if (!value)
		return err_set(err, ERR_USAGE, nowhere,
		    "sim: expected NAME=VALUE, found '%s'", s);
	*value++ = '\0';
	if (strcmp(s, "fault") == 0)
		return option_fault(value, &o->fault, err);
	if (strcmp(s, "memory") == 0) {
		if (strcmp(value, "weak") != 0 && strcmp(value, "sc") != 0)
			return err_set(err, ERR_USAGE, nowhere,
			    "sim: unknown memory '%s' (weak, sc)", value);
		o->memory = value[0] == 'w' ? SIM_MEMORY_WEAK :
		    SIM_MEMORY_SC;
		return true;
	}
	number = strtoull(value, &end, 0);
	if (!*value || *end)
		return err_set(err, ERR_USAGE, nowhere,
		    "sim: %s is a number, not '%s'", s, value);
	if (strcmp(s, "jobs") == 0 && number >= 1 && number <= SIM_JOBS_MAX)
		o->jobs = (int)number;
	else if (strcmp(s, "seed") == 0)
		o->seed = number;
	else if (strcmp(s, "steps") == 0 && number > 0)
		o->steps = number;
	else
		return err_set(err, ERR_USAGE, nowhere, "sim: bad option "
		    "%s=%s (jobs=1..%d, seed, steps, memory, fault)", s,
		    value, SIM_JOBS_MAX);
	return true;
}

bool
sim_options_read(const char *text, struct sim_options *o, struct err *err)
{
	char *copy = sim_must(strdup(text ? text : "")), *rest = copy, *word;
	bool ok = true;

	*o = (struct sim_options){.jobs = 1, .memory = SIM_MEMORY_WEAK,
	    .steps = STEPS_DEFAULT};

	while (ok && (word = strtok_r(rest, ",", &rest)))
		ok = option(word, o, err);
	free(copy);
	if (ok && o->fault != SIM_FAULT_NONE && o->memory == SIM_MEMORY_SC)
		return err_set(err, ERR_USAGE, (struct loc){0},
		    "sim: faults are planted in memory=weak only");
	return ok;
}
