/* Makes records of what exists before the recording starts: kernel, modules, cgroups, processes. */
#include "recorder/describe.h"
#include "os/file.h"
#include "os/status.h"

#include "base/alloc.h"
#include "base/index.h"
#include "base/fmt.h"
#include "base/modules.h"
#include "base/proc_stat.h"
#include "os/maps.h"

#include <cyctop/source.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

enum { PATH_BYTES = 4096, NAME_BYTES = 132 };

struct describer {
	put_record_fn *put;
	void *ctx;
	int rc; /* first error of put(), after which it is not called again */
	struct limit_counts *limits;
};

static void put_record(struct describer *t, struct record *rec, uint32_t pid, uint32_t tid)
{
	rec->id.pid = pid, rec->id.tid = tid;
	if (!t->rc)
		t->rc = t->put(t->ctx, rec);
}

/* Calls `line` for each line of a file, without its newline; does nothing if the file cannot be read. */
static void each_line(struct describer *t, const char *path, void (*line)(struct describer *, char *text, void *ctx),
		      void *ctx)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t cap = 0;
	while (f && !t->rc && getline(&text, &cap, f) > 0) {
		text[strcspn(text, "\n")] = '\0';
		line(t, text, ctx);
	}
	free(text);
	if (f)
		fclose(f);
}

/* ---- describing kernel and modules ------------------------------------------------------------ */

/* Parses a number at *p and moves *p past it and the character after it.  Returns false if there is no number. */
static bool take_number(char **p, int base, uint64_t *ret)
{
	char *end;
	errno = 0;
	unsigned long long v = strtoull(*p, &end, base);
	if (end == *p || errno || **p == '-')
		return false;
	*ret = v;
	*p = *end ? end + 1 : end;
	return true;
}

/* Returns the next word at *p, ends it with a NUL, and moves *p past it. */
static char *take_word(char **p)
{
	char *word = *p + strspn(*p, " \t"), *end = word + strcspn(word, " \t\n");
	*p = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

/* The path of a module; `name`: the module's name in mappings, see module_name(). */
struct module_path {
	char *name, *path;
};
struct module_paths {
	struct module_path *data;
	size_t n, cap;
	struct index index;
	char dir[128];
};

static const struct module_path *find_module(const struct module_paths *paths, const char *name)
{
	uint32_t pos = index_find_by_text(&paths->index, paths->data, name, name);
	return pos == INDEX_NONE ? NULL : &paths->data[pos];
}

static void dep_line(struct describer *t, char *text, void *ctx)
{
	struct module_paths *paths = ctx;
	char name[NAME_BYTES];
	(void)t;
	if (!modules_dep_line(text))
		return;
	module_name(text, name, sizeof(name));
	if (find_module(paths, name))
		return;
	index_add(&paths->index, index_hash_text(&paths->index, name), (uint32_t)paths->n);
	vec_push(paths) = (struct module_path){mem_strdup(name), mem_printf("%s/%s", paths->dir, text)};
}

/* Writes the mapping of a module from its line in /proc/modules: "fuse 176128 3 - Live 0xffffffffc0400000". */
static void module_line(struct describer *t, char *text, void *ctx)
{
	char name[NAME_BYTES];
	uint64_t size, addr;
	module_name(take_word(&text), name, sizeof(name));
	if (!take_number(&text, 10, &size))
		return;
	for (int skip = 0; skip < 3; skip++) /* reference count, modules that use it, state */
		take_word(&text);
	if (!take_number(&text, 16, &addr) || !addr)
		return;
	const struct module_path *known = find_module(ctx, name);
	struct record rec = {
		.type = RECORD_MMAP,
		.misc = MISC_KERNEL,
		.u.mmap = {.pid = UINT32_MAX,
			   .start = addr,
			   .len = (size + 4095) & ~(uint64_t)4095,
			   .filename = known ? known->path : name},
	};
	put_record(t, &rec, UINT32_MAX, 0);
}

static void describe_modules(struct describer *t)
{
	struct module_paths paths = {0};
	struct utsname u;
	char dep[160];
	if (uname(&u) < 0)
		return;
	snprintf(paths.dir, sizeof(paths.dir), "/lib/modules/%s", u.release);
	snprintf(dep, sizeof(dep), "%s/modules.dep", paths.dir);
	index_init(&paths.index);
	each_line(t, dep, dep_line, &paths);
	each_line(t, "/proc/modules", module_line, &paths);
	for (size_t i = 0; i < paths.n; i++) {
		free(paths.data[i].name);
		free(paths.data[i].path);
	}
	index_deinit(&paths.index);
	vec_free(&paths);
}

/* ---- describing processes ------------------------------------------------------------------------ */

struct process {
	struct describer *describer;
	uint32_t pid;
};

static int put_map(void *ctx, const struct proc_map *m)
{
	const struct process *p = ctx;
	struct record rec = {
		.type = RECORD_MMAP2,
		.misc = MISC_USER,
		.u.mmap = {.pid = p->pid,
			   .tid = p->pid,
			   .start = m->start,
			   .len = m->end - m->start,
			   .pgoff = m->offset,
			   .maj = m->maj,
			   .min = m->min,
			   .ino = m->ino,
			   .prot = PROT_EXEC | (m->read ? PROT_READ : 0) | (m->write ? PROT_WRITE : 0),
			   .flags = m->shared ? MAP_SHARED : MAP_PRIVATE,
			   .filename = m->path},
	};
	if (strlen(m->path) < PATH_BYTES)
		put_record(p->describer, &rec, p->pid, p->pid);
	return p->describer->rc;
}

static void describe_thread(struct describer *t, uint32_t pid, uint32_t tid)
{
	char path[64], comm[64];
	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", pid, tid);
	os_read_line(path, comm, sizeof(comm));
	if (!comm[0])
		return;
	struct record rec = {.type = RECORD_COMM, .u.comm = {.pid = pid, .tid = tid, .comm = comm}};
	put_record(t, &rec, pid, tid);
}

static void each_number(struct describer *t, const char *dir_path, void (*number)(struct describer *, uint32_t, void *),
			void *ctx)
{
	DIR *dir = opendir(dir_path);
	for (uint32_t n; !t->rc && (n = os_next_id(dir));)
		number(t, n, ctx);
	if (dir)
		closedir(dir);
}

static void thread_number(struct describer *t, uint32_t tid, void *ctx)
{
	const uint32_t *pid = ctx;
	if (tid != *pid)
		describe_thread(t, *pid, tid);
}

/* Writes the parent of a process as perf does: as a FORK record, with a flag which says that there was no fork. */
static void describe_parent(struct describer *t, uint32_t pid)
{
	char path[32], text[1024];
	struct task_stat stat;
	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	if (os_read(path, text, sizeof(text)) <= 0 || task_stat_parse(text, &stat) < 0 || !stat.ppid)
		return;
	struct record rec = {.type = RECORD_FORK,
			     .misc = MISC_FORK_EXEC,
			     .u.task = {.pid = pid, .tid = pid, .ppid = stat.ppid, .ptid = stat.ppid}};
	put_record(t, &rec, pid, pid);
}

static void process_number(struct describer *t, uint32_t pid, void *ctx)
{
	char path[64];
	(void)ctx;
	describe_parent(t, pid);
	describe_thread(t, pid, pid); /* main thread first, so that readers know the process */
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	each_number(t, path, thread_number, &pid);
	struct process p = {t, pid};
	struct limit_set limits = {0};
	/* put_map() keeps its error in `t`; other errors mean that the process has ended */
	(void)!maps_read((int32_t)pid, put_map, &p, &limits);
	limit_count_set(t->limits, &limits);
}

static void user_process(struct describer *t, uint32_t pid, void *ctx)
{
	const uint32_t *uid = ctx;
	if (os_is_of_user(pid, *uid))
		process_number(t, pid, NULL);
}

/* Returns the process id of a thread; 0 if the thread has ended. */
static uint32_t process_of(uint32_t tid)
{
	struct proc_status status;
	return os_status((int32_t)tid, &status) == 0 ? status.pid : 0;
}

static void describe_cgroup(void *ctx, uint64_t id, const char *path)
{
	struct record rec = {.type = RECORD_CGROUP, .u.cgroup = {.id = id, .path = path}};
	put_record(ctx, &rec, 0, 0);
}

static void describe_processes(struct describer *t, const struct target *who)
{
	uint32_t uid = who->uid;
	if (who->kind == TARGET_ALL || who->kind == TARGET_CGROUPS) /* any task may be moved to such a cgroup later */
		each_number(t, "/proc", process_number, NULL);
	if (who->kind == TARGET_USER)
		each_number(t, "/proc", user_process, &uid);
	for (size_t i = 0; i < who->ids_n && !t->rc; i++) {
		uint32_t pid = process_of(who->ids[i]);
		if (pid)
			process_number(t, pid, NULL);
	}
}

int describe_existing(const struct target *who, put_record_fn *put, void *ctx, struct limit_counts *limits)
{
	struct describer t = {.put = put, .ctx = ctx, .limits = limits};
	t.rc = describe_kernel("/proc/kallsyms", put, ctx);
	describe_modules(&t);
	live_cgroups(NULL, describe_cgroup, &t);
	if (os_proc_is_ours())
		describe_processes(&t, who);
	return t.rc;
}
