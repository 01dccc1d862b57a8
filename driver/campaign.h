/* A campaign, for campaign*.c only. */
#ifndef CAMPAIGN_H
#define CAMPAIGN_H

#include "driver.h"

#define TWINS_MAX 3

struct twin {
	const struct weakening *weakening;
	struct search search;
};

struct campaign {
	struct bench *bench;
	const struct program *program;
	struct effort effort, twin_effort;
	struct arena *arena;
	struct model_opts opts;
	const struct outcomes *outcomes; /* NULL: no_model says why */
	const char *no_model;
	const struct env *const *envs; /* of the test and of its twins */
	int nenvs;
	struct search test;
	struct twin twins[TWINS_MAX];
	int ntwins;
	bool prepared;
	struct err err; /* why not */
	const char *stage; /* of what an error would be: "its twin ..." */
};

/* campaign.c */
const char *campaign_stage(const struct campaign *c, const struct twin *t);

/* campaign_run.c */
uint64_t campaign_twin_hits(const struct twin *t);
/* Runs all of it in so much time, or the effort's instances. */
bool campaign_work(struct campaign *c, double seconds, struct err *err);

#endif
