/* Writes call chains as "folded stacks", which flame graphs are drawn from: a line for each chain of a command, from
 * the outermost function to the innermost, and its number of samples. */
#include "front/batch/batch.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct stack {
	char *text;
	uint64_t samples;
};

static char *stack_text(const struct view_input *in, const struct row *row)
{
	const char *comm = row->task < in->cat->tasks_n ? in->cat->tasks[row->task].comm : NULL;
	struct strbuf line = {0};
	clean_add(&line, comm ? comm : "[unknown]", CLEAN_LINE);
	for (char *c = line.data; *c; c++)
		if (*c == ';' || *c == ' ')
			*c = *c == ';' ? ':' : '_';
	strbuf_add(&line, ";");
	view_chain_text(in, row->ctx, &line);
	return line.data;
}

static int compare_stacks(const void *pa, const void *pb)
{
	const struct stack *a = pa, *b = pb;
	return strcmp(a->text, b->text);
}

void folded_write(FILE *out, const struct view_input *in, const struct pivot *pivot, const struct batch_config *config)
{
	struct batch_rows rows;
	VEC(struct stack) stacks = {0};
	batch_rows_init(&rows, pivot, in, config);
	for (size_t i = 0; i < rows.n; i++) {
		const struct row *row = rows.sheet->rows[i];
		uint64_t samples = row->sums[in->snap->primary].samples;
		if (samples)
			vec_push(&stacks) = (struct stack){stack_text(in, row), samples};
	}
	if (stacks.n)
		qsort(stacks.data, stacks.n, sizeof(*stacks.data), compare_stacks);
	for (size_t i = 0; i < stacks.n; i++) { /* code without names may make texts alike */
		struct stack *next = i + 1 < stacks.n ? &stacks.data[i + 1] : NULL;
		if (next && strcmp(stacks.data[i].text, next->text) == 0)
			next->samples += stacks.data[i].samples;
		else
			fprintf(out, "%s %" PRIu64 "\n", stacks.data[i].text, stacks.data[i].samples);
		free(stacks.data[i].text);
	}
	vec_free(&stacks);
	batch_rows_deinit(&rows);
}
