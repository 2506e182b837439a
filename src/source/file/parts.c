/* perf record --threads: the rings' records are not in the file `data` but beside it, a
 * file a ring.  Each is in the order of time, so that they are read side by side, always
 * the one that is behind. */
#include "source/file/file.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 4096 };

struct part {
	struct bytes bytes;
	struct reading reading;
	uint64_t newest_ns;
	bool over;
};

static void start_part(const struct file *f, struct part *p)
{
	p->newest_ns = 0;
	p->over = false;
	reading_deinit(&p->reading);
	walk_init(&p->reading.walk, &p->bytes, f->header.swap, 0, p->bytes.size);
	p->reading.walk.wait = true;
}

void parts_open(struct file *f, const char *dir)
{
	struct bytes bytes;
	while (f->parts_n < PARTS_MAX && bytes_open_part(dir, (unsigned)f->parts_n, &bytes) == 0) {
		f->parts = mem_realloc(f->parts, f->parts_n + 1, sizeof(*f->parts));
		f->parts[f->parts_n++] = (struct part){.bytes = bytes};
	}
}

void parts_start(struct file *f)
{
	for (size_t i = 0; i < f->parts_n; i++)
		start_part(f, &f->parts[i]);
}

void parts_close(struct file *f)
{
	for (size_t i = 0; i < f->parts_n; i++) {
		reading_deinit(&f->parts[i].reading);
		bytes_close(&f->parts[i].bytes);
	}
	free(f->parts);
	f->parts = NULL;
	f->parts_n = 0;
}

struct bytes *parts_bytes(const struct file *f, size_t i)
{
	return &f->parts[i].bytes;
}

uint64_t parts_size(const struct file *f)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < f->parts_n; i++)
		sum = u64_add_sat(sum, f->parts[i].bytes.size);
	return sum;
}

uint64_t parts_read(const struct file *f)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < f->parts_n; i++)
		sum += walk_at(&f->parts[i].reading.walk);
	return sum;
}

static struct part *hindmost(const struct file *f)
{
	struct part *ret = NULL;
	for (size_t i = 0; i < f->parts_n; i++)
		if (!f->parts[i].over && (!ret || f->parts[i].newest_ns < ret->newest_ns))
			ret = &f->parts[i];
	return ret;
}

bool parts_load(struct file *f)
{
	struct part *p = hindmost(f);
	if (!p)
		return false;
	uint64_t newest_ns = f->newest_ns;
	struct reading main = f->in;
	f->newest_ns = p->newest_ns;
	f->in = p->reading;
	f->batch.broken = true;
	p->over = !load_stretch(f);
	if (p->over && f->in.walk.state != WALK_END && f->in.walk.state != WALK_STOPPED)
		f->parts_cut++;
	bool stopped = f->in.walk.state == WALK_STOPPED;
	p->reading = f->in;
	p->newest_ns = f->newest_ns;
	f->in = main;
	f->newest_ns = newest_ns > p->newest_ns ? newest_ns : p->newest_ns;
	if (stopped)
		f->in.walk.state = WALK_STOPPED;
	p = stopped ? NULL : hindmost(f);
	f->complete_ns = p ? p->newest_ns : UINT64_MAX;
	return p;
}
