#include "driver.h"

int
main(void)
{
	fprintf(stderr, "fencepost %s\n", VERSION);
	return 2;
}
