#include "driver.h"

#define OPTIONS \
	OPTION(text, json, 'o', "FILE", "-", 0, 0, "where it goes")            \
	OPTION(flag, partial, 0, NULL, NULL, 0, 0, "take what is there, if "   \
	    "shards are missing or were interrupted, and say so")
#include "options.h"

static const struct usage usage = {
	"merge", "FILE...", 1, -1,
	"Makes one results document of the shards of one run. Shards that "
	"are missing,\nincomplete, there twice, or of another run are "
	"refused.\n", option_rows,
};

static bool
merge(const struct options *o, const struct document *list, int n,
    struct arena *a)
{
	struct document merged;
	struct output out;
	struct err err;

	if (!merge_make(list, n, o->partial, a, &merged, &err) ||
	    !output_open(&out, o->json, a, &err)) {
		err_print(stderr, &err, NULL);
		return false;
	}
	document_write(out.f, &merged, true);
	if (!output_close(&out, &err)) {
		err_print(stderr, &err, NULL);
		return false;
	}
	return true;
}

int
cmd_merge(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct options o = {0};
	struct strings files = {0};
	struct document *list;
	int status = options_read(&usage, &o, argc, argv, a, &files);

	if (status == STATUS_GO_ON)
		status = documents_load(&files, a, &list) &&
		    merge(&o, list, files.count, a) ? STATUS_OK :
		    STATUS_NO_VERDICT;
	arena_free(a);
	return status;
}
