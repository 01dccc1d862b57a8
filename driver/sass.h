/* Private to sass*.c: the machine code of a test kernel. */
#ifndef SASS_H
#define SASS_H

#include "driver.h"

/* sass_read.c */
/* The instructions of the function; false if it is not there. */
bool sass_read(const char *text, const char *function, struct arena *a,
    struct sass *s);
/* What nvdisasm writes; false with the reason. */
bool sass_disassemble(const void *elf, size_t size, struct arena *a,
    const char **text, const char **why);

#endif
