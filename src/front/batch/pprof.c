/* Writes call chains in pprof's format (github.com/google/pprof/blob/main/proto/profile.proto), not compressed: for
 * each event the number of samples and the count that they stand for; functions, and files as mappings. */
#include "front/batch/stacks.h"

#include "base/alloc.h"
#include "base/strbuf.h"

#include <math.h>
#include <stdlib.h>

/* Numbers of fields in profile.proto. */
enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME_NS = 9,
	PROFILE_DURATION_NS = 10,
	PROFILE_DEFAULT_TYPE = 14,
};
enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_TEXT = 2 };
enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7 };
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2 };

/* The profile that is being written.  It consists of members, which in turn may have members. */
struct pprof {
	FILE *out;
	struct stacks stacks;
	/* message: the member of the profile that is being made; inner: the member of `message` that is being made */
	struct strbuf message, inner;
	uint64_t strings; /* number of strings written so far */
};

/* ---- encoding protocol buffers ---------------------------------------------------------------------- */

static void add_number(struct strbuf *b, uint64_t v)
{
	char bytes[10];
	size_t n = 0;
	for (; v > 0x7f; v >>= 7)
		bytes[n++] = (char)(v | 0x80);
	bytes[n++] = (char)v;
	strbuf_add_bytes(b, bytes, n);
}

static void add_field(struct strbuf *b, unsigned field, uint64_t v)
{
	add_number(b, field << 3);
	add_number(b, v);
}

static void add_bytes(struct strbuf *b, unsigned field, const char *data, size_t n)
{
	add_number(b, field << 3 | 2);
	add_number(b, n);
	strbuf_add_bytes(b, data, n);
}

/* Adds p->inner to p->message as a member, and empties it. */
static void add_inner(struct pprof *p, unsigned field)
{
	add_bytes(&p->message, field, p->inner.data, p->inner.n);
	p->inner.n = 0;
}

/* Writes p->message as a member of the profile, and empties it. */
static void put_message(struct pprof *p, enum profile_field field)
{
	add_bytes(&p->inner, field, p->message.data, p->message.n);
	fwrite(p->inner.data, 1, p->inner.n, p->out);
	p->message.n = p->inner.n = 0;
}

static void put_number(struct pprof *p, enum profile_field field, uint64_t v)
{
	add_field(&p->inner, field, v);
	fwrite(p->inner.data, 1, p->inner.n, p->out);
	p->inner.n = 0;
}

/* Writes a text into the profile's string table, and returns its index there. */
static uint64_t put_string(struct pprof *p, const char *s)
{
	clean_add(&p->message, s, CLEAN_LINE);
	put_message(p, PROFILE_STRING);
	return p->strings++;
}

/* ---- writing the profile ------------------------------------------------------------------------------ */

static void put_type(struct pprof *p, uint64_t type, uint64_t unit)
{
	add_field(&p->message, TYPE_TYPE, type);
	add_field(&p->message, TYPE_UNIT, unit);
	put_message(p, PROFILE_SAMPLE_TYPE);
}

/* Writes two sample types for each event: the number of samples, and the event count, which is pprof's default. */
static void put_types(struct pprof *p)
{
	const struct view_input *in = p->stacks.in;
	uint64_t count = put_string(p, "count"), ns = put_string(p, "nanoseconds");
	for (size_t e = 0; e < in->snap->events_n; e++) {
		struct strbuf name = {0};
		if (!stacks_has(&p->stacks, e))
			continue;
		uint64_t event = put_string(p, in->info->events[e].spec.name);
		strbuf_addf(&name, "%s.samples", in->info->events[e].spec.name);
		put_type(p, put_string(p, name.data), count);
		put_type(p, event, stacks_in_ns(&p->stacks, e) ? ns : count);
		if (e == in->snap->primary)
			put_number(p, PROFILE_DEFAULT_TYPE, event);
		strbuf_deinit(&name);
	}
}

static void put_files(struct pprof *p)
{
	for (uint32_t i = 0; i < p->stacks.files_n; i++) {
		uint64_t name = put_string(p, p->stacks.files[i]);
		add_field(&p->message, MAPPING_ID, (uint64_t)i + 1);
		add_field(&p->message, MAPPING_FILE, name);
		add_field(&p->message, MAPPING_HAS_FUNCTIONS, 1);
		put_message(p, PROFILE_MAPPING);
	}
}

/* Writes each function and its only location, both with the id index + 1.  Sets names[function] to the index of the
 * function's name in the string table, also for commands, which are not written as functions. */
static void put_functions(struct pprof *p, uint64_t *names)
{
	for (uint32_t i = 0; i < p->stacks.functions_n; i++) {
		const struct stack_function *f = &p->stacks.functions[i];
		uint64_t id = (uint64_t)i + 1;
		names[i] = put_string(p, f->name);
		if (!f->file)
			continue;
		add_field(&p->message, FUNCTION_ID, id);
		add_field(&p->message, FUNCTION_NAME, names[i]);
		put_message(p, PROFILE_FUNCTION);
		add_field(&p->message, LOCATION_ID, id);
		add_field(&p->message, LOCATION_MAPPING, (uint64_t)f->file_id + 1);
		add_field(&p->message, LOCATION_ADDRESS, f->addr);
		add_field(&p->inner, LINE_FUNCTION, id);
		add_inner(p, LOCATION_LINE);
		put_message(p, PROFILE_LOCATION);
	}
}

static bool has_samples(const struct stacks *s, uint32_t node)
{
	bool any = false;
	for (size_t e = 0; e < s->in->snap->events_n; e++)
		any |= stacks_has(s, e) && stacks_samples(s, node, e);
	return any;
}

/* Writes the samples of the call chain that ends in `node`; its command becomes a label. */
static void put_sample(struct pprof *p, uint32_t node, const uint64_t *names, uint64_t comm)
{
	const struct stacks *s = &p->stacks;
	const struct sum *sums = &s->sums[node * s->sums_n];
	for (size_t e = 0; e < s->in->snap->events_n; e++) {
		if (!stacks_has(s, e))
			continue;
		add_number(&p->inner, sums[e].samples);
		add_number(&p->inner, (uint64_t)llround(stacks_value(s, sums, e)));
	}
	add_inner(p, SAMPLE_VALUES);
	for (; s->nodes[node].caller != STACKS_NONE; node = s->nodes[node].caller)
		add_number(&p->inner, (uint64_t)s->nodes[node].function + 1);
	add_inner(p, SAMPLE_LOCATIONS);
	add_field(&p->inner, LABEL_KEY, comm);
	add_field(&p->inner, LABEL_TEXT, names[s->nodes[node].function]);
	add_inner(p, SAMPLE_LABEL);
	put_message(p, PROFILE_SAMPLE);
}

void pprof_write(FILE *out, const struct view_input *in, const struct pivot *pivot, const struct batch_config *config)
{
	struct pprof p = {.out = out};
	uint64_t duration = in->snap->end_ns - in->snap->start_ns;
	stacks_init(&p.stacks, in, pivot, config);
	uint64_t *names = mem_calloc((size_t)p.stacks.functions_n + 1, sizeof(*names));
	put_string(&p, "");
	put_types(&p);
	if (in->utc_ns > duration)
		put_number(&p, PROFILE_TIME_NS, in->utc_ns - duration);
	put_number(&p, PROFILE_DURATION_NS, duration);
	put_files(&p);
	put_functions(&p, names);
	uint64_t comm = put_string(&p, "comm");
	for (uint32_t i = 0; i < p.stacks.nodes_n; i++)
		if (has_samples(&p.stacks, i))
			put_sample(&p, i, names, comm);
	free(names);
	strbuf_deinit(&p.message);
	strbuf_deinit(&p.inner);
	stacks_deinit(&p.stacks);
}
