/* The real program, run in a folder that lives as long as the test. */
#ifndef HELP_CLI_H
#define HELP_CLI_H

#include <jansson.h>

extern char folder[64];
extern char out[1 << 20], errors[1 << 16]; /* of the last command */

/* The fixture; the folder holds mp.yaml, a suite of six tests, each as long
   as its instances take. */
void make_folder(void);
void remove_folder(void);

const char *program(void); /* from the root */
/* Runs `fencepost ARGS`, %F in them standing for the folder. */
int fencepost(const char *args);
/* The same as one who works in the folder. */
int run_there(const char *args);
/* Of files in the folder. */
void read_into(const char *name, char *to, size_t size);
void put(const char *name, const char *text);
json_t *document(const char *name);
/* But for times, and for how they were asked for. */
void expect_same(const char *a, const char *b);

#endif
