/* What was there before the first record, told by records of its own. */
#include "source/file/existing.h"
#include "source/live/files.h"
#include "source/live/proc_scan.h"

#include "base/alloc.h"
#include "base/index.h"
#include "base/proc_maps.h"

#include <cyctop/writer.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>

enum { PATH_BYTES = 4096 };

struct teller {
	writer_put_fn *put;
	void *ctx;
	int rc; /* of the first put that failed: nothing is told after it */
};

static void tell(struct teller *t, struct record *rec, uint32_t pid, uint32_t tid)
{
	rec->id.pid = pid, rec->id.tid = tid;
	if (!t->rc)
		t->rc = t->put(t->ctx, rec);
}

/* Calls `line` for each line of a file, without its newline. */
static void each_line(struct teller *t, const char *path, void (*line)(struct teller *, char *text, void *ctx),
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

/* ---- kernel and modules ------------------------------------------------------------ */

struct kernel_ends {
	uint64_t text, stext, etext, edata;
};

/* A number at *p, which then is behind it and one more character; false: there is none. */
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

/* A word at *p, cut off there; *p then is behind it. */
static char *take_word(char **p)
{
	char *word = *p + strspn(*p, " \t"), *end = word + strcspn(word, " \t\n");
	*p = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

static void kernel_line(struct teller *t, char *text, void *ctx)
{
	struct kernel_ends *ends = ctx;
	uint64_t addr;
	(void)t;
	if (!take_number(&text, 16, &addr))
		return;
	take_word(&text); /* the type */
	const char *name = take_word(&text);
	uint64_t *to = strcmp(name, "_text") == 0    ? &ends->text
		       : strcmp(name, "_stext") == 0 ? &ends->stext
		       : strcmp(name, "_etext") == 0 ? &ends->etext
		       : strcmp(name, "_edata") == 0 ? &ends->edata
						     : NULL;
	if (to)
		*to = addr;
}

/* The form perf relocates the kernel's symbols by: the map is named after a symbol, and
 * its offset is that symbol's address. */
static void tell_kernel(struct teller *t)
{
	struct kernel_ends ends = {0};
	each_line(t, "/proc/kallsyms", kernel_line, &ends);
	uint64_t start = ends.text ? ends.text : ends.stext;
	uint64_t end = ends.edata > start ? ends.edata : ends.etext;
	if (!start)
		return; /* hidden from us: then there is nothing to relocate by */
	struct record rec = {
		.type = RECORD_MMAP,
		.misc = MISC_KERNEL,
		.u.mmap = {.pid = UINT32_MAX,
			   .start = start,
			   .len = end > start ? end - start : UINT64_MAX - start,
			   .pgoff = start,
			   .filename = ends.text ? "[kernel.kallsyms]_text" : "[kernel.kallsyms]_stext"},
	};
	tell(t, &rec, UINT32_MAX, 0);
}

/* Modules by name, '-' and '_' being the same. */
struct module_path {
	char *name, *path;
};
struct module_paths {
	struct module_path *data;
	size_t n, cap;
	struct index index;
	char dir[128];
};

static void module_name(char *name)
{
	for (; *name; name++)
		if (*name == '-')
			*name = '_';
}

static bool same_module(const void *ctx, uint32_t pos)
{
	const void *const *key = ctx;
	const struct module_paths *paths = key[0];
	return strcmp(paths->data[pos].name, key[1]) == 0;
}

static const struct module_path *find_module(const struct module_paths *paths, const char *name)
{
	const void *key[] = {paths, name};
	uint32_t pos = index_find(&paths->index, hash_bytes(name, strlen(name)), same_module, key);
	return pos == INDEX_NONE ? NULL : &paths->data[pos];
}

/* modules.dep: "kernel/fs/fuse/fuse.ko.xz: other.ko ..." */
static void dep_line(struct teller *t, char *text, void *ctx)
{
	struct module_paths *paths = ctx;
	(void)t;
	text[strcspn(text, ":")] = '\0';
	const char *base = strrchr(text, '/');
	base = base ? base + 1 : text;
	const char *ko = strstr(base, ".ko");
	if (!ko || strlen(text) > 1024)
		return;
	char *name = mem_strdup(base);
	name[ko - base] = '\0';
	module_name(name);
	if (find_module(paths, name)) {
		free(name);
		return;
	}
	size_t cap = strlen(paths->dir) + strlen(text) + 2;
	char *path = mem_calloc(cap, 1);
	snprintf(path, cap, "%s/%s", paths->dir, text);
	index_add(&paths->index, hash_bytes(name, strlen(name)), (uint32_t)paths->n);
	vec_push(paths) = (struct module_path){name, path};
}

/* /proc/modules: "fuse 176128 3 - Live 0xffffffffc0400000" */
static void module_line(struct teller *t, char *text, void *ctx)
{
	char *name = take_word(&text), fallback[132];
	uint64_t size, addr;
	if (!take_number(&text, 10, &size))
		return;
	for (int skip = 0; skip < 3; skip++) /* users, their names, state */
		take_word(&text);
	if (!take_number(&text, 16, &addr) || !addr)
		return;
	snprintf(fallback, sizeof(fallback), "[%.128s]", name);
	module_name(name);
	const struct module_path *known = find_module(ctx, name);
	struct record rec = {
		.type = RECORD_MMAP,
		.misc = MISC_KERNEL,
		.u.mmap = {.pid = UINT32_MAX,
			   .start = addr,
			   .len = (size + 4095) & ~(uint64_t)4095,
			   .filename = known ? known->path : fallback},
	};
	tell(t, &rec, UINT32_MAX, 0);
}

static void tell_modules(struct teller *t)
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

/* ---- processes ------------------------------------------------------------------------ */

static void map_line(struct teller *t, char *text, void *ctx)
{
	const uint32_t *pid = ctx;
	struct proc_map m;
	if (!proc_maps_line(text, &m) || !m.exec || strlen(m.path) >= PATH_BYTES)
		return;
	struct record rec = {
		.type = RECORD_MMAP2,
		.misc = MISC_USER,
		.u.mmap = {.pid = *pid,
			   .tid = *pid,
			   .start = m.start,
			   .len = m.end - m.start,
			   .pgoff = m.offset,
			   .maj = m.maj,
			   .min = m.min,
			   .ino = m.ino,
			   .prot = PROT_EXEC | (m.read ? PROT_READ : 0) | (m.write ? PROT_WRITE : 0),
			   .flags = m.shared ? MAP_SHARED : MAP_PRIVATE,
			   .filename = *m.path ? m.path : "//anon"},
	};
	tell(t, &rec, *pid, *pid);
}

static void tell_thread(struct teller *t, uint32_t pid, uint32_t tid)
{
	char path[64], comm[64];
	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", pid, tid);
	file_read_line(path, comm, sizeof(comm));
	if (!comm[0])
		return;
	struct record rec = {.type = RECORD_COMM, .u.comm = {.pid = pid, .tid = tid, .comm = comm}};
	tell(t, &rec, pid, tid);
}

static void each_number(struct teller *t, const char *dir_path, void (*number)(struct teller *, uint32_t, void *),
			void *ctx)
{
	DIR *dir = opendir(dir_path);
	for (struct dirent *d; dir && !t->rc && (d = readdir(dir));) {
		const char *s = d->d_name;
		uint64_t n;
		if (text_u64(&s, &n) && !*s && n <= INT32_MAX)
			number(t, (uint32_t)n, ctx);
	}
	if (dir)
		closedir(dir);
}

static void thread_number(struct teller *t, uint32_t tid, void *ctx)
{
	const uint32_t *pid = ctx;
	if (tid != *pid)
		tell_thread(t, *pid, tid);
}

static void process_number(struct teller *t, uint32_t pid, void *ctx)
{
	char path[64];
	(void)ctx;
	tell_thread(t, pid, pid); /* first: the others are of this process */
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	each_number(t, path, thread_number, &pid);
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	each_line(t, path, map_line, &pid);
}

static void user_process(struct teller *t, uint32_t pid, void *ctx)
{
	const uint32_t *uid = ctx;
	struct stat st;
	char path[32];
	snprintf(path, sizeof(path), "/proc/%u", pid);
	if (stat(path, &st) == 0 && st.st_uid == *uid)
		process_number(t, pid, NULL);
}

static void tell_processes(struct teller *t, const struct target *who)
{
	uint32_t uid = who->uid;
	if (who->kind == TARGET_ALL)
		each_number(t, "/proc", process_number, NULL);
	if (who->kind == TARGET_USER)
		each_number(t, "/proc", user_process, &uid);
	for (size_t i = 0; i < who->ids_n && !t->rc; i++) {
		struct task_stat task;
		if (proc_task(who->ids[i], &task) == 0)
			process_number(t, task.pid, NULL);
	}
}

int writer_existing(const struct target *who, writer_put_fn *put, void *ctx)
{
	struct teller t = {.put = put, .ctx = ctx};
	tell_kernel(&t);
	tell_modules(&t);
	if (!t.rc)
		t.rc = existing_code("/proc/kallsyms", put, ctx);
	tell_processes(&t, who);
	return t.rc;
}
