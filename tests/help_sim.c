#include "help_sim.h"

bool
sim_case_run(const struct sim_case *c, struct err *err)
{
	struct device *d;
	struct module *m;
	uint64_t address;
	double seconds;
	size_t bytes = c->nwords * sizeof(*c->words);
	bool ok;

	if (!sim_ops.open(0, c->options, &d, err))
		return false;
	ok = sim_ops.load(d, c->ptx, ASSEMBLER_DRIVER, &m, err);
	if (ok && sim_ops.alloc(d, bytes, &address, err)) {
		struct launch l = {.module = m, .kernel = "k",
		    .grid = {c->grid, 1, 1}, .block = {c->block, 1, 1},
		    .cluster = c->cluster, .shared = c->shared,
		    .together = c->together, .seed = c->seed,
		    .stream = c->stream, .params = &address,
		    .params_size = sizeof(address)};

		ok = sim_ops.write(d, address, c->words, bytes, err) &&
		    sim_ops.run(d, &l, 1, c->repeat ? c->repeat : 1,
			c->timeout > 0 ? c->timeout : 10, &seconds, err) &&
		    sim_ops.read(d, c->words, address, bytes, err);
		sim_ops.unload(d, m);
	}
	sim_ops.close(d);
	return ok;
}

char *
sim_module(struct arena *a, const char *declarations, const char *body)
{
	return arena_printf(a,
	    ".version 8.0\n.target sm_90\n.address_size 64\n"
	    ".visible .entry k(.param .u64 p)\n{\n"
	    ".reg .pred %%p<10>;\n.reg .b32 %%r<40>;\n.reg .b64 %%rd<20>;\n"
	    "%s\nld.param.u64 %%rd0, [p];\ncvta.to.global.u64 %%rd0, %%rd0;\n"
	    "%s\nret;\n}\n", declarations, body);
}
