/* Generates an interval of a script.  For each CPU, turns the script's statements into items (records to be written),
 * sorts the items by time, and writes their records to the CPU's two rings. */
#include "source/synth/synth.h"

#include <stdlib.h>

/* What one CPU counts in one interval: sums over the script's statements. */
struct cpu_sums {
	uint64_t value[EVENTS_MAX], lost[EVENTS_MAX];
	const struct stmt *count[EVENTS_MAX]; /* [event]: `count` statement that replaces the sum; NULL: none */
	const struct stmt *busy;	      /* the `busy` statement whose value replaces load_ns; NULL: none */
	uint64_t load_ns;		      /* time in ns for which loads keep the CPU busy */
	bool simulated; /* a `simulate` statement has set steps[], used in place of the samples' sums */
	struct step steps[EVENTS_MAX];
};

/* ---- writing records ---------------------------------------------------------------- */

/* Appends an address to the call chain.  If the address is in another mode (user, kernel) than the one before, a
 * context marker comes first. */
static void add_to_chain(struct synth *sy, uint64_t ip, uint16_t misc, uint16_t *mode)
{
	if (misc != *mode)
		vec_push(&sy->chain) = misc == MISC_KERNEL ? CALLCHAIN_KERNEL : CALLCHAIN_USER;
	*mode = misc;
	vec_push(&sy->chain) = ip;
}

/* Makes the call chain of a sample; a caller's address is the middle of its function. */
static void make_chain(struct synth *sy, const struct item *it)
{
	uint16_t mode = 0;
	sy->chain.n = 0;
	add_to_chain(sy, it->ip, it->misc, &mode);
	for (uint32_t i = 0; i < it->callers.n; i++) {
		uint16_t misc;
		uint32_t sym = sy->script.lists.data[it->callers.first + i];
		uint64_t start = world_address(sy, it->pid, sym, &misc);
		add_to_chain(sy, start + sy->script.syms.data[sym].size / 2, misc, &mode);
	}
	sy->rec.u.sample.callchain = (struct record_words){(const uint8_t *)sy->chain.data, sy->chain.n, false};
}

static void put_sample(struct synth *sy, const struct item *it, uint32_t cpu, struct cpu_sums *sums)
{
	struct record *rec = &sy->rec;
	rec->type = RECORD_SAMPLE;
	rec->misc = it->misc;
	rec->id.pid = it->pid;
	rec->id.tid = it->tid;
	rec->id.time_ns = it->time;
	rec->id.cpu = cpu;
	rec->id.id = synth_id(sy, it->event, cpu);
	rec->u.sample.ip = it->ip;
	rec->u.sample.period = it->period;
	rec->u.sample.cgroup = it->cgroup;
	rec->u.sample.addr = it->data;
	rec->u.sample.data_src = it->data_src;
	rec->u.sample.weight = it->latency;
	if (sy->layout.sample_type & SAMPLE_CALLCHAIN)
		make_chain(sy, it);
	if (!generate_record(sy, &sy->data[cpu], rec))
		sums->lost[it->event]++;
}

static void put_statement(struct synth *sy, const struct item *it, uint32_t cpu)
{
	const struct stmt *st = it->stmt;
	uint64_t id = synth_id(sy, st->event, cpu);
	struct record rec = {.id = {.time_ns = it->time, .cpu = cpu, .id = id}};
	switch (st->kind) {
	case STMT_LOST:
		rec.type = RECORD_LOST;
		rec.u.lost.id = id;
		rec.u.lost.lost = st->n;
		break;
	case STMT_LOST_SAMPLES:
		rec.type = RECORD_LOST_SAMPLES;
		rec.u.lost_samples.lost = st->n;
		break;
	case STMT_THROTTLE:
	case STMT_UNTHROTTLE:
		rec.type = st->kind == STMT_THROTTLE ? RECORD_THROTTLE : RECORD_UNTHROTTLE;
		rec.u.throttle.time_ns = it->time;
		rec.u.throttle.id = rec.u.throttle.stream_id = id;
		break;
	case STMT_RAW:
		synth_ring_put(st->sideband ? &sy->side[cpu] : &sy->data[cpu], script_bytes(&sy->script, st),
			       st->bytes_n);
		return;
	default:
		world_record(sy, st, it->time);
		return;
	}
	generate_record(sy, &sy->data[cpu], &rec);
}

/* ---- turning statements into items (records to be written) ---------------------------- */

/* Adds the st->n samples of a `sample` statement, evenly spread over the interval; if it has at=, one sample per ns
 * from that time on. */
static void add_samples(struct synth *sy, const struct stmt *st, uint64_t start)
{
	uint64_t interval = sy->script.interval_ns, size = 1;
	struct item item = {
		.event = st->event, .pid = st->pid, .tid = st->tid, .period = st->period, .cgroup = st->cgroup};
	item.data = st->addr;
	item.data_src = st->value;
	item.latency = st->size;
	item.callers = (struct script_list){st->maps_first, st->maps_n};
	uint64_t base = st->ip;
	item.misc = (uint16_t)st->mode;
	if (st->sym != INDEX_NONE) {
		size = sy->script.syms.data[st->sym].size;
		base = world_address(sy, st->pid, st->sym, &item.misc) + st->off;
	}
	for (uint64_t i = 0; i < st->n; i++) {
		uint64_t at = st->timed ? st->at_ns + i : u64_mul_div(interval, i + 1, st->n + 1);
		item.time = start + (at < interval ? at : interval - 1);
		item.ip = base + (st->spread ? u64_mul_div(size - st->off, i, st->n) : 0);
		generate_item(sy, item);
	}
}

static void add_statement(struct synth *sy, const struct stmt *st, uint32_t cpu, uint64_t start, struct cpu_sums *sums)
{
	switch (st->kind) {
	case STMT_SAMPLE:
		if (synth_opened(sy, st->event, cpu))
			add_samples(sy, st, start);
		return;
	case STMT_LOAD: {
		uint64_t ns = load_generate(sy, st, cpu, start);
		sums->load_ns += st->pid ? ns : 0;
		sched_ran(sy, st->pid, st->tid, ns);
		return;
	}
	case STMT_SIMULATE: {
		uint64_t ns = simulate_generate(sy, st, cpu, start, sums->steps);
		sums->simulated = true;
		sums->load_ns += st->pid ? ns : 0;
		return;
	}
	case STMT_COUNT:
		sums->count[st->event] = st;
		return;
	case STMT_BUSY:
		sums->busy = st;
		return;
	case STMT_RAN:
		return;
	case STMT_LOST:
		sums->lost[st->event] += st->n;
		if (st->silent)
			return;
		break;
	default:
		break;
	}
	generate_item(sy, (struct item){.time = start + st->at_ns, .stmt = st});
}

static void add_statements(struct synth *sy, const struct script_tick *tick, uint32_t cpu, uint64_t start,
			   struct cpu_sums *sums)
{
	for (uint32_t i = tick->first; i < tick->first + tick->n; i++) {
		const struct stmt *st = &sy->script.stmts.data[i];
		if (cpu >= st->cpu_first && cpu <= st->cpu_last)
			add_statement(sy, st, cpu, start, sums);
	}
}

static int compare_items(const void *va, const void *vb)
{
	const struct item *a = va, *b = vb;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/* ---- adding up what events count ------------------------------------------------------ */

static struct step step_of(const struct synth *sy, uint32_t event, const struct cpu_sums *sums)
{
	const struct stmt *count = sums->count[event];
	uint64_t interval = sy->script.interval_ns;
	struct step step = {
		.value = sums->value[event],
		.enabled_ns = interval,
		.running_ns = u64_mul_div(interval, sy->script.events[event].mux_ppm, PPM),
		.lost = sums->lost[event],
	};
	if (sums->simulated) {
		step.value = sums->steps[event].value;
		step.enabled_ns = sums->steps[event].enabled_ns;
		step.running_ns = sums->steps[event].running_ns;
	}
	if (!count)
		return step;
	if (count->valued)
		step.value = count->value;
	step.enabled_ns = count->enabled_ns;
	step.running_ns = count->running_ns;
	return step;
}

static void apply_steps(struct synth *sy, uint32_t cpu)
{
	for (uint32_t e = 0; e < sy->info.events_n; e++) {
		struct counter *c = &sy->counters[e * sy->info.cpus_n + cpu];
		const struct step *step = &sy->steps[e * sy->info.cpus_n + cpu];
		if (!c->opened)
			continue;
		c->value += step->value;
		c->enabled_ns += step->enabled_ns;
		c->running_ns += step->running_ns;
		c->lost += step->lost;
	}
	sy->times[cpu].busy_ns += sy->busy_ns[cpu];
	sy->times[cpu].idle_ns += sy->script.interval_ns - sy->busy_ns[cpu];
}

static void count_cpu(struct synth *sy, uint32_t cpu, const struct cpu_sums *sums)
{
	uint64_t interval = sy->script.interval_ns, busy = sums->load_ns;
	for (uint32_t e = 0; e < sy->info.events_n; e++)
		sy->steps[e * sy->info.cpus_n + cpu] = step_of(sy, e, sums);
	if (sums->busy)
		busy = u64_mul_div(interval, sums->busy->part_ppm, PPM);
	sy->busy_ns[cpu] = busy < interval ? busy : interval;
	apply_steps(sy, cpu);
}

/* ---- generating the interval ----------------------------------------------------------- */

static void generate_cpu(struct synth *sy, const struct script_tick *tick, uint32_t cpu, uint64_t start)
{
	struct cpu_sums sums = {0};
	sy->items.n = 0;
	add_statements(sy, &sy->script.always, cpu, start, &sums);
	add_statements(sy, tick, cpu, start, &sums);
	if (sy->items.n)
		qsort(sy->items.data, sy->items.n, sizeof(*sy->items.data), compare_items);
	sy->replay_from[cpu] = sy->data[cpu].head;
	for (size_t i = 0; i < sy->items.n; i++) {
		const struct item *it = &sy->items.data[i];
		if (it->stmt) {
			put_statement(sy, it, cpu);
		} else {
			sums.value[it->event] += it->period;
			put_sample(sy, it, cpu, &sums);
		}
	}
	sy->replay_to[cpu] = sy->data[cpu].head;
	count_cpu(sy, cpu, &sums);
}

/* Repeats the last interval: its bytes in the rings become unread again, with later times unless the script says
 * `frozen`. */
static void replay_interval(struct synth *sy)
{
	bool shift = sy->script.end == END_REPLAY;
	for (uint32_t cpu = 0; cpu < sy->info.cpus_n; cpu++) {
		struct synth_ring *ring = &sy->data[cpu];
		ring->tail = sy->replay_from[cpu];
		ring->head = sy->replay_to[cpu];
		if (shift)
			synth_ring_shift_times(ring, &sy->layout, ring->tail, ring->head, sy->script.interval_ns);
		apply_steps(sy, cpu);
	}
	sched_end_interval(sy);
	sy->intervals++;
}

/* Advances to the `tick` of the script that the next interval has. */
static void next_tick(struct synth *sy)
{
	const struct script *s = &sy->script;
	if (++sy->tick_times < s->ticks.data[sy->tick].times)
		return;
	sy->tick_times = 0;
	if (++sy->tick < s->ticks.n)
		return;
	sy->tick = 0;
	sy->replaying = s->end == END_REPLAY || s->end == END_REPLAY_FROZEN;
	sy->over = s->end == END_STOP;
}

void generate_interval(struct synth *sy)
{
	if (sy->over)
		return;
	if (sy->replaying) {
		replay_interval(sy);
		return;
	}
	const struct script_tick *tick = &sy->script.ticks.data[sy->tick];
	uint64_t start = sy->script.start_ns + sy->intervals * sy->script.interval_ns;
	world_enter(sy, &sy->script.always);
	world_enter(sy, tick);
	sched_begin_interval(sy);
	sched_enter(sy, &sy->script.always);
	sched_enter(sy, tick);
	for (uint32_t cpu = 0; cpu < sy->info.cpus_n; cpu++)
		generate_cpu(sy, tick, cpu, start);
	sched_end_interval(sy);
	sched_leave(sy, &sy->script.always);
	sched_leave(sy, tick);
	world_leave(sy, &sy->script.always);
	world_leave(sy, tick);
	sy->intervals++;
	next_tick(sy);
}
