#include "help_table.h"

#include <string.h>

/* One thread's text: where it is, and its instructions. */
struct row {
	int place[3], nplaces;
	const char *code, *end;
};

static const char *
read_place(const char *s, struct row *row)
{
	row->nplaces = 0;
	for (;;) {
		row->place[row->nplaces++] = *s++ - '0';
		if (*s != '.')
			return s;
		s++;
	}
}

static int
read_rows(const char *s, struct row *rows)
{
	int n = 0;

	while (*s) {
		s = read_place(s + strspn(s, " |"), &rows[n]);
		rows[n].code = s;
		rows[n].end = s += strcspn(s, "|");
		n++;
	}
	return n;
}

/* The next instruction of the row, without the blanks around it. */
static int
next_insn(struct row *row, const char **insn)
{
	const char *s = row->code + strspn(row->code, " ;");
	int n = (int)strcspn(s, ";|");

	if (s >= row->end)
		return 0;
	/* a label stands alone */
	if (s[strcspn(s, ": .;|")] == ':')
		n = (int)strcspn(s, ":") + 1;
	*insn = s;
	row->code = s + n;
	while (n && s[n - 1] == ' ')
		n--;
	return n;
}

static void
write_dialect(struct text *t, struct row *rows, int n)
{
	bool more = true;
	int i;

	text_printf(t, "{\nx = 0;\nw @ generic aliases x;\n"
	    "t @ texture aliases x;\ns @ surface aliases x;\n}\n");
	for (i = 0; i < n; i++)
		text_printf(t, "%s P%d@cta %d,gpu %d ", i ? "|" : "", i,
		    rows[i].place[0], rows[i].place[1]);
	while (more) {
		text_printf(t, ";\n");
		more = false;
		for (i = 0; i < n; i++) {
			const char *insn = "";
			int size = next_insn(&rows[i], &insn);

			text_printf(t, "%s %.*s ", i ? "|" : "", size, insn);
			more |= size > 0;
		}
	}
	text_printf(t, ";\n");
}

/* Without what a program does not use, which 6.0 would not know. */
static void
write_plain(struct text *t, struct row *rows, int n)
{
	struct text whole;

	text_init(&whole, t->arena);
	write_dialect(&whole, rows, n);
	text_printf(t, "{}\n%s", strchr(whole.s, '}') + 2);
}

static void
write_ptx(struct text *t, struct row *rows, int n)
{
	int i;

	text_printf(t, "locations: {x: 0, y: 0, z: 0, d: 0, m: 0, "
	    "v: {init: [0, 0], count: 2, align: 8}, "
	    "s0: {space: shared, cta: 0}, f0: {space: shared, cta: 0}, "
	    "g0: {type: u64, init: [7, 8]}, o0: {type: u64, init: [0, 0]}, "
	    "a0: {type: u64, init: [0, 0], space: shared, cta: 0}, "
	    "c0: {type: u64, init: [0, 0], space: shared, cta: 0}, "
	    "n0: {type: u64, space: shared, cta: 0}, "
	    "b0: {mbarrier: 1, space: shared, cta: 0}, "
	    "b1: {mbarrier: 2, space: shared, cta: 0}}\n"
	    "threads:\n");
	for (i = 0; i < n; i++) {
		const char *insn;
		int size;

		text_printf(t, "  - cta: %d\n    cluster: %d\n    gpu: %d\n"
		    "    warp: %d\n    code: |\n", rows[i].place[0],
		    rows[i].place[1], rows[i].place[2], i);
		while ((size = next_insn(&rows[i], &insn)) > 0)
			text_printf(t, "      %.*s%s\n", size, insn,
			    insn[size - 1] == ':' ? "" : ";");
	}
}

static bool
uses_proxies(const char *threads)
{
	static const char *const signs[] = {", w", ", t", ", s", " s,",
		"proxy"};
	size_t i;

	for (i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (strstr(threads, signs[i]))
			return true;
	return false;
}

const struct program *
table_program(const char *name, const char *threads, const char *condition,
    struct arena *a)
{
	struct row rows[THREADS_MAX] = {0};
	int n = read_rows(threads, rows);
	struct source source = {.name = name};
	struct suite suite = {0};
	struct errs errs = {0};
	struct text t;
	bool ptx = n > 0 && rows[0].nplaces == 3;

	text_init(&t, a);
	if (ptx) {
		text_printf(&t, "name: %s\nabout: a row of the table\n",
		    "row");
		write_ptx(&t, rows, n);
		text_printf(&t, "exists: '%s'\n", condition +
		    strlen("exists "));
	} else {
		text_printf(&t, "PTX %s\n", name);
		(uses_proxies(threads) ? write_dialect : write_plain)(&t,
		    rows, n);
		text_printf(&t, "%s\n", condition);
	}
	source.text = t.s;
	source.size = t.size;
	if ((ptx ? read_yaml : read_litmus)(&source, a, &suite, &errs))
		return &suite.programs[0];
	errs_print(stdout, &errs, &source);
	return NULL;
}
