#include "options/rows.h"

#include <errno.h>
#include <string.h>

enum { LEVEL_DEFAULT = 1, LEVEL_MAX = 22 };

static struct record_options *of(struct options *o)
{
	return (struct record_options *)o; /* `common` is the first member */
}

static int set_output(struct options *o, const char *arg, struct error *err)
{
	if (!arg[0])
		return error_set(err, EINVAL, "-o takes the name of a file, or -");
	of(o)->path = arg;
	return 0;
}

static int set_input(struct options *o, const char *arg, struct error *err)
{
	if (!arg[0])
		return error_set(err, EINVAL, "-i takes the name of a recording, or -");
	of(o)->input = arg;
	return 0;
}

static int set_compress(struct options *o, const char *arg, struct error *err)
{
	uint64_t level = LEVEL_DEFAULT;
	int rc = arg ? option_whole("-z", arg, 1, LEVEL_MAX, &level, err) : 0;
	of(o)->level = (int)level;
	return rc;
}

static int set_duration(struct options *o, const char *arg, struct error *err)
{
	double s;
	int rc = option_number("--duration", arg, 0.01, 1e9, &s, err);
	if (rc == 0)
		of(o)->duration_ns = (uint64_t)(s * 1e9);
	return rc;
}

OPTION_FLAG(all, record_options, all)

static const struct option_row own_rows[] = {
	{'o', "output", "FILE", "write to FILE (perf.data); - is standard output", set_output, RUN_RECORD | RUN_COPY,
	 NULL},
	{'i', "input", "FILE", "copy a recording instead (- is standard input)", set_input, RUN_COPY, NULL},
	{'z', "compress", "[LEVEL]", "compress with zstd (level 1)", set_compress, RUN_RECORD | RUN_COPY, NULL},
	{0, "duration", "SECS", "end after so many seconds", set_duration, RUN_RECORD, NULL},
	{'a', "all", NULL, "everything, also with a command (without one that is so anyway)", set_all, RUN_RECORD,
	 NULL},
};
static const char *const shared[] = {"pid",	   "tid",	   "uid",    "cgroup",	      "cpu",
				     "event",	   "event-filter", "preset", "metric",	      "freq",
				     "count",	   "user-only",	   "weight", "branch-filter", "parallelism",
				     "call-graph", "off-cpu",	   "no-mux", "ring",	      "help"};

static size_t get_rows(struct option_row ret[static OPTION_ROWS_MAX])
{
	return option_rows_join(ret, own_rows, ARRAY_LEN(own_rows), shared, ARRAY_LEN(shared));
}

static const char some_or_all[] = "one records everything and the other some; give one of them";
static const char one_of_them[] = "each says whom to record; give one of them";

static const struct option_rule rules[] = {
	{"input", NOT_WITH, OPERANDS, "a recording is read, and there is no command to run", NULL},
	{"all", NOT_WITH, "pid", some_or_all, NULL},
	{"all", NOT_WITH, "tid", some_or_all, NULL},
	{"all", NOT_WITH, "uid", some_or_all, NULL},
	{"pid", NOT_WITH, "tid", one_of_them, NULL},
	{"pid", NOT_WITH, "uid", one_of_them, NULL},
	{"tid", NOT_WITH, "uid", one_of_them, NULL},
	{"cgroup", NOT_WITH, "all", some_or_all, NULL},
	{"cgroup", NOT_WITH, "pid", one_of_them, NULL},
	{"cgroup", NOT_WITH, "tid", one_of_them, NULL},
	{"cgroup", NOT_WITH, "uid", one_of_them, NULL},
	{"count", NOT_WITH, "freq", "each says how often to sample; give one of them", NULL},
};
/* Rules for copying a recording.  They are checked last, because other errors tell the user more. */
static const struct option_rule copy_rules[] = {
	{"input", NOT_WITHOUT, "output", "say where the copy is written to: -o FILE, or -o -", NULL},
};

static void start(struct options *o)
{
	*of(o) = (struct record_options){.path = "perf.data"};
	options_defaults(o);
	o->live.keep = true;
}

static int check(struct options *o, const struct option_line *line, struct error *err)
{
	struct record_options *r = of(o);
	const struct target *t = &o->live.target;
	if (line->set.operand)
		r->command = line->argv + line->first;
	/* records only the command, whose pid is not known yet, unless the user chose tasks or CPUs */
	r->command_only = r->command && !r->all && t->kind == TARGET_ALL && !t->some_cpus;
	int rc = option_rules_check(rules, ARRAY_LEN(rules), line, o, err);
	if (rc == 0)
		rc = option_runs_check(line, r->input ? RUN_COPY : RUN_RECORD, NULL, err);
	if (rc == 0 && !r->input)
		rc = option_metric_events(o, err);
	if (rc == 0)
		rc = option_rules_check(copy_rules, ARRAY_LEN(copy_rules), line, o, err);
	if (rc == 0 && strcmp(r->path, "-") == 0 && line->out_is_tty)
		rc = error_set(err, EINVAL,
			       "-o - on a terminal: a recording is binary; give -o FILE, or pipe it to a program");
	return rc;
}

const struct command record_command = {
	.name = "record",
	.rows = get_rows,
	.start = start,
	.check = check,
	.usage = "Usage: cyctop record [OPTIONS] [COMMAND...]\n"
		 "       cyctop record -i FILE -o FILE [-z]\n"
		 "Records COMMAND until it ends; without one the whole machine, or what -p, -t, -u, -G or\n"
		 "-C name, until interrupted (^C).  perf report reads the file, too.  With -i it copies a\n"
		 "recording: one that was cut off or not closed becomes whole, a directory becomes one\n"
		 "file; -o - writes a stream, and -z compresses.\n\n",
	.more = "\nExit status: that of COMMAND; without one 0, or 1 after a failure; 2: wrong command line.\n",
};
