#include "app/tally.h"

#include "base/alloc.h"

#include <cyctop/writer.h>

#include <stdlib.h>
#include <string.h>

enum { PATHS_MAX = 100000 };

void tally_init(struct tally *t, const struct record_layout *layout, struct pd_info *info)
{
	*t = (struct tally){.layout = layout, .info = info, .scratch = mem_calloc(1, RECORD_SIZE_MAX + 1)};
	index_init(&t->by_path);
}

void tally_deinit(struct tally *t)
{
	for (size_t i = 0; i < t->paths.n; i++)
		free(t->paths.data[i]);
	vec_free(&t->paths);
	index_deinit(&t->by_path);
	free(t->scratch);
}

static bool same_path(const void *ctx, uint32_t pos)
{
	const void *const *key = ctx;
	const struct tally *t = key[0];
	return strcmp(t->paths.data[pos], key[1]) == 0;
}

static bool is_new(struct tally *t, const char *path)
{
	const void *key[] = {t, path};
	uint64_t hash = hash_bytes(path, strlen(path));
	if (t->paths.n >= PATHS_MAX || index_find(&t->by_path, hash, same_path, key) != INDEX_NONE)
		return false;
	index_add(&t->by_path, hash, (uint32_t)t->paths.n);
	vec_push(&t->paths) = mem_strdup(path);
	return true;
}

static void add_build_id(struct tally *t, const struct record *rec)
{
	const struct record_mmap *m = &rec->u.mmap;
	bool kernel = (rec->misc & MISC_CPUMODE_MASK) == MISC_KERNEL;
	struct pd_build_id id;
	/* A smaller word size has its [vdso] far below. */
	bool vdso = strcmp(m->filename, "[vdso]") == 0 && (m->start > UINT32_MAX) == (sizeof(void *) > 4);
	if ((!kernel && !vdso && m->filename[0] != '/') || !is_new(t, m->filename))
		return;
	if (!(kernel ? writer_kernel_build_id(m->filename, &id)
	      : vdso ? writer_vdso_build_id(&id)
		     : writer_build_id(m->filename, m->pid, m->ino, &id)))
		return;
	struct pd_info *info = t->info;
	info->build_ids = mem_realloc(info->build_ids, info->build_ids_n + 1, sizeof(id));
	info->build_ids[info->build_ids_n++] = id;
}

void tally_record(struct tally *t, const struct record *rec)
{
	if (rec->type == RECORD_LOST)
		t->lost += rec->u.lost.lost;
	if (rec->type == RECORD_MMAP || rec->type == RECORD_MMAP2)
		add_build_id(t, rec);
}

static void sample(struct tally *t, const uint8_t *bytes, size_t size)
{
	struct sample_core core;
	t->samples++;
	if (record_sample_core(t->layout, bytes, size, &core) < 0 || !core.time_ns)
		return;
	struct pd_info *info = t->info;
	if (!info->first_ns || core.time_ns < info->first_ns)
		info->first_ns = core.time_ns;
	if (core.time_ns > info->last_ns)
		info->last_ns = core.time_ns;
}

/* `n` contiguous bytes at `at` of the lane: in place, or gathered where they wrap. */
static const uint8_t *bytes_at(struct tally *t, const struct lane *lane, size_t at, size_t n)
{
	if (at + n <= lane->a_len)
		return lane->a + at;
	if (at >= lane->a_len)
		return lane->b + (at - lane->a_len);
	size_t first = lane->a_len - at;
	memcpy(t->scratch, lane->a + at, first);
	memcpy(t->scratch + first, lane->b, n - first);
	return t->scratch;
}

void tally_lane(struct tally *t, const struct lane *lane)
{
	size_t len = lane->a_len + lane->b_len;
	for (size_t at = 0; len - at >= sizeof(struct record_header);) {
		struct record_header h;
		struct record rec;
		memcpy(&h, bytes_at(t, lane, at, sizeof(h)), sizeof(h));
		if (h.size < sizeof(h) || h.size > len - at)
			return;
		if (h.type == RECORD_SAMPLE) {
			sample(t, bytes_at(t, lane, at, h.size), h.size);
		} else if (h.type == RECORD_LOST || h.type == RECORD_MMAP || h.type == RECORD_MMAP2) {
			if (record_decode(t->layout, bytes_at(t, lane, at, h.size), h.size, &rec) == 0)
				tally_record(t, &rec);
		}
		at += h.size;
	}
}
