/* Writes call chains for the Firefox Profiler, in its processed format (docs-developer/processed-profile-format.md in
 * github.com/firefox-devtools/profiler): a process for each event, and in it a thread for each command.  The weight of
 * a stack is its number of samples, for which the format has a unit. */
#include "front/batch/json.h"
#include "front/batch/stacks.h"

#include <inttypes.h>

/* FORMAT_VERSION is the first version of the format in which all threads share their tables. */
enum { FORMAT_VERSION = 60, GECKO_VERSION = 31 };
/* Indices in the array of categories, see put_meta(). */
enum { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL };

/* ---- writing the columns of a table ------------------------------------------------------------------ */

/* Returns the value that a column has in row `i` of a table; -1: it has none. */
typedef int64_t column_fn(const struct stacks *s, uint32_t i);

/* Writes a column of `n` values.  `none` is written in place of -1. */
static void put_column(FILE *out, const char *name, const struct stacks *s, uint32_t n, column_fn *value,
		       const char *none)
{
	fprintf(out, ",\"%s\":[", name);
	for (uint32_t i = 0; i < n; i++) {
		int64_t v = value(s, i);
		fputs(i ? "," : "", out);
		if (v < 0)
			fputs(none, out);
		else
			fprintf(out, "%" PRId64, v);
	}
	fputc(']', out);
}

static int64_t no_value(const struct stacks *s, uint32_t i)
{
	(void)s, (void)i;
	return -1;
}

static int64_t own_index(const struct stacks *s, uint32_t i)
{
	(void)s;
	return i;
}

static int64_t category_of(const struct stacks *s, uint32_t i)
{
	const struct stack_function *f = &s->functions[i];
	return !f->file ? CATEGORY_OTHER : f->kernel ? CATEGORY_KERNEL : CATEGORY_USER;
}

static int64_t file_of(const struct stacks *s, uint32_t i)
{
	return s->functions[i].file ? (int64_t)s->functions[i].file_id : -1;
}

/* Returns the index of a file's name in the array of strings, where the names of files follow those of functions. */
static int64_t file_name(const struct stacks *s, uint32_t i)
{
	return (int64_t)s->functions_n + i;
}

static int64_t function_of(const struct stacks *s, uint32_t i)
{
	return s->nodes[i].function;
}

/* Returns the caller of a node; -1: the caller is a command, which is written as a thread instead of a function. */
static int64_t caller_of(const struct stacks *s, uint32_t i)
{
	uint32_t caller = s->nodes[i].caller;
	return caller == STACKS_NONE || s->nodes[caller].caller == STACKS_NONE ? -1 : (int64_t)caller;
}

/* ---- writing the tables that all threads share ----------------------------------------------------------- */

static void put_strings(FILE *out, const struct stacks *s)
{
	fputs("\"stringArray\":[", out);
	for (uint32_t i = 0; i < s->functions_n; i++)
		json_put_element(out, i, json_value(value_text(s->functions[i].name)));
	for (uint32_t i = 0; i < s->files_n; i++)
		json_put_element(out, s->functions_n + i, json_value(value_text(s->files[i])));
	fputc(']', out);
}

/* Writes the tables of functions, frames and stacks.  Each function has one frame, with the same index; each node is a
 * stack. */
static void put_shared(FILE *out, const struct stacks *s)
{
	uint32_t n = s->functions_n, files = s->files_n;
	fputs(",\"shared\":{", out);
	put_strings(out, s);
	fprintf(out, ",\"frameTable\":{\"length\":%" PRIu32, n);
	put_column(out, "address", s, n, no_value, "-1");
	put_column(out, "inlineDepth", s, n, no_value, "0");
	put_column(out, "category", s, n, category_of, "null");
	put_column(out, "subcategory", s, n, no_value, "0");
	put_column(out, "func", s, n, own_index, "null");
	put_column(out, "nativeSymbol", s, n, no_value, "null");
	put_column(out, "innerWindowID", s, n, no_value, "null");
	put_column(out, "line", s, n, no_value, "null");
	put_column(out, "column", s, n, no_value, "null");
	fprintf(out, "},\"funcTable\":{\"length\":%" PRIu32, n);
	put_column(out, "name", s, n, own_index, "null");
	put_column(out, "isJS", s, n, no_value, "false");
	put_column(out, "relevantForJS", s, n, no_value, "false");
	put_column(out, "resource", s, n, file_of, "-1");
	put_column(out, "source", s, n, no_value, "null");
	put_column(out, "lineNumber", s, n, no_value, "null");
	put_column(out, "columnNumber", s, n, no_value, "null");
	fprintf(out, "},\"stackTable\":{\"length\":%" PRIu32, s->nodes_n);
	put_column(out, "frame", s, s->nodes_n, function_of, "null");
	put_column(out, "prefix", s, s->nodes_n, caller_of, "null");
	fprintf(out, "},\"resourceTable\":{\"length\":%" PRIu32, files);
	put_column(out, "name", s, files, file_name, "null");
	put_column(out, "lib", s, files, no_value, "null");
	put_column(out, "host", s, files, no_value, "null");
	put_column(out, "type", s, files, no_value, "1"); /* 1: a library */
	fputs("},\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[]},"
	      "\"sources\":{\"length\":0,\"id\":[],\"filename\":[]}}",
	      out);
}

/* ---- writing the threads, which are commands ---------------------------------------------------------------- */

/* Writes the samples of an event in the nodes [from, to).  The format wants a time for each sample; as that is not
 * known, times in steps of step_ms are made up. */
static void put_samples(FILE *out, const struct stacks *s, size_t event, uint32_t from, uint32_t to, double step_ms)
{
	static const char *const columns[] = {"stack", "time", "weight"};
	uint32_t n = 0;
	for (uint32_t i = from; i < to; i++)
		n += stacks_samples(s, i, event) > 0;
	fprintf(out, ",\"samples\":{\"length\":%" PRIu32 ",\"weightType\":\"samples\"", n);
	for (size_t c = 0; c < ARRAY_LEN(columns); c++) {
		const char *before = "";
		uint64_t done = 0;
		fprintf(out, ",\"%s\":[", columns[c]);
		for (uint32_t i = from; i < to; i++) {
			uint64_t samples = stacks_samples(s, i, event);
			if (!samples)
				continue;
			fputs(before, out);
			before = ",";
			if (c == 1)
				fprintf(out, "%.4f", (double)done * step_ms);
			else
				fprintf(out, "%" PRIu64, c ? samples : i);
			done += samples;
		}
		fputc(']', out);
	}
	fputc('}', out);
}

static void put_thread(FILE *out, const struct stacks *s, size_t event, uint32_t from, uint32_t to, double step_ms)
{
	char pid[24];
	snprintf(pid, sizeof(pid), "%zu", event);
	fputs("{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,"
	      "\"unregisterTime\":null,\"pausedRanges\":[],\"isMainThread\":false",
	      out);
	json_put_member(out, "name", json_value(value_text(s->functions[s->nodes[from].function].name)));
	json_put_member(out, "processName", json_value(value_text(s->in->info->events[event].spec.name)));
	json_put_member(out, "pid", json_string(pid));
	json_put_member(out, "tid", json_integer(from));
	put_samples(out, s, event, from, to, step_ms);
	fputs(",\"markers\":{\"length\":0,\"category\":[],\"data\":[],\"endTime\":[],\"name\":[],\"phase\":[],"
	      "\"startTime\":[]}}",
	      out);
}

/* Writes a thread for each command that has samples of the event.  `before`: the separator in front of the first
 * thread.  Returns the separator for the next thread. */
static const char *put_process(FILE *out, const struct stacks *s, size_t event, double step_ms, const char *before)
{
	for (uint32_t from = 0, to; from < s->nodes_n; from = to) {
		bool any = stacks_samples(s, from, event) > 0;
		for (to = from + 1; to < s->nodes_n && s->nodes[to].caller != STACKS_NONE; to++)
			any |= stacks_samples(s, to, event) > 0;
		if (!any)
			continue;
		fputs(before, out);
		before = ",\n";
		put_thread(out, s, event, from, to, step_ms);
	}
	return before;
}

static void put_meta(FILE *out, const struct view_input *in, uint64_t ns, double step_ms)
{
	uint64_t start_ns = in->utc_ns > ns ? in->utc_ns - ns : 0;
	fprintf(out,
		"\"meta\":{\"version\":%d,\"preprocessedProfileVersion\":%d,\"processType\":0,\"product\":\"cyctop\","
		"\"stackwalk\":1,\"interval\":%.6f,\"startTime\":%" PRIu64
		",\"symbolicated\":true,\"markerSchema\":[],\"usesOnlyOneStackType\":true,"
		"\"sourceCodeIsNotOnSearchfox\":true,\"categories\":["
		"{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]}]",
		GECKO_VERSION, FORMAT_VERSION, step_ms, start_ns / 1000000);
	json_put_member(out, "importedFrom", json_string("cyctop"));
	json_put_member(out, "platform", json_value(value_text(in->info->host)));
	fputc('}', out);
}

void firefox_write(FILE *out, const struct view_input *in, const struct pivot *pivot, const struct batch_config *config)
{
	struct stacks s;
	const char *before = "";
	uint64_t samples = 0, ns = in->snap->end_ns - in->snap->start_ns;
	stacks_init(&s, in, pivot, config);
	for (uint32_t i = 0; i < s.nodes_n; i++)
		samples += stacks_samples(&s, i, in->snap->primary);
	double step_ms = (double)ns / 1e6 / (double)(samples ? samples : 1);
	fputc('{', out);
	put_meta(out, in, ns, step_ms);
	fputs(",\"libs\":[],\"pages\":[]", out);
	put_shared(out, &s);
	fputs(",\"threads\":[", out);
	for (size_t e = 0; e < in->snap->events_n; e++)
		if (stacks_has(&s, e))
			before = put_process(out, &s, e, step_ms, before);
	fputs("]}\n", out);
	stacks_deinit(&s);
}
