/* How good are the numbers?  Simulated loads, of which the truth is known, through the real chain.
 *
 *   numbers [--check] [SEEDS]    prints the tables; --check: fails if one is outside of its bounds
 *
 * The figures are those of doc/statistics.md. */
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static unsigned failures;
static double slack; /* of bounds, for few seeds */

static void check(bool good, const char *what, const char *load, double value)
{
	if (good)
		return;
	failures++;
	fprintf(stderr, "out of bounds: %s of '%s': %.3f\n", what, load, value);
}

/* The script that `write` prints; the caller frees it. */
static char *script_of(const struct load *load)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	load->write(out, load);
	fclose(out);
	return text;
}

/* ---- coverage ------------------------------------------------------------------------- */

enum { OF_SHARE, OF_RATE, OF_RATIO, OF_COUNT };

struct coverage {
	unsigned n[OF_COUNT], covered[OF_COUNT];
	double error[OF_COUNT]; /* sum of the relative errors that are shown */
	double square;		/* of shares: sum of the squares of what they are off by, in errors */
};

static void cover(struct coverage *c, int what, double value, double error, double truth)
{
	c->n[what]++;
	c->covered[what] += fabs(value - truth) <= 1.96 * error;
	c->error[what] += error / truth;
	if (what == OF_SHARE && error > 0)
		c->square += (value - truth) * (value - truth) / (error * error);
}

static void cover_window(void *ctx, const struct outcome *w)
{
	struct coverage *c = ctx;
	for (unsigned f = 0; f < FUNCTIONS_MAX; f++) {
		const struct seen *row = &w->rows[f];
		if (row->samples[0] < 50)
			continue;
		cover(c, OF_SHARE, row->share, row->share_error, row->truth[0] / row->whole);
		cover(c, OF_RATE, row->weight[0], row->weight_error, row->truth[0]);
		if (row->samples[1] >= 50)
			cover(c, OF_RATIO, row->ipc.value, row->ipc.error, row->truth[1] / row->truth[0]);
	}
}

static void coverage_of(const struct load *load, unsigned seeds)
{
	struct coverage c = {{0}};
	char *script = script_of(load);
	for (unsigned seed = 1; seed <= seeds; seed++)
		measure(&(struct measure){.script = script,
					  .functions = load->functions,
					  .processes = load->processes,
					  .warm = load->window_s > 2 ? 1 : 2,
					  .windows = load->window_s > 2 ? 8 : 20,
					  .seed = seed},
			cover_window, &c);
	free(script);
	static const char *const names[] = {"share", "rate", "IPC"};
	printf("  %-36s %6u", load->name, c.n[OF_SHARE]);
	for (int i = 0; i < OF_COUNT; i++) {
		double part = c.n[i] ? (double)c.covered[i] / c.n[i] : 0;
		printf("   %.3f +- %4.1f %%", part, c.n[i] ? 100 * c.error[i] / c.n[i] : 0);
		check(part >= load->bounds.least - slack && part <= load->bounds.most + slack, names[i], load->name,
		      part);
	}
	printf("   %.2f\n", sqrt(c.square / c.n[OF_SHARE]));
}

static void coverage_table(unsigned seeds)
{
	printf("Coverage of value +- 1.96 errors, and the mean error, of rows with 50 samples or more; how far shares\n"
	       "are off, in errors (root of the mean square, 1 is right)\n"
	       "  %-36s %6s   %-15s   %-15s   %-15s   %s\n",
	       "load", "rows", "share", "rate", "IPC", "off");
	for (unsigned i = 0; i < loads_n; i++)
		coverage_of(&loads[i], seeds);
	printf("\nExceptions\n");
	for (unsigned i = 0; i < exceptions_n; i++)
		coverage_of(&exceptions[i], seeds);
}

/* ---- bias ----------------------------------------------------------------------------- */

struct sums {
	double weight[2][2], truth[2][2]; /* [function][event] */
	double machine, true_machine;
	unsigned n;
};

static void add_window(void *ctx, const struct outcome *w)
{
	struct sums *s = ctx;
	for (int f = 0; f < 2; f++)
		for (int e = 0; e < 2; e++) {
			s->weight[f][e] += w->rows[f].weight[e];
			s->truth[f][e] += w->rows[f].truth[e];
		}
	s->machine += w->ipc.value;
	s->true_machine += w->true_ipc;
	s->n++;
}

/* The IPC of a function over its true one. */
static double ipc_bias(const struct sums *s, int f)
{
	return s->weight[f][1] / s->weight[f][0] / (s->truth[f][1] / s->truth[f][0]) - 1;
}

static struct sums run_turns(double fast, double slow, const char *turns, const char *machine, bool raw, unsigned seeds)
{
	struct sums s = {{{0}}};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	write_turns(out, fast, slow, turns, machine);
	fclose(out);
	for (unsigned seed = 1; seed <= seeds; seed++)
		measure(
			&(struct measure){
				.script = text, .functions = 2, .warm = 2, .windows = 20, .seed = seed, .raw = raw},
			add_window, &s);
	free(text);
	return s;
}

static void bias_table(unsigned seeds)
{
	static const struct {
		const char *turns, *name;
		double most; /* of the bias with the correction */
	} rows[] = {
		{"turns=gamma turn=20ms", "turns of 10 ms", 0.08},
		{"turns=gamma turn=60ms", "turns of 30 ms", 0.02},
		{"turns=gamma turn=200ms", "turns of 100 ms", 0.01},
	};
	printf("\nBias of the IPC of functions with IPC 3 and 0.3 in turns, in %%\n"
	       "  %-36s %-23s %-23s %s\n  %-36s %-23s %-23s %s\n",
	       "", "periods as they are", "halves to both sides", "older x86 kernels, halves", "", "   fast       slow",
	       "   fast       slow", "   fast       slow");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct sums raw = run_turns(3, 0.3, rows[i].turns, "", true, seeds);
		struct sums halves = run_turns(3, 0.3, rows[i].turns, "", false, seeds);
		struct sums ahead = run_turns(3, 0.3, rows[i].turns, "\nsampling next-period", false, seeds);
		const struct sums *all[] = {&raw, &halves, &ahead};
		printf("  %-36s", rows[i].name);
		for (int k = 0; k < 3; k++)
			printf(" %+7.1f    %+7.1f    ", 100 * ipc_bias(all[k], 0), 100 * ipc_bias(all[k], 1));
		printf("\n");
		for (int k = 1; k < 3; k++)
			for (int f = 0; f < 2; f++)
				check(fabs(ipc_bias(all[k], f)) <= rows[i].most, "bias", rows[i].name,
				      ipc_bias(all[k], f));
		if (i > 0) /* in the shortest turns other causes are as large */
			check(fabs(ipc_bias(&raw, 1)) > fabs(ipc_bias(&halves, 1)), "uncorrected bias", rows[i].name,
			      ipc_bias(&raw, 1));
	}
}

/* ---- rotation ------------------------------------------------------------------------- */

/* Six events on three counters, of a program whose period is a multiple of the rotation.  Each seed begins
 * elsewhere in the two periods, and stays there. */
struct rotated {
	double mean[3], worst[3]; /* IPC of the two functions and of the machine; the one that is farthest off */
	double bias[3];		  /* of the mean */
};

static struct rotated rotate(unsigned period_ms, bool grouped, unsigned seeds)
{
	static const double right[3] = {2.5, 0.5, 1.5};
	struct rotated r = {{0}};
	char turns[64], machine[512];
	snprintf(turns, sizeof(turns), "turns=cycle turn=%ums", period_ms);
	for (unsigned seed = 1; seed <= seeds; seed++) {
		snprintf(
			machine, sizeof(machine),
			"%s\nseed %u\nevent cache-references\nevent cache-misses\nevent branches\nevent branch-misses\n"
			"counters 3",
			grouped ? " group=cycles" : "", seed);
		struct sums s = run_turns(2.5, 0.5, turns, machine, false, 1);
		double now[3] = {s.weight[0][1] / s.weight[0][0], s.weight[1][1] / s.weight[1][0], s.machine / s.n};
		for (int k = 0; k < 3; k++) {
			r.mean[k] += now[k] / seeds;
			if (seed == 1 || fabs(now[k] - right[k]) > fabs(r.worst[k] - right[k]))
				r.worst[k] = now[k];
		}
	}
	for (int k = 0; k < 3; k++)
		r.bias[k] = r.mean[k] / right[k] - 1;
	return r;
}

static void rotation_table(unsigned seeds)
{
	static const unsigned periods[] = {8, 12, 16, 24};
	printf("\nIPC in fixed turns, true 2.5 and 0.5, machine 1.5; six events on three counters that rotate each 4 "
	       "ms;\n"
	       "mean of all positions in which rotation and program can be to each other (worst)\n"
	       "  %-20s %-47s %s\n",
	       "period of program", "   each event alone", "   cycles and instructions in one group");
	for (size_t i = 0; i < ARRAY_LEN(periods); i++) {
		printf("  %2u ms%15s", periods[i], "");
		for (int grouped = 0; grouped < 2; grouped++) {
			struct rotated r = rotate(periods[i], grouped, seeds);
			for (int k = 0; k < 3; k++)
				printf(" %5.2f (%.2f) ", r.mean[k], r.worst[k]);
			printf("     ");
			char name[16];
			snprintf(name, sizeof(name), "%u ms", periods[i]);
			if (grouped) {
				check(fabs(r.bias[2]) <= 0.02, "machine's IPC in rotation", name, r.bias[2]);
				check(fabs(r.worst[2] / 1.5 - 1) <= 0.05, "machine's worst IPC in rotation", name,
				      r.worst[2]);
			}
		}
		printf("\n");
	}
}

/* ---- sampling in step ---------------------------------------------------------------------- */

struct step {
	double square, shown; /* sums of what the share is off by, squared, and of its error */
	unsigned n;
};

static void step_window(void *ctx, const struct outcome *w)
{
	struct step *s = ctx;
	const struct seen *row = &w->rows[0];
	double off = row->share - row->truth[0] / row->whole;
	s->square += off * off;
	s->shown += row->share_error;
	s->n++;
}

/* A program that runs one function for 0.6 of each of its rounds. */
static struct step in_step(const char *event, unsigned hz, const char *round, unsigned seeds)
{
	struct step s = {0};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	fprintf(out,
		"interval 250ms\nevent %s freq=%u%s\nevent instructions freq=%u\ndso app /usr/bin/app\n"
		"sym app:f0 0x1000 0x100\nsym app:f1 0x1100 0x100\ntask 100 app maps=app\nprofile p\n"
		"row app:f0 0.6 instructions=1\nrow app:f1 0.4 instructions=1\n"
		"always\nsimulate cpu=0 task=100 profiles=p turns=cycle turn=%s\n",
		event, hz, strcmp(event, "cycles") == 0 ? " speed=3G" : "", hz, round);
	fclose(out);
	for (unsigned seed = 1; seed <= seeds; seed++)
		measure(&(struct measure){.script = text, .functions = 2, .warm = 4, .windows = 24, .seed = seed},
			step_window, &s);
	free(text);
	return s;
}

static void steps_table(unsigned seeds)
{
	static const char *const events[] = {"cpu-clock", "cycles"}, *const rounds[] = {"1ms", "4ms", "10ms"};
	static const unsigned rates[] = {999, EVENT_RATE_DEFAULT};
	printf("\nShare of a function that runs for 0.6 of each round of a program, windows of 0.25 s: what it is off "
	       "by "
	       "(root of\nthe mean square), and the error that is shown\n  %-20s %-8s   %-17s %s\n",
	       "event", "round", "999 Hz", "809 Hz");
	for (size_t e = 0; e < ARRAY_LEN(events); e++)
		for (size_t r = 0; r < ARRAY_LEN(rounds); r++) {
			printf("  %-20s %-8s", events[e], rounds[r]);
			for (size_t k = 0; k < ARRAY_LEN(rates); k++) {
				struct step s = in_step(events[e], rates[k], rounds[r], seeds);
				double off = sqrt(s.square / s.n);
				printf("   %.3f +- %.3f", off, s.shown / s.n);
				if (k)
					check(off <= 0.02, "share in step", rounds[r], off);
				else if (r == 0)
					check(off > 0.1, "share in step at 999 Hz", rounds[r], off);
			}
			printf("\n");
		}
}

/* ---- time without samples ------------------------------------------------------------------ */

static void rate_window(void *ctx, const struct outcome *w)
{
	struct coverage *c = ctx;
	if (w->rows[0].samples[0] >= 50)
		cover(c, OF_RATE, w->rows[0].weight[0], w->rows[0].weight_error, w->rows[0].truth[0]);
}

/* One function and idle time, in which a clock takes no samples: nothing but the time tells that a run ended. */
static void gaps_table(unsigned seeds)
{
	static const char *const turns[] = {"300us", "3ms", "30ms"};
	printf("\nThe rate of a clock in one function, beside idle time in turns: covered, mean error\n");
	for (size_t i = 0; i < ARRAY_LEN(turns); i++) {
		struct coverage c = {{0}};
		char script[512];
		snprintf(script, sizeof(script),
			 "event cpu-clock\nevent instructions\ndso app /usr/bin/app\nsym app:f0 0x1000 0x100\n"
			 "task 100 app maps=app\nprofile p\nrow app:f0 1 instructions=1\nidle 1\n"
			 "always\nsimulate cpu=0 task=100 profiles=p turn=%s\n",
			 turns[i]);
		for (unsigned seed = 1; seed <= seeds; seed++)
			measure(
				&(struct measure){
					.script = script, .functions = 1, .warm = 2, .windows = 20, .seed = seed},
				rate_window, &c);
		double part = (double)c.covered[OF_RATE] / c.n[OF_RATE];
		printf("  %-36s %6u   %.3f +- %4.1f %%\n", turns[i], c.n[OF_RATE], part,
		       100 * c.error[OF_RATE] / c.n[OF_RATE]);
		check(part >= 0.88 - slack, "rate beside idle time", turns[i], part);
	}
}

/* ---- few samples ---------------------------------------------------------------------- */

struct few {
	unsigned n, covered, function;
	double ratio; /* sum of the IPC over the true one */
};

static void few_window(void *ctx, const struct outcome *w)
{
	struct few *f = ctx;
	const struct seen *row = &w->rows[f->function];
	if (!row->ipc.valid || !row->samples[1] || !(row->truth[0] > 0))
		return;
	double truth = row->truth[1] / row->truth[0];
	f->n++;
	f->covered += fabs(row->ipc.value - truth) <= 1.96 * row->ipc.error;
	f->ratio += row->ipc.value / truth;
}

/* One function with about so many samples of each event, among another that has the rest. */
static void few_table(unsigned seeds)
{
	static const unsigned numbers[] = {3, 10, 50};
	printf("\nIPC of a function with few samples of each event\n"
	       "  %-36s %10s %10s\n",
	       "samples, in the mean", "bias, %", "coverage");
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		char *text = NULL;
		size_t len;
		FILE *out = open_memstream(&text, &len);
		fprintf(out,
			"event cycles speed=3G\nevent instructions\ndso app /usr/bin/app\nsym app:f0 0x1000 0x100\n"
			"sym app:f1 0x1100 0x100\ntask 100 app maps=app\nprofile p\nrow app:f0 %u instructions=1.3\n"
			"row app:f1 %u instructions=0.9\nalways\nsimulate cpu=0 task=100 profiles=p turn=50us\n",
			numbers[i], EVENT_RATE_DEFAULT - numbers[i]);
		fclose(out);
		struct few few = {.function = 0};
		for (unsigned seed = 1; seed <= 2 * seeds; seed++)
			measure(
				&(struct measure){
					.script = text, .functions = 2, .warm = 2, .windows = 30, .seed = seed},
				few_window, &few);
		free(text);
		double bias = few.ratio / few.n - 1, covered = (double)few.covered / few.n;
		printf("  %-36u %+10.1f %10.3f\n", numbers[i], 100 * bias, covered);
		check(fabs(bias) <= (numbers[i] == 3	? 0.5
				     : numbers[i] == 10 ? 0.25
							: 0.05),
		      "bias of few samples",
		      numbers[i] == 3	 ? "3"
		      : numbers[i] == 10 ? "10"
					 : "50",
		      bias);
		check(covered >= 0.82, "coverage of few samples", "", covered);
	}
}

int main(int argc, char **argv)
{
	bool checks = argc > 1 && strcmp(argv[1], "--check") == 0;
	const char *number = checks ? (argc > 2 ? argv[2] : NULL) : (argc > 1 ? argv[1] : NULL);
	unsigned seeds = number ? (unsigned)strtoul(number, NULL, 10) : 12;
	if (!seeds || seeds > 1000) {
		fprintf(stderr, "numbers [--check] [SEEDS]\n");
		return 2;
	}
	slack = seeds < 12 ? 0.04 : 0;
	coverage_table(seeds);
	bias_table((seeds + 2) / 3);
	rotation_table(seeds);
	steps_table((seeds + 2) / 3);
	gaps_table(seeds);
	few_table(seeds);
	return checks && failures ? 1 : 0;
}
