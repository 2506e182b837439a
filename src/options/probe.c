#include "options/rows.h"

#include <errno.h>
#include <string.h>

static const uint64_t usual_delay_ns = 1000000000;

static struct probe_options *of(struct options *o)
{
	return (struct probe_options *)o; /* `common` is the first member */
}

OPTION_FLAG(all, probe_options, all)
OPTION_FLAG(returns, probe_options, returns)
OPTION_FLAG(histogram, probe_options, histogram)

OPTION_NUMBER(max_overhead, probe_options, max_overhead, option_percent, "--max-overhead", 0, 1e6)

static const struct option_row own_rows[] = {
	{'a', "all", NULL, "calls by every process (the default without -p)", set_all, RUN_ANY, NULL},
	{0, "max-overhead", "PERCENT", "do not probe what would take more of a CPU than that (5); 0: no bound",
	 set_max_overhead, RUN_ANY, NULL},
	{0, "histogram", NULL,
	 "print below each table how many calls took how long, and had how many of each event; JSON always has that",
	 set_histogram, RUN_ANY, NULL},
	{0, "returns", NULL, "probe returns also in C++ and Rust, where an exception that passes one ends the program",
	 set_returns, RUN_ANY, NULL},
};
/* Options that cyctop probe shares with cyctop itself, but with another help. */
static const struct {
	const char *name, *help;
} shared[] = {
	{"pid", "only calls by these processes, all their threads"},
	{"event", "count these events as well, up to four: of the thread that calls"},
	{"delay", "print a table at the end of each such interval, of its calls"},
	{"iterations", "end after N tables"},
	{"format", "print text, csv or json"},
	{"help", "this text"},
};

static size_t get_rows(struct option_row ret[static OPTION_ROWS_MAX])
{
	memcpy(ret, own_rows, sizeof(own_rows));
	for (size_t i = 0; i < ARRAY_LEN(shared); i++) {
		struct option_row *row = &ret[ARRAY_LEN(own_rows) + i];
		*row = *options_row(shared[i].name);
		row->help = shared[i].help;
		row->values = NULL;
	}
	return ARRAY_LEN(own_rows) + ARRAY_LEN(shared);
}

static const struct option_rule rules[] = {
	{"all", NOT_WITH, "pid", "one is every process and the other some; give one of them", NULL},
};

static int check_functions(const struct probe_options *o, struct error *err)
{
	if (!o->functions_n)
		return error_set(err, EINVAL,
				 "probe takes functions: FILE:FUNCTION, FILE:0xOFFSET, kernel:FUNCTION, or with -p "
				 "FUNCTION; see cyctop probe --help");
	if (o->functions_n > CALLS_FUNCTIONS_MAX)
		return error_set(err, EINVAL, "probe takes up to %d functions", CALLS_FUNCTIONS_MAX);
	if (o->common.live.events_given && o->common.live.events_n > CALLS_EVENTS_MAX)
		return error_set(err, EINVAL, "probe counts up to %d events", CALLS_EVENTS_MAX);
	if (o->command && (o->all || o->common.live.target.ids_n))
		return error_set(err, EINVAL, "-- PROGRAM says whose calls: leave out -p and -a");
	if (o->command && !*o->command)
		return error_set(err, EINVAL, "-- is followed by a program to run");
	if (!o->common.format->calls)
		return error_set(err, EINVAL, "--format %s is not of calls: probe has text, csv and json",
				 o->common.format->name);
	return 0;
}

static void start(struct options *o)
{
	*of(o) = (struct probe_options){.max_overhead = 0.05};
	options_defaults(o);
	o->delay_ns = 0;
}

static int check(struct options *o, const struct option_line *line, struct error *err)
{
	struct probe_options *p = of(o);
	p->command = line->end < line->argc ? line->argv + line->end + 1 : NULL;
	p->functions = line->argv + line->first;
	p->functions_n = (size_t)(line->end - line->first);
	if (o->iterations && !o->delay_ns)
		o->delay_ns = usual_delay_ns;
	if (!o->live.events_given)
		o->live.events_n = 0;
	int rc = option_rules_check(rules, ARRAY_LEN(rules), line, o, err);
	return rc < 0 ? rc : check_functions(p, err);
}

const struct command probe_command = {
	.name = "probe",
	.rows = get_rows,
	.start = start,
	.check = check,
	.operands = OPERANDS_UNTIL_DASHES,
	.usage = "Usage: cyctop probe [OPTIONS] FUNCTION... [-- PROGRAM...]\n"
		 "Counts each call of some functions of programs that run, or of the kernel, and measures each:\n"
		 "number, time, events.  FUNCTION is FILE:FUNCTION, FILE:0xOFFSET, kernel:FUNCTION, or with\n"
		 "PROGRAM a name in it, with -p in the process or its libraries.  Runs PROGRAM, and prints a table\n"
		 "at its end, at that of the processes of -p, or at ^C, or one every -d seconds.\n\n",
	.more = "\nExit status: that of PROGRAM, or 0; 1: it failed; 2: wrong command line; 3: it would take more than "
		"--max-overhead.\n",
};
