/* Primitives, and one of them studied on the software machine. */
#ifndef HELP_PRIMITIVE_H
#define HELP_PRIMITIVE_H

#include "../driver/primitive.h"

#define ROUNDS 8

extern struct arena *prim_arena;
extern struct primitives prims; /* those built in */
extern struct device_info prim_sim;

/* A fixture. */
void prims_read(void);
void prims_free(void);
const struct primitive *prim_find(const char *name);
/* Are there kernels, or was there no nvcc? */
bool prims_compiled(void);
/* Of a long list: every fourth, or all with FENCEPOST_ALL set. */
bool prim_left_out(int i);
/* Its entry, from what *s asks for beside the device: without `bench`, to
   validate. */
json_t *prim_study(const struct primitive *p, struct study *s);
const char *json_text(const json_t *o, const char *key);
bool prim_found(const json_t *entry, const char *kind);
const json_t *prim_finding(const json_t *entry, const char *kind);

#endif
