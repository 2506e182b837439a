/* Reads the files in which a running process lists its JIT code, and the memory of a JVM.  Anyone who may write to /tmp
 * may have made the files, so they are opened without following links and without blocking, and only files of the
 * process's owner or of root are used. */
#include "base/limits.h"
#include "base/proc_stat.h"
#include "os/file.h"
#include "os/status.h"
#include "os/clock.h"
#include "resolve/elf/image.h"
#include "resolve/elf/live_file.h"
#include "resolve/elf/open.h"
#include "resolve/jit/jvm_budget.h"
#include "resolve/jit/jvm_memory.h"
#include "resolve/jit/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	CALL_BYTES = 8 * 1024 * 1024, /* bytes to read per call, because the loader thread also serves other files */
	JVM_TRIES = 7, /* maximum searches for a JVM; the pauses between them (1, 2, 4 ... s) make a minute */
};

struct reader {
	bool known;	       /* the process was found in /proc */
	uint32_t uid, own_pid; /* own_pid: pid in the pid namespace of the process */
	uint64_t ticks;	       /* start time of the process, in clock ticks since boot */
	/* wall-clock time of the last exec or start; older files are another program's; 0: unknown */
	time_t since;

	struct jit_file *map; /* perf map; NULL: none */
	int map_fd;	      /* -1: not open */
	char *map_path;

	struct jit_file *dump;
	int dump_fd;
	char *dump_path;
	bool dump_refused; /* the jitdump cannot be opened; do not try again */
	bool has_our_clock;

	struct jvm_memory *jvm;	    /* NULL: no JVM was found, or it cannot be read */
	bool is_jvm;		    /* a mapping of libjvm.so was seen */
	unsigned tries;		    /* number of searches for a JVM */
	uint64_t tried_ns;	    /* CLOCK_MONOTONIC at the last search */
	char jvm_why[JVM_WHY + 32]; /* why the JVM could not be read last time; "": it could, or there is none */
	struct jit_file *memory;
	uint64_t memory_ns; /* CLOCK_MONOTONIC at the last reading of the JVM's memory; 0: none */

	uint64_t given; /* version of the last table given to the process */
};

static void close_files(struct reader *r)
{
	if (r->map_fd >= 0)
		close(r->map_fd);
	if (r->dump_fd >= 0)
		close(r->dump_fd);
	r->map_fd = r->dump_fd = -1;
}

/* Closes the perf map, which was replaced or is not needed. */
static void forget_map(struct reader *r)
{
	if (r->map_fd >= 0)
		close(r->map_fd);
	r->map_fd = -1;
	free(r->map_path);
	r->map_path = NULL;
	jit_file_put(r->map);
	r->map = NULL;
}

static void leave_jvm(struct jit_store *store, struct reader *r)
{
	jit_store_count_other(store, -(ptrdiff_t)jvm_memory_bytes(r->jvm));
	jvm_memory_free(r->jvm);
	r->jvm = NULL;
}

static void close_reader(void *ctx, void *reader)
{
	struct reader *r = reader;
	forget_map(r);
	close_files(r);
	jit_file_put(r->dump);
	jit_file_put(r->memory);
	leave_jvm(ctx, r);
	free(r->dump_path);
	free(r);
}

static const uint64_t second_ns = 1000000000;

/* ---- learning about the process ---------------------------------------------------- */

static bool read_proc(int32_t pid, const char *name, char *buf, size_t cap)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return os_read(path, buf, cap) > 0;
}

static bool start_ticks(int32_t pid, uint64_t *ret)
{
	char buf[1024];
	struct task_stat st;
	if (!read_proc(pid, "stat", buf, sizeof(buf)) || task_stat_parse(buf, &st) < 0)
		return false;
	*ret = st.start_ticks;
	return true;
}

/* Returns true if the process is in cyctop's time namespace: elsewhere CLOCK_MONOTONIC has another offset. */
static bool has_our_clock(int32_t pid)
{
	char ours[256], its[256];
	bool known = read_proc((int32_t)getpid(), "timens_offsets", ours, sizeof(ours)) &&
		     read_proc(pid, "timens_offsets", its, sizeof(its));
	return !known || strcmp(ours, its) == 0;
}

static void learn_process(struct reader *r, const struct jit_key *key)
{
	struct proc_status status;
	int64_t now = (int64_t)(clock_ns(CLOCK_REALTIME) / second_ns);
	r->uid = key->uid;
	r->own_pid = (uint32_t)key->pid;
	if (key->since_ns)
		r->since = (time_t)(now - (int64_t)(clock_ns(CLOCK_MONOTONIC) / second_ns) +
				    (int64_t)(key->since_ns / 1000000000) - 1);
	if (key->gone || !start_ticks(key->pid, &r->ticks) || os_status(key->pid, &status) < 0)
		return;
	long hz = sysconf(_SC_CLK_TCK);
	int64_t up = hz > 0 ? (int64_t)(r->ticks / (uint64_t)hz) : 0;
	time_t started = (time_t)(now - (int64_t)(clock_ns(CLOCK_BOOTTIME) / second_ns) + up -
				  2); /* slack: some agents read several clocks one after the other */
	r->since = started > r->since ? started : r->since;
	if (status.uid != STATUS_NONE)
		r->uid = status.uid;
	if (status.own_pid)
		r->own_pid = status.own_pid;
	r->known = true;
}

/* Returns true if the pid is still the process for which the reader was made. */
static bool is_alive(const struct reader *r, const struct jit_key *key)
{
	uint64_t ticks;
	return !key->gone && r->known && start_ticks(key->pid, &ticks) && ticks == r->ticks;
}

/* ---- reading the perf map ------------------------------------------------------------ */

static bool is_believed(const struct reader *r, const struct stat *st)
{
	bool own = st->st_uid == r->uid || (st->st_uid == 0 && st->st_nlink == 1);
	return own && st->st_mtime >= r->since;
}

/* Opens the perf map: the same file as before, or one that replaced it.  Returns false if there is none. */
static bool open_map(struct jit_store *store, struct reader *r, const char *root, uint32_t pid)
{
	char path[64];
	struct stat st;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	int fd = open_plain_below(root, path);
	if (fd < 0)
		return false;
	bool ok = fstat(fd, &st) == 0 && is_believed(r, &st);
	bool same = ok && r->map && jit_file_is(r->map, &st);
	if (same && r->map_fd < 0)
		r->map_fd = fd;
	else if (!ok || same)
		close(fd);
	if (!ok || same)
		return same;
	forget_map(r);
	r->map_fd = fd;
	r->map = jit_file_get(store, JIT_FILE_MAP, &st, false);
	r->map_path = path_below(root, path);
	return true;
}

static void find_map(struct jit_store *store, struct reader *r, const struct jit_key *key)
{
	char root[32];
	snprintf(root, sizeof(root), "/proc/%d/root", key->pid);
	bool found = is_alive(r, key) && open_map(store, r, root, r->own_pid);
	/* an agent outside of the container writes the map outside, with the outer pid */
	if (!found && (r->known || r->uid != CATALOG_NONE))
		open_map(store, r, "/", (uint32_t)key->pid);
}

/* ---- reading the jitdump ------------------------------------------------------------- */

/* Returns true if the jitdump is the process's own, not one of its parent, whose mapping a child process inherits. */
static bool is_own_dump(const struct reader *r, const struct jit_key *key)
{
	const char *base = strrchr(key->marker.path, '/');
	if (!base || strncmp(base, "/jit-", 5) != 0)
		return false;
	char *end;
	unsigned long pid = strtoul(base + 5, &end, 10);
	return strcmp(end, ".dump") == 0 && (pid == r->own_pid || pid == (unsigned long)key->pid);
}

/* Opens the jitdump. Once a file was read, no other file is used. */
static void find_dump(struct jit_store *store, struct reader *r, const struct jit_key *key)
{
	struct live_file f;
	struct dso_image why = {0};
	if (!key->marker.path || r->dump_fd >= 0 || r->dump_refused || !is_own_dump(r, key))
		return;
	int rc = live_file_open(&key->marker, &f, &why);
	dso_image_deinit(&why);
	r->dump_refused = rc < 0 && !os_is_shortage(rc);
	if (rc < 0)
		return;
	if (r->dump && !jit_file_is(r->dump, &f.st)) {
		close(f.fd);
		return;
	}
	r->dump_fd = f.fd;
	if (!r->dump) {
		r->dump = jit_file_get(store, JIT_FILE_DUMP, &f.st, r->has_our_clock);
		r->dump_path = mem_strdup(key->marker.path);
	}
}

/* ---- reading the memory of a JVM ----------------------------------------------------- */

struct look {
	const struct reader *reader;
	const struct jit_key *key;
};

static bool look_alive(void *ctx)
{
	const struct look *l = ctx;
	return is_alive(l->reader, l->key);
}

static enum jit_look look_into(void *ctx, jit_code_fn *add, void *add_ctx, struct limit_set *reached)
{
	struct look *l = ctx;
	return jvm_memory_read(l->reader->jvm, look_alive, l, add, add_ctx, reached);
}

static bool has_code(const struct jit_file *f)
{
	return f && jit_file_has_code(f);
}

/* Returns true if it makes sense to look for a JVM.  In a process without libjvm.so, this is done only once. */
static bool may_become_jvm(const struct reader *r, const struct jit_key *key)
{
	return !r->tries || ((r->is_jvm || key->is_jvm) && r->tries < JVM_TRIES);
}

static bool is_time_to_try(const struct reader *r, uint64_t now_ns)
{
	return !r->tries || now_ns - r->tried_ns >= second_ns << (r->tries - 1);
}

static void say_why(struct reader *r, const struct jit_key *key, const char why[JVM_WHY])
{
	snprintf(r->jvm_why, sizeof(r->jvm_why), "%s%s", why,
		 why[0] && may_become_jvm(r, key) ? "; it is looked at again" : "");
}

/* Looks for the JVM. A JVM that has just started may not have loaded libjvm.so or made its tables yet; a later call
 * finds it. */
static void seek_jvm(struct reader *r, const struct jit_key *key, uint64_t now_ns)
{
	char why[JVM_WHY] = "";
	if (r->known && is_alive(r, key))
		r->jvm = jvm_memory_find(key->pid, why);
	r->is_jvm |= r->jvm || why[0];
	r->tries++;
	r->tried_ns = now_ns;
	say_why(r, key, why);
}

static void read_jvm(struct jit_store *store, struct reader *r, const struct jit_key *key, struct limit_set *limits)
{
	char why[JVM_WHY];
	if (!r->jvm || !jvm_memory_is_due(r->jvm, key->lacks))
		return;
	if (!r->memory)
		r->memory = jit_memory_get(store, r->uid);
	r->memory_ns = clock_ns(CLOCK_MONOTONIC);
	ptrdiff_t before = (ptrdiff_t)jvm_memory_bytes(r->jvm);
	jit_memory_read(r->memory, look_into, &(struct look){r, key});
	ptrdiff_t after = (ptrdiff_t)jvm_memory_bytes(r->jvm);
	if (jit_store_count_other(store, after - before) > LIMIT_JVM_NAMES_BYTES) {
		limit_reached(limits, REACHED_JVM_NAMES_BYTES);
		jit_store_count_other(store, -after);
		jvm_memory_forget(r->jvm);
	}
	if (has_code(r->memory))
		return;
	jvm_memory_why(r->jvm, why);
	say_why(r, key, why);
	leave_jvm(store, r);
}

/* Time that a call spends on a JVM. */
struct spending {
	bool done, first;	 /* done: a JVM was sought or read; first: no code of it was read before */
	uint64_t now_ns, cpu_ns; /* now_ns: CLOCK_MONOTONIC at the start; cpu_ns: CPU time spent */
};

/* Finds or reads the JVM if the budget for all JVMs allows; otherwise a later call does. Returns the time spent. */
static struct spending tend_jvm(struct jit_store *store, struct reader *r, const struct jit_key *key,
				struct limit_set *limits)
{
	struct spending s = {.first = !has_code(r->memory)};
	if (key->gone || (!r->jvm && !may_become_jvm(r, key)))
		return s; /* most calls end here, without a system call */
	s.now_ns = clock_ns(CLOCK_MONOTONIC);
	s.done = (r->jvm || is_time_to_try(r, s.now_ns)) &&
		 jvm_budget_left(jit_store_budget(store), r->uid, s.first, s.now_ns);
	if (!s.done)
		return s;
	uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (!r->jvm)
		seek_jvm(r, key, s.now_ns);
	read_jvm(store, r, key, limits);
	s.cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
	return s;
}

static void charge(struct jit_store *store, struct reader *r, const struct spending *s)
{
	if (!s->done)
		return;
	jvm_budget_spend(jit_store_budget(store), r->uid, s->first, s->now_ns, s->cpu_ns);
	if (r->jvm)
		jvm_memory_charge(r->jvm, s->cpu_ns);
}

/* ---- reading all sources of a process ---------------------------------------------- */

static struct reader *create(const struct jit_key *key)
{
	struct reader *r = mem_calloc(1, sizeof(*r));
	r->map_fd = r->dump_fd = -1;
	r->has_our_clock = has_our_clock(key->pid);
	learn_process(r, key);
	return r;
}

/* Gives the process a table of the best source, which is the jitdump, then the memory, then the perf map. Making a
 * JVM's table counts as time spent on the JVM. */
static void give_table(struct reader *r, const struct jit_key *key, struct spending *spending, struct jit_news *ret)
{
	bool dump = has_code(r->dump), memory = !dump && has_code(r->memory);
	struct jit_file *f = dump ? r->dump : memory ? r->memory : r->map;
	if (key->again)
		r->given = 0;
	uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (f)
		ret->table = jit_file_table(f, key->max_bytes, ret->incomplete, &r->given);
	if (memory)
		spending->cpu_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
	if (!f)
		snprintf(ret->why, sizeof(ret->why), "%s", r->jvm_why);
	if (ret->table && !memory)
		ret->file = mem_strdup(dump ? r->dump_path : r->map_path);
}

/* Returns CLOCK_MONOTONIC at the last write of a file; 0: it was before boot. */
static uint64_t written_ns(int fd)
{
	struct stat st;
	uint64_t now_ns = clock_ns(CLOCK_REALTIME), up_ns = clock_ns(CLOCK_MONOTONIC);
	uint64_t ago_ns = fstat(fd, &st) == 0 && file_time_ns(&st) < now_ns ? now_ns - file_time_ns(&st) : 0;
	return ago_ns < up_ns ? up_ns - ago_ns : 0;
}

static void read_news(void *ctx, const struct jit_key *key, void **reader, struct jit_news *ret)
{
	struct jit_store *store = ctx;
	struct reader *r = *reader;
	if (!r)
		*reader = r = create(key);
	uint64_t budget = CALL_BYTES;
	find_dump(store, r, key);
	struct spending spending = tend_jvm(store, r, key, &ret->limits);
	if (has_code(r->memory))
		/* a perf map would be ignored, and looking for it costs more than the rest of this function */
		forget_map(r);
	else
		find_map(store, r, key);
	struct jit_file *files[] = {r->map, r->dump, r->memory};
	int fds[] = {r->map_fd, r->dump_fd, -1};
	for (unsigned i = 0; i < ARRAY_LEN(files); i++)
		if (files[i] && fds[i] >= 0)
			jit_file_read(files[i], fds[i], &budget);
	ret->incomplete = !budget;
	give_table(r, key, &spending, ret);
	charge(store, r, &spending);
	for (unsigned i = 0; i < ARRAY_LEN(files); i++)
		if (files[i])
			jit_file_limits(files[i], &ret->limits);
	if (r->jvm && has_code(r->memory) && !key->gone)
		ret->read_ns = r->memory_ns;
	if (r->map_fd >= 0 && !has_code(r->dump) && !has_code(r->memory))
		ret->written_ns = written_ns(r->map_fd);
	if (!key->keep_open)
		close_files(r);
	ret->files_open = r->map_fd >= 0 || r->dump_fd >= 0;
}

static void *create_store(void)
{
	return jit_store_create();
}

static void destroy_store(void *ctx)
{
	jit_store_destroy(ctx);
}

const struct jit_ops jit_live = {
	.create = create_store, .destroy = destroy_store, .read = read_news, .close = close_reader};
