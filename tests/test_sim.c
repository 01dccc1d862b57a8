/* The software PTX machine: instructions, threads, barriers, faults. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "help_sim.h"

/* ---- what programs compute -------------------------------------------------- */

#define GTID \
	"mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;" \
	"mad.lo.u32 %r0, %r1, %r2, %r0; mul.wide.u32 %rd1, %r0, 4;" \
	"add.u64 %rd1, %rd0, %rd1;"

#define COUNT(list) ((int)(sizeof(list) / sizeof(*(list))))

static const struct {
	const char *name, *declarations, *body;
	uint32_t grid, block, cluster, shared;
	uint32_t in[8], out[8];
} programs[] = {
	{"ids", "", GTID "st.global.u32 [%rd1], %r0;", 2, 4, 0, 0,
	    {0}, {0, 1, 2, 3, 4, 5, 6, 7}},
	{"guards", "", GTID
	    "and.b32 %r3, %r0, 1; setp.eq.u32 %p0, %r3, 1;"
	    "@%p0 mov.u32 %r4, 10; @!%p0 mov.u32 %r4, 20;"
	    "st.global.u32 [%rd1], %r4;", 1, 4, 0, 0,
	    {0}, {20, 10, 20, 10}},
	{"branches", "", GTID
	    "mov.u32 %r3, 0; mov.u32 %r4, 0;\n"
	    "L: setp.gt.u32 %p0, %r4, %r0; @%p0 bra E;"
	    "add.u32 %r3, %r3, %r4; add.u32 %r4, %r4, 1; bra.uni L;\n"
	    "E: st.global.u32 [%rd1], %r3;", 1, 5, 0, 0,
	    {0}, {0, 1, 3, 6, 10}},
	{"scopes", "", GTID
	    "{ .reg .b32 %r3; mov.u32 %r3, 5; setp.ne.u32 %p0, %r0, 0;"
	    "  @%p0 bra D; mov.u32 %r3, 6; D: st.global.u32 [%rd1], %r3; }"
	    "{ .reg .b32 x<2>; mov.u32 x1, 7; bra D; mov.u32 x1, 8;"
	    "  D: st.global.u32 [%rd1+8], x1; }", 1, 2, 0, 0,
	    {0}, {6, 5, 7, 7}},
	{"signed loads", "", GTID
	    "ld.global.s8 %r3, [%rd0]; ld.global.u8 %r4, [%rd0+1];"
	    "ld.global.s16 %r5, [%rd0+2]; st.global.u32 [%rd0], %r3;"
	    "st.global.u32 [%rd0+4], %r4; st.global.u32 [%rd0+8], %r5;",
	    1, 1, 0, 0,
	    {0x8001fffe}, {0xfffffffe, 0xff, 0xffff8001}},
	{"vectors", "", GTID
	    "ld.global.v2.u32 {%r3, %r4}, [%rd0];"
	    "st.global.v4.u32 [%rd0+16], {%r4, %r3, %r4, %r3};", 1, 1, 0, 0,
	    {1, 2}, {1, 2, 0, 0, 2, 1, 2, 1}},
	{"atomics", "", GTID
	    "atom.global.add.u32 %r3, [%rd0], 1; red.global.max.u32 "
	    "[%rd0+4], %r3; atom.global.cas.b32 %r4, [%rd0+8], 0, 9;"
	    "atom.global.exch.b32 %r5, [%rd0+12], 7;"
	    "red.global.inc.u32 [%rd0+16], 10;", 3, 32, 0, 0,
	    {0}, {96, 95, 9, 7, 96 % 11}},
	{"64-bit atomics", "", GTID
	    "mov.u64 %rd2, 0x100000001; atom.global.add.u64 %rd3, [%rd0],"
	    " %rd2;", 1, 64, 0, 0, {0}, {64, 64}},
	{"negated operand", "", GTID
	    "setp.eq.u32 %p0, %r0, 0; selp.u32 %r3, 1, 2, !%p0;"
	    "st.global.u32 [%rd1], %r3;", 1, 2, 0, 0, {0}, {2, 1}},
	{"shared memory and bar.sync", ".shared .align 4 .b8 s[256];", GTID
	    "mov.u32 %r3, s; shl.b32 %r4, %r0, 2; add.u32 %r5, %r3, %r4;"
	    "st.shared.u32 [%r5], %r0; bar.sync 0; xor.b32 %r4, %r4, 252;"
	    "add.u32 %r5, %r3, %r4; ld.shared.u32 %r6, [%r5];"
	    "setp.lt.u32 %p0, %r0, 8; @%p0 st.global.u32 [%rd1], %r6;",
	    1, 64, 0, 0, {0}, {63, 62, 61, 60, 59, 58, 57, 56}},
	{"dynamic shared memory", ".extern .shared .align 8 .b8 d[];", GTID
	    "mov.u64 %rd2, d; cvta.shared.u64 %rd2, %rd2;"
	    "st.u32 [%rd2+4], 5; ld.shared.u32 %r3, [d+4];"
	    "st.global.u32 [%rd0], %r3;", 1, 1, 0, 16, {0}, {5}},
	{"bar.red", "", GTID
	    "and.b32 %r3, %r0, 3; setp.eq.u32 %p0, %r3, 0;"
	    "bar.red.popc.u32 %r4, 1, %p0; bar.red.or.pred %p1, 2, %p0;"
	    "bar.red.and.pred %p2, 3, !%p0; selp.u32 %r5, 1, 0, %p1;"
	    "selp.u32 %r6, 1, 0, %p2; st.global.u32 [%rd0], %r4;"
	    "st.global.u32 [%rd0+4], %r5; st.global.u32 [%rd0+8], %r6;",
	    1, 64, 0, 0, {0}, {16, 1, 0}},
	{"bar.arrive", "", GTID
	    "setp.lt.u32 %p0, %r0, 32; @!%p0 bra W;"
	    "atom.global.add.u32 %r3, [%rd0], 1; bar.arrive 5, 64; bra E;\n"
	    "W: bar.sync 5, 64; ld.global.u32 %r4, [%rd0];"
	    "red.global.min.u32 [%rd0+4], %r4;\nE:", 1, 64, 0, 0,
	    {0, 1000}, {32, 32}},
	{"mbarrier", ".shared .align 8 .b64 m; .shared .u32 s;", GTID
	    "setp.ne.u32 %p0, %r0, 0; @%p0 bra I;"
	    "mbarrier.init.shared.b64 [m], 64; st.shared.u32 [s], 0;\n"
	    "I: bar.sync 0; red.relaxed.cta.shared.add.u32 [s], 1;"
	    "mbarrier.arrive.shared.b64 %rd3, [m];\n"
	    "T: mbarrier.try_wait.shared.b64 %p1, [m], %rd3; @!%p1 bra T;"
	    "mbarrier.arrive.release.cta.shared.b64 %rd3, [m], 1;\n"
	    "P: mbarrier.test_wait.parity.shared.b64 %p1, [m], 1;"
	    "@!%p1 bra P; ld.shared.u32 %r4, [s];"
	    "red.global.min.u32 [%rd0], %r4;", 1, 64, 0, 0, {1000}, {64}},
	{"bulk copies", ".shared .align 16 .b8 s[32]; "
	    ".shared .align 8 .b64 m;", GTID
	    "mov.u32 %r3, 32; mbarrier.init.shared.b64 [m], 1;"
	    "mbarrier.arrive.expect_tx.shared.b64 _, [m], %r3;"
	    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
	    " [s], [%rd0], 16, [m];"
	    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"
	    " [s+16], [%rd0+16], 16, [m];\n"
	    "T: mbarrier.try_wait.parity.shared.b64 %p1, [m], 0; @!%p1 bra T;"
	    "ld.shared.u32 %r4, [s+4]; ld.shared.u32 %r5, [s+16];"
	    "add.u32 %r4, %r4, %r5; st.shared.u32 [s], %r4;"
	    "fence.proxy.async;"
	    "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [s], 16;"
	    "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;"
	    "st.shared.u32 [s], 0; cp.async.bulk.wait_group 0;",
	    1, 1, 0, 0, {1, 2, 3, 4, 5}, {7, 2, 3, 4, 5}},
	{"cp.async", ".shared .align 16 .b8 s[16]; "
	    ".shared .align 8 .b64 m;", GTID
	    "setp.ne.u32 %p0, %r0, 0; @%p0 bra I;"
	    "mbarrier.init.shared.b64 [m], 2;\n"
	    "I: bar.sync 0; @%p0 bra W;"
	    "cp.async.ca.shared.global [s], [%rd0], 8;"
	    "cp.async.commit_group;"
	    "cp.async.ca.shared.global [s+8], [%rd0+8], 4;"
	    "cp.async.mbarrier.arrive.noinc.shared.b64 [m];"
	    "cp.async.wait_group 0; ld.shared.u32 %r4, [s+4];"
	    "cp.async.wait_all; st.global.u32 [%rd0+12], %r4;\n"
	    "W: mbarrier.arrive.shared.b64 _, [m];\n"
	    "T: mbarrier.try_wait.parity.shared.b64 %p1, [m], 0; @!%p1 bra T;"
	    "@!%p0 bra E; ld.shared.u32 %r4, [s+8];"
	    "st.global.u32 [%rd0+16], %r4;\nE:", 1, 2, 0, 0, {1, 2, 3},
	    {1, 2, 3, 2, 3}},
	{"exits complete barriers", "", GTID
	    "setp.gt.u32 %p0, %r0, 40; @%p0 exit; bar.sync 0;"
	    "red.global.add.u32 [%rd0], 1;", 1, 64, 0, 0, {0}, {41}},
	{"clusters", ".shared .align 4 .u32 s;", GTID
	    "mov.u32 %r3, %cluster_ctarank; add.u32 %r4, %r3, 10;"
	    "st.shared.u32 [s], %r4; barrier.cluster.arrive.release.aligned;"
	    "barrier.cluster.wait.acquire.aligned; xor.b32 %r5, %r3, 1;"
	    "mov.u32 %r6, s; mapa.shared::cluster.u32 %r7, %r6, %r5;"
	    "ld.shared::cluster.u32 %r8, [%r7]; st.global.u32 [%rd1], %r8;"
	    "mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3;"
	    "mapa.u64 %rd4, %rd3, %r5; ld.u32 %r9, [%rd4];"
	    "st.global.u32 [%rd1+16], %r9;"
	    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
	    4, 1, 2, 0, {0}, {11, 10, 11, 10, 11, 10, 11, 10}},
	{"shfl", "", GTID
	    "shfl.sync.bfly.b32 %r3, %r0, 1, 0x1f, 0xffffffff;"
	    "shfl.sync.down.b32 %r4|%p0, %r0, 1, 0x1f, -1;"
	    "selp.u32 %r5, 100, 0, %p0; add.u32 %r4, %r4, %r5;"
	    "setp.lt.u32 %p1, %r0, 4; @%p1 st.global.u32 [%rd1], %r3;"
	    "setp.gt.u32 %p1, %r0, 29; sub.u64 %rd1, %rd1, 104;"
	    "@%p1 st.global.u32 [%rd1], %r4;", 1, 32, 0, 0,
	    {0}, {1, 0, 3, 2, 131, 31}},
	{"vote, match", "", GTID
	    "setp.lt.u32 %p0, %r0, 5; vote.sync.ballot.b32 %r3, %p0, -1;"
	    "vote.sync.all.pred %p1, %p0, -1; vote.sync.any.pred %p2, %p0, -1;"
	    "shr.u32 %r4, %r0, 4; match.any.sync.b32 %r5, %r4, -1;"
	    "selp.u32 %r6, 1, 0, %p1; selp.u32 %r7, 1, 0, %p2;"
	    "st.global.u32 [%rd0], %r3; st.global.u32 [%rd0+4], %r6;"
	    "st.global.u32 [%rd0+8], %r7; setp.eq.u32 %p3, %r0, 20;"
	    "@%p3 st.global.u32 [%rd0+12], %r5;", 1, 32, 0, 0,
	    {0}, {31, 0, 1, 0xffff0000}},
	{"diverged lanes meet", "", GTID
	    "and.b32 %r3, %r0, 1; setp.eq.u32 %p0, %r3, 0; @%p0 bra A;"
	    "red.global.add.u32 [%rd0], 1; bar.warp.sync -1; bra E;\n"
	    "A: bar.warp.sync -1; ld.global.u32 %r4, [%rd0];"
	    "red.global.min.u32 [%rd0+4], %r4;\nE:", 1, 32, 0, 0,
	    {0, 99}, {16, 16}},
	{"spinning threads are not late for ever", "", GTID
	    "atom.relaxed.gpu.global.add.u32 %r9, [%rd0], 1;\n"
	    "L: ld.relaxed.gpu.global.u32 %r3, [%rd0+4]; "
	    "ld.relaxed.gpu.global.u32 %r4, [%rd0+8];"
	    "setp.ne.u32 %p0, %r0, 0; @!%p0 bra F; setp.eq.u32 %p1, %r3, 0;"
	    "@%p1 bra L; bra E;\n"
	    "F: ld.relaxed.gpu.global.u32 %r5, [%rd0]; "
	    "setp.ne.u32 %p1, %r5, 64; @%p1 bra F;"
	    "st.relaxed.gpu.global.u32 [%rd0+4], 1;\nE:", 2, 32, 0, 0,
	    {0}, {64, 1}},
	{"shfl waits with nothing undone", "", GTID
	    "setp.eq.u32 %p0, %r0, 0; @%p0 atom.relaxed.gpu.global.add.u32 "
	    "%r9, [%rd0], 1;\n@%p0 bra E;\n"
	    "L: ld.relaxed.gpu.global.u32 %r3, [%rd0]; setp.eq.u32 %p1, %r3, "
	    "0; @%p1 bra L;\n"
	    "E: shfl.sync.idx.b32 %r4, %r0, 1, 31, -1;", 1, 32, 0, 0,
	    {0}, {1}},
	{"spinning lanes go on", "", GTID
	    "setp.eq.u32 %p0, %r0, 0; @%p0 st.relaxed.gpu.global.u32 "
	    "[%rd0], 1;\nL: ld.relaxed.gpu.global.u32 %r3, [%rd0];"
	    "setp.eq.u32 %p1, %r3, 0; @%p1 bra L;"
	    "red.global.add.u32 [%rd0+4], 1;", 2, 64, 0, 0, {0}, {1, 128}},
	{"local memory", ".local .align 8 .b8 depot[16];", GTID
	    "mov.u64 %rd2, depot; cvta.local.u64 %rd3, %rd2;"
	    "st.local.u32 [%rd2+4], %r0; ld.u32 %r3, [%rd3+4];"
	    "st.global.u32 [%rd1], %r3;", 1, 4, 0, 0, {0}, {0, 1, 2, 3}},
	{"arithmetic", "", GTID
	    "mul.hi.u32 %r3, 0x80000000, 6; st.global.u32 [%rd0], %r3;"
	    "div.s32 %r3, -7, 2; st.global.u32 [%rd0+4], %r3;"
	    "rem.u32 %r3, 17, 5; st.global.u32 [%rd0+8], %r3;"
	    "shr.s32 %r3, -16, 2; st.global.u32 [%rd0+12], %r3;"
	    "mul.wide.s32 %rd2, -1, 3; cvt.u32.u64 %r3, %rd2;"
	    "st.global.u32 [%rd0+16], %r3; shl.b32 %r3, 1, 32;"
	    "st.global.u32 [%rd0+20], %r3; setp.lt.s32 %p0, -1, 1;"
	    "selp.u32 %r3, 1, 0, %p0; st.global.u32 [%rd0+24], %r3;"
	    "popc.b32 %r3, 0xff; st.global.u32 [%rd0+28], %r3;", 1, 1, 0, 0,
	    {0}, {3, (uint32_t)-3, 2, (uint32_t)-4, (uint32_t)-3, 0, 1, 8}},
};

static const char *const memories[] = {"memory=sc", "memory=weak"};

START_TEST(programs_compute)
{
	int i = _i % COUNT(programs);
	struct arena *a = arena_new();
	uint32_t words[64] = {0}, turn;
	struct err err;

	for (turn = 0; turn < 5; turn++) {
		struct sim_case c = {memories[_i / COUNT(programs)],
		    sim_module(a, programs[i].declarations,
			programs[i].body),
		    programs[i].grid, programs[i].block, programs[i].cluster,
		    programs[i].shared, .seed = turn, .words = words,
		    .nwords = 64};

		memset(words, 0, sizeof(words));
		memcpy(words, programs[i].in, sizeof(programs[i].in));
		if (!sim_case_run(&c, &err))
			ck_abort_msg("%s: line %d: %s", programs[i].name,
			    err.loc.line, err.message);
		if (memcmp(words, programs[i].out, 32) != 0)
			ck_abort_msg("%s: got %u %u %u %u %u %u %u %u",
			    programs[i].name, words[0], words[1], words[2],
			    words[3], words[4], words[5], words[6], words[7]);
	}
	arena_free(a);
}
END_TEST

/* ---- what goes wrong -------------------------------------------------------- */

static const struct {
	const char *name, *declarations, *body;
	uint32_t grid, block;
	enum err_code code;
	int line; /* in the body, from 1 */
	const char *message; /* its start */
} faults[] = {
	{"unknown instruction", "", "\nfrobnicate.u32 %r0, %r1;", 1, 1,
	    ERR_INPUT, 2, "unknown instruction 'frobnicate'"},
	{"unknown register", "", "mov.u32 %r0, %r99;", 1, 1,
	    ERR_INPUT, 1, "'%r99' cannot be the name of a register"},
	{"no label", "", "bra L;", 1, 1, ERR_INPUT, 1, "no label 'L'"},
	{"illegal address", "", "\n\nst.global.u32 [%rd0+256], 1;", 1, 1,
	    ERR_FAULT, 3, "st: illegal address 0x1100000100 (4 bytes) "
	    "(kernel k, line 14 of the PTX, CTA 0, thread 0)"},
	{"null pointer", "", "mov.u64 %rd1, 0; ld.u32 %r0, [%rd1];", 1, 1,
	    ERR_FAULT, 1, "ld: illegal address 0x0"},
	{"misaligned", "", "ld.global.u64 %rd1, [%rd0+4];", 1, 1,
	    ERR_FAULT, 1, "ld: misaligned address 0x1100000004 for 8 bytes"},
	{"misaligned vector", "", "ld.global.v2.u32 {%r0, %r1}, [%rd0+4];",
	    1, 1, ERR_FAULT, 1, "ld: misaligned address"},
	{"beyond shared memory", ".shared .u32 s;",
	    "mov.u32 %r0, s; ld.shared.u32 %r1, [%r0+4];", 1, 1,
	    ERR_FAULT, 1, "ld: illegal address 0x4 in shared memory of 4 "},
	{"trap", "", "\ntrap;", 1, 1, ERR_FAULT, 2, "trap"},
	{"endless loop", "", "L: bra L;", 1, 1,
	    ERR_HANG, 1, "no end after 20000000 jumps"},
	{"division by zero", "", "div.u32 %r0, 1, 0;", 1, 1,
	    ERR_FAULT, 1, "div: division by zero"},
	{"deadlock", "", "mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 0;\n"
	    "@%p0 bar.sync 1, 64;", 1, 32,
	    ERR_HANG, 2, "deadlock: waits for ever at a barrier"},
	{"lanes that do not come", "",
	    "mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 0;\n"
	    "@%p0 bar.sync 1, 64;\nbar.warp.sync -1;", 1, 32,
	    ERR_HANG, 2, "deadlock"},
	{"barrier of two counts", "", "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, "
	    "%r0, 32;\n@%p0 bar.sync 1, 64; @!%p0 bar.sync 1, 96;", 1, 64,
	    ERR_FAULT, 2, "bar.sync: barrier 1 for "},
	{"bar.red beside bar.sync", "", "mov.u32 %r0, %tid.x; setp.lt.u32 "
	    "%p0, %r0, 32;\n@%p0 bar.sync 1; @!%p0 bar.red.or.pred %p1, 1, "
	    "%p0;", 1, 64, ERR_FAULT, 2, "bar."},
	{"arrives twice", "", "bar.arrive 1, 64; bar.sync 1, 64;", 1, 32,
	    ERR_FAULT, 1, "bar.sync: arrives again at barrier 1 before"},
	{"odd count", "", "bar.sync 1, 33;", 1, 64, ERR_FAULT, 1,
	    "bar.sync: a count of 33 threads is no multiple of 32"},
	{"no such barrier", "", "bar.sync 16;", 1, 32, ERR_FAULT, 1,
	    "bar.sync: barrier 16 of 16"},
	{"not in its mask", "", "bar.warp.sync 2;", 1, 32, ERR_FAULT, 1,
	    "bar.warp.sync: lane "},
	{"wait without arrive", "", "barrier.cluster.wait;", 1, 32,
	    ERR_FAULT, 1, "barrier.cluster.wait without an arrive"},
	{"rank outside the cluster", ".shared .u32 s;", "mov.u32 %r0, s;"
	    "mapa.shared::cluster.u32 %r1, %r0, 1;", 1, 1, ERR_FAULT, 1,
	    "mapa: CTA 1 of a cluster of 1"},
};

#define BODY_LINE 12 /* of the module around it */

START_TEST(faults_have_a_line)
{
	int i = _i % COUNT(faults);
	struct arena *a = arena_new();
	uint32_t words[64] = {0};
	struct sim_case c = {memories[_i / COUNT(faults)], sim_module(a,
	    faults[i].declarations, faults[i].body), faults[i].grid,
	    faults[i].block, .words = words, .nwords = 64};
	int line = BODY_LINE - 1 + faults[i].line;
	struct err err = {0};

	ck_assert_msg(!sim_case_run(&c, &err), "%s: no fault",
	    faults[i].name);
	if (err.code != faults[i].code || err.loc.line != line ||
	    !strstr(err.message, arena_printf(a, "line %d of the PTX", line))
	    || strncmp(err.message, faults[i].message,
	    strlen(faults[i].message)) != 0)
		ck_abort_msg("%s: %d, line %d: %s", faults[i].name,
		    err.code, err.loc.line, err.message);
	arena_free(a);
}
END_TEST

START_TEST(a_long_wait_ends)
{
	struct arena *a = arena_new();
	uint32_t words[1] = {0};
	struct sim_case c = {"memory=sc,steps=1000000000000", sim_module(a, "",
	    "L: ld.relaxed.gpu.global.u32 %r0, [%rd0]; bra L;"), 1, 1,
	    .timeout = 0.2, .words = words, .nwords = 1};
	struct err err = {0};

	ck_assert(!sim_case_run(&c, &err));
	ck_assert_int_eq(err.code, ERR_HANG);
	arena_free(a);
}
END_TEST

static const struct {
	const char *options, *message;
} options[] = {
	{"jobs=0", "sim: bad option jobs=0"},
	{"memory=strong", "sim: unknown memory 'strong' (weak, sc)"},
	{"fault=rust", "sim: unknown fault 'rust' (none, drop-fence, "},
	{"seed=x", "sim: seed is a number, not 'x'"},
	{"seed", "sim: expected NAME=VALUE, found 'seed'"},
	{"pace=3", "sim: bad option pace=3"},
};

START_TEST(options_are_checked)
{
	struct device *d;
	struct err err = {0};

	ck_assert(!sim_ops.open(0, options[_i].options, &d, &err));
	ck_assert_int_eq(err.code, ERR_USAGE);
	ck_assert_msg(strncmp(err.message, options[_i].message,
	    strlen(options[_i].message)) == 0, "%s", err.message);
}
END_TEST

/* ---- determinism -------------------------------------------------------------- */

/* Each CTA races on its own word; the winners depend on the schedule. */
static const char race[] =
    "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd1, %r1, 4;"
    "add.u64 %rd1, %rd0, %rd1; atom.global.exch.b32 %r2, [%rd1], %r0;"
    "shl.b32 %r2, %r2, 5; xor.b32 %r2, %r2, %r0; st.global.u32 [%rd1], %r2;";

static void
race_run(struct arena *a, const char *opts, uint32_t together, uint64_t seed,
    uint32_t *words)
{
	struct sim_case c = {opts, sim_module(a, "", race), 64, 32,
	    .together = together, .repeat = 3, .seed = seed, .words = words,
	    .nwords = 64};
	struct err err;

	memset(words, 0, 64 * sizeof(*words));
	ck_assert_msg(sim_case_run(&c, &err), "%s", err.message);
}

START_TEST(runs_replay_with_any_number_of_jobs)
{
	static const char *const jobs[] = {"jobs=1,memory=sc",
	    "jobs=2,memory=sc", "jobs=5,memory=sc", "jobs=16,memory=sc"};
	struct arena *a = arena_new();
	uint32_t first[64], again[64];
	size_t i;

	race_run(a, jobs[0], 1, 7, first);
	for (i = 0; i < sizeof(jobs) / sizeof(*jobs); i++) {
		race_run(a, jobs[i], 1, 7, again);
		ck_assert_mem_eq(first, again, sizeof(first));
	}
	race_run(a, jobs[0], 1, 8, again);
	ck_assert_mem_ne(first, again, sizeof(first));
	race_run(a, "jobs=1,memory=sc,seed=9", 1, 7, again);
	ck_assert_mem_ne(first, again, sizeof(first));
	arena_free(a);
}
END_TEST

Suite *suite_sim(void);

Suite *
suite_sim(void)
{
	Suite *s = suite_create("sim");
	TCase *c = tcase_create("sim");

	tcase_add_loop_test(c, programs_compute, 0,
	    COUNT(programs) * COUNT(memories));
	tcase_add_loop_test(c, faults_have_a_line, 0,
	    COUNT(faults) * COUNT(memories));
	tcase_add_test(c, a_long_wait_ends);
	tcase_add_loop_test(c, options_are_checked, 0, COUNT(options));
	tcase_add_test(c, runs_replay_with_any_number_of_jobs);
	suite_add_tcase(s, c);
	return s;
}
