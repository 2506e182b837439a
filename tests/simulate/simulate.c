/* Runs a `simulate` statement: a simulated CPU (pmu.h) for each of its CPUs, which lives as long as the source. */
#include "simulate.h"
#include "source/synth/parse.h"
#include "pmu.h"
#include "source/synth/synth.h"

#include <stdlib.h>

struct simulation {
	struct pmu_config config;
	struct turns_mix *mixes;
	double **rates;
	bool **idle;
	struct pmu *pmu;
	struct stmt notices[EVENTS_MAX][2]; /* statements for THROTTLE and UNTHROTTLE records of each event */
	uint64_t intervals;		    /* number of intervals that it has run */
};

static const struct script_profile *profile_of(const struct script *s, const struct stmt *st, size_t mix)
{
	return &s->profiles.data[s->lists.data[st->maps_first + mix]];
}

/* ---- creating and freeing simulations -------------------------------------------------- */

static void fill_mix(const struct synth *sy, const struct stmt *st, struct simulation *sim, size_t mix)
{
	const struct script_profile *profile = profile_of(&sy->script, st, mix);
	size_t n = profile->rows.n;
	struct turns_row *rows = mem_calloc(n, sizeof(*rows));
	sim->rates[mix] = mem_calloc(n * EVENTS_MAX, sizeof(*sim->rates[mix]));
	sim->idle[mix] = mem_calloc(n, sizeof(*sim->idle[mix]));
	double speed = (double)sy->script.events[0].speed_hz / 1e9;
	for (size_t i = 0; i < n; i++) {
		const struct profile_row *row = &profile->rows.data[i];
		rows[i].weight = (double)row->weight;
		rows[i].length_ns = (double)(row->turn_ns ? row->turn_ns : st->turn_ns);
		sim->idle[mix][i] = row->sym == INDEX_NONE;
		for (size_t e = 0; e < sy->info.events_n; e++)
			sim->rates[mix][i * EVENTS_MAX + e] = speed * (double)row->factor[e] / (double)PPM;
	}
	sim->mixes[mix] = (struct turns_mix){.rows = rows, .rows_n = n};
}

static void fill_events(const struct synth *sy, uint32_t cpu, struct simulation *sim)
{
	for (uint32_t e = 0; e < sy->info.events_n; e++) {
		const struct event_spec *spec = &sy->info.events[e].spec;
		sim->config.events[e] = (struct pmu_event){
			.clock = spec->role == ROLE_CLOCK,
			.freq = spec->freq ? spec->rate : 0,
			.period = spec->rate,
			.group = sy->script.events[e].group,
			.opened = synth_opened(sy, e, cpu),
		};
		for (int i = 0; i < 2; i++)
			sim->notices[e][i] = (struct stmt){.kind = i ? STMT_UNTHROTTLE : STMT_THROTTLE, .event = e};
	}
}

static struct simulation *create(const struct synth *sy, const struct stmt *st, uint32_t cpu)
{
	const struct script_sampling *how = &sy->script.sampling;
	struct simulation *sim = mem_calloc(1, sizeof(*sim));
	sim->mixes = mem_calloc(st->maps_n, sizeof(*sim->mixes));
	sim->rates = mem_calloc(st->maps_n, sizeof(*sim->rates));
	sim->idle = mem_calloc(st->maps_n, sizeof(*sim->idle));
	for (size_t mix = 0; mix < st->maps_n; mix++)
		fill_mix(sy, st, sim, mix);
	sim->config = (struct pmu_config){
		.turns =
			{
				.kind = (enum turns_kind)st->turns,
				.round_ns = (double)st->turn_ns,
				.phase_ns = (double)st->phase_ns,
				.mixes = sim->mixes,
				.mixes_n = st->maps_n,
			},
		.rates = (const double *const *)sim->rates,
		.idle = (const bool *const *)sim->idle,
		.events_n = sy->info.events_n,
		.counters = how->counters,
		.tick_ns = how->tick_ns,
		.rotation_ns = how->rotation_ns,
		.skid_ns = how->skid_ns,
		.throttle = how->throttle,
		.next_period = how->next_period,
	};
	fill_events(sy, cpu, sim);
	sim->pmu = pmu_create(&sim->config,
			      hash_u64(sy->script.seed + 1) + (uint64_t)st->simulation * SCRIPT_CPUS_MAX + cpu);
	return sim;
}

static void destroy(struct simulation *sim)
{
	if (!sim)
		return;
	pmu_destroy(sim->pmu);
	for (size_t mix = 0; mix < sim->config.turns.mixes_n; mix++) {
		free((void *)sim->mixes[mix].rows);
		free(sim->rates[mix]);
		free(sim->idle[mix]);
	}
	free(sim->mixes);
	free(sim->rates);
	free(sim->idle);
	free(sim);
}

void simulate_deinit(struct synth *sy)
{
	for (size_t i = 0; i < (size_t)sy->script.simulations * sy->info.cpus_n; i++)
		destroy(sy->simulations[i]);
}

/* ---- running an interval --------------------------------------------------------------- */

struct taking {
	struct synth *sy;
	const struct stmt *st;
	struct simulation *sim;
	uint64_t start;	    /* start of the interval, on the clock of the records */
	double from, until; /* bounds of the interval, on the clock of the simulation */
	uint64_t n;
};

static void take(void *ctx, const struct pmu_sample *s)
{
	struct taking *t = ctx;
	struct synth *sy = t->sy;
	if (++t->n > SCRIPT_SAMPLES_MAX)
		return;
	double at = s->time_ns - t->from, last = (double)sy->script.interval_ns - 1;
	struct item item = {.time = t->start + (uint64_t)(at < last ? at : last), .event = (uint32_t)s->event};
	if (s->kind != PMU_SAMPLE) {
		item.stmt = &t->sim->notices[s->event][s->kind == PMU_UNTHROTTLE];
		generate_item(sy, item);
		return;
	}
	const struct profile_row *row = &profile_of(&sy->script, t->st, s->mix)->rows.data[s->row];
	if (row->sym == INDEX_NONE) /* an earlier overflow, whose interrupt came in idle time: there is no code */
		return;
	item.period = s->period;
	item.pid = row->tasked ? row->pid : t->st->pid;
	item.tid = row->tasked ? row->tid : t->st->tid;
	item.cgroup = t->st->cgroup;
	item.callers = row->callers;
	uint64_t size = sy->script.syms.data[row->sym].size;
	item.ip = world_address(sy, item.pid, row->sym, &item.misc) + ((size * synth_random(sy, 16) / 16) & ~3ull);
	generate_item(sy, item);
}

/* Returns the whole counts between two sums, so that the counts of all intervals add up to the last sum. */
static uint64_t grown(double before, double after)
{
	return (uint64_t)after - (uint64_t)before;
}

uint64_t simulate_generate(struct synth *sy, const struct stmt *st, uint32_t cpu, uint64_t start, struct step *steps)
{
	struct simulation **at = &sy->simulations[(size_t)st->simulation * sy->info.cpus_n + cpu];
	if (!*at)
		*at = create(sy, st, cpu);
	struct simulation *sim = *at;
	double length = (double)sy->script.interval_ns;
	struct taking t = {.sy = sy, .st = st, .sim = sim, .start = start, .from = length * (double)sim->intervals};
	t.until = length * (double)++sim->intervals;
	const size_t events_n = sy->info.events_n;
	struct pmu_counter before[EVENTS_MAX];
	double idle_ns = pmu_idle_ns(sim->pmu);
	for (size_t e = 0; e < events_n; e++)
		before[e] = *pmu_counter(sim->pmu, e);
	pmu_run(sim->pmu, t.until, take, &t);
	for (size_t e = 0; e < events_n; e++) {
		const struct pmu_counter *now = pmu_counter(sim->pmu, e);
		steps[e].value += grown(before[e].value, now->value);
		steps[e].enabled_ns = grown(before[e].enabled_ns, now->enabled_ns);
		steps[e].running_ns = grown(before[e].running_ns, now->running_ns);
	}
	return sy->script.interval_ns - grown(idle_ns, pmu_idle_ns(sim->pmu));
}

double simulate_truth(struct source *src, const char *sym, uint32_t event)
{
	const struct synth *sy = (const struct synth *)src;
	const struct script *s = &sy->script;
	uint32_t id;
	double sum = 0;
	if (find_sym(s, sym, &id, NULL) < 0)
		return 0;
	for (size_t i = 0; i < s->stmts.n; i++) {
		const struct stmt *st = &s->stmts.data[i];
		for (uint32_t cpu = 0; st->kind == STMT_SIMULATE && cpu < sy->info.cpus_n; cpu++) {
			const struct simulation *sim = sy->simulations[(size_t)st->simulation * sy->info.cpus_n + cpu];
			for (size_t mix = 0; sim && mix < st->maps_n; mix++)
				for (size_t row = 0; row < sim->mixes[mix].rows_n; row++)
					if (profile_of(s, st, mix)->rows.data[row].sym == id)
						sum += pmu_truth(sim->pmu, mix, row, event);
		}
	}
	return sum;
}
