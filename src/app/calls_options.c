#include "app/calls.h"

#include <errno.h>
#include <getopt.h>
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
			((struct calls_options *)o)->order = (enum calls_order)i; /* `common` is the first member */
			return 0;
		}
	return error_set(err, EINVAL, "-s takes self, total, calls or call, not '%.40s'", arg);
}

static const struct option_row own_rows[] = {
	{'s', "order", "COLUMN", "sort by time in the function itself, with what it calls, calls, time of a call",
	 set_order, RUN_ANY, list_orders},
};
static const char *const shared[] = {"event", "format", "top", "help"};

size_t calls_option_rows(struct option_row ret[static OPTION_ROWS_MAX])
{
	memcpy(ret, own_rows, sizeof(own_rows));
	for (size_t i = 0; i < ARRAY_LEN(shared); i++)
		ret[ARRAY_LEN(own_rows) + i] = *options_row(shared[i]);
	return ARRAY_LEN(own_rows) + ARRAY_LEN(shared);
}

int calls_options_parse(int argc, char **argv, struct calls_options *ret, struct error *err)
{
	struct calls_options o = {.order = CALLS_BY_SELF};
	struct option_row rows[OPTION_ROWS_MAX];
	struct option_set set;
	size_t n = calls_option_rows(rows);
	options_defaults(&o.common);
	int rc = option_rows_parse(rows, n, COMMAND_CALLS, true, argc, argv, &o.common, &set, err);
	o.command = argv + optind;
	if (rc == 0 && !o.common.help && !set.operand)
		rc = error_set(err, EINVAL, "calls runs a program: cyctop calls -- PROGRAM; see cyctop calls --help");
	if (rc == 0 && !o.common.help && !o.common.format->calls)
		rc = error_set(err, EINVAL, "--format %s is not for calls; text, csv and json are",
			       o.common.format->name);
	if (rc == 0)
		*ret = o;
	return rc;
}

void calls_options_help(FILE *out)
{
	struct option_row rows[OPTION_ROWS_MAX];
	fputs("Usage: cyctop calls [OPTIONS] -- PROGRAM...\n"
	      "Runs PROGRAM and counts each call of each function: time and events in it alone and with\n"
	      "what it calls.  PROGRAM, and its libraries, must be built with gcc's or clang's option\n"
	      "-finstrument-functions.\n\n",
	      out);
	option_rows_help(out, rows, calls_option_rows(rows));
	fputs("\nExit status: that of PROGRAM; 1: no call was counted; 2: wrong command line.\n", out);
}
