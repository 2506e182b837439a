#include "options/rows.h"

#include <errno.h>
#include <string.h>

static const char *const orders[] = {"self", "total", "calls", "call"};

static void list_orders(struct strbuf *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(orders); i++)
		strbuf_addf(ret, "%s%s", i ? ", " : "", orders[i]);
}

static int set_order(struct options *o, const char *arg, struct error *err)
{
	for (size_t i = 0; i < ARRAY_LEN(orders); i++)
		if (strcmp(orders[i], arg) == 0) {
			((struct calls_options *)o)->choice.order =
				(enum calls_order)i; /* `common` is the first member */
			return 0;
		}
	return error_set(err, EINVAL, "-s takes self, total, calls or call, not '%.40s'", arg);
}

static const char dot[] = "dot";

static void list_formats(struct strbuf *ret)
{
	for (size_t i = 0; i < batch_formats_n; i++)
		if (batch_formats[i].calls)
			strbuf_addf(ret, "%s, ", batch_formats[i].name);
	strbuf_add(ret, dot);
}

static int set_format(struct options *o, const char *arg, struct error *err)
{
	const struct batch_format *format = batch_format_find(arg);
	struct calls_options *own = (struct calls_options *)o;
	if (strcmp(arg, dot) == 0)
		own->write = calls_dot;
	else if (format && format->why)
		return error_set(err, ENOSYS, "%s", format->why);
	else if (format && format->calls)
		own->write = format->calls;
	else
		return error_set(err, EINVAL, "--format takes text, csv, json or dot, not '%.40s'", arg);
	return 0;
}

/* The tables of calls that --format text can print. */
static const struct {
	const char *name;
	void (*write)(FILE *out, const struct calls_output *o);
} tables[] = {
	{"functions", calls_text},
	{"tree", calls_tree},
	{"callers", calls_callers},
	{"histogram", calls_histogram},
};

static void list_tables(struct strbuf *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		strbuf_addf(ret, "%s%s", i ? ", " : "", tables[i].name);
}

static int set_table(struct options *o, const char *arg, struct error *err)
{
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		if (strcmp(tables[i].name, arg) == 0) {
			((struct calls_options *)o)->table = tables[i].write;
			return 0;
		}
	return error_set(err, EINVAL, "--table takes functions, tree, callers or histogram, not '%.40s'", arg);
}

OPTION_TEXT(function, calls_options, choice.function)

static int set_histogram(struct options *o, const char *arg, struct error *err)
{
	((struct calls_options *)o)->table = calls_histogram;
	return set_function(o, arg, err);
}

OPTION_NUMBER(min, calls_options, choice.min_percent, option_number, "--min", 0, 100)
OPTION_TEXT(input, options, input)

static int set_output(struct options *o, const char *arg, struct error *err)
{
	if (!arg[0])
		return error_set(err, EINVAL, "-o takes a file");
	o->save_path = arg;
	return 0;
}

static const struct option_row own_rows[] = {
	{0, "format", "FORMAT", "how to print; dot: a graph for graphviz", set_format, RUN_ANY, list_formats},
	{0, "min", "PERCENT", "in graph and tree leave out functions with less than that part of all time (0.5)",
	 set_min, RUN_ANY, NULL},
	{0, "table", "TABLE", "what to print as text, callers of a function as well as what it calls", set_table,
	 RUN_ANY, list_tables},
	{0, "function", "NAME", "only functions of that name or pattern of the shell; as text with --table callers",
	 set_function, RUN_ANY, NULL},
	{0, "histogram", "NAME", "how long calls of a function take, and their events (--table histogram)",
	 set_histogram, RUN_ANY, NULL},
	{'i', "input", "FILE", "print what a run with -o has kept, instead of running a program", set_input, RUN_ANY,
	 NULL},
	{'o', "output", "FILE", "write to FILE, without --format as json, which -i opens again", set_output, RUN_ANY,
	 NULL},
	{'s', "order", "COLUMN", "sort by time in the function itself, with what it calls, calls, time of a call",
	 set_order, RUN_ANY, list_orders},
};
static const char *const shared[] = {"event", "top", "batch", "color", "ascii", "no-mouse", "help"};
static const struct option_rule rules[] = {
	{"input", NOT_WITH, OPERANDS, "either a program runs, or what was kept is printed", NULL},
	{"input", NOT_WITH, "event", "the file has the events that were counted", NULL},
	{"histogram", NOT_WITH, "table", "it is a table of its own", NULL},
	{"histogram", NOT_WITH, "function", "it is of the function that it names", NULL},
};

static size_t get_rows(struct option_row ret[static OPTION_ROWS_MAX])
{
	return option_rows_join(ret, own_rows, ARRAY_LEN(own_rows), shared, ARRAY_LEN(shared));
}

static void start(struct options *o)
{
	*(struct calls_options *)o = (struct calls_options){.choice = {.min_percent = 0.5}};
	options_defaults(o);
}

static int check(struct options *o, const struct option_line *line, struct error *err)
{
	struct calls_options *c = (struct calls_options *)o;
	c->command = line->argv + line->first;
	c->choice.top = o->output.top;
	int rc = option_rules_check(rules, ARRAY_LEN(rules), line, o, err);
	if (rc == 0 && !line->set.operand && !o->input)
		rc = error_set(err, EINVAL, "calls runs a program: cyctop calls -- PROGRAM; see cyctop calls --help");
	if (rc == 0 && o->live.events_given && o->live.events_n > CALLS_EVENTS_MAX)
		rc = error_set(err, E2BIG, "calls counts up to %d events", CALLS_EVENTS_MAX);
	if (rc == 0 && !c->write)
		rc = set_format(o, o->save_path && !c->table ? "json" : "text", err);
	if (rc == 0 && c->write == calls_text && (c->table || c->choice.function))
		c->write = c->table ? c->table : calls_callers;
	else if (rc == 0 && c->table)
		rc = error_set(err, EINVAL, "tables are text; the other formats have callers and times of all calls");
	static const char *const printing[] = {"format", "output", "table", "function", "histogram"};
	for (size_t i = 0; i < ARRAY_LEN(printing); i++)
		o->batch |= option_given(line, printing[i]);
	return rc;
}

const struct command calls_command = {
	.name = "calls",
	.rows = get_rows,
	.start = start,
	.check = check,
	.usage = "Usage: cyctop calls [OPTIONS] -- PROGRAM...\n"
		 "       cyctop calls [OPTIONS] -i FILE\n"
		 "Runs PROGRAM and counts each call of each function: time and events in it alone and with\n"
		 "what it calls.  PROGRAM, and its libraries, must be built with gcc's or clang's option\n"
		 "-finstrument-functions.\n\n",
	.more = "\nExit status: that of PROGRAM; 1: no call was counted; 2: wrong command line.\n",
};
