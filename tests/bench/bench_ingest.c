/* Throughput of decoding and aggregation: synthetic rings of N CPUs pass through the same
 * merging, decoding, naming and summing as the kernel's, on one core.
 *   bench_ingest CPUS [MILLION-SAMPLES]
 * One interval is encoded before the measurement, and read again in each tick.  The measured
 * time is that of session_tick(), including the closing of the interval. */
#include "base/strbuf.h"

#include "../lib/usual_pivots.h"

#include <cyctop/session.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { SAMPLES_PER_TICK = 1000000, FUNCTIONS = 200, PROGRAMS = 8, EVENTS = 4 };

static double cpu_seconds(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* Each CPU runs two tasks of one of the programs; each takes samples of all four
 * events in all of a fifth of the program's functions, spread over their bytes. */
static void write_script(struct strbuf *b, unsigned cpus)
{
	unsigned per_statement = SAMPLES_PER_TICK / cpus / EVENTS / 2 / (FUNCTIONS / 5);
	if (!per_statement)
		per_statement = 1;
	unsigned ring = 65536;
	while (ring < 64 * (SAMPLES_PER_TICK / cpus + 1000))
		ring *= 2;
	strbuf_addf(b, "cpus %u\ninterval 1s\nring %u\nperiods elapsed\n", cpus, ring);
	strbuf_add(b, "event cycles\nevent instructions\nevent cache-references\nevent cache-misses\n");
	for (unsigned p = 0; p < PROGRAMS; p++) {
		strbuf_addf(b, "dso d%u /usr/bin/program%u\n", p, p);
		for (unsigned f = 0; f < FUNCTIONS; f++)
			strbuf_addf(b, "sym d%u:function%u 0x%x 0x100\n", p, f, 0x1000 + f * 0x100);
	}
	for (unsigned c = 0; c < cpus; c++)
		for (unsigned t = 0; t < 2; t++)
			strbuf_addf(b, "task %u program%u maps=d%u\n", 1000 + 2 * c + t, c % PROGRAMS, c % PROGRAMS);
	strbuf_add(b, "tick\n");
	static const char *const events[EVENTS] = {"cycles", "instructions", "cache-references", "cache-misses"};
	for (unsigned c = 0; c < cpus; c++)
		for (unsigned f = 0; f < FUNCTIONS / 5; f++)
			for (unsigned te = 0; te < 2 * EVENTS; te++)
				strbuf_addf(
					b,
					"sample cpu=%u task=%u event=%s sym=d%u:function%u n=%u period=100000 spread\n",
					c, 1000 + 2 * c + te % 2, events[te / 2], c % PROGRAMS, (f * 5 + c) % FUNCTIONS,
					per_statement);
	strbuf_add(b, "replay frozen\n");
}

int main(int argc, char **argv)
{
	unsigned cpus = argc > 1 ? (unsigned)atoi(argv[1]) : 2;
	double millions = argc > 2 ? atof(argv[2]) : 20;
	if (cpus < 1 || cpus > 1024) {
		fprintf(stderr, "usage: bench_ingest CPUS [MILLION-SAMPLES]\n");
		return 2;
	}
	struct strbuf script = {0};
	struct session *s;
	struct error err;
	write_script(&script, cpus);
	if (session_open_synth(script.data, script.n, "bench", false, &s, &err) < 0) {
		fprintf(stderr, "bench_ingest: %s\n", err.text);
		return 1;
	}
	strbuf_deinit(&script);
	session_tick(s); /* warms up: loads names and allocates memory */
	struct query q = {.window = WINDOW_INTERVAL, .pivots = usual_pivots, .pivots_n = USUAL_PIVOTS};
	uint64_t samples = 0;
	double seconds = 0;
	while ((double)samples < millions * 1e6) {
		double before = cpu_seconds();
		session_tick(s);
		seconds += cpu_seconds() - before;
		struct snapshot *snap = session_snapshot(s, &q);
		if (!snap->trust.samples || snap->trust.malformed || snap->trust.lost) {
			fprintf(stderr, "bench_ingest: %llu samples, %llu malformed, %llu lost in a tick\n",
				(unsigned long long)snap->trust.samples, (unsigned long long)snap->trust.malformed,
				(unsigned long long)snap->trust.lost);
			return 1;
		}
		samples += snap->trust.samples;
		snapshot_destroy(snap);
	}
	printf("%4u CPUs: %6.1f million samples/s\n", cpus, (double)samples / seconds / 1e6);
	session_destroy(s);
	return 0;
}
