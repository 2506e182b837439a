/* Compares the rows of the flame view with the baseline's or, with A/B turns, the rows of B with those of A. */
#ifndef VIEW_FLAME_CHANGE_H
#define VIEW_FLAME_CHANGE_H

#include <cyctop/diff.h>
#include <cyctop/view.h>

/* The rows of one side, with an index to find them by id. */
struct flame_side {
	const struct snapshot *snap;
	const struct pivot *pivot;
	uint32_t *order;		   /* [pivot->n]: indices of rows, sorted by id */
	const struct chain_shares *shares; /* of the baseline's file, which has no pivot; else NULL */
};
struct flame_sides {
	bool known; /* there is a comparison, and it has call chains */
	struct flame_side of[DIFF_SIDES];
};
void flame_sides_init(struct flame_sides *s, const struct view_input *in, const struct pivot *pivot);
void flame_sides_deinit(struct flame_sides *s);

/* A share or metric of a row on both sides. */
struct flame_number {
	double value[DIFF_SIDES], error[DIFF_SIDES]; /* standard errors */
	bool valid[DIFF_SIDES];
};
/* Returns the share of the row `id` on both sides; `whole`: including all callees.  On a side that lacks the row the
 * share is 0, with the error that it has on the other side. */
struct flame_number flame_share(const struct flame_sides *s, uint64_t id, bool whole);
/* Returns the IPC of the row `id`, including all callees, on both sides; `ipc`: the metric of the session. */
struct flame_number flame_ipc(const struct flame_sides *s, uint64_t id, const struct metric *ipc);
/* Returns the value after minus the value before; 0 if the difference is below two standard errors. */
double flame_moved(const struct flame_number *n);
/* Writes "33.6±1.0→66.1±1.1"; `percent`: the number is a fraction, written in percent. */
void flame_number_text(const struct flame_number *n, bool percent, bool ascii, char *buf, size_t cap);

#endif
