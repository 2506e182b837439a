/* Reads the files data.0, data.1, ... next to `data`, because perf record --threads writes each ring to a file of its
 * own.  Each file is ordered by time.  They are merged by always reading the file that is the furthest behind in
 * time. */
#include "base/limits.h"
#include "source/file/file.h"

#include <stdlib.h>

struct part {
	struct reader *in;
	uint64_t newest_ns;
	bool over;
};

void parts_open(struct file *f)
{
	struct reader *in;
	while (reader_open_part(f->in, (unsigned)f->parts_n, &in) == 0) {
		if (f->parts_n >= LIMIT_RECORDING_PARTS) {
			file_note(f, "cut off", "Limit reached: %s.", limit_row(REACHED_RECORDING_PARTS)->sentence);
			reader_close(in);
			break;
		}
		f->parts = mem_realloc(f->parts, f->parts_n + 1, sizeof(*f->parts));
		f->parts[f->parts_n++] = (struct part){.in = in};
	}
}

void parts_rewind(struct file *f)
{
	for (size_t i = 0; i < f->parts_n; i++) {
		struct part *p = &f->parts[i];
		reader_rewind(p->in);
		p->newest_ns = 0;
		p->over = false;
	}
}

void parts_close(struct file *f)
{
	for (size_t i = 0; i < f->parts_n; i++)
		reader_close(f->parts[i].in);
	free(f->parts);
	f->parts = NULL;
	f->parts_n = 0;
}

uint64_t parts_size(const struct file *f)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < f->parts_n; i++)
		sum = u64_add_sat(sum, reader_size(f->parts[i].in));
	return sum;
}

uint64_t parts_read(const struct file *f)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < f->parts_n; i++)
		sum += reader_at(f->parts[i].in);
	return sum;
}

static struct part *slowest_part(const struct file *f)
{
	struct part *ret = NULL;
	for (size_t i = 0; i < f->parts_n; i++)
		if (!f->parts[i].over && (!ret || f->parts[i].newest_ns < ret->newest_ns))
			ret = &f->parts[i];
	return ret;
}

bool parts_load(struct file *f)
{
	struct part *p = slowest_part(f);
	if (!p)
		return false;
	/* load_stretch() updates f->newest_ns; here it is made the time of this file alone */
	uint64_t newest_ns = f->newest_ns;
	f->newest_ns = p->newest_ns;
	f->batch.broken = true;
	p->over = !load_stretch(f, p->in);
	p->newest_ns = f->newest_ns;
	f->newest_ns = newest_ns > p->newest_ns ? newest_ns : p->newest_ns;
	if (p->over && reader_ending(p->in) != ENDING_WHOLE)
		f->parts_cut++;
	p = f->stopped ? NULL : slowest_part(f);
	f->complete_ns = p ? p->newest_ns : UINT64_MAX;
	return p;
}
