/* The tables that read results.schema.json's objects into structs. */
#include "json.h"

#define REQ FIELD_REQUIRED
#define NIL FIELD_NULLABLE

#define ONE(type, KIND, member, flags_) \
	{.name = #member, .kind = FIELD_##KIND, .flags = (flags_), \
	 .offset = offsetof(struct type, member)}
#define ENUM(type, member, names_, flags_) \
	{.name = #member, .kind = FIELD_ENUM, .flags = (flags_), \
	 .offset = offsetof(struct type, member), .names = (names_)}
#define MANY(type, KIND, key, member, n, flags_) \
	{.name = (key), .kind = FIELD_##KIND, .flags = (flags_), \
	 .offset = offsetof(struct type, member), \
	 .count = offsetof(struct type, n)}
#define CHILD(type, member, shape_, flags_) \
	{.name = #member, .kind = FIELD_OBJECT, .flags = (flags_), \
	 .offset = offsetof(struct type, member), .shape = &(shape_)}
#define CHILDREN(type, key, member, n, shape_, flags_) \
	{.name = (key), .kind = FIELD_OBJECTS, .flags = (flags_), \
	 .offset = offsetof(struct type, member), \
	 .count = offsetof(struct type, n), .shape = &(shape_)}
#define SHAPE(type, words, fields_) \
	.name = (words), .size = sizeof(struct type), .fields = (fields_), \
	.count = (int)(sizeof(fields_) / sizeof(*(fields_)))

const char *const row_classes[] = {
	"sc", "weak", "forbidden", "unjudged", NULL,
};
const char *const doc_answers[] = {"none", "allowed", "forbidden", NULL};
const char *const doc_verdicts[] = {
#define VERDICT(id, name, ...) name,
#include "verdict.def"
#undef VERDICT
	NULL,
};
const char *const strengths[] = {
	"none", "no-evidence", "bounded", "seen", NULL,
};
const char *const code_statuses[] = {
	"checked", "unchecked", "changed", NULL,
};
const char *const prim_verdicts[] = {
	"pass", "broken", "not-caught", "not-caught-here", "measured",
	"not-run", NULL,
};
const char *const device_kinds[] = {"cuda", "sim", NULL};
const char *const doc_models[] = {"ptx-6.0", "ptx-7.5", "ptx", NULL};
static const char *const quantifiers[] = {
	"exists", "never", "forall", NULL,
};

const struct verdict_row verdicts[VERDICT_COUNT] = {
#define VERDICT(id, name, symbol, junit, exit, words) \
	[VERDICT_##id] = {name, symbol, junit, exit, words},
#include "verdict.def"
#undef VERDICT
};

static const struct field tool_fields[] = {
	ONE(doc_tool, STRING, name, REQ),
	ONE(doc_tool, STRING, version, REQ),
};
static const struct shape tool_shape = {
	SHAPE(doc_tool, "a tool", tool_fields),
};

static const struct field shard_fields[] = {
	ONE(doc_shard, INT, index, REQ),
	ONE(doc_shard, INT, count, REQ),
	ONE(doc_shard, COUNT, selected, REQ),
	ONE(doc_shard, HEX64, suite_hash, 0),
};
static const struct shape shard_shape = {
	SHAPE(doc_shard, "a shard", shard_fields), .closed = true,
};

static const struct field device_fields[] = {
	ONE(doc_device, INT, index, REQ),
	ENUM(doc_device, kind, device_kinds, REQ),
	ONE(doc_device, STRING, name, REQ),
	ONE(doc_device, STRING, uuid, REQ),
	ONE(doc_device, INT, sm, REQ),
	ONE(doc_device, INT, processors, 0),
	ONE(doc_device, INT, memory, 0),
	ONE(doc_device, STRING, driver, REQ),
	ONE(doc_device, STRING, driver_version, 0),
	ONE(doc_device, STRING, toolkit, REQ),
	ONE(doc_device, INT, clock_khz, 0),
	ONE(doc_device, INT, memory_clock_khz, 0),
	ONE(doc_device, MAYBE, mig, NIL),
	ONE(doc_device, MAYBE, mps, NIL),
	ONE(doc_device, STRING, host, 0),
};
static const struct shape device_shape = {
	SHAPE(doc_device, "a device", device_fields), .spans = true,
	.span = offsetof(struct doc_device, span),
};

static const struct field row_fields[] = {
	MANY(doc_row, INTS, "values", values, nvalues, REQ),
	ONE(doc_row, COUNT, count, REQ),
	ENUM(doc_row, class, row_classes, REQ),
	ONE(doc_row, BOOL, target, REQ),
};
static const struct shape row_shape = {
	SHAPE(doc_row, "a line of a histogram", row_fields), .closed = true,
};

static const struct field unseen_fields[] = {
	MANY(doc_row, INTS, "values", values, nvalues, 0),
	ENUM(doc_row, class, row_classes, 0),
	ONE(doc_row, BOOL, target, 0),
};
static const struct shape unseen_shape = {
	SHAPE(doc_row, "a state", unseen_fields),
};

static const struct field environment_fields[] = {
	ONE(doc_environment, RAW, env, 0),
	ONE(doc_environment, COUNT, instances, 0),
	ONE(doc_environment, COUNT, hits, 0),
	ONE(doc_environment, NUMBER, seconds, 0),
};
static const struct shape environment_shape = {
	SHAPE(doc_environment, "an environment", environment_fields),
};

static const struct field twin_fields[] = {
	ONE(doc_twin, STRING, name, 0),
	ONE(doc_twin, STRING, what, 0),
	ONE(doc_twin, COUNT, hits, 0),
	ONE(doc_twin, COUNT, instances, 0),
	ONE(doc_twin, NUMBER, rate, 0),
	CHILDREN(doc_twin, "environments", environments, nenvironments,
	    environment_shape, 0),
};
static const struct shape twin_shape = {
	SHAPE(doc_twin, "a twin", twin_fields),
};

static const struct field evidence_fields[] = {
	ONE(doc_evidence, COUNT, target_hits, 0),
	ONE(doc_evidence, NUMBER, rate, 0),
	ONE(doc_evidence, NUMBER, bound95, NIL),
	ONE(doc_evidence, NUMBER, reproducibility, 0),
	ONE(doc_evidence, NUMBER, drift, NIL),
	ONE(doc_evidence, NUMBER, dispersion, NIL),
	CHILDREN(doc_evidence, "twins", twins, ntwins, twin_shape, 0),
	ENUM(doc_evidence, strength, strengths, 0),
};
static const struct shape evidence_shape = {
	SHAPE(doc_evidence, "evidence", evidence_fields),
};

static const struct field thread_fields[] = {
	ONE(doc_thread, STRING, place, REQ),
	MANY(doc_thread, STRINGS, "code", code, ncode, REQ),
};
static const struct shape thread_shape = {
	SHAPE(doc_thread, "a thread", thread_fields),
};

static const struct field machine_code_fields[] = {
	ENUM(doc_machine_code, status, code_statuses, REQ),
	ONE(doc_machine_code, STRING, detail, 0),
};
static const struct shape machine_code_shape = {
	SHAPE(doc_machine_code, "a machine code check", machine_code_fields),
};

static const struct field event_fields[] = {
	ONE(doc_event, INT, thread, REQ),
	ONE(doc_event, STRING, text, REQ),
	ONE(doc_event, INT, line, 0),
};
static const struct shape event_shape = {
	SHAPE(doc_event, "an event", event_fields),
};

static const struct field edge_fields[] = {
	ONE(doc_edge, COUNT, from, REQ),
	ONE(doc_edge, COUNT, to, REQ),
	ONE(doc_edge, STRING, relation, REQ),
};
static const struct shape edge_shape = {
	SHAPE(doc_edge, "an edge", edge_fields),
};

static const struct field execution_fields[] = {
	MANY(doc_execution, INTS, "values", values, nvalues, REQ),
	CHILDREN(doc_execution, "events", events, nevents, event_shape, REQ),
	CHILDREN(doc_execution, "edges", edges, nedges, edge_shape, REQ),
};
static const struct shape execution_shape = {
	SHAPE(doc_execution, "an execution", execution_fields),
};

static const struct field test_fields[] = {
	ONE(doc_test, STRING, name, REQ),
	ONE(doc_test, STRING, family, REQ),
	ONE(doc_test, STRING, variant, 0),
	ONE(doc_test, STRING, about, 0),
	ONE(doc_test, STRING, file, REQ),
	ONE(doc_test, COUNT, line, REQ),
	ONE(doc_test, HEX64, source_hash, REQ),
	MANY(doc_test, STRINGS, "tags", tags, ntags, 0),
	ONE(doc_test, STRING, placement, 0),
	ONE(doc_test, COUNT, device, REQ),
	ONE(doc_test, STRING, assembler, 0),
	ENUM(doc_test, verdict, doc_verdicts, REQ),
	ONE(doc_test, STRING, message, 0),
	ENUM(doc_test, expect, doc_answers, REQ),
	ENUM(doc_test, answer, doc_answers, REQ),
	ONE(doc_test, STRING, reason, 0),
	ONE(doc_test, STRING, note, 0),
	ENUM(doc_test, quantifier, quantifiers, REQ),
	ONE(doc_test, STRING, condition, REQ),
	MANY(doc_test, STRINGS, "slots", slots, nslots, REQ),
	ONE(doc_test, COUNT, instances, REQ),
	ONE(doc_test, COUNT, launches, REQ),
	ONE(doc_test, NUMBER, seconds, REQ),
	CHILDREN(doc_test, "histogram", rows, nrows, row_shape, REQ),
	CHILDREN(doc_test, "unseen", unseen, nunseen, unseen_shape, 0),
	ONE(doc_test, COUNT, other, REQ),
	ONE(doc_test, COUNT, hang, REQ),
	CHILD(doc_test, evidence, evidence_shape, 0),
	CHILDREN(doc_test, "environments", environments, nenvironments,
	    environment_shape, 0),
	CHILDREN(doc_test, "threads", threads, nthreads, thread_shape, 0),
	MANY(doc_test, STRINGS, "locations", locations, nlocations, 0),
	CHILD(doc_test, machine_code, machine_code_shape, 0),
	ONE(doc_test, STRING, replay, 0),
	ONE(doc_test, STRING, source, 0),
	ONE(doc_test, STRING, explanation, 0),
	CHILD(doc_test, execution, execution_shape, 0),
};
const struct shape test_shape = {
	SHAPE(doc_test, "a test", test_fields), .spans = true,
	.span = offsetof(struct doc_test, span),
};

static const struct field finding_fields[] = {
	ONE(doc_finding, STRING, kind, REQ),
	ONE(doc_finding, COUNT, count, REQ),
	ONE(doc_finding, COUNT, round, 0),
	ONE(doc_finding, STRING, detail, 0),
};
static const struct shape finding_shape = {
	SHAPE(doc_finding, "a finding", finding_fields),
};

static const struct field bench_fields[] = {
	ONE(doc_bench, STRING, what, REQ),
	ONE(doc_bench, STRING, unit, REQ),
	ONE(doc_bench, COUNT, ctas, 0),
	ONE(doc_bench, COUNT, threads, 0),
	ONE(doc_bench, STRING, scope, 0),
	ONE(doc_bench, COUNT, samples, 0),
	ONE(doc_bench, NUMBER, min, 0),
	ONE(doc_bench, NUMBER, p1, 0),
	ONE(doc_bench, NUMBER, p25, 0),
	ONE(doc_bench, NUMBER, median, REQ),
	ONE(doc_bench, NUMBER, p75, 0),
	ONE(doc_bench, NUMBER, p99, 0),
	ONE(doc_bench, NUMBER, max, 0),
};
static const struct shape bench_shape = {
	SHAPE(doc_bench, "a measured cost", bench_fields),
};

static const struct field primitive_fields[] = {
	ONE(doc_primitive, STRING, name, REQ),
	ONE(doc_primitive, STRING, group, REQ),
	ONE(doc_primitive, STRING, about, 0),
	ONE(doc_primitive, STRING, file, 0),
	ONE(doc_primitive, COUNT, line, 0),
	ONE(doc_primitive, STRING, twin_of, 0),
	ONE(doc_primitive, STRING, flaw, 0),
	ENUM(doc_primitive, answer, doc_answers, 0),
	ONE(doc_primitive, COUNT, device, REQ),
	ENUM(doc_primitive, verdict, prim_verdicts, REQ),
	ONE(doc_primitive, STRING, message, 0),
	ONE(doc_primitive, COUNT, rounds, REQ),
	ONE(doc_primitive, NUMBER, seconds, 0),
	CHILDREN(doc_primitive, "findings", findings, nfindings,
	    finding_shape, REQ),
	CHILDREN(doc_primitive, "bench", bench, nbench, bench_shape, 0),
	ONE(doc_primitive, STRING, ptx, 0),
	ONE(doc_primitive, STRING, replay, 0),
};
static const struct shape primitive_shape = {
	SHAPE(doc_primitive, "a primitive", primitive_fields), .spans = true,
	.span = offsetof(struct doc_primitive, span),
};

static const struct field claim_fields[] = {
	ONE(doc_claim, STRING, claim, REQ),
	ONE(doc_claim, MAYBE, holds, REQ | NIL),
	ONE(doc_claim, STRING, figure, REQ),
	ONE(doc_claim, COUNT, device, 0),
};
static const struct shape claim_shape = {
	SHAPE(doc_claim, "a claim", claim_fields), .spans = true,
	.span = offsetof(struct doc_claim, span),
};

static const struct field document_fields[] = {
	ONE(document, STRING, format, REQ),
	ONE(document, INT, version, REQ),
	CHILD(document, tool, tool_shape, REQ),
	MANY(document, STRINGS, "command", command, ncommand, REQ),
	ONE(document, HEX64, seed, REQ),
	ONE(document, STRING, started, REQ),
	ONE(document, NUMBER, wall_seconds, 0),
	ONE(document, BOOL, hardware, REQ),
	ONE(document, BOOL, complete, REQ),
	CHILD(document, shard, shard_shape, REQ),
	CHILDREN(document, "devices", devices, ndevices, device_shape, REQ),
	ENUM(document, model, doc_models, REQ),
	CHILDREN(document, "tests", tests, ntests, test_shape, REQ),
	CHILDREN(document, "primitives", primitives, nprimitives,
	    primitive_shape, REQ),
	{.name = "summary", .kind = FIELD_SKIP, .flags = REQ},
	ONE(document, INT, level, 0),
	MANY(document, STRINGS, "notes", notes, nnotes, 0),
	CHILDREN(document, "claims", claims, nclaims, claim_shape, 0),
};
const struct shape document_shape = {
	SHAPE(document, "a results document", document_fields),
	.closed = true,
};
