/* Room front: sheets and grids -> terminal and files. */
#ifndef CYCTOP_FRONT_H
#define CYCTOP_FRONT_H

#include <cyctop/view.h>
#include <stdio.h>

/* ---- curses: the only user of ncurses ---------------------------------------------- */

struct screen_config {
	bool color; /* false: NO_COLOR, --color=never, or a terminal without */
	bool mouse;
	bool ascii;
};
struct screen;
/* Takes over the terminal; restores it on screen_close(), and from signal handlers
 * through screen_restore(), which is async-signal-safe. */
CYC_MUST_CHECK int screen_open(const struct screen_config *config, struct screen **ret, struct error *err);
void screen_close(struct screen *s);
void screen_restore(void);
void screen_size(const struct screen *s, int *rows_ret, int *cols_ret);
/* true: draw without characters beyond ASCII (asked for, or not a UTF-8 locale). */
bool screen_ascii(const struct screen *s);
/* Where keys come from: poll it for POLLIN; POLLHUP means the terminal is gone. */
int screen_fd(const struct screen *s);
/* Writes what differs from what the terminal shows. */
void screen_blit(struct screen *s, const struct grid *g);
void screen_repaint(struct screen *s); /* Ctrl-L: trust nothing */
/* After SIGWINCH; after SIGCONT. */
void screen_resized(struct screen *s);
void screen_suspend(struct screen *s);
void screen_resume(struct screen *s);
/* false: nothing to read just now. */
bool screen_input(struct screen *s, struct input_event *ret);

/* ---- batch ----------------------------------------------------------------------------- */

struct batch_config {
	enum batch_table { TABLE_ALL, TABLE_SYMBOLS, TABLE_TASKS, TABLE_CPUS } table;
	size_t top;	  /* rows per table; 0: all */
	const char *sort; /* column id, or NULL */
	bool reverse, by_thread, show_error;
};
/* One table row per output format. */
struct batch_format {
	const char *name; /* "text", "csv", "json" */
	const char *help;
	bool available; /* false: this build lacks a library; `why` names it */
	const char *why;
	/* Once, before the first refresh (a CSV header); may be NULL. */
	void (*begin)(FILE *out, const struct view_input *in, const struct batch_config *config);
	/* One refresh. */
	void (*refresh)(FILE *out, const struct view_input *in, const struct batch_config *config);
};
extern const struct batch_format batch_formats[];
extern const size_t batch_formats_n;

/* ---- dump -------------------------------------------------------------------------------- */

struct pd_visitor;
/* What is visited of a recording, one line each: as text, or as an object of JSON. */
struct dump;
struct dump *dump_create(FILE *out, bool json);
void dump_destroy(struct dump *d);
/* A line begins; its fields are given to the visitor. */
void dump_begin(struct dump *d, const char *kind);
const struct pd_visitor *dump_visitor(struct dump *d);
/* false: it could not be written. */
bool dump_end(struct dump *d);

#endif
