/* The terminal's state, shared by the files of front/curses. */
#ifndef FRONT_CURSES_TERMINAL_H
#define FRONT_CURSES_TERMINAL_H

#include "os/write.h"

#include <cyctop/front.h>
#include <stdio.h>
#include <termios.h>

/* ncurses has a `struct screen` of its own, and macros named like ordinary words (clear, refresh). */
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
	const char *guess; /* see screen_guess() */
	FILE *in;	   /* source of the keys; owned unless it is stdin */
	/* The file in memory to which ncurses writes, so that ncurses never waits for a terminal that accepts no output
	 * (after ^S).  Terminal modes cannot be set through this file: cyctop sets them itself. */
	FILE *frame;
	struct os_writer to; /* writes each frame as a whole to the terminal */
	struct termios before, modes;
	bool gone;    /* writing to or reading from the terminal failed for good */
	bool left;    /* the terminal is in its original state, for the shell */
	WINDOW *keys; /* a pad, because reading from a window would refresh the screen */
	bool ascii, color, mouse;
	int rows, cols;
	struct glyph *shown; /* [rows * cols]: what stdscr shows; ch UINT32_MAX: unknown */
	struct style_look looks[STYLE_COUNT];
	uint64_t click_ns; /* time and cell of the last button press, to detect double clicks */
	int click_row, click_col;
};

/* Fills in `looks`.  If `color` is set and the terminal has colours, uses them, and returns true. */
bool styles_init(struct style_look looks[STYLE_COUNT], bool color);

/* Prepares the bytes that screen_restore() writes; to be called after newterm().  `before`: the terminal's original
 * modes. */
void restore_arm(int out_fd, int tty_fd, const struct termios *before, bool color, bool mouse);
/* Restores the terminal's original modes, and resumes its output if ^S stopped it.  Async-signal-safe. */
void restore_modes(int tty_fd, const struct termios *before);
/* Enables screen_restore() or, while the terminal is in its original state, disables it. */
void restore_active(bool active);

#endif
