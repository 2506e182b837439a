/* Fuzzes the reader of files of counted calls.  What it accepts is printed in every format, and read once more. */
#include <cyctop/front.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print(const struct calls_table *t, void (*write)(FILE *out, const struct calls_output *o), char **ret,
		  size_t *n_ret)
{
	const struct calls_line **lines = calloc(t->n + 1, sizeof(*lines));
	FILE *out = open_memstream(ret, n_ret);
	if (!lines || !out)
		abort();
	for (size_t i = 0; i < t->n; i++)
		lines[i] = &t->lines[i];
	const struct calls_output o = {.lines = lines,
				       .n = t->n,
				       .events = t->events,
				       .events_n = t->events_n,
				       .self_ns = t->self_ns,
				       .pairs = t->pairs,
				       .pairs_n = t->pairs_n,
				       .notes = &t->notes,
				       .bucket_ns = t->bucket_ns};
	write(out, &o);
	if (fclose(out) != 0)
		abort();
	free(lines);
}

static void (*const people[])(FILE *out, const struct calls_output *o) = {calls_dot, calls_tree, calls_callers,
									  calls_histogram};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct calls_table t, again;
	struct error err;
	char *text;
	size_t n;
	if (calls_read("fuzz", (const char *)data, size, &t, &err) < 0)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(people); i++) {
		print(&t, people[i], &text, &n);
		free(text);
	}
	for (size_t i = 0; i < batch_formats_n; i++) {
		if (!batch_formats[i].calls || batch_formats[i].why)
			continue;
		print(&t, batch_formats[i].calls, &text, &n);
		if (calls_is(text, n)) {
			if (calls_read("again", text, n, &again, &err) < 0 || again.n != t.n ||
			    again.pairs_n != t.pairs_n)
				abort();
			calls_table_deinit(&again);
		}
		free(text);
	}
	calls_table_deinit(&t);
	return 0;
}
