/* cyctop probe: sets probes on functions; prints number, times and events of their calls. */
#include "app/commands.h"

#include "app/message.h"
#include "os/signals.h"
#include "base/alloc.h"
#include "os/clock.h"
#include "os/command.h"
#include "os/privileges.h"
#include "os/file.h"

#include <cyctop/calls.h>
#include <cyctop/front.h>
#include <cyctop/options.h>
#include <cyctop/probe.h>
#include <cyctop/source.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	TRY_MS = 100,	/* how long calls are only counted at first, to estimate what probing will cost */
	DRAIN_MS = 100, /* maximum time between two reads of the rings */
};
static const uint64_t second_ns = 1000000000;

struct probing {
	const struct probe_options *o;
	struct event_world_here here;
	struct probe_function functions[CALLS_FUNCTIONS_MAX];
	struct event_spec begins[CALLS_FUNCTIONS_MAX], ends[CALLS_FUNCTIONS_MAX];
	struct probe_cost costs[CALLS_FUNCTIONS_MAX];
	struct calls_probed sums[CALLS_FUNCTIONS_MAX]; /* calls since the last table was printed */
	size_t n;
	struct probes_config config;
	struct probes *probes;
	struct calls_pairs *pairs;
	int quit_fd, signals;
	struct command command;
	uint32_t command_pid;
	int pids[TARGET_IDS_MAX];    /* pidfds of the processes of -p */
	double spent_ns;	     /* CPU time in ns that probing has taken since `spent_at` */
	uint64_t spent_at, table_at; /* table_at: time from which the next table has the calls */
	uint64_t unmatched, tables, calls[CALLS_FUNCTIONS_MAX];
	bool too_much;
};

/* ---- preparing the probes, and estimating their cost -------------------------------------------------- */

static int find_functions(struct probing *p, struct error *err)
{
	const struct target *t = &p->o->common.live.target;
	const struct probe_where where = {.world = &p->here.world,
					  .program = p->o->command ? p->o->command[0] : NULL,
					  .pid = t->ids_n ? t->ids[0] : 0,
					  .returns = p->o->returns};
	int rc = 0;
	known_world(&p->here);
	for (; p->n < p->o->functions_n && rc == 0; p->n++) {
		struct probe_function *f = &p->functions[p->n];
		rc = probe_find(p->o->functions[p->n], &where, f, err);
		p->begins[p->n] = f->begin;
		p->ends[p->n] = f->end;
		if (rc == 0 && f->why_no_end && (!p->n || f[-1].why_no_end != f->why_no_end))
			message("%s: %s: calls are counted, and have no times", f->dso, f->why_no_end);
	}
	return rc;
}

static int measure_costs(struct probing *p, struct error *err)
{
	int rc = 0;
	for (size_t i = 0; i < p->n && rc == 0; i++) {
		size_t like = 0;
		while (like < i && !probe_costs_alike(&p->functions[like], &p->functions[i]))
			like++;
		p->costs[i] = p->costs[like];
		if (like == i)
			rc = probe_cost(&p->functions[i], p->config.events, p->config.events_n, &p->here.world,
					&p->costs[i], err);
	}
	return rc;
}

/* Returns the CPU time in ns that probing takes for each call, including the reading of its records. */
static double taken_ns(const struct probing *p, size_t function)
{
	return p->costs[function].cost.whole[CALLS_TIME] + p->costs[function].reading_ns;
}

/* Prints how much CPU time the probes will take at the rate of calls that was counted.  Returns false if this is more
 * than allowed. */
static bool is_cheap(struct probing *p, struct probes *counting)
{
	double part = 0;
	for (size_t i = 0; i < p->n; i++) {
		const struct probe_cost *c = &p->costs[i];
		double rate = (double)probes_count(counting, i) * 1000 / TRY_MS;
		part += rate * taken_ns(p, i) / 1e9;
		message("%s: about %.0f calls a second; a probed one takes %.2f us more, of which %.2f (+-%.2f) are in "
			"its own time; both are subtracted",
			p->functions[i].name, rate, c->cost.whole[CALLS_TIME] / 1e3, c->cost.inside[CALLS_TIME] / 1e3,
			c->spread_ns / 1e3);
	}
	bool cheap = p->o->max_overhead <= 0 || part <= p->o->max_overhead;
	message("probing takes about %.1f%% of a CPU%s", 100 * part,
		cheap ? "" : ", more than --max-overhead: nothing is probed");
	return cheap;
}

/* Counts calls for TRY_MS, which costs less than half as much as probing them.  *cheap_ret: see is_cheap(). */
static int try_out(struct probing *p, bool *cheap_ret, struct error *err)
{
	struct probes_config config = p->config;
	struct probes *counting = NULL;
	config.counting = true;
	config.events_n = 0;
	int rc = probes_open(&config, &counting, err);
	if (rc == 0)
		rc = probes_start(counting, err);
	if (rc == 0) {
		poll(&(struct pollfd){.fd = p->quit_fd, .events = POLLIN}, 1, TRY_MS);
		probes_stop(counting);
		*cheap_ret = is_cheap(p, counting);
	}
	probes_close(counting);
	return rc;
}

static int open_pids(struct probing *p, struct error *err)
{
	const struct target *t = &p->o->common.live.target;
	for (size_t i = 0; i < t->ids_n; i++) {
		p->pids[i] = os_pidfd(t->ids[i]);
		if (p->pids[i] < 0)
			return error_set(err, errno, "process %u: %s", t->ids[i], strerror(errno));
	}
	return 0;
}

/* ---- printing tables of calls -------------------------------------------------------------------------- */

static struct calls_line line_of(const struct probing *p, size_t i)
{
	const struct calls_probed *s = &p->sums[i];
	struct calls_line line = {.id = i,
				  .dso = p->functions[i].dso,
				  .symbol = p->functions[i].name,
				  .calls = s->calls,
				  .left = s->left,
				  .outermost = s->outermost,
				  .self_ns = s->self[CALLS_TIME],
				  .total_ns = s->total[CALLS_TIME],
				  .call_ns = s->returned ? s->all_ns / (double)s->returned : 0,
				  .self = s->self + CALLS_EVENT,
				  .total = s->total + CALLS_EVENT,
				  .event_buckets = s->buckets[CALLS_EVENT]};
	memcpy(line.buckets, s->buckets[CALLS_TIME], sizeof(line.buckets));
	return line;
}

static size_t make_pairs(const struct probing *p, const struct calls_line *lines, struct calls_pair *ret)
{
	size_t n = 0;
	for (size_t callee = 0; callee < p->n; callee++)
		for (size_t by = 0; by <= CALLS_FUNCTIONS_MAX; by++)
			if (p->sums[callee].callers[by].calls)
				ret[n++] = (struct calls_pair){.caller = by < CALLS_FUNCTIONS_MAX ? &lines[by] : NULL,
							       .callee = &lines[callee],
							       .calls = p->sums[callee].callers[by].calls,
							       .ns = p->sums[callee].callers[by].ns};
	return n;
}

/* Prints the calls since the last table.  Returns how many calls have not returned yet. */
static size_t print(struct probing *p)
{
	struct calls_line lines[CALLS_FUNCTIONS_MAX];
	const struct calls_line *rows[CALLS_FUNCTIONS_MAX];
	struct calls_pair pairs[CALLS_FUNCTIONS_MAX * (CALLS_FUNCTIONS_MAX + 1)];
	const char *events[CALLS_EVENTS_MAX];
	const struct options *o = &p->o->common;
	size_t open = calls_pairs_take(p->pairs, p->sums);
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct calls_output output = {.lines = rows,
				      .n = p->n,
				      .pairs = pairs,
				      .events = events,
				      .events_n = o->live.events_n,
				      .seconds = (double)(now - p->table_at) / 1e9,
				      .bucket_ns = 1};
	p->table_at = now;
	for (size_t i = 0; i < p->n; i++) {
		lines[i] = line_of(p, i);
		rows[i] = &lines[i];
		output.self_ns += lines[i].self_ns;
		p->unmatched += p->sums[i].unmatched;
		p->calls[i] += lines[i].calls;
	}
	for (size_t e = 0; e < output.events_n; e++)
		events[e] = o->live.events[e].name;
	output.pairs_n = make_pairs(p, lines, pairs);
	if (p->tables++ && o->format == &batch_formats[0])
		fputc('\n', stdout);
	o->format->calls(stdout, &output);
	if (p->o->histogram && o->format == &batch_formats[0]) {
		fputc('\n', stdout);
		calls_histogram(stdout, &output);
	}
	(void)fflush(stdout);
	return open;
}

/* ---- measuring calls until the user or the command ends ------------------------------------------------ */

static void take(void *ctx, const struct calls_hit *hit)
{
	struct probing *p = ctx;
	if (hit->kind == CALLS_BEGIN)
		p->spent_ns += taken_ns(p, hit->function);
	calls_pairs_add(p->pairs, hit);
}

static int start(struct probing *p, struct error *err)
{
	struct calls_pairing how = {.functions_n = p->n, .events_n = p->config.events_n};
#if defined(__x86_64__) || defined(__i386__)
	how.popped = true;
#endif
	for (size_t i = 0; i < p->n; i++) {
		how.costs[i] = p->costs[i].cost;
		how.kernel[i] = p->functions[i].kernel;
		how.begins_only[i] = !*p->ends[i].name;
	}
	p->pairs = calls_pairs_create(&how);
	int rc = probes_open(&p->config, &p->probes, err);
	privileges_drop(PRIVILEGES_NONE);
	if (rc == 0)
		rc = probes_start(p->probes, err);
	if (rc == 0)
		message("the probes are set");
	return rc == 0 && p->o->command ? command_start(&p->command, p->o->command[0], err) : rc;
}

static bool all_have_ended(struct probing *p)
{
	size_t n = p->o->common.live.target.ids_n, ended = 0;
	for (size_t i = 0; i < n; i++) {
		struct pollfd fd = {.fd = p->pids[i], .events = POLLIN};
		ended += poll(&fd, 1, 0) > 0;
	}
	return n ? ended == n : p->o->command && command_ended(&p->command);
}

/* Returns true if probing took more CPU time in the last second than is allowed. */
static bool takes_too_much(struct probing *p, uint64_t now)
{
	if (now - p->spent_at < second_ns)
		return false;
	double part = p->spent_ns / (double)(now - p->spent_at);
	p->spent_ns = 0;
	p->spent_at = now;
	p->too_much = p->o->max_overhead > 0 && part > p->o->max_overhead;
	if (p->too_much)
		message("the probes took %.1f%% of a CPU in the last second, more than --max-overhead: they are taken "
			"away",
			100 * part);
	return p->too_much;
}

/* Waits for the command to end; if `stop`, after sending it SIGTERM. */
static void finish_command(struct probing *p, bool stop)
{
	if (p->o->command && !command_finish(&p->command, stop, p->quit_fd))
		message("%s ignores SIGTERM and runs on", p->o->command[0]);
}

static void run(struct probing *p)
{
	const struct options *o = &p->o->common;
	uint64_t now = clock_ns(CLOCK_MONOTONIC), next = o->delay_ns ? now + o->delay_ns : UINT64_MAX;
	struct pollfd fds[] = {{.fd = p->quit_fd, .events = POLLIN}, {.fd = probes_fd(p->probes), .events = POLLIN}};
	bool over = false;
	p->spent_at = p->table_at = now;
	while (!over) {
		uint64_t left_ms = next > now ? (next - now) / 1000000 + 1 : 0;
		poll(fds, ARRAY_LEN(fds), left_ms < DRAIN_MS ? (int)left_ms : DRAIN_MS);
		over = signals_quit(p->quit_fd) || all_have_ended(p);
		probes_drain(p->probes, take, p);
		now = clock_ns(CLOCK_MONOTONIC);
		over = over || takes_too_much(p, now);
		if (over || now < next)
			continue;
		print(p);
		next += o->delay_ns;
		over = (o->iterations && p->tables == o->iterations) || ferror(stdout);
	}
	if (signals_quit(p->quit_fd))
		finish_command(p, true);
	probes_stop(p->probes);
	probes_drain(p->probes, take, p);
}

static void conclude(struct probing *p)
{
	bool asked = p->o->common.iterations && p->tables == p->o->common.iterations;
	size_t open = asked ? 0 : print(p);
	uint64_t lost = probes_lost(p->probes);
	for (size_t i = 0; i < p->n; i++)
		if (!p->calls[i])
			message("%s: no call was seen: it was not called, or inlined where it was, or is a name for "
				"which the loader chooses one of several (ifunc)",
				p->functions[i].name);
	if (lost)
		message("%llu hits were lost: a call with one of them counts as left, or not at all",
			(unsigned long long)lost);
	if (open)
		message("%zu call%s not ended: counted, but without a time", open, open == 1 ? " has" : "s have");
	if (p->unmatched)
		message("%llu returns are of calls that had begun before, in a parent of a fork, or whose beginning "
			"was lost",
			(unsigned long long)p->unmatched);
}

/* Makes the process of the command, before signals are blocked.  Opens pidfds of the processes of -p, so that their end
 * is noticed. */
static int find_tasks(struct probing *p, struct error *err)
{
	const struct options *o = &p->o->common;
	int rc = p->o->command ? command_prepare(&p->command, p->o->command, NULL, NULL, err) : open_pids(p, err);
	p->command_pid = (uint32_t)p->command.pid;
	p->config = (struct probes_config){.begins = p->begins,
					   .ends = p->ends,
					   .n = p->n,
					   .events = o->live.events,
					   .events_n = o->live.events_n,
					   .pids = p->o->command ? &p->command_pid : o->live.target.ids,
					   .pids_n = p->o->command ? 1 : o->live.target.ids_n};
	p->signals = rc == 0 ? signals_open(&p->quit_fd, err) : 0;
	return p->signals < 0 ? p->signals : rc;
}

static int probe(struct probing *p, struct error *err)
{
	bool cheap = true;
	int rc = find_functions(p, err);
	if (rc == 0)
		rc = find_tasks(p, err);
	if (rc == 0)
		rc = measure_costs(p, err);
	if (rc == 0)
		rc = try_out(p, &cheap, err);
	if (rc < 0)
		return rc;
	if (!cheap) {
		message("name a function that is called less often, or raise --max-overhead (0: no bound)");
		return EXIT_EXCEEDED;
	}
	rc = start(p, err);
	if (rc < 0)
		return rc;
	run(p);
	conclude(p);
	probes_close(p->probes); /* the command, if it still runs, goes on without probes */
	p->probes = NULL;
	finish_command(p, false);
	if (p->too_much)
		return EXIT_EXCEEDED;
	return p->o->command && p->command.status > 0 ? p->command.status : 0;
}

int probe_main(int argc, char **argv)
{
	struct probe_options o;
	struct error err = {0};
	int ended = message_options(COMMAND_PROBE, argc, argv, &o.common);
	if (ended >= 0)
		return ended;
	struct probing *p = mem_calloc(1, sizeof(*p));
	p->o = &o;
	p->quit_fd = -1;
	p->command = (struct command){.go = -1, .failed = -1, .fd = -1};
	int status = probe(p, &err);
	if (status < 0)
		message("%s", err.text);
	command_close(&p->command);
	probes_close(p->probes);
	calls_pairs_destroy(p->pairs);
	for (size_t i = 0; i < p->n; i++)
		if (p->functions[i].fd >= 0)
			close(p->functions[i].fd);
	free(p);
	if (fflush(stdout) != 0 && status >= 0)
		status = EXIT_FAILED;
	return status < 0 ? EXIT_FAILED : status;
}
