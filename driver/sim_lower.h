/* Private to sim_lower*.c: what the instructions' lowerings share. */
#ifndef SIM_LOWER_H
#define SIM_LOWER_H

#include "sim.h"

/* sim_lower.c: slots are numbered in the end, see there */
uint32_t lower_constant(struct sim_lower *l, uint64_t value);
struct sim_code *lower_append(struct sim_lower *l, const struct insn *insn,
    enum sim_op op);
void lower_guard(struct sim_code *c, const struct insn *insn);
/* A scalar operand's slot; !p takes an instruction of its own first. */
uint32_t lower_operand(struct sim_lower *l, const struct insn *insn, int i);
const uint32_t *lower_slots(struct sim_lower *l, const uint32_t *from, int n);

/* sim_lower_alu.c */
bool lower_alu(struct sim_lower *l, const struct insn *insn, struct err *err);

#endif
