/* Golden files beside inputs. */
#ifndef HELP_GOLDEN_H
#define HELP_GOLDEN_H

#include "../gen/gen.h"

/* The text of a file, or NULL. */
const char *slurp(const char *path, struct arena *a);
/* The file beside `path` with that ending holds what was got; BLESS=1 in
   the environment makes it. */
void golden(const char *path, const char *ending, const char *got,
    struct arena *a);
/* As they are printed. */
const char *errors_text(const struct errs *errs, const struct source *source,
    struct arena *a);

#endif
