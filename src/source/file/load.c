/* Loads records from the file into the batch. */
#include "base/limits.h"
#include "source/file/file.h"

#include <errno.h>
#include <string.h>

static bool is_kernels(uint32_t type)
{
	return type >= RECORD_MMAP && type < PD_RECORD_FIRST;
}

static bool is_compressed(uint32_t type)
{
	return type == PD_RECORD_COMPRESSED || type == PD_RECORD_COMPRESSED2;
}

/* ---- adding kernel records to the batch ----------------------------------------------- */

static void note_cpu(struct file *f, const struct record_layout *l, const uint8_t *bytes, const struct record_header *h)
{
	if (l->cpu == LAYOUT_ABSENT || h->size < (size_t)l->cpu + 8)
		return;
	uint32_t cpu = swap_u32(load_u32(bytes + l->cpu), l->swap);
	if (cpu < FILE_CPUS_MAX && f->seen_cpu[cpu] < 2)
		f->seen_cpu[cpu]++;
	if (cpu >= (f->info.cpus_n ? f->info.cpus_n : FILE_CPUS_MAX)) /* cpus_n is 0 while the first batch is loaded */
		f->cpus_beyond++;
}

static struct record_header header_at(const uint8_t *bytes, bool swap)
{
	return (struct record_header){
		.type = swap_u32(load_u32(bytes), swap),
		.misc = swap_u16(load_u16(bytes + 4), swap),
		.size = swap_u16(load_u16(bytes + 6), swap),
	};
}

/* Returns true for a well-formed kernel record of a known type. */
static bool is_sound(const struct record_header *h, size_t left)
{
	return is_kernels(h->type) && h->size >= sizeof(*h) && h->size % 8 == 0 && h->size <= left &&
	       (h->type == RECORD_SAMPLE || pd_record_name(h->type));
}

/* The records that were accepted so far, which follow each other; see struct batch_run. */
struct run {
	size_t n;
	bool alone; /* the buffer has a single record, which the reader has checked */
	uint64_t first_ns, last_ns;
	uint64_t records, samples;
	bool ordered; /* all records so far had a time */
};

/* Returns true if the record before bytes[at] is followed by one whose size is not 0.  Otherwise the reader checks that
 * record: after a crash, zeros may have replaced its end. */
static inline bool is_followed(const uint8_t *bytes, size_t n, size_t at, const struct run *run)
{
	return run->alone || (n - at >= sizeof(struct record_header) && load_u16(bytes + at + 6));
}

/* Accepts samples on a fast path, as long as they are whole, of a CPU that had samples before, and not older than the
 * sample before them.  Nearly all are.  Inlined twice, each time with a constant `swap`. */
static inline __attribute__((always_inline)) void pass_samples(const struct file *f, const uint8_t *bytes, size_t n,
							       bool swap, struct run *run)
{
	const struct record_layout *l = &f->events.common;
	size_t at = run->n, smallest = l->fixed_size, time_at = (size_t)l->time, cpu_at = (size_t)l->cpu;
	uint64_t last_ns = run->last_ns, samples = 0;
	if (l->time == LAYOUT_ABSENT || l->cpu == LAYOUT_ABSENT || !run->first_ns)
		return;
	while (n - at >= sizeof(struct record_header)) {
		struct record_header h = header_at(bytes + at, swap);
		if (h.type != RECORD_SAMPLE || h.size < smallest || h.size % 8 || h.size > n - at)
			break;
		uint64_t time_ns = load_u64_as(bytes + at + time_at, swap);
		uint32_t cpu = swap_u32(load_u32(bytes + at + cpu_at), swap);
		if (time_ns < last_ns || cpu >= f->info.cpus_n || !f->seen_cpu[cpu] ||
		    !is_followed(bytes, n, at + h.size, run))
			break;
		last_ns = time_ns;
		samples++;
		at += h.size;
	}
	run->n = at;
	run->last_ns = last_ns;
	run->records += samples;
	run->samples += samples;
}

/* Notes the kernel's address from the MMAP record that perf writes for it: "[kernel.kallsyms]_text", pid -1. */
static void note_kernel(struct file *f, const uint8_t *bytes, const struct record_header *h)
{
	enum { PID_AT = 8, PGOFF_AT = 32, NAME_AT = 40 };
	static const char kernel[] = "[kernel.kallsyms]";
	if (h->type != RECORD_MMAP || h->size <= NAME_AT + sizeof(kernel) || f->pd.kernel_addr ||
	    load_u32(bytes + PID_AT) != UINT32_MAX || memcmp(bytes + NAME_AT, kernel, sizeof(kernel) - 1) != 0)
		return;
	const char *name = (const char *)bytes + NAME_AT + sizeof(kernel) - 1;
	size_t n = strnlen(name, h->size - NAME_AT - sizeof(kernel) + 1);
	if (!n || n >= sizeof(f->pd.kernel_name))
		return;
	memcpy(f->pd.kernel_name, name, n);
	f->pd.kernel_addr = load_u64_as(bytes + PGOFF_AT, f->swap);
}

/* Accepts one kernel record of any type.  Returns false if it is malformed, or older than the record before it. */
static bool pass_record(struct file *f, const uint8_t *bytes, size_t n, struct run *run)
{
	const struct record_layout *l = &f->events.common;
	if (n - run->n < sizeof(struct record_header))
		return false;
	struct record_header h = header_at(bytes + run->n, l->swap);
	if (!is_sound(&h, n - run->n) || !is_followed(bytes, n, run->n + h.size, run))
		return false;
	uint64_t time_ns = record_time_of(l, bytes + run->n, &h);
	if (time_ns && time_ns < run->last_ns && run->n)
		return false;
	run->first_ns = run->first_ns ? run->first_ns : time_ns;
	run->last_ns = time_ns ? time_ns : run->last_ns;
	run->ordered &= time_ns != 0;
	if (h.type == RECORD_SAMPLE) {
		run->samples++;
		note_cpu(f, l, bytes + run->n, &h);
	} else {
		note_kernel(f, bytes + run->n, &h);
	}
	if (h.type != RECORD_SAMPLE || h.size < l->fixed_size)
		batch_other(&f->batch, run->n);
	run->records++;
	run->n += h.size;
	return true;
}

/* Adds a run to the batch: consecutive kernel records whose times do not decrease.  Returns its length in bytes. */
static size_t take_run(struct file *f, const uint8_t *bytes, size_t n, bool alone)
{
	struct run run = {.alone = alone, .last_ns = f->batch.run_ns, .ordered = true};
	while (pass_record(f, bytes, n, &run)) {
		if (f->events.common.swap)
			pass_samples(f, bytes, n, true, &run);
		else
			pass_samples(f, bytes, n, false, &run);
	}
	f->stats.records += run.records;
	f->stats.samples += run.samples;
	if (!run.first_ns)
		run.last_ns = 0;
	if (run.first_ns && run.first_ns < f->cut_ns)
		f->unordered = true;
	if (run.last_ns > f->newest_ns)
		f->newest_ns = f->pd.newest_ns = run.last_ns;
	if (run.first_ns && (!f->pd.oldest_ns || run.first_ns < f->pd.oldest_ns))
		f->pd.oldest_ns = run.first_ns;
	if (run.n)
		batch_add(&f->batch, &(struct batch_run){bytes, run.n, run.first_ns, run.last_ns, run.ordered});
	return run.n;
}

/* Adds consecutive kernel records to the batch, run after run; nearly all records of a recording are added here.
 * `alone`: `bytes` has a single record.  Returns the length in bytes of the records added. */
static size_t add_kernel_records(struct file *f, const uint8_t *bytes, size_t n, bool alone)
{
	size_t sum = 0;
	for (size_t used; (used = take_run(f, bytes + sum, n - sum, alone));)
		sum += used;
	return sum;
}

/* Counts, as unknown or damaged, a kernel record that add_kernel_records() refused. */
static void take_unsound(struct file *f, const struct record_header *h)
{
	if (h->size % 8)
		f->stats.damaged++;
	else
		f->stats.unknown_types++;
	f->batch.broken = true;
}

/* ---- handling perf's own records ------------------------------------------------------------- */

static void take_own(struct file *f, const uint8_t *bytes, const struct record_header *h)
{
	struct error err;
	f->batch.broken = true;
	if (!pd_record_name(h->type))
		f->stats.unknown_types++;
	else if (pd_info_record(&f->pd, bytes, h->size, f->swap, &err) < 0)
		f->stats.damaged++;
}

/* Reads the descriptions of tracepoints from a pipe, where they follow a TRACING_DATA record as its payload. */
static void take_tracing(struct file *f, struct reader *in)
{
	VEC(uint8_t) all = {0};
	const uint8_t *bytes;
	struct error err;
	for (size_t n; (n = reader_payload(in, &bytes)) > 0;) {
		if (n > LIMIT_RECORDING_SECTION - all.n) {
			file_note(f, "too large", "Limit reached: %s (TRACING_DATA).",
				  limit_row(REACHED_RECORDING_SECTION)->sentence);
			break;
		}
		vec_reserve(&all, all.n + n);
		memcpy(all.data + all.n, bytes, n);
		all.n += n;
	}
	if (pd_info_feature(&f->pd, PD_TRACING_DATA, all.data, all.n, f->swap, &err) < 0)
		f->stats.damaged++;
	vec_free(&all);
}

/* Ends a round, in which perf read each ring once.  The next round may contain records older than the newest of this
 * round, but none older than the newest of the round before. */
static void end_round(struct file *f)
{
	f->complete_ns = f->round_ns;
	f->round_ns = f->newest_ns;
}

/* Handles a record that reader_next() returned.  Does nothing for a COMPRESSED record: the reader returns the records
 * in it one by one. */
static void take(struct file *f, struct reader *in, const uint8_t *bytes, const struct record_header *h)
{
	if (is_kernels(h->type)) {
		if (!add_kernel_records(f, bytes, h->size, true))
			take_unsound(f, h);
	} else if (h->type == PD_RECORD_FINISHED_ROUND) {
		if (!f->parts_n)
			end_round(f);
	} else if (!is_compressed(h->type)) {
		take_own(f, bytes, h);
		if (h->type == PD_RECORD_TRACING_DATA && (f->config.fields || f->config.off_cpu))
			take_tracing(f, in);
	}
}

/* ---- loading batches --------------------------------------------------------------------- */

enum reader_state load_next(struct file *f, struct reader *in, bool *round_ret)
{
	const uint8_t *bytes;
	struct reader_record rec;
	*round_ret = false;
	size_t n = reader_window(in, &bytes);
	if (n)
		reader_pass(in, add_kernel_records(f, bytes, n, false));
	enum reader_state state = reader_next(in, &rec);
	if (state == READER_DAMAGE) {
		f->stats.damaged += !reader_lacks_zstd(in);
		return READER_RECORD;
	}
	if (state == READER_RECORD) {
		take(f, in, rec.bytes, &rec.h);
		*round_ret = rec.h.type == PD_RECORD_FINISHED_ROUND;
	}
	return state;
}

bool load_stretch(struct file *f, struct reader *in)
{
	size_t begin = f->batch.n;
	bool round;
	while (f->batch.n - begin < BATCH_BYTES)
		if (load_next(f, in, &round) != READER_RECORD)
			return false;
	return true;
}

int file_load_preamble(struct file *f, struct error *err)
{
	struct reader_record rec;
	while (reader_next(f->in, &rec) == READER_RECORD) {
		if (is_compressed(rec.h.type) && !reader_can_decompress())
			return error_set(err, ENOTSUP,
					 "Its records are compressed, and this cyctop was built without libzstd.");
		if (is_kernels(rec.h.type) || is_compressed(rec.h.type)) {
			reader_back(f->in, &rec);
			return 0;
		}
		take(f, f->in, rec.bytes, &rec.h);
	}
	return 0;
}
