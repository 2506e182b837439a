/* The view of a function's instructions: their samples (annotate_samples.c), how it is drawn (annotate_draw.c), and its
 * keys (annotate.c). */
#ifndef VIEW_ANNOTATE_H
#define VIEW_ANNOTATE_H

#include "view/screen.h"

#include "base/alloc.h"

#include <cyctop/code.h>

/* An instruction with samples, which are in annotation.rows[first] to [first + n - 1]. */
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
	VEC(struct sampled) rows;     /* pivot rows with an address in `l`, sorted by instruction */
	VEC(struct spot) spots;	      /* the instructions that have samples, in order */
	double all[EVENTS_MAX];	      /* [event]: total weight of the samples with addresses */
	/* Numbers of samples of `event`.  samples: with addresses; before: without, from before addresses were
	 * requested. */
	uint64_t samples, before;
	size_t event; /* the event whose weight says how hot an instruction is */
	/* Set by annotation_compare(); both are NULL without a baseline.  changes[code_line.pair]: how the line's share
	 * of `event` changed.  unchanged: a sentence for the user that says why the changes are not known. */
	struct code_change *changes;
	const char *unchanged;
};

/* ---- annotate_samples.c: the samples of instructions, and the selected line ----------------------------- */

void annotation_init(struct annotation *a, const struct view_input *in, const struct view *v);
/* Computes how the shares of instructions changed against the baseline or, with A/B turns, from A to B. */
void annotation_compare(struct annotation *a, const struct view *v);
void annotation_deinit(struct annotation *a);
/* Returns the samples of an instruction; NULL: the instruction has none. */
const struct spot *annotation_spot(const struct annotation *a, size_t instruction);
/* Returns the hottest instruction that is less hot than `than`; `than` NULL: the hottest of all.  NULL: there is
 * none. */
const struct spot *annotation_next_hottest(const struct annotation *a, const struct spot *than);
/* Returns the instruction's share of the weight that an event has in the whole function. */
struct cell annotation_share(const struct annotation *a, const struct spot *s, size_t event);
/* Returns the mean cost of the instruction's samples, as the CPU measured it (struct sample_costs). */
struct ratio annotation_cost(const struct annotation *a, const struct spot *s);
/* Returns the instruction that a line shows; for a line that is gone, the instruction of the baseline's build. */
const struct instruction *annotation_instruction(const struct annotation *a, const struct code_line *line);
/* Returns the value of v->selected that selects a line: the instruction's address or, if the line is gone, ~address,
 * which is no address in this function because its top bit differs. */
uint64_t annotation_id(const struct annotation *a, const struct code_line *line);
/* Returns the index of the selected line: the line with the id v->selected (see annotation_id()) or, if v->selected is
 * 0, the line of the hottest instruction. */
size_t annotation_selected_line(const struct annotation *a, const struct view *v);
/* Returns the index of the selected line's instruction; if the line is gone, of the next instruction or the last. */
size_t annotation_selected(const struct annotation *a, const struct view *v);

/* ---- annotate_draw.c: drawing the instructions -------------------------------------------------------- */

void annotate_draw(struct frame *f, struct view *v, struct rect where);

#endif
