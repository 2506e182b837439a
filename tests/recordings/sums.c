/* Adds up the samples of a recording's events as the session sees them; prints a line for
 * each event, "event SAMPLES WEIGHT NAME", then other facts, one per line.
 *   sums FILE     (-: standard input)
 * Exits with 1 and one line on stderr if the recording is refused. */
#include "../lib/usual_pivots.h"

#include <cyctop/session.h>

#include <stdio.h>

static void print_events(struct session *s)
{
	struct query q = {.window = WINDOW_TOTAL, .pivots = usual_pivots, .pivots_n = USUAL_PIVOTS};
	struct snapshot *snap = session_snapshot(s, &q);
	const struct source_info *info = session_info(s);
	for (size_t e = 0; e < info->events_n; e++)
		printf("event %llu %.0f %s\n", (unsigned long long)snap->events[e].samples, snap->events[e].weight,
		       info->events[e].spec.name);
	printf("counted");
	for (size_t e = 0; e < info->events_n; e++)
		printf(" %.0f", snap->events[e].count);
	printf("\nlost %llu malformed %llu\n", (unsigned long long)snap->trust.lost,
	       (unsigned long long)snap->trust.malformed);
	double share = 0;
	for (size_t i = 0; i < snap->pivots[BY_SYMBOL].n; i++)
		share += snap->pivots[BY_SYMBOL].rows[i].share_valid ? snap->pivots[BY_SYMBOL].rows[i].share : 0;
	printf("primary %s: shares of %.1f%%\n", info->events[snap->primary].spec.name, share * 100);
	snapshot_destroy(snap);
}

int main(int argc, char **argv)
{
	struct session *s;
	struct error err;
	struct file_config config = {.path = argc > 1 ? argv[1] : "-"};
	if (session_open_file(&config, &s, &err) < 0) {
		fprintf(stderr, "sums: %s\n", err.text);
		return 1;
	}
	session_raw_weights(s);
	do
		session_tick(s);
	while (!session_finished(s));
	print_events(s);
	const struct source_info *info = session_info(s);
	printf("from %s, %s, %s, %u CPUs\n", info->host, info->kernel, info->pmu, info->cpus_n);
	printf("lasted %llu ns\n", (unsigned long long)session_uptime_ns(s));
	printf("notice %s\n", info->notice);
	session_destroy(s);
	return 0;
}
