/* The code of the function that the screen annotates, with a thread that makes its listing.  Also the code of the
 * baseline's functions, read when the baseline begins, because the files of that build may be gone later. */
#ifndef APP_ANNOTATOR_H
#define APP_ANNOTATOR_H

#include "base/limits.h"

#include <cyctop/comparison.h>
#include <cyctop/view.h>

struct annotator {
	struct session *session;
	const struct baseline *baseline;
	struct catalog_ref sym;	  /* the function; CATALOG_REF_NONE: none is annotated */
	struct shared_code *code; /* NULL: not read yet */
	struct listing_job *job;  /* NULL: no listing can be made, as there is no code */
	int fd;			  /* readable when annotator_step() has something to do; -1: it has nothing to do */
	char why[200], why_no_baseline_code[200];
	struct view_code shown; /* what the screen shows */
	/* Functions of the baseline.  Their ids are valid as long as the baseline.  code NULL: not read yet. */
	struct annotator_before {
		uint32_t sym;
		struct shared_code *code;
	} before[LIMIT_BASELINE_FUNCTIONS];
	size_t before_n;
};
void annotator_init(struct annotator *a, struct session *s, const struct baseline *b);
/* Annotates the function `sym` from now on; CATALOG_REF_NONE: none. */
void annotator_follow(struct annotator *a, struct catalog_ref sym);
/* Reads and keeps the code of a new baseline's functions.  Drops the code kept for the previous baseline. */
void annotator_mark(struct annotator *a);
/* Takes what the threads have finished, and starts the next step; never waits.  Returns true if the screen must be
 * drawn again. */
bool annotator_step(struct annotator *a);
/* Returns the function of a new build that runs instead of the annotated one, once no process maps the old build's file
 * any more; CATALOG_NONE: there is none.  `shown`: the filters of the screen. */
uint32_t annotator_successor(const struct annotator *a, const struct query *shown);
void annotator_deinit(struct annotator *a);

#endif
