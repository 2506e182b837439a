/* Fills the batch with records, from all files of a recording. */
#include "base/limits.h"
#include "source/file/file.h"

enum { PROGRESS_BYTES = 1 << 20 };

static uint64_t bytes_read(const struct file *f)
{
	return reader_at(f->in) + parts_read(f);
}

static void report_progress(struct file *f)
{
	uint64_t at = bytes_read(f);
	if (!f->config.progress || at < f->progress_at)
		return;
	f->progress_at = at + PROGRESS_BYTES;
	if (!f->config.progress(f->config.progress_ctx, at,
				reader_size(f->in) == UINT64_MAX ? 0 : reader_size(f->in) + parts_size(f))) {
		f->stopped = true;
		reader_stop(f->in);
	}
}

static void read_over(struct file *f)
{
	f->over = true;
	f->complete_ns = UINT64_MAX;
	f->stats.bytes = bytes_read(f);
	if (reader_ending(f->in) == ENDING_CUT)
		f->stats.truncated = true;
}

static void load_rounds(struct file *f)
{
	size_t begin = f->batch.n;
	while (!f->over) {
		bool round;
		if (f->batch.n >= LIMIT_RECORDING_ROUND) {
			f->complete_ns = f->cut_ns = f->newest_ns;
			break;
		}
		enum reader_state state = load_next(f, f->in, &round);
		f->blocked = state == READER_BLOCKED;
		if (state == READER_END)
			read_over(f);
		if (f->blocked || (round && f->batch.n - begin >= BATCH_BYTES))
			break;
	}
}

/* Loads a batch from all files.  The file with the header is read first, to its end, because it has the records on
 * events and processes that the records of the other files need. */
static void load_parts(struct file *f)
{
	bool more;
	while (!f->main_over && load_stretch(f, f->in))
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

void file_rewind(struct file *f)
{
	reader_rewind(f->in);
	parts_rewind(f);
	f->over = f->main_over = f->blocked = f->fresh = false;
	batch_clear(&f->batch);
	f->newest_ns = f->round_ns = f->complete_ns = f->cut_ns = 0;
	f->cpus_beyond = f->empty_steps = 0;
	f->progress_at = 0;
}
