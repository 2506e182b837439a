/* Writes call chains in speedscope's file format (https://www.speedscope.app/file-format-schema.json): functions, and
 * for each event a profile with the chains that have samples of it. */
#include "front/batch/json.h"
#include "front/batch/stacks.h"

#include "base/alloc.h"

#include <inttypes.h>

static void put_functions(FILE *out, const struct stacks *s)
{
	for (uint32_t i = 0; i < s->functions_n; i++) {
		const struct stack_function *f = &s->functions[i];
		json_t *frame = json_object();
		json_set(frame, "name", value_text(f->name));
		if (f->file)
			json_set(frame, "file", value_text(f->file));
		json_put_element(out, i, frame);
	}
}

/* Writes the call chain that ends in a node, from the outermost function on.  `way`: scratch memory for the chain. */
static void put_chain(FILE *out, const struct stacks *s, uint32_t node, uint32_t *way)
{
	size_t n = 0;
	for (; node != STACKS_NONE; node = s->nodes[node].caller)
		way[n++] = s->nodes[node].function;
	for (const char *before = "["; n; before = ",")
		fprintf(out, "%s%" PRIu32, before, way[--n]);
	fputc(']', out);
}

static void put_profile(FILE *out, const struct stacks *s, size_t event, uint32_t *way)
{
	const char *before = "";
	double end = 0;
	fputs("{\"type\":\"sampled\"", out);
	json_put_member(out, "name", json_value(value_text(s->in->info->events[event].spec.name)));
	json_put_member(out, "unit", json_string(stacks_in_ns(s, event) ? "nanoseconds" : "none"));
	fputs(",\"samples\":[", out);
	for (uint32_t i = 0; i < s->nodes_n; i++) {
		if (!stacks_samples(s, i, event))
			continue;
		fputs(before, out);
		before = ",";
		put_chain(out, s, i, way);
	}
	fputs("],\"weights\":[", out);
	before = "";
	for (uint32_t i = 0; i < s->nodes_n; i++) {
		if (!stacks_samples(s, i, event))
			continue;
		fputs(before, out);
		before = ",";
		double weight = stacks_value(s, &s->sums[i * s->sums_n], event);
		end += weight;
		json_put(out, json_value(value_number(weight)));
	}
	fputc(']', out);
	json_put_member(out, "startValue", json_integer(0));
	json_put_member(out, "endValue", json_value(value_number(end)));
	fputc('}', out);
}

void speedscope_write(FILE *out, const struct view_input *in, const struct pivot *pivot,
		      const struct batch_config *config)
{
	struct stacks s;
	const char *before = "";
	uint32_t most = 0;
	stacks_init(&s, in, pivot, config);
	for (uint32_t i = 0; i < s.nodes_n; i++)
		most = s.nodes[i].depth > most ? s.nodes[i].depth : most;
	uint32_t *way = mem_calloc((size_t)most + 1, sizeof(*way));
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"", out);
	json_put_member(out, "exporter", json_string("cyctop"));
	json_put_member(out, "name", json_value(value_text(*in->info->target ? in->info->target : "cyctop")));
	fputs(",\"shared\":{\"frames\":[", out);
	put_functions(out, &s);
	fputs("]},\"profiles\":[", out);
	for (size_t e = 0; e < in->snap->events_n; e++) {
		if (!stacks_has(&s, e))
			continue;
		fputs(before, out);
		before = ",";
		put_profile(out, &s, e, way);
	}
	fputs("]}\n", out);
	free(way);
	stacks_deinit(&s);
}
