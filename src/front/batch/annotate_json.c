/* Writes the instructions of a function, with the samples of each, as JSON: doc/batch-format.md. */
#include "front/batch/json.h"

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

/* Returns an object with the samples of an instruction, with a member for each event that has samples there. */
static json_t *events_object(const struct annotate_side *of, size_t events_n, size_t instruction)
{
	json_t *events = json_object();
	for (size_t e = 0; e < events_n; e++) {
		const struct code_count *c = &of->listing->counts[instruction * events_n + e];
		if (!c->samples)
			continue;
		json_t *object = count_object(c, "share", code_share(of->listing, instruction, e));
		json_set(object, "share_error", value_number(code_share_error(of->listing, instruction, e)));
		json_set_named(events, of->events[e].name, object);
	}
	return events;
}

static json_t *source_object(const struct code_places *places, size_t instruction)
{
	const struct code_place *p = instruction < places->n ? &places->v[instruction] : NULL;
	if (!p || !p->file)
		return json_null();
	json_t *object = json_object();
	json_set(object, "file", value_text(p->file));
	json_set(object, "line", p->line ? value_int(p->line) : value_text(NULL));
	json_set(object, "inlined", value_text(p->inlined));
	return object;
}

static json_t *instruction_object(const struct annotate_side *of, size_t events_n, size_t instruction)
{
	const struct instruction *in = &of->listing->in->v[instruction];
	json_t *object = json_object();
	struct strbuf hex = {0};
	strbuf_add(&hex, "");
	for (size_t i = 0; i < in->size; i++)
		strbuf_addf(&hex, "%02x", of->code->bytes[in->addr - of->code->addr + i]);
	json_set(object, "address", value_address(in->addr));
	json_set(object, "bytes", value_text(hex.data));
	json_set(object, "text", value_text(in->text[0] ? in->text : NULL));
	json_set(object, "target", in->target ? value_address(in->target) : value_text(NULL));
	json_set(object, "loops", value_int(of->listing->loops[instruction]));
	json_object_set_new(object, "source", source_object(of->listing->places, instruction));
	json_object_set_new(object, "events", events_object(of, events_n, instruction));
	strbuf_deinit(&hex);
	return object;
}

/* Returns, in a comparison, an object with the change of an instruction's share of each event. */
static json_t *changes_object(const struct annotate_output *o, size_t row)
{
	json_t *events = json_object();
	for (size_t e = 0; e < o->events_n; e++) {
		const struct code_change *c = &o->changes->changes[e * o->changes->pairs.n + row];
		if (!c->known)
			continue;
		json_t *object = json_object();
		json_set(object, "before", value_number(c->share[CODE_BEFORE]));
		json_set(object, "after", value_number(c->share[CODE_AFTER]));
		json_set(object, "change", value_number(c->change));
		json_set(object, "error", value_number(c->error));
		json_object_set_new(object, "real", json_boolean(c->real));
		json_set_named(events, o->of.events[e].name, object);
	}
	return events;
}

/* Returns an object for a row of a comparison: for an instruction that both builds have, or that only one has. */
static json_t *pair_object(const struct annotate_output *o, size_t row)
{
	const size_t *at = o->changes->pairs.rows[row].at;
	bool before = at[CODE_BEFORE] != SIZE_MAX, after = at[CODE_AFTER] != SIZE_MAX;
	json_t *object = after ? instruction_object(&o->of, o->events_n, at[CODE_AFTER])
			       : instruction_object(&o->changes->before, o->events_n, at[CODE_BEFORE]);
	json_set(object, "build", value_text(before && after ? "both" : before ? "before" : "after"));
	json_object_set_new(object, "same_registers",
			    before && after ? json_boolean(!o->changes->pairs.rows[row].alike) : json_null());
	json_set(object, "address_before",
		 before ? value_address(o->changes->before.listing->in->v[at[CODE_BEFORE]].addr) : value_text(NULL));
	json_object_set_new(object, "changes", changes_object(o, row));
	return object;
}

static json_t *totals_object(const struct annotate_side *of, size_t events_n)
{
	json_t *events = json_object();
	for (size_t e = 0; e < events_n; e++) {
		const struct code_count *c = &of->listing->total[e];
		json_t *object = count_object(c, "share", of->events[e].all > 0 ? c->weight / of->events[e].all : 0);
		json_set(object, "outside", value_int(of->listing->outside[e].samples));
		json_set_named(events, of->events[e].name, object);
	}
	return events;
}

static json_t *before_object(const struct annotate_output *o)
{
	const struct annotate_side *of = &o->changes->before;
	json_t *object = json_object();
	json_set(object, "dso", value_text(of->dso));
	json_set(object, "symbol", value_text(of->symbol));
	json_set(object, "address", value_address(of->code->addr));
	json_set(object, "size", value_int(of->code->size));
	json_object_set_new(object, "same_build", json_boolean(o->changes->same));
	json_object_set_new(object, "events", totals_object(of, o->events_n));
	return object;
}

static void put_instructions(FILE *out, const struct annotate_output *o)
{
	size_t n = o->changes ? o->changes->pairs.n : o->of.listing->in->n;
	for (size_t i = 0; i < n; i++)
		json_put_element(out, i, o->changes ? pair_object(o, i) : instruction_object(&o->of, o->events_n, i));
}

void annotate_json(FILE *out, const struct annotate_output *o)
{
	const struct code_listing *l = o->of.listing;
	fputs("{\"schema\":\"cyctop-annotate/1\"", out);
	json_put_member(out, "dso", json_value(value_text(o->of.dso)));
	json_put_member(out, "symbol", json_value(value_text(o->of.symbol)));
	json_put_member(out, "address", json_value(value_address(o->of.code->addr)));
	json_put_member(out, "size", json_value(value_int(o->of.code->size)));
	json_put_member(
		out, "hottest",
		json_value(l->hottest < l->in->n ? value_address(l->in->v[l->hottest].addr) : value_text(NULL)));
	json_put_member(out, "events", totals_object(&o->of, o->events_n));
	if (o->changes)
		json_put_member(out, "before", before_object(o));
	json_put_member(out, "notes", diff_notes_array(o->notes));
	fputs(",\"instructions\":[", out);
	put_instructions(out, o);
	fputs("]}\n", out);
}
