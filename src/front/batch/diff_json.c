/* Writes a comparison as one JSON object, schema cyctop-diff/1.  To save memory, only one row at a time is a jansson
 * tree. */
#include "front/batch/json.h"

#include "base/fmt.h"

static json_t *about_object(const struct diff_about *a)
{
	char utc[UTC_CHARS] = "";
	json_t *about = json_object(), *events = json_array();
	if (a->utc_ns)
		fmt_utc(utc, sizeof(utc), a->utc_ns);
	json_set(about, "file", value_text(a->file));
	json_set(about, "files", value_int(a->more_files + 1));
	json_set(about, "start_ns", value_int(a->start_ns));
	json_set(about, "end_ns", value_int(a->end_ns));
	json_set(about, "seconds", value_number(diff_about_seconds(a)));
	json_set(about, "time", text_or_null(utc));
	json_set(about, "host", text_or_null(a->host));
	json_set(about, "kernel", text_or_null(a->kernel));
	json_set(about, "cpu", text_or_null(a->cpu));
	json_set(about, "cpus", a->cpus ? value_int(a->cpus) : value_text(NULL));
	json_set(about, "only", text_or_null(a->only));
	json_set(about, "intervals", value_int(a->intervals));
	json_set(about, "samples", value_int(a->samples));
	json_set(about, "lost", value_int(a->lost));
	for (size_t e = 0; e < a->events_n; e++) {
		json_t *event = json_object();
		json_set(event, "name", value_text(a->events[e].name));
		json_set(event, "samples", value_int(a->events[e].samples));
		json_array_append_new(events, event);
	}
	json_object_set_new(about, "events", events);
	return about;
}

static json_t *reference_object(const struct diff *d)
{
	if (d->unit != DIFF_UNIT_REFERENCE || !d->reference.bundles)
		return json_null();
	json_t *reference = json_object();
	json_set(reference, "rows", value_int(d->reference_rows));
	json_set(reference, "relative", value_number(d->reference.change - 1));
	json_set(reference, "share_before", value_number(d->reference.share[DIFF_BEFORE]));
	json_set(reference, "share_after", value_number(d->reference.share[DIFF_AFTER]));
	return reference;
}

json_t *diff_notes_array(const struct diff_notes *notes)
{
	json_t *array = json_array();
	for (size_t i = 0; i < notes->n; i++)
		json_array_append_new(array, json_value(value_text(notes->text[i])));
	return array;
}

/* Returns an object with the number of significant changes, and how well the sides could be compared. */
static json_t *summary_object(const struct compare_summary *s)
{
	json_t *summary = json_object();
	json_set(summary, "tested", value_int(s->tested));
	json_set(summary, "real", value_int(s->real));
	json_set(summary, "effective_intervals", s->effective > 0 ? value_number(s->effective) : value_text(NULL));
	json_set(summary, "little_worth", value_bool(s->low_sensitivity));
	return summary;
}

static void set_number(json_t *object, const struct diff_value *v)
{
	const struct compare_change *c = &v->change;
	const struct value null = value_text(NULL);
	double by, error;
	bool known = diff_difference(v, &by, &error);
	json_t *change = json_object();
	json_set(object, "before", v->known[DIFF_BEFORE] ? value_number(v->value[DIFF_BEFORE]) : null);
	json_set(object, "after", v->known[DIFF_AFTER] ? value_number(v->value[DIFF_AFTER]) : null);
	json_set(change, "value", known ? value_number(by) : null);
	json_set(change, "error", known && error >= 0 ? value_number(error) : null);
	json_set(change, "relative", diff_relative(c, c->change));
	json_set(change, "real", value_bool(c->real));
	json_set(change, "low", diff_relative(c, c->low));
	json_set(change, "high", diff_relative(c, c->high));
	json_set(change, "smallest", c->tested ? diff_relative(c, c->smallest) : null);
	json_set(change, "state", value_text(diff_state_id(c)));
	json_object_set_new(object, "change", change);
}

/* Makes an object of what the symbol tables of both sides say about a row's function. */
static json_t *function_object(const struct diff_row *row)
{
	static const char *const keys[DIFF_SIDES] = {"before", "after"};
	enum diff_fate fate = diff_fate(row);
	if (fate == FATE_UNKNOWN)
		return json_null();
	json_t *function = json_object();
	json_set(function, "fate", value_text(diff_fate_names[fate]));
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		json_t *names = row->function->known[side] ? json_array() : json_null();
		for (size_t i = 0; row->function->known[side] && i < row->function->pieces_n[side]; i++)
			json_array_append_new(names, json_value(value_text(row->function->pieces[side][i])));
		json_object_set_new(function, keys[side], names);
	}
	return function;
}

json_t *diff_row_object(const struct diff *d, const struct diff_row *row)
{
	json_t *object = json_object(), *ratios = json_object();
	for (size_t i = 0; i < d->dims_n; i++)
		json_set(object, dimensions[d->dims[i]].id, diff_name(&row->names[i]));
	json_set(object, "samples_before", value_int(row->samples[DIFF_BEFORE]));
	json_set(object, "samples_after", value_int(row->samples[DIFF_AFTER]));
	json_set(object, "reference", value_bool(row->carries));
	set_number(object, &row->value);
	for (size_t m = 0; m < d->set->n; m++) {
		json_t *ratio = d->has_metric[m] ? json_object() : json_null();
		if (d->has_metric[m])
			set_number(ratio, &row->metrics[m]);
		json_object_set_new(ratios, d->set->v[m].id, ratio);
	}
	json_object_set_new(object, "metrics", ratios);
	json_object_set_new(object, "function", function_object(row));
	return object;
}

void diff_json(FILE *out, const struct diff_output *o)
{
	const struct diff *d = o->diff;
	fputs("{\"schema\":\"cyctop-diff/1\"", out);
	json_put_member(out, "before", about_object(&o->about[DIFF_BEFORE]));
	json_put_member(out, "after", about_object(&o->about[DIFF_AFTER]));
	json_put_member(out, "event", json_value(value_text(o->about[DIFF_BEFORE].events[o->event[DIFF_BEFORE]].name)));
	json_put_member(out, "unit", json_value(value_text(diff_unit_names[d->unit])));
	json_put_member(out, "per", json_value(value_text(o->per)));
	json_put_member(out, "reference", reference_object(d));
	json_put_member(out, "fdr", json_value(value_number(o->fdr)));
	json_put_member(out, "min_change", json_value(value_number(o->min_change)));
	json_put_member(out, "notes", diff_notes_array(o->notes));
	json_put_member(out, "summary", summary_object(&d->summary));
	json_put_member(out, "keys", json_keys(d->dims, d->dims_n, NULL));
	fputs(",\"rows\":[", out);
	for (size_t r = 0; r < o->rows_n; r++)
		json_put_element(out, r, diff_row_object(d, o->rows[r]));
	fputs("]}\n", out);
}
