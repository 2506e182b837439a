/* Writes call chains as "folded stacks", the input of flame graph tools: a line for each chain of a command, from the
 * outermost function to the innermost, and its number of samples, or the microseconds that threads were off the CPU.
 * Functions of the same name in different files may make equal lines, which tools add up. */
#include "front/batch/stacks.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>

/* Adds a name, replacing the separators of folded stacks: ';' between functions, and ' ' after the command. */
static void add_name(struct strbuf *line, const char *name, bool command)
{
	size_t at = line->n;
	strbuf_add(line, name);
	for (char *c = line->data + at; *c; c++)
		if (*c == ';' || (command && *c == ' '))
			*c = *c == ';' ? ':' : '_';
}

static uint64_t number_of(const struct stacks *s, uint32_t node)
{
	if (!s->in->info->events[s->event].spec.off_cpu)
		return stacks_samples(s, node, s->event);
	return (uint64_t)(stacks_value(s, &s->sums[node * s->sums_n], s->event) / 1000 + 0.5);
}

void folded_write(FILE *out, const struct view_input *in, const struct pivot *pivot, const struct batch_config *config)
{
	struct stacks s;
	struct strbuf line = {0};
	stacks_init(&s, in, pivot, config);
	size_t *ends =
		mem_calloc((size_t)s.nodes_n + 1, sizeof(*ends)); /* [depth]: where a function ends in the line */
	for (uint32_t i = 0; i < s.nodes_n; i++) {
		const struct stack_node *node = &s.nodes[i];
		uint64_t number = number_of(&s, i);
		uint32_t depth = node->depth;
		line.n = depth ? ends[depth - 1] : 0;
		strbuf_add(&line, depth ? ";" : "");
		add_name(&line, s.functions[node->function].name, depth == 0);
		ends[depth] = line.n;
		if (number)
			fprintf(out, "%s %" PRIu64 "\n", line.data, number);
	}
	free(ends);
	strbuf_deinit(&line);
	stacks_deinit(&s);
}
