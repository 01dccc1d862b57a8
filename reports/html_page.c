#include "html.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void
html_css_write(FILE *f)
{
	int i;

	for (i = 0; html_css[i]; i++)
		fputs(html_css[i], f);
}

void
page_begin(FILE *f, const char *title, const struct html_options *o)
{
	fputs("<!doctype html>\n<html lang=\"en\"><head>"
	    "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
	    "content=\"width=device-width, initial-scale=1\">\n"
	    "<meta name=\"color-scheme\" content=\"light dark\">\n"
	    "<meta name=\"referrer\" content=\"no-referrer\">\n"
	    "<title>", f);
	put_xml(f, title);
	fputs("</title>\n", f);
	if (o->css) {
		fputs("<link rel=\"stylesheet\" href=\"", f);
		put_xml(f, o->css);
		fputs("\">\n", f);
	} else {
		fputs("<style>\n", f);
		html_css_write(f);
		fputs("</style>\n", f);
	}
	fputs("</head><body>\n", f);
	svg_defs(f);
}

void
page_end(FILE *f)
{
	fputs("<footer>Made by fencepost from a results document; no "
	    "script runs here.</footer>\n</body></html>\n", f);
}

void
put_notice(FILE *f, const char *words)
{
	fputs("<p class=\"notice\" role=\"note\">", f);
	put_xml(f, words);
	fputs("</p>\n", f);
}

static void
put_fact(FILE *f, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	fprintf(f, "<dt>%s</dt><dd>", name);
	put_xml(f, value);
	fputs("</dd>\n", f);
}

static const char *
yes_no(int x)
{
	return x < 0 ? "unknown" : x ? "on" : "off";
}

void
put_device(FILE *f, const struct document *d, int device)
{
	const struct doc_device *v = &d->devices[device];
	struct arena *a = arena_new();

	fputs("<h3>", f);
	put_xml(f, v->kind == DOC_SIM ? sim_notice : v->name);
	fputs("</h3><dl>\n", f);
	put_fact(f, "name", v->kind == DOC_SIM ? v->name : NULL);
	put_fact(f, "UUID", v->uuid);
	fprintf(f, "<dt>target</dt><dd>sm_%" PRId64, v->sm);
	if (v->processors)
		fprintf(f, ", %" PRId64 " processor%s", v->processors,
		    plural((uint64_t)v->processors));
	if (v->memory)
		fprintf(f, ", %.1f GiB", (double)v->memory / 0x1p30);
	fputs("</dd>\n", f);
	put_fact(f, "driver", driver_label(v, a));
	put_fact(f, "toolkit", v->toolkit);
	put_fact(f, "machine", v->host);
	if (v->clock_khz)
		fprintf(f, "<dt>clock</dt><dd>%.0f MHz", (double)v->clock_khz
		    / 1e3);
	if (v->clock_khz && v->memory_clock_khz)
		fprintf(f, ", memory %.0f MHz",
		    (double)v->memory_clock_khz / 1e3);
	if (v->clock_khz)
		fputs(" as found</dd>\n", f);
	if (v->mig >= 0 || v->mps >= 0)
		fprintf(f, "<dt>sharing</dt><dd>MIG %s, MPS %s</dd>\n",
		    yes_no(v->mig), yes_no(v->mps));
	fputs("</dl>\n", f);
	arena_free(a);
}
