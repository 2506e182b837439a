#include "options/rows.h"

#include <errno.h>
#include <string.h>

static struct dump_options *of(struct options *o)
{
	return (struct dump_options *)o; /* `common` is the first member */
}

OPTION_FLAG(json, dump_options, json)

static const struct option_row own_rows[] = {
	{0, "json", NULL, "an object of JSON a line", set_json, RUN_ANY, NULL},
};

static size_t get_rows(struct option_row ret[static OPTION_ROWS_MAX])
{
	memcpy(ret, own_rows, sizeof(own_rows));
	ret[ARRAY_LEN(own_rows)] = *options_row("help");
	return ARRAY_LEN(own_rows) + 1;
}

static void start(struct options *o)
{
	*of(o) = (struct dump_options){0};
}

/* Stores the only operand as the path (or pattern).  Fails with the message `wrong` if there is not exactly one. */
static int take(struct options *o, const struct option_line *line, const char *wrong, struct error *err)
{
	of(o)->path = line->argv[line->first];
	return line->end - line->first == 1 ? 0 : error_set(err, EINVAL, "%s", wrong);
}

static int check_dump(struct options *o, const struct option_line *line, struct error *err)
{
	return take(o, line, "dump takes one recording; see cyctop dump --help", err);
}

static int check_list(struct options *o, const struct option_line *line, struct error *err)
{
	return line->set.operand ? take(o, line, "list takes one pattern; see cyctop list --help", err) : 0;
}

static int check_doctor(struct options *o, const struct option_line *line, struct error *err)
{
	(void)o;
	return line->set.operand ? error_set(err, EINVAL, "doctor takes no '%.60s'; see cyctop doctor --help",
					     line->argv[line->first])
				 : 0;
}

const struct command dump_command = {
	.name = "dump",
	.rows = get_rows,
	.start = start,
	.check = check_dump,
	.operands = OPERANDS_BETWEEN,
	.usage = "Usage: cyctop dump [--json] FILE\n"
		 "Prints a recording (perf.data; - is standard input): its header, events and features and\n"
		 "every record with all fields, one a line, and where it is damaged.\n\n",
	.more = "",
};

const struct command list_command = {
	.name = "list",
	.rows = get_rows,
	.start = start,
	.check = check_list,
	.operands = OPERANDS_BETWEEN,
	.usage = "Usage: cyctop list [--json] [PATTERN]\n"
		 "Lists the events that -e takes on this machine, all or those with PATTERN in their names\n"
		 "or descriptions (* and ? stand for any text), and whether each can be opened right now.\n\n",
	.more = "",
};

const struct command doctor_command = {
	.name = "doctor",
	.rows = get_rows,
	.start = start,
	.check = check_doctor,
	.operands = OPERANDS_BETWEEN,
	.usage = "Usage: cyctop doctor [--json]\n"
		 "Says what can be measured on this machine by this user, a line a check, and what limits it:\n"
		 "the evidence, and the command that changes it.  It changes nothing.  Exit status: 0 nothing\n"
		 "limits what is measured, 1 something does.\n\n",
	.more = "",
};
