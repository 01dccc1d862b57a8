/*
 * Private to emit*.c: writing kernels.
 *
 * The harness's own names begin with '$', so that they cannot meet a
 * test's. $p_... is a predicate, $a_... an address and $w_... another 64-bit
 * register, any other small name has 32 bits; labels are in capitals.
 * A register is declared where a kernel begins because a line names it.
 */
#ifndef EMIT_H
#define EMIT_H

#include "plan.h"

#define EMIT_NAMES_MAX 512

struct emit {
	struct text text; /* body of the kernel being written */
	const struct plan *plan;
	const struct program *program;
	struct arena *arena;
	enum sabotage sabotage;
	const char *names[EMIT_NAMES_MAX]; /* of this kernel's registers */
	int nnames;
	const char *known[EMIT_NAMES_MAX]; /* constants at hand, see know */
	int nknown;
	int labels; /* for labels that no one else names */
};

/* A result or a code that fits none of the outcomes. */
struct codes {
	uint32_t other, hang;
};

/* emit.c */
#if defined(__GNUC__)
#define EMIT_PRINTF(at) __attribute__((format(printf, at, at + 1)))
#else
#define EMIT_PRINTF(at)
#endif
void emit_put(struct emit *e, const char *format, ...) EMIT_PRINTF(2);
void emit_label(struct emit *e, const char *format, ...) EMIT_PRINTF(2);
void emit_note(struct emit *e, const char *format, ...) EMIT_PRINTF(2);
void emit_line(struct emit *e, int number); /* of the line table */
/* The address in parameter `param`, in register `to`. */
void emit_param(struct emit *e, const char *to, const char *param);
/* quotient and remainder (either may be NULL) by a constant; n > 1 */
void emit_divide(struct emit *e, const char *quotient, const char *remainder,
    const char *from, uint32_t n);
/* to = n * from, for 32-bit registers */
void emit_times(struct emit *e, const char *to, const char *from,
    uint32_t n);
/* to = from % n, from < 2^32 */
void emit_modulo(struct emit *e, const char *to, const char *from,
    uint32_t n);
/* to (64 bits) = base + 32-bit from */
void emit_offset(struct emit *e, const char *to, const char *base,
    const char *from);
/* True the first time a name is asked for since emit_forget. */
bool emit_know(struct emit *e, const char *name);
void emit_forget(struct emit *e);

/* emit_decode.c */
/* Register with launch number + value; old: of the launch before. */
const char *emit_epoch(struct emit *e, uint64_t value, int size, bool old);
/* Adds to `code` what slot `s` contributes, read in register `from` of
   type `type`; `first` sets instead of adding. Unknown values give
   `other` or more. */
void emit_slot(struct emit *e, int s, const char *from, enum type type,
    const char *code, bool first, uint32_t other);
/* Type in which memory of this many bytes is loaded: "u32". */
const char *emit_load_type(int size);
/* What init and reset put into an element. */
void emit_initial(struct emit *e, int var, int elem, const char *address,
    int64_t offset);

/* emit_map.c */
void emit_map(struct emit *e); /* which CTA, group, warp, lane is this */
void emit_instance(struct emit *e, int thread); /* $inst and $i */
int emit_key(const struct plan *plan, int thread);

/* emit_place.c */
/* Its test needs the variable's address; uses: or what the harness adds. */
bool emit_names(const struct emit *e, int thread, int var);
bool emit_uses(const struct emit *e, int thread, int var);
bool emit_remote(const struct emit *e);
/* Puts the addresses of a thread's variables into registers. */
void emit_addresses(struct emit *e, int thread);
const char *emit_var_name(struct emit *e, int thread, int var);
const char *emit_generic_name(struct emit *e, int thread, int var);
const char *emit_narrow_name(struct emit *e, int thread, int var);
bool emit_wants_generic(const struct emit *e, int thread, int var);
bool emit_wants_narrow(const struct emit *e, int thread, int var);
void emit_shared_start(struct emit *e); /* initial values */
void emit_sync(struct emit *e); /* all threads of the CTA */

/* emit_async.c */
void emit_async_start(struct emit *e); /* after emit_shared_start */
void emit_drain(struct emit *e, int thread); /* after the test's code */
bool emit_settles(const struct emit *e, int thread, int var);
void emit_settle(struct emit *e, int thread); /* when all roles are done */

/* emit_before.c */
void emit_before(struct emit *e, int thread); /* all up to the test */
void emit_align(struct emit *e, int thread);
void emit_delay(struct emit *e, int thread);
void emit_stress(struct emit *e); /* what stress CTAs do */

/* emit_tested.c */
void emit_tested(struct emit *e, int thread);
/* The operands of a store that carry the launch number, as a bit set. */
unsigned emit_carried(const struct emit *e, const struct insn *insn);

/* emit_role.c */
void emit_role(struct emit *e, int thread);
void emit_all_roles(struct emit *e);

/* emit_count.c */
void emit_counters_start(struct emit *e);
void emit_count(struct emit *e, const char *code);
void emit_counters_end(struct emit *e);

/* emit_test.c, emit_init.c, emit_tally.c */
void emit_test(struct emit *e);
void emit_init(struct emit *e);
void emit_tally(struct emit *e);

#endif
