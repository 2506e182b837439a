/* The CPU strip: a bar for each CPU; without room for bars, a character for each CPU; without room for these, a
 * character for each group of CPUs. */
#include "view/screen.h"

#include <stdio.h>
#include <string.h>

enum { BAR_MIN = 6, BAR_MIN_BRIEF = 4, BAR_MAX = 16, LABEL = 14 };

struct strip {
	const struct view_input *in;
	unsigned online;
	const struct metric *ipc; /* NULL: this session has none */
	/* set only if bars are drawn: */
	bool brief;	     /* "0" instead of "CPU0", no unit behind the IPC */
	int per_line;	     /* CPUs on a line */
	int bar, label, gap; /* widths in cells */
	/* set only if characters are drawn: */
	unsigned group; /* CPUs per character; 0: bars are drawn, one per CPU */
	int busy_lines; /* number of lines that show utilisation; the others show IPC */
	int on_line;	/* characters on a line */
};

/* Returns how many cells a CPU takes besides its bar: "CPU12 " bar " 100% 1.23 IPC", or "12 " bar " 100% 1.23". */
static int group_width(const struct strip *s)
{
	return s->label + 1 + 5 + (!s->ipc ? 0 : s->brief ? 5 : 10);
}

static bool plan_bars(struct strip *s, int cols, int max, bool brief)
{
	char last[24];
	snprintf(last, sizeof(last), "%s%u", brief ? "" : "CPU", s->in->snap->cpus_n - 1);
	s->brief = brief;
	s->gap = brief ? 2 : 3;
	s->label = (int)strlen(last);
	int fixed = group_width(s);
	int per = (cols + s->gap) / (fixed + (brief ? BAR_MIN_BRIEF : BAR_MIN) + s->gap);
	if (per < 1)
		return false;
	int lines = ((int)s->online + per - 1) / per;
	if (lines > max)
		return false;
	s->per_line = ((int)s->online + lines - 1) / lines;
	s->bar = (cols + s->gap) / s->per_line - s->gap - fixed;
	if (s->bar > BAR_MAX)
		s->bar = BAR_MAX;
	return true;
}

/* Chooses bars or characters; returns the number of lines, at most `max`. */
static int plan(struct strip *s, const struct view_input *in, int cols, int max)
{
	*s = (struct strip){.in = in};
	if (!in->snap || !in->snap->cpus || max < 1)
		return 0;
	bool known = false;
	for (unsigned c = 0; c < in->snap->cpus_n; c++) {
		s->online += in->snap->cpus[c].online;
		known |= in->snap->cpus[c].online && in->snap->cpus[c].busy_known;
	}
	s->ipc = ipc_metric(in);
	if (!s->online || (!known && !s->ipc))
		return 0;
	if (plan_bars(s, cols, max, false) || plan_bars(s, cols, max, true))
		return ((int)s->online + s->per_line - 1) / s->per_line;
	int room = cols - LABEL;
	if (room < 8)
		return 0;
	s->busy_lines = max - (s->ipc && max > 1);
	s->group = 1;
	while ((s->online + s->group - 1) / s->group > (unsigned)(room * s->busy_lines))
		s->group *= 2;
	int glyphs = (int)((s->online + s->group - 1) / s->group);
	s->busy_lines = (glyphs + room - 1) / room;
	s->on_line = (glyphs + s->busy_lines - 1) / s->busy_lines;
	return s->busy_lines + (s->ipc && max > 1);
}

int strip_rows(const struct view_input *in, int cols, int max)
{
	struct strip s;
	return plan(&s, in, cols, max);
}

const char *strip_level(int eighths, bool upright, bool ascii)
{
	static const char *const rise[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char *const grow[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
	static const char *const dots[] = {" ", ".", ":", "-", "=", "+", "*", "%", "#"};
	int i = eighths < 0 ? 0 : eighths > 8 ? 8 : eighths;
	return ascii ? dots[i] : upright ? rise[i] : grow[i];
}

static void draw_bar(struct grid *g, int row, int x, int width, double v, bool ascii)
{
	int eighths = v > 0 ? (int)(v * width * 8 + 0.5) : 0;
	for (int i = 0; i < width; i++, eighths -= 8) {
		if (eighths <= 0)
			grid_put(g, row, x + i, 1, STYLE_DIM, ascii ? "." : "·");
		else if (ascii)
			grid_put(g, row, x + i, 1, STYLE_BAR, eighths >= 4 ? "#" : ":");
		else
			grid_put(g, row, x + i, 1, STYLE_BAR, strip_level(eighths, false, false));
	}
}

static void draw_group(const struct strip *s, struct grid *g, int row, int x, unsigned cpu, bool ascii)
{
	const struct cpu_total *ct = &s->in->snap->cpus[cpu];
	char buf[48];
	snprintf(buf, sizeof(buf), s->brief ? "%*u" : "CPU%-*u", s->brief ? s->label : s->label - 3, cpu);
	grid_put(g, row, x, s->label, STYLE_DIM, buf);
	x += s->label + 1;
	draw_bar(g, row, x, s->bar, ct->busy_known ? ct->busy : 0, ascii);
	x += s->bar;
	if (ct->busy_known)
		snprintf(buf, sizeof(buf), "%.0f%%", ct->busy * 100);
	else
		strcpy(buf, "-");
	put_right(g, row, x, 5, ct->busy_known ? STYLE_NORMAL : STYLE_DIM, buf);
	x += 5;
	if (!s->ipc)
		return;
	struct ratio r = cpu_metric(s->in->snap, cpu, s->ipc);
	struct column col = {.metric = s->ipc};
	struct cell c = {.kind = r.valid ? CELL_RATIO : CELL_ABSENT, .r = r};
	cell_format(&col, &c, 0, buf, sizeof(buf));
	put_right(g, row, s->brief ? x : x + 1, 5, r.valid ? STYLE_NORMAL : STYLE_DIM, buf);
	if (!s->brief)
		grid_put(g, row, x + 7, 3, STYLE_DIM, s->ipc->title);
}

static void draw_bars(const struct strip *s, struct grid *g, int row, int rows, bool ascii)
{
	int width = group_width(s) + s->bar + s->gap;
	int i = 0;
	for (unsigned c = 0; c < s->in->snap->cpus_n; c++) {
		if (!s->in->snap->cpus[c].online)
			continue;
		if (i / s->per_line < rows)
			draw_group(s, g, row + i / s->per_line, i % s->per_line * width, c, ascii);
		i++;
	}
}

/* Computes the mean utilisation (or IPC) of the next `group` online CPUs from *cpu on, and moves *cpu behind them.
 * Returns false if none of their values is known. */
static bool next_group(const struct strip *s, unsigned group, bool ipc, unsigned *cpu, double *ret)
{
	double sum = 0;
	unsigned n = 0, taken = 0;
	for (; *cpu < s->in->snap->cpus_n && taken < group; (*cpu)++) {
		const struct cpu_total *ct = &s->in->snap->cpus[*cpu];
		if (!ct->online)
			continue;
		taken++;
		struct ratio r = {.value = ct->busy, .valid = ct->busy_known};
		if (ipc)
			r = cpu_metric(s->in->snap, *cpu, s->ipc);
		sum += r.valid ? r.value : 0;
		n += r.valid;
	}
	*ret = n ? sum / n : 0;
	return n > 0;
}

/* Draws a line of `n` characters, preceded by the numbers of its CPUs. */
static void draw_levels(const struct strip *s, struct grid *g, int row, unsigned group, int n, unsigned *cpu, bool ipc,
			bool ascii)
{
	double full = ipc ? 4 : 1, v; /* the value that fills a character */
	char text[32];
	unsigned first = *cpu;
	int x = LABEL;
	for (; x < LABEL + n && *cpu < s->in->snap->cpus_n; x++) {
		if (next_group(s, group, ipc, cpu, &v))
			grid_put(g, row, x, 1, STYLE_BAR, strip_level(1 + (int)(v / full * 7.999), true, ascii));
		else
			grid_put(g, row, x, 1, STYLE_DIM, ascii ? "?" : "·");
	}
	snprintf(text, sizeof(text), "%s %u-%u", ipc ? s->ipc->title : "busy", first, *cpu - 1);
	put_clipped(g, row, 0, LABEL - 1, STYLE_DIM, text);
	snprintf(text, sizeof(text), "%u CPUs each", group);
	if (group > 1 && x + 2 + (int)strlen(text) <= g->cols)
		grid_put(g, row, x + 2, g->cols, STYLE_DIM, text);
}

void draw_strip(const struct view_input *in, struct grid *g, int row, int rows, bool ascii)
{
	struct strip s;
	plan(&s, in, g->cols, rows);
	if (s.group == 0) {
		if (s.per_line)
			draw_bars(&s, g, row, rows, ascii);
		return;
	}
	unsigned cpu = 0;
	for (int i = 0; i < s.busy_lines; i++)
		draw_levels(&s, g, row + i, s.group, s.on_line, &cpu, false, ascii);
	if (!s.ipc || rows <= s.busy_lines)
		return;
	unsigned group = s.group, room = (unsigned)(g->cols - LABEL);
	while ((s.online + group - 1) / group > room)
		group *= 2;
	cpu = 0;
	draw_levels(&s, g, row + s.busy_lines, group, (int)room, &cpu, true, ascii);
}
