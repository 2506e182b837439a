/* Generates the samples of a `load` statement: a task that uses a part of the CPU's time in a profile's functions.
 *
 * With B = busy time, S = speed of the primary event, w = a row's share of the profile's weight,
 * f = the row's factor for an event, m = running / enabled time of the event:
 *   count of a row        v = B * S * w * f
 *   count of the load     V = sum of v
 *   samples, frequency F  N = F * B * m in all, each with period V * m / N; a row gets N * v / V
 *   samples, period P     a row gets v * m / P
 * Fractions of samples are carried over to the next interval, so that sums over many intervals
 * are exact.  All numbers are integers, in millionths of a sample. */
#include "source/synth/synth.h"

#include <stdlib.h>

/* Returns v * (1 + jitter * r), for a random number r from -1 to 1. */
static uint64_t jittered(struct synth *sy, uint64_t v)
{
	uint64_t j = sy->script.jitter_ppm;
	return j ? u64_mul_div(v, PPM - j + synth_random(sy, 2 * j + 1), PPM) : v;
}

/* Returns the part of the CPU's time that a load uses in an interval, in ppm.  This is the value of busy= times a
 * triangle wave that starts at 1, rises to 1 + height, and falls to 1 - height. */
static uint64_t waved(const struct stmt *st, uint64_t interval)
{
	if (!st->wave_ticks)
		return st->part_ppm;
	uint64_t phase = u64_mul_div(interval % st->wave_ticks, 2 * PPM, st->wave_ticks) + PPM / 2;
	phase %= 2 * PPM;
	uint64_t up = phase < PPM ? phase : 2 * PPM - phase; /* rises from 0 to PPM, then falls */
	uint64_t factor = PPM - st->wave_ppm + u64_mul_div(2 * st->wave_ppm, up, PPM);
	return u64_mul_div(st->part_ppm, factor, PPM);
}

struct load {
	const struct stmt *st;
	const struct script_profile *profile;
	uint32_t cpu;
	uint64_t start, busy_ns;
};

static void emit(struct synth *sy, const struct load *l, size_t row, uint32_t event, uint64_t n, uint64_t period)
{
	uint32_t sym = l->profile->rows.data[row].sym;
	uint64_t size = sy->script.syms.data[sym].size;
	struct item item = {
		.event = event, .pid = l->st->pid, .tid = l->st->tid, .period = period, .cgroup = l->st->cgroup};
	item.callers = l->profile->rows.data[row].callers;
	uint64_t base = world_address(sy, l->st->pid, sym, &item.misc);
	for (uint64_t i = 0; i < n; i++) {
		/* one of 16 addresses per function: real samples gather at few instructions, too, as in loops */
		item.ip = base + ((size * synth_random(sy, 16) / 16) & ~3ull);
		uint64_t at = i * PPM + synth_random(sy, PPM);
		item.time = l->start + u64_mul_div(sy->script.interval_ns, at, n * PPM);
		generate_item(sy, item);
	}
}

/* Adds the samples of one event.  v[row]: the event's count in each row; carry[row * events + event]: fractions of
 * samples, carried over from the last interval and to the next. */
static void sample_event(struct synth *sy, const struct load *l, uint32_t event, const uint64_t *v, uint64_t *carry)
{
	const struct event_spec *spec = &sy->info.events[event].spec;
	uint64_t mux = sy->script.events[event].mux_ppm, sum = 0;
	size_t rows = l->profile->rows.n, events = sy->info.events_n;
	for (size_t r = 0; r < rows; r++)
		sum = u64_add_sat(sum, v[r]);
	uint64_t n_micro = 0, period = spec->rate;
	if (spec->freq) {
		n_micro = u64_mul_div(spec->rate * l->busy_ns, mux, 1000000000);
		period = n_micro ? u64_mul_div(sum, mux, n_micro) : 0;
	}
	if (!period || !sum)
		return;
	for (size_t r = 0; r < rows; r++) {
		uint64_t owed = spec->freq ? u64_mul_div(n_micro, v[r], sum) : u64_mul_div(v[r], mux, period);
		uint64_t *left = &carry[r * events + event];
		*left = u64_add_sat(*left, owed);
		uint64_t n = *left / PPM;
		*left %= PPM;
		emit(sy, l, r, event, n < SCRIPT_SAMPLES_MAX ? n : SCRIPT_SAMPLES_MAX, period);
	}
}

uint64_t load_generate(struct synth *sy, const struct stmt *st, uint32_t cpu, uint64_t start)
{
	const struct script *s = &sy->script;
	struct load l = {.st = st, .profile = &s->profiles.data[st->profile], .cpu = cpu, .start = start};
	size_t rows = l.profile->rows.n, events = sy->info.events_n;
	uint64_t part = jittered(sy, waved(st, sy->intervals));
	l.busy_ns = u64_mul_div(s->interval_ns, part < PPM ? part : PPM, PPM);
	uint64_t counts = u64_mul_div(l.busy_ns, s->events[0].speed_hz, 1000000000);
	uint64_t *carry = st->carry + (cpu - st->cpu_first) * rows * events;
	uint64_t *primary = mem_calloc(2 * rows, sizeof(*primary)), *v = primary + rows;
	for (size_t r = 0; r < rows; r++)
		primary[r] = jittered(sy, u64_mul_div(counts, l.profile->rows.data[r].weight, l.profile->weight));
	for (uint32_t e = 0; e < events; e++) {
		if (!synth_opened(sy, e, cpu))
			continue;
		for (size_t r = 0; r < rows; r++)
			v[r] = u64_mul_div(primary[r], l.profile->rows.data[r].factor[e], PPM);
		sample_event(sy, &l, e, v, carry);
	}
	free(primary);
	return l.busy_ns;
}
