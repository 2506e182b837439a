/* From the file into batches. */
#include "source/file/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	BATCH_BYTES = 128 * 1024, /* rounds are gathered up to this: a batch should fit the cache */
	BATCH_MAX = 64 << 20,	  /* a round that is longer is not waited for */
	PIECE_BYTES = 256 * 1024,
	PROGRESS_BYTES = 1 << 20,
};
_Static_assert(PIECE_BYTES > 2 * RECORD_SIZE_MAX, "a whole record, and room for more");

static bool is_kernels(uint32_t type)
{
	return type >= RECORD_MMAP && type < PD_RECORD_FIRST;
}

static bool is_compressed(uint32_t type)
{
	return type == PD_RECORD_COMPRESSED || type == PD_RECORD_COMPRESSED2;
}

/* ---- the kernel's records ------------------------------------------------------------- */

static void note_cpu(struct file *f, const struct record_layout *l, const uint8_t *bytes, const struct record_header *h)
{
	if (l->cpu == LAYOUT_ABSENT || h->size < (size_t)l->cpu + 8)
		return;
	uint32_t cpu = swap_u32(load_u32(bytes + l->cpu), l->swap);
	if (cpu < FILE_CPUS_MAX)
		f->seen_cpu[cpu] = true;
	if (cpu >= (f->info.cpus_n ? f->info.cpus_n : FILE_CPUS_MAX)) /* not known before the first batch is read */
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

/* A whole one of the kernel's, of a known type? */
static bool is_sound(const struct record_header *h, size_t left)
{
	return is_kernels(h->type) && h->size >= sizeof(*h) && h->size % 8 == 0 && h->size <= left &&
	       (h->type == RECORD_SAMPLE || pd_record_name(h->type));
}

/* What take_run() has passed so far. */
struct run {
	size_t n;
	uint64_t first_ns, last_ns;
	uint64_t records, samples;
	bool told; /* see struct batch_run */
};

/* The samples that come next, as nearly all records are: whole, with a time that is no older
 * than the last, and of a CPU that was seen.  `swap` is a constant where this is expanded. */
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
		if (time_ns < last_ns || cpu >= f->info.cpus_n || !f->seen_cpu[cpu])
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

/* One record of any kind; false: it is not sound, or begins another run. */
static bool pass_record(struct file *f, const uint8_t *bytes, size_t n, struct run *run)
{
	const struct record_layout *l = &f->events.common;
	if (n - run->n < sizeof(struct record_header))
		return false;
	struct record_header h = header_at(bytes + run->n, l->swap);
	if (!is_sound(&h, n - run->n))
		return false;
	uint64_t time_ns = record_time_of(l, bytes + run->n, &h);
	if (time_ns && time_ns < run->last_ns && run->n)
		return false;
	run->first_ns = run->first_ns ? run->first_ns : time_ns;
	run->last_ns = time_ns ? time_ns : run->last_ns;
	run->told &= time_ns != 0;
	if (h.type == RECORD_SAMPLE) {
		run->samples++;
		note_cpu(f, l, bytes + run->n, &h);
	}
	if (h.type != RECORD_SAMPLE || h.size < l->fixed_size)
		batch_other(&f->batch, run->n);
	run->records++;
	run->n += h.size;
	return true;
}

/* Takes the sound records of the kernel that come in a row and whose times rise.  Returns
 * their bytes. */
static size_t take_run(struct file *f, const uint8_t *bytes, size_t n)
{
	struct run run = {.last_ns = f->batch.run_ns, .told = true};
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
	if (run.last_ns > f->newest_ns)
		f->newest_ns = run.last_ns;
	if (run.n)
		batch_add(&f->batch, &(struct batch_run){bytes, run.n, run.first_ns, run.last_ns, run.told});
	return run.n;
}

/* The same of all times: nearly all of a recording. */
static size_t take_row(struct file *f, const uint8_t *bytes, size_t n)
{
	size_t sum = 0;
	for (size_t used; (used = take_run(f, bytes + sum, n - sum));)
		sum += used;
	return sum;
}

/* One that take_row() did not take. */
static void take_unsound(struct file *f, const struct record_header *h)
{
	if (h->size % 8)
		f->stats.damaged++;
	else
		f->stats.unknown_types++;
	f->batch.broken = true;
}

/* ---- compressed ones ------------------------------------------------------------------- */

static void begin_piece(struct file *f, const uint8_t *bytes, const struct record_header *h)
{
	struct record_bytes data;
	if (!f->in.inflate)
		f->in.inflate = inflate_create();
	if (!f->in.inflate) {
		f->no_zstd = true;
		return;
	}
	if (pd_record_compressed(bytes, h->size, f->header.swap, &data) < 0) {
		f->stats.damaged++;
		return;
	}
	if (!f->in.piece)
		f->in.piece = mem_calloc(1, PIECE_BYTES);
	inflate_feed(f->in.inflate, data.data, data.size);
	f->in.inflating = true;
}

static void take_own(struct file *f, const uint8_t *bytes, const struct record_header *h);

/* The records that are whole; false: what comes cannot be told from this. */
static bool take_piece(struct file *f)
{
	for (;;) {
		f->in.piece_at += take_row(f, f->in.piece + f->in.piece_at, f->in.piece_n - f->in.piece_at);
		if (f->in.piece_n - f->in.piece_at < sizeof(struct record_header))
			break;
		const uint8_t *bytes = f->in.piece + f->in.piece_at;
		struct record_header h = pd_record_header(bytes, f->header.swap);
		if (h.size < sizeof(h))
			return false;
		if (h.size > f->in.piece_n - f->in.piece_at)
			break;
		f->in.piece_at += h.size;
		if (is_kernels(h.type))
			take_unsound(f, &h);
		else if (!is_compressed(h.type)) /* a compressed one inside a compressed one is nobody's */
			take_own(f, bytes, &h);
	}
	memmove(f->in.piece, f->in.piece + f->in.piece_at, f->in.piece_n - f->in.piece_at);
	f->in.piece_n -= f->in.piece_at;
	f->in.piece_at = 0;
	return true;
}

static void continue_piece(struct file *f)
{
	size_t n;
	int rc = inflate_take(f->in.inflate, f->in.piece + f->in.piece_n, PIECE_BYTES - f->in.piece_n, &n);
	f->in.piece_n += n;
	f->in.inflating = rc == 0 && n > 0;
	if (rc == 0 && take_piece(f))
		return;
	f->in.inflating = false;
	f->in.piece_n = 0;
	f->stats.damaged++;
}

/* ---- perf's records --------------------------------------------------------------------- */

static void take_own(struct file *f, const uint8_t *bytes, const struct record_header *h)
{
	struct error err;
	f->batch.broken = true;
	if (!pd_record_name(h->type))
		f->stats.unknown_types++;
	else if (pd_info_record(&f->pd, bytes, h->size, f->header.swap, &err) < 0)
		f->stats.damaged++;
}

/* Records of this round may be older than any of the one before; those of the next only
 * than this round's. */
static void end_round(struct file *f)
{
	f->complete_ns = f->round_ns;
	f->round_ns = f->newest_ns;
}

static void take(struct file *f, const uint8_t *bytes, const struct record_header *h)
{
	if (is_kernels(h->type)) {
		if (!take_row(f, bytes, h->size))
			take_unsound(f, h);
	} else if (h->type == PD_RECORD_FINISHED_ROUND) {
		if (!f->parts_n)
			end_round(f);
	} else if (is_compressed(h->type)) {
		begin_piece(f, bytes, h);
	} else {
		take_own(f, bytes, h);
		uint64_t payload = pd_record_payload(bytes, h->size, f->header.swap);
		if (payload)
			walk_skip(&f->in.walk, payload);
	}
}

/* ---- batches ----------------------------------------------------------------------------- */

static uint64_t bytes_read(const struct file *f)
{
	return walk_at(&f->in.walk) + parts_read(f);
}

static void report_progress(struct file *f)
{
	uint64_t at = bytes_read(f);
	if (!f->config.progress || at < f->progress_at)
		return;
	f->progress_at = at + PROGRESS_BYTES;
	if (!f->config.progress(f->config.progress_ctx, at,
				f->bytes.size == UINT64_MAX ? 0 : f->bytes.size + parts_size(f)) &&
	    f->in.walk.state == WALK_ON)
		f->in.walk.state = WALK_STOPPED;
}

static void read_over(struct file *f)
{
	f->over = true;
	f->complete_ns = UINT64_MAX;
	f->stats.bytes = bytes_read(f);
	if (f->in.piece_n)
		f->in.walk.state = WALK_CUT;
	if (f->in.walk.state == WALK_CUT)
		f->stats.truncated = true;
}

/* What comes next; false: nothing, or nothing yet. */
static bool load_next(struct file *f, bool *round_ret)
{
	const uint8_t *bytes;
	struct record_header h;
	*round_ret = false;
	if (f->in.inflating) {
		continue_piece(f);
		return true;
	}
	size_t n = walk_window(&f->in.walk, &bytes);
	walk_pass(&f->in.walk, take_row(f, bytes, n));
	if (!walk_next(&f->in.walk, &bytes, &h))
		return false;
	take(f, bytes, &h);
	*round_ret = h.type == PD_RECORD_FINISHED_ROUND;
	return true;
}

bool load_stretch(struct file *f)
{
	size_t begin = f->batch.n;
	bool round;
	while (f->batch.n - begin < BATCH_BYTES)
		if (!load_next(f, &round))
			return false;
	return true;
}

static void load_rounds(struct file *f)
{
	size_t begin = f->batch.n;
	while (!f->over) {
		bool round;
		if (f->batch.n >= BATCH_MAX) {
			f->complete_ns = f->newest_ns;
			break;
		}
		if (!load_next(f, &round)) {
			f->blocked = f->in.walk.state == WALK_ON;
			if (f->blocked)
				break;
			read_over(f);
		} else if (round && f->batch.n - begin >= BATCH_BYTES) {
			break;
		}
	}
}

/* What the others need to be understood is in the first: all of that comes before them. */
static void load_parts(struct file *f)
{
	bool more;
	while (!f->main_over && load_stretch(f))
		report_progress(f);
	f->main_over = true;
	do {
		more = parts_load(f);
		report_progress(f);
	} while (more && !f->complete_ns);
	if (!more)
		read_over(f);
}

void file_load(struct file *f)
{
	f->blocked = false;
	if (f->parts_n && !f->over)
		load_parts(f);
	else
		load_rounds(f);
	f->stats.bytes = bytes_read(f);
	report_progress(f);
}

int file_load_preamble(struct file *f, struct error *err)
{
	const uint8_t *bytes;
	struct record_header h;
	while (walk_next(&f->in.walk, &bytes, &h)) {
		if (is_compressed(h.type) && !(f->in.inflate = f->in.inflate ? f->in.inflate : inflate_create()))
			return error_set(err, ENOTSUP,
					 "Its records are compressed, and this cyctop was built without libzstd.");
		if (is_kernels(h.type) || is_compressed(h.type)) {
			walk_back(&f->in.walk, &h);
			return 0;
		}
		take(f, bytes, &h);
	}
	return 0; /* nothing but what was said */
}

void reading_deinit(struct reading *r)
{
	walk_deinit(&r->walk);
	inflate_destroy(r->inflate);
	free(r->piece);
	*r = (struct reading){0};
}

void file_rewind(struct file *f)
{
	reading_deinit(&f->in);
	walk_init(&f->in.walk, &f->bytes, f->header.swap, f->data_begin, f->data_end);
	parts_start(f);
	f->over = f->main_over = f->blocked = f->fresh = false;
	batch_clear(&f->batch);
	f->newest_ns = f->round_ns = f->complete_ns = 0;
	f->cpus_beyond = 0;
}
