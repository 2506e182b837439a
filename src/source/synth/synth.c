/* A script as a source (struct source_ops), and its clock. */
#include "source/synth/synth.h"
#include "os/clock.h"

#include <stdlib.h>
#include <string.h>

/* If cyctop was stopped (SIGSTOP) for longer than this, it generates only this time's intervals, and skips the
 * others. */
#define CATCH_UP_NS 30000000000ull

static struct synth *synth_of(struct source *src)
{
	return (struct synth *)src;
}

/* ---- advancing the time ----------------------------------------------------------- */

/* Returns the number of intervals that have passed on the wall clock.  Of a pause, counts at most CATCH_UP_NS. */
static uint64_t passed_intervals(struct synth *sy)
{
	uint64_t interval = sy->script.interval_ns;
	uint64_t passed = (clock_ns(CLOCK_MONOTONIC) - sy->wall_base) / interval;
	uint64_t most = sy->passed + CATCH_UP_NS / interval + 1;
	if (passed > most) {
		sy->wall_base += (passed - most) * interval;
		passed = most;
	}
	return passed;
}

static void advance(struct source *src)
{
	struct synth *sy = synth_of(src);
	sy->passed = sy->realtime ? passed_intervals(sy) : sy->passed + 1;
	while (!sy->over && sy->intervals < sy->passed)
		generate_interval(sy);
}

static uint64_t now_ns(struct source *src)
{
	const struct synth *sy = synth_of(src);
	return sy->script.start_ns + sy->passed * sy->script.interval_ns;
}

/* ---- implementing source_ops ------------------------------------------------------ */

static const struct source_info *info(struct source *src)
{
	return &synth_of(src)->info;
}

static void read_counters(struct source *src, struct counter *counters, struct cpu_time *times)
{
	struct synth *sy = synth_of(src);
	memcpy(counters, sy->counters, sy->info.events_n * sy->info.cpus_n * sizeof(*counters));
	memcpy(times, sy->times, sy->info.cpus_n * sizeof(*times));
}

static size_t begin(struct source *src, struct lane **ret)
{
	struct synth *sy = synth_of(src);
	unsigned n = sy->info.cpus_n;
	for (unsigned cpu = 0; cpu < n; cpu++) {
		synth_ring_lane(&sy->side[cpu], true, &sy->lanes[cpu]);
		synth_ring_lane(&sy->data[cpu], false, &sy->lanes[n + cpu]);
	}
	*ret = sy->lanes;
	return 2 * (size_t)n;
}

static void end(struct source *src)
{
	struct synth *sy = synth_of(src);
	unsigned n = sy->info.cpus_n;
	for (unsigned cpu = 0; cpu < n; cpu++) {
		sy->side[cpu].tail += sy->lanes[cpu].used;
		sy->data[cpu].tail += sy->lanes[n + cpu].used;
		sy->lanes[cpu].used = sy->lanes[n + cpu].used = 0;
	}
}

static int wake_fd(struct source *src)
{
	(void)src;
	return -1;
}

static bool finished(struct source *src)
{
	const struct synth *sy = synth_of(src);
	if (!sy->over)
		return false;
	for (unsigned cpu = 0; cpu < sy->info.cpus_n; cpu++)
		if (sy->side[cpu].head != sy->side[cpu].tail || sy->data[cpu].head != sy->data[cpu].tail)
			return false;
	return true;
}

static void synth_close(struct source *src)
{
	struct synth *sy = synth_of(src);
	for (unsigned cpu = 0; cpu < sy->info.cpus_n; cpu++) {
		synth_ring_deinit(&sy->data[cpu]);
		synth_ring_deinit(&sy->side[cpu]);
	}
	free(sy->data);
	free(sy->side);
	free(sy->counters);
	free(sy->times);
	free(sy->lanes);
	free(sy->dso_syms);
	free(sy->dso_first);
	free(sy->steps);
	free(sy->busy_ns);
	free(sy->replay_from);
	free(sy->replay_to);
	if (simulate_deinit)
		simulate_deinit(sy);
	free(sy->simulations);
	sched_end(sy);
	vec_free(&sy->maps);
	vec_free(&sy->items);
	vec_free(&sy->chain);
	script_deinit(&sy->script);
	free(sy);
}

static const struct source_ops synth_ops = {
	.info = info,
	.advance = advance,
	.now_ns = now_ns,
	.read_counters = read_counters,
	.processes = synth_processes,
	.task_times = synth_task_times,
	.begin = begin,
	.end = end,
	.identify = synth_identify,
	.wake_fd = wake_fd,
	.finished = finished,
	.close = synth_close,
};

/* ---- loading symbols -------------------------------------------------------------- */

/* Sorts symbols by DSO (counting sort), so that synth_symbol() can list those of a DSO, in the script's order. */
static void index_symbols(struct synth *sy)
{
	const struct script *s = &sy->script;
	sy->dso_first = mem_calloc(s->dsos.n + 2, sizeof(*sy->dso_first));
	sy->dso_syms = mem_calloc(s->syms.n, sizeof(*sy->dso_syms));
	uint32_t *next = sy->dso_first + 1;
	for (size_t i = 0; i < s->syms.n; i++)
		next[s->syms.data[i].dso + 1]++;
	for (size_t d = 0; d < s->dsos.n; d++)
		next[d + 1] += next[d];
	/* next[d] starts as the index of DSO d's first symbol.  This loop advances it to the index after d's last
	 * symbol, which is dso_first[d + 1] then. */
	for (size_t i = 0; i < s->syms.n; i++)
		sy->dso_syms[next[s->syms.data[i].dso]++] = (uint32_t)i;
}

bool synth_symbol(struct source *src, const char *dso_path, size_t i, uint64_t *addr_ret, uint64_t *size_ret,
		  const char **name_ret)
{
	const struct synth *sy = synth_of(src);
	const struct script *s = &sy->script;
	for (size_t d = 0; d < s->dsos.n; d++) {
		if (strcmp(s->dsos.data[d].path, dso_path) != 0)
			continue;
		if (i >= sy->dso_first[d + 1] - sy->dso_first[d])
			return false;
		const struct script_sym *sym = &s->syms.data[sy->dso_syms[sy->dso_first[d] + i]];
		*addr_ret = sym->addr;
		*size_ret = sym->size;
		*name_ret = sym->name;
		return true;
	}
	return false;
}

/* ---- opening a script ------------------------------------------------------------- */

static int init_layout(struct synth *sy)
{
	const struct attr_policy policy = {.default_freq = EVENT_RATE_DEFAULT};
	struct event_spec any = {.name = "synthetic"};
	struct perf_attr attr;
	event_attr(&any, &policy, &attr);
	if (sy->script.info.cgroups)
		attr.sample_type |= SAMPLE_CGROUP;
	if (sy->script.info.chains)
		attr.sample_type |= SAMPLE_CALLCHAIN;
	if (sy->script.info.memory)
		attr.sample_type |= SAMPLE_ADDR | SAMPLE_DATA_SRC | SAMPLE_WEIGHT;
	return record_layout_init(&sy->layout, &attr);
}

static void allocate(struct synth *sy)
{
	unsigned cpus = sy->info.cpus_n;
	size_t pairs = sy->info.events_n * cpus;
	sy->data = mem_calloc(cpus, sizeof(*sy->data));
	sy->side = mem_calloc(cpus, sizeof(*sy->side));
	sy->lanes = mem_calloc(2 * (size_t)cpus, sizeof(*sy->lanes));
	sy->times = mem_calloc(cpus, sizeof(*sy->times));
	sy->busy_ns = mem_calloc(cpus, sizeof(*sy->busy_ns));
	sy->replay_from = mem_calloc(cpus, sizeof(*sy->replay_from));
	sy->replay_to = mem_calloc(cpus, sizeof(*sy->replay_to));
	sy->counters = mem_calloc(pairs, sizeof(*sy->counters));
	sy->steps = mem_calloc(pairs, sizeof(*sy->steps));
	sy->simulations = mem_calloc((size_t)sy->script.simulations * cpus, sizeof(struct simulation *));
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		synth_ring_init(&sy->data[cpu], sy->info.ring_bytes);
		synth_ring_init(&sy->side[cpu], sy->script.sideband_bytes);
		sy->times[cpu].known = sy->script.cpu_times;
		sy->times[cpu].online = !sy->script.offline[cpu];
		for (uint32_t e = 0; e < sy->info.events_n; e++)
			sy->counters[e * cpus + cpu].opened = synth_opened(sy, e, cpu);
	}
}

int synth_open(const char *script, size_t len, const char *script_name, bool realtime, struct source **ret,
	       struct error *err)
{
	struct synth *sy = mem_calloc(1, sizeof(*sy));
	int rc = script_parse(&sy->script, script, len, script_name, err);
	if (rc < 0) {
		free(sy);
		return rc;
	}
	rc = init_layout(sy);
	if (rc < 0) {
		script_deinit(&sy->script);
		free(sy);
		return error_set(err, -rc, "the records of a script have no known layout");
	}
	sy->source.ops = &synth_ops;
	sy->info = sy->script.info;
	sy->info.layout = &sy->layout;
	sy->rng = sy->script.seed;
	sy->over = !sy->script.ticks.n;
	sy->realtime = realtime;
	if (realtime)
		sy->wall_base = clock_ns(CLOCK_MONOTONIC);
	allocate(sy);
	index_symbols(sy);
	sched_begin(sy);
	world_begin(sy);
	*ret = &sy->source;
	return 0;
}
