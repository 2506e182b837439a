/* The samples of a function's instructions, and which of these is selected. */
#include "view/annotate.h"
#include "view/columns.h"

#include <math.h>
#include <stdlib.h>

/* ---- finding the samples of instructions ------------------------------------------------------------- */

static int by_instruction(const void *va, const void *vb)
{
	const struct sampled *a = va, *b = vb;
	if (a->instruction != b->instruction)
		return a->instruction < b->instruction ? -1 : 1;
	return a->row->id < b->row->id ? -1 : a->row->id > b->row->id;
}

/* Returns the primary event; if it has no samples here, the first event that has some, if any. */
static size_t event_of(const struct annotation *a)
{
	size_t primary = primary_event(a->in);
	for (size_t e = 0; e < a->in->snap->events_n && !(a->all[primary] > 0); e++)
		if (a->all[e] > 0)
			return e;
	return primary;
}

/* Adds the samples of annotation.event in the rows of `p` to ret->counts[instruction] and to *ret->total, both of which
 * the caller allocates. */
static void count_side(const struct annotation *a, const struct pivot *p, struct code_listing *ret)
{
	for (size_t i = 0; p && i < p->n; i++) {
		uint64_t addr = catalog_ctx_addr(a->in->cat, p->rows[i].ctx);
		size_t at = addr ? instructions_at(ret->in, addr) : SIZE_MAX;
		const struct sum *sum = &p->rows[i].sums[a->event];
		const struct code_count count = {.samples = sum->samples, .weight = sum->weight, .squares = sum->var};
		if (addr)
			code_count_add(ret->total, &count);
		if (at < ret->in->n)
			code_count_add(&ret->counts[at], &count);
	}
}

/* Pairs each instruction with itself, for two sides that ran the same build. */
static struct code_pairs pairs_of_one(size_t n)
{
	struct code_pairs ret = {.rows = mem_calloc(n + 1, sizeof(*ret.rows)), .n = n, .paired = n};
	for (size_t i = 0; i < n; i++)
		ret.rows[i] = (struct code_pair){.at = {i, i}};
	return ret;
}

/* Computes how the shares of instructions changed between the two sides, which ran the same build or two builds. */
static void find_changes(struct annotation *a, const struct compared *t)
{
	const struct view_code *code = &a->in->code;
	const struct instructions *in[CODE_BUILDS] = {code->pairs ? code->before->in : a->l->in, a->l->in};
	struct code_count total[CODE_BUILDS] = {{.samples = 0}};
	struct code_listing sides[CODE_BUILDS];
	struct code_pairs one = pairs_of_one(code->pairs ? 0 : a->l->in->n);
	const struct code_pairs *pairs = code->pairs ? code->pairs : &one;
	for (enum code_side side = 0; side < CODE_BUILDS; side++) {
		sides[side] = (struct code_listing){.in = in[side],
						    .events_n = 1,
						    .counts = mem_calloc(in[side]->n + 1, sizeof(*sides[side].counts)),
						    .total = &total[side]};
		count_side(a, t->sides[side].pivot, &sides[side]);
	}
	if (total[CODE_BEFORE].samples && total[CODE_AFTER].samples) {
		const struct code_listing *const listings[CODE_BUILDS] = {&sides[CODE_BEFORE], &sides[CODE_AFTER]};
		a->changes = mem_calloc(pairs->n + 1, sizeof(*a->changes));
		code_changes(listings, pairs, 0, a->in->comparison->fdr, a->changes);
	} else if (!total[CODE_BEFORE].samples) {
		a->unchanged = "The baseline has no samples of these instructions.   b: a new baseline   B: none";
	}
	for (enum code_side side = 0; side < CODE_BUILDS; side++)
		free(sides[side].counts);
	code_pairs_deinit(&one);
}

static void find_spots(struct annotation *a)
{
	if (a->rows.n)
		qsort(a->rows.data, a->rows.n, sizeof(*a->rows.data), by_instruction);
	for (size_t i = 0; i < a->rows.n; i++) {
		const struct sampled *s = &a->rows.data[i];
		if (!a->spots.n || a->spots.data[a->spots.n - 1].instruction != s->instruction)
			vec_push(&a->spots) =
				(struct spot){.instruction = s->instruction, .first = i, .heaviest = s->row};
		struct spot *spot = &a->spots.data[a->spots.n - 1];
		if (s->row->sums[a->event].weight > spot->heaviest->sums[a->event].weight)
			spot->heaviest = s->row;
		spot->n++;
		spot->weight += s->row->sums[a->event].weight;
	}
}

void annotation_init(struct annotation *a, const struct view_input *in, const struct view *v)
{
	const struct pivot *p = in->snap ? snapshot_pivot(in->snap, &v->pivot) : NULL;
	*a = (struct annotation){.in = in, .l = in->code.listing};
	for (size_t i = 0; p && i < p->n; i++)
		for (size_t e = 0; e < in->snap->events_n && catalog_ctx_addr(in->cat, p->rows[i].ctx); e++)
			a->all[e] += p->rows[i].sums[e].weight;
	a->event = in->snap ? event_of(a) : 0;
	for (size_t i = 0; p && i < p->n; i++) {
		const struct row *row = &p->rows[i];
		uint64_t addr = catalog_ctx_addr(in->cat, row->ctx);
		*(addr ? &a->samples : &a->before) += row->sums[a->event].samples;
		size_t at = addr && a->l ? instructions_at(a->l->in, addr) : SIZE_MAX;
		if (a->l && at < a->l->in->n)
			vec_push(&a->rows) = (struct sampled){at, row};
	}
	find_spots(a);
}

void annotation_compare(struct annotation *a, const struct view *v)
{
	const struct pivot *p = a->in->snap ? snapshot_pivot(a->in->snap, &v->pivot) : NULL;
	const struct compared *t = compared_table(a->in, p);
	const struct view_code *code = &a->in->code;
	if (!a->in->comparison || !a->l || !a->l->in->n || !p)
		return;
	if (a->in->comparison->of_file)
		a->unchanged = "A file has no samples of instructions: cyctop annotate --baseline compares recordings.";
	else if (code->rebuilt && !code->pairs)
		a->unchanged = code->why_no_baseline_code ? code->why_no_baseline_code
							  : "The code that the baseline ran is being read.";
	else if (t)
		find_changes(a, t);
}

void annotation_deinit(struct annotation *a)
{
	vec_free(&a->rows);
	vec_free(&a->spots);
	free(a->changes);
}

const struct spot *annotation_spot(const struct annotation *a, size_t instruction)
{
	size_t low = 0, high = a->spots.n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (a->spots.data[mid].instruction < instruction)
			low = mid + 1;
		else
			high = mid;
	}
	return low < a->spots.n && a->spots.data[low].instruction == instruction ? &a->spots.data[low] : NULL;
}

const struct spot *annotation_next_hottest(const struct annotation *a, const struct spot *than)
{
	const struct spot *best = NULL;
	for (size_t i = 0; i < a->spots.n; i++) {
		const struct spot *s = &a->spots.data[i];
		bool after = !than || s->weight < than->weight || (!(s->weight > than->weight) && s > than);
		if (s->weight > 0 && after && (!best || s->weight > best->weight))
			best = s;
	}
	return best;
}

struct cell annotation_share(const struct annotation *a, const struct spot *s, size_t event)
{
	const struct column col = {.event = (uint32_t)event};
	struct cell share = cell_absent();
	double var = 0;
	for (size_t i = s->first; i < s->first + s->n; i++) {
		struct cell weight = weight_cell(a->in, &col, a->rows.data[i].row);
		if (weight.kind == CELL_ABSENT || !(weight.v > 0) || !(a->all[event] > 0))
			continue;
		share.kind = CELL_PERCENT;
		share.v += weight.v / a->all[event];
		var += weight.error * weight.error / a->all[event] / a->all[event];
	}
	share.error = sqrt(var);
	return share;
}

struct ratio annotation_cost(const struct annotation *a, const struct spot *s)
{
	struct sample_costs all = {0};
	for (size_t i = s->first; i < s->first + s->n; i++) {
		const struct sample_costs *of = &a->rows.data[i].row->costs;
		all = (struct sample_costs){all.n + of->n, all.sum + of->sum, all.squares + of->squares};
	}
	return costs_mean(&all);
}

/* ---- finding the selected line ----------------------------------------------------------------------- */

/* Returns the index of the line that shows an instruction.  Source lines directly above are of this instruction,
 * too. */
static size_t line_of(const struct code_listing *l, size_t instruction)
{
	size_t low = 0, high = l->lines_n;
	while (low < high) { /* of the lines with this instruction, the last one shows it */
		size_t mid = low + (high - low) / 2;
		if (l->lines[mid].instruction <= instruction)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? low - 1 : 0;
}

const struct instruction *annotation_instruction(const struct annotation *a, const struct code_line *line)
{
	const struct view_code *code = &a->in->code;
	return line->gone ? &code->before->in->v[code->pairs->rows[line->pair].at[CODE_BEFORE]]
			  : &a->l->in->v[line->instruction];
}

uint64_t annotation_id(const struct annotation *a, const struct code_line *line)
{
	uint64_t addr = annotation_instruction(a, line)->addr;
	return line->gone ? ~addr : addr;
}

size_t annotation_selected_line(const struct annotation *a, const struct view *v)
{
	const struct code_listing *l = a->l;
	const struct spot *hottest = v->selected ? NULL : annotation_next_hottest(a, NULL);
	for (size_t i = 0; v->selected && a->in->code.pairs && i < l->lines_n; i++)
		if (l->lines[i].gone && annotation_id(a, &l->lines[i]) == v->selected)
			return i;
	size_t at = hottest ? hottest->instruction : instructions_at(l->in, v->selected);
	return line_of(l, at < l->in->n ? at : 0);
}

size_t annotation_selected(const struct annotation *a, const struct view *v)
{
	size_t at = a->l->lines[annotation_selected_line(a, v)].instruction;
	return at < a->l->in->n ? at : a->l->in->n - 1;
}
