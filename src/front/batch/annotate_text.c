/* Writes the instructions of a function with the samples beside them, for people. */
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

static void put_head(FILE *out, const struct annotate_output *o)
{
	char number[NUMBER];
	put_line(out, o->symbol);
	fputs(" in ", out);
	put_line(out, o->dso);
	for (size_t e = 0; e < o->events_n; e++) {
		fmt_grouped(number, sizeof(number), (double)o->listing->total[e].samples);
		fprintf(out, "%s%s sample%s of ", e ? ", " : ": ", number, plural(o->listing->total[e].samples));
		put_line(out, o->events[e].name);
		if (o->events[e].all > 0) {
			fmt_fixed(number, sizeof(number), 100 * o->listing->total[e].weight / o->events[e].all, 1);
			fprintf(out, " (%s%% of all)", number);
		}
	}
	fputc('\n', out);
}

/* Returns true if the event has columns: of several, those that have samples in the function. */
static bool is_shown(const struct annotate_output *o, size_t event)
{
	return o->events_n == 1 || o->listing->total[event].samples;
}

/* Columns of an event: share, samples and, if samples have one, mean cost. */
static size_t columns_of(const struct annotate_output *o, size_t event)
{
	return !is_shown(o, event) ? 0 : o->listing->total[event].measured ? 3 : 2;
}

static void add_heads(struct cells *t, const struct annotate_output *o)
{
	char head[64];
	for (size_t e = 0; e < o->events_n; e++) {
		if (!columns_of(o, e))
			continue;
		snprintf(head, sizeof(head), "%.24s%%", o->events[e].name);
		cells_add(t, head);
		cells_add(t, "SAMPLES");
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

/* Adds the part of branches that were mispredicted; `taken` is followed by the count of these. */
static void add_mispredicted(struct cells *t, const struct code_count *taken, bool source)
{
	char number[NUMBER] = "";
	if (!source && taken->weight > 0)
		fmt_fixed(number, sizeof(number), 100 * taken[1].weight / taken->weight, 1);
	cells_add(t, number);
}

static void add_counts(struct cells *t, const struct annotate_output *o, size_t instruction, bool source)
{
	char number[NUMBER];
	for (size_t e = 0; e < o->events_n; e++) {
		const struct code_count *c = &o->listing->counts[instruction * o->events_n + e];
		if (!columns_of(o, e))
			continue;
		bool any = !source && c->samples;
		fmt_fixed(number, sizeof(number), 100 * code_share(o->listing, instruction, e), 2);
		cells_add(t, any ? number : "");
		fmt_grouped(number, sizeof(number), (double)c->samples);
		cells_add(t, any ? number : "");
		fmt_fixed(number, sizeof(number), c->measured ? c->cost / (double)c->measured : 0, 1);
		if (columns_of(o, e) > 2)
			cells_add(t, any && c->measured ? number : "");
	}
	if (o->branches)
		add_mispredicted(t, &o->listing->counts[instruction * o->events_n + o->branches - 1], source);
}

static void add_bytes(struct cells *t, const struct annotate_output *o, const struct instruction *in)
{
	struct strbuf hex = {0};
	strbuf_add(&hex, "");
	for (size_t i = 0; i < in->size; i++)
		strbuf_addf(&hex, "%s%02x", i ? " " : "", o->code->bytes[in->addr - o->code->addr + i]);
	cells_add(t, hex.data);
	strbuf_deinit(&hex);
}

/* Adds the line of the source: where it is, and its text without blanks before it. */
static void add_source(struct cells *t, const struct annotate_output *o, const struct code_line *line)
{
	const struct code_place *p = &o->listing->places->v[line->instruction];
	const char *slash = strrchr(p->file, '/'), *text = line->text ? line->text : "";
	struct strbuf b = {0};
	cells_add(t, "");
	cells_add(t, "");
	if (o->bytes)
		cells_add(t, "");
	strbuf_addf(&b, "%s:%" PRIu32 "%s%s%s%.400s", slash ? slash + 1 : p->file, p->line, p->inlined ? " in " : "",
		    p->inlined ? p->inlined : "", *text ? "  " : "", text + strspn(text, " \t"));
	cells_add(t, b.data);
	strbuf_deinit(&b);
}

static void add_instruction(struct cells *t, const struct annotate_output *o, size_t i)
{
	const struct code_listing *l = o->listing;
	const struct instruction *in = &l->in->v[i];
	size_t word = strcspn(in->text, " ");
	struct strbuf b = {0};
	char mark[ARROWS_MAX + 8];
	snprintf(mark, sizeof(mark), "%s%s", i == l->hottest ? "=> " : "", l->arrows.rows[i]);
	cells_add(t, mark);
	strbuf_addf(&b, "%" PRIx64, in->addr);
	cells_add(t, b.data);
	if (o->bytes)
		add_bytes(t, o, in);
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
		if (!o->listing->outside[e].samples)
			continue;
		fprintf(out, "Note: at addresses of no instruction of the function: %" PRIu64 " sample%s of ",
			o->listing->outside[e].samples, plural(o->listing->outside[e].samples));
		put_line(out, o->events[e].name);
		fputs(".\n", out);
	}
}

void annotate_text(FILE *out, const struct annotate_output *o)
{
	struct cells t;
	size_t columns = o->bytes ? 4 : 3;
	for (size_t e = 0; e < o->events_n; e++)
		columns += columns_of(o, e);
	columns += o->branches > 0;
	put_head(out, o);
	cells_init(&t, columns);
	t.left[columns - 1] = true;
	t.left[columns - 2] = o->bytes;
	add_heads(&t, o);
	for (size_t i = 0; i < o->listing->lines_n; i++) {
		const struct code_line *line = &o->listing->lines[i];
		add_counts(&t, o, line->instruction, line->source);
		if (line->source)
			add_source(&t, o, line);
		else
			add_instruction(&t, o, line->instruction);
	}
	cells_write(&t, out);
	cells_deinit(&t);
	put_outside(out, o);
	put_notes(out, o->notes);
}
