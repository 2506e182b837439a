/* Writes counted calls as JSON: doc/batch-format.md. */
#include "front/batch/json.h"

/* Makes an array of [lower bound, number of calls], for each bucket that is not empty.  `unit`: bucket b of a time
 * begins at unit * 2^b ns; 0: the histogram is of an event. */
static json_t *histogram(const uint64_t *buckets, double unit)
{
	json_t *array = json_array();
	for (size_t b = 0; b < CALLS_BUCKETS; b++) {
		if (!buckets[b])
			continue;
		json_t *bucket = json_array();
		double least = (unit > 0 ? unit : 0.5) * (double)(UINT64_C(1) << b);
		json_array_append_new(bucket, json_value(value_number(b ? least : 0)));
		json_array_append_new(bucket, json_value(value_int(buckets[b])));
		json_array_append_new(array, bucket);
	}
	return array;
}

static json_t *line_object(const struct calls_output *o, const struct calls_line *l)
{
	json_t *object = json_object(), *events = json_object();
	json_set(object, "id", value_int(l->id));
	json_set(object, "dso", value_text(l->dso));
	json_set(object, "symbol", value_text(l->symbol));
	json_set(object, "calls", value_int(l->calls));
	json_set(object, "left", value_int(l->left));
	json_set(object, "outermost", value_int(l->outermost));
	json_set(object, "self_ns", value_number(l->self_ns));
	json_set(object, "total_ns", value_number(l->total_ns));
	json_set(object, "call_ns", value_number(l->call_ns));
	for (size_t e = 0; e < o->events_n; e++) {
		json_t *event = json_object();
		json_set(event, "self", value_number(l->self[e]));
		json_set(event, "total", value_number(l->total[e]));
		if (l->event_buckets)
			json_object_set_new(event, "histogram", histogram(l->event_buckets + e * CALLS_BUCKETS, 0));
		json_set_named(events, o->events[e], event);
	}
	json_object_set_new(object, "events", events);
	json_object_set_new(object, "histogram", histogram(l->buckets, o->bucket_ns));
	return object;
}

static json_t *events_array(const struct calls_output *o)
{
	json_t *array = json_array();
	for (size_t e = 0; e < o->events_n; e++)
		json_array_append_new(array, json_value(value_text(o->events[e])));
	return array;
}

static json_t *pair_object(const struct calls_pair *p)
{
	json_t *object = json_object();
	json_set(object, "caller", value_text(p->caller ? p->caller->symbol : NULL));
	json_set(object, "callee", value_text(p->callee->symbol));
	json_set(object, "caller_id", p->caller ? value_int(p->caller->id) : value_text(NULL));
	json_set(object, "callee_id", value_int(p->callee->id));
	json_set(object, "calls", value_int(p->calls));
	json_set(object, "ns", value_number(p->ns));
	return object;
}

void calls_json(FILE *out, const struct calls_output *o)
{
	fputs("{\"schema\":\"cyctop-calls/1\"", out);
	json_put_member(out, "self_ns", json_value(value_number(o->self_ns)));
	json_put_member(out, "bucket_ns", json_value(value_number(o->bucket_ns)));
	if (o->seconds > 0)
		json_put_member(out, "seconds", json_value(value_number(o->seconds)));
	json_put_member(out, "more", json_value(value_int(o->more)));
	json_put_member(out, "events", events_array(o));
	json_put_member(out, "notes", o->notes ? diff_notes_array(o->notes) : json_array());
	fputs(",\"functions\":[", out);
	for (size_t i = 0; i < o->n; i++)
		json_put_element(out, i, line_object(o, o->lines[i]));
	fputs("],\"callers\":[", out);
	for (size_t i = 0; i < o->pairs_n; i++)
		json_put_element(out, i, pair_object(&o->pairs[i]));
	fputs("]}\n", out);
}
