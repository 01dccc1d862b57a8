/* Private to sim_load.c and sim_body.c: the reader of PTX modules. */
#ifndef SIM_LOAD_H
#define SIM_LOAD_H

#include "sim.h"

#define NAME_ROOM 256

/* `%r<10>` is one row with count 10; a single register has count 0. */
struct sim_regs {
	const char *name;
	size_t length;
	uint32_t count, first;
};

struct sim_label {
	const char *name;
	int32_t code;
	struct loc loc;
};

struct loader {
	const char *s;
	struct loc loc;
	struct arena *arena, *scratch; /* scratch: until the module is read */
	struct device *device;
	struct module *module;
	struct err *err;
	struct sim_var *vars;
	int nvars;
	struct sim_regs *regs;
	int nregs;
	enum type *types; /* of each register of the kernel */
	uint32_t ntypes;
	struct sim_label *labels, *uses; /* visible labels; open branches */
	int nlabels, nuses;
	struct sim_lower lower;
	struct sim_kernel *kernel; /* being read, or NULL */
};

/* sim_load.c: the text; all `false` fill l->err */
void load_skip(struct loader *l); /* blanks, comments */
bool load_fail(struct loader *l, enum err_code code, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
size_t load_word(struct loader *l); /* length of the name or .name here */
bool load_is(struct loader *l, const char *word); /* and moves past it */
bool load_expect(struct loader *l, const char *word);
bool load_number(struct loader *l, uint64_t *value);
bool load_to(struct loader *l, const char *end); /* past this character */
void load_advance(struct loader *l, size_t n);
/* A variable's declaration after its state space, up to its ',' ')' ';'. */
bool load_variable(struct loader *l, enum space space, struct sim_var *var);
bool load_add_variable(struct loader *l, const struct sim_var *var);
#define LOAD_GROW(a, list, n) \
	((list) = load_grow((a), (list), (size_t)(n), sizeof(*(list))))
void *load_grow(struct arena *a, void *list, size_t n, size_t size);

/* sim_body.c: the body of a kernel, after its '{' */
bool load_body(struct loader *l);

#endif
