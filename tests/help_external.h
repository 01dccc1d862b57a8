/* The external suite beside the project. */
#ifndef HELP_EXTERNAL_H
#define HELP_EXTERNAL_H

/* Its dat3m folder, or NULL: not there (said once on stdout). */
const char *external_dat3m(void);

#endif
