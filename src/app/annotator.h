/* The code of the function that the screen annotates: read, taken apart and put together by threads; and that of the
 * functions of the baseline, which is read when this begins, because the files of their build may be gone later. */
#ifndef APP_ANNOTATOR_H
#define APP_ANNOTATOR_H

#include "base/limits.h"

#include <cyctop/comparison.h>
#include <cyctop/view.h>

/* The code of a function, or why there is none; shared by listings and baseline. */
struct shared_code {
	struct function_code code;
	int users; /* atomic */
};

struct annotator {
	struct session *session;
	const struct baseline *baseline;
	struct catalog_ref sym;	  /* CATALOG_REF_NONE: none is annotated */
	struct shared_code *code; /* NULL: not read yet */
	struct listing_job *job;  /* NULL: there is no code */
	int fd;			  /* readable: annotator_step() has something to do; -1: not now */
	char why[200], why_before[200];
	struct view_code said; /* for the screen */
	/* Functions of the baseline, which keep their ids as long as it; code NULL: not read yet. */
	struct annotator_before {
		uint32_t sym;
		struct shared_code *code;
	} before[LIMIT_BASELINE_FUNCTIONS];
	size_t before_n;
};
void annotator_init(struct annotator *a, struct session *s, const struct baseline *b);
/* Annotates another function from now on, or none. */
void annotator_follow(struct annotator *a, struct catalog_ref sym);
/* Keeps the code of the functions of a baseline that has just begun, and of no earlier one. */
void annotator_mark(struct annotator *a);
/* Goes on with the function; never waits.  Returns true if the screen must change. */
bool annotator_step(struct annotator *a);
/* Returns the function that runs instead of the one that is annotated, whose file no process has any more, since its
 * program was rebuilt; CATALOG_NONE: none does.  `shown`: the filters of the screen. */
uint32_t annotator_successor(const struct annotator *a, const struct query *shown);
void annotator_deinit(struct annotator *a);

#endif
