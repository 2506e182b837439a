/* The code of the function that the screen annotates: read, taken apart and put together by threads. */
#ifndef APP_ANNOTATOR_H
#define APP_ANNOTATOR_H

#include <cyctop/session.h>
#include <cyctop/view.h>

struct annotator {
	struct catalog_ref sym;	 /* CATALOG_REF_NONE: none is annotated */
	struct listing_job *job; /* NULL: the code is not read yet */
	int fd;			 /* readable: annotator_step() has something to do; -1: not now */
	char why[200];
	struct view_code said; /* for the screen */
};
void annotator_init(struct annotator *a);
/* Annotates another function from now on, or none. */
void annotator_follow(struct annotator *a, struct session *s, struct catalog_ref sym);
/* Goes on with the function; never waits.  Returns true if the screen must change. */
bool annotator_step(struct annotator *a, struct session *s);
void annotator_deinit(struct annotator *a);

#endif
