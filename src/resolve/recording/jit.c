/* Code made at run time, in a recording.  Its names are in files that are called after a
 * process's number, and numbers are given anew: so the files of this machine are asked
 * only for a recording that was made here since it was booted, and only those that the
 * recorded process wrote.  What lies below --symfs the user vouches for. */
#include "resolve/jit/jit.h"
#include "base/alloc.h"
#include "resolve/elf/open.h"
#include "resolve/kernel/vmlinux.h"
#include "resolve/recording/jit.h"
#include "resolve/recording/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum {
	CHUNK = 1024 * 1024,
	BYTES_MAX = 1024 * 1024 * 1024,
	STARTTIME = 22, /* a field of /proc/PID/stat */
};

static const int64_t second = 1000000000;

/* ---- was it made here? --------------------------------------------------------------- */

static int64_t now_of(clockid_t id)
{
	struct timespec t = {0};
	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * second + t.tv_nsec;
}

static bool is_same(const char *recorded, const char *here)
{
	return recorded && *recorded && strcmp(recorded, here) == 0;
}

static bool is_this_kernel(const struct pd_info *info)
{
	struct build_id running;
	running_kernel_id(&running);
	for (size_t i = 0; i < info->build_ids_n && running.size; i++) {
		const struct pd_build_id *b = &info->build_ids[i];
		if (b->path && strncmp(b->path, "[kernel.kallsyms]", 17) == 0 &&
		    memcmp(b->id, running.bytes, running.size) != 0)
			return false;
	}
	return true;
}

/* Its file was written when it ended, which is how a boot is told from another: the clock
 * begins anew with each. */
bool recorded_here(const struct recording_names_config *config)
{
	static const int64_t late = 120 * second;
	struct utsname u;
	const struct pd_info *info = config->info;
	int64_t now = now_of(CLOCK_MONOTONIC), end = (int64_t)info->last_ns;
	if (!end || end > now + second || !config->written_ns || uname(&u) < 0)
		return false;
	int64_t written = config->written_ns - (now_of(CLOCK_REALTIME) - now);
	return is_same(info->hostname, u.nodename) && is_same(info->osrelease, u.release) && is_this_kernel(info) &&
	       written >= end - late && written <= end + late;
}

/* ---- whose file is it? ------------------------------------------------------------------ */

bool jit_file_fits(const struct jit_file *f)
{
	static const int64_t slack = 2 * second;
	bool same_process = f->alive_since_ns && f->alive_since_ns <= f->end_ns;
	if (!f->owner_fits)
		return false;
	/* Another one with its number may have written it before ... */
	int64_t since = f->since_ns ? f->since_ns : same_process ? f->alive_since_ns : f->begin_ns;
	if (f->written_ns < since - slack)
		return false;
	/* ... or after. */
	return f->written_ns <= f->end_ns + slack || same_process;
}

/* When the process of that number was started; 0: there is none. */
static int64_t started_ns(int32_t pid)
{
	char buf[1024];
	snprintf(buf, sizeof(buf), "/proc/%d/stat", pid);
	int fd = open(buf, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);
	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = '\0';
	const char *at = strrchr(buf, ')'); /* comm may hold anything */
	for (int field = 2; at && field < STARTTIME; field++)
		at = strchr(at + 1, ' ');
	long hz = sysconf(_SC_CLK_TCK);
	if (!at || hz <= 0)
		return 0;
	int64_t up = (int64_t)(strtoull(at, NULL, 10) * (uint64_t)second / (uint64_t)hz);
	up -= now_of(CLOCK_BOOTTIME) - now_of(CLOCK_MONOTONIC);
	return up > 0 ? up : 1;
}

static bool is_own_file(const struct recording_names *n, const struct jit_key *key, const struct stat *st)
{
	struct jit_file f = {
		.owner_fits = st->st_uid == geteuid() || st->st_uid == n->owner || (!st->st_uid && st->st_nlink == 1),
		.since_ns = (int64_t)key->since_ns,
		.begin_ns = n->first_ns,
		.end_ns = n->last_ns,
		.alive_since_ns = started_ns(key->pid),
	};
	f.written_ns = (int64_t)st->st_mtim.tv_sec * second + st->st_mtim.tv_nsec - now_of(CLOCK_REALTIME) +
		       now_of(CLOCK_MONOTONIC);
	return jit_file_fits(&f);
}

/* ---- reading ---------------------------------------------------------------------------- */

/* An fd, and where it was found; -1: none is to be believed. */
static int open_file(const struct recording_names *n, const struct jit_key *key, const char *path, char **file_ret)
{
	const char *root = n->symfs ? n->symfs : "/";
	struct stat st;
	if (!n->symfs && !n->here)
		return -1;
	int fd = open_plain_below(root, path);
	if (fd < 0)
		return -1;
	bool marker = key->marker.path && strcmp(path, key->marker.path) == 0;
	bool ok = fstat(fd, &st) == 0;
	if (ok && !n->symfs)
		ok = is_own_file(n, key, &st) && (!marker || !key->marker.ino || key->marker.ino == st.st_ino);
	if (!ok) {
		close(fd);
		return -1;
	}
	size_t cap = strlen(root) + strlen(path) + 1;
	*file_ret = mem_calloc(cap, 1);
	snprintf(*file_ret, cap, "%s%s", root[1] ? root : "", path);
	return fd;
}

static void read_map(int fd, struct jit_list *list)
{
	char *buf = mem_calloc(CHUNK, 1);
	ssize_t n;
	for (off_t at = 0; at < BYTES_MAX && (n = pread(fd, buf, CHUNK, at)) > 0;) {
		size_t used = perf_map_read(buf, (size_t)n, n < CHUNK, jit_list_add, list);
		at += used ? (off_t)used : n; /* no line is that long */
	}
	free(buf);
}

/* Its times are of use where the recording has the same clock.  Writers that have another
 * one mostly begin after it. */
static bool is_comparable(const struct recording_names *n, const struct jitdump *d)
{
	return n->monotonic && !d->ticks && (!n->last_ns || d->time_ns < (uint64_t)n->last_ns);
}

/* false: it is another process's. */
static bool read_dump(const struct recording_names *n, int fd, int32_t pid, struct jit_list *list)
{
	struct jitdump d = {0};
	uint8_t *buf = mem_calloc(CHUNK, 1);
	ssize_t got;
	uint64_t used;
	for (off_t at = 0; !d.why && !d.closed && at < BYTES_MAX && (got = pread(fd, buf, CHUNK, at)) > 0;
	     at += (off_t)used) {
		used = jitdump_read(&d, buf, (size_t)got, jit_list_add, list);
		if (!used || used > BYTES_MAX)
			break;
	}
	free(buf);
	if (!is_comparable(n, &d))
		jit_list_forget_times(list);
	return d.begun && d.pid == (uint32_t)pid;
}

static bool take(struct jit_list *list, enum sym_origin origin, struct jit_news *ret, char *file)
{
	if (!list->code.n) {
		free(file);
		return false;
	}
	ret->table = jit_table_create(list, origin, origin == ORIGIN_JITDUMP);
	ret->file = file;
	return true;
}

static bool try_dump(const struct recording_names *n, const struct jit_key *key, struct jit_news *ret)
{
	char *file;
	int fd = key->marker.path ? open_file(n, key, key->marker.path, &file) : -1;
	if (fd < 0)
		return false;
	struct jit_list list;
	jit_list_init(&list);
	bool own = read_dump(n, fd, key->pid, &list), taken = false;
	close(fd);
	if (own)
		taken = take(&list, ORIGIN_JITDUMP, ret, file);
	else
		free(file);
	jit_list_deinit(&list);
	return taken;
}

static void try_map(const struct recording_names *n, const struct jit_key *key, struct jit_news *ret)
{
	char path[64], *file;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", key->pid);
	int fd = open_file(n, key, path, &file);
	if (fd < 0)
		return;
	struct jit_list list;
	jit_list_init(&list);
	read_map(fd, &list);
	close(fd);
	take(&list, ORIGIN_PERF_MAP, ret, file);
	jit_list_deinit(&list);
}

/* Read once: what a recording is about does not grow.  Only its jitdump may be mapped late. */
static void read_news(void *ctx, const struct jit_key *key, void **reader, struct jit_news *ret)
{
	const struct recording_names *n = ctx;
	bool again = *reader;
	*reader = ctx;
	if (again && !key->marker.path)
		return;
	if (!try_dump(n, key, ret))
		try_map(n, key, ret);
}

static void close_reader(void *ctx, void *reader)
{
	(void)ctx, (void)reader;
}

void recorded_jit_ops(struct recording_names *n)
{
	n->jit = (struct jit_ops){.read = read_news, .close = close_reader, .ctx = n, .once = true};
}
