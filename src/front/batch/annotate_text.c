/* Writes the instructions of a function, with the samples of each, as human-readable text. */
#include "front/batch/cells.h"

#include "base/alloc.h"
#include "base/fmt.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Prints a line about a function: how many samples of each event it has, and its share of the event. */
static void put_side(FILE *out, const struct annotate_side *of, size_t events_n)
{
	char number[NUMBER];
	put_line(out, of->symbol);
	fputs(" in ", out);
	put_line(out, of->dso);
	for (size_t e = 0; e < events_n; e++) {
		const struct code_count *total = &of->listing->total[e];
		fmt_grouped(number, sizeof(number), (double)total->samples);
		fprintf(out, "%s%s sample%s of ", e ? ", " : ": ", number, plural(total->samples));
		put_line(out, of->events[e].name);
		if (of->events[e].all > 0) {
			fmt_fixed(number, sizeof(number), 100 * total->weight / of->events[e].all, 1);
			fprintf(out, " (%s%% of all)", number);
		}
	}
	fputc('\n', out);
}

/* Prints the lines above the table of instructions. */
static void put_head(FILE *out, const struct annotate_output *o)
{
	const struct annotate_changes *c = o->changes;
	if (!c) {
		put_side(out, &o->of, o->events_n);
		return;
	}
	const struct code_pairs *p = &c->pairs;
	size_t before = c->before.listing->in->n - p->paired, after = o->of.listing->in->n - p->paired;
	fputs("before: ", out);
	put_side(out, &c->before, o->events_n);
	fputs("after:  ", out);
	put_side(out, &o->of, o->events_n);
	if (c->same)
		fputs("The same build on both sides", out);
	else
		fprintf(out,
			"%zu instruction%s in both builds, of which %zu with other registers (~), %zu only before (-), "
			"%zu only after (+)",
			p->paired, plural(p->paired), p->alike, before, after);
	fprintf(out,
		"\n%zu share%s changed (*; at most %g%% of them by chance); errors are those of sampling alone, not of "
		"a load that varies\n",
		c->real, plural(c->real), 100 * c->fdr);
}

/* Returns true if the event gets columns, because it is the only event, or has samples in the function. */
static bool is_shown(const struct annotate_output *o, size_t event)
{
	return o->events_n == 1 || o->of.listing->total[event].samples ||
	       (o->changes && o->changes->before.listing->total[event].samples);
}

/* Returns the number of columns of an event.  They are share, samples and, if samples have a cost, the mean cost; in a
 * comparison the share before, the share after, the change and its error. */
static size_t columns_of(const struct annotate_output *o, size_t event)
{
	return !is_shown(o, event) ? 0 : o->changes ? 4 : o->of.listing->total[event].measured ? 3 : 2;
}

static void add_heads(struct cells *t, const struct annotate_output *o)
{
	char head[64];
	if (o->changes)
		cells_add(t, "");
	for (size_t e = 0; e < o->events_n; e++) {
		if (!columns_of(o, e))
			continue;
		snprintf(head, sizeof(head), "%.24s%%", o->of.events[e].name);
		cells_add(t, head);
		cells_add(t, o->changes ? "AFTER" : "SAMPLES");
		if (o->changes) {
			cells_add(t, "CHANGE");
			cells_add(t, "ERROR");
			continue;
		}
		if (columns_of(o, e) > 2)
			cells_add(t, o->branches == e + 1 ? "CYCLES" : "WEIGHT");
	}
	if (o->branches)
		cells_add(t, "MISPREDICT%");
	cells_add(t, "");
	cells_add(t, "ADDRESS");
	if (o->bytes)
		cells_add(t, "BYTES");
	cells_add(t, "INSTRUCTION");
}

/* Adds the fraction of taken branches that were mispredicted: taken[1] / taken[0]. */
static void add_mispredicted(struct cells *t, const struct code_count *taken)
{
	char number[NUMBER] = "";
	if (taken->weight > 0)
		fmt_fixed(number, sizeof(number), 100 * taken[1].weight / taken->weight, 1);
	cells_add(t, number);
}

static void add_counts(struct cells *t, const struct annotate_output *o, size_t instruction)
{
	char number[NUMBER];
	for (size_t e = 0; e < o->events_n; e++) {
		const struct code_count *c = &o->of.listing->counts[instruction * o->events_n + e];
		if (!columns_of(o, e))
			continue;
		bool any = c->samples > 0;
		fmt_fixed(number, sizeof(number), 100 * code_share(o->of.listing, instruction, e), 2);
		cells_add(t, any ? number : "");
		fmt_grouped(number, sizeof(number), (double)c->samples);
		cells_add(t, any ? number : "");
		fmt_fixed(number, sizeof(number), c->measured ? c->cost / (double)c->measured : 0, 1);
		if (columns_of(o, e) > 2)
			cells_add(t, any && c->measured ? number : "");
	}
	if (o->branches)
		add_mispredicted(t, &o->of.listing->counts[instruction * o->events_n + o->branches - 1]);
}

/* Adds the cells of an instruction in a comparison: its shares before and after, and their changes with errors. */
static void add_changes(struct cells *t, const struct annotate_output *o, size_t row)
{
	const struct code_pair *pair = &o->changes->pairs.rows[row];
	char number[NUMBER], error[NUMBER], text[NUMBER + 1];
	bool real = false;
	for (size_t e = 0; e < o->events_n; e++)
		real |= o->changes->changes[e * o->changes->pairs.n + row].real;
	cells_add(t, real ? "*" : "");
	for (size_t e = 0; e < o->events_n; e++) {
		const struct code_change *c = &o->changes->changes[e * o->changes->pairs.n + row];
		if (!columns_of(o, e))
			continue;
		for (enum code_side side = 0; side < CODE_BUILDS; side++) {
			fmt_fixed(number, sizeof(number), 100 * c->share[side], 2);
			cells_add(t, pair->at[side] == SIZE_MAX || !(c->share[side] > 0) ? "" : number);
		}
		fmt_fixed(number, sizeof(number), 100 * c->change, 2);
		fmt_fixed(error, sizeof(error), 100 * c->error, 2);
		snprintf(text, sizeof(text), "%s%s", c->change < 0 ? "" : "+", number);
		cells_add(t, c->known ? text : "");
		cells_add(t, c->known ? error : "");
	}
}

static void add_bytes(struct cells *t, const struct function_code *code, const struct instruction *in)
{
	struct strbuf hex = {0};
	strbuf_add(&hex, "");
	for (size_t i = 0; i < in->size; i++)
		strbuf_addf(&hex, "%s%02x", i ? " " : "", code->bytes[in->addr - code->addr + i]);
	cells_add(t, hex.data);
	strbuf_deinit(&hex);
}

/* Adds a line of the source code: file, line number, and text without leading blanks. */
static void add_source(struct cells *t, const struct annotate_output *o, const struct code_line *line)
{
	const struct code_place *p = &o->of.listing->places->v[line->instruction];
	const char *slash = strrchr(p->file, '/'), *text = line->text ? line->text : "";
	struct strbuf b = {0};
	cells_add_blanks(t, o->bytes ? 3 : 2);
	strbuf_addf(&b, "%s:%" PRIu32 "%s%s%s%.400s", slash ? slash + 1 : p->file, p->line, p->inlined ? " in " : "",
		    p->inlined ? p->inlined : "", *text ? "  " : "", text + strspn(text, " \t"));
	cells_add(t, b.data);
	strbuf_deinit(&b);
}

/* Adds an instruction.  `build` marks the only build that has it; "": both builds have it. */
static void add_instruction(struct cells *t, const struct annotate_output *o, const struct annotate_side *of, size_t i,
			    const char *build)
{
	const struct code_listing *l = of->listing;
	const struct instruction *in = &l->in->v[i];
	size_t word = strcspn(in->text, " ");
	struct strbuf b = {0};
	char mark[ARROWS_MAX + 8];
	bool own = of == &o->of;
	snprintf(mark, sizeof(mark), "%s%s%s", own && i == l->hottest ? "=> " : "", build,
		 own ? l->arrows.rows[i] : "");
	if (!own)
		snprintf(mark, sizeof(mark), "%s%*s", build, (int)o->of.listing->arrows.width, "");
	cells_add(t, mark);
	strbuf_addf(&b, "%" PRIx64, in->addr);
	cells_add(t, b.data);
	if (o->bytes)
		add_bytes(t, of->code, in);
	b.n = 0;
	strbuf_addf(&b, "%*s%.*s", 2, "", (int)word, in->text);
	if (in->text[word])
		strbuf_addf(&b, "%*s%s", word < 6 ? (int)(7 - word) : 1, "", in->text + word + 1);
	cells_add(t, b.data);
	strbuf_deinit(&b);
}

static void put_outside(FILE *out, const struct annotate_output *o)
{
	for (size_t e = 0; e < o->events_n; e++) {
		if (!o->of.listing->outside[e].samples)
			continue;
		fprintf(out, "Note: at addresses of no instruction of the function: %" PRIu64 " sample%s of ",
			o->of.listing->outside[e].samples, plural(o->of.listing->outside[e].samples));
		put_line(out, o->of.events[e].name);
		fputs(".\n", out);
	}
}

static void add_line_instruction(struct cells *t, const struct annotate_output *o, const struct code_line *line)
{
	const struct code_pair *pair = o->changes ? &o->changes->pairs.rows[line->pair] : NULL;
	const char build[] = {pair ? code_pair_mark(pair) : '\0', '\0'};
	if (pair && line->gone)
		add_instruction(t, o, &o->changes->before, pair->at[CODE_BEFORE], build);
	else
		add_instruction(t, o, &o->of, line->instruction, build);
}

/* Adds the lines of the listing.  `numbers`: how many columns stand before those of the code. */
static void add_listing(struct cells *t, const struct annotate_output *o, size_t numbers)
{
	for (size_t i = 0; i < o->of.listing->lines_n; i++) {
		const struct code_line *line = &o->of.listing->lines[i];
		if (line->source)
			cells_add_blanks(t, numbers);
		else if (o->changes)
			add_changes(t, o, line->pair);
		else
			add_counts(t, o, line->instruction);
		if (line->source)
			add_source(t, o, line);
		else
			add_line_instruction(t, o, line);
	}
}

void annotate_text(FILE *out, const struct annotate_output *o)
{
	struct cells t;
	size_t columns = o->changes || o->branches; /* for the mark of a change, or for MISPREDICT% */
	for (size_t e = 0; e < o->events_n; e++)
		columns += columns_of(o, e);
	size_t numbers = columns;
	columns += o->bytes ? 4 : 3;
	put_head(out, o);
	cells_init(&t, columns);
	t.left[columns - 1] = true;
	t.left[columns - 2] = o->bytes;
	add_heads(&t, o);
	add_listing(&t, o, numbers);
	cells_write(&t, out);
	put_outside(out, o);
	put_notes(out, o->notes);
}
