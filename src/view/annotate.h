/* The view of a function's instructions: their samples (annotate_samples.c), how it is drawn (annotate_draw.c), and its
 * keys (annotate.c). */
#ifndef VIEW_ANNOTATE_H
#define VIEW_ANNOTATE_H

#include "view/screen.h"

#include "base/alloc.h"

#include <cyctop/code.h>

/* Rows of the pivot whose addresses are in one instruction: `n` of annotation.rows from `first` on. */
struct spot {
	size_t instruction, first, n;
	const struct row *heaviest; /* by annotation.event */
	double weight;		    /* of that event */
};
struct sampled {
	size_t instruction;
	const struct row *row;
};
struct annotation {
	const struct view_input *in;
	const struct code_listing *l; /* NULL: there is no code, or not yet */
	VEC(struct sampled) rows;     /* by instruction */
	VEC(struct spot) spots;	      /* likewise */
	double all[EVENTS_MAX];	      /* weight of each event at all addresses */
	uint64_t samples, before;     /* of `event`: with addresses, and from before there were any */
	size_t event;		      /* by which instructions are hot */
	/* Set by annotation_compare(): changes of the shares of `event`, by code_line.pair, or why they are not known,
	 * a sentence; NULL: neither, as without a baseline. */
	struct code_change *changes;
	const char *unchanged;
};

/* ---- annotate_samples.c ------------------------------------------------------------------------------- */

void annotation_init(struct annotation *a, const struct view_input *in, const struct view *v);
/* Finds how the shares of instructions changed against the baseline or, in turns, from A to B. */
void annotation_compare(struct annotation *a, const struct view *v);
void annotation_deinit(struct annotation *a);
/* Returns what is known of an instruction; NULL: it has no samples. */
const struct spot *annotation_spot(const struct annotation *a, size_t instruction);
/* Returns the instruction that is the next cooler one than `than`; NULL: the hottest.  NULL: there is none. */
const struct spot *annotation_next_hottest(const struct annotation *a, const struct spot *than);
/* The share of an event's samples in the function that are at an instruction. */
struct cell annotation_share(const struct annotation *a, const struct spot *s, size_t event);
/* The mean of what the CPU measured with the samples of an instruction. */
struct ratio annotation_cost(const struct annotation *a, const struct spot *s);
/* Returns the line of an instruction. */
size_t annotation_line(const struct code_listing *l, size_t instruction);
/* Returns an instruction of a line, of the build that has it. */
const struct instruction *annotation_instruction(const struct annotation *a, const struct code_line *line);
/* The instruction of a line as v->selected: its address or, if it is gone, the complement of that, which is in the
 * other half of all addresses. */
uint64_t annotation_id(const struct annotation *a, const struct code_line *line);
/* Returns the selected line: that of v->selected; 0: of the hottest instruction. */
size_t annotation_selected_line(const struct annotation *a, const struct view *v);
/* Returns the instruction of the selected line; if that is gone, the one below it, or the last. */
size_t annotation_selected(const struct annotation *a, const struct view *v);

/* ---- annotate_draw.c ---------------------------------------------------------------------------------- */

void annotate_draw(struct frame *f, struct view *v, struct rect where);

#endif
