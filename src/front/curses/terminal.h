/* Inside of front/curses: what its files share. */
#ifndef FRONT_CURSES_TERMINAL_H
#define FRONT_CURSES_TERMINAL_H

#include <cyctop/front.h>
#include <stdio.h>
#include <termios.h>

/* ncurses calls its terminal `struct screen`, too; and its macros would rewrite
 * words like `clear` and `refresh` in our code. */
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#define screen curses_screen
#include <curses.h>
#undef screen

struct style_look {
	attr_t attrs;
	short pair;
};

struct screen {
	SCREEN *term;
	FILE *in;     /* where keys come from; ours to close unless stdin */
	WINDOW *keys; /* a pad: reading from it never refreshes anything */
	bool ascii, color, mouse;
	int rows, cols;
	struct glyph *shown; /* [rows * cols] what stdscr holds; ch UINT32_MAX: unknown */
	struct style_look looks[STYLE_COUNT];
	uint64_t click_ns; /* of the last press, for double clicks */
	int click_row, click_col;
};

/* Fills `looks`; starts colours when they are wanted and the terminal has them.
 * Returns whether colours are used. */
bool styles_init(struct style_look looks[STYLE_COUNT], bool color);

/* Prepares what screen_restore() writes.  Call after newterm(), with the termios
 * of before it. */
void restore_arm(int out_fd, int tty_fd, const struct termios *before, bool color, bool mouse);
/* The terminal is as it was (or, after `true`, ours again). */
void restore_active(bool active);

#endif
