/* Writes the instructions of a function with the samples beside them as JSON: doc/batch-format.md. */
#include "front/batch/json.h"

#if HAVE_JANSSON

static struct value value_address(uint64_t addr)
{
	return (struct value){.kind = VALUE_ADDRESS, .i = (int64_t)addr};
}

static json_t *count_object(const struct code_count *c, const char *part, double share)
{
	json_t *object = json_object();
	json_set(object, "samples", value_int(c->samples));
	json_set(object, "weight", value_number(c->weight));
	if (c->measured)
		json_set(object, "sample_weight", value_number(c->cost / (double)c->measured));
	if (part)
		json_set(object, part, value_number(share));
	return object;
}

/* The events of an instruction that have samples there. */
static json_t *events_object(const struct annotate_output *o, size_t instruction)
{
	json_t *events = json_object();
	for (size_t e = 0; e < o->events_n; e++) {
		const struct code_count *c = &o->listing->counts[instruction * o->events_n + e];
		if (c->samples)
			json_set_named(events, o->events[e].name,
				       count_object(c, "share", code_share(o->listing, instruction, e)));
	}
	return events;
}

static json_t *source_object(const struct annotate_output *o, const struct code_line *line)
{
	const struct code_listing *l = o->listing;
	const struct code_place *p = line->instruction < l->places->n ? &l->places->v[line->instruction] : NULL;
	if (!p || !p->file)
		return json_null();
	json_t *object = json_object();
	json_set(object, "file", value_text(p->file));
	json_set(object, "line", p->line ? value_int(p->line) : value_text(NULL));
	json_set(object, "inlined", value_text(p->inlined));
	return object;
}

static json_t *instruction_object(const struct annotate_output *o, const struct code_line *line)
{
	const struct instruction *in = &o->listing->in->v[line->instruction];
	json_t *object = json_object();
	struct strbuf hex = {0};
	strbuf_add(&hex, "");
	for (size_t i = 0; i < in->size; i++)
		strbuf_addf(&hex, "%02x", o->code->bytes[in->addr - o->code->addr + i]);
	json_set(object, "address", value_address(in->addr));
	json_set(object, "bytes", value_text(hex.data));
	json_set(object, "text", value_text(in->text[0] ? in->text : NULL));
	json_set(object, "target", in->target ? value_address(in->target) : value_text(NULL));
	json_set(object, "loops", value_int(o->listing->loops[line->instruction]));
	json_object_set_new(object, "source", source_object(o, line));
	json_object_set_new(object, "events", events_object(o, line->instruction));
	strbuf_deinit(&hex);
	return object;
}

static json_t *totals_object(const struct annotate_output *o)
{
	json_t *events = json_object();
	for (size_t e = 0; e < o->events_n; e++) {
		const struct code_count *c = &o->listing->total[e];
		json_t *object = count_object(c, "share", o->events[e].all > 0 ? c->weight / o->events[e].all : 0);
		json_set(object, "outside", value_int(o->listing->outside[e].samples));
		json_set_named(events, o->events[e].name, object);
	}
	return events;
}

void annotate_json(FILE *out, const struct annotate_output *o)
{
	const struct code_listing *l = o->listing;
	fputs("{\"schema\":\"cyctop-annotate/1\"", out);
	json_put_member(out, "dso", json_value(value_text(o->dso)));
	json_put_member(out, "symbol", json_value(value_text(o->symbol)));
	json_put_member(out, "address", json_value(value_address(o->code->addr)));
	json_put_member(out, "size", json_value(value_int(o->code->size)));
	json_put_member(
		out, "hottest",
		json_value(l->hottest < l->in->n ? value_address(l->in->v[l->hottest].addr) : value_text(NULL)));
	json_put_member(out, "events", totals_object(o));
	json_put_member(out, "notes", diff_notes_array(o->notes));
	fputs(",\"instructions\":[", out);
	bool first = true;
	for (size_t i = 0; i < l->lines_n; i++) {
		if (l->lines[i].source)
			continue;
		if (!first)
			fputc(',', out);
		first = false;
		json_put(out, instruction_object(o, &l->lines[i]));
	}
	fputs("]}\n", out);
}

#else

typedef int json_is_not_in_this_build; /* ISO C forbids an empty file */

#endif
