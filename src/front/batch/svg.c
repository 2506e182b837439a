/* Writes call chains as a flame graph, an SVG without external files.  Each function is a box below its caller, as wide
 * as its share including callees.  Without its script, the SVG is a static picture. */
#include "front/batch/stacks.h"

#include "base/alloc.h"
#include "base/fmt.h"
#include "base/index.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The BOXES_MAX largest boxes are drawn, except those below 1/NARROWEST of the width.  Other sizes are in pixels. */
enum { BOXES_MAX = 20000, NARROWEST = 10000, WIDTH = 1200, HEAD = 64, LINE = 17, MARGIN = 8 };

/* Style and script of the picture, from flame.svg. */
static const char fixed[] =
#include "flame.inc"
	;

struct flame {
	struct stacks stacks;
	struct columns columns; /* the table's columns, from which the metrics of a box are printed */
	/* totals[nodes_n]: each node's share with callees; whole: the sum of these over all commands */
	double *totals, whole;
	/* sums[nodes_n * sums_n]: the sums of each node with callees; sum[sums_n]: those of all nodes together */
	struct sum *sums, *sum;
	double *next;		 /* [nodes_n]: where the next box below a node begins, 0..1 */
	bool *drawn;		 /* [nodes_n]: the node has a box */
	uint32_t drawn_n, depth; /* number of boxes; number of their rows */
};

/* Writes text that has no control characters.  U+FFFE and U+FFFF, which XML does not allow, become '?'. */
static void put_xml(FILE *out, const char *s)
{
	for (; *s; s++)
		if (*s == '&')
			fputs("&amp;", out);
		else if (*s == '<')
			fputs("&lt;", out);
		else if (*s == '>')
			fputs("&gt;", out);
		else if (strncmp(s, "\xef\xbf\xbe", 3) == 0 || strncmp(s, "\xef\xbf\xbf", 3) == 0)
			fputc('?', out), s += 2;
		else
			fputc(*s, out);
}

/* Writes text that may have control characters. */
static void put_text(FILE *out, const char *s)
{
	struct strbuf b = {0};
	clean_add(&b, s, CLEAN_LINE);
	put_xml(out, b.data);
	strbuf_deinit(&b);
}

/* ---- choosing the boxes to draw -------------------------------------------------------------- */

static void add_callees(struct flame *f)
{
	const struct stacks *s = &f->stacks;
	size_t n = s->sums_n;
	for (uint32_t i = s->nodes_n; i-- > 0;) {
		uint32_t caller = s->nodes[i].caller;
		bool outermost = caller == STACKS_NONE;
		struct sum *to = outermost ? f->sum : &f->sums[caller * n];
		f->totals[i] += s->nodes[i].share;
		*(outermost ? &f->whole : &f->totals[caller]) += f->totals[i];
		for (size_t k = 0; k < n; k++) {
			sum_add(&f->sums[i * n + k], &s->sums[i * n + k]);
			sum_add(&to[k], &f->sums[i * n + k]);
		}
	}
}

static int by_size(const void *pa, const void *pb, void *ctx)
{
	const struct flame *f = ctx;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	if (f->totals[a] != f->totals[b])
		return f->totals[a] > f->totals[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Marks the largest boxes in f->drawn.  A caller is at least as large as its callees and comes before them, so that the
 * callers of a marked box are marked, too. */
static void choose(struct flame *f)
{
	uint32_t n = f->stacks.nodes_n, *order = mem_calloc((size_t)n + 1, sizeof(*order));
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	if (n > BOXES_MAX)
		qsort_r(order, n, sizeof(*order), by_size, f);
	for (uint32_t i = 0; i < n && i < BOXES_MAX; i++) {
		const struct stack_node *node = &f->stacks.nodes[order[i]];
		if (!(f->totals[order[i]] > 0) || f->totals[order[i]] * NARROWEST < f->whole)
			continue;
		f->drawn[order[i]] = true;
		f->drawn_n++;
		f->depth = node->depth + 1 > f->depth ? node->depth + 1 : f->depth;
	}
	free(order);
}

static void flame_init(struct flame *f, const struct view_input *in, const struct pivot *pivot,
		       const struct batch_config *config)
{
	*f = (struct flame){.depth = 0};
	stacks_init(&f->stacks, in, pivot, config);
	view_columns(in, &pivot->query, &f->columns);
	size_t n = (size_t)f->stacks.nodes_n + 1, sums_n = f->stacks.sums_n + 1;
	f->totals = mem_calloc(n, sizeof(*f->totals));
	f->sums = mem_calloc(n * sums_n, sizeof(*f->sums));
	f->sum = mem_calloc(sums_n, sizeof(*f->sum));
	f->next = mem_calloc(n, sizeof(*f->next));
	f->drawn = mem_calloc(n, sizeof(*f->drawn));
	add_callees(f);
	choose(f);
}

static void flame_deinit(struct flame *f)
{
	stacks_deinit(&f->stacks);
	free(f->totals);
	free(f->sums);
	free(f->sum);
	free(f->next);
	free(f->drawn);
}

/* ---- writing boxes ---------------------------------------------------------------------------------- */

static double part(double of, double whole)
{
	return whole > 0 ? of / whole : 0;
}

/* Writes a line about each event and metric.  `self`: sums of the function without callees; NULL: of all functions. */
static void put_details(FILE *out, struct flame *f, struct sum *sums, const struct sum *self)
{
	const struct view_input *in = f->stacks.in;
	const struct row row = {.sums = sums, .ctx = CATALOG_NONE, .task = CATALOG_NONE};
	char text[64];
	for (size_t e = 0; e < in->snap->events_n; e++) {
		if (!stacks_has(&f->stacks, e))
			continue;
		double whole = stacks_value(&f->stacks, f->sum, e);
		fmt_grouped(text, sizeof(text), (double)sums[e].samples);
		fputc('\n', out);
		put_text(out, in->info->events[e].spec.name);
		fprintf(out, ": %.2f %% (%s samples)", 100 * part(stacks_value(&f->stacks, sums, e), whole), text);
		fmt_grouped(text, sizeof(text), self ? (double)self[e].samples : 0);
		if (self)
			fprintf(out, ", alone %.2f %% (%s)", 100 * part(stacks_value(&f->stacks, self, e), whole),
				text);
	}
	for (size_t i = 0; i < f->columns.n; i++) {
		const struct column *col = &f->columns.v[i];
		if (!col->metric || col->total)
			continue;
		const struct cell cell = col->value(in, col, &row);
		if (cell.kind != CELL_RATIO)
			continue;
		cell_format(col, &cell, CELL_WITH_ERROR, text, sizeof(text));
		fputc('\n', out);
		put_text(out, col->metric->title);
		fputs(" with callees: ", out);
		put_xml(out, text);
	}
}

/* Writes the beginning of a box: its place (x and width in 0..1, row) and colour.  A larger `heat` makes it redder. */
static void put_box(FILE *out, double x, double width, uint32_t row, double heat, uint64_t hash)
{
	int tint = (int)(hash % 40), blue = (int)(hash / 40 % 30);
	fprintf(out, "<svg x=\"%.6f%%\" y=\"%" PRIu64 "\" width=\"%.6f%%\" height=\"%d\">", 100 * x,
		(uint64_t)row * LINE, 100 * width, LINE);
	fprintf(out, "<rect width=\"100%%\" height=\"%d\" rx=\"1\" fill=\"#%02x%02x%02x\"/><title>", LINE,
		(unsigned)(255 - tint / 4), (unsigned)(200 - 120 * heat + tint), (unsigned)(125 - 95 * heat + blue));
}

/* Writes the end of a box, with its label if the box is wide enough.  The script labels the others once they are
 * enlarged. */
static void put_label(FILE *out, const char *name, double width)
{
	fputs("</title>", out);
	if (width > 0.01) {
		char text[WIDTH / 4 + 1];
		snprintf(text, sizeof(text), "%s", name);
		size_t n = strlen(text);
		while (n && n + 1 == sizeof(text) && (name[n] & 0xc0) == 0x80) /* does not cut a UTF-8 character */
			text[--n] = '\0';
		fputs("<text x=\"4\" y=\"13\">", out);
		put_xml(out, text);
		fputs("</text>", out);
	}
	fputs("</svg>\n", out);
}

static void put_node(FILE *out, struct flame *f, uint32_t i, double *all_next)
{
	const struct stack_node *node = &f->stacks.nodes[i];
	const struct stack_function *function = &f->stacks.functions[node->function];
	size_t sums_n = f->stacks.sums_n;
	double *next = node->caller == STACKS_NONE ? all_next : &f->next[node->caller];
	double width = part(f->totals[i], f->whole);
	f->next[i] = *next;
	*next += width;
	if (!f->drawn[i])
		return;
	put_box(out, f->next[i], width, node->depth + 1, sqrt(fmin(part(node->share, f->whole), 1)),
		hash_bytes(function->name, strlen(function->name), 0));
	put_xml(out, function->name);
	fputc('\n', out);
	put_xml(out, function->file ? function->file : "command");
	put_details(out, f, &f->sums[i * sums_n], &f->stacks.sums[i * sums_n]);
	put_label(out, function->name, width);
}

/* ---- writing the picture ---------------------------------------------------------------------------- */

static void put_heading(FILE *out, const struct flame *f)
{
	const struct view_input *in = f->stacks.in;
	const char *of = *in->info->target ? in->info->target : in->info->host;
	char text[UTC_CHARS];
	struct value time = value_utc(in, text);
	fprintf(out, "<text id=\"title\" x=\"8\" y=\"22\">Flame graph%s", *of ? " of " : "");
	put_text(out, of);
	fputs("</text>\n<text id=\"search\" class=\"key\" x=\"99%\" y=\"22\" text-anchor=\"end\"/>\n"
	      "<text id=\"found\" x=\"93%\" y=\"22\" text-anchor=\"end\"/>\n<text id=\"about\" x=\"8\" y=\"46\">",
	      out);
	char number[32];
	fmt_grouped(number, sizeof(number), (double)f->sum[f->stacks.event].samples);
	fprintf(out, "%s samples of ", number);
	put_text(out, in->info->events[f->stacks.event].spec.name);
	fmt_duration(number, sizeof(number), in->snap->end_ns - in->snap->start_ns);
	fprintf(out, " in %s; width: ", number);
	put_text(out, f->stacks.event == in->snap->primary ? view_share_of(in)
							   : in->info->events[f->stacks.event].spec.name);
	fputs(" with callees; the redder, the more of it alone", out);
	if (f->drawn_n < f->stacks.nodes_n)
		fprintf(out, "; %" PRIu32 " boxes too narrow to draw", f->stacks.nodes_n - f->drawn_n);
	fprintf(out, "%s%s</text>\n", time.kind == VALUE_TEXT ? "; " : "", time.kind == VALUE_TEXT ? time.s : "");
}

void svg_write(FILE *out, const struct view_input *in, const struct pivot *pivot, const struct batch_config *config)
{
	struct flame f;
	double next = 0;
	flame_init(&f, in, pivot, config);
	uint64_t rows = (uint64_t)f.depth + 1;
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%" PRIu64
		"\" font-family=\"monospace\" font-size=\"12\">\n",
		WIDTH, HEAD + rows * LINE + MARGIN);
	fputs(fixed, out);
	fputs("<rect class=\"back\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", out);
	put_heading(out, &f);
	fprintf(out, "<svg id=\"frames\" y=\"%d\" width=\"100%%\" height=\"%" PRIu64 "\">\n", HEAD, rows * LINE);
	put_box(out, 0, 1, 0, 0, 0);
	fputs("all", out);
	put_details(out, &f, f.sum, NULL);
	put_label(out, "all", 1);
	for (uint32_t i = 0; i < f.stacks.nodes_n; i++)
		put_node(out, &f, i, &next);
	fputs("</svg>\n</svg>\n", out);
	flame_deinit(&f);
}
