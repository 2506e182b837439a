#include "recorder/stats.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/load.h"
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
	for (size_t i = 0; i < s->files.n; i++)
		free(s->files.data[i].path);
	vec_free(&s->files);
	index_deinit(&s->by_path);
}

/* Returns true if the mapping is of another file than `known`, at the same path.  The generation of the inode is
 * compared if both have it: records made from /proc do not. */
static bool is_other(const struct recorded_file *known, const struct record_mmap *m)
{
	return known->ino != m->ino || known->maj != m->maj || known->min != m->min ||
	       (known->generation && m->ino_generation && known->generation != m->ino_generation);
}

/* Returns the entry for a mapped file, if its build-id must be read: the path is new, or another file was mapped there
 * before.  Returns NULL if not, or if there are too many files. */
static struct recorded_file *note_file(struct recording_stats *s, const struct record_mmap *m)
{
	uint32_t at = index_find_by_text(&s->by_path, s->files.data, path, m->filename);
	bool replaced = at != INDEX_NONE;
	if (at == INDEX_NONE && s->files.n >= LIMIT_RECORDED_FILES) {
		limit_count(&s->limits, REACHED_RECORDED_FILES);
		return NULL;
	}
	if (at == INDEX_NONE) {
		at = (uint32_t)s->files.n;
		index_add(&s->by_path, index_hash_text(&s->by_path, m->filename), at);
		vec_push(&s->files) = (struct recorded_file){.path = mem_strdup(m->filename)};
	} else if (!is_other(&s->files.data[at], m) || s->files.data[at].gave_up) {
		return NULL;
	}
	struct recorded_file *file = &s->files.data[at];
	file->replaced = replaced;
	file->maj = m->maj;
	file->min = m->min;
	file->ino = m->ino;
	file->generation = m->ino_generation;
	return file;
}

/* Adds the build-id of a file.  If files at its path were replaced, each file gets an entry, in the order of mapping,
 * so that readers do not use the build-id of the wrong file.  Two equal entries say that all had the same build-id. */
static void add_entry(struct recording_stats *s, struct recorded_file *file, struct pd_build_id *id)
{
	enum { ENTRIES_MAX = 8 };
	bool equal = id->size == file->build_id_size && memcmp(id->id, file->build_id, id->size) == 0;
	if (file->entries >= 2 && equal) {
		free(id->path);
		return;
	}
	file->gave_up = file->entries >= ENTRIES_MAX;
	if (file->gave_up)
		memset(id->id, 0xff, sizeof(id->id)); /* matches no file: for all further ones here */
	file->entries++;
	file->build_id_size = id->size;
	memcpy(file->build_id, id->id, sizeof(file->build_id));
	pd_info_add_build_id(s->info, id);
}

static void add_build_id(struct recording_stats *s, const struct record *rec)
{
	const struct record_mmap *m = &rec->u.mmap;
	bool kernel = (rec->misc & MISC_CPUMODE_MASK) == MISC_KERNEL;
	struct pd_build_id id;
	/* programs of this word size share the vdso of this process; 32-bit programs have another below 4 GB */
	bool vdso = strcmp(m->filename, "[vdso]") == 0 && (m->start > UINT32_MAX) == (sizeof(void *) > 4);
	if (!kernel && !vdso && m->filename[0] != '/')
		return;
	struct recorded_file *file = note_file(s, m);
	if (!file)
		return;
	bool found = kernel ? build_id_of_kernel(m->filename, &id)
		     : vdso ? build_id_of_vdso(&id)
			    : build_id_of_file(m->filename, m->pid, m->ino, &id);
	if (!found && file->replaced) { /* a build-id of 0xff, so that readers do not use that of the replaced file */
		id = (struct pd_build_id){
			.pid = -1, .misc = MISC_USER, .size = sizeof(id.id), .path = mem_strdup(m->filename)};
		memset(id.id, 0xff, sizeof(id.id));
	}
	if (found || file->replaced)
		add_entry(s, file, &id);
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

static void name_callers(struct recording_stats *s, const struct sample_core *row, size_t n, const uint8_t *bytes)
{
	struct record_words chain;
	for (size_t i = 0; i < n; i++) {
		size_t size = load_u16(bytes + offsetof(struct record_header, size));
		if (record_sample_chain(s->layout, bytes, size, &chain))
			code_names_callers(s->code, &row[i], chain);
		bytes += size;
	}
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
		if (s->code && s->layout->sample_type & SAMPLE_CALLCHAIN)
			name_callers(s, row, n, bytes);
	}
	if (size && record_decode(s->layout, bytes, size, &rec) == 0)
		recording_stats_add_decoded(s, &rec);
}
