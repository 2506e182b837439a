#include "test_resolve_world.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- a scripted world --------------------------------------------------------- */

struct symtab *world_table(const char *prefix)
{
	struct symtab_builder *b = symtab_builder_create();
	int n = strncmp(prefix, "huge", 4) == 0 ? 100000 : 16;
	for (int i = 0; i < n; i++) {
		char name[64];
		snprintf(name, sizeof(name), "%s%d", prefix, i);
		symtab_add(b, (uint64_t)i * 0x1000, 0x1000, name, 0, i == 15 ? "ext4" : NULL);
	}
	return symtab_finish(b);
}

int world_load(void *ctx, const struct dso_key *key, struct dso_image *ret)
{
	struct world *w = ctx;
	if (strcmp(key->path, "/none") == 0) {
		snprintf(ret->why, sizeof(ret->why), "there is nothing in it");
		return -ENODATA;
	}
	if (strcmp(key->path, "/other") == 0)
		return -ENOENT;
	bool slow = strcmp(key->path, "/slow") == 0;
	atomic_fetch_add(&w->loads, slow);
	while (slow && !atomic_load(&w->go))
		usleep(1000);
	if (w->shortages > 0) {
		w->shortages--;
		return -EMFILE;
	}
	const char *name = key->path[0] == '/' ? key->path + 1 : "k";
	ret->symtab = world_table(name);
	atomic_fetch_add(&w->loaded, slow);
	return 0;
}

static int world_identity(void *ctx, int32_t pid, int32_t tid, struct proc_identity *ret)
{
	struct world *w = ctx;
	w->identities++;
	if (pid == w->deny_pid)
		return -ENOENT;
	*ret = (struct proc_identity){.uid = (uint32_t)pid + 1000, .ppid = w->parent, .kernel = pid == 2};
	snprintf(ret->comm, sizeof(ret->comm), "p%d.%d", pid, tid);
	return 0;
}

/* Every process maps 64 KiB of /prog at 0x400000. */
static int world_maps(void *ctx, int32_t pid, uint64_t time_ns,
		      void (*add)(void *add_ctx, const struct record_mmap *map), void *add_ctx)
{
	(void)time_ns;
	struct world *w = ctx;
	w->maps++;
	if (pid == w->deny_pid)
		return -ENOENT;
	if (w->shortages > 0) {
		w->shortages--;
		return -EMFILE;
	}
	struct record_mmap m = {
		.pid = (uint32_t)pid, .start = 0x400000, .len = 0x10000, .filename = "/prog", .prot = 5};
	add(add_ctx, &m);
	return 0;
}

static bool world_gone(void *ctx, int32_t pid)
{
	const struct world *w = ctx;
	return pid < w->gone_below;
}

struct resolver *make(struct world *w, bool background)
{
	struct symbolizer chain[] = {{.name = "world", .load = world_load, .ctx = w}};
	struct resolver_config config = {
		.chain = chain,
		.chain_n = 1,
		.proc = {.identity = world_identity, .maps = world_maps, .gone = world_gone, .ctx = w},
		.self_pid = 77,
		.background = background,
		.keep_comms = w->keep_comms,
	};
	struct resolver *r;
	assert_int_equal(resolver_create(&config, &r, NULL), 0);
	return r;
}

/* ---- records -------------------------------------------------------------------- */

void apply_mmap(struct resolver *r, uint32_t pid, uint64_t start, uint64_t len, uint64_t off, const char *path)
{
	struct record rec = {.type = RECORD_MMAP2, .misc = MISC_USER};
	rec.u.mmap = (struct record_mmap){
		.pid = pid, .tid = pid, .start = start, .len = len, .pgoff = off, .prot = 5, .filename = path};
	resolver_apply(r, &rec);
}

void apply_task(struct resolver *r, uint32_t type, uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid,
		uint64_t time_ns)
{
	struct record rec = {.type = type};
	rec.u.task.pid = pid;
	rec.u.task.tid = tid;
	rec.u.task.ppid = ppid;
	rec.u.task.ptid = ptid;
	rec.u.task.time_ns = time_ns;
	resolver_apply(r, &rec);
}

void apply_comm(struct resolver *r, uint32_t pid, uint32_t tid, const char *comm, bool exec)
{
	struct record rec = {.type = RECORD_COMM, .misc = exec ? MISC_COMM_EXEC : 0};
	rec.u.comm.pid = pid;
	rec.u.comm.tid = tid;
	rec.u.comm.comm = comm;
	resolver_apply(r, &rec);
}

void apply_ksymbol(struct resolver *r, uint64_t addr, uint32_t len, const char *name, bool gone)
{
	struct record rec = {.type = RECORD_KSYMBOL};
	rec.u.ksymbol.addr = addr;
	rec.u.ksymbol.len = len;
	rec.u.ksymbol.ksym_type = 1;
	rec.u.ksymbol.flags = gone;
	rec.u.ksymbol.name = name;
	resolver_apply(r, &rec);
}

const struct sym_info *sym_at(struct resolver *r, uint32_t task, uint16_t mode, uint64_t ip)
{
	uint32_t id = resolver_symbol(r, task, mode, ip, 0);
	const struct sym_info *s = &resolver_catalog(r)->syms[id];
	return &resolver_catalog(r)->syms[s->resolved];
}

const char *name_at(struct resolver *r, uint32_t task, uint64_t ip)
{
	return sym_at(r, task, MISC_USER, ip)->name;
}

const struct task_info *task_of(struct resolver *r, uint32_t id)
{
	return &resolver_catalog(r)->tasks[id];
}

const char *dso_name(struct resolver *r, const struct sym_info *s)
{
	return resolver_catalog(r)->dsos[s->dso].name;
}

struct catalog_used nothing_used(const struct resolver *r)
{
	const struct catalog *cat = resolver_catalog(r);
	struct catalog_used used = {calloc(cat->tasks_n + 1, 1), calloc(cat->syms_n + 1, 1), cat->tasks_n, cat->syms_n};
	assert_true(used.tasks && used.syms);
	return used;
}

void free_used(struct catalog_used *used)
{
	free(used->tasks);
	free(used->syms);
}

struct catalog_weights no_weights(const struct resolver *r)
{
	const struct catalog *cat = resolver_catalog(r);
	struct catalog_weights w = {
		.tasks = calloc(cat->tasks_n + 1, sizeof(*w.tasks)),
		.syms = calloc(cat->syms_n + 1, sizeof(*w.syms)),
		.tasks_n = cat->tasks_n,
		.syms_n = cat->syms_n,
	};
	assert_true(w.tasks && w.syms);
	return w;
}

void free_weights(struct catalog_weights *weights)
{
	free(weights->tasks);
	free(weights->syms);
}

void free_fold(struct catalog_fold *fold)
{
	free(fold->tasks);
	free(fold->syms);
	free(fold->contexts);
}

void retire_unused(struct resolver *r)
{
	struct catalog_used used = nothing_used(r);
	resolver_retire(r, &used);
	free_used(&used);
}
