/* Writes call chains as "folded stacks", which flame graphs are drawn from: a line for each chain of a command, from
 * the outermost function to the innermost, and its number of samples.  Functions of the same name in different files
 * may give lines alike. */
#include "front/batch/stacks.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>

/* Adds a name without the characters that separate: semicolons between functions, blanks in a command. */
static void add_name(struct strbuf *line, const char *name, bool command)
{
	size_t at = line->n;
	strbuf_add(line, name);
	for (char *c = line->data + at; *c; c++)
		if (*c == ';' || (command && *c == ' '))
			*c = *c == ';' ? ':' : '_';
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
		uint64_t samples = stacks_samples(&s, i, in->snap->primary);
		uint32_t depth = node->depth;
		line.n = depth ? ends[depth - 1] : 0;
		strbuf_add(&line, depth ? ";" : "");
		add_name(&line, s.functions[node->function].name, depth == 0);
		ends[depth] = line.n;
		if (samples)
			fprintf(out, "%s %" PRIu64 "\n", line.data, samples);
	}
	free(ends);
	strbuf_deinit(&line);
	stacks_deinit(&s);
}
