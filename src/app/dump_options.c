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

int dump_options_parse(int argc, char **argv, struct dump_options *ret, struct error *err)
{
	struct dump_options o = {0};
	struct option_row rows[OPTION_ROWS_MAX];
	struct option_set set;
	size_t n = dump_option_rows(rows);
	int rc = option_rows_parse(rows, n, COMMAND_DUMP, false, argc, argv, &o.common, &set, err);
	if (rc < 0)
		return rc;
	if (!o.common.help && argc - optind != 1)
		return error_set(err, EINVAL, "dump takes one recording; see cyctop dump --help");
	o.path = argv[optind];
	*ret = o;
	return 0;
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
