/*
 * Devices, and the tools that make machine code for them. A device is
 * reached through one const table of functions; cuda.c and sim.c each
 * export one. Addresses are 64-bit device addresses in both.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include "../gen/gen.h"

#define DEVICES_MAX 64

struct device_info {
	const char *kind; /* "cuda" or "sim" */
	char name[96], uuid[48];
	char driver[32]; /* of its API: "CUDA 13.0" */
	char driver_version[32]; /* "580.159.04", or "" */
	char toolkit[80]; /* "ptxas 13.0.88, nvdisasm 13.0.85": those used */
	int index;
	struct caps caps;
	int clock_khz, memory_clock_khz; /* as found, 0 = unknown */
	int mig, mps; /* 1 yes, 0 no, -1 unknown */
};

struct device; /* an open device; each backend has its own */
struct module;

/* How to turn PTX into machine code. */
enum assembler { ASSEMBLER_DRIVER, ASSEMBLER_PTXAS };

/* One kernel launch with its parameters packed as the ABI has them. */
struct launch {
	struct module *module;
	const char *kernel;
	uint32_t grid[3], block[3], cluster; /* cluster CTAs in x, 0 = none */
	uint32_t shared;
	bool cooperative;
	uint64_t seed, stream; /* sim: what its schedule is drawn from, with
		the turn of `repeat`; one (seed, stream), one behaviour */
	uint32_t together; /* as in struct kernel */
	bool harness; /* as in struct kernel: sim runs it without its weak
		memory and its planted faults */
	const void *params; /* packed */
	size_t params_size;
};

struct device_ops {
	const char *kind;
	/* at most max; returns how many exist, -1 if the driver is absent
	   (err says why) */
	int (*list)(struct device_info *infos, int max, struct err *err);
	bool (*open)(int index, const char *options, struct device **d,
	    struct err *err);
	void (*close)(struct device *d);
	bool (*load)(struct device *d, const char *ptx,
	    enum assembler assembler, struct module **m, struct err *err);
	/* the machine code (an ELF cubin), or false where there is none */
	bool (*code)(struct device *d, struct module *m, struct arena *a,
	    const void **elf, size_t *size, struct err *err);
	void (*unload)(struct device *d, struct module *m);
	bool (*alloc)(struct device *d, size_t bytes, uint64_t *address,
	    struct err *err);
	void (*free)(struct device *d, uint64_t address);
	bool (*fill)(struct device *d, uint64_t address, uint8_t byte,
	    size_t bytes, struct err *err);
	bool (*write)(struct device *d, uint64_t address, const void *from,
	    size_t bytes, struct err *err);
	bool (*read)(struct device *d, void *to, uint64_t address,
	    size_t bytes, struct err *err);
	/* the launches in order, `repeat` times, then waits; *seconds is
	   device time. cuda captures them into a graph. ERR_FAULT, ERR_HANG
	   (past `timeout` seconds). */
	bool (*run)(struct device *d, const struct launch *launches, int count,
	    uint64_t repeat, double timeout, double *seconds,
	    struct err *err);
	/* CTAs of this shape that can be resident at once on the device */
	bool (*resident)(struct device *d, struct module *m,
	    const char *kernel, uint32_t block, uint32_t shared,
	    uint32_t *ctas, struct err *err);
};

extern const struct device_ops cuda_ops, sim_ops;

/* sim_options.c: the faults that can be planted in the software machine */
extern const char sim_fault_help[]; /* names them, for --help */
bool sim_fault_check(const char *name, struct err *err); /* NULL: none */

/* tool.c: programs of the CUDA toolkit */
double wall_clock(void); /* seconds, never backwards */
const char *program_folder(struct arena *a);
/* Its path, from PATH, CUDA_HOME, or tools/ beside the program (see make
   tools); NULL: there is none. */
const char *tool_find(const char *name, struct arena *a);
/* Runs argv (argv[0] a path) and adds what it writes to *out; false if it
   cannot start, or is stopped for its time or size. *status as of wait. */
bool tool_run(const char *const *argv, double timeout, size_t limit,
    struct text *out, int *status, struct err *err);

/* version.c */
/* Of the text of the kernel module's file, of a tool's --version. */
bool driver_version_read(const char *text, char *s, size_t size);
bool tool_version_read(const char *text, char *s, size_t size);
/* From that file (NULL: where the driver has it) or from NVML; else "". */
void driver_version_find(const char *module, char *s, size_t size);
/* As device_info.toolkit, of ptxas and of the disassembler; "": neither. */
void toolkit_find(bool assembles, bool reads, char *s, size_t size);

/* ptxas.c */
/* Machine code for sm_<sm>, in the arena; ERR_UNSUPPORTED without ptxas. */
bool ptxas_run(const char *ptx, int sm, struct arena *a, const void **cubin,
    size_t *size, struct err *err);
/* The beginning of an assembler's log, cleaned, in one line. */
const char *log_summary(const char *log, struct arena *a);

/* devices.c */
/* The devices of a kind, listed in a process of its own: after the first
   CUDA call a process cannot fork workers any more. As ops->list(). */
int devices_list(const struct device_ops *ops, struct device_info *infos,
    int max, struct err *err);
/*
 * What --device names: a number, the start of a UUID, "all", "cuda" or
 * "sim". NULL: the first GPU, or the software machine, with *fallback set.
 * Returns how many, or -1.
 */
int devices_choose(const char *which, struct device_info *infos, int max,
    bool *fallback, struct err *err);
const struct device_ops *device_ops_of(const struct device_info *info);

#endif
