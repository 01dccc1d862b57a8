/* Disassembling a cubin, reading what nvdisasm writes, and showing it. */
#include "sass.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX ((size_t)64 << 20)
#define INSNS_SASS_MAX 65536

/* ---- the tool ---------------------------------------------------------- */

const char *
nvdisasm_find(struct arena *a)
{
	const char *path = getenv("FENCEPOST_NVDISASM");

	if (path && *path)
		return access(path, X_OK) == 0 ? path : NULL;
	return tool_find("nvdisasm", a);
}

static bool
write_all(int fd, const void *elf, size_t size)
{
	const char *s = elf;

	while (size) {
		ssize_t n = write(fd, s, size);

		if (n <= 0)
			return false;
		s += n;
		size -= (size_t)n;
	}
	return true;
}

bool
sass_disassemble(const void *elf, size_t size, struct arena *a,
    const char **text, const char **why)
{
	const char *tool = nvdisasm_find(a), *folder = getenv("TMPDIR");
	char *path = arena_printf(a, "%s/fencepost-XXXXXX",
	    folder && *folder ? folder : "/tmp");
	const char *argv[] = {tool, "-g", "-c", path, NULL};
	struct text out;
	struct err err;
	int fd, status;
	bool ok;

	*why = "there is no nvdisasm here; make tools fetches one, or set "
	    "FENCEPOST_NVDISASM";
	if (!tool)
		return false;
	*why = "cannot write a temporary file";
	fd = mkstemp(path);
	if (fd < 0)
		return false;
	ok = write_all(fd, elf, size);
	close(fd);
	text_init(&out, a);
	if (ok) {
		ok = tool_run(argv, 60, TEXT_MAX, &out, &status, &err);
		if (!ok)
			*why = arena_strdup(a, err.message);
		else if (status)
			*why = arena_printf(a, "nvdisasm failed: %.*s",
			    (int)strcspn(out.s, "\n"), out.s);
		ok = ok && status == 0;
	}
	unlink(path);
	*text = out.s;
	return ok;
}

/* ---- its text ---------------------------------------------------------- */

/* "//## File "MP", line 2000" */
static int
line_of(const char *s, size_t n)
{
	const char *end = s + n, *at;

	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	if (end - s < 9 || memcmp(s, "//## File", 9) != 0)
		return -1;
	for (at = s; at + 7 < end; at++)
		if (memcmp(at, ", line ", 7) == 0)
			return atoi(at + 7);
	return -1;
}

/* Blanks in a row become one; none at the end, nor a ';'. */
static char *
tidy(struct arena *a, const char *s, size_t n)
{
	char *to = arena_strndup(a, s, n);
	size_t i, used = 0;

	for (i = 0; i < n; i++)
		if (!isspace((unsigned char)s[i]))
			to[used++] = s[i];
		else if (used && to[used - 1] != ' ')
			to[used++] = ' ';
	while (used && (to[used - 1] == ' ' || to[used - 1] == ';'))
		used--;
	to[used] = '\0';
	return to;
}

/* A line "  /^0040^/   @P0 LDG.E R2, ... ;" with '*' for '^'. */
static bool
read_insn(const char *s, size_t n, int line, struct arena *a,
    struct sass_insn *insn)
{
	const char *end = s + n, *at, *close;

	while (s < end && isspace((unsigned char)*s))
		s++;
	if (end - s < 8 || s[0] != '/' || s[1] != '*' ||
	    !isxdigit((unsigned char)s[2]))
		return false;
	close = memchr(s, ' ', (size_t)(end - s));
	if (!close || close[-1] != '/')
		return false;
	insn->offset = (uint32_t)strtoul(s + 2, NULL, 16);
	insn->line = line;
	insn->text = tidy(a, close, (size_t)(end - close));
	at = insn->text;
	if (*at == '@')
		at += strcspn(at, " ");
	at += strspn(at, " ");
	insn->opcode = arena_strndup(a, at, strcspn(at, " ;"));
	return *insn->opcode != '\0';
}

static bool
is_section(const char *s, size_t n, const char *function, struct arena *a)
{
	const char *name = arena_printf(a, ".text.%s ", function);
	size_t size = strlen(name), i;

	if (n < 4 || memcmp(s, "//--", 4) != 0)
		return false;
	for (i = 0; i + size <= n; i++)
		if (memcmp(s + i, name, size) == 0)
			return true;
	return false;
}

/* A line ".L_x_7:". */
static void
add_label(const char *s, size_t n, struct arena *a,
    struct sass_label **labels, struct sass *sass)
{
	const char *end = memchr(s, ':', n);

	if (!end)
		return;
	if ((sass->nlabels & (sass->nlabels - 1)) == 0) /* full */
		*labels = arena_grow(a, *labels, (size_t)sass->nlabels *
		    sizeof(**labels), (size_t)(sass->nlabels ?
		    2 * sass->nlabels : 1) * sizeof(**labels));
	(*labels)[sass->nlabels++] = (struct sass_label){
		arena_strndup(a, s, (size_t)(end - s)), sass->ninsns};
}

bool
sass_read(const char *text, const char *function, struct arena *a,
    struct sass *s)
{
	struct sass_insn *list = NULL;
	struct sass_label *labels = NULL;
	int room = 0, line = 0, found;
	bool inside = false;

	s->ninsns = s->nlabels = 0;
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n > 4 && memcmp(text, "//--", 4) == 0)
			inside = is_section(text, n, function, a);
		found = line_of(text, n);
		if (found >= 0)
			line = found;
		if (s->ninsns == room) {
			list = arena_grow(a, list, (size_t)room *
			    sizeof(*list), (size_t)(room + 256) *
			    sizeof(*list));
			room += 256;
		}
		if (inside && n > 3 && memcmp(text, ".L_", 3) == 0 &&
		    s->nlabels < INSNS_SASS_MAX)
			add_label(text, n, a, &labels, s);
		if (inside && s->ninsns < INSNS_SASS_MAX &&
		    read_insn(text, n, line, a, &list[s->ninsns]))
			s->ninsns++;
		text += n + (text[n] == '\n');
	}
	s->insns = list;
	s->labels = labels;
	return s->ninsns > 0;
}

/* ---- the listing ------------------------------------------------------- */

static void
print_ptx(struct text *t, const struct plan *plan, int line)
{
	const struct program *p = plan->program;
	int thread = line / 1000 - 1, index = line % 1000;

	if (thread < 0 || thread >= p->nthreads ||
	    index >= p->threads[thread].ninsns)
		return;
	text_printf(t, "P%d: ", thread);
	insn_print(t, p, thread, &p->threads[thread].insns[index]);
	text_printf(t, ";\n");
}

static void
print_verdict(struct text *t, const struct sass *s)
{
	switch (s->status) {
	case DOC_CODE_CHECKED:
		text_printf(t, "checked: the tested instructions are there, "
		    "once, in order, with their strength\n%s%s", s->between,
		    *s->between ? "\n" : "");
		break;
	case DOC_CODE_CHANGED:
		text_printf(t, "CHANGED: what would run is not the test\n"
		    "%s\n", s->detail);
		break;
	case DOC_CODE_UNCHECKED:
		text_printf(t, "unchecked: %s\n", s->detail);
		break;
	}
}

void
sass_print(struct text *t, const struct plan *plan, const struct sass *s)
{
	int i, line = 0;

	for (i = 0; i < s->ninsns; i++) {
		const struct sass_insn *m = &s->insns[i];
		bool tested = m->line >= 1000;

		if (tested && m->line != line)
			print_ptx(t, plan, m->line);
		text_printf(t, "%s /*%04x*/ %s;\n", tested ? "  >>" : "    ",
		    m->offset, m->text);
		line = m->line;
	}
	print_verdict(t, s);
}
