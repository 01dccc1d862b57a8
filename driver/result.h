/*
 * What came back from a device: machine code, tallies, judgements.
 */
#ifndef RESULT_H
#define RESULT_H

#include "../gen/gen.h"
#include "../model/model.h"
#include "../reports/reports.h" /* enum verdict */

/* One instruction of the machine code. */
struct sass_insn {
	uint32_t offset;
	const char *text; /* "@P0 LDG.E.STRONG.GPU R6, desc[UR4][R6.64]" */
	const char *opcode; /* "LDG.E.STRONG.GPU" */
	int line; /* of the emitter's line table; 0: none */
};

/* A place that branches go to. */
struct sass_label {
	const char *name; /* ".L_x_7" */
	int insn; /* index of the instruction after it */
};

/* The machine code of a test kernel beside its PTX. */
struct sass {
	enum doc_code status;
	const char *detail; /* CHANGED: what, a line each; UNCHECKED: why */
	const char *between; /* what of the harness stands between tested
		instructions, a line each; "" if nothing */
	bool weak_only; /* CHANGED: only weak accesses, merged or moved past
		each other as an assembler may */
	const struct sass_insn *insns; /* in the order of addresses */
	int ninsns;
	const struct sass_label *labels;
	int nlabels;
};

/* sass.c, sass_read.c */
const char *nvdisasm_find(struct arena *a); /* NULL: there is none */
/*
 * Disassembles the cubin of a plan's module and checks that each memory
 * access, fence and barrier of the test is there once, in order, with its
 * strength and width. UNCHECKED without nvdisasm ($FENCEPOST_NVDISASM,
 * PATH, or the toolkit's).
 */
void sass_check(const struct plan *plan, const void *elf, size_t size,
    struct arena *a, struct sass *s);
/* The same for what nvdisasm -g -c wrote. */
void sass_check_text(const struct plan *plan, const char *text,
    struct arena *a, struct sass *s);
/* The machine code of the test kernel, the tested instructions marked, and
   the verdict. */
void sass_print(struct text *t, const struct plan *plan,
    const struct sass *s);

/* What came back from one test on one device. */
struct tally {
	uint64_t *bins; /* program->noutcomes, by outcome code */
	uint64_t other; /* a value outside the known set */
	uint64_t hang; /* a loop ran out */
	uint64_t instances, launches;
	double seconds; /* device time */
	uint64_t seed, stream;
	/* of the target's rate from batch to batch; negative: not measured */
	double drift; /* Kolmogorov-Smirnov distance, first to last fifth */
	double dispersion; /* standard deviation of its natural logarithm */
};

/* The same for one environment of several, and for a broken twin. */
struct env_tally {
	const struct env *env;
	uint64_t instances, hits, launches;
	double seconds;
};

struct twin_tally {
	const char *name, *what;
	uint64_t instances, hits;
	double rate; /* hits a second of device time */
	const struct env_tally *envs; /* where it was tried */
	int nenvs;
};

struct state {
	uint32_t code;
	uint64_t count;
	enum row_class class;
	bool target; /* the condition is about it */
};

struct judgement {
	enum verdict verdict;
	const char *message; /* why; "" with VERDICT_PASS */
	enum answer answer; /* the model's, of the target states */
	const char *reason; /* of ANSWER_NONE, or NULL */
	const char *note; /* outcomes_note(), or NULL */
	struct state *seen, *unseen; /* unseen: the allowed ones */
	uint32_t nseen, nunseen;
	uint64_t target_hits, weak_hits, forbidden_hits;
	double rate; /* target hits a second of device time */
	double bound95; /* of the target's share, if never seen; else -1 */
	enum doc_strength strength; /* of the target not showing */
};

/* judge.c */
/* 1-0.05^(1/n): the largest share of independent trials that stays silent
   in n of them with a chance of 5 %. */
double bound95(uint64_t n);
/* 1-exp(-n): the chance that a run of the same size shows again what this
   one showed n times, if that is rare (Poisson). */
double reproducibility(uint64_t hits);
/* Kolmogorov-Smirnov distance between two samples, which it sorts. */
double ks_distance(double *x, int nx, double *y, int ny);
/* Of n rates in the order they were measured; negative: too few. */
double rates_drift(const double *rates, int n, struct arena *a);
double rates_dispersion(const double *rates, int n);
/* `outcomes` may be NULL; `no_model` then says why. */
void judge_test(const struct program *p, const struct outcomes *outcomes,
    const char *no_model, const struct tally *tally,
    const struct twin_tally *twins, int ntwins, struct arena *a,
    struct judgement *j);
/* A test that brought nothing back. */
void judge_failure(const struct program *p, const struct outcomes *outcomes,
    const char *no_model, enum verdict verdict, const char *message,
    struct arena *a, struct judgement *j);

/* A plan's machine code. */
struct code {
	const struct plan *plan;
	const void *elf;
	size_t size;
	const char *env; /* name */
};

/* All that one test on one device left behind. */
struct result {
	const struct program *program;
	struct judgement *judgement;
	const struct tally *tally; /* NULL: none */
	const struct env_tally *envs;
	int nenvs;
	const struct twin_tally *twins;
	int ntwins;
	const char *assembler, *replay;
	const struct code *codes; /* that ran, the most used first */
	int ncodes;
	enum doc_code code;
	const char *code_detail;
	bool explain; /* this outcome, under that version of the model */
	bool explain_allowed;
	uint32_t explained;
	enum model_version model;
	int device;
};

/* judge.c: chooses the outcome that results_test() explains */
void result_explain(struct result *r, const struct outcomes *outcomes,
    const bool *targets); /* targets as by program_targets() */

#endif
