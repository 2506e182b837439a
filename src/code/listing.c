/* Makes a listing of instructions, source lines and samples. */
#include "base/alloc.h"

#include <cyctop/code.h>

#include <string.h>

static void count(struct code_listing *l, const struct code_sample *samples, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct code_sample *s = &samples[i];
		size_t at = instructions_at(l->in, s->addr);
		if (s->event >= l->events_n)
			continue;
		code_count_add(&l->total[s->event], &s->count);
		code_count_add(at < l->in->n ? &l->counts[at * l->events_n + s->event] : &l->outside[s->event],
			       &s->count);
	}
}

static size_t hottest(const struct code_listing *l)
{
	size_t most = l->in->n;
	for (size_t e = 0; e < l->events_n && most == l->in->n; e++)
		for (size_t i = 0; i < l->in->n; i++) {
			const struct code_count *c = &l->counts[i * l->events_n + e];
			if (c->samples && (most == l->in->n || c->weight > l->counts[most * l->events_n + e].weight))
				most = i;
		}
	return most;
}

/* Computes the loop depth of each instruction; a loop is the code from the target of a backward jump to the last jump
 * with this target. */
static void find_loops(struct code_listing *l)
{
	size_t n = l->in->n, *last = mem_calloc(n + 1, sizeof(*last));
	uint32_t *ends = mem_calloc(n + 1, sizeof(*ends)), depth = 0;
	for (size_t i = 0; i < n; i++) {
		const struct instruction *in = &l->in->v[i];
		size_t to = in->kind == INSTRUCTION_JUMP && in->target ? instructions_at(l->in, in->target) : n;
		if (to <= i)
			last[to] = i + 1;
	}
	for (size_t i = 0; i < n; i++) {
		if (last[i]) {
			depth++;
			ends[last[i] - 1]++;
		}
		l->loops[i] = depth < UINT8_MAX ? (uint8_t)depth : UINT8_MAX;
		depth -= ends[i];
	}
	free(last);
	free(ends);
}

static bool is_same_place(const struct code_place *a, const struct code_place *b)
{
	return a->file == b->file && a->line == b->line && a->inlined == b->inlined; /* interned strings */
}

static void add_lines(struct code_listing *l, struct source_texts *texts)
{
	const struct code_place none = {.file = NULL}, *last = &none;
	l->lines = mem_calloc(2 * l->in->n + 1, sizeof(*l->lines));
	for (size_t i = 0; i < l->in->n; i++) {
		const struct code_place *p = i < l->places->n ? &l->places->v[i] : &none;
		if (texts && p->file && p->line && !is_same_place(p, last))
			l->lines[l->lines_n++] = (struct code_line){.source = true,
								    .instruction = i,
								    .pair = i,
								    .text = source_text(texts, p->file, p->line)};
		l->lines[l->lines_n++] = (struct code_line){.instruction = i, .pair = i, .text = l->in->v[i].text};
		last = p;
	}
}

void code_listing_add_gone(struct code_listing *l, const struct code_pairs *pairs, const struct instructions *before)
{
	struct code_line *own = l->lines, *line = own;
	l->lines = mem_calloc(l->lines_n + pairs->n + 1, sizeof(*l->lines));
	l->lines_n = 0;
	size_t next = 0;
	for (size_t i = 0; i < pairs->n; i++) {
		const size_t *at = pairs->rows[i].at;
		if (at[CODE_AFTER] == SIZE_MAX) {
			l->lines[l->lines_n++] = (struct code_line){
				.gone = true, .instruction = next, .pair = i, .text = before->v[at[CODE_BEFORE]].text};
			continue;
		}
		for (bool source = true; source; line++) {
			source = line->source;
			l->lines[l->lines_n] = *line;
			l->lines[l->lines_n++].pair = i;
		}
		next = at[CODE_AFTER] + 1;
	}
	free(own);
}

void code_listing_create(const struct instructions *in, const struct code_places *places, struct source_texts *texts,
			 const struct code_sample *samples, size_t samples_n, size_t events_n, struct code_listing *ret)
{
	*ret = (struct code_listing){
		.in = in,
		.places = places,
		.events_n = events_n,
		.counts = mem_calloc(in->n * events_n + 1, sizeof(*ret->counts)),
		.total = mem_calloc(events_n + 1, sizeof(*ret->total)),
		.outside = mem_calloc(events_n + 1, sizeof(*ret->outside)),
		.loops = mem_calloc(in->n + 1, 1),
	};
	count(ret, samples, samples_n);
	ret->hottest = hottest(ret);
	find_loops(ret);
	code_arrows_draw(in, &ret->arrows);
	add_lines(ret, texts);
}

void code_listing_deinit(struct code_listing *l)
{
	free(l->lines);
	free(l->counts);
	free(l->total);
	free(l->outside);
	free(l->loops);
	free(l->arrows.rows);
}

double code_share(const struct code_listing *l, size_t instruction, size_t event)
{
	double all = l->total[event].weight;
	return all > 0 ? l->counts[instruction * l->events_n + event].weight / all : 0;
}
