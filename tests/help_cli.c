#include "help_cli.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "help_mp.h"
#include "help_same.h"

char folder[64];
char out[1 << 20], errors[1 << 16];

const char *
program(void)
{
	static char path[PATH_MAX];
	const char *s = getenv("FENCEPOST");

	ck_assert_ptr_nonnull(realpath(s ? s : "build/fencepost", path));
	return path;
}

void
read_into(const char *name, char *to, size_t size)
{
	char path[128];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "r");
	n = f ? fread(to, 1, size - 1, f) : 0;
	to[n] = '\0';
	if (f)
		fclose(f);
}

/* What a shell makes of a command that leaves the files `out` and `err`. */
static int
run(const char *command)
{
	int status = system(command);

	read_into("out", out, sizeof(out));
	read_into("err", errors, sizeof(errors));
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

int
fencepost(const char *args)
{
	char command[2048 + PATH_MAX], *to = command;
	int n;

	to += sprintf(to, "%s ", program());
	for (; *args; args++)
		if (strncmp(args, "%F", 2) == 0) {
			to += sprintf(to, "%s", folder);
			args++;
		} else {
			*to++ = *args;
		}
	n = snprintf(to, 160, " >%s/out 2>%s/err </dev/null", folder,
	    folder);
	ck_assert_int_lt(n, 160);
	return run(command);
}

int
run_there(const char *args)
{
	char command[2048 + PATH_MAX];
	int n = snprintf(command, sizeof(command), "cd %s && %s %s >out "
	    "2>err </dev/null", folder, program(), args);

	ck_assert_int_lt(n, (int)sizeof(command));
	return run(command);
}

json_t *
document(const char *name)
{
	char path[128];
	json_error_t error;
	json_t *o;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	o = json_load_file(path, 0, &error);
	ck_assert_msg(o != NULL, "%s: %s", path, error.text);
	return o;
}

void
put(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

/* Six tests, of which each takes as long as its instances do. */
static const char suite[] = MP_VARIANTS
	"  weak: {write: st.weak.global.u32, read: ld.weak.global.u32}\n"
	"  volatile: {write: st.volatile.global.u32,"
	" read: ld.volatile.global.u32}\n"
	"  cta: {write: st.release.cta.global.u32,"
	" read: ld.acquire.cta.global.u32}\n"
	"  release: {write: st.release.gpu.global.u32,"
	" read: ld.relaxed.gpu.global.u32}\n"
	"  acquire: {write: st.relaxed.gpu.global.u32,"
	" read: ld.acquire.gpu.global.u32}\n"
	"  both: {write: st.release.gpu.global.u32,"
	" read: ld.acquire.gpu.global.u32, expect: forbidden}\n";

void
make_folder(void)
{
	strcpy(folder, "/tmp/fencepost-cli-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	put("mp.yaml", suite);
	unsetenv("NO_COLOR");
}

void
remove_folder(void)
{
	char command[160];

	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

void
expect_same(const char *a, const char *b)
{
	json_t *x = document(a), *y = document(b);

	ck_assert_msg(same_results(x, y), "%s and %s differ\n%s\n%s", a, b,
	    json_dumps(x, JSON_INDENT(1)), json_dumps(y, JSON_INDENT(1)));
	json_decref(x);
	json_decref(y);
}
