/* Private to sass*.c: the machine code of a test kernel. */
#ifndef SASS_H
#define SASS_H

#include "driver.h"

/* sass.c */
bool sass_opcode_is(const char *opcode, const char *base); /* "LDG.E", "LDG" */
bool sass_does(const char *opcode, enum op_class class); /* does its work */

/* sass_stress.c: what is wrong is added to *detail */
bool sass_check_stress(const struct plan *plan, const struct sass *s,
    struct text *detail);

/* sass_read.c */
/* The instructions of the function; false if it is not there. */
bool sass_read(const char *text, const char *function, struct arena *a,
    struct sass *s);
/* What nvdisasm writes; false with the reason. */
bool sass_disassemble(const void *elf, size_t size, struct arena *a,
    const char **text, const char **why);

#endif
