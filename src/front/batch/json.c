/* Writes JSON Lines, schema cyctop/1.  A refresh may have 10^5 rows, and as one jansson tree they would take a hundred
 * megabytes.  So a tree holds one row only.  The objects around the rows are written by hand, in the documented order;
 * jansson writes each of their values. */
#include "front/batch/json.h"

#include <string.h>

/* Flags for writing numbers with 15 digits: any decimal number of 15 digits survives the conversion to double, so 0.1
 * is printed as 0.1. */
#define DUMP_FLAGS (JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))

static json_t *json_clean(const char *s)
{
	struct strbuf b = {0};
	clean_add(&b, s, CLEAN_ESCAPED);
	json_t *string = json_string(b.n ? b.data : "");
	strbuf_deinit(&b);
	return string;
}

json_t *json_value(struct value v)
{
	char address[ADDRESS_CHARS];
	switch (v.kind) {
	case VALUE_NULL:
		break;
	case VALUE_BOOL:
		return json_boolean(v.i);
	case VALUE_INT:
		return json_integer(v.i);
	case VALUE_REAL:
		return json_real(v.d);
	case VALUE_ADDRESS:
		return json_string(address_text(v, address));
	case VALUE_TEXT:
		return json_clean(v.s);
	}
	return json_null();
}

void json_set(json_t *object, const char *key, struct value v)
{
	json_object_set_new(object, key, json_value(v));
}

void json_set_named(json_t *object, const char *name, json_t *value)
{
	struct strbuf key = {0};
	clean_add(&key, name, CLEAN_ESCAPED);
	json_object_set_new(object, key.n ? key.data : "", value);
	strbuf_deinit(&key);
}

void json_put(FILE *out, json_t *value)
{
	json_dumpf(value, out, DUMP_FLAGS);
	json_decref(value);
}

static json_t *row_event(const struct view_input *in, const struct row *row, size_t e)
{
	json_t *event = json_object();
	json_set(event, "samples", row_samples(in, row, e));
	json_set(event, "weight", row_weight(in, row, e));
	json_set(event, "error", row_error(in, row, e));
	return event;
}

static json_t *row_events(const struct batch_rows *rows, const struct view_input *in, const struct row *row)
{
	json_t *events = json_object();
	const struct row *total = row_total(rows, row);
	for (size_t e = 0; e < in->snap->events_n; e++) {
		json_t *event = row_event(in, row, e);
		if (total)
			json_object_set_new(event, "total", row_event(in, total, e));
		json_set_named(events, in->info->events[e].spec.name, event);
	}
	return events;
}

static json_t *row_counts(const struct batch_rows *rows, const struct view_input *in, const struct row *row)
{
	json_t *counts = json_object();
	for (size_t e = 0; e < in->snap->events_n; e++)
		json_set_named(counts, in->info->events[e].spec.name, json_value(row_count(rows, row, e)));
	return counts;
}

static json_t *ratio_object(struct ratio r)
{
	json_t *object = r.valid ? json_object() : json_null();
	if (r.valid) {
		json_set(object, "value", value_number(r.value));
		json_set(object, "error", value_number(r.error));
	}
	return object;
}

/* Makes an object of all metrics.  Metrics that are not known are null, so that readers always find the same keys. */
static json_t *row_metrics(const struct batch_rows *rows, const struct row *row)
{
	json_t *object = json_object();
	const struct metric_set *set = metrics_of(&rows->in);
	for (size_t m = 0; m < set->n; m++) {
		struct ratio r = batch_metric(rows, m, row);
		json_object_set_new(object, set->v[m].id, ratio_object(r));
		if (row_total(rows, row))
			json_object_set_new(object, set->v[m].total_id, ratio_object(batch_total_metric(rows, m, row)));
	}
	return object;
}

static json_t *row_object(const struct batch_rows *rows, const struct view_input *in, const struct row *row)
{
	json_t *object = json_object();
	for (size_t i = 0; i < rows->fields.n; i++)
		json_set(object, rows->fields.v[i].id, batch_field(rows, i, row));
	json_object_set_new(object, "events", row_events(rows, in, row));
	if (batch_has_counts(rows->pivot))
		json_object_set_new(object, "counts", row_counts(rows, in, row));
	json_object_set_new(object, "metrics", row_metrics(rows, row));
	return object;
}

static void put_rows(FILE *out, const struct pivot *pivot, const struct view_input *in,
		     const struct batch_config *config)
{
	struct batch_rows rows;
	batch_rows_init(&rows, pivot, in, config);
	for (size_t i = 0; i < rows.n; i++)
		json_put_element(out, i, row_object(&rows, in, rows.sheet->rows[i]));
	batch_rows_deinit(&rows);
}

static json_t *event_object(const struct view_input *in, size_t e)
{
	const struct event_total *total = &in->snap->events[e];
	const struct value null = {.kind = VALUE_NULL};
	bool open = total->state != COUNT_ABSENT;
	bool counted = total->state == COUNT_OK;
	const struct event_spec *spec = &in->info->events[e].spec;
	json_t *event = json_object();
	json_set(event, "name", value_text(spec->name));
	json_set(event, "unit", *spec->unit ? value_text(spec->unit) : null);
	json_set(event, "samples", open && !spec->counted ? value_int(total->samples) : null);
	json_set(event, "weight", counted && !spec->counted ? value_number(total->weight) : null);
	json_set(event, "count", counted ? value_number(total->count) : null);
	json_set(event, "running", open && !total->untimed ? value_number(total->running) : null);
	json_set(event, "explained", total->explained.valid ? value_number(total->explained.value) : null);
	json_set(event, "explained_error", total->explained.valid ? value_number(total->explained.error) : null);
	json_set(event, "throttled", open ? value_number(total->throttled) : null);
	return event;
}

struct value text_or_null(const char *s)
{
	return value_text(*s ? s : NULL);
}

static double most_throttled(const struct snapshot *s)
{
	return s->trust.throttled < s->events_n ? s->events[s->trust.throttled].throttled : 0;
}

static json_t *trust_object(const struct view_input *in)
{
	static const char *const scopes[] = {
		[SCOPE_SYSTEM] = "system", [SCOPE_SYSTEM_USER] = "system-user",
		[SCOPE_TASKS] = "tasks",   [SCOPE_TASKS_USER] = "tasks-user",
		[SCOPE_OWN] = "own",	   [SCOPE_OWN_USER] = "own-user",
		[SCOPE_PROC] = "proc",
	};
	const struct trust *t = &in->snap->trust;
	json_t *trust = json_object();
	json_set(trust, "scope",
		 value_text((size_t)in->info->scope < ARRAY_LEN(scopes) ? scopes[in->info->scope] : NULL));
	json_set(trust, "target", text_or_null(in->info->target));
	json_set(trust, "pmu", text_or_null(in->info->pmu));
	json_set(trust, "notice", text_or_null(in->info->notice));
	json_set(trust, "explained", t->explained_valid ? value_number(t->explained) : value_text(NULL));
	json_set(trust, "running", t->mux_unknown ? value_text(NULL) : value_number(t->running));
	json_set(trust, "samples", value_int(t->samples));
	json_set(trust, "lost", value_int(t->lost));
	json_set(trust, "lost_share", value_number(t->lost_share));
	json_set(trust, "throttles", value_int(t->throttles));
	json_set(trust, "throttled", value_number(most_throttled(in->snap)));
	json_set(trust, "malformed", value_int(t->malformed));
	json_set(trust, "unresolved", value_number(t->unresolved));
	json_set(trust, "grouped", value_number(t->grouped));
	json_set(trust, "unnamed", value_number(t->unresolved + t->grouped));
	json_set(trust, "pending", value_number(t->pending));
	json_set(trust, "chains_whole", t->chained ? value_number(t->whole) : value_text(NULL));
	json_set(trust, "self", value_number(t->self));
	return trust;
}

void json_put_member(FILE *out, const char *name, json_t *value)
{
	fprintf(out, ",\"%s\":", name);
	json_put(out, value);
}

void json_put_element(FILE *out, size_t i, json_t *value)
{
	fputs(i ? "," : "", out);
	json_put(out, value);
}

json_t *json_keys(const enum dimension_id *dims, size_t n, const struct field_names *fields)
{
	json_t *keys = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(keys, json_string(dimension_word(fields, dims[i], dimensions[dims[i]].id)));
	return keys;
}

static void put_table(FILE *out, const char *name, const struct pivot *pivot, const struct view_input *in,
		      const struct batch_config *config)
{
	fprintf(out, ",\"%s\":[", name);
	if (pivot)
		put_rows(out, pivot, in, config);
	fputc(']', out);
}

static const char *table_name(const struct pivot *pivot)
{
	return dimensions[pivot->query.dims[0]].table;
}

/* Writes the three default tables even if they are empty, so that readers always find their keys; then all others. */
static void put_tables(FILE *out, const struct view_input *in, const struct batch_config *config)
{
	static const char *const usual[] = {"symbols", "tasks", "cpus"};
	bool done[DIM_COUNT] = {false};
	for (size_t u = 0; u < ARRAY_LEN(usual); u++) {
		const struct pivot *pivot = NULL;
		for (size_t i = 0; i < config->tables; i++)
			if (strcmp(table_name(&in->snap->pivots[i]), usual[u]) == 0) {
				pivot = &in->snap->pivots[i];
				done[i] = true;
			}
		put_table(out, usual[u], pivot, in, config);
	}
	for (size_t i = 0; i < config->tables; i++)
		if (!done[i])
			put_table(out, table_name(&in->snap->pivots[i]), &in->snap->pivots[i], in, config);
}

static void put_report(FILE *out, const struct pivot *pivot, const struct view_input *in,
		       const struct batch_config *config)
{
	json_put_member(out, "keys", json_keys(pivot->query.dims, pivot->query.dims_n, in->names->fields));
	put_table(out, "rows", pivot, in, config);
}

void json_refresh(FILE *out, const struct view_input *in, const struct batch_config *config)
{
	char utc[UTC_CHARS];
	fputs("{\"schema\":\"cyctop/1\"", out);
	json_put_member(out, "start_ns", json_value(value_int(in->snap->start_ns)));
	json_put_member(out, "end_ns", json_value(value_int(in->snap->end_ns)));
	json_put_member(out, "time", json_value(value_utc(in, utc)));
	json_put_member(out, "host", json_value(text_or_null(in->info->host)));
	json_put_member(out, "source", json_value(value_text(in->info->kind)));
	json_put_member(out, "only", json_value(text_or_null(in->only ? in->only : "")));
	json_put_member(out, "filter", json_value(value_text(config->filter)));
	json_put_member(out, "trust", trust_object(in));
	json_t *events = json_array();
	for (size_t e = 0; e < in->snap->events_n; e++)
		json_array_append_new(events, event_object(in, e));
	json_put_member(out, "events", events);
	if (config->tables && in->snap->pivots[0].query.by_name)
		put_report(out, &in->snap->pivots[0], in, config);
	else
		put_tables(out, in, config);
	fputs("}\n", out);
}
