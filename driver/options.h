/*
 * A command's options from one list. Before including this, define
 *
 *	#define OPTIONS \
 *		OPTION(kind, field, letter, arg, fallback, low, high, help)
 *
 * one row an option:
 *	kind      flag, text, list, number, seconds, choice, or seed
 *	field     its place in struct options; --name has '-' for '_'
 *	letter    of its short form, or 0
 *	arg       how usage names the value; choice: "one|two|three"
 *	fallback  the value without the option, as it would be written;
 *	          NULL: zero (choice: 0 is the first)
 *	low, high bounds of number and seconds (both inclusive)
 *
 * It then makes `struct options` and the table `option_rows` that
 * options_read() works by. See cmd_devices.c for the smallest use.
 */
#include <stddef.h>

#define OPTION_flag bool
#define OPTION_text const char *
#define OPTION_list struct strings
#define OPTION_number uint64_t
#define OPTION_seconds double
#define OPTION_choice int
#define OPTION_seed uint64_t

struct options {
#define OPTION(kind, field, letter, arg, fallback, low, high, help)            \
	OPTION_##kind field;
	OPTIONS
#undef OPTION
};

static const struct option_row option_rows[] = {
#define OPTION(kind, field, letter, arg, fallback, low, high, help)            \
	{#field, KIND_##kind, letter, arg, fallback, low, high, help,          \
	    offsetof(struct options, field)},
	OPTIONS
#undef OPTION
	{0},
};
