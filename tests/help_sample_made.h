/* What help_sample.c and help_sample_test.c share. */
#ifndef HELP_SAMPLE_MADE_H
#define HELP_SAMPLE_MADE_H

#include "help_sample.h"

/* help_sample.c: also outside of Check, for programs that only make samples */
void sample_require(bool good, const char *what);

/* help_sample_test.c */
json_t *sample_text(const char *s);
double sample_normal(struct draw *d);
/* Of *hits forbidden outcomes that the sample is to have, its share. */
json_t *sample_test(const struct sample *s, int index, int device, int *hits,
    struct arena *a);

#endif
