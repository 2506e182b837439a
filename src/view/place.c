/* Chooses the columns that fit into a width, and places them. */
#include "view/internal.h"

/* Widens the chosen columns from their minimum to their full width, in the order of priority.  Columns without a full
 * width share the cells that are left. */
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
	int open = 0;
	for (size_t i = 0; i < n; i++)
		open += placed[i].col->width == 0;
	for (size_t i = 0; i < n; i++) {
		if (placed[i].col->width)
			continue;
		int give = left / open--;
		placed[i].width += give;
		left -= give;
	}
}

static int least_width(const struct column *col, unsigned flags)
{
	return col->width == col->min ? column_width(col, flags) : col->min;
}

/* give_comfort() makes columns of names (width 0) COMFORT_CELLS wider before columns whose priority number is COMFORT
 * or higher get a place.  Returns false if there is not enough room. */
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

	/* Columns of priority 0 are always shown, if need be narrower than their minimum.  Other columns follow in the
	 * order of priority, up to the first that does not fit. */
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
