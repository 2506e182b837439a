/* The history of a large busy machine, and what it takes to show a stretch of it.
 *   bench_history [MINUTES [MB]]
 * 64 CPUs take 1,000 samples a second each, of cycles and instructions, in 2,000 functions of 40 programs; what 30
 * minutes leave within 32 MB is checked against the totals since start.  Then the times of a snapshot with the three
 * usual tables and of the strip are measured, for stretches of several lengths, and that of a table of functions by
 * CPU, which needs the intervals that tell what ran on which CPU; all times are CPU times. */
#include "../lib/usual_pivots.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CPUS = 64, FUNCTIONS = 2000, PROGRAMS = 40, EVENTS = 2, RATE = 1000, COLUMNS = 100, ROUNDS = 20 };
static const uint64_t second_ns = 1000000000;
static const enum event_role roles[EVENTS] = {ROLE_CYCLES, ROLE_INSTRUCTIONS};

struct machine {
	struct task_info tasks[PROGRAMS];
	struct sym_info syms[FUNCTIONS];
	struct dso_info dsos[1];
	struct counter_delta counters[EVENTS * CPUS];
	struct cpu_delta cpus[CPUS];
	struct catalog cat;
	struct model *model;
	uint64_t now_ns, random, samples;
	double close_s, close_most_s;
};

static double seconds(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void build(struct machine *m, size_t bytes)
{
	const struct model_config config = {.events_n = EVENTS, .cpus_n = CPUS, .keep_ns = 120 * second_ns};
	for (uint32_t i = 0; i < PROGRAMS; i++)
		m->tasks[i] = (struct task_info){
			.pid = (int32_t)i + 1, .tid = (int32_t)i + 1, .comm = "program", .leader = i};
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		m->syms[i] = (struct sym_info){.resolved = i, .row_sym = i, .name = "function"};
	for (size_t i = 0; i < EVENTS * CPUS; i++)
		m->counters[i] =
			(struct counter_delta){.value = 3000000000, .enabled_ns = 1, .running_ns = 1, .opened = true};
	for (size_t i = 0; i < CPUS; i++)
		m->cpus[i] = (struct cpu_delta){.busy_ns = second_ns, .known = true, .online = true};
	m->cat = (struct catalog){m->tasks, m->syms, m->dsos, PROGRAMS, FUNCTIONS, 1};
	m->model = model_create(&config);
	m->now_ns = second_ns;
	m->random = 1;
	model_keep(m->model, bytes);
}

static void second(struct machine *m)
{
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		for (uint32_t i = 0; i < RATE; i++) {
			m->random = m->random * 6364136223846793005ull + 1442695040888963407ull;
			uint32_t r = (uint32_t)(m->random >> 33);
			uint32_t function = (uint32_t)((uint64_t)(r & 0xffff) * (r & 0xffff) * FUNCTIONS >> 32);
			model_add(m->model, function % PROGRAMS, function, cpu, i & 1, 3000000 + (r >> 20));
		}
	}
	m->samples += (uint64_t)CPUS * RATE;
	const struct interval_bounds bounds = {
		.start_ns = m->now_ns,
		.end_ns = m->now_ns + second_ns,
		.counters = m->counters,
		.cpus = m->cpus,
		.cat = &m->cat,
	};
	double start = seconds();
	model_close(m->model, &bounds);
	double took = seconds() - start;
	m->close_s += took;
	m->close_most_s = took > m->close_most_s ? took : m->close_most_s;
	m->now_ns = bounds.end_ns;
}

static const struct pivot_query by_cpu = {.dims = {DIM_SYMBOL, DIM_CPU}, .dims_n = 2};

static struct snapshot *look(struct machine *m, enum window window, struct stretch stretch,
			     const struct pivot_query *pivots, size_t n, bool series)
{
	const struct model_names names = {.cat = &m->cat, .cpus_n = CPUS, .events_n = EVENTS};
	const struct query q = {
		.window = window,
		.sliding_ns = INT64_MAX,
		.stretch = stretch,
		.roles = roles,
		.pivots = pivots,
		.pivots_n = n,
		.series = series,
	};
	return snapshot_create(m->model, &names, &q);
}

static bool same(const struct snapshot *history, const struct snapshot *total)
{
	bool same = history->trust.samples == total->trust.samples;
	for (size_t e = 0; e < EVENTS; e++)
		same &= history->events[e].weight == total->events[e].weight &&
			history->events[e].count == total->events[e].count;
	return same;
}

static int check(struct machine *m)
{
	struct snapshot *history = look(m, WINDOW_SLIDING, (struct stretch){0}, usual_pivots, USUAL_PIVOTS, false);
	struct snapshot *crossed = look(m, WINDOW_SLIDING, (struct stretch){0}, &by_cpu, 1, true);
	struct snapshot *total = look(m, WINDOW_TOTAL, (struct stretch){0}, usual_pivots, USUAL_PIVOTS, false);
	bool good = same(history, total) && same(crossed, total) && total->trust.samples == m->samples;
	printf("functions by CPU    %zu intervals\n", crossed->intervals_n);
	printf("history and totals  %s, %zu functions\n", good ? "the same" : "DIFFER", total->pivots[BY_SYMBOL].n);
	snapshot_destroy(history);
	snapshot_destroy(crossed);
	snapshot_destroy(total);
	return good ? 0 : 1;
}

static double time_look(struct machine *m, struct stretch s, const struct pivot_query *pivots, size_t n)
{
	double start = seconds();
	snapshot_destroy(look(m, WINDOW_SLIDING, s, pivots, n, false));
	return seconds() - start;
}

static void time_stretch(struct machine *m, uint64_t length_ns)
{
	double tables_s = 0, crossed_s = 0, strip_s = 0;
	uint64_t whole_ns = m->now_ns - second_ns;
	length_ns = length_ns < whole_ns ? length_ns : whole_ns;
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t to_ns = m->now_ns - (whole_ns - length_ns) / ROUNDS * i;
		struct stretch stretch = {to_ns - length_ns, to_ns};
		const struct query q = {.roles = roles};
		const struct timeline_query t = {
			.query = &q, .from_ns = second_ns, .column_ns = whole_ns / COLUMNS + 1};
		tables_s += time_look(m, stretch, usual_pivots, USUAL_PIVOTS);
		crossed_s += time_look(m, stretch, &by_cpu, 1);
		double start = seconds();
		struct timeline line = {0}; /* the first time it is drawn */
		timeline_update(&line, m->model, &t, COLUMNS);
		timeline_deinit(&line);
		strip_s += seconds() - start;
	}
	printf("stretch of %5.0f s   tables %.1f ms, strip %.1f ms; functions by CPU %.1f ms\n",
	       (double)length_ns / 1e9, tables_s / ROUNDS * 1e3, strip_s / ROUNDS * 1e3, crossed_s / ROUNDS * 1e3);
}

int main(int argc, char **argv)
{
	static struct machine m;
	long minutes = argc > 1 ? strtol(argv[1], NULL, 10) : 30, mb = argc > 2 ? strtol(argv[2], NULL, 10) : 32;
	size_t most = 0, bound = (size_t)(mb > 0 ? mb : 1) << 20;
	struct model_stats stats = {0};
	build(&m, bound);
	for (long i = 0; i < minutes * 60; i++) {
		second(&m);
		model_stats_get(m.model, &stats);
		most = stats.history_bytes > most ? stats.history_bytes : most;
	}
	struct snapshot_interval whole[60];
	printf("history             %.1f MB of %ld MB, %zu intervals, %zu of them as measured, %llu dropped\n",
	       (double)most / (1 << 20), mb, stats.intervals,
	       model_newest(m.model, model_unjoined_ns(m.model), ARRAY_LEN(whole), whole),
	       (unsigned long long)stats.dropped.intervals);
	printf("closing an interval %.1f ms, at most %.1f ms\n", m.close_s / (double)(minutes * 60) * 1e3,
	       m.close_most_s * 1e3);
	int bad = check(&m);
	static const uint64_t lengths_s[] = {5, 60, 600, 86400};
	for (size_t i = 0; i < ARRAY_LEN(lengths_s); i++)
		time_stretch(&m, lengths_s[i] * second_ns);
	model_destroy(m.model);
	return bad || most > bound;
}
