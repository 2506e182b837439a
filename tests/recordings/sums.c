/* Adds up the samples of a recording's events as the session sees them; prints a line for
 * each event, "event SAMPLES WEIGHT NAME", then other facts, one per line.
 *   sums FILE            (-: standard input)
 * Exits with 1 and one line on stderr if the recording is refused.
 *   sums FILE FILE...    the same for each in a process of its own: with sanitizers, to start a program anew takes
 *                        longer than most recordings.  Writes to N.out, N.err and N.status (the exit status; that
 *                        of a process that was killed: 128 and the signal) in the working directory, N from 1. */
#include "../lib/usual_pivots.h"

#include <cyctop/session.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

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

static int sum(const char *path)
{
	struct session *s;
	struct error err;
	struct file_config config = {.path = path};
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

/* What the process prints to the stream goes to a file from now on. */
static void print_to(FILE *stream, int number, const char *suffix)
{
	char name[32];
	snprintf(name, sizeof(name), "%d.%s", number, suffix);
	if (!freopen(name, "w", stream))
		exit(2);
}

static int sum_apart(const char *path, int number)
{
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		print_to(stdout, number, "out");
		print_to(stderr, number, "err");
		exit(sum(path));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	char name[32];
	snprintf(name, sizeof(name), "%d.status", number);
	FILE *f = fopen(name, "w");
	if (!f || fprintf(f, "%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)) < 0)
		return -1;
	return fclose(f);
}

int main(int argc, char **argv)
{
	if (argc <= 2)
		return sum(argc > 1 ? argv[1] : "-");
	for (int i = 1; i < argc; i++)
		if (sum_apart(argv[i], i) != 0)
			return 2;
	return 0;
}
