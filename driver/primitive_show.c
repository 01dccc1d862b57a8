/* Primitives to look at: their names, their PTX, their machine code. */
#include "primitive.h"

#include <stdlib.h>
#include <string.h>

#include "sass.h"

void
primitives_list(const struct study *s)
{
	int i;

	for (i = 0; i < s->nitems; i++) {
		const struct primitive *p = s->items[i];

		if (p->twin_of)
			printf("  %-40s %s\n", p->name, p->flaw);
		else
			printf("%-42s %s\n", p->name, p->group);
	}
}

static bool
has_any(const char *line, size_t n, const char *const *marks)
{
	for (; *marks; marks++)
		if (memmem(line, n, *marks, strlen(*marks)))
			return true;
	return false;
}

static bool
begins(const char *line, size_t n, const char *with)
{
	size_t k = strlen(with);

	return n >= k && memcmp(line, with, k) == 0;
}

static void
print_marked(const char *line, size_t n, bool marked)
{
	printf("%.*s%s\n", (int)n, line, marked ? "\t// <--" : "");
}

static void
print_title(const struct primitive *p)
{
	printf("// %s: %s\n", p->name, p->twin_of ? p->flaw : p->about);
}

/* ---- PTX ---------------------------------------------------------------- */

static bool
is_ptx_fence(const char *line, size_t n)
{
	static const char *const marks[] = {
		"fence", "membar", "bar.", "barrier", ".acquire", ".release",
		".acq_rel", "mbarrier", "%envreg", NULL,
	};
	size_t i = strspn(line, " \t");

	return i < n && !strchr("/.$", line[i]) && has_any(line, n, marks);
}

/* What inline assembly and line tables leave behind. */
static bool
is_leftover(const char *line, size_t n)
{
	size_t i = strspn(line, " \t");

	return i >= n || begins(line + i, n - i, "// begin inline asm") ||
	    begins(line + i, n - i, "// end inline asm") ||
	    begins(line + i, n - i, ".loc") ||
	    begins(line + i, n - i, ".file");
}

static void
print_ptx(const char *code)
{
	while (*code) {
		size_t n = strcspn(code, "\n");

		if (!is_leftover(code, n))
			print_marked(code, n, is_ptx_fence(code, n));
		code += n + (code[n] == '\n');
	}
}

/* Validation, or where there is a bench its kernel too. */
static bool
code_of(const struct primitive *p, int sm, struct arena *a,
    const char **code, struct err *err)
{
	return origin_load(p->origin, sm, a, err) &&
	    primitive_code(p, sm, true, p->nbenches > 0, a, code, err);
}

bool
primitives_ptx(const struct study *s, int sm, struct arena *a,
    struct err *err)
{
	const char *code;
	int i;

	for (i = 0; i < s->nitems; i++) {
		const struct primitive *p = s->items[i];

		if (!code_of(p, sm, a, &code, err))
			return false;
		print_title(p);
		if (p->origin->cubin)
			printf("// machine code only: see --sass\n");
		else
			print_ptx(code);
	}
	return true;
}

/* ---- machine code ------------------------------------------------------- */

static bool
is_sass_fence(const char *line, size_t n)
{
	static const char *const marks[] = {
		"MEMBAR", "CCTL", "FENCE", "BAR.", ".STRONG", "SYNCS.",
		"WARPSYNC", NULL,
	};

	return has_any(line, n, marks);
}

/* "//---- .text.grid_pause_bench ----": a section; of one of ours? */
static bool
is_ours(const char *line, size_t n, const char *name)
{
	static const char *const kinds[] = {"_validate ", "_bench "};
	const char *at = memmem(line, n, ".text.", 6);
	size_t k = strlen(name), i;

	if (!at || (at += 6) + k > line + n || memcmp(at, name, k) != 0)
		return false;
	at += k;
	for (i = 0; i < 2; i++)
		if (begins(at, (size_t)(line + n - at), kinds[i]))
			return true;
	return false;
}

/* Labels and instructions of the primitive's kernels. */
static void
print_sass(const char *text, const char *name)
{
	bool inside = false;

	while (*text) {
		size_t n = strcspn(text, "\n"), i = strspn(text, " \t");

		if (begins(text, n, "//--"))
			inside = is_ours(text, n, name);
		if (inside && i < n && (begins(text, n, "//--") ||
		    begins(text, n, ".L") || (begins(text + i, n - i, "/*") &&
		    memchr(text, ';', n))))
			print_marked(text, n, is_sass_fence(text, n));
		text += n + (text[n] == '\n');
	}
}

static bool
assemble(const struct primitive *p, const char *device, int sm,
    struct arena *a, const void **elf, size_t *size, struct err *err)
{
	const char *code;

	if (!code_of(p, sm, a, &code, err))
		return false;
	if (p->origin->cubin) {
		*elf = code;
		*size = p->origin->size;
		return true;
	}
	return device ? device_assemble(device, code, a, elf, size, err) :
	    ptxas_run(code, sm, a, elf, size, err);
}

bool
primitives_sass(const struct study *s, const char *device, int sm,
    struct arena *a, struct err *err)
{
	const char *text, *why;
	const void *elf;
	size_t size;
	int i;

	for (i = 0; i < s->nitems; i++) {
		const struct primitive *p = s->items[i];

		if (!assemble(p, device, sm, a, &elf, &size, err))
			return false;
		if (!sass_disassemble(elf, size, a, &text, &why))
			return err_set(err, ERR_UNSUPPORTED, (struct loc){0},
			    "%s: %s", p->name, why);
		print_title(p);
		print_sass(text, p->name);
	}
	return true;
}
