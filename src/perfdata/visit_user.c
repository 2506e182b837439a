/* Visits the fields of perf's own records (types from 64 on). */
#include "perfdata/fields.h"

#include <errno.h>
#include <stdio.h>

static const struct field one_u32[] = {{FIELD_U32, NULL}, {0}};
static const struct field one_u16[] = {{FIELD_U16, NULL}, {0}};
static const struct field one_u64[] = {{FIELD_U64, NULL}, {0}};
static const struct field one_x64[] = {{FIELD_X64, NULL}, {0}};
static const struct field one_x32[] = {{FIELD_X32, NULL}, {0}};

static void call_attr(struct cursor *c, const struct pd_visitor *v)
{
	static const struct field ids[] = {{FIELD_LIST, "ids", one_u64}, {0}};
	struct perf_attr attr;
	uint32_t size;
	if (pd_attr_parse(c->p, cursor_left(c), c->swap, &attr, &size, NULL) < 0) {
		c->bad = true;
		return;
	}
	cursor_take(c, size);
	v->open(v->ctx, "attr", false);
	pd_visit_attr(&attr, v);
	v->close(v->ctx, false);
	fields_visit(ids, c, v);
}
static const struct field attr[] = {{FIELD_CALL, .call = call_attr}, {0}};

static const struct field event_type[] = {{FIELD_U64, "id"}, {FIELD_TEXT, "name"}, {0}};
static const struct field tracing_data[] = {{FIELD_U32, "size"}, {0}};
static const struct field nothing[] = {{0}};

static const struct field id_entry[] = {
	{FIELD_U64, "id"}, {FIELD_U64, "index"}, {FIELD_U64, "cpu"}, {FIELD_U64, "tid"}, {0}};
static const struct field id_guest[] = {{FIELD_U64, "machine_pid"}, {FIELD_U64, "vcpu"}, {0}};
static const struct field id_index[] = {
	{FIELD_LIST64, "entries", id_entry}, {FIELD_OPTIONAL}, {FIELD_LIST, "guests", id_guest}, {0}};

static const struct field auxtrace_info[] = {
	{FIELD_U32, "trace_type"}, {FIELD_SKIP, .n = 4}, {FIELD_LIST, "priv", one_x64}, {0}};
static const struct field auxtrace[] = {
	{FIELD_U64, "size"}, {FIELD_X64, "offset"}, {FIELD_U64, "reference"}, {FIELD_U32, "index"},
	{FIELD_I32, "tid"},  {FIELD_I32, "cpu"},    {FIELD_SKIP, .n = 4},     {0}};
static const struct field auxtrace_error[] = {{FIELD_U32, "error_type"},
					      {FIELD_U32, "code"},
					      {FIELD_I32, "cpu"},
					      {FIELD_I32, "pid"},
					      {FIELD_I32, "tid"},
					      {FIELD_U32, "fmt"},
					      {FIELD_X64, "ip"},
					      {FIELD_OPTIONAL},
					      {FIELD_U64, "time"},
					      {FIELD_OPTIONAL},
					      {FIELD_CHARS, "msg", .n = 64},
					      {FIELD_OPTIONAL},
					      {FIELD_U32, "machine_pid"},
					      {FIELD_U32, "vcpu"},
					      {0}};
static const struct field thread[] = {{FIELD_U64, "pid"}, {FIELD_CHARS, "comm", .n = 16}, {0}};
static const struct field thread_map[] = {{FIELD_LIST64, "threads", thread}, {0}};

enum { CPUS_LIST, CPUS_MASK, CPUS_RANGE };

/* Visits a map of CPUs: a list, a mask or a range, after which padding may follow. */
static void call_cpus(struct cursor *c, const struct pd_visitor *v)
{
	static const struct field list[] = {{FIELD_LIST16, "cpus", one_u16}, {0}};
	static const struct field range[] = {
		{FIELD_U8, "any"}, {FIELD_SKIP, .n = 1}, {FIELD_U16, "first"}, {FIELD_U16, "last"}, {0}};
	uint16_t type = cursor_u16(c);
	if (!c->bad)
		v->u64(v->ctx, "map_type", type);
	if (type == CPUS_LIST)
		fields_visit(list, c, v);
	else if (type == CPUS_RANGE)
		fields_visit(range, c, v);
	if (type != CPUS_MASK)
		return;
	uint16_t n = cursor_u16(c), size = cursor_u16(c);
	if (size == 8)
		cursor_take(c, 4); /* skips padding, which is there only before 64-bit words */
	if (c->bad || (size != 4 && size != 8) || n > cursor_left(c) / size) {
		c->bad = true;
		return;
	}
	v->open(v->ctx, "mask", true);
	for (uint16_t i = 0; i < n; i++)
		fields_visit(size == 8 ? one_x64 : one_x32, c, v);
	v->close(v->ctx, true);
}
static const struct field cpu_map[] = {{FIELD_CALL, .call = call_cpus}, {0}};

static const struct field stat_value[] = {{FIELD_U64, "tag"}, {FIELD_U64, "value"}, {0}};
static const struct field stat_config[] = {{FIELD_LIST64, "config", stat_value}, {0}};
static const struct field stat[] = {{FIELD_U64, "id"},
				    {FIELD_U32, "cpu"},
				    {FIELD_U32, "thread"},
				    {FIELD_U64, "value"},
				    {FIELD_U64, "enabled"},
				    {FIELD_U64, "running"},
				    {0}};
static const struct field stat_round[] = {{FIELD_U64, "round_type"}, {FIELD_U64, "time"}, {0}};

enum { UPDATE_UNIT, UPDATE_SCALE, UPDATE_NAME, UPDATE_CPUS };

static void call_scale(struct cursor *c, const struct pd_visitor *v)
{
	uint64_t bits = cursor_u64(c);
	double scale;
	char buf[40];
	memcpy(&scale, &bits, sizeof(scale));
	snprintf(buf, sizeof(buf), "%.17g", scale);
	if (!c->bad)
		v->text(v->ctx, "scale", buf);
}

static void call_update(struct cursor *c, const struct pd_visitor *v)
{
	static const struct field bodies[][2] = {
		[UPDATE_UNIT] = {{FIELD_TEXT, "unit"}},
		[UPDATE_SCALE] = {{FIELD_CALL, .call = call_scale}},
		[UPDATE_NAME] = {{FIELD_TEXT, "name"}},
		[UPDATE_CPUS] = {{FIELD_CALL, .call = call_cpus}},
	};
	static const struct field other[] = {{FIELD_REST, "bytes"}, {0}};
	uint64_t type = cursor_u64(c), id = cursor_u64(c);
	if (c->bad)
		return;
	v->u64(v->ctx, "update", type);
	v->u64(v->ctx, "id", id);
	fields_visit(type < ARRAY_LEN(bodies) ? bodies[type] : other, c, v);
}
static const struct field event_update[] = {{FIELD_CALL, .call = call_update}, {0}};

static const struct field time_conv[] = {{FIELD_U64, "shift"},	 {FIELD_U64, "mult"},
					 {FIELD_U64, "zero"},	 {FIELD_OPTIONAL},
					 {FIELD_U64, "cycles"},	 {FIELD_X64, "mask"},
					 {FIELD_U8, "has_zero"}, {FIELD_U8, "has_short"},
					 {FIELD_SKIP, .n = 6},	 {0}};

static void call_feature(struct cursor *c, const struct pd_visitor *v)
{
	uint64_t feature = cursor_u64(c);
	size_t n = cursor_left(c);
	const uint8_t *p = cursor_take(c, n);
	if (!p)
		return;
	v->u64(v->ctx, "feature", feature);
	const char *name = feature < PD_FEATURES ? pd_feature_name((unsigned)feature) : NULL;
	if (name)
		v->text(v->ctx, "feature_name", name);
	if (pd_visit_feature(feature < PD_FEATURES ? (unsigned)feature : PD_FEATURES, p, n, c->swap, v) < 0)
		c->bad = true;
}
static const struct field header_feature[] = {{FIELD_CALL, .call = call_feature}, {0}};

static const struct field compressed[] = {{FIELD_REST, "data"}, {0}};
static void call_compressed2(struct cursor *c, const struct pd_visitor *v)
{
	uint64_t n = cursor_u64(c);
	const uint8_t *p = cursor_take(c, n);
	if (p)
		v->bytes(v->ctx, "data", p, n);
}
static const struct field compressed2[] = {{FIELD_CALL, .call = call_compressed2}, {0}};
static const struct field bpf_entry[] = {{FIELD_CHARS, "key", .n = 64}, {FIELD_CHARS, "value", .n = 256}, {0}};
static const struct field bpf_metadata[] = {
	{FIELD_CHARS, "program", .n = 16}, {FIELD_LIST64, "entries", bpf_entry}, {0}};
static const struct field schedstat_cpu[] = {{FIELD_U64, "timestamp"},	 {FIELD_U32, "cpu"},
					     {FIELD_U16, "version"},	 {FIELD_SKIP, .n = 2},
					     {FIELD_U32, "yld_count"},	 {FIELD_U32, "array_exp"},
					     {FIELD_U32, "sched_count"}, {FIELD_U32, "sched_goidle"},
					     {FIELD_U32, "ttwu_count"},	 {FIELD_U32, "ttwu_local"},
					     {FIELD_U64, "rq_cpu_time"}, {FIELD_U64, "run_delay"},
					     {FIELD_U64, "pcount"},	 {0}};
static const struct field schedstat_domain[] = {{FIELD_U64, "timestamp"},	 {FIELD_U32, "cpu"},
						{FIELD_U16, "version"},		 {FIELD_U16, "domain"},
						{FIELD_LIST, "counts", one_u32}, {0}};

static const struct field build_id[] = {{FIELD_CALL, .call = visit_build_id}, {0}};
static const struct field rest[] = {{FIELD_REST, "bytes"}, {0}};

static const struct field *const records[PD_RECORD_END] = {
	[PD_RECORD_ATTR] = attr,
	[PD_RECORD_EVENT_TYPE] = event_type,
	[PD_RECORD_TRACING_DATA] = tracing_data,
	[PD_RECORD_BUILD_ID] = build_id,
	[PD_RECORD_FINISHED_ROUND] = nothing,
	[PD_RECORD_ID_INDEX] = id_index,
	[PD_RECORD_AUXTRACE_INFO] = auxtrace_info,
	[PD_RECORD_AUXTRACE] = auxtrace,
	[PD_RECORD_AUXTRACE_ERROR] = auxtrace_error,
	[PD_RECORD_THREAD_MAP] = thread_map,
	[PD_RECORD_CPU_MAP] = cpu_map,
	[PD_RECORD_STAT_CONFIG] = stat_config,
	[PD_RECORD_STAT] = stat,
	[PD_RECORD_STAT_ROUND] = stat_round,
	[PD_RECORD_EVENT_UPDATE] = event_update,
	[PD_RECORD_TIME_CONV] = time_conv,
	[PD_RECORD_HEADER_FEATURE] = header_feature,
	[PD_RECORD_COMPRESSED] = compressed,
	[PD_RECORD_FINISHED_INIT] = nothing,
	[PD_RECORD_COMPRESSED2] = compressed2,
	[PD_RECORD_BPF_METADATA] = bpf_metadata,
	[PD_RECORD_SCHEDSTAT_CPU] = schedstat_cpu,
	[PD_RECORD_SCHEDSTAT_DOMAIN] = schedstat_domain,
};

int pd_visit_user(const void *bytes, size_t n, bool swap, const struct pd_visitor *v)
{
	struct record_header h;
	if (n < sizeof(h))
		return -EBADMSG;
	h = pd_record_header(bytes, swap);
	if (h.size < sizeof(h) || h.size > n)
		return -EBADMSG;
	uint64_t feature;
	struct record_bytes body;
	if (is_google_header(bytes, n, swap, h) && pd_record_feature(bytes, n, swap, &feature, &body))
		return pd_visit_feature((unsigned)feature, body.data, body.size, swap, v);
	/* in old files, entries of the feature BUILD_ID have type 0 */
	const struct field *f = h.type == 0 ? build_id : h.type < PD_RECORD_END ? records[h.type] : NULL;
	struct cursor c = cursor_of(bytes, h.size, swap);
	cursor_take(&c, sizeof(h));
	fields_visit(f ? f : rest, &c, v);
	return c.bad ? -EBADMSG : 0;
}
