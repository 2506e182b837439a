#include "app/dump.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

static int set_json(struct options *o, const char *arg, struct error *err)
{
	(void)arg, (void)err;
	((struct dump_options *)o)->json = true; /* `common` is the first member */
	return 0;
}

static const struct option_row own_rows[] = {
	{256, "json", NULL, "an object of JSON a line", set_json, RUN_ANY, NULL},
};

size_t dump_option_rows(struct option_row ret[static OPTION_ROWS_MAX])
{
	memcpy(ret, own_rows, sizeof(own_rows));
	ret[ARRAY_LEN(own_rows)] = *options_row("help");
	return ARRAY_LEN(own_rows) + 1;
}

static int parse(enum command_id command, int argc, char **argv, struct dump_options *ret, struct error *err)
{
	struct dump_options o = {0};
	struct option_row rows[OPTION_ROWS_MAX];
	struct option_set set;
	size_t n = dump_option_rows(rows);
	int rc = option_rows_parse(rows, n, command, false, argc, argv, &o.common, &set, err);
	o.path = argv[optind];
	if (rc == 0)
		*ret = o;
	return rc;
}

int dump_options_parse(int argc, char **argv, struct dump_options *ret, struct error *err)
{
	int rc = parse(COMMAND_DUMP, argc, argv, ret, err);
	if (rc == 0 && !ret->common.help && argc - optind != 1)
		return error_set(err, EINVAL, "dump takes one recording; see cyctop dump --help");
	return rc;
}

int doctor_options_parse(int argc, char **argv, struct dump_options *ret, struct error *err)
{
	int rc = parse(COMMAND_DOCTOR, argc, argv, ret, err);
	if (rc == 0 && !ret->common.help && ret->path)
		return error_set(err, EINVAL, "doctor takes no '%.60s'; see cyctop doctor --help", ret->path);
	return rc;
}

int list_options_parse(int argc, char **argv, struct dump_options *ret, struct error *err)
{
	int rc = parse(COMMAND_LIST, argc, argv, ret, err);
	if (rc == 0 && !ret->common.help && argc - optind > 1)
		return error_set(err, EINVAL, "list takes one pattern; see cyctop list --help");
	return rc;
}

void list_options_help(FILE *out)
{
	struct option_row rows[OPTION_ROWS_MAX];
	fputs("Usage: cyctop list [--json] [PATTERN]\n"
	      "Lists the events that -e takes on this machine, all or those with PATTERN in their names\n"
	      "or descriptions (* and ? stand for any text), and whether each can be opened right now.\n\n",
	      out);
	option_rows_help(out, rows, dump_option_rows(rows));
}

void dump_options_help(FILE *out)
{
	struct option_row rows[OPTION_ROWS_MAX];
	fputs("Usage: cyctop dump [--json] FILE\n"
	      "Prints a recording (perf.data; - is standard input): its header, events and features and\n"
	      "every record with all fields, one a line, and where it is damaged.\n\n",
	      out);
	option_rows_help(out, rows, dump_option_rows(rows));
}

void doctor_options_help(FILE *out)
{
	struct option_row rows[OPTION_ROWS_MAX];
	fputs("Usage: cyctop doctor [--json]\n"
	      "Says what can be measured on this machine by this user, a line a check, and what limits it:\n"
	      "the evidence, and the command that changes it.  It changes nothing.  Exit status: 0 nothing\n"
	      "limits what is measured, 1 something does.\n\n",
	      out);
	option_rows_help(out, rows, dump_option_rows(rows));
}
