/* Programs from one line of text, as in table.def. */
#ifndef HELP_TABLE_H
#define HELP_TABLE_H

#include "../gen/gen.h"

/*
 * Threads `cta.gpu insn; insn | ...` are of the .litmus dialect, threads
 * `cta.cluster.gpu insn; ...` are PTX. NULL, and said on stdout, if it
 * cannot be read.
 */
const struct program *table_program(const char *name, const char *threads,
    const char *condition, struct arena *a);

#endif
