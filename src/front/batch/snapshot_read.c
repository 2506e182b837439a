/* Reads snapshot files, which are untrusted: each number is checked before it is used, and an error gives the line and
 * the reason. */
#include "front/batch/snapshot.h"

#include "base/limits.h"

#include <errno.h>

bool snapshot_is(const char *bytes, size_t n)
{
	return n && bytes[0] == '{';
}

#if HAVE_JANSSON

#include "base/alloc.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	const char *name;
	const char *at, *end;
	size_t line; /* number of the current line, from 1 on */
	struct error *err;
	int rc;
	struct diff_about *about;
	struct diff_builds *builds;
	struct diff_shape shape;
	enum dimension_id dims[DIM_COUNT];
	double *seconds;
	struct pmu_sibling siblings[EVENTS_MAX];
	struct row_sums sums;
	uint64_t rows, others, weights;
	struct diff_table *table;
	double *series; /* [intervals_n]: the weights of the current sum, by interval */
};

/* Sets the error, unless one is set already.  Always returns false. */
static bool bad(struct reader *r, const char *fmt, ...) CYC_PRINTF(2, 3);
static bool bad(struct reader *r, const char *fmt, ...)
{
	char what[200];
	va_list args;
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	if (r->rc == 0)
		r->rc = error_set(r->err, EINVAL, "%.150s: line %zu of the snapshot: %s", r->name, r->line, what);
	return false;
}

static bool too_much(struct reader *r, enum limit which)
{
	if (r->rc == 0)
		r->rc = error_set(r->err, EFBIG, "%.150s: %s", r->name, limit_row(which)->sentence);
	return false;
}

/* Reads the next line as a JSON object, which the caller frees.  Returns NULL, with the error set, if it is none. */
static json_t *next_line(struct reader *r)
{
	json_error_t why;
	const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
	size_t n = (size_t)((end ? end : r->end) - r->at);
	r->line++;
	if (n > LIMIT_SNAPSHOT_LINE) {
		too_much(r, REACHED_SNAPSHOT_LINE);
		return NULL;
	}
	json_t *object = json_loadb(r->at, n, JSON_REJECT_DUPLICATES, &why);
	r->at += n + (end ? 1 : 0);
	if (!object)
		bad(r, "it is not JSON: %.100s (column %d)", why.text, why.column);
	else if (!json_is_object(object))
		bad(r, "it is no object");
	if (r->rc < 0) {
		json_decref(object);
		return NULL;
	}
	return object;
}

/* ---- reading the members of a JSON object ----------------------------------------------------------------- */

/* The largest integer that jansson reads, which is enough for the nanoseconds of a clock. */
static const uint64_t whole_max = INT64_MAX;

static bool get_whole(struct reader *r, const json_t *v, const char *what, uint64_t max, uint64_t *ret)
{
	bool whole = json_is_integer(v) && json_integer_value(v) >= 0 && (uint64_t)json_integer_value(v) <= max;
	*ret = whole ? (uint64_t)json_integer_value(v) : 0;
	return whole || bad(r, "%s is not a whole number from 0 to %" PRIu64, what, max);
}

/* Reads a member that is a whole number, at most `max`.  If it is null and `may_be_null`, *ret stays as it is. */
static bool whole_of(struct reader *r, const json_t *o, const char *key, bool may_be_null, uint64_t max, uint64_t *ret)
{
	const json_t *v = json_object_get(o, key);
	return (may_be_null && json_is_null(v)) || get_whole(r, v, key, max, ret);
}

/* Reads a member that is a text.  If it is null and `may_be_null`, buf becomes "". */
static bool text_of(struct reader *r, const json_t *o, const char *key, bool may_be_null, char *buf, size_t cap)
{
	const json_t *v = json_object_get(o, key);
	buf[0] = '\0';
	if (may_be_null && json_is_null(v))
		return true;
	if (!json_is_string(v) || !*json_string_value(v))
		return bad(r, "%s is not a text", key);
	snprintf(buf, cap, "%s", json_string_value(v));
	return true;
}

/* Returns a member that is an array; NULL, with the error set: it is none, or has too few or many elements. */
static const json_t *array_of(struct reader *r, const json_t *o, const char *key, size_t least, size_t most)
{
	const json_t *v = json_object_get(o, key);
	if (json_is_array(v) && json_array_size(v) >= least && json_array_size(v) <= most)
		return v;
	bad(r, "%s is not an array of %zu to %zu elements", key, least, most);
	return NULL;
}

/* ---- reading the line that describes the side ----------------------------------------------------------- */

static bool read_modes(struct reader *r, const json_t *o, uint8_t *ret)
{
	const json_t *array = array_of(r, o, "excludes", 0, SNAPSHOT_MODES);
	for (size_t i = 0; array && i < json_array_size(array); i++) {
		const char *name = json_string_value(json_array_get(array, i));
		size_t bit = 0;
		while (bit < SNAPSHOT_MODES && (!name || strcmp(snapshot_modes[bit], name) != 0))
			bit++;
		if (bit == SNAPSHOT_MODES)
			return bad(r, "an event excludes something unknown");
		*ret |= (uint8_t)(1 << bit);
	}
	return array != NULL;
}

static enum event_role role_of(const char *name)
{
	for (enum event_role role = ROLE_OTHER + 1; role < ROLE_COUNT; role++)
		if (strcmp(role_info(role)->name, name) == 0)
			return role;
	return ROLE_OTHER; /* a role of a later version of cyctop */
}

static bool read_config(struct reader *r, const char *text, uint64_t *ret)
{
	char *end;
	errno = 0;
	*ret = strtoull(text, &end, 16);
	bool valid = strncmp(text, "0x", 2) == 0 && text[2] && !*end && !errno;
	return valid || bad(r, "the config of an event is not a hexadecimal number of 64 bits, 0x...");
}

static bool read_event(struct reader *r, const json_t *o, size_t e)
{
	struct diff_event *event = &r->about->events[e];
	char role[40] = "", config[32] = "";
	uint64_t type = 0, first = UINT64_MAX;
	if (!text_of(r, o, "name", false, event->name, sizeof(event->name)) ||
	    !text_of(r, o, "role", true, role, sizeof(role)) ||
	    !text_of(r, o, "config", false, config, sizeof(config)) || !read_config(r, config, &event->config) ||
	    !whole_of(r, o, "type", false, UINT32_MAX, &type) || !read_modes(r, o, &event->modes) ||
	    !whole_of(r, o, "sibling_of", true, e, &first))
		return false;
	if (!json_is_boolean(json_object_get(o, "weighed")))
		return bad(r, "weighed is neither true nor false");
	event->role = role_of(role);
	event->type = (uint32_t)type;
	event->weighed = json_is_true(json_object_get(o, "weighed"));
	r->siblings[e] = (struct pmu_sibling){.first = (uint32_t)e};
	if (first == UINT64_MAX)
		return true;
	if (first != e && (!r->siblings[first].pmu || r->siblings[first].first != first))
		return bad(r, "event %zu is the sibling of one that has none", e);
	r->siblings[e] = (struct pmu_sibling){.pmu = (uint32_t)first + 1, .first = (uint32_t)first};
	return true;
}

static bool read_events(struct reader *r, const json_t *head)
{
	const json_t *events = array_of(r, head, "events", 1, EVENTS_MAX);
	r->about->events_n = r->shape.events_n = events ? json_array_size(events) : 0;
	for (size_t e = 0; e < r->shape.events_n; e++)
		if (!read_event(r, json_array_get(events, e), e))
			return false;
	return events != NULL;
}

/* Reads which event each sum is of.  The first sums must be those of the events, in the events' order. */
static bool read_sums(struct reader *r, const json_t *head)
{
	const json_t *sums = array_of(r, head, "sums", r->shape.events_n, SUMS_MAX);
	r->sums.n = sums ? json_array_size(sums) : 0;
	for (size_t i = 0; i < r->sums.n; i++) {
		uint64_t event;
		if (!get_whole(r, json_array_get(sums, i), "an event of sums", r->shape.events_n - 1, &event))
			return false;
		if (i < r->shape.events_n && event != i)
			return bad(r, "sum %zu is not that of event %zu", i, i);
		r->sums.event[i] = (uint8_t)event;
	}
	return sums != NULL;
}

/* Reads an operand of a metric, which is the total of some sums.  *set gets the bits of these sums. */
static bool read_part(struct reader *r, const json_t *o, const char *key, const struct metric_parts *p, uint64_t *set)
{
	const json_t *part = array_of(r, o, key, 1, EVENTS_MAX);
	for (size_t i = 0; part && i < json_array_size(part); i++) {
		uint64_t sum;
		if (!get_whole(r, json_array_get(part, i), "a sum of a metric", r->sums.n - 1, &sum))
			return false;
		for (size_t k = 0; k < r->sums.n; k++)
			if (parts_all(p) >> k & 1 && r->sums.event[k] == r->sums.event[sum])
				return bad(r, "a metric has an event twice");
		*set |= UINT64_C(1) << sum;
	}
	return part != NULL;
}

/* Reads the metrics; skips unknown ones, which a later version may have written. */
static bool read_metrics(struct reader *r, const json_t *head)
{
	const json_t *object = json_object_get(head, "metrics");
	if (!json_is_object(object))
		return bad(r, "metrics is no object");
	r->sums.metrics = &metrics_builtin;
	for (size_t m = 0; m < metrics_builtin.n; m++) {
		const json_t *of = json_object_get(object, metrics_builtin.v[m].id);
		struct metric_parts *p = &r->sums.parts[m];
		if (!of)
			continue;
		if (!read_part(r, of, "numerator", p, &p->sets[0]) || !read_part(r, of, "denominator", p, &p->sets[1]))
			return false;
		p->valid = true;
		p->scales[0] = p->scales[1] = 1;
	}
	return true;
}

static bool get_number(struct reader *r, const json_t *v, const char *what, double max, double *ret)
{
	double d = json_is_number(v) ? json_number_value(v) : NAN;
	if (!(d > 0 && d <= max))
		return bad(r, "%s is not a number above 0 and up to %g", what, max);
	*ret = d;
	return true;
}

static bool read_seconds(struct reader *r, const json_t *head)
{
	static const double seconds_max = 1e9;
	const json_t *seconds = json_object_get(head, "seconds");
	if (!json_is_array(seconds) || !json_array_size(seconds))
		return bad(r, "seconds is not an array of the lengths of intervals");
	if (json_array_size(seconds) > LIMIT_SNAPSHOT_INTERVALS)
		return too_much(r, REACHED_SNAPSHOT_INTERVALS);
	r->about->intervals = r->shape.intervals_n = json_array_size(seconds);
	r->seconds = mem_calloc(r->shape.intervals_n, sizeof(*r->seconds));
	r->series = mem_calloc(r->shape.intervals_n, sizeof(*r->series));
	for (size_t i = 0; i < r->shape.intervals_n; i++)
		if (!get_number(r, json_array_get(seconds, i), "the length of an interval", seconds_max,
				&r->seconds[i]))
			return false;
	return true;
}

static bool read_keys(struct reader *r, const json_t *head)
{
	const json_t *keys = array_of(r, head, "keys", 1, DIM_COUNT - 1);
	r->shape.dims_n = keys ? json_array_size(keys) : 0;
	for (size_t i = 0; i < r->shape.dims_n; i++) {
		const char *name = json_string_value(json_array_get(keys, i));
		r->dims[i] = name ? dimension_find(name) : DIM_NONE;
		if (r->dims[i] == DIM_NONE)
			return bad(r, "key %zu is none that rows can have", i);
		for (size_t k = 0; k < i; k++)
			if (r->dims[k] == r->dims[i])
				return bad(r, "the key %s is there twice", name);
	}
	return keys != NULL;
}

static bool read_machine(struct reader *r, const json_t *head)
{
	struct diff_about *a = r->about;
	uint64_t cpus = 0;
	bool ok = text_of(r, head, "host", true, a->host, sizeof(a->host)) &&
		  text_of(r, head, "kernel", true, a->kernel, sizeof(a->kernel)) &&
		  text_of(r, head, "cpu", true, a->cpu, sizeof(a->cpu)) &&
		  text_of(r, head, "only", true, a->only, sizeof(a->only)) &&
		  whole_of(r, head, "cpus", true, UINT32_MAX, &cpus) &&
		  whole_of(r, head, "utc_ns", true, whole_max, &a->utc_ns) &&
		  whole_of(r, head, "start_ns", false, whole_max, &a->start_ns) &&
		  whole_of(r, head, "end_ns", false, whole_max, &a->end_ns) &&
		  whole_of(r, head, "samples", false, whole_max, &a->samples) &&
		  whole_of(r, head, "lost", false, whole_max, &a->lost) &&
		  whole_of(r, head, "merged_rows", false, LIMIT_SNAPSHOT_CELLS, &r->others) &&
		  whole_of(r, head, "rows", false, LIMIT_SNAPSHOT_CELLS, &r->rows);
	if (ok && a->end_ns < a->start_ns)
		return bad(r, "end_ns is before start_ns");
	a->cpus = (unsigned)cpus;
	return ok;
}

/* Reads pairs of hexadecimal digits as bytes.  Returns false if the text is something else, or too long. */
static bool read_hex(const char *text, uint8_t *buf, size_t cap, size_t *n_ret)
{
	static const char digits[] = "0123456789abcdef";
	size_t n = strlen(text);
	if (n % 2 || n > 2 * cap || strspn(text, digits) != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		uint8_t digit = (uint8_t)(strchr(digits, text[i]) - digits);
		buf[i / 2] = (uint8_t)(i % 2 ? buf[i / 2] << 4 | digit : digit);
	}
	*n_ret = n / 2;
	return true;
}

static bool read_file(struct reader *r, const json_t *o)
{
	uint8_t id[sizeof(((struct diff_build *)NULL)->build_id)];
	char path[4096] = "", hex[2 * sizeof(id) + 2] = "";
	size_t n = 0;
	if (!text_of(r, o, "path", false, path, sizeof(path)) || !text_of(r, o, "build_id", true, hex, sizeof(hex)))
		return false;
	if (!read_hex(hex, id, sizeof(id), &n))
		return bad(r, "the build_id of %.60s is not of up to %zu bytes in hexadecimal", path, sizeof(id));
	diff_builds_add(r->builds, path, id, n);
	return true;
}

/* Reads the list of files with their build-ids, which older snapshots do not have. */
static bool read_files(struct reader *r, const json_t *head)
{
	if (!json_object_get(head, "files"))
		return true;
	if (json_array_size(json_object_get(head, "files")) > LIMIT_SNAPSHOT_FILES)
		return too_much(r, REACHED_SNAPSHOT_FILES);
	const json_t *files = array_of(r, head, "files", 0, LIMIT_SNAPSHOT_FILES);
	for (size_t i = 0; files && i < json_array_size(files); i++)
		if (!read_file(r, json_array_get(files, i)))
			return false;
	return files != NULL;
}

static bool read_head(struct reader *r)
{
	static const char schema[] = SNAPSHOT_SCHEMA;
	json_t *head = next_line(r);
	const char *is = json_string_value(json_object_get(head, "schema"));
	bool ok = head != NULL;
	if (ok && !is)
		ok = bad(r, "it has no schema: this is no snapshot");
	else if (ok && strcmp(is, schema) != 0)
		ok = bad(r, "its schema is '%.60s', not %s%s", is, schema,
			 strncmp(is, schema, sizeof(schema) - 2) == 0 ? ": a later cyctop wrote it" : "");
	ok = ok && read_machine(r, head) && read_files(r, head) && read_events(r, head) && read_sums(r, head) &&
	     read_metrics(r, head) && read_seconds(r, head) && read_keys(r, head);
	json_decref(head);
	if (ok && r->rows * r->sums.n > LIMIT_SNAPSHOT_CELLS)
		return too_much(r, REACHED_SNAPSHOT_CELLS);
	return ok;
}

/* ---- reading a line for each row -------------------------------------------------------------------------- */

static bool read_name(struct reader *r, const json_t *row, enum dimension_id dim, struct key_value *ret)
{
	const json_t *v = json_object_get(row, dimensions[dim].id);
	*ret = (struct key_value){.kind = KEY_UNKNOWN};
	if (json_is_string(v)) {
		*ret = (struct key_value){.kind = KEY_TEXT, .text = json_string_value(v)};
		return true;
	}
	if (json_is_null(v))
		return true;
	ret->kind = KEY_NUMBER;
	return get_whole(r, v, dimensions[dim].id, whole_max, &ret->number);
}

/* Fills r->series from the array [interval, weight, interval, weight, ...].  Other intervals get 0. */
static bool read_weights(struct reader *r, const json_t *points)
{
	static const double weight_max = 1e30;
	size_t n = json_array_size(points);
	memset(r->series, 0, r->shape.intervals_n * sizeof(*r->series));
	if (!json_is_array(points) || n % 2)
		return bad(r, "weights are not pairs of interval and weight");
	r->weights += n / 2;
	if (r->weights > LIMIT_SNAPSHOT_CELLS)
		return too_much(r, REACHED_SNAPSHOT_CELLS);
	for (size_t i = 0; i < n; i += 2) {
		uint64_t at;
		double weight = 0;
		if (!get_whole(r, json_array_get(points, i), "the interval of a weight", r->shape.intervals_n - 1,
			       &at) ||
		    !get_number(r, json_array_get(points, i + 1), "a weight", weight_max, &weight))
			return false;
		if (r->series[at] > 0)
			return bad(r, "a sum has two weights of interval %" PRIu64, at);
		r->series[at] = weight;
	}
	return true;
}

static bool read_row(struct reader *r, const json_t *row)
{
	struct key_value names[DIM_COUNT];
	for (size_t i = 0; i < r->shape.dims_n; i++)
		if (!read_name(r, row, r->dims[i], &names[i]))
			return false;
	const json_t *samples = array_of(r, row, "samples", r->sums.n, r->sums.n);
	const json_t *weights = array_of(r, row, "weights", r->sums.n, r->sums.n);
	if (!samples || !weights)
		return false;
	uint32_t at = diff_table_row(r->table, names); /* an existing row, if cleaning made names equal */
	for (size_t sum = 0; sum < r->sums.n; sum++) {
		uint64_t n = 0;
		if (!get_whole(r, json_array_get(samples, sum), "samples", whole_max, &n) ||
		    !read_weights(r, json_array_get(weights, sum)))
			return false;
		diff_table_add(r->table, at, sum, n, r->series);
	}
	return true;
}

static bool read_rows(struct reader *r)
{
	r->shape.dims = r->dims;
	r->shape.seconds = r->seconds;
	r->shape.siblings = r->siblings;
	r->shape.sums = &r->sums;
	r->table = diff_table_empty(&r->shape);
	diff_table_set_others(r->table, r->others);
	for (uint64_t i = 0; i < r->rows; i++) {
		if (r->at == r->end)
			return bad(r, "it is cut off: %" PRIu64 " of its %" PRIu64 " rows follow", i, r->rows);
		json_t *row = next_line(r);
		bool ok = row && read_row(r, row);
		json_decref(row);
		if (!ok)
			return false;
	}
	r->line++;
	return r->at == r->end || bad(r, "there is more than its %" PRIu64 " rows", r->rows);
}

int snapshot_read(const char *name, const char *bytes, size_t n, struct diff_about *about_ret,
		  struct diff_builds *builds_ret, struct diff_table **ret, struct error *err)
{
	struct reader r = {
		.name = name, .at = bytes, .end = bytes + n, .err = err, .about = about_ret, .builds = builds_ret};
	*about_ret = (struct diff_about){.file = name};
	*builds_ret = (struct diff_builds){.v = NULL};
	if (n > LIMIT_SNAPSHOT_BYTES)
		too_much(&r, REACHED_SNAPSHOT_BYTES);
	else if (read_head(&r) && read_rows(&r))
		for (size_t e = 0; e < about_ret->events_n; e++)
			about_ret->events[e].samples = diff_table_samples(r.table, e, &about_ret->events[e].intervals);
	about_ret->others = r.table ? diff_table_others(r.table) : 0;
	free(r.seconds);
	free(r.series);
	if (r.rc < 0) {
		diff_builds_deinit(builds_ret);
		diff_table_destroy(r.table);
		return r.rc;
	}
	*ret = r.table;
	return 0;
}

#else

int snapshot_read(const char *name, const char *bytes, size_t n, struct diff_about *about_ret,
		  struct diff_builds *builds_ret, struct diff_table **ret, struct error *err)
{
	(void)about_ret, (void)builds_ret, (void)ret, (void)bytes;
	if (n > LIMIT_SNAPSHOT_BYTES)
		return error_set(err, EFBIG, "%.150s: %s", name, limit_row(REACHED_SNAPSHOT_BYTES)->sentence);
	return error_set(err, ENOSYS, "%.150s is a snapshot: %s", name, json_missing);
}

#endif
