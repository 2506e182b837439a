/* Fuzzes the reader of snapshots.  What it accepts is compared with itself, and written and read once more. */
#include <cyctop/front.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compare(const struct diff_table *t)
{
	enum { SMALL = 1 << 16 };
	struct diff_shape shape = diff_table_shape(t);
	const struct diff_grouping by = {.dims = shape.dims, .dims_n = 1};
	const struct diff_config config = {.fdr = 0.05, .min_change = 0.01};
	if (diff_table_rows(t) * shape.intervals_n > SMALL)
		return;
	struct diff_table *grouped = diff_table_group(t, &by);
	diff_destroy(diff_create(grouped, grouped, &config));
	diff_table_destroy(grouped);
}

static void write_again(const struct diff_about *about, const struct diff_builds *builds, const struct diff_table *t)
{
	struct diff_about about_again;
	struct diff_builds builds_again;
	struct diff_table *again = NULL;
	struct error err;
	char *bytes = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&bytes, &n);
	if (!out || snapshot_write(out, about, builds, t, &err) < 0 || fclose(out) != 0)
		abort();
	if (snapshot_read("again", bytes, n, &about_again, &builds_again, &again, &err) < 0 ||
	    builds_again.n != builds->n || diff_table_rows(again) > diff_table_rows(t))
		abort();
	diff_builds_deinit(&builds_again);
	diff_table_destroy(again);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diff_about about;
	struct diff_builds builds;
	struct diff_table *t = NULL;
	struct error err;
	if (snapshot_read("fuzz", (const char *)data, size, &about, &builds, &t, &err) < 0)
		return 0;
	compare(t);
	write_again(&about, &builds, t);
	diff_builds_deinit(&builds);
	diff_table_destroy(t);
	return 0;
}
