/* Small recordings, damaged in thousands of seeded ways, each read to its end within this
 * process: bits flipped, bytes cut off, sizes replaced, parts put elsewhere.
 *   mutate SEED N FILE...
 * Fails where one takes more than 5 s, or more memory than four times its size and a
 * constant.  Crashes are the sanitizers' to tell. */
#include "source/file/bytes.h"
#include "source/file/file.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SECONDS_MAX = 5, MEMORY_FREE = 48 << 20 };

struct sink {
	struct source *source;
	uint64_t records, damaged, sum;
};

static void take(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct sink *sink = ctx;
	(void)lane;
	const struct source_ops *ops = sink->source->ops;
	const struct record_layout *layout =
		ops->layout ? ops->layout(sink->source, bytes, size) : ops->info(sink->source)->layout;
	struct record rec;
	uint32_t event, cpu;
	sink->records++;
	if (record_decode(layout, bytes, size, &rec) < 0) {
		sink->damaged++;
		return;
	}
	if (rec.type == RECORD_SAMPLE && ops->identify(sink->source, rec.id.id, &event, &cpu))
		sink->sum += event + rec.u.sample.period + ops->period(sink->source, rec.id.id);
}

static void read_all(struct source *source, struct merger *merger, struct sink *sink)
{
	const struct source_ops *ops = source->ops;
	do {
		ops->advance(source);
		do {
			struct lane *lanes;
			struct merge_stats stats = {0};
			size_t n = ops->begin(source, &lanes);
			merger_run(merger, ops->info(source)->layout, lanes, n, ops->horizon(source), merge_singly,
				   &(struct merge_singly){ops->info(source)->layout, take, sink}, &stats);
			ops->end(source);
		} while (ops->more(source));
		ops->maintain(source);
	} while (!ops->finished(source));
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

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	uint64_t seed = strtoull(argv[1], NULL, 0), total = strtoull(argv[2], NULL, 0), read = 0, failed = 0;
	struct merger *merger = merger_create();
	struct sink sink = {0};
	for (uint64_t i = 0; i < total; i++) {
		const char *path = argv[3 + i % (uint64_t)(argc - 3)];
		uint64_t state = seed + i;
		size_t n;
		uint8_t *data = slurp(path, &n);
		size_t whole = n;
		n = damage(data, n, &state);
		struct file_config config = {.path = path, .interval_ns = i % 3 ? 0 : 100000000};
		struct bytes bytes = bytes_of_memory(data, n, true);
		struct error err;
		double start = now_s();
		size_t before = memory_kb("VmRSS:");
		if (file_open_bytes(&config, &bytes, &sink.source, &err) == 0) {
			read++;
			read_all(sink.source, merger, &sink);
			sink.source->ops->close(sink.source);
		}
		size_t peak = memory_kb("VmHWM:");
		if (now_s() - start > SECONDS_MAX) {
			fprintf(stderr, "%s, seed %llu: took %.1f s\n", path, (unsigned long long)state,
				now_s() - start);
			failed++;
		}
		if (peak > before + (4 * whole + MEMORY_FREE) / 1024 && failed < 10) {
			fprintf(stderr, "%s, seed %llu: %zu KB more\n", path, (unsigned long long)(seed + i),
				peak - before);
			failed++;
		}
		free(data);
	}
	printf("%llu damaged recordings, %llu read in part, %llu refused; %llu records, %llu of them damaged; %llu "
	       "failed\n",
	       (unsigned long long)total, (unsigned long long)read, (unsigned long long)(total - read),
	       (unsigned long long)sink.records, (unsigned long long)sink.damaged, (unsigned long long)failed);
	merger_destroy(merger);
	return failed ? 1 : 0;
}
