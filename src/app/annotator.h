/* The function that the screen annotates: its code is read, disassembled and listed by threads. */
#ifndef APP_ANNOTATOR_H
#define APP_ANNOTATOR_H

#include <cyctop/session.h>
#include <cyctop/view.h>

struct annotator {
	struct catalog_ref sym;	 /* CATALOG_REF_NONE: no function is annotated */
	struct listing_job *job; /* NULL: the code is not read yet */
	int fd;			 /* readable when annotator_step() has something to do; -1: no descriptor tells */
	char why[200];
	struct view_code said; /* for the screen */
};
void annotator_init(struct annotator *a);
/* Annotates another function from now on; CATALOG_REF_NONE: none. */
void annotator_follow(struct annotator *a, struct session *s, struct catalog_ref sym);
/* Takes the next step with the function's code that is possible without waiting.  Returns true if the screen must
 * change. */
bool annotator_step(struct annotator *a, struct session *s);
void annotator_deinit(struct annotator *a);

#endif
