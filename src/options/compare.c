#include "options/rows.h"

#include "os/clock.h"

#include <errno.h>
#include <string.h>

static struct compare_options *of(struct options *o)
{
	return (struct compare_options *)o; /* `diff` is the first member, and its first member is `common` */
}

static int set_runs(struct options *o, const char *arg, struct error *err)
{
	uint64_t n;
	int rc = option_whole("-r", arg, 2, COMPARE_RUNS_MAX, &n, err);
	if (rc == 0)
		of(o)->runs = (size_t)n;
	return rc;
}

OPTION_NUMBER(seed, compare_options, seed, option_whole, "--seed", 0, UINT32_MAX)

static int set_output(struct options *o, const char *arg, struct error *err)
{
	if (!arg[0])
		return error_set(err, EINVAL, "-o takes the name of a file");
	of(o)->output = arg;
	return 0;
}

static const struct option_row own_rows[] = {
	{'r', "runs", "RUNS", "runs of each command, besides one to warm up (10)", set_runs, RUN_COMPARE, NULL},
	{0, "seed", "N", "repeats the random order of the runs of another time", set_seed, RUN_COMPARE, NULL},
	{'o', "output", "FILE", "write the comparison to FILE", set_output, RUN_COMPARE, NULL},
};
static const char *const shared[] = {"event", "freq"};
static const char *const of_diff[] = {"fdr", "min-change", "fail-if", "rows", "format", "no-demangle", "help"};

static size_t get_rows(struct option_row ret[static OPTION_ROWS_MAX])
{
	struct option_row diff[OPTION_ROWS_MAX];
	size_t diff_n = diff_option_rows(diff),
	       n = option_rows_join(ret, own_rows, ARRAY_LEN(own_rows), shared, ARRAY_LEN(shared));
	for (size_t i = 0; i < ARRAY_LEN(of_diff); i++)
		for (size_t k = 0; k < diff_n; k++)
			if (strcmp(diff[k].name, of_diff[i]) == 0)
				ret[n++] = diff[k];
	return n;
}

/* Splits the operands A... --- B... at "---" into the two commands. */
static int take_commands(struct compare_options *o, const struct option_line *line, struct error *err)
{
	char **argv = line->argv;
	int middle = line->first;
	while (middle < line->argc && strcmp(argv[middle], "---") != 0)
		middle++;
	if (middle == line->argc || middle == line->first || middle + 1 == line->argc)
		return error_set(err, EINVAL,
				 "compare takes two commands with --- between them: cyctop compare -- sort FILE --- "
				 "env LC_ALL=C sort FILE");
	argv[middle] = NULL;
	o->commands[DIFF_BEFORE] = &argv[line->first];
	o->commands[DIFF_AFTER] = &argv[middle + 1];
	return 0;
}

static void start(struct options *o)
{
	*of(o) = (struct compare_options){
		.diff = {.dims = {DIM_DSO, DIM_SYMBOL}, .dims_n = 2, .in_one = true},
		.runs = 10,
		.seed = clock_ns(CLOCK_REALTIME) >> 10 & UINT32_MAX,
	};
	options_defaults(o);
}

static int check(struct options *o, const struct option_line *line, struct error *err)
{
	enum { TEXT_ROWS = 20 };
	if (!of(o)->diff.top_given && o->format == &batch_formats[0])
		of(o)->diff.top = TEXT_ROWS;
	return take_commands(of(o), line, err);
}

const struct command compare_command = {
	.name = "compare",
	.rows = get_rows,
	.start = start,
	.check = check,
	.usage = "Usage: cyctop compare [OPTIONS] -- COMMAND... --- COMMAND...\n"
		 "Runs two commands, A and B, in turn and in random order, and says what differs and whether\n"
		 "that is real or noise: time, memory, what is counted, and the functions that explain it.\n"
		 "No shell is involved; sh -c '...' makes one.  Standard input of both is empty, and what\n"
		 "they print is kept in a file only if they fail.  A run that fails counts for nothing.\n\n",
	.more = "\nA bound of --fail-if is VALUE > PERCENT%, or <, of the change from A to B; VALUE is a metric\n"
		"(wall), or EVENT of PATTERN, which is one of the shell for a function or its DSO.\n"
		"Exit status: 0 all went well, 1 something failed, a run of a command for example, 2 the\n"
		"command line was wrong, 3 a bound of --fail-if was exceeded.\n",
};
