#include "recorder/stats.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "recorder/code.h"
#include "recorder/describe.h"

#include <stdlib.h>
#include <string.h>

void recording_stats_init(struct recording_stats *s, const struct record_layout *layout, struct pd_info *info)
{
	*s = (struct recording_stats){.layout = layout, .info = info};
	index_init(&s->by_path);
}

void recording_stats_deinit(struct recording_stats *s)
{
	for (size_t i = 0; i < s->paths.n; i++)
		free(s->paths.data[i]);
	vec_free(&s->paths);
	index_deinit(&s->by_path);
}

static bool same_path(const void *ctx, uint32_t pos)
{
	const void *const *key = ctx;
	const struct recording_stats *s = key[0];
	return strcmp(s->paths.data[pos], key[1]) == 0;
}

/* Was the build-id of `path` not looked up yet? */
static bool is_new(struct recording_stats *s, const char *path)
{
	const void *key[] = {s, path};
	uint64_t hash = index_hash_bytes(&s->by_path, path, strlen(path));
	if (index_find(&s->by_path, hash, same_path, key) != INDEX_NONE)
		return false;
	if (s->paths.n >= LIMIT_RECORDED_FILES) {
		limit_count(&s->limits, REACHED_RECORDED_FILES);
		return false;
	}
	index_add(&s->by_path, hash, (uint32_t)s->paths.n);
	vec_push(&s->paths) = mem_strdup(path);
	return true;
}

static void add_build_id(struct recording_stats *s, const struct record *rec)
{
	const struct record_mmap *m = &rec->u.mmap;
	bool kernel = (rec->misc & MISC_CPUMODE_MASK) == MISC_KERNEL;
	struct pd_build_id id;
	/* only programs of this word size have our vdso; 32-bit programs map another one below
	 * 4 GB */
	bool vdso = strcmp(m->filename, "[vdso]") == 0 && (m->start > UINT32_MAX) == (sizeof(void *) > 4);
	if ((!kernel && !vdso && m->filename[0] != '/') || !is_new(s, m->filename))
		return;
	if (!(kernel ? build_id_of_kernel(m->filename, &id)
	      : vdso ? build_id_of_vdso(&id)
		     : build_id_of_file(m->filename, m->pid, m->ino, &id)))
		return;
	pd_info_add_build_id(s->info, &id);
}

void recording_stats_add_decoded(struct recording_stats *s, const struct record *rec)
{
	if (rec->type == RECORD_LOST)
		s->lost += rec->u.lost.lost;
	if (rec->type == RECORD_MMAP || rec->type == RECORD_MMAP2)
		add_build_id(s, rec);
	if (s->code)
		code_names_record(s->code, rec);
}

static void add_sample(struct recording_stats *s, uint64_t time_ns)
{
	struct pd_info *info = s->info;
	s->samples++;
	if (!time_ns)
		return;
	if (!info->first_ns || time_ns < info->first_ns)
		info->first_ns = time_ns;
	if (time_ns > info->last_ns)
		info->last_ns = time_ns;
}

void recording_stats_add(struct recording_stats *s, const uint8_t *bytes, size_t size)
{
	enum { ROW = 32 };
	struct sample_core row[ROW];
	struct record rec;
	size_t n, used;
	for (; size && (n = record_sample_cores(s->layout, bytes, size, row, ROW, &used));
	     bytes += used, size -= used) {
		for (size_t i = 0; i < n; i++)
			add_sample(s, row[i].time_ns);
		if (s->code)
			code_names_samples(s->code, row, n);
	}
	if (size && record_decode(s->layout, bytes, size, &rec) == 0)
		recording_stats_add_decoded(s, &rec);
}
