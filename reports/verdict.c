#include "reports.h"

const struct verdict_row verdicts[VERDICT_COUNT] = {
#define VERDICT(id, name, symbol, junit, exit, words) \
	[VERDICT_##id] = {name, symbol, junit, exit, words},
#include "verdict.def"
#undef VERDICT
};
