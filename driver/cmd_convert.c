#include "driver.h"

#include <string.h>

#define OPTIONS \
	OPTION(choice, to, 't', "other|yaml|litmus", "other", 0, 0, "the "     \
	    "format; other: of a .litmus file YAML, of YAML .litmus")          \
	OPTION(list, filter, 'f', "GLOB", NULL, 0, 0, "only tests of that "    \
	    "name or family; !GLOB takes away")                                \
	OPTION(text, output, 'o', "FOLDER", NULL, 0, 0, "a file a test there, "\
	    "instead of the standard output")
#include "options.h"

static const struct usage usage = {
	"convert", "TEST...", 1, -1,
	"Converts tests between YAML and the community's .litmus format (that "
	"of Dartagnan's\nlitmus/PTX). What a format cannot say is an error "
	"with its place; what is\nwritten is read again, and must have the "
	"same outcomes in the model.\nTEST is a file, a folder, FILE:NAME, or "
	"the name of a test or family of the suite.\n", option_rows,
};

enum format { FORMAT_OTHER, FORMAT_YAML, FORMAT_LITMUS };

/* ---- is it still the same test? --------------------------------------- */

static bool
same_slots(const struct program *p, const struct program *q)
{
	int i;

	for (i = 0; i < p->nslots && i < q->nslots; i++)
		if (p->slots[i].thread != q->slots[i].thread ||
		    p->slots[i].nvalues != q->slots[i].nvalues)
			return false;
	return p->nslots == q->nslots && p->noutcomes == q->noutcomes;
}

/* Codes compare where the slots do: in order, with the same values. */
static bool
same_outcomes(const struct program *p, const struct program *q,
    struct arena *a)
{
	struct model_opts opts;
	struct outcomes x, y;
	struct err err;
	uint32_t i;

	model_defaults(&opts, MODEL_PTX);
	if (!model_run(p, &opts, a, &x, &err) || x.status != MODEL_OK)
		return true; /* nothing to compare */
	if (!model_run(q, &opts, a, &y, &err) || y.status != MODEL_OK ||
	    !same_slots(p, q) || x.count != y.count || x.hang != y.hang)
		return false;
	for (i = 0; i < x.count; i++)
		if (x.list[i].code != y.list[i].code)
			return false;
	return true;
}

/* The first instruction that only the .litmus format has, or the test. */
static struct loc
dialect_place(const struct program *p)
{
	int t, i;

	for (t = 0; t < p->nthreads; t++)
		for (i = 0; i < p->threads[t].ninsns; i++) {
			const struct insn *n = &p->threads[t].insns[i];

			if (!(n->op->flags & OP_TEST) ||
			    n->op->class == CLASS_PROXY_FENCE ||
			    (n->op->class == CLASS_BARRIER && n->nops > 1) ||
			    n->op->id == OP_BAR_ARRIVE ||
			    (n->op->class == CLASS_RED &&
			    (n->sem == SEM_ACQUIRE || n->sem == SEM_ACQ_REL)))
				return n->loc;
		}
	return p->loc;
}

static bool
read_back(const struct program *p, const struct text *t, enum format to,
    struct arena *a, struct err *err)
{
	struct source source = {"what was written", t->s, t->size};
	struct suite suite = {0};
	struct errs errs = {0};
	bool ok = to == FORMAT_YAML ? read_yaml(&source, a, &suite, &errs) :
	    read_litmus(&source, a, &suite, &errs);

	if (!ok)
		return err_set(err, ERR_UNSUPPORTED, dialect_place(p),
		    "YAML cannot say this test: %s", errs.count ?
		    errs.list[0].message : "it is not read back");
	if (suite.programs[0].hash == p->hash &&
	    suite.programs[0].dialect == p->dialect)
		return true;
	return same_outcomes(p, &suite.programs[0], a) || err_set(err,
	    ERR_UNSUPPORTED, p->loc, "%s would mean something else in that "
	    "format (barriers of .litmus files wait for their instance, "
	    "those of PTX for the CTA)", p->name);
}

/* ---- one test --------------------------------------------------------- */

static bool
convert(const struct program *p, const struct options *options, bool first,
    struct arena *a, struct err *err)
{
	enum format to = (enum format)options->to;
	struct text t;

	if (to == FORMAT_OTHER)
		to = p->dialect == DIALECT_LITMUS ? FORMAT_YAML :
		    FORMAT_LITMUS;
	text_init(&t, a);
	if (to == FORMAT_YAML)
		write_yaml(&t, p);
	else if (!write_litmus(&t, p, err))
		return false;
	if (!read_back(p, &t, to, a, err))
		return false;
	if (options->output)
		return output_test(p, options->output,
		    to == FORMAT_YAML ? "yaml" : "litmus", &t, err);
	printf("%s%s", first || to == FORMAT_LITMUS ? "" : "---\n", t.s);
	return true;
}

/* The line of the file that the error is about. */
static void
print_error(const struct err *err, struct arena *a)
{
	struct source source;
	struct err ignored;

	if (err->loc.source && err->loc.line > 0 && source_read(
	    err->loc.source, (size_t)4 << 20, a, &source, &ignored))
		err_print(stderr, err, &source);
	else
		err_print(stderr, err, NULL);
}

static int
convert_all(const struct strings *paths, const struct options *options,
    struct arena *a)
{
	struct selection s;
	struct arena *each;
	struct err err;
	int i, done = 0, failed = 0;
	int status = select_tests(paths, &options->filter, a, &s);

	if (status != STATUS_GO_ON)
		return status;
	each = arena_new();
	for (i = 0; i < s.count; i++) {
		if (convert(s.tests[i], options, done == 0, each, &err)) {
			done++;
		} else {
			print_error(&err, each);
			failed++;
		}
		arena_reset(each);
	}
	arena_free(each);
	if (options->output)
		fprintf(stderr, "fencepost: %d written to %s, %d not\n",
		    done, options->output, failed + s.bad);
	return failed || s.bad ? STATUS_NO_VERDICT : STATUS_OK;
}

int
cmd_convert(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct options options = {0};
	struct strings operands = {0};
	int status = options_read(&usage, &options, argc, argv, a,
	    &operands);

	if (status == STATUS_GO_ON)
		status = convert_all(&operands, &options, a);
	arena_free(a);
	return status;
}
