#include "gen.h"

#include <string.h>

#define NEAR_WIDTH 64

/* Levenshtein's distance, with one row; names longer than NEAR_WIDTH are
   far from everything. */
int
edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
	int row[NEAR_WIDTH + 1];
	size_t i, j;

	if (na > NEAR_WIDTH || nb > NEAR_WIDTH)
		return NEAR_WIDTH + 1;
	for (j = 0; j <= nb; j++)
		row[j] = (int)j;
	for (i = 1; i <= na; i++) {
		int diagonal = row[0];

		row[0] = (int)i;
		for (j = 1; j <= nb; j++) {
			int best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[nb];
}

bool
is_near(const char *word, size_t n, const char *name)
{
	size_t length = strlen(name);
	int limit = n < 4 || length < 4 ? 1 : 2;

	return n > 1 && edit_distance(word, n, name, length) <= limit;
}
