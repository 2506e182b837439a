/* Writes a side of a comparison as a snapshot, schema cyctop-snapshot/1.  It is JSON Lines, a line that describes the
 * side, then a line per row, so that neither writer nor reader needs a tree of all of it. */
#include "front/batch/snapshot.h"

#include <errno.h>

const char *const snapshot_modes[SNAPSHOT_MODES] = {"user", "kernel", "hypervisor", "idle", "host", "guest"};

#if HAVE_JANSSON

#include "base/alloc.h"
#include "base/fmt.h"
#include "base/limits.h"

#include <inttypes.h>
#include <stdlib.h>

/* Flags for writing numbers with 17 digits, so that each double is read back unchanged. */
enum { DUMP_FLAGS = JSON_COMPACT | JSON_REAL_PRECISION(17) };

static void put_line(FILE *out, json_t *object)
{
	json_dumpf(object, out, DUMP_FLAGS);
	json_decref(object);
	fputc('\n', out);
}

static void append(json_t *array, struct value v)
{
	json_array_append_new(array, json_value(v));
}

/* ---- writing the line that describes the side ---------------------------------------------------------- */

static json_t *modes_array(uint8_t modes)
{
	json_t *array = json_array();
	for (size_t i = 0; i < SNAPSHOT_MODES; i++)
		if (modes >> i & 1)
			append(array, value_text(snapshot_modes[i]));
	return array;
}

static json_t *events_array(const struct diff_about *about, const struct diff_shape *shape)
{
	json_t *events = json_array();
	for (size_t e = 0; e < about->events_n; e++) {
		const struct diff_event *of = &about->events[e];
		const struct pmu_sibling *sibling = &shape->siblings[e];
		char config[24];
		json_t *event = json_object();
		/* text, because many JSON readers round 64-bit numbers */
		snprintf(config, sizeof(config), "0x%" PRIx64, of->config);
		json_set(event, "name", value_text(of->name));
		json_set(event, "role", value_text(role_has_name(of->role) ? role_info(of->role)->name : NULL));
		json_set(event, "type", value_int(of->type));
		json_set(event, "config", value_text(config));
		json_object_set_new(event, "excludes", modes_array(of->modes));
		json_set(event, "weighed", value_bool(of->weighed));
		json_set(event, "sibling_of", sibling->pmu ? value_int(sibling->first) : value_text(NULL));
		json_set(event, "samples", value_int(of->samples));
		json_array_append_new(events, event);
	}
	return events;
}

static json_t *sums_array(const struct diff_shape *shape)
{
	json_t *sums = json_array();
	for (size_t i = 0; i < shape->sums->n; i++)
		append(sums, value_int(shape->sums->event[i]));
	return sums;
}

static json_t *part_array(const struct diff_shape *shape, uint64_t set)
{
	json_t *part = json_array();
	for (size_t i = 0; i < shape->sums->n; i++)
		if (set >> i & 1)
			append(part, value_int(i));
	return part;
}

static json_t *metrics_object(const struct diff_shape *shape)
{
	json_t *object = json_object();
	for (size_t m = 0; m < metrics_builtin.n; m++) {
		const struct metric_parts *p = &shape->sums->parts[m];
		if (!p->valid)
			continue;
		json_t *parts = json_object();
		json_object_set_new(parts, "numerator", part_array(shape, p->sets[0]));
		json_object_set_new(parts, "denominator", part_array(shape, p->sets[1]));
		json_object_set_new(object, metrics_builtin.v[m].id, parts);
	}
	return object;
}

/* Returns an array of files with their build-ids.  It is empty if there are too many files: in a shortened array, one
 * of two files with the same name would look like the only one. */
static json_t *files_array(const struct diff_builds *builds)
{
	json_t *files = json_array();
	for (size_t i = 0; builds->n <= LIMIT_SNAPSHOT_FILES && i < builds->n; i++) {
		const struct diff_build *b = &builds->v[i];
		char hex[2 * sizeof(b->build_id) + 1] = "";
		json_t *file = json_object();
		for (size_t k = 0; k < b->build_id_size; k++)
			snprintf(hex + 2 * k, 3, "%02x", b->build_id[k]);
		json_set(file, "path", value_text(b->path));
		json_set(file, "build_id", text_or_null(hex));
		json_array_append_new(files, file);
	}
	return files;
}

static json_t *head_object(const struct diff_about *a, const struct diff_builds *builds, const struct diff_table *t)
{
	struct diff_shape shape = diff_table_shape(t);
	char utc[UTC_CHARS] = "";
	json_t *head = json_object(), *seconds = json_array();
	if (a->utc_ns)
		fmt_utc(utc, sizeof(utc), a->utc_ns);
	json_set(head, "schema", value_text(SNAPSHOT_SCHEMA));
	json_set(head, "time", text_or_null(utc));
	json_set(head, "utc_ns", a->utc_ns ? value_int(a->utc_ns) : value_text(NULL));
	json_set(head, "start_ns", value_int(a->start_ns));
	json_set(head, "end_ns", value_int(a->end_ns));
	json_set(head, "host", text_or_null(a->host));
	json_set(head, "kernel", text_or_null(a->kernel));
	json_set(head, "cpu", text_or_null(a->cpu));
	json_set(head, "cpus", a->cpus ? value_int(a->cpus) : value_text(NULL));
	json_set(head, "only", text_or_null(a->only));
	json_set(head, "samples", value_int(a->samples));
	json_set(head, "lost", value_int(a->lost));
	json_set(head, "merged_rows", value_int(diff_table_others(t)));
	json_object_set_new(head, "files", files_array(builds));
	json_object_set_new(head, "events", events_array(a, &shape));
	json_object_set_new(head, "sums", sums_array(&shape));
	json_object_set_new(head, "metrics", metrics_object(&shape));
	for (size_t i = 0; i < shape.intervals_n; i++)
		append(seconds, value_number(shape.seconds[i]));
	json_object_set_new(head, "seconds", seconds);
	json_object_set_new(head, "keys", json_keys(shape.dims, shape.dims_n, NULL));
	json_set(head, "rows", value_int(diff_table_rows(t)));
	return head;
}

/* ---- writing a line for each row ------------------------------------------------------------------------ */

static json_t *row_object(const struct diff_table *t, const struct diff_shape *shape, uint32_t row, double *series)
{
	struct key_value names[DIM_COUNT];
	json_t *object = json_object(), *samples = json_array(), *weights = json_array();
	diff_table_names(t, row, names);
	for (size_t i = 0; i < shape->dims_n; i++)
		json_set(object, dimensions[shape->dims[i]].id, diff_name(&names[i]));
	for (size_t sum = 0; sum < shape->sums->n; sum++) {
		json_t *points = json_array();
		for (size_t k = 0; k < shape->intervals_n; k++)
			series[k] = 0;
		append(samples, value_int(diff_table_sum(t, row, sum, series)));
		for (size_t k = 0; k < shape->intervals_n; k++) {
			if (!(series[k] > 0))
				continue;
			append(points, value_int(k));
			append(points, value_number(series[k]));
		}
		json_array_append_new(weights, points);
	}
	json_object_set_new(object, "samples", samples);
	json_object_set_new(object, "weights", weights);
	return object;
}

int snapshot_write(FILE *out, const struct diff_about *about, const struct diff_builds *builds,
		   const struct diff_table *t, struct error *err)
{
	struct diff_shape shape = diff_table_shape(t);
	(void)err;
	double *series = mem_calloc(shape.intervals_n + 1, sizeof(*series));
	put_line(out, head_object(about, builds, t));
	for (uint32_t row = 0; row < diff_table_rows(t); row++)
		put_line(out, row_object(t, &shape, row, series));
	free(series);
	return 0;
}

#else

int snapshot_write(FILE *out, const struct diff_about *about, const struct diff_builds *builds,
		   const struct diff_table *t, struct error *err)
{
	(void)out, (void)about, (void)builds, (void)t;
	return error_set(err, ENOSYS, "%s", json_missing);
}

#endif
