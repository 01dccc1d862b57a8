/* The driver's management library, for its version alone. */
#include <stdio.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

int
nvmlInit_v2(void)
{
	return 0;
}

int
nvmlSystemGetDriverVersion(char *s, unsigned size)
{
	snprintf(s, size, "570.12.3");
	return 0;
}

int
nvmlShutdown(void)
{
	return 0;
}
