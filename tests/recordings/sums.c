/* What a recording's events add up to, as the session sees it: a line an event, "event
 * SAMPLES WEIGHT NAME", then what else there is to say, a line each.
 *   sums FILE     (-: standard input)
 * Status 1 with one line on stderr where the recording is refused. */
#include <cyctop/session.h>

#include <stdio.h>

static void print_events(struct session *s)
{
	struct query q = {.window = WINDOW_TOTAL, .only_task = CATALOG_NONE, .only_sym = CATALOG_NONE};
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
	for (size_t i = 0; i < snap->symbols.n; i++)
		share += snap->symbols.rows[i].share_valid ? snap->symbols.rows[i].share : 0;
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
