/* Writes runs of two commands as one object of JSON, schema cyctop-compare/1. */
#include "front/batch/json.h"

static json_t *side_object(const struct runs_output *o, enum diff_side side)
{
	size_t failed = 0;
	json_t *object = json_object(), *command = json_array();
	for (char *const *arg = o->commands[side]; *arg; arg++)
		json_array_append_new(command, json_value(value_text(*arg)));
	for (size_t i = 0; i < o->failures_n; i++)
		failed += o->failures[i].side == side;
	json_object_set_new(object, "command", command);
	json_set(object, "failed", value_int(failed));
	return object;
}

static json_t *failures_array(const struct runs_output *o)
{
	json_t *array = json_array();
	const struct value null = value_text(NULL);
	for (size_t i = 0; i < o->failures_n; i++) {
		const struct runs_failure *f = &o->failures[i];
		json_t *object = json_object();
		json_set(object, "command", value_text(f->side == DIFF_BEFORE ? "a" : "b"));
		json_set(object, "run", value_int(f->run));
		json_set(object, "status", f->signal ? null : value_int((uint64_t)f->status));
		json_set(object, "signal", f->signal ? value_int((uint64_t)f->signal) : null);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *outliers_array(const struct runs_output *o)
{
	json_t *array = json_array();
	for (size_t i = 0; i < o->outliers_n; i++) {
		const struct runs_outlier *of = &o->outliers[i];
		json_t *object = json_object();
		json_set(object, "command", value_text(of->side == DIFF_BEFORE ? "a" : "b"));
		json_set(object, "run", value_int(of->run));
		json_set(object, "metric", value_text(of->metric));
		json_set(object, "value", value_number(of->value));
		json_set(object, "median", value_number(of->middle));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *middle_object(const struct runs_middle *v)
{
	const struct value null = value_text(NULL);
	if (!v->known)
		return json_null();
	json_t *object = json_object();
	json_set(object, "value", value_number(v->value));
	json_set(object, "low", v->has_interval ? value_number(v->low) : null);
	json_set(object, "high", v->has_interval ? value_number(v->high) : null);
	return object;
}

static json_t *metric_object(const struct runs_metric *m)
{
	const struct compare_change *c = &m->ratio;
	const struct value null = value_text(NULL);
	json_t *object = json_object(), *ratio = json_object();
	bool known = c->state != CHANGE_NONE;
	json_set(object, "name", value_text(m->name));
	json_set(object, "unit", value_text(runs_unit_name(m->unit)));
	json_object_set_new(object, "a", middle_object(&m->side[DIFF_BEFORE]));
	json_object_set_new(object, "b", middle_object(&m->side[DIFF_AFTER]));
	json_set(ratio, "value", known ? value_number(c->change) : null);
	json_set(ratio, "low", c->tested ? value_number(c->low) : null);
	json_set(ratio, "high", c->tested ? value_number(c->high) : null);
	json_set(ratio, "real", value_bool(c->real));
	json_set(ratio, "smallest", c->tested ? value_number(c->smallest) : null);
	json_object_set_new(object, "ratio", ratio);
	return object;
}

static json_t *summary_object(const struct compare_summary *s)
{
	json_t *object = json_object();
	json_set(object, "tested", value_int(s->tested));
	json_set(object, "real", value_int(s->real));
	return object;
}

static void put_functions(FILE *out, const struct runs_output *o)
{
	const struct diff *d = o->functions;
	size_t n = !d ? 0 : o->top && o->top < d->n ? o->top : d->n;
	json_put_member(out, "event", json_value(value_text(d ? o->event : NULL)));
	json_put_member(out, "unit", json_value(value_text(d ? runs_unit_name(o->unit) : NULL)));
	json_put_member(out, "rows_summary", d ? summary_object(&d->summary) : json_null());
	json_put_member(out, "keys", d ? json_keys(d->dims, d->dims_n, NULL) : json_array());
	fputs(",\"rows\":[", out);
	for (size_t i = 0; i < n; i++)
		json_put_element(out, i, diff_row_object(d, o->rows[i]));
	fputs("]}\n", out);
}

void runs_json(FILE *out, const struct runs_output *o)
{
	json_t *metrics_array = json_array();
	fputs("{\"schema\":\"cyctop-compare/1\"", out);
	json_put_member(out, "a", side_object(o, DIFF_BEFORE));
	json_put_member(out, "b", side_object(o, DIFF_AFTER));
	json_put_member(out, "runs", json_value(value_int(o->asked)));
	json_put_member(out, "pairs", json_value(value_int(o->pairs)));
	json_put_member(out, "seed", json_value(value_int(o->seed)));
	json_put_member(out, "failures", failures_array(o));
	json_put_member(out, "outliers", outliers_array(o));
	json_put_member(out, "output", json_value(value_text(o->kept)));
	json_put_member(out, "fdr", json_value(value_number(o->fdr)));
	json_put_member(out, "min_change", json_value(value_number(o->min_change)));
	json_put_member(out, "notes", diff_notes_array(o->notes));
	json_put_member(out, "summary", summary_object(&o->summary));
	for (size_t i = 0; i < o->metrics_n; i++)
		json_array_append_new(metrics_array, metric_object(&o->metrics[i]));
	json_put_member(out, "metrics", metrics_array);
	put_functions(out, o);
}
