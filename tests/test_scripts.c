/* scripts: what shell scripts try of the program, as people call it */
#include <check.h>
#include <stdlib.h>

/* Slurm takes its time to notice a lost node: `make slurm` */
static const char *const scripts[] = {
	"bash tests/ci.sh",
	"KILLS=${KILLS:-10} bash tests/kill.sh",
};

START_TEST(the_script_passes)
{
	ck_assert_int_eq(system(scripts[_i]), 0);
}
END_TEST

Suite *suite_scripts(void);

Suite *
suite_scripts(void)
{
	Suite *s = suite_create("scripts");
	TCase *c = tcase_create("scripts");

	tcase_set_timeout(c, 600);
	tcase_add_loop_test(c, the_script_passes, 0,
	    sizeof(scripts) / sizeof(*scripts));
	suite_add_tcase(s, c);
	return s;
}
