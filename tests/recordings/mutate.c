/* Small recordings, damaged in thousands of seeded ways, each taken through all that batch
 * output does with one, within this process: bits flipped, bytes cut off, sizes replaced,
 * parts put elsewhere; as files, and every fifth as a stream.
 *   mutate SEED N FILE...
 * Fails where one takes more than 5 s, or more memory than four times its size and a constant:
 * what a recording without records takes, which is measured first, and 3 MB for what that
 * has no use for: half of it is what libzstd needs and what it unpacks into.  Crashes are
 * the sanitizers' to tell. */
#include "source/file/bytes.h"
#include "source/file/file.h"

#include "base/alloc.h"

#include <cyctop/session.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SECONDS_MAX = 5, TICKS_MAX = 100000, SETTLE_MS = 4000, EMPTY_RUNS = 5, CONSTANT_KB = 3072, FAILED_MAX = 10 };

/* What the sanitizers keep beside each byte is theirs. */
#if defined(__SANITIZE_ADDRESS__)
enum { LIMITS_MEMORY = 0 };
#else
enum { LIMITS_MEMORY = 1 };
#endif

/* As session_open_file() does it, of bytes. */
static int open_session(const struct file_config *config, const struct bytes *bytes, struct session **ret,
			struct error *err)
{
	struct session_config session = {
		.names = {.proc = proc_none, .keep_comms = true, .keep_addresses = true, .cache_bits = 17},
		.keep_ns = 120ull * 1000000000,
		.keep_bytes = 4 << 20,
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
};

/* All that batch output does with a recording, but for printing. */
static void look_at(struct session *s, struct tally *t)
{
	struct query q = {.window = WINDOW_TOTAL, .only_task = CATALOG_NONE, .only_sym = CATALOG_NONE};
	struct report_keys keys;
	struct error err;
	resolver_settle(session_resolver(s), SETTLE_MS);
	session_collect(s);
	struct snapshot *snap = session_snapshot(s, &q);
	for (size_t e = 0; e < session_info(s)->events_n; e++)
		t->samples += snap->events[e].samples;
	t->malformed += snap->trust.malformed;
	snapshot_destroy(snap);
	if (report_keys_parse("comm,dso,symbol", &keys, &err) < 0)
		abort();
	struct report *r = session_report(s, &q, &keys);
	t->rows += r->table.n;
	report_destroy(r);
}

static void run(const char *path, const uint8_t *data, size_t n, uint64_t interval_ns, bool pipe, struct tally *t)
{
	struct file_config config = {.path = path, .interval_ns = interval_ns};
	struct bytes bytes = bytes_of_memory(data, n, !pipe);
	struct session *s;
	struct error err;
	size_t ticks = 0;
	if (open_session(&config, &bytes, &s, &err) < 0) {
		t->refused++;
		return;
	}
	t->read++;
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

/* Half of all damage is done to the first 2 KB, where the header and attrs are. */
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
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static size_t memory_kb(const char *key)
{
	char line[256];
	size_t kb = 0, len = strlen(key);
	FILE *f = fopen("/proc/self/status", "re");
	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, key, len) == 0)
			kb = strtoul(line + len, NULL, 10);
	if (f)
		fclose(f);
	return kb;
}

/* From here on VmHWM is of what comes; false: this kernel cannot. */
static bool forget_peak(void)
{
	malloc_trim(0);
	FILE *f = fopen("/proc/self/clear_refs", "we");
	bool ok = f && fputs("5", f) >= 0;
	return f && fclose(f) == 0 && ok;
}

static uint8_t *slurp(const char *path, size_t *n_ret)
{
	struct bytes bytes;
	struct error err;
	if (bytes_open(path, &bytes, &err) < 0 || bytes.size == UINT64_MAX || bytes.size == 0) {
		fprintf(stderr, "mutate: cannot read %s\n", path);
		exit(2);
	}
	uint8_t *data = mem_calloc(1, bytes.size);
	if (bytes_get(&bytes, 0, data, bytes.size) < 0)
		exit(2);
	*n_ret = bytes.size;
	bytes_close(&bytes);
	return data;
}

/* By how many KB the process grows while it runs one; 0: not to be told. */
static size_t measured(const char *path, const uint8_t *data, size_t n, uint64_t interval_ns, bool pipe,
		       struct tally *t)
{
	bool can = LIMITS_MEMORY && forget_peak();
	size_t before = memory_kb("VmRSS:");
	run(path, data, n, interval_ns, pipe, t);
	size_t peak = memory_kb("VmHWM:");
	return can && peak > before ? peak - before : 0;
}

/* What a recording without a single record costs, so that it is the file that is measured:
 * a header, and one event. */
static size_t measure_empty(void)
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
		size_t kb = measured("empty", data, sizeof(data), 0, false, &t);
		most = kb > most ? kb : most;
	}
	if (t.read != EMPTY_RUNS)
		abort();
	return most;
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	uint64_t seed = strtoull(argv[1], NULL, 0), total = strtoull(argv[2], NULL, 0), failed = 0;
	struct tally t = {0};
	mallopt(M_MMAP_THRESHOLD, 128 * 1024); /* what is large goes back when it is freed */
	size_t empty_kb = measure_empty(), worst_kb = 0;
	double slowest = 0;
	for (uint64_t i = 0; i < total && failed < FAILED_MAX; i++) {
		const char *path = argv[3 + i % (uint64_t)(argc - 3)];
		uint64_t state = seed + i, random = state;
		size_t n;
		uint8_t *data = slurp(path, &n);
		size_t limit_kb = empty_kb + CONSTANT_KB + 4 * n / 1024;
		n = damage(data, n, &random);
		double start = now_s();
		size_t kb = measured(path, data, n, i % 3 ? 0 : 100000000, i % 5 == 0, &t);
		double took = now_s() - start;
		slowest = took > slowest ? took : slowest;
		worst_kb = kb > worst_kb ? kb : worst_kb;
		if (took > SECONDS_MAX || (LIMITS_MEMORY && kb > limit_kb)) {
			fprintf(stderr, "%s, seed %llu: %.1f s, %zu KB, of which %zu are allowed\n", path,
				(unsigned long long)state, took, kb, limit_kb);
			failed++;
		}
		free(data);
	}
	failed += t.endless;
	printf("%llu damaged recordings, %llu read in part, %llu refused; %llu samples, %llu rows, %llu records "
	       "damaged; at most %.2f s and %zu KB, an empty one %zu KB; %llu without an end; %llu failed\n",
	       (unsigned long long)total, (unsigned long long)t.read, (unsigned long long)t.refused,
	       (unsigned long long)t.samples, (unsigned long long)t.rows, (unsigned long long)t.malformed, slowest,
	       worst_kb, empty_kb, (unsigned long long)t.endless, (unsigned long long)failed);
	return failed ? 1 : 0;
}
