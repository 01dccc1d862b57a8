/* Private to cond.c and cond_eval.c: the binary operators. */
#ifndef COND_H
#define COND_H

#include "gen.h"

/* level: how tightly it binds, the loosest is 1 */
struct binary {
	const char *spelling;
	enum cond_op op;
	int level;
};

#define BINARIES 19
#define LEVEL_MAX 10
extern const struct binary binaries[BINARIES];

#endif
