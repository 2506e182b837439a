/* Fuzzes the decoder: takes any bytes as an attr and a ring, reads the ring through the merger,
 * decodes the records, and encodes the decoded records again. */
#include <cyctop/record.h>

#include "../lib/merge_singly.h"
#include "../lib/records.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The start of an input; seeds_record.c writes the same struct. */
struct input {
	uint32_t sample_type;
	uint8_t read_format;
	uint8_t branch; /* 1: HW_INDEX, 2: COUNTERS */
	uint8_t flags; /* 1: sample_id_all; 2: go on without a valid layout; 4: the other byte order; 8: a mixed lane */
	uint8_t unused;
	uint16_t cut; /* offset at which the ring wraps */
	uint16_t regs_user, regs_intr;
	uint16_t horizon;
};

struct reader {
	const struct record_layout *layout;
	uint64_t records, sum;
};

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* A decoded record that is encoded and decoded again must be the same. */
static void check_round_trip(const struct record_layout *layout, const struct record *rec)
{
	static uint8_t once[RECORD_SIZE_MAX], twice[RECORD_SIZE_MAX];
	struct record again;
	size_t n = record_encode(layout, rec, once, sizeof(once));
	if (!n) /* an unknown type, or adding the branch index made the record too large */
		return;
	check(record_decode(layout, once, n, &again) == 0);
	check(again.type == rec->type && again.misc == rec->misc && again.size == n);
	check(memcmp(&again.id, &rec->id, sizeof(again.id)) == 0);
	check(record_encode(layout, &again, twice, sizeof(twice)) == n);
	check(memcmp(once, twice, n) == 0);
}

/* A sample whose chain of user code comes later is whole with it. */
static void check_stitched(const struct record_layout *layout, const uint8_t *bytes, const struct record *rec)
{
	static uint8_t whole[RECORD_SIZE_MAX];
	struct record again;
	uint64_t cookie;
	const struct record_words user = rec->u.sample.callchain; /* any other words */
	if (!record_deferred(layout, bytes, rec->size, &cookie))
		return;
	size_t n = record_stitch(layout, bytes, rec->size, user, whole, sizeof(whole));
	check(n >= rec->size - 8u);
	if (!(layout->sample_type & SAMPLE_BRANCH_STACK)) /* whose index is told by the size of the record */
		check(record_decode(layout, whole, n, &again) == 0 &&
		      again.u.sample.callchain.n <= 2 * rec->u.sample.callchain.n - 1);
}

static void check_core(const struct record_layout *layout, const uint8_t *bytes, size_t size, const struct record *rec)
{
	struct sample_core core;
	if (record_sample_core(layout, bytes, size, &core) < 0) {
		check(rec->type != RECORD_SAMPLE);
		return;
	}
	check(rec->type == RECORD_SAMPLE);
	check(core.id == rec->id.id && core.time_ns == rec->id.time_ns && core.cpu == rec->id.cpu);
	check(core.pid == rec->id.pid && core.tid == rec->id.tid && core.misc == rec->misc);
	check(core.ip == rec->u.sample.ip && core.period == rec->u.sample.period);
}

static void read_record(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct reader *r = ctx;
	struct record rec;
	(void)lane;
	r->records++;
	if (record_decode(r->layout, bytes, size, &rec) < 0)
		return;
	check(rec.size == size);
	check_core(r->layout, bytes, size, &rec);
	if (rec.type == RECORD_SAMPLE)
		check_stitched(r->layout, bytes, &rec);
	r->sum += lib_touch(&rec, bytes);
	if (rec.type < 64)
		check_round_trip(r->layout, &rec);
}

static int layout_of(const struct input *in, struct record_layout *ret)
{
	uint64_t branch = (in->branch & 1 ? BRANCH_HW_INDEX : 0) | (in->branch & 2 ? BRANCH_COUNTERS : 0);
	struct perf_attr attr = {
		.size = sizeof(attr),
		.sample_type = in->sample_type,
		.read_format = in->read_format,
		.branch_sample_type = branch,
		.sample_regs_user = in->regs_user,
		.sample_regs_intr = in->regs_intr,
		.flags = in->flags & 1 ? ATTR_SAMPLE_ID_ALL : 0,
	};
	int rc = record_layout_init(ret, &attr);
	if (rc == 0 || !(in->flags & 2))
		return rc;
	attr.sample_type &= SAMPLE_KNOWN & ~(uint64_t)SAMPLE_WEIGHT_STRUCT;
	attr.read_format &= READ_KNOWN;
	return record_layout_init(ret, &attr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in;
	struct record_layout layout;
	if (size < sizeof(in))
		return 0;
	memcpy(&in, data, sizeof(in));
	if (layout_of(&in, &layout) < 0)
		return 0;
	layout.swap = in.flags & 4;
	const uint8_t *ring = data + sizeof(in);
	size_t n = size - sizeof(in), cut = in.cut < n ? in.cut : n;
	struct lane lanes[3] = {
		{.a = ring, .a_len = cut, .b = ring + cut, .b_len = n - cut},
		{.a = ring, .a_len = n, .mixed = in.flags & 8},
		{.a = ring, .a_len = cut, .b = ring + cut, .b_len = n - cut, .sideband = true},
	};
	struct reader r = {.layout = &layout};
	struct merge_stats stats = {0};
	struct merger *m = merger_create();
	merger_run(m, &layout, lanes, 3, in.horizon, merge_singly, &(struct merge_singly){&layout, read_record, &r},
		   &stats);
	merger_run(m, &layout, lanes, 3, UINT64_MAX, merge_singly, &(struct merge_singly){&layout, read_record, &r},
		   &stats);
	for (size_t i = 0; i < 3; i++)
		check(lanes[i].used <= n);
	check(stats.records == r.records && stats.malformed_bytes <= 3 * n);
	merger_destroy(m);
	return 0;
}
