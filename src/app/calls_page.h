/* What the screen of counted calls shows: one of the tables for people, which can be scrolled.  No I/O. */
#ifndef APP_CALLS_PAGE_H
#define APP_CALLS_PAGE_H

#include "app/calls.h"
#include "base/alloc.h"

struct calls_page {
	const struct calls_options *options;
	struct calls_options shown; /* with the table, order and function of the page */
	char *text;		    /* of the table, each line ended by a NUL */
	VEC(const char *) lines;    /* the first is the heading */
	/* The functions in the lines, which can be selected, of the table that was written last; rows_n 0: none can. */
	const struct calls_line *const *rows;
	size_t rows_n;
	size_t top, cursor; /* lines behind the heading */
	int left;	    /* characters by which lines are scrolled */
	char *dso, *symbol; /* of the selected function; NULL: always the first */
	char message[480];  /* in the last row until the next key */
};
void calls_page_init(struct calls_page *p, const struct calls_options *o);
void calls_page_deinit(struct calls_page *p);
/* Writes a table, whose lines replace those before; it must stay until the next is written. */
void calls_page_write(struct calls_page *p, const struct calls_table *t);
/* Draws the page; `status`: the first row. */
void calls_page_draw(struct calls_page *p, const char *status, struct grid *g);

enum calls_reaction {
	CALLS_DRAW = 1,	       /* draw again */
	CALLS_WRITE = 1 << 1,  /* calls_page_write() */
	CALLS_SAVE = 1 << 2,   /* keep what was counted in a file */
	CALLS_QUIT = 1 << 3,   /* leave */
	CALLS_FREEZE = 1 << 4, /* go on without new numbers, or with them again */
	CALLS_REPAINT = 1 << 5 /* draw every cell of the terminal again */
};
unsigned calls_page_key(struct calls_page *p, const struct grid *g, const struct input_event *ev);

#endif
