/* A tool, not a test: opens the live source, prints what it could open, and how long a tick takes.
 *   probe [SECONDS [EVENT,...]] */
#include "../lib/merge_singly.h"

#include <cyctop/source.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct tally {
	struct source *src;
	uint64_t records[32], period[EVENTS_MAX], samples[EVENTS_MAX], unknown;
	const struct record_layout *layout;
};

static void count(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	(void)lane;
	struct tally *t = ctx;
	struct record rec;
	uint32_t event, cpu;
	if (record_decode(t->layout, bytes, size, &rec) < 0) {
		t->records[0]++;
		return;
	}
	t->records[rec.type < 32 ? rec.type : 31]++;
	if (rec.type != RECORD_SAMPLE)
		return;
	if (!t->src->ops->identify(t->src, rec.id.id, &event, &cpu) || event >= EVENTS_MAX) {
		t->unknown++;
		return;
	}
	t->samples[event]++;
	t->period[event] += rec.u.sample.period;
}

static double now_us(clockid_t clock)
{
	struct timespec ts;
	clock_gettime(clock, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static void print_info(const struct source_info *info)
{
	printf("scope %d, host %s, kernel %s, pmu '%s', %u CPUs, %llu Hz, rings %zu KiB\n", (int)info->scope,
	       info->host, info->kernel, info->pmu, info->cpus_n, (unsigned long long)info->rate_hz,
	       info->ring_bytes / 1024);
	printf("notice: %s\nshort: %s\n", info->notice, info->short_notice);
	for (size_t e = 0; e < info->events_n; e++)
		printf("event %zu: %s: %s\n", e, info->events[e].spec.name,
		       info->events[e].available ? "available" : info->events[e].why);
}

static void print_counters(const struct source_info *info, const struct counter *c, const struct cpu_time *t)
{
	for (size_t e = 0; e < info->events_n; e++)
		for (unsigned cpu = 0; cpu < info->cpus_n; cpu++) {
			const struct counter *k = &c[e * info->cpus_n + cpu];
			if (k->opened)
				printf("  %s cpu %u: value %llu enabled %llu running %llu lost %llu\n",
				       info->events[e].spec.name, cpu, (unsigned long long)k->value,
				       (unsigned long long)k->enabled_ns, (unsigned long long)k->running_ns,
				       (unsigned long long)k->lost);
		}
	for (unsigned cpu = 0; cpu < info->cpus_n; cpu++)
		printf("  cpu %u: busy %.2f s, idle %.2f s, %s\n", cpu, (double)t[cpu].busy_ns / 1e9,
		       (double)t[cpu].idle_ns / 1e9, t[cpu].online ? "online" : "offline");
}

int main(int argc, char **argv)
{
	struct live_config config = {.freq = 999};
	struct source *src;
	struct error err;
	int seconds = argc > 1 ? atoi(argv[1]) : 2;
	if (argc > 2) {
		config.events_given = true;
		if (event_parse_list(argv[2], &(struct event_world){.more = pfm_lookup}, config.events,
				     &config.events_n, &err) < 0) {
			printf("%s\n", err.text);
			return 1;
		}
	}
	double start = now_us(CLOCK_MONOTONIC), cpu_start = now_us(CLOCK_PROCESS_CPUTIME_ID);
	int rc = live_open(&config, &src, &err);
	printf("live_open: %.0f us, %.0f us of CPU\n", now_us(CLOCK_MONOTONIC) - start,
	       now_us(CLOCK_PROCESS_CPUTIME_ID) - cpu_start);
	if (rc) {
		printf("%d: %s\n", rc, err.text);
		return 1;
	}
	const struct source_info *info = src->ops->info(src);
	print_info(info);
	struct counter *counters = calloc(info->events_n * info->cpus_n, sizeof(*counters));
	struct cpu_time *times = calloc(info->cpus_n, sizeof(*times));
	struct merger *merger = merger_create();
	struct tally tally = {.src = src, .layout = info->layout};
	struct merge_stats stats = {0};
	for (int i = 0; i < seconds; i++) {
		nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
		struct lane *lanes;
		double t0 = now_us(CLOCK_MONOTONIC);
		uint64_t now = src->ops->now_ns(src);
		src->ops->read_counters(src, counters, times);
		double t1 = now_us(CLOCK_MONOTONIC);
		size_t n = src->ops->begin(src, &lanes);
		double t2 = now_us(CLOCK_MONOTONIC);
		merger_run(merger, info->layout, lanes, n, now, merge_singly,
			   &(struct merge_singly){info->layout, count, &tally}, &stats);
		double t3 = now_us(CLOCK_MONOTONIC);
		src->ops->end(src);
		double t4 = now_us(CLOCK_MONOTONIC);
		src->ops->maintain(src);
		double t5 = now_us(CLOCK_MONOTONIC);
		printf("tick: counters %.0f, begin %.0f, merge+decode %.0f, end %.0f, maintain %.0f us\n", t1 - t0,
		       t2 - t1, t3 - t2, t4 - t3, t5 - t4);
	}
	print_counters(info, counters, times);
	for (size_t e = 0; e < info->events_n; e++)
		printf("event %zu: %llu samples, period sum %llu\n", e, (unsigned long long)tally.samples[e],
		       (unsigned long long)tally.period[e]);
	for (size_t i = 0; i < ARRAY_LEN(tally.records); i++)
		if (tally.records[i])
			printf("records of type %zu: %llu\n", i, (unsigned long long)tally.records[i]);
	printf("malformed %llu, unknown ids %llu\n", (unsigned long long)stats.malformed,
	       (unsigned long long)tally.unknown);
	merger_destroy(merger);
	src->ops->close(src);
	free(counters);
	free(times);
	return 0;
}
