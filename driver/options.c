#include "driver.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HELP_COLUMN 26

void
strings_add(struct strings *strings, struct arena *a, const char *s)
{
	size_t n = (size_t)strings->count;

	strings->list = arena_grow(a, strings->list, n * sizeof(s),
	    (n + 1) * sizeof(s));
	strings->list[strings->count++] = s;
}

struct suffix {
	const char *name;
	double factor;
};

static const struct suffix number_suffixes[] = {
	{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {0},
};

static const struct suffix time_suffixes[] = {
	{"", 1}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60},
	{"h", 3600}, {0},
};

/* Digits with at most one point, then a suffix. */
static bool
parse_scaled(const char *s, const struct suffix *suffixes, double *value)
{
	size_t digits = strspn(s, "0123456789.");
	double x;
	char *end;

	if (!isdigit((unsigned char)s[0]))
		return false;
	x = strtod(s, &end);
	if (end < s + digits) /* a second point */
		return false;
	for (; suffixes->name; suffixes++)
		if (strcmp(suffixes->name, s + digits) == 0) {
			*value = x * suffixes->factor;
			return isfinite(*value);
		}
	return false;
}

bool
parse_number(const char *s, uint64_t *number)
{
	uint64_t plain;
	char *end;
	double x;

	errno = 0;
	plain = strtoull(s, &end, 10);
	if (isdigit((unsigned char)s[0]) && *end == '\0') {
		if (errno == 0)
			*number = plain;
		return errno == 0;
	}
	if (!parse_scaled(s, number_suffixes, &x) || x >= 0x1p63 ||
	    floor(x) < x)
		return false;
	*number = (uint64_t)x;
	return true;
}

bool
parse_seconds(const char *s, double *seconds)
{
	return parse_scaled(s, time_suffixes, seconds);
}

static bool
parse_seed(const char *s, uint64_t *seed)
{
	char *end;
	int base = s[0] == '0' && (s[1] == 'x' || s[1] == 'X') ? 16 : 10;

	errno = 0;
	*seed = strtoull(s, &end, base);
	return isxdigit((unsigned char)s[0]) && *end == '\0' && errno == 0;
}

/* The index of s in "one|two|three", or -1. */
static int
parse_choice(const char *choices, const char *s)
{
	size_t n = strlen(s);
	int i;

	for (i = 0;; i++) {
		size_t length = strcspn(choices, "|");

		if (n == length && strncmp(choices, s, n) == 0)
			return i;
		if (choices[length] == '\0')
			return -1;
		choices += length + 1;
	}
}

static void
option_name(const struct option_row *row, char *name, size_t size)
{
	size_t i;

	snprintf(name, size, "%s", row->field);
	for (i = 0; name[i]; i++)
		if (name[i] == '_')
			name[i] = '-';
}

static bool
wrong(const struct option_row *row, const char *s, const char *wanted,
    struct err *err)
{
	char name[64];

	option_name(row, name, sizeof(name));
	return err_set(err, ERR_USAGE, (struct loc){0},
	    "--%s: '%s' is not %s", name, s, wanted);
}

static bool
in_range(const struct option_row *row, double x, const char *s,
    struct err *err)
{
	char wanted[96];

	if (x >= row->low && x <= row->high)
		return true;
	snprintf(wanted, sizeof(wanted), "from %.10g to %.10g%s", row->low,
	    row->high, row->kind == KIND_seconds ? " seconds" : "");
	return wrong(row, s, wanted, err);
}

/* Stores the value written as s into its field. */
static bool
option_set(const struct option_row *row, void *options, const char *s,
    struct arena *a, struct err *err)
{
	void *field = (char *)options + row->offset;
	uint64_t number;
	double seconds;
	int choice;

	switch (row->kind) {
	case KIND_flag:
		*(bool *)field = true;
		return true;
	case KIND_text:
		*(const char **)field = s;
		return true;
	case KIND_list:
		strings_add(field, a, s);
		return true;
	case KIND_number:
		if (!parse_number(s, &number))
			return wrong(row, s, "a whole number (such as 500, "
			    "10k, 2M, 1G)", err);
		if (!in_range(row, (double)number, s, err))
			return false;
		*(uint64_t *)field = number;
		return true;
	case KIND_seconds:
		if (!parse_seconds(s, &seconds))
			return wrong(row, s, "a time (such as 30s, 500ms, "
			    "2m, 1h)", err);
		if (!in_range(row, seconds, s, err))
			return false;
		*(double *)field = seconds;
		return true;
	case KIND_choice:
		choice = parse_choice(row->arg, s);
		if (choice < 0) {
			char wanted[160];

			snprintf(wanted, sizeof(wanted), "one of %s",
			    row->arg);
			return wrong(row, s, wanted, err);
		}
		*(int *)field = choice;
		return true;
	case KIND_seed:
		if (!parse_seed(s, &number))
			return wrong(row, s, "a seed (decimal, or 0x and "
			    "hexadecimal digits)", err);
		*(uint64_t *)field = number;
		return true;
	}
	return false;
}

static bool
set_fallbacks(const struct usage *usage, void *options, struct arena *a,
    struct err *err)
{
	const struct option_row *row;

	for (row = usage->rows; row->field; row++)
		if (row->fallback &&
		    !option_set(row, options, row->fallback, a, err))
			return false;
	return true;
}

#define LONG_FIRST 256 /* getopt's values: above every letter */
#define LONG_HELP 255

struct getopt_tables {
	struct option *list;
	char *letters;
};

static struct getopt_tables
getopt_tables(const struct option_row *rows, struct arena *a)
{
	struct getopt_tables t;
	struct text letters;
	size_t i, n = 0;

	while (rows[n].field)
		n++;
	t.list = arena_alloc(a, (n + 2) * sizeof(*t.list));
	text_init(&letters, a);
	text_printf(&letters, ":h");
	for (i = 0; i < n; i++) {
		size_t size = strlen(rows[i].field) + 1;
		char *name = arena_alloc(a, size);
		bool takes = rows[i].kind != KIND_flag;

		option_name(&rows[i], name, size);
		t.list[i].name = name;
		t.list[i].has_arg = takes ? required_argument : no_argument;
		t.list[i].val = LONG_FIRST + (int)i;
		if (rows[i].letter)
			text_printf(&letters, "%c%s", rows[i].letter,
			    takes ? ":" : "");
	}
	t.list[n].name = "help";
	t.list[n].val = LONG_HELP;
	t.letters = letters.s;
	return t;
}

static const struct option_row *
row_of(const struct option_row *rows, int value)
{
	if (value >= LONG_FIRST)
		return rows + (value - LONG_FIRST);
	while (rows->field && rows->letter != value)
		rows++;
	return rows->field ? rows : NULL;
}

static bool
count_operands(const struct usage *usage, int n, struct err *err)
{
	if (n < usage->least)
		return err_set(err, ERR_USAGE, (struct loc){0},
		    "%s: expected %s", usage->command, usage->operands);
	if (usage->most >= 0 && n > usage->most)
		return err_set(err, ERR_USAGE, (struct loc){0},
		    "%s: %d operands, expected %s", usage->command, n,
		    usage->most ? usage->operands : "none");
	return true;
}

bool
options_parse(const struct usage *usage, void *options, int argc,
    char **argv, struct arena *a, struct strings *operands, struct err *err)
{
	struct getopt_tables tables = getopt_tables(usage->rows, a);
	const struct option_row *row;
	struct loc none = {0};
	int value;

	if (!set_fallbacks(usage, options, a, err))
		return false;
	opterr = 0;
	optind = 0; /* GNU: start over */
	while ((value = getopt_long(argc, argv, tables.letters, tables.list,
	    NULL)) != -1) {
		if (value == '?')
			return err_set(err, ERR_USAGE, none,
			    "%s: no option '%s'", usage->command,
			    argv[optind - 1]);
		if (value == ':')
			return err_set(err, ERR_USAGE, none,
			    "%s: '%s' needs a value", usage->command,
			    argv[optind - 1]);
		if (value == LONG_HELP || value == 'h')
			return err_set(err, ERR_NONE, none, "help");
		row = row_of(usage->rows, value);
		if (!option_set(row, options, optarg, a, err))
			return false;
	}
	if (!count_operands(usage, argc - optind, err))
		return false;
	for (; optind < argc; optind++)
		strings_add(operands, a, argv[optind]);
	return true;
}

/* "  -d, --device=WHICH", then the help, folded at 79 columns. */
static void
row_usage(FILE *f, const struct option_row *row)
{
	char name[64], left[160];
	const char *s = row->help;
	int column;

	option_name(row, name, sizeof(name));
	snprintf(left, sizeof(left), "%c%c%s --%s%s%s",
	    row->letter ? '-' : ' ', row->letter ? row->letter : ' ',
	    row->letter ? "," : " ", name,
	    row->kind == KIND_flag ? "" : " ",
	    row->kind == KIND_flag ? "" : row->arg);
	column = fprintf(f, "  %s", left);
	if (column >= HELP_COLUMN - 1)
		column = fprintf(f, "\n") - 1;
	while (*s) {
		int word = (int)strcspn(s, " ");

		if (column + 1 + word > 79)
			column = fprintf(f, "\n") - 1;
		if (column < HELP_COLUMN)
			column += fprintf(f, "%*s", HELP_COLUMN - column, "");
		else
			column += fprintf(f, " ");
		column += fprintf(f, "%.*s", word, s);
		s += word + (s[word] == ' ');
	}
	if (row->fallback)
		fprintf(f, " [%s]", row->fallback);
	fprintf(f, "\n");
}

void
options_usage(FILE *f, const struct usage *usage)
{
	const struct option_row *row;

	fprintf(f, "usage: fencepost %s %s%s\n%s\n", usage->command,
	    usage->rows->field ? "[OPTIONS] " : "", usage->operands,
	    usage->about);
	for (row = usage->rows; row->field; row++)
		row_usage(f, row);
	fprintf(f, "  -h, --help%*sthis text\n", HELP_COLUMN - 12, "");
}

int
options_read(const struct usage *usage, void *options, int argc,
    char **argv, struct arena *a, struct strings *operands)
{
	struct err err;

	if (options_parse(usage, options, argc, argv, a, operands, &err))
		return STATUS_GO_ON;
	if (err.code == ERR_NONE) {
		options_usage(stdout, usage);
		return STATUS_OK;
	}
	err_print(stderr, &err, NULL);
	fprintf(stderr, "fencepost %s --help says more\n", usage->command);
	return STATUS_NO_VERDICT;
}
