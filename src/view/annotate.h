/* The view of a function's instructions: their samples (annotate_samples.c), how it is drawn (annotate_draw.c), and its
 * keys (annotate.c). */
#ifndef VIEW_ANNOTATE_H
#define VIEW_ANNOTATE_H

#include "view/screen.h"

#include "base/alloc.h"

#include <cyctop/code.h>

/* An instruction with samples: they are in the rows annotation.rows[first] to [first + n - 1]. */
struct spot {
	size_t instruction, first, n;
	const struct row *heaviest; /* the row with the largest weight of annotation.event */
	double weight;		    /* total weight of annotation.event */
};
struct sampled {
	size_t instruction;
	const struct row *row;
};
struct annotation {
	const struct view_input *in;
	const struct code_listing *l; /* NULL: the code is unavailable, or not read yet */
	VEC(struct sampled) rows;     /* pivot rows with an address in `l`, by instruction */
	VEC(struct spot) spots;	      /* by instruction */
	double all[EVENTS_MAX];	      /* [event]: total weight of the samples with addresses */
	uint64_t samples, before;     /* of `event`, with addresses; before: without, older than the request for them */
	size_t event;		      /* the event by whose weight instructions are hot */
	/* Set by annotation_compare(); both are NULL without a baseline.  changes: how the share of `event` changed,
	 * [code_line.pair].  unchanged: a sentence that tells why the changes are not known. */
	struct code_change *changes;
	const char *unchanged;
};

/* ---- the samples of instructions, and which is selected: annotate_samples.c ----------------------------- */

void annotation_init(struct annotation *a, const struct view_input *in, const struct view *v);
/* Computes how the shares of instructions changed against the baseline or, with A/B turns, from A to B. */
void annotation_compare(struct annotation *a, const struct view *v);
void annotation_deinit(struct annotation *a);
/* Returns the samples of an instruction; NULL: it has none. */
const struct spot *annotation_spot(const struct annotation *a, size_t instruction);
/* Returns the hottest instruction after `than`, or of all if that is NULL; NULL: there is none. */
const struct spot *annotation_next_hottest(const struct annotation *a, const struct spot *than);
/* Returns the share of an event's weight in the function that is at the instruction. */
struct cell annotation_share(const struct annotation *a, const struct spot *s, size_t event);
/* Returns the mean cost of the instruction's samples that the CPU measured (struct sample_costs). */
struct ratio annotation_cost(const struct annotation *a, const struct spot *s);
/* Returns the instruction that a line shows; if the line is gone, from the build that the baseline ran. */
const struct instruction *annotation_instruction(const struct annotation *a, const struct code_line *line);
/* Returns the value of v->selected that selects a line: the instruction's address or, if the line is gone, ~address,
 * which is no address in this function because its top bit differs. */
uint64_t annotation_id(const struct annotation *a, const struct code_line *line);
/* Returns the selected line: the one that v->selected tells, or, if that is 0, the hottest instruction's. */
size_t annotation_selected_line(const struct annotation *a, const struct view *v);
/* Returns the instruction of the selected line; if the line is gone, the instruction below it, or the last one. */
size_t annotation_selected(const struct annotation *a, const struct view *v);

/* ---- drawing: annotate_draw.c ------------------------------------------------------------------------- */

void annotate_draw(struct frame *f, struct view *v, struct rect where);

#endif
