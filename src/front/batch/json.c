/* JSON Lines, schema cyctop/1.
 *
 * A refresh may have 10^5 rows, whose tree would be a hundred megabytes: only
 * one row is a jansson tree at a time.  The frame around the rows is written by
 * hand, in the documented order; every value in it by jansson. */
#include "front/batch/batch.h"

#if HAVE_JANSSON

#include <jansson.h>

/* 15 digits: what a double holds of any decimal, so that 0.1 is printed as 0.1. */
#define DUMP_FLAGS (JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))

static json_t *json_clean(const char *s)
{
	struct strbuf b = {0};
	clean_add(&b, s, CLEAN_UTF8);
	json_t *string = json_string(b.data);
	strbuf_deinit(&b);
	return string;
}

static json_t *json_value(struct value v)
{
	switch (v.kind) {
	case VALUE_NULL:
		break;
	case VALUE_BOOL:
		return json_boolean(v.i);
	case VALUE_INT:
		return json_integer(v.i);
	case VALUE_REAL:
		return json_real(v.d);
	case VALUE_TEXT:
		return json_clean(v.s);
	}
	return json_null();
}

static void set(json_t *object, const char *key, struct value v)
{
	json_object_set_new(object, key, json_value(v));
}

/* Event names become keys: they are cleaned like any other string. */
static void set_event(json_t *object, const struct view_input *in, size_t event, json_t *value)
{
	struct strbuf key = {0};
	clean_add(&key, in->info->events[event].spec.name, CLEAN_UTF8);
	json_object_set_new(object, key.data, value);
	strbuf_deinit(&key);
}

static void put(FILE *out, json_t *value)
{
	json_dumpf(value, out, DUMP_FLAGS);
	json_decref(value);
}

static json_t *row_events(const struct view_input *in, const struct row *row)
{
	json_t *events = json_object();
	for (size_t e = 0; e < in->snap->events_n; e++) {
		json_t *event = json_object();
		set(event, "samples", row_samples(in, row, e));
		set(event, "weight", row_weight(in, row, e));
		set_event(events, in, e, event);
	}
	return events;
}

static json_t *row_counts(const struct view_input *in, const struct row *row)
{
	json_t *counts = json_object();
	for (size_t e = 0; e < in->snap->events_n; e++)
		set_event(counts, in, e, json_value(cpu_count(in, row, e)));
	return counts;
}

/* Every metric there is, so that a reader finds the key whatever the session. */
static json_t *row_metrics(const struct batch_rows *rows, const struct view_input *in, const struct row *row)
{
	json_t *object = json_object();
	for (size_t m = 0; m < metrics_n; m++) {
		struct ratio r = batch_metric(rows, m, in, row);
		json_t *metric = r.valid ? json_object() : json_null();
		if (r.valid) {
			set(metric, "value", value_number(r.value));
			set(metric, "error", value_number(r.error));
		}
		json_object_set_new(object, metrics[m].id, metric);
	}
	return object;
}

static json_t *row_object(const struct batch_rows *rows, const struct view_input *in, const struct row *row)
{
	json_t *object = json_object();
	for (size_t i = 0; i < rows->fields.n; i++)
		set(object, rows->fields.v[i].name, rows->fields.v[i].get(in, row));
	json_object_set_new(object, "events", row_events(in, row));
	if (rows->pane == PANE_CPUS)
		json_object_set_new(object, "counts", row_counts(in, row));
	json_object_set_new(object, "metrics", row_metrics(rows, in, row));
	return object;
}

static void put_rows(FILE *out, enum pane pane, const struct view_input *in, const struct batch_config *config)
{
	struct batch_rows rows;
	batch_rows_init(&rows, pane, in, config);
	for (size_t i = 0; i < rows.n; i++) {
		if (i)
			fputc(',', out);
		put(out, row_object(&rows, in, rows.sheet->rows[i]));
	}
	batch_rows_deinit(&rows);
}

static json_t *event_object(const struct view_input *in, size_t e)
{
	const struct event_total *total = &in->snap->events[e];
	const struct value null = {.kind = VALUE_NULL};
	bool open = total->state != COUNT_ABSENT;
	bool counted = total->state == COUNT_OK;
	json_t *event = json_object();
	set(event, "name", value_text(in->info->events[e].spec.name));
	set(event, "samples", open ? value_int(total->samples) : null);
	set(event, "weight", counted ? value_number(total->weight) : null);
	set(event, "count", counted ? value_number(total->count) : null);
	set(event, "running", open ? value_number(total->running) : null);
	return event;
}

static struct value text_or_null(const char *s)
{
	return value_text(*s ? s : NULL);
}

static json_t *trust_object(const struct view_input *in)
{
	static const char *const scopes[] = {
		[SCOPE_SYSTEM] = "system",	   [SCOPE_SYSTEM_USER] = "system-user", [SCOPE_TASKS] = "tasks",
		[SCOPE_TASKS_USER] = "tasks-user", [SCOPE_OWN_USER] = "own-user",	[SCOPE_PROC] = "proc",
	};
	const struct trust *t = &in->snap->trust;
	json_t *trust = json_object();
	set(trust, "scope", value_text((size_t)in->info->scope < ARRAY_LEN(scopes) ? scopes[in->info->scope] : NULL));
	set(trust, "target", text_or_null(in->info->target));
	set(trust, "pmu", text_or_null(in->info->pmu));
	set(trust, "notice", text_or_null(in->info->notice));
	set(trust, "explained", t->explained_valid ? value_number(t->explained) : value_text(NULL));
	set(trust, "running", value_number(t->running));
	set(trust, "samples", value_int(t->samples));
	set(trust, "lost", value_int(t->lost));
	set(trust, "lost_share", value_number(t->lost_share));
	set(trust, "throttles", value_int(t->throttles));
	set(trust, "malformed", value_int(t->malformed));
	set(trust, "unresolved", value_number(t->unresolved));
	set(trust, "pending", value_number(t->pending));
	set(trust, "self", value_number(t->self));
	return trust;
}

static void put_member(FILE *out, const char *name, json_t *value)
{
	fprintf(out, ",\"%s\":", name);
	put(out, value);
}

static struct value source_name(const struct view_input *in)
{
	static const char *const kinds[] = {
		[SOURCE_LIVE] = "live",
		[SOURCE_FILE] = "file",
		[SOURCE_SYNTHETIC] = "synthetic",
	};
	return value_text((size_t)in->info->kind < ARRAY_LEN(kinds) ? kinds[in->info->kind] : NULL);
}

static void put_tables(FILE *out, const struct view_input *in, const struct batch_config *config)
{
	static const struct {
		const char *name;
		enum pane pane;
	} tables[] = {{"symbols", PANE_SYMBOLS}, {"tasks", PANE_TASKS}, {"cpus", PANE_CPUS}};
	for (size_t t = 0; t < ARRAY_LEN(tables); t++) {
		fprintf(out, ",\"%s\":[", tables[t].name);
		if (batch_wants(in, config, tables[t].pane))
			put_rows(out, tables[t].pane, in, config);
		fputc(']', out);
	}
}

static void put_report(FILE *out, const struct view_input *in, const struct batch_config *config)
{
	json_t *keys = json_array();
	for (size_t i = 0; i < in->report->keys.n; i++)
		json_array_append_new(keys, json_string(report_key_name(in->report->keys.v[i])));
	put_member(out, "keys", keys);
	fputs(",\"rows\":[", out);
	put_rows(out, PANE_REPORT, in, config);
	fputc(']', out);
}

void json_refresh(FILE *out, const struct view_input *in, const struct batch_config *config)
{
	fputs("{\"schema\":\"cyctop/1\"", out);
	put_member(out, "start_ns", json_value(value_int(in->snap->start_ns)));
	put_member(out, "end_ns", json_value(value_int(in->snap->end_ns)));
	put_member(out, "host", json_value(text_or_null(in->info->host)));
	put_member(out, "source", json_value(source_name(in)));
	put_member(out, "trust", trust_object(in));
	json_t *events = json_array();
	for (size_t e = 0; e < in->snap->events_n; e++)
		json_array_append_new(events, event_object(in, e));
	put_member(out, "events", events);
	if (in->report)
		put_report(out, in, config);
	else
		put_tables(out, in, config);
	fputs("}\n", out);
}

#else

typedef int json_is_not_in_this_build; /* ISO C wants something in a file */

#endif
