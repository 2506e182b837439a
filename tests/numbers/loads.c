#include "loads.h"

#include <cyctop/base.h>

/* Of 20 functions; the weights fall like 1 / n^1.1. */
static const double ipc[20] = {2.5, 0.4, 1.2, 1.0, 1.6, 0.8, 2.0, 0.6, 1.4, 3,
			       1,   1,	 0.5, 0.9, 1.1, 2.2, 0.7, 1.3, 0.3, 1.8};
static const double weights[20] = {276.30, 128.90, 82.516, 60.134, 47.046, 38.495, 32.490, 28.054, 24.645, 21.948,
				   19.763, 17.959, 16.446, 15.158, 14.051, 13.088, 12.243, 11.497, 10.833, 10.239};

/* `machine`: the statements between the two events and the code; a modifier of the second one comes first. */
static void write_machine(FILE *out, const struct load *load, const char *machine)
{
	fprintf(out, "interval %us\nring 16Mi\nevent cycles speed=3G\nevent instructions%s\ndso app /usr/bin/app\n",
		load->window_s, machine);
	for (unsigned i = 0; i < load->functions; i++)
		fprintf(out, "sym app:f%u %u 0x100\n", i, 0x1000 + 0x100 * i);
	fprintf(out, "task 100 app maps=app\ntask 200 p0 maps=app\ntask 201 p1 maps=app\ntask 202 p2 maps=app\n");
}

static void write_row(FILE *out, unsigned i, double weight)
{
	fprintf(out, "row app:f%u %.6f instructions=%.6f task=%u\n", i, weight, ipc[i % 20], 200 + i % 3);
}

/* One profile; `arg`: the rest of the statement. */
static void write_simple(FILE *out, const struct load *load)
{
	write_machine(out, load, "");
	fprintf(out, "profile p\n");
	for (unsigned i = 0; i < 20; i++)
		write_row(out, i, weights[i]);
	fprintf(out, "always\nsimulate cpu=0 task=100 profiles=p %s\n", load->arg);
}

/* Three phases: the same functions with other emphasis.  `arg`: their mean length. */
static void write_phases(FILE *out, const struct load *load)
{
	write_machine(out, load, "");
	for (unsigned phase = 0; phase < 3; phase++) {
		fprintf(out, "profile p%u\n", phase);
		for (unsigned i = 0; i < 20; i++)
			write_row(out, i,
				  weights[i] * (phase == 0   ? 1
						: phase == 1 ? (i % 2 ? 0.5 : 2)
							     : (i % 3 ? 1.5 : 0.4)));
	}
	fprintf(out, "always\nsimulate cpu=0 task=100 profiles=p0,p1,p2 turn=200us phase=%s\n", load->arg);
}

/* The CPU is busy for 30, 60 or 90 % of the time, in phases. */
static void write_varying(FILE *out, const struct load *load)
{
	static const double busy[] = {0.3, 0.6, 0.9};
	double all = 0;
	for (unsigned i = 0; i < 20; i++)
		all += weights[i];
	write_machine(out, load, "");
	for (unsigned phase = 0; phase < 3; phase++) {
		fprintf(out, "profile p%u\nidle %.6f\n", phase, all * (1 - busy[phase]));
		for (unsigned i = 0; i < 20; i++)
			write_row(out, i, weights[i] * busy[phase]);
	}
	fprintf(out, "always\nsimulate cpu=0 task=100 profiles=p0,p1,p2 turn=200us phase=%s\n", load->arg);
}

/* Three programs in slices of 10 ms, each with its own functions. */
static void write_slices(FILE *out, const struct load *load)
{
	write_machine(out, load, "");
	for (unsigned program = 0; program < 3; program++) {
		fprintf(out, "profile p%u\n", program);
		for (unsigned i = program; i < 20; i += 3)
			write_row(out, i, weights[i]);
	}
	fprintf(out, "always\nsimulate cpu=0 task=100 profiles=p0,p1,p2 turn=%s phase=10ms\n", load->arg);
}

/* Forty functions, and twice as many events as counters. */
static void write_crowd(FILE *out, const struct load *load)
{
	write_machine(out, load, "\nevent cache-references\nevent cache-misses\ncounters 2");
	fprintf(out, "profile p\n");
	for (unsigned i = 0; i < 40; i++)
		fprintf(out, "row app:f%u %u instructions=%.6f cache-references=0.02 cache-misses=0.002\n", i,
			1 + i % 5, ipc[i % 20]);
	fprintf(out, "always\nsimulate cpu=0 task=100 profiles=p turn=%s\n", load->arg);
}

const struct load loads[] = {
	{"stationary, 0.2 ms", 1, 20, write_simple, "turn=200us", false, {0.92, 0.98}},
	{"bursts of 50 ms", 1, 20, write_simple, "turn=50ms", false, {0.92, 0.98}},
	{"phases of 2 s", 1, 20, write_phases, "2s", false, {0.92, 0.98}},
	{"phases of 15 s", 1, 20, write_phases, "15s", false, {0.92, 0.98}},
	{"load varies", 1, 20, write_varying, "5s", false, {0.92, 0.99}},
	{"bursts of 1 ms", 1, 20, write_simple, "turn=1ms", false, {0.92, 0.98}},
	{"heavy-tailed bursts, mean 1 ms", 1, 20, write_simple, "turns=heavy turn=1ms", false, {0.9, 0.98}},
	{"slices of 10 ms, functions 0.2 ms", 1, 20, write_slices, "200us", false, {0.92, 0.98}},
	{"40 functions of 50 us, multiplexed", 5, 40, write_crowd, "50us", false, {0.92, 0.98}},
};
const unsigned loads_n = ARRAY_LEN(loads);

const struct load exceptions[] = {
	{"functions of 10 us", 1, 20, write_simple, "turn=10us", false, {0.89, 0.97}},
	{"few long bursts, 100 ms", 1, 20, write_simple, "turn=100ms", false, {0.88, 1}},
	{"the three processes of the slices", 1, 20, write_slices, "200us", true, {0.98, 1}},
	{"heavy-tailed bursts, mean 0.2 ms", 1, 20, write_simple, "turns=heavy turn=200us", false, {0.84, 0.96}},
	{"regular turns, round of 7 ms", 1, 20, write_simple, "turns=gamma turn=7ms", false, {0.93, 1}},
	{"fixed cycle of 37 ms", 1, 20, write_simple, "turns=cycle turn=37ms", false, {0.95, 1}},
	{"fixed cycle of 1.3 ms", 1, 20, write_simple, "turns=cycle turn=1300us", false, {0.4, 1}},
	{"fixed cycle of 1 ms", 1, 20, write_simple, "turns=cycle turn=1ms", false, {0.95, 1}},
	{"bursts of 50 ms, multiplexed", 5, 40, write_crowd, "50ms", false, {0.96, 1}},
};
const unsigned exceptions_n = ARRAY_LEN(exceptions);

void write_turns(FILE *out, double fast, double slow, const char *turns, const char *machine)
{
	const struct load two = {.window_s = 1, .functions = 2};
	write_machine(out, &two, machine);
	fprintf(out,
		"profile p\nrow app:f0 1 instructions=%.6f\nrow app:f1 1 instructions=%.6f\n"
		"always\nsimulate cpu=0 task=100 profiles=p %s\n",
		fast, slow, turns);
}
