/* The files a running process tells its names in.  Whoever may write to /tmp may have made
 * them: they are opened without following links or waiting, and only the process's own user,
 * or root, is believed. */
#include "resolve/elf/live_file.h"
#include "resolve/elf/open.h"
#include "resolve/jit/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	CHUNK = 256 * 1024,
	CALL_BYTES = 64 * 1024 * 1024, /* read in one call; the loader has others to serve */
	MAP_BYTES_MAX = 1024 * 1024 * 1024,
	TAIL = 64,
	STARTTIME = 22, /* a field of /proc/PID/stat */
};

struct reader {
	bool known;	       /* the process was seen */
	uint32_t uid, own_pid; /* own_pid: in its own namespace */
	uint64_t ticks;	       /* when it started */
	time_t since;	       /* what is older is another program's; 0: not known */

	int map_fd; /* -1: none */
	struct stat map;
	char *map_path;
	uint64_t map_at;
	uint64_t looked_ns; /* when the last look at it began that saw its end; 0: the first did not */
	uint64_t looks_ns;  /* when this one did */
	char tail[TAIL];    /* the bytes before map_at: a file written anew has others */
	size_t tail_n;
	struct jit_list map_list;

	int dump_fd;
	struct jitdump dump;
	uint64_t dump_at;
	char *dump_path;
	bool dump_tried;
	bool dump_timed; /* by the clock of samples */
	struct jit_list dump_list;

	char *buf; /* CHUNK */
};

static void close_map(struct reader *r)
{
	if (r->map_fd >= 0)
		close(r->map_fd);
	r->map_fd = -1;
	r->map_at = r->tail_n = 0;
	free(r->map_path);
	r->map_path = NULL;
	jit_list_deinit(&r->map_list);
	jit_list_init(&r->map_list);
}

static void close_reader(void *ctx, void *reader)
{
	struct reader *r = reader;
	(void)ctx;
	close_map(r);
	jit_list_deinit(&r->map_list);
	jit_list_deinit(&r->dump_list);
	if (r->dump_fd >= 0)
		close(r->dump_fd);
	free(r->dump_path);
	free(r->buf);
	free(r);
}

/* ---- the process ------------------------------------------------------------------- */

static bool slurp(int32_t pid, const char *name, char *buf, size_t cap)
{
	snprintf(buf, cap, "/proc/%d/%s", pid, name);
	int fd = open(buf, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, cap - 1);
	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static bool start_ticks(int32_t pid, uint64_t *ret)
{
	char buf[1024];
	if (!slurp(pid, "stat", buf, sizeof(buf)))
		return false;
	const char *at = strrchr(buf, ')'); /* comm may hold anything */
	for (int field = 2; at && field < STARTTIME; field++)
		at = strchr(at + 1, ' ');
	*ret = at ? strtoull(at, NULL, 10) : 0;
	return at != NULL;
}

static int64_t seconds_of(clockid_t id)
{
	struct timespec t = {0};
	clock_gettime(id, &t);
	return t.tv_sec;
}

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The number after the last blank of a line "NSpid:	12	1". */
static uint32_t last_number(const char *line)
{
	size_t n = strcspn(line, "\n");
	while (n && line[n - 1] >= '0' && line[n - 1] <= '9')
		n--;
	return (uint32_t)strtoul(line + n, NULL, 10);
}

/* Of the real, the effective and further users: the effective one. */
static uint32_t second_number(const char *s)
{
	char *end;
	strtoul(s, &end, 10);
	return (uint32_t)strtoul(end, NULL, 10);
}

/* In a time namespace CLOCK_MONOTONIC is another one. */
static bool has_our_clock(int32_t pid)
{
	char ours[256], its[256];
	bool known = slurp((int32_t)getpid(), "timens_offsets", ours, sizeof(ours)) &&
		     slurp(pid, "timens_offsets", its, sizeof(its));
	return !known || strcmp(ours, its) == 0;
}

static void learn_process(struct reader *r, const struct jit_key *key)
{
	char buf[4096];
	int64_t now = seconds_of(CLOCK_REALTIME);
	r->uid = key->uid;
	r->own_pid = (uint32_t)key->pid;
	if (key->since_ns)
		r->since = (time_t)(now - seconds_of(CLOCK_MONOTONIC) + (int64_t)(key->since_ns / 1000000000) - 1);
	if (key->gone || !start_ticks(key->pid, &r->ticks) || !slurp(key->pid, "status", buf, sizeof(buf)))
		return;
	long hz = sysconf(_SC_CLK_TCK);
	int64_t up = hz > 0 ? (int64_t)(r->ticks / (uint64_t)hz) : 0;
	time_t started = (time_t)(now - seconds_of(CLOCK_BOOTTIME) + up - 2); /* clocks are read one by one */
	r->since = started > r->since ? started : r->since;
	const char *uid = strstr(buf, "\nUid:"), *ns = strstr(buf, "\nNSpid:");
	if (uid)
		r->uid = second_number(uid + 5);
	if (ns && last_number(ns + 1))
		r->own_pid = last_number(ns + 1);
	r->known = true;
}

/* Is it still the one that was seen first? */
static bool is_alive(const struct reader *r, const struct jit_key *key)
{
	uint64_t ticks;
	return !key->gone && r->known && start_ticks(key->pid, &ticks) && ticks == r->ticks;
}

/* ---- the perf map -------------------------------------------------------------------- */

static bool is_believed(const struct reader *r, const struct stat *st)
{
	bool own = st->st_uid == r->uid || (st->st_uid == 0 && st->st_nlink == 1);
	return own && st->st_mtime >= r->since;
}

/* Opens what is there now, if that is another file than before. */
static bool open_map(struct reader *r, const char *root, uint32_t pid)
{
	char path[64], name[96];
	struct stat st;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	int fd = open_plain_below(root, path);
	if (fd < 0)
		return false;
	bool same = false, ok = fstat(fd, &st) == 0 && is_believed(r, &st);
	if (ok && r->map_fd >= 0)
		same = st.st_ino == r->map.st_ino && st.st_dev == r->map.st_dev;
	if (!ok || same) {
		close(fd);
		return same;
	}
	close_map(r);
	r->map_fd = fd;
	r->map = st;
	snprintf(name, sizeof(name), "%s%s", root[1] ? root : "", path);
	r->map_path = mem_strdup(name);
	return true;
}

static void find_map(struct reader *r, const struct jit_key *key)
{
	char root[32];
	snprintf(root, sizeof(root), "/proc/%d/root", key->pid);
	bool found = is_alive(r, key) && open_map(r, root, r->own_pid);
	/* Agents outside of a container write it for the outside. */
	if (!found && (r->known || r->uid != CATALOG_NONE))
		open_map(r, "/", (uint32_t)key->pid);
}

static void keep_tail(struct reader *r, const char *text, size_t n)
{
	r->tail_n = n < TAIL ? n : TAIL;
	memcpy(r->tail, text + n - r->tail_n, r->tail_n);
}

/* Agents write the whole file anew; then all of it is. */
static bool is_written_anew(struct reader *r, uint64_t size)
{
	char now[TAIL];
	return size < r->map_at ||
	       (r->tail_n && (pread(r->map_fd, now, r->tail_n, (off_t)(r->map_at - r->tail_n)) != (ssize_t)r->tail_n ||
			      memcmp(now, r->tail, r->tail_n) != 0));
}

/* What the last look did not see was not there then, as far as anybody tells. */
static void add_line(void *ctx, const struct jit_code *code)
{
	struct reader *r = ctx;
	struct jit_code dated = *code;
	dated.time_ns = r->looked_ns;
	jit_list_add(&r->map_list, &dated);
}

static bool read_map(struct reader *r, uint64_t *budget)
{
	struct stat st;
	if (r->map_fd < 0 || fstat(r->map_fd, &st) != 0)
		return false;
	if (!r->looks_ns)
		r->looks_ns = now_ns();
	if (is_written_anew(r, (uint64_t)st.st_size)) {
		jit_list_deinit(&r->map_list);
		jit_list_init(&r->map_list);
		r->map_at = r->tail_n = 0;
	}
	size_t before = r->map_list.code.n;
	while (*budget && r->map_at < MAP_BYTES_MAX) {
		ssize_t n = pread(r->map_fd, r->buf, CHUNK, (off_t)r->map_at);
		if (n <= 0)
			break;
		size_t used = perf_map_read(r->buf, (size_t)n, false, add_line, r);
		if (!used && n == CHUNK)
			used = CHUNK; /* no line is that long */
		if (!used)
			break;
		keep_tail(r, r->buf, used);
		r->map_at += used;
		*budget -= used < *budget ? used : *budget;
	}
	if (*budget) {
		r->looked_ns = r->looks_ns;
		r->looks_ns = 0;
	}
	return r->map_list.code.n != before;
}

/* ---- the jitdump --------------------------------------------------------------------- */

/* Is it the process's own?  A child has what its parent mapped. */
static bool is_own_dump(const struct reader *r, const struct jit_key *key)
{
	const char *base = strrchr(key->marker.path, '/');
	if (!base || strncmp(base, "/jit-", 5) != 0)
		return false;
	char *end;
	unsigned long pid = strtoul(base + 5, &end, 10);
	return strcmp(end, ".dump") == 0 && (pid == r->own_pid || pid == (unsigned long)key->pid);
}

static void find_dump(struct reader *r, const struct jit_key *key)
{
	struct live_file f;
	struct dso_image why = {0};
	if (!key->marker.path || r->dump_fd >= 0 || r->dump_tried || !is_own_dump(r, key))
		return;
	r->dump_tried = true; /* what refuses once refuses again */
	if (live_file_open(&key->marker, &f, &why) < 0)
		return;
	r->dump_fd = f.fd;
	r->dump_path = mem_strdup(key->marker.path);
}

/* A writer whose times are ahead of ours has another clock. */
static void add_record(void *ctx, const struct jit_code *code)
{
	struct reader *r = ctx;
	static const uint64_t slack_ns = 1000000000;
	struct jit_code dated = *code;
	if (r->dump_timed && (r->dump.ticks || code->time_ns > now_ns() + slack_ns)) {
		r->dump_timed = false;
		jit_list_forget_times(&r->dump_list);
	}
	if (!r->dump_timed)
		dated.time_ns = 0;
	jit_list_add(&r->dump_list, &dated);
}

static bool read_dump(struct reader *r, uint64_t *budget)
{
	size_t before = r->dump_list.code.n;
	while (r->dump_fd >= 0 && *budget && !r->dump.why && !r->dump.closed && r->dump_at < INT64_MAX) {
		ssize_t n = pread(r->dump_fd, r->buf, CHUNK, (off_t)r->dump_at);
		if (n <= 0)
			break;
		uint64_t used = jitdump_read(&r->dump, (const uint8_t *)r->buf, (size_t)n, add_record, r);
		if (!used)
			break;
		r->dump_at += used;
		*budget -= (uint64_t)n < *budget ? (uint64_t)n : *budget;
	}
	return r->dump_list.code.n != before;
}

/* ---- both ---------------------------------------------------------------------------- */

static struct reader *create(const struct jit_key *key)
{
	struct reader *r = mem_calloc(1, sizeof(*r));
	r->map_fd = r->dump_fd = -1;
	r->dump_timed = has_our_clock(key->pid);
	r->buf = mem_calloc(CHUNK, 1);
	jit_list_init(&r->map_list);
	jit_list_init(&r->dump_list);
	learn_process(r, key);
	return r;
}

static void read_news(void *ctx, const struct jit_key *key, void **reader, struct jit_news *ret)
{
	(void)ctx;
	struct reader *r = *reader;
	if (!r)
		*reader = r = create(key);
	uint64_t budget = CALL_BYTES;
	find_map(r, key);
	find_dump(r, key);
	bool map = read_map(r, &budget), dump = read_dump(r, &budget);
	ret->more = !budget;
	if (dump) {
		ret->table = jit_table_create(&r->dump_list, ORIGIN_JITDUMP, r->dump_timed);
		ret->file = mem_strdup(r->dump_path);
	} else if (map && !r->dump_list.code.n) {
		ret->table = jit_table_create(&r->map_list, ORIGIN_PERF_MAP, false);
		ret->file = mem_strdup(r->map_path);
	}
}

const struct jit_ops jit_live = {.read = read_news, .close = close_reader};
