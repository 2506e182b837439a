#include "app/annotate.h"

#include "app/nearest.h"

#include <errno.h>
#include <getopt.h>
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

static int set_bytes(struct options *o, const char *arg, struct error *err)
{
	(void)arg, (void)err;
	of(o)->bytes = true;
	return 0;
}

static int set_no_source(struct options *o, const char *arg, struct error *err)
{
	(void)arg, (void)err;
	of(o)->no_source = true;
	return 0;
}

static int set_baseline_symbol(struct options *o, const char *arg, struct error *err)
{
	(void)err;
	of(o)->baseline_symbol = arg;
	return 0;
}

static void list_formats(struct strbuf *ret)
{
	for (size_t i = 0; i < batch_formats_n; i++)
		if (!batch_formats[i].one_table && !batch_formats[i].snapshot)
			strbuf_addf(ret, "%s%s", ret->n && i ? ", " : "", batch_formats[i].name);
}

static int set_format(struct options *o, const char *arg, struct error *err)
{
	const struct batch_format *format = batch_format_find(arg);
	if (!format || (format->available && !format->annotate))
		return error_set(err, EINVAL, "--format: annotate takes text or json, not '%.40s'", arg);
	return options_row("format")->set(o, arg, err);
}

enum { OPT_BYTES = 512, OPT_NO_SOURCE, OPT_BASELINE_SYMBOL };

static const struct option_row own_rows[] = {
	{'e', "event", "NAME", "show that event of the recording alone, or those, if it is given several times",
	 add_event, RUN_ANY, NULL},
	{OPT_BYTES, "bytes", NULL, "print the bytes of each instruction, too", set_bytes, RUN_ANY, NULL},
	{OPT_NO_SOURCE, "no-source", NULL, "print no lines of the source", set_no_source, RUN_ANY, NULL},
	{OPT_BASELINE_SYMBOL, "baseline-symbol", "SYMBOL", "what the function is called in the recording of --baseline",
	 set_baseline_symbol, RUN_ANY, NULL},
};
static const char *const shared[] = {"input",	 "baseline",	"format",   "symfs", "vmlinux",
				     "kallsyms", "no-demangle", "branches", "help"};

size_t annotate_option_rows(struct option_row ret[static OPTION_ROWS_MAX])
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

int annotate_options_parse(int argc, char **argv, struct annotate_options *ret, struct error *err)
{
	struct annotate_options o = {.symbol = NULL};
	struct option_row rows[OPTION_ROWS_MAX];
	struct option_set set;
	size_t n = annotate_option_rows(rows);
	options_defaults(&o.common);
	int rc = option_rows_parse(rows, n, COMMAND_ANNOTATE, false, argc, argv, &o.common, &set, err);
	if (rc < 0 || o.common.help) {
		*ret = o;
		return rc;
	}
	if (argc - optind != 1)
		return error_set(err, EINVAL, "annotate takes one function; see cyctop annotate --help");
	if (!o.common.input || strcmp(o.common.input, "-") == 0)
		return error_set(err, EINVAL,
				 "annotate takes -i FILE, a recording, which it reads twice: store it in a "
				 "file");
	if (o.common.baseline && o.common.branches)
		return error_set(err, EINVAL, "--baseline compares samples, and not the branches of --branches");
	if (o.baseline_symbol && !o.common.baseline)
		return error_set(err, EINVAL, "--baseline-symbol is of the recording of --baseline");
	o.symbol = argv[optind];
	*ret = o;
	return 0;
}

void annotate_options_help(FILE *out)
{
	struct option_row rows[OPTION_ROWS_MAX];
	fputs("Usage: cyctop annotate [OPTIONS] SYMBOL -i FILE\n"
	      "Prints the instructions of a function with the samples of each event beside them, the lines\n"
	      "of the source that they come from, and the jumps within the function.  Samples are of the\n"
	      "instruction at which the CPU was interrupted: without precise events (cycles:pp), the next\n"
	      "one or a few after the one that took the time.\n\n"
	      "SYMBOL is the function's name, or its address in its file (0x401136).  If several files have\n"
	      "one, it is FILE:SYMBOL; they are listed then.\n\n"
	      "With --baseline FILE, a recording from before, it prints the share of each instruction before and\n"
	      "after, and the change with its standard error, in points of the function's samples.  The code of each\n"
	      "comes from its own build: the same instructions are beside each other, - is only before, + only "
	      "after.\n\n",
	      out);
	option_rows_help(out, rows, annotate_option_rows(rows));
	fputs("\nExit status: 0 all went well, 1 something failed or there is no such function, 2 the command\n"
	      "line was wrong.\n",
	      out);
}
