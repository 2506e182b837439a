/* The table of output formats. */
#include "front/batch/batch.h"

#include <string.h>

const struct batch_format batch_formats[] = {
	{
		.name = "text",
		.help = "the screen's tables as plain text",
		.refresh = text_refresh,
		.diff = diff_text,
		.runs = runs_text,
		.calls = calls_text,
		.calls_diff = calls_diff_text,
		.annotate = annotate_text,
	},
	{
		.name = "csv",
		.help = "one table (--table) as CSV, RFC 4180",
		.extension = "csv",
		.opened = "a spreadsheet opens it",
		.one_table = true,
		.errors_always = true,
		.begin = csv_begin,
		.refresh = csv_refresh,
		.diff = diff_csv,
		.runs = runs_csv,
		.calls = calls_csv,
		.calls_diff = calls_diff_csv,
	},
	{
		.name = "json",
		.help = "JSON Lines, schema cyctop/1: one object per refresh",
		.extension = "json",
		.opened = "jq, and doc/batch-format.md tells of its keys",
		.errors_always = true,
		.why = HAVE_JANSSON ? NULL : json_missing,
		.refresh = HAVE_JANSSON ? json_refresh : NULL,
		.diff = HAVE_JANSSON ? diff_json : NULL,
		.runs = HAVE_JANSSON ? runs_json : NULL,
		.calls = HAVE_JANSSON ? calls_json : NULL,
		.calls_diff = HAVE_JANSSON ? calls_diff_json : NULL,
		.annotate = HAVE_JANSSON ? annotate_json : NULL,
	},
	{
		.name = "folded",
		.help = "call chains as folded stacks, for flame graphs",
		.extension = "folded",
		.opened = "flamegraph.pl and speedscope.app draw it",
		.chains = folded_write,
	},
	{
		.name = "svg",
		.help = "call chains as a flame graph, for a browser",
		.extension = "svg",
		.opened = "a browser opens it",
		.document = true,
		.chains = svg_write,
	},
	{
		.name = "speedscope",
		.help = "call chains of each event, for speedscope",
		.extension = "speedscope.json",
		.opened = "www.speedscope.app opens it",
		.why = HAVE_JANSSON ? NULL : json_missing,
		.document = true,
		.chains = HAVE_JANSSON ? speedscope_write : NULL,
	},
	{
		.name = "firefox",
		.help = "call chains of each event and command, for the Firefox Profiler",
		.extension = "firefox.json",
		.opened = "profiler.firefox.com opens it",
		.why = HAVE_JANSSON ? NULL : json_missing,
		.document = true,
		.chains = HAVE_JANSSON ? firefox_write : NULL,
	},
	{
		.name = "pprof",
		.help = "call chains of all events, for go tool pprof",
		.extension = "pb",
		.opened = "go tool pprof -http : opens it",
		.binary = true,
		.document = true,
		.chains = pprof_write,
	},
	{
		.name = "snapshot",
		.help = "all refreshes as one snapshot, for cyctop diff and --baseline",
		.snapshot = true,
		.why = HAVE_JANSSON ? NULL : json_missing,
	},
};
const size_t batch_formats_n = ARRAY_LEN(batch_formats);

const struct batch_format *batch_format_find(const char *name)
{
	for (size_t i = 0; i < batch_formats_n; i++)
		if (strcmp(batch_formats[i].name, name) == 0)
			return &batch_formats[i];
	return NULL;
}
