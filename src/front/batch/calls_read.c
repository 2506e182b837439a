/* Reads files of counted calls, which are untrusted: each number is checked before it is used, and an error gives the
 * place and the reason.  Only one function or pair at a time is parsed to a tree of JSON, to save memory. */
#include "front/batch/json.h"

#include "base/alloc.h"
#include "base/intern.h"

#include <errno.h>
#include <string.h>

static const char beginning[] = "{\"schema\":\"cyctop-calls/";
static const char too_large[] = "the file of counted calls is larger than 128 MiB";

bool calls_is(const char *bytes, size_t n)
{
	return n >= sizeof(beginning) - 1 && memcmp(bytes, beginning, sizeof(beginning) - 1) == 0;
}

#if HAVE_JANSSON

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

/* Limits for a file: VALUE_BYTES for the text of a function or pair; ids of functions are below IDS. */
enum { VALUE_BYTES = 1 << 20, IDS = 4 << 20 };
static const uint32_t no_line = UINT32_MAX;

struct reader {
	const char *name, *begin, *at, *end;
	struct error *err;
	int rc;
	struct calls_table *table;
	VEC(struct calls_line) lines;
	VEC(double) sums;
	VEC(uint64_t) event_buckets;
	VEC(size_t) event_buckets_at; /* [line]: index of its first bucket in event_buckets; SIZE_MAX: none */
	VEC(uint32_t) by_id;	      /* [id]: index of the line with this id; no_line: none */
	VEC(struct calls_pair) pairs;
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
		r->rc = error_set(r->err, EINVAL, "%.150s: byte %zu of the counted calls: %s", r->name,
				  (size_t)(r->at - r->begin), what);
	return false;
}

/* ---- parsing values of JSON ------------------------------------------------------------------------------ */

static void skip_blanks(struct reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t'))
		r->at++;
}

/* Skips the punctuation `c` of JSON.  Returns false if the next character is another one. */
static bool take(struct reader *r, char c)
{
	skip_blanks(r);
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

/* Reads the next value, which the caller frees.  Returns NULL, with the error set, if it is no JSON, or too long. */
static json_t *next_value(struct reader *r)
{
	json_error_t why;
	size_t left = (size_t)(r->end - r->at), most = left < VALUE_BYTES ? left : VALUE_BYTES;
	json_t *v = json_loadb(r->at, most, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, &why);
	if (v)
		r->at += why.position;
	else if (most < left && json_error_code(&why) == json_error_premature_end_of_input)
		bad(r, "a function or pair takes more than 1 MiB");
	else
		bad(r, "it is not JSON: %.100s", why.text);
	return v;
}

static bool get_whole(struct reader *r, json_int_t v, const char *what, uint64_t *ret)
{
	*ret = v < 0 ? 0 : (uint64_t)v;
	return v >= 0 || bad(r, "%s is less than 0", what);
}

static bool is_number(double d)
{
	static const double number_max = 1e30;
	return d >= 0 && d <= number_max;
}

/* ---- reading functions ------------------------------------------------------------------------------------ */

static bool read_id(struct reader *r, uint64_t id)
{
	if (id >= IDS)
		return bad(r, "an id is not below %d", IDS);
	while (r->by_id.n <= id)
		vec_push(&r->by_id) = no_line;
	if (r->by_id.data[id] != no_line)
		return bad(r, "two functions have the id %" PRIu64, id);
	r->by_id.data[id] = (uint32_t)r->lines.n;
	return true;
}

/* Reads the buckets of a histogram.  `unit`: bucket b of a time begins at unit * 2^b ns; 0: it is of an event. */
static bool read_buckets(struct reader *r, json_t *histogram, double unit, uint64_t ret[static CALLS_BUCKETS])
{
	size_t i;
	json_t *bucket;
	json_array_foreach(histogram, i, bucket)
	{
		double least;
		json_int_t calls;
		if (json_unpack(bucket, "[FI]", &least, &calls) < 0 || !is_number(least) || calls < 0)
			return bad(r, "a bucket of a histogram is not its least and a number of calls");
		double of = least > 0 ? round(log2(unit > 0 ? least / unit : 2 * least)) : 0;
		if (!(of >= 0 && of < CALLS_BUCKETS))
			return bad(r, "a histogram has a bucket of %g", least);
		ret[(size_t)of] += (uint64_t)calls;
	}
	return json_is_array(histogram) || bad(r, "a histogram is no array");
}

/* Reads the histograms of events, which a file may lack. */
static bool read_event_buckets(struct reader *r, json_t *events)
{
	size_t at = r->event_buckets.n;
	uint64_t buckets[CALLS_BUCKETS];
	for (size_t e = 0; e < r->table->events_n; e++) {
		json_t *histogram = json_object_get(json_object_get(events, r->table->events[e]), "histogram");
		if (!histogram) {
			r->event_buckets.n = at;
			vec_push(&r->event_buckets_at) = SIZE_MAX;
			return true;
		}
		memset(buckets, 0, sizeof(buckets));
		if (!read_buckets(r, histogram, 0, buckets))
			return false;
		for (size_t b = 0; b < CALLS_BUCKETS; b++)
			vec_push(&r->event_buckets) = buckets[b];
	}
	vec_push(&r->event_buckets_at) = at;
	return true;
}

static bool read_sums(struct reader *r, json_t *events)
{
	for (size_t total = 0; total < 2; total++)
		for (size_t e = 0; e < r->table->events_n; e++) {
			json_t *event = json_object_get(events, r->table->events[e]);
			double v = json_number_value(json_object_get(event, total ? "total" : "self"));
			if (!event || !is_number(v))
				return bad(r, "a function has no counts of %.80s", r->table->events[e]);
			vec_push(&r->sums) = v;
		}
	return true;
}

static bool read_function(struct reader *r, json_t *o)
{
	struct calls_line l = {.id = r->lines.n};
	json_int_t id, calls, left, outermost;
	json_t *events, *histogram;
	json_error_t why;
	uint64_t number;
	if (json_unpack_ex(o, &why, 0, "{s:I,s:s,s:s,s:I,s:I,s:I,s:F,s:F,s:F,s:o,s:o}", "id", &id, "dso", &l.dso,
			   "symbol", &l.symbol, "calls", &calls, "left", &left, "outermost", &outermost, "self_ns",
			   &l.self_ns, "total_ns", &l.total_ns, "call_ns", &l.call_ns, "events", &events, "histogram",
			   &histogram) < 0)
		return bad(r, "a function: %.100s", why.text);
	if (!get_whole(r, id, "id", &number) || !get_whole(r, calls, "calls", &l.calls) ||
	    !get_whole(r, left, "left", &l.left) || !get_whole(r, outermost, "outermost", &l.outermost) ||
	    !read_id(r, number))
		return false;
	if (!is_number(l.self_ns) || !is_number(l.total_ns) || !is_number(l.call_ns))
		return bad(r, "a function has a time that cannot be");
	if (r->pairs.n)
		return bad(r, "there are functions after callers");
	if (!read_buckets(r, histogram, r->table->bucket_ns, l.buckets) || !read_sums(r, events) ||
	    !read_event_buckets(r, events))
		return false;
	l.dso = intern_string(r->table->names, l.dso);
	l.symbol = intern_string(r->table->names, l.symbol);
	vec_push(&r->lines) = l;
	return true;
}

/* ---- reading pairs of caller and callee -------------------------------------------------------------------- */

static const struct calls_line *line_of(const struct reader *r, const json_t *id)
{
	json_int_t i = json_is_integer(id) ? json_integer_value(id) : -1;
	bool has = i >= 0 && (size_t)i < r->by_id.n && r->by_id.data[i] != no_line;
	return has ? &r->lines.data[r->by_id.data[i]] : NULL;
}

/* Reads a pair of caller and callee.  Skips it if the file lacks one of the two functions, because of --top. */
static bool read_pair(struct reader *r, json_t *o)
{
	struct calls_pair p = {.calls = 0};
	json_t *caller, *callee;
	json_error_t why;
	json_int_t calls;
	if (json_unpack_ex(o, &why, 0, "{s:o,s:o,s:I,s:F}", "caller_id", &caller, "callee_id", &callee, "calls", &calls,
			   "ns", &p.ns) < 0)
		return bad(r, "a caller: %.100s", why.text);
	if (!get_whole(r, calls, "calls", &p.calls))
		return false;
	if (!is_number(p.ns))
		return bad(r, "a caller has a time that cannot be");
	p.caller = line_of(r, caller);
	p.callee = line_of(r, callee);
	if (p.callee && (p.caller || json_is_null(caller)))
		vec_push(&r->pairs) = p;
	return true;
}

/* ---- reading the outermost JSON object --------------------------------------------------------------------- */

static bool read_events(struct reader *r, json_t *v)
{
	size_t i;
	json_t *event;
	if (!json_is_array(v) || json_array_size(v) > CALLS_TABLE_EVENTS || r->table->events_n || r->lines.n)
		return bad(r, "events is not an array of up to %d names", CALLS_TABLE_EVENTS);
	json_array_foreach(v, i, event)
	{
		if (!json_is_string(event))
			return bad(r, "the name of an event is no text");
		r->table->events[r->table->events_n++] = intern_string(r->table->names, json_string_value(event));
	}
	return true;
}

static bool read_notes(struct reader *r, json_t *v)
{
	size_t i;
	json_t *note;
	json_array_foreach(v, i, note)
	{
		if (!json_is_string(note) || r->table->notes.n == DIFF_NOTES_MAX)
			return bad(r, "notes is not an array of up to %d texts", DIFF_NOTES_MAX);
		snprintf(r->table->notes.text[r->table->notes.n++], sizeof(r->table->notes.text[0]), "%s",
			 json_string_value(note));
	}
	return true;
}

/* Reads a number above 0, or also 0 if `may_be_0`.  Returns false, with the error set, if it is none. */
static bool read_number(struct reader *r, const json_t *v, const char *key, bool may_be_0, double *ret)
{
	*ret = json_number_value(v);
	return (json_is_number(v) && is_number(*ret) && (may_be_0 || *ret > 0)) || bad(r, "%s is no such number", key);
}

/* Reads a member of the outermost object other than its arrays; skips unknown members, which later versions may add. */
static bool read_member(struct reader *r, const char *key)
{
	json_t *v = next_value(r);
	bool ok = v != NULL;
	if (ok && strcmp(key, "schema") == 0)
		ok = (json_is_string(v) && strcmp(json_string_value(v), "cyctop-calls/1") == 0) ||
		     bad(r, "its schema is not cyctop-calls/1: a later cyctop wrote it");
	else if (ok && strcmp(key, "self_ns") == 0)
		ok = read_number(r, v, key, true, &r->table->self_ns);
	else if (ok && strcmp(key, "bucket_ns") == 0)
		ok = read_number(r, v, key, false, &r->table->bucket_ns);
	else if (ok && strcmp(key, "events") == 0)
		ok = read_events(r, v);
	else if (ok && strcmp(key, "notes") == 0)
		ok = read_notes(r, v);
	json_decref(v);
	return ok;
}

static bool read_array(struct reader *r, bool (*read)(struct reader *r, json_t *o))
{
	if (!take(r, '['))
		return bad(r, "functions or callers is no array");
	if (take(r, ']'))
		return true;
	do {
		json_t *o = next_value(r);
		bool ok = o && read(r, o);
		json_decref(o);
		if (!ok)
			return false;
	} while (take(r, ','));
	return take(r, ']') || bad(r, "an array has no end");
}

static bool read_members(struct reader *r)
{
	if (!calls_is(r->at, (size_t)(r->end - r->at)) || !take(r, '{'))
		return bad(r, "it begins like something else");
	do {
		json_t *key = next_value(r);
		const char *name = json_string_value(key);
		bool ok = name && take(r, ':');
		if (!ok)
			bad(r, "a member has no name");
		else if (strcmp(name, "functions") == 0)
			ok = read_array(r, read_function);
		else if (strcmp(name, "callers") == 0)
			ok = read_array(r, read_pair);
		else
			ok = read_member(r, name);
		json_decref(key);
		if (!ok)
			return false;
	} while (take(r, ','));
	bool ended = take(r, '}');
	skip_blanks(r);
	return (ended && r->at == r->end) || bad(r, "the object has no end, or something follows it");
}

int calls_read(const char *name, const char *bytes, size_t n, struct calls_table *ret, struct error *err)
{
	struct reader r = {.name = name, .begin = bytes, .at = bytes, .end = bytes + n, .err = err, .table = ret};
	*ret = (struct calls_table){.bucket_ns = 1};
	if (n > CALLS_KEPT_BYTES)
		return error_set(err, EFBIG, "%.150s: %s", name, too_large);
	ret->names = intern_create();
	read_members(&r);
	for (size_t i = 0; i < r.lines.n && r.rc == 0; i++) {
		r.lines.data[i].self = r.sums.data + 2 * i * ret->events_n;
		r.lines.data[i].total = r.lines.data[i].self + ret->events_n;
		if (ret->events_n && r.event_buckets_at.data[i] != SIZE_MAX)
			r.lines.data[i].event_buckets = r.event_buckets.data + r.event_buckets_at.data[i];
	}
	ret->lines = r.lines.data;
	ret->n = r.lines.n;
	ret->sums = r.sums.data;
	ret->event_buckets = r.event_buckets.data;
	vec_free(&r.event_buckets_at);
	ret->pairs = r.pairs.data;
	ret->pairs_n = r.pairs.n;
	vec_free(&r.by_id);
	if (r.rc < 0)
		calls_table_deinit(ret);
	return r.rc;
}

#else

int calls_read(const char *name, const char *bytes, size_t n, struct calls_table *ret, struct error *err)
{
	*ret = (struct calls_table){.n = 0};
	(void)bytes;
	if (n > CALLS_KEPT_BYTES)
		return error_set(err, EFBIG, "%.150s: %s", name, too_large);
	return error_set(err, ENOSYS, "%.150s has counted calls: %s", name, json_missing);
}

#endif
