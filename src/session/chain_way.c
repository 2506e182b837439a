#include "os/child.h"
#include "os/command.h"

#include <cyctop/session.h>

#include <math.h>
#include <stdio.h>

/* Copies of stacks take at most this many bytes a second, so that a large machine is not slowed down. */
static const double most_bytes = 64e6;

enum chain_change chain_way_next(struct chain_way *w, bool stacks, const struct trust *trust, double rate)
{
	static const double broken_much = 0.25, better = 0.1;
	double held = trust->whole + trust->cut, bytes = rate * EVENT_STACK_DEFAULT;
	if (!stacks && !w->given_up && 1 - held > broken_much && bytes <= most_bytes) {
		w->framed = held;
		return CHAIN_BY_STACKS;
	}
	bool too_many = bytes > 2 * most_bytes;
	if (!stacks || (held >= w->framed + better && !too_many))
		return CHAIN_STAYS;
	w->given_up = true;
	return too_many ? CHAIN_TOO_MANY : CHAIN_NO_BETTER;
}

struct question {
	struct child_result result;
	double framed; /* share of code with frame pointers: see program_framed() */
	char path[COMMAND_PATH];
};

static const char *read_program(void *ctx)
{
	struct question *q = ctx;
	q->framed = program_framed(q->path);
	return NULL;
}

/* Reads the program in a child process, because this one has all privileges still, and the file may be malicious. */
static double framed_in_child(struct question *q)
{
	const struct child_job job = {
		.reads = q->path, .keep = PRIVILEGES_MEASURE, .cpu_seconds = 1, .work = read_program, .ctx = q};
	return child_run(&q->result, &job) ? NAN : q->framed;
}

/* Returns the share of the code of the target's program that has frame pointers; NAN: unknown, or there are several
 * programs. */
static double framed_of(const struct target *target, const char *command)
{
	bool tasks = target->kind == TARGET_PROCESSES || target->kind == TARGET_THREADS;
	struct question *q = command || (tasks && target->ids_n == 1) ? child_memory(sizeof(*q)) : NULL;
	if (!q)
		return NAN;
	if (command)
		command_path(command, q->path);
	else
		snprintf(q->path, sizeof(q->path), "/proc/%u/exe", target->ids[0]);
	double ret = framed_in_child(q);
	child_free(q, sizeof(*q));
	return ret;
}

void chain_way_begin(struct live_config *config, const char *command)
{
	static const double most = 0.5;
	if (config->chains && !config->chains_chosen && event_stack_registers() &&
	    framed_of(&config->target, command) < most)
		config->stack_bytes = EVENT_STACK_DEFAULT;
}

void chain_way_init(struct chain_way *w, const struct live_config *config, struct session *s)
{
	bool possible = session_source(s)->ops->set_chains && event_stack_registers();
	*w = (struct chain_way){.automatic = possible && !config->chains_chosen, .since_ns = session_now_ns(s)};
}

bool chain_way_step(struct chain_way *w, struct session *s, char *text, size_t cap)
{
	const uint64_t seconds_ns = 3000000000, least_ns = 900000000, rest_ns = 5000000000;
	enum { LEAST_SAMPLES = 100 };
	const struct source_info *info = session_info(s);
	uint64_t now_ns = session_now_ns(s);
	if (!info->chains)
		w->since_ns = w->checked_ns = now_ns;
	if (!w->automatic || !info->chains || (w->given_up && !info->stack_bytes) || now_ns < w->checked_ns)
		return false;
	const struct query query = {.window = WINDOW_SLIDING, .sliding_ns = seconds_ns, .since_ns = w->since_ns};
	struct snapshot *snap = session_snapshot(s, &query);
	struct trust trust = snap->trust;
	uint64_t wall_ns = snap->end_ns - snap->start_ns;
	snapshot_destroy(snap);
	if (wall_ns < least_ns || trust.samples < LEAST_SAMPLES)
		return false;
	enum chain_change next =
		chain_way_next(w, info->stack_bytes, &trust, (double)trust.samples * 1e9 / (double)wall_ns);
	w->checked_ns = now_ns + rest_ns;
	if (next == CHAIN_STAYS)
		return false;
	session_set_stacks(s, next == CHAIN_BY_STACKS ? EVENT_STACK_DEFAULT : 0);
	w->since_ns = session_now_ns(s); /* unwind tables are read in the time until the next check */
	if (next == CHAIN_BY_STACKS)
		snprintf(text, cap,
			 "%.0f%% of the call chains break at frame pointers: copies of stacks from now on, as with -g "
			 "dwarf.",
			 100 * (1 - w->framed));
	else
		snprintf(text, cap, "Copies of stacks %s: call chains follow frame pointers again.",
			 next == CHAIN_TOO_MANY ? "are more than 128 MB a second"
						: "made hardly more call chains whole");
	return true;
}
