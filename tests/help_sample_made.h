/* What help_sample.c needs of help_sample_test.c. */
#ifndef HELP_SAMPLE_MADE_H
#define HELP_SAMPLE_MADE_H

#include "help_sample.h"

json_t *sample_text(const char *s);
double sample_normal(struct draw *d);
/* Of *hits forbidden outcomes that the sample is to have, its share. */
json_t *sample_test(const struct sample *s, int index, int device, int *hits,
    struct arena *a);

#endif
