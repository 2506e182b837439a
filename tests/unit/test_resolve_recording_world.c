#include "test_resolve_recording_world.h"

#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int stage_setup(void **state)
{
	struct stage *s = mem_calloc(1, sizeof(*s));
	scratch_dir(s->dir);
	s->info.build_ids = s->ids;
	s->config.info = &s->info;
	setenv("HOME", stage_path(s, "/home"), 1);
	/* no file of this machine, and no server, has names */
	static const char *const others[] = {
		"DEBUGINFOD_URLS",	   "DEBUGINFOD_CACHE_PATH",    "DEBUGINFOD_TIMEOUT",	 "DEBUGINFOD_MAXTIME",
		"DEBUGINFOD_MAXSIZE",	   "DEBUGINFOD_PROGRESS",      "DEBUGINFOD_RETRY_LIMIT", "DEBUGINFOD_VERBOSE",
		"DEBUGINFOD_HEADERS_FILE", "DEBUGINFOD_IMA_CERT_PATH", "XDG_CACHE_HOME"};
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		unsetenv(others[i]);
	*state = s;
	return 0;
}

int stage_teardown(void **state)
{
	struct stage *s = *state;
	stage_close(s);
	scratch_remove(s->dir);
	for (size_t i = 0; i < s->info.build_ids_n; i++)
		free(s->ids[i].path);
	free(s);
	return 0;
}

void stage_says(struct stage *s, uint16_t misc, const char *path, const struct build_id *id)
{
	assert_true(s->info.build_ids_n < STAGE_IDS);
	struct pd_build_id *b = &s->ids[s->info.build_ids_n++];
	*b = (struct pd_build_id){.pid = -1, .misc = misc, .size = id->size, .path = mem_strdup(path)};
	memcpy(b->id, id->bytes, sizeof(b->id));
}

void stage_open(struct stage *s)
{
	s->names = recording_names_create(&s->config);
	struct resolver_config config = {.proc = proc_none, .keep_addresses = true, .background = s->background};
	recording_names_use(s->names, &config);
	assert_int_equal(resolver_create(&config, &s->r, NULL), 0);
	s->task = resolver_task(s->r, STAGE_PID, STAGE_PID, 1);
}

void stage_close(struct stage *s)
{
	resolver_destroy(s->r);
	recording_names_destroy(s->names);
	s->r = NULL;
	s->names = NULL;
}

void stage_maps(struct stage *s, const char *path, const struct build_id *id)
{
	struct record rec = {.type = RECORD_MMAP2, .misc = MISC_USER};
	rec.u.mmap = (struct record_mmap){
		.pid = STAGE_PID, .tid = STAGE_PID, .start = STAGE_AT, .len = 0x1000000, .prot = 5, .filename = path};
	if (id) {
		rec.u.mmap.build_id_size = id->size;
		memcpy(rec.u.mmap.build_id, id->bytes, id->size);
	}
	resolver_apply(s->r, &rec);
}

void stage_maps_kernel(struct stage *s, uint64_t start, uint64_t len, uint64_t pgoff, const char *name)
{
	struct record rec = {.type = RECORD_MMAP, .misc = MISC_KERNEL};
	rec.u.mmap =
		(struct record_mmap){.pid = UINT32_MAX, .start = start, .len = len, .pgoff = pgoff, .filename = name};
	resolver_apply(s->r, &rec);
}

const struct sym_info *stage_sym(struct stage *s, uint16_t mode, uint64_t ip)
{
	uint32_t id = resolver_symbol(s->r, s->task, mode, ip, 0);
	const struct catalog *cat = resolver_catalog(s->r);
	return &cat->syms[cat->syms[id].resolved];
}

const char *stage_why(struct stage *s, const struct sym_info *sym)
{
	const char *why = resolver_catalog(s->r)->dsos[sym->dso].why;
	return why ? why : "";
}

const char *stage_path(struct stage *s, const char *name)
{
	static char path[SCRATCH_PATH];
	scratch_path(path, "%s%s", s->dir, name);
	return path;
}

void stage_write(struct stage *s, const char *name, const void *bytes, size_t n)
{
	scratch_write(stage_path(s, name), bytes, n);
}

void stage_id_path(char *buf, size_t cap, const char *before, const struct build_id *id, const char *after)
{
	int n = snprintf(buf, cap, "%s/.build-id/", before);
	for (size_t i = 0; i < id->size; i++)
		n += snprintf(buf + n, cap - (size_t)n, i ? "%02x" : "%02x/", id->bytes[i]);
	snprintf(buf + n, cap - (size_t)n, "%s", after);
}
