#include "app/compare.h"

#include "os/clock.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

static struct compare_options *of(struct options *o)
{
	return (struct compare_options *)o; /* these options begin with `diff`, and that with `common` */
}

static int set_runs(struct options *o, const char *arg, struct error *err)
{
	uint64_t n;
	int rc = option_whole("-r", arg, 2, COMPARE_RUNS_MAX, &n, err);
	if (rc == 0)
		of(o)->runs = (size_t)n;
	return rc;
}

static int set_seed(struct options *o, const char *arg, struct error *err)
{
	return option_whole("--seed", arg, 0, UINT32_MAX, &of(o)->seed, err);
}

static int set_output(struct options *o, const char *arg, struct error *err)
{
	if (!arg[0])
		return error_set(err, EINVAL, "-o takes the name of a file");
	of(o)->output = arg;
	return 0;
}

enum { OPT_SEED = 600 };

static const struct option_row own_rows[] = {
	{'r', "runs", "RUNS", "runs of each command, besides one to warm up (10)", set_runs, RUN_COMPARE, NULL},
	{OPT_SEED, "seed", "N", "repeats the random order of the runs of another time", set_seed, RUN_COMPARE, NULL},
	{'o', "output", "FILE", "write the comparison to FILE", set_output, RUN_COMPARE, NULL},
};
static const char *const shared[] = {"event", "freq"};
static const char *const of_diff[] = {"fdr", "min-change", "fail-if", "rows", "format", "no-demangle", "help"};

size_t compare_option_rows(struct option_row ret[static OPTION_ROWS_MAX])
{
	struct option_row diff[OPTION_ROWS_MAX];
	size_t diff_n = diff_option_rows(diff), n = ARRAY_LEN(own_rows);
	memcpy(ret, own_rows, sizeof(own_rows));
	for (size_t i = 0; i < ARRAY_LEN(shared); i++)
		ret[n++] = *options_row(shared[i]);
	for (size_t i = 0; i < ARRAY_LEN(of_diff); i++)
		for (size_t k = 0; k < diff_n; k++)
			if (strcmp(diff[k].name, of_diff[i]) == 0)
				ret[n++] = diff[k];
	return n;
}

/* Takes the commands A... --- B..., which follow the options. */
static int take_commands(struct compare_options *o, int argc, char **argv, struct error *err)
{
	int middle = optind;
	while (middle < argc && strcmp(argv[middle], "---") != 0)
		middle++;
	if (middle == argc || middle == optind || middle + 1 == argc)
		return error_set(err, EINVAL,
				 "compare takes two commands with --- between them: cyctop compare -- sort FILE --- "
				 "env LC_ALL=C sort FILE");
	argv[middle] = NULL;
	o->commands[DIFF_BEFORE] = &argv[optind];
	o->commands[DIFF_AFTER] = &argv[middle + 1];
	return 0;
}

int compare_options_parse(int argc, char **argv, struct compare_options *ret, struct error *err)
{
	enum { TEXT_ROWS = 20 };
	struct compare_options o = {
		.diff = {.dims = {DIM_DSO, DIM_SYMBOL}, .dims_n = 2, .in_one = true},
		.runs = 10,
		.seed = clock_ns(CLOCK_REALTIME) >> 10 & UINT32_MAX,
	};
	struct option_row rows[OPTION_ROWS_MAX];
	struct option_set set;
	size_t n = compare_option_rows(rows);
	options_defaults(&o.diff.common);
	int rc = option_rows_parse(rows, n, COMMAND_COMPARE, true, argc, argv, &o.diff.common, &set, err);
	if (rc == 0 && !o.diff.common.help)
		rc = take_commands(&o, argc, argv, err);
	if (rc < 0)
		return rc;
	if (!o.diff.top_given && o.diff.common.format == &batch_formats[0])
		o.diff.top = TEXT_ROWS;
	*ret = o;
	return 0;
}

void compare_options_help(FILE *out)
{
	struct option_row rows[OPTION_ROWS_MAX];
	fputs("Usage: cyctop compare [OPTIONS] -- COMMAND... --- COMMAND...\n"
	      "Runs two commands, A and B, in turn and in random order, and says what differs and whether\n"
	      "that is real or noise: time, memory, what is counted, and the functions that explain it.\n"
	      "No shell is involved; sh -c '...' makes one.  Standard input of both is empty, and what\n"
	      "they print is kept in a file only if they fail.  A run that fails counts for nothing.\n\n",
	      out);
	option_rows_help(out, rows, compare_option_rows(rows));
	fputs("\nA bound of --fail-if is VALUE > PERCENT%, or <, of the change from A to B; VALUE is a metric\n"
	      "(wall), or EVENT of PATTERN, which is one of the shell for a function or its DSO.\n"
	      "Exit status: 0 all went well, 1 something failed, a run of a command for example, 2 the\n"
	      "command line was wrong, 3 a bound of --fail-if was exceeded.\n",
	      out);
}
