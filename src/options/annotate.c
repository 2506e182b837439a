#include "options/rows.h"

#include <errno.h>
#include <string.h>

static struct annotate_options *of(struct options *o)
{
	return (struct annotate_options *)o; /* `common` is the first member */
}

static int add_event(struct options *o, const char *arg, struct error *err)
{
	struct annotate_options *a = of(o);
	if (a->events_n == ANNOTATE_EVENTS_MAX)
		return error_set(err, E2BIG, "-e is given more than %d times", ANNOTATE_EVENTS_MAX);
	return option_event_name("-e", arg, &a->events[a->events_n++], err);
}

OPTION_FLAG(bytes, annotate_options, bytes)
OPTION_FLAG(no_source, annotate_options, no_source)
OPTION_TEXT(baseline_symbol, annotate_options, baseline_symbol)

static void list_formats(struct strbuf *ret)
{
	for (size_t i = 0; i < batch_formats_n; i++)
		if (!batch_formats[i].one_table && !batch_formats[i].document && !batch_formats[i].chains &&
		    !batch_formats[i].snapshot)
			strbuf_addf(ret, "%s%s", ret->n && i ? ", " : "", batch_formats[i].name);
}

static int set_format(struct options *o, const char *arg, struct error *err)
{
	const struct batch_format *format = batch_format_find(arg);
	if (!format || (!format->why && !format->annotate))
		return error_set(err, EINVAL, "--format: annotate takes text or json, not '%.40s'", arg);
	return options_row("format")->set(o, arg, err);
}

static const struct option_row own_rows[] = {
	{'e', "event", "NAME", "show that event of the recording alone, or those, if it is given several times",
	 add_event, RUN_ANY, NULL},
	{0, "bytes", NULL, "print the bytes of each instruction, too", set_bytes, RUN_ANY, NULL},
	{0, "no-source", NULL, "print no lines of the source", set_no_source, RUN_ANY, NULL},
	{0, "baseline-symbol", "SYMBOL", "what the function is called in the recording of --baseline",
	 set_baseline_symbol, RUN_ANY, NULL},
};
static const char *const shared[] = {"input",	 "baseline",	"format",   "symfs", "vmlinux",
				     "kallsyms", "no-demangle", "branches", "help"};

static size_t get_rows(struct option_row ret[static OPTION_ROWS_MAX])
{
	memcpy(ret, own_rows, sizeof(own_rows));
	for (size_t i = 0; i < ARRAY_LEN(shared); i++) {
		struct option_row *row = &ret[ARRAY_LEN(own_rows) + i];
		*row = *options_row(shared[i]);
		if (strcmp(row->name, "baseline") == 0)
			row->help = "compare each instruction with that recording, also of another build";
		if (strcmp(row->name, "format") != 0)
			continue;
		row->values = list_formats;
		row->set = set_format;
	}
	return ARRAY_LEN(own_rows) + ARRAY_LEN(shared);
}

static void start(struct options *o)
{
	*of(o) = (struct annotate_options){.symbol = NULL};
	options_defaults(o);
}

static int check(struct options *o, const struct option_line *line, struct error *err)
{
	if (line->end - line->first != 1)
		return error_set(err, EINVAL, "annotate takes one function; see cyctop annotate --help");
	if (!o->input || strcmp(o->input, "-") == 0)
		return error_set(err, EINVAL,
				 "annotate takes -i FILE, a recording, which it reads twice: store it in a file");
	if (o->baseline && o->branches)
		return error_set(err, EINVAL, "--baseline compares samples, and not the branches of --branches");
	if (of(o)->baseline_symbol && !o->baseline)
		return error_set(err, EINVAL, "--baseline-symbol is of the recording of --baseline");
	of(o)->symbol = line->argv[line->first];
	return 0;
}

const struct command annotate_command = {
	.name = "annotate",
	.rows = get_rows,
	.start = start,
	.check = check,
	.operands = OPERANDS_BETWEEN,
	.usage = "Usage: cyctop annotate [OPTIONS] SYMBOL -i FILE\n"
		 "Prints the instructions of a function with the samples of each event beside them, the lines\n"
		 "of the source that they come from, and the jumps within the function.  Samples are of the\n"
		 "instruction at which the CPU was interrupted: without precise events (cycles:pp), the next\n"
		 "one or a few after the one that took the time.\n\n"
		 "SYMBOL is the function's name, or its address in its file (0x401136).  If several files have\n"
		 "one, it is FILE:SYMBOL; they are listed then.\n\n"
		 "With --baseline FILE, a recording from before, it prints the share of each instruction before and\n"
		 "after, and the change with its standard error, in points of the function's samples.  The code of "
		 "each\n"
		 "comes from its own build: the same instructions are beside each other, - is only before, + only "
		 "after.\n\n",
	.more = "\nExit status: 0 all went well, 1 something failed or there is no such function, 2 the command\n"
		"line was wrong.\n",
};
