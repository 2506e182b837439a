#include "app/record.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

enum { OPT_DURATION = 512 };
enum { LEVEL_DEFAULT = 1, LEVEL_MAX = 22 };

static struct record_options *of(struct options *o)
{
	return (struct record_options *)o; /* its first member */
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

static int set_all(struct options *o, const char *arg, struct error *err)
{
	(void)arg, (void)err;
	of(o)->all = true;
	return 0;
}

static const struct option_row own_rows[] = {
	{'o', "output", "FILE", "where to (perf.data); - is standard output", set_output},
	{'i', "input", "FILE", "read a recording instead, and write it anew (- is standard input)", set_input},
	{'z', "compress", "[LEVEL]", "compress with zstd, at that level (1)", set_compress},
	{OPT_DURATION, "duration", "SECS", "end after that long", set_duration},
	{'a', "all", NULL, "everything, also with a command (without one that is so anyway)", set_all},
};
static const char *const shared[] = {"pid", "tid", "uid", "cpu", "event", "freq", "count", "user-only", "ring", "help"};
enum { OUTPUT, INPUT, COMPRESS }; /* of own_rows */
enum { ROWS = ARRAY_LEN(own_rows) + ARRAY_LEN(shared) };

static void build_rows(struct option_row ret[static ROWS])
{
	memcpy(ret, own_rows, sizeof(own_rows));
	for (size_t i = 0; i < ARRAY_LEN(shared); i++)
		ret[ARRAY_LEN(own_rows) + i] = *options_row(shared[i]);
}

/* What is in a recording cannot be chosen any more. */
static int check_input(const struct record_options *o, uint64_t given, struct error *err)
{
	if (o->command)
		return error_set(err, EINVAL, "with -i a recording is read: there is no command to run");
	if (given & ~(1ull << OUTPUT | 1ull << INPUT | 1ull << COMPRESS))
		return error_set(err, EINVAL, "with -i a recording is read: only -o and -z go with it");
	if (!(given & 1ull << OUTPUT))
		return error_set(err, EINVAL, "-i needs -o FILE, or -o -: where the recording is written to");
	return 0;
}

/* Whom to record: those that are named; else the command, which is known once it is there. */
static int check_target(struct record_options *o, struct error *err)
{
	const struct target *t = &o->common.live.target;
	if (o->all && t->kind != TARGET_ALL)
		return error_set(err, EINVAL, "-a records everything, and -p, -t and -u some: give one of them");
	o->command_only = o->command && !o->all && t->kind == TARGET_ALL && !t->some_cpus;
	return 0;
}

int record_options_parse(int argc, char **argv, struct record_options *ret, struct error *err)
{
	struct record_options o = {.path = "perf.data"};
	struct option_row rows[ROWS];
	uint64_t given;
	options_defaults(&o.common);
	o.common.live.keep = true;
	build_rows(rows);
	int rc = option_rows_parse(rows, ROWS, true, argc, argv, &o.common, &given, err);
	if (rc < 0)
		return rc;
	if (optind < argc)
		o.command = argv + optind;
	if (strcmp(o.path, "-") == 0 && isatty(STDOUT_FILENO) && !o.common.help)
		return error_set(err, EINVAL, "a recording is nothing for a terminal: give -o FILE, or | a reader");
	if (check_target(&o, err) < 0)
		return -EINVAL;
	if (o.input && !o.common.help && check_input(&o, given, err) < 0)
		return -EINVAL;
	*ret = o;
	return 0;
}

void record_options_help(FILE *out)
{
	struct option_row rows[ROWS];
	build_rows(rows);
	fputs("Usage: cyctop record [OPTIONS] [COMMAND...]\n"
	      "       cyctop record -i FILE -o FILE [-z]\n"
	      "Records what COMMAND does, or the whole machine until it is interrupted, or those that\n"
	      "are named by -p, -t, -u or -C, as a file that perf report opens, too.  With -i a\n"
	      "recording is read and written anew: whole where it was cut off or never closed, one\n"
	      "file where it was a directory, a stream with -o -, compressed with -z and otherwise\n"
	      "not.\n\n",
	      out);
	option_rows_help(out, rows, ROWS);
	fputs("\nExit status: the command's; without one 0 all went well, 1 something failed; 2 the\n"
	      "command line was wrong.\n",
	      out);
}
