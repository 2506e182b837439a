/* Reads the names of a recorded process's JIT code.  The files have a pid in their name, and pids are reused.  So files
 * of this machine are used only if the recording was made here since the last boot, and if the recorded process wrote
 * them.  Files below --symfs are always used, because the user chose them. */
#include "resolve/jit/jit.h"
#include "base/alloc.h"
#include "base/limits.h"
#include "base/proc_stat.h"
#include "os/file.h"
#include "os/clock.h"
#include "resolve/elf/open.h"
#include "resolve/recording/jit.h"
#include "resolve/recording/recording.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	CHUNK = 1024 * 1024,
};

static const int64_t second = 1000000000;

/* ---- checking that the recorded process wrote a file ------------------------------------- */

static enum jit_fit unlike(const char **why, enum jit_fit fit, const char *reason)
{
	*why = reason;
	return fit;
}

enum jit_fit jit_file_fit(const struct jit_file_facts *f, const char **why)
{
	static const int64_t slack = 2 * second;
	bool same_process = f->alive_since_ns && f->alive_since_ns <= f->end_ns + slack;
	if (!f->owner_fits)
		return unlike(why, JIT_FILE_MISFIT,
			      "it belongs to another user, who may not be the process's: that is not known any more");
	if (f->alive_since_ns && !same_process)
		return unlike(why, JIT_FILE_MISFIT, "another process has had the pid since the recording ended");
	/* an earlier process with this pid may have written the file */
	int64_t since = f->since_ns ? f->since_ns : same_process ? f->alive_since_ns : f->begin_ns;
	if (f->written_ns < since - slack && (f->since_ns || same_process))
		return unlike(why, JIT_FILE_MISFIT, "it is older than the process");
	if (f->written_ns < 0)
		return unlike(why, JIT_FILE_MISFIT, "it was written before this boot");
	if (f->written_ns < since - slack)
		return unlike(why, JIT_FILE_MAY_FIT,
			      "it was written before the recording began, perhaps by an earlier process");
	/* a later process with this pid may have written the file */
	if (f->written_ns > f->end_ns + slack && !same_process)
		return unlike(why, JIT_FILE_MAY_FIT,
			      "it was written after the recording ended, and the process has ended, too");
	return JIT_FILE_FITS;
}

bool jit_is_at_random(uint64_t addr)
{
	static const uint32_t fixed[] = {0, 0x5555, 0x7fff, 0xaaaa, 0xffff}; /* upper halves that are not random */
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		if (addr >> 32 == fixed[i])
			return false;
	return true;
}

/* Returns CLOCK_MONOTONIC at the start of the process that has this pid now; 0: there is none. */
static int64_t started_ns(int32_t pid)
{
	char path[64], buf[1024];
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	struct task_stat st;
	long hz = sysconf(_SC_CLK_TCK);
	if (os_read(path, buf, sizeof(buf)) < 0 || task_stat_parse(buf, &st) < 0 || hz <= 0)
		return 0;
	int64_t up = (int64_t)u64_mul_div(st.start_ticks, (uint64_t)second, (uint64_t)hz);
	up -= (int64_t)clock_ns(CLOCK_BOOTTIME) - (int64_t)clock_ns(CLOCK_MONOTONIC);
	return up > 0 ? up : 1;
}

/* Tells whether the recorded process wrote the file. `mapped`: the process certainly mapped the file. */
static enum jit_fit fit_of(const struct recording_names *n, const struct jit_key *key, const struct stat *st,
			   bool mapped, const char **why)
{
	struct jit_file_facts f = {
		.owner_fits = mapped || st->st_uid == geteuid() || st->st_uid == n->owner ||
			      (!st->st_uid && st->st_nlink == 1) || os_is_of_user((uint32_t)key->pid, st->st_uid),
		.since_ns = (int64_t)key->since_ns,
		.begin_ns = __atomic_load_n(&n->first_ns, __ATOMIC_RELAXED),
		.end_ns = __atomic_load_n(&n->last_ns, __ATOMIC_RELAXED),
		.alive_since_ns = started_ns(key->pid),
	};
	f.written_ns = (int64_t)st->st_mtim.tv_sec * second + st->st_mtim.tv_nsec - (int64_t)clock_ns(CLOCK_REALTIME) +
		       (int64_t)clock_ns(CLOCK_MONOTONIC);
	return jit_file_fit(&f, why);
}

/* ---- reading JIT files ------------------------------------------------------------------ */

static CYC_PRINTF(2, 3) void say(struct jit_news *ret, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(ret->why, sizeof(ret->why), fmt, args);
	va_end(args);
}

/* An open JIT file. */
struct found {
	int fd;
	const char *path;
	char *file;	   /* path with the directory of --symfs; malloc'ed */
	const char *doubt; /* why the file may be another process's, unless its contents prove the contrary; or NULL */
};

/* Tells the user why a file is not used, and that --symfs makes cyctop use it. */
static void refuse(struct jit_news *ret, const struct found *f, const char *why)
{
	say(ret, "and %.60s is not used: %s (--symfs / uses it)", f->path, why);
}

/* Opens a JIT file.  Returns false, with ret->why, if it does not exist or is not trusted. */
static bool open_file(const struct recording_names *n, const struct jit_key *key, const char *path, struct found *f,
		      struct jit_news *ret)
{
	const char *root = n->symfs ? n->symfs : "/", *why = NULL;
	struct stat st;
	*f = (struct found){.path = path};
	if (!n->symfs && !recording_is_of_this_boot(n)) {
		say(ret,
		    "which the recording does not name; it may be of another machine or boot, so that %.60s is not "
		    "read (--symfs DIR reads it)",
		    path);
		return false;
	}
	f->fd = open_plain_below(root, path);
	if (f->fd < 0) {
		say(ret, "and neither the recording nor %.60s, which %s, names it", path,
		    f->fd == -ENOENT ? "does not exist" : "cannot be opened");
		return false;
	}
	bool marker = key->marker.path && strcmp(path, key->marker.path) == 0, mapped = marker && key->marker.ino;
	enum jit_fit fit = JIT_FILE_FITS;
	if (fstat(f->fd, &st) != 0)
		fit = unlike(&why, JIT_FILE_MISFIT, "it cannot be read");
	else if (!n->symfs && mapped && key->marker.ino != st.st_ino)
		fit = unlike(&why, JIT_FILE_MISFIT, "it is not the one that the process mapped");
	else if (!n->symfs)
		fit = fit_of(n, key, &st, mapped, &why);
	if (fit == JIT_FILE_MISFIT || (fit == JIT_FILE_MAY_FIT && marker && !mapped)) {
		refuse(ret, f, why);
		close(f->fd);
		return false;
	}
	f->doubt = why;
	f->file = path_below(root, path);
	return true;
}

static void read_map(int fd, jit_code_fn *add, struct jit_list *list, struct limit_set *limits)
{
	char *buf = mem_calloc(CHUNK, 1);
	ssize_t n;
	for (off_t at = 0; (n = pread(fd, buf, CHUNK, at)) > 0;) {
		if (at >= LIMIT_PERF_MAP_BYTES) {
			limit_reached(limits, REACHED_PERF_MAP_BYTES);
			break;
		}
		size_t used = perf_map_read(buf, (size_t)n, n < CHUNK, add, list);
		at += used ? (off_t)used : n; /* no line is so long, so this is no perf map */
	}
	free(buf);
}

/* Returns the earliest time in the list; UINT64_MAX: it is empty. */
static uint64_t first_time(const struct jit_list *list)
{
	uint64_t first = UINT64_MAX;
	for (size_t i = 0; i < list->code.n; i++)
		first = list->code.data[i].from_ns < first ? list->code.data[i].from_ns : first;
	return first;
}

/* Returns true if the jitdump was begun before the end of the recording, by the same clock. */
static bool is_begun_before_end(const struct recording_names *n, const struct jitdump *d, const struct jit_list *list)
{
	uint64_t last = (uint64_t)__atomic_load_n(&n->last_ns, __ATOMIC_RELAXED);
	return !d->ticks && (!last || first_time(list) < last);
}

/* Reads a jitdump.  Returns false if it is, or may be, another process's. */
static bool read_dump(const struct recording_names *n, const struct found *f, int32_t pid, struct jit_list *list,
		      struct jit_news *ret)
{
	struct jitdump d = {0};
	uint8_t *buf = mem_calloc(CHUNK, 1);
	ssize_t got;
	uint64_t used;
	for (off_t at = 0; !d.why && !d.closed && (got = pread(f->fd, buf, CHUNK, at)) > 0; at += (off_t)used) {
		if (at >= LIMIT_JITDUMP_BYTES) {
			limit_reached(&ret->limits, REACHED_JITDUMP_BYTES);
			break;
		}
		used = jitdump_read(&d, buf, (size_t)got, jit_list_add, list);
		if (!used || used > LIMIT_JITDUMP_BYTES)
			break;
	}
	free(buf);
	/* a later process with this pid would have begun a new file, after the end of the recording */
	bool before_end = is_begun_before_end(n, &d, list);
	if (f->doubt && !before_end) {
		refuse(ret, f, f->doubt);
		return false;
	}
	if (!n->monotonic || !before_end)
		jit_list_forget_times(list);
	return d.begun && d.pid == (uint32_t)pid;
}

/* Makes a table of the list; returns false, and frees `file`, if the list is empty. */
static bool take(struct jit_list *list, enum sym_origin origin, bool timed, size_t max_bytes, struct jit_news *ret,
		 char *file)
{
	bool any = list->code.n;
	if (any) {
		ret->table = jit_table_within(list, origin, timed, max_bytes);
		ret->file = file;
	} else {
		free(file);
	}
	limit_add(&ret->limits, &list->reached);
	return any;
}

static bool try_dump(const struct recording_names *n, const struct jit_key *key, struct jit_news *ret)
{
	struct found f;
	if (!key->marker.path || !open_file(n, key, key->marker.path, &f, ret))
		return false;
	struct jit_list list;
	jit_list_init(&list);
	list.max_bytes = LIMIT_JIT_PROCESS_BYTES;
	bool own = read_dump(n, &f, key->pid, &list, ret), taken = false;
	close(f.fd);
	if (own)
		taken = take(&list, ORIGIN_JITDUMP, true, key->max_bytes, ret, f.file);
	else
		free(f.file);
	jit_list_deinit(&list);
	return taken;
}

/* Adds code of a map that may be another process's only if it is at a random address: if the map is another's, the
 * recorded process has no samples at such addresses, so no name is wrong. */
static void add_random(void *list, const struct jit_code *code)
{
	if (jit_is_at_random(code->addr))
		jit_list_add(list, code);
}

static void try_map(const struct recording_names *n, const struct jit_key *key, struct jit_news *ret)
{
	char path[64];
	struct found f;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", key->pid);
	if (!open_file(n, key, path, &f, ret))
		return;
	struct jit_list list;
	jit_list_init(&list);
	list.max_bytes = LIMIT_JIT_PROCESS_BYTES;
	read_map(f.fd, f.doubt ? add_random : jit_list_add, &list, &ret->limits);
	close(f.fd);
	if (!take(&list, ORIGIN_PERF_MAP, false, key->max_bytes, ret, f.file) && f.doubt)
		refuse(ret, &f, f.doubt);
	jit_list_deinit(&list);
}

/* ---- reading names in the recording itself ------------------------------------------------- */

/* Returns the first entry of the process in n->code, which is sorted by pid, or the place where it would be. */
static const struct pd_code *find_code(const struct recording_names *n, int32_t pid)
{
	size_t low = 0, high = n->code_n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (n->code[mid].pid < pid)
			low = mid + 1;
		else
			high = mid;
	}
	return n->code + low;
}

static void add_code(struct jit_list *list, const struct pd_code *code)
{
	for (size_t i = 0; i < code->functions_n; i++) {
		const struct pd_function *f = &code->functions[i];
		const struct jit_code fresh = {
			.addr = f->addr,
			.size = f->size,
			.time_ns = f->from_ns,
			.name = f->name,
			.name_n = strlen(f->name),
		};
		jit_list_add(list, &fresh);
	}
}

/* Takes the process's names in the recording itself, without those of an earlier process with this pid. */
static bool try_recorded(const struct recording_names *n, const struct jit_key *key, struct jit_news *ret)
{
	struct jit_list list;
	jit_list_init(&list);
	list.max_bytes = LIMIT_JIT_PROCESS_BYTES;
	const struct pd_code *code = find_code(n, key->pid), *end = n->code + n->code_n;
	for (; code < end && code->pid == key->pid; code++)
		if (code->last_ns >= key->since_ns)
			add_code(&list, code);
	bool taken = take(&list, ORIGIN_RECORDING, true, key->max_bytes, ret, NULL);
	jit_list_deinit(&list);
	return taken;
}

/* Reads all files at once, because those of a recording do not grow. */
static void read_news(void *ctx, const struct jit_key *key, void **reader, struct jit_news *ret)
{
	const struct recording_names *n = ctx;
	(void)reader;
	if (try_recorded(n, key, ret))
		return;
	if (try_dump(n, key, ret))
		return;
	char why[sizeof(ret->why)];
	memcpy(why, ret->why, sizeof(why));
	try_map(n, key, ret);
	/* the reason why the jitdump is not used tells the user more than that there is no map */
	if (!ret->table && why[0])
		memcpy(ret->why, why, sizeof(why));
}

static void prepare(void *ctx)
{
	recording_look(ctx);
}

/* Sets n->jit.  For a stream, reads are repeated: processes may still write the files, and where the recording was made
 * is unknown at first. */
void recorded_jit_ops(struct recording_names *n)
{
	n->jit = (struct jit_ops){
		.read = read_news,
		.prepare = prepare,
		.ctx = n,
		.once = !n->config.info->stream,
		.samples_wait = true,
	};
}
