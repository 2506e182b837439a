/* Damages small recordings in thousands of pseudo-random ways, and processes each like batch
 * output does, within this process.  Damage: flipped bits, cut-off bytes, changed sizes, parts
 * copied elsewhere.  Every fifth recording is read as a stream.
 *   mutate SEED N FILE...
 * Fails if one takes more than 5 s of CPU time, or more memory than four times its size plus a
 * constant.  The constant is the memory for a recording without records, which is measured first,
 * plus 3 MB for things that such a recording does not need; half of that is for libzstd and its
 * output.  The sanitizers find crashes.
 *
 * As root it runs in an empty root directory: reading the symbols of installed programs would
 * take most of the time, and memory that does not depend on the damage.  For other users memory is
 * not checked. */
#include "source/file/bytes.h"
#include "source/file/file.h"

#include "base/alloc.h"

#include "../lib/memory_bytes.h"
#include "../lib/usual_pivots.h"

#include <cyctop/session.h>

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS_MAX = 5, TICKS_MAX = 100000, SETTLE_MS = 4000, EMPTY_RUNS = 5, CONSTANT_KB = 3072, FAILED_MAX = 10 };
enum { TRIES = 4 }; /* of a recording that takes too much: what else runs on the machine adds to a measurement */
enum { HISTORY_KB = 4096 }; /* damaged times make many intervals, which are kept up to this */
enum { CELL_BYTES = 1280 }; /* the sums of an event on a CPU: in the session, the total and the least history */

/* With sanitizers, memory cannot be compared, because of their shadow memory. */
#if defined(__SANITIZE_ADDRESS__)
enum { LIMITS_MEMORY = 0 };
#else
enum { LIMITS_MEMORY = 1 };
#endif

/* Does what session_open_file() does, for a recording in memory. */
static int open_session(const struct file_config *config, const struct bytes *bytes, struct session **ret,
			struct error *err)
{
	struct session_config session = {
		.names = {.proc = proc_none, .keep_comms = true, .keep_addresses = true, .cache_bits = 12},
		.keep_ns = 120ull * 1000000000,
		.keep_bytes = HISTORY_KB << 10,
	};
	int rc = file_open_bytes(config, bytes, &session.source, err);
	if (rc < 0)
		return rc;
	const struct recording_names_config names = {.info = file_info(session.source)};
	session.recording = recording_names_create(&names);
	recording_names_use(session.recording, &session.names);
	return session_create(&session, ret, err);
}

struct tally {
	uint64_t read, refused, samples, rows, malformed, endless;
	size_t cells; /* of the last recording: its CPUs times its events */
};

/* Does everything that batch output does with a recording, except printing. */
static void look_at(struct session *s, struct tally *t)
{
	const struct pivot_query pivots[] = {
		usual_pivots[BY_SYMBOL],
		usual_pivots[BY_PID],
		usual_pivots[BY_CPU],
		{.dims = {DIM_COMM, DIM_DSO, DIM_SYMBOL}, .dims_n = 3, .by_name = true},
	};
	const struct query q = {.window = WINDOW_TOTAL, .pivots = pivots, .pivots_n = ARRAY_LEN(pivots)};
	resolver_settle(session_resolver(s), SETTLE_MS);
	session_collect(s);
	struct snapshot *snap = session_snapshot(s, &q);
	for (size_t e = 0; e < session_info(s)->events_n; e++)
		t->samples += snap->events[e].samples;
	t->malformed += snap->trust.malformed;
	t->rows += snap->pivots[USUAL_PIVOTS].n;
	snapshot_destroy(snap);
}

static void run(const char *path, const uint8_t *data, size_t n, uint64_t interval_ns, bool pipe, struct tally *t)
{
	struct file_config config = {.path = path, .interval_ns = interval_ns};
	struct bytes bytes = bytes_of_memory(data, n, !pipe);
	struct session *s;
	struct error err;
	size_t ticks = 0;
	t->cells = 0;
	if (open_session(&config, &bytes, &s, &err) < 0) {
		t->refused++;
		return;
	}
	t->read++;
	t->cells = session_info(s)->cpus_n * session_info(s)->events_n;
	do
		session_tick(s);
	while (!session_finished(s) && ++ticks < TICKS_MAX);
	t->endless += !session_finished(s);
	look_at(s, t);
	session_destroy(s);
}

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15ull;
	return hash_u64(*state);
}

static size_t below(uint64_t *state, size_t n)
{
	return n ? (size_t)(next_random(state) % n) : 0;
}

static void put_size(uint8_t *data, size_t n, uint64_t *state)
{
	static const uint64_t values[] = {
		0, 1, 7, 8, 0xffff, 0x7fffffff, 0xffffffff, UINT64_MAX, UINT64_MAX - 7, 1ull << 62};
	uint64_t v = values[below(state, ARRAY_LEN(values))];
	size_t width = (size_t)1 << below(state, 4), at = below(state, n / 2) * 2;
	for (size_t i = 0; i < width && at + i < n; i++)
		data[at + i] = (uint8_t)(v >> 8 * i);
}

static void move_part(uint8_t *data, size_t n, uint64_t *state)
{
	size_t from = below(state, n), to = below(state, n), len = below(state, 512);
	len = len < n - from ? len : n - from;
	len = len < n - to ? len : n - to;
	memmove(data + to, data + from, len);
}

/* Damages a recording; half of the damage is in the first 2 KB, which contain header and attrs. */
static size_t damage(uint8_t *data, size_t n, uint64_t *state)
{
	size_t times = 1 + below(state, 8);
	for (size_t i = 0; i < times && n; i++) {
		size_t reach = below(state, 2) && n > 2048 ? 2048 : n;
		switch (below(state, 4)) {
		case 0:
			data[below(state, reach)] ^= (uint8_t)(1u << below(state, 8));
			break;
		case 1:
			put_size(data, reach, state);
			break;
		case 2:
			move_part(data, reach, state);
			break;
		default:
			if (below(state, 4) == 0)
				n = below(state, n);
		}
	}
	return n;
}

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Opens a file of /proc/self.  `proc`: a descriptor of that directory, which has no path in an
 * empty root directory. */
static FILE *open_own(int proc, const char *name, bool write)
{
	int fd = openat(proc, name, (write ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
	return fd < 0 ? NULL : fdopen(fd, write ? "w" : "r");
}

static size_t memory_kb(int proc, const char *key)
{
	char line[256];
	size_t kb = 0, len = strlen(key);
	FILE *f = open_own(proc, "status", false);
	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, key, len) == 0)
			kb = strtoul(line + len, NULL, 10);
	if (f)
		fclose(f);
	return kb;
}

/* Resets VmHWM, the peak memory, to the present size; false: this kernel cannot. */
static bool forget_peak(int proc)
{
	malloc_trim(0);
	FILE *f = open_own(proc, "clear_refs", true);
	bool ok = f && fputs("5", f) >= 0;
	return f && fclose(f) == 0 && ok;
}

struct input {
	const char *path;
	uint8_t *bytes;
	size_t n;
};

static void read_input(const char *path, struct input *ret)
{
	struct bytes bytes;
	struct error err;
	if (bytes_open(path, -1, &bytes, &err) < 0 || bytes.size == UINT64_MAX || bytes.size == 0) {
		fprintf(stderr, "mutate: cannot read %s\n", path);
		exit(2);
	}
	*ret = (struct input){path, mem_calloc(1, bytes.size), bytes.size};
	if (bytes_get(&bytes, 0, ret->bytes, ret->n) < 0)
		exit(2);
	bytes_close(&bytes);
}

/* Processes a recording, and returns by how many KB the process grew meanwhile; 0: unknown. */
static size_t measured(int proc, const char *path, const uint8_t *data, size_t n, uint64_t interval_ns, bool pipe,
		       struct tally *t)
{
	bool can = LIMITS_MEMORY && forget_peak(proc);
	size_t before = memory_kb(proc, "VmRSS:");
	run(path, data, n, interval_ns, pipe, t);
	size_t peak = memory_kb(proc, "VmHWM:");
	return can && peak > before ? peak - before : 0;
}

/* Returns the KB that a recording with one event and no records needs. */
static size_t measure_empty(int proc)
{
	uint8_t data[PD_HEADER_SIZE + 64 + 16 + 8] = {0};
	struct perf_attr attr = {.size = 64, .type = 1, .sample_period = 1, .sample_type = SAMPLE_IP | SAMPLE_TID};
	struct pd_header h = {
		.attr_size = 64 + 16, .attrs = {PD_HEADER_SIZE, 64 + 16}, .data = {PD_HEADER_SIZE + 80, 8}};
	const struct record_header round = {.type = PD_RECORD_FINISHED_ROUND, .size = sizeof(round)};
	struct tally t = {0};
	size_t most = 0;
	pd_header_encode(&h, data);
	memcpy(data + PD_HEADER_SIZE, &attr, 64);
	memcpy(data + PD_HEADER_SIZE + 80, &round, sizeof(round));
	for (int i = 0; i < EMPTY_RUNS; i++) {
		size_t kb = measured(proc, "empty", data, sizeof(data), 0, false, &t);
		most = kb > most ? kb : most;
	}
	if (t.read != EMPTY_RUNS)
		abort();
	return most;
}

struct cost {
	double seconds;	 /* of CPU time */
	size_t kb, over; /* over: by how many KB it is above what the recording may take */
};

/* What does not depend on the recording. */
struct setting {
	int proc;
	size_t empty_kb;
	bool limits_memory;
};

/* The damaged recording `i` of an input: n bytes of data. */
static struct cost cost_of(const struct setting *set, const struct input *in, const uint8_t *data, size_t n, uint64_t i,
			   struct tally *t)
{
	double start = now_s();
	size_t kb = measured(set->proc, in->path, data, n, i % 3 ? 0 : 100000000, i % 5 == 0, t);
	double seconds = now_s() - start;
	size_t limit_kb = set->empty_kb + CONSTANT_KB + HISTORY_KB + (4 * in->n + t->cells * CELL_BYTES) / 1024;
	return (struct cost){seconds, kb, set->limits_memory && kb > limit_kb ? kb - limit_kb : 0};
}

static struct cost least(struct cost a, struct cost b)
{
	return (struct cost){a.seconds < b.seconds ? a.seconds : b.seconds, a.kb < b.kb ? a.kb : b.kb,
			     a.over < b.over ? a.over : b.over};
}

static bool is_too_much(const struct cost *c)
{
	return c->seconds > SECONDS_MAX || c->over;
}

/* Changes the root to a removed directory, so that nothing can be created in it; false: only
 * root may. */
static bool enter_empty_root(void)
{
#if defined(__SANITIZE_ADDRESS__)
	return false; /* the leak checker needs the path /proc */
#endif
	const char *tmp = getenv("TMPDIR");
	char dir[4096];
	snprintf(dir, sizeof(dir), "%s/cyctop-mutate-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	return mkdtemp(dir) && chdir(dir) == 0 && rmdir(dir) == 0 && chroot(".") == 0;
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	uint64_t seed = strtoull(argv[1], NULL, 0), total = strtoull(argv[2], NULL, 0), failed = 0;
	size_t inputs_n = (size_t)argc - 3;
	struct input *inputs = mem_calloc(inputs_n, sizeof(*inputs));
	for (size_t i = 0; i < inputs_n; i++)
		read_input(argv[3 + i], &inputs[i]);
	int proc = open("/proc/self", O_PATH | O_CLOEXEC);
	bool limits_memory = enter_empty_root() && LIMITS_MEMORY;
	struct tally t = {0};
	mallopt(M_MMAP_THRESHOLD, 128 * 1024); /* large blocks return to the kernel when they are freed */
	const struct setting set = {proc, measure_empty(proc), limits_memory};
	size_t worst_kb = 0;
	double slowest = 0;
	for (uint64_t i = 0; i < total && failed < FAILED_MAX; i++) {
		const struct input *in = &inputs[i % inputs_n];
		uint64_t state = seed + i, random = state;
		uint8_t *data = mem_calloc(1, in->n);
		memcpy(data, in->bytes, in->n);
		size_t n = damage(data, in->n, &random);
		struct cost cost = cost_of(&set, in, data, n, i, &t);
		for (int try = 1; try < TRIES && is_too_much(&cost); try++)
			cost = least(cost, cost_of(&set, in, data, n, i, &t));
		slowest = cost.seconds > slowest ? cost.seconds : slowest;
		worst_kb = cost.kb > worst_kb ? cost.kb : worst_kb;
		if (is_too_much(&cost)) {
			fprintf(stderr, "%s, seed %llu: %.1f s, %zu KB, which is %zu KB too much\n", in->path,
				(unsigned long long)state, cost.seconds, cost.kb, cost.over);
			failed++;
		}
		free(data);
	}
	failed += t.endless;
	printf("%llu damaged recordings, %llu read in part, %llu refused; %llu samples, %llu rows, %llu records "
	       "damaged; at most %.2f s and %zu KB, an empty one %zu KB; %llu without an end; %llu failed\n",
	       (unsigned long long)total, (unsigned long long)t.read, (unsigned long long)t.refused,
	       (unsigned long long)t.samples, (unsigned long long)t.rows, (unsigned long long)t.malformed, slowest,
	       worst_kb, set.empty_kb, (unsigned long long)t.endless, (unsigned long long)failed);
	for (size_t i = 0; i < inputs_n; i++)
		free(inputs[i].bytes);
	free(inputs);
	close(proc);
	return failed ? 1 : 0;
}
