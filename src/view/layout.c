/* Who gets which rows and columns of the screen. */
#include "view/internal.h"

/* A table below this many rows of screen is not worth a pane of its own. */
enum { BODY_FOR_TWO = 20 };

/* Lines of the header, in the order in which they show; each needs a screen of
 * so many rows.  The trust line is the last to go. */
static void place_header(const struct layout_input *li, struct layout *ret, int *row)
{
	int rows = li->rows;
	ret->title = rows >= 7 ? (*row)++ : -1;
	ret->events = rows >= 18 && li->events ? (*row)++ : -1;
	ret->summary = rows >= 10 ? (*row)++ : -1;
	ret->strip = li->strip_rows > 0 ? *row : -1;
	ret->strip_rows = li->strip_rows;
	*row += li->strip_rows;
	ret->trust = (*row)++;
	if (rows >= 30) /* room to breathe */
		(*row)++;
}

static void place_pane(struct pane_box *box, enum pane pane, int first, int rows)
{
	*box = (struct pane_box){.pane = pane, .title = -1, .heading = -1};
	if (rows >= 4)
		box->title = first++;
	if (rows >= 2)
		box->heading = first++;
	box->first = first;
	box->rows = rows - (box->title >= 0) - (box->heading >= 0);
}

/* The panel takes rows of the lower table: nothing above it moves. */
static void place_why(const struct layout_input *li, struct layout *ret)
{
	struct pane_box *last = ret->boxes_n ? &ret->boxes[ret->boxes_n - 1] : NULL;
	int want = li->rows >= 30 ? 7 : li->rows >= 20 ? 6 : 4;
	if (last && last->rows < want + 2)
		want = 4;
	if (!li->why || !last || last->rows < want + 2)
		return;
	last->rows -= want;
	ret->why = last->first + last->rows;
	ret->why_rows = want;
}

void layout_compute(const struct layout_input *li, struct layout *ret)
{
	int row = 0;
	*ret = (struct layout){.footer = -1, .why = -1};
	place_header(li, ret, &row);
	int end = li->rows;
	if (li->rows >= 8)
		ret->footer = --end;
	int body = end - row;
	if (body <= 0)
		return;
	if (body < BODY_FOR_TWO) {
		place_pane(&ret->boxes[0], li->focus, row, body);
		ret->boxes_n = 1;
		place_why(li, ret);
		return;
	}
	/* A blank line between them. */
	int upper = body / 2;
	place_pane(&ret->boxes[0], PANE_SYMBOLS, row, upper);
	place_pane(&ret->boxes[1], li->show_cpus ? PANE_CPUS : PANE_TASKS, row + upper + 1, body - upper - 1);
	ret->boxes_n = 2;
	place_why(li, ret);
}

/* A clock alone says nothing there: it counts the time. */
static bool events_line(const struct view_input *in)
{
	return in->info->scope != SCOPE_PROC &&
	       (in->info->events_n > 1 || (in->info->events_n == 1 && in->info->events[0].spec.role != ROLE_CLOCK));
}

void layout_for(const struct view_state *st, const struct view_input *in, int rows, int cols, struct layout *ret)
{
	int strip_max = rows >= 50 ? 4 : rows >= 35 ? 3 : rows >= 20 ? 2 : rows >= 14 ? 1 : 0;
	struct layout_input li = {
		.rows = rows,
		.events = events_line(in),
		.strip_rows = strip_rows(in, cols, strip_max),
		.focus = st->focus,
		.show_cpus = st->show_cpus,
		.why = st->why,
	};
	layout_compute(&li, ret);
}

/* Grows the chosen columns from their least to their full width, the important
 * ones first; a column without a width takes what is then left. */
static void widen(struct placed *placed, size_t n, unsigned flags, int left)
{
	for (int priority = 0; left > 0 && priority <= UINT8_MAX; priority++) {
		for (size_t i = 0; i < n; i++) {
			int want = column_width(placed[i].col, flags) - placed[i].width;
			if (placed[i].col->priority != priority || want <= 0)
				continue;
			int give = want < left ? want : left;
			placed[i].width += give;
			left -= give;
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (placed[i].col->width == 0) {
			placed[i].width += left;
			return;
		}
	}
}

static int least_width(const struct column *col, unsigned flags)
{
	return col->width == col->min ? column_width(col, flags) : col->min;
}

/* Names get this much more room before the columns from COMFORT on get any. */
enum { COMFORT = 3, COMFORT_CELLS = 8 };

static bool give_comfort(const struct columns *cols, const bool *chosen, int *least, int *used, int width)
{
	for (size_t i = 0; i < cols->n; i++) {
		if (!chosen[i] || cols->v[i].width != 0)
			continue;
		if (*used + COMFORT_CELLS > width)
			return false;
		least[i] += COMFORT_CELLS;
		*used += COMFORT_CELLS;
	}
	return true;
}

size_t columns_place(const struct columns *cols, int width, unsigned flags, struct placed ret[COLUMNS_MAX])
{
	bool chosen[COLUMNS_MAX] = {false};
	int least[COLUMNS_MAX] = {0};
	int used = -1; /* a gap goes before every column but the first */
	bool full = false;

	/* Those of priority 0 always, if need be narrower than they like; then in
	 * the order of priority, up to the first that has no room. */
	for (int priority = 0; !full && priority <= UINT8_MAX; priority++) {
		if (priority == COMFORT && !give_comfort(cols, chosen, least, &used, width))
			break;
		for (size_t i = 0; i < cols->n && !full; i++) {
			if (cols->v[i].priority != priority)
				continue;
			int want = least_width(&cols->v[i], flags);
			if (used + 1 + want > width) {
				full = true;
				want = priority == 0 ? width - used - 1 : 0;
			}
			if (want <= 0)
				break;
			chosen[i] = true;
			least[i] = want;
			used += 1 + want;
		}
	}
	size_t n = 0;
	for (size_t i = 0; i < cols->n; i++) {
		if (chosen[i])
			ret[n++] = (struct placed){.col = &cols->v[i], .width = least[i]};
	}
	widen(ret, n, flags, width - used);
	int x = 0;
	for (size_t i = 0; i < n; i++) {
		ret[i].x = x;
		x += ret[i].width + 1;
	}
	return n;
}
