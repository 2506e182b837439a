/* Attributes and colours of the styles.
 *
 * Only the eight basic colours are used, on the terminal's own background.  To be readable on
 * light and dark backgrounds, yellow, cyan and blue text has a background colour, and there is
 * no bold black, which some terminals show as black on black.  Without colours (NO_COLOR, or a
 * terminal that has none), styles differ by attributes. */
#include "front/curses/terminal.h"

#define COLOR_OWN (-1) /* the default colour of the terminal */

static const struct {
	attr_t mono;  /* used if the screen has no colours */
	attr_t attrs; /* used if the screen has colours */
	short fg, bg;
} styles[STYLE_COUNT] = {
	[STYLE_NORMAL] = {.mono = A_NORMAL, .attrs = A_NORMAL, .fg = COLOR_OWN, .bg = COLOR_OWN},
	[STYLE_DIM] = {.mono = A_DIM, .attrs = A_DIM, .fg = COLOR_OWN, .bg = COLOR_OWN},
	[STYLE_STRONG] = {.mono = A_BOLD, .attrs = A_BOLD, .fg = COLOR_OWN, .bg = COLOR_OWN},
	[STYLE_TITLE] = {.mono = A_REVERSE, .attrs = A_NORMAL, .fg = COLOR_BLACK, .bg = COLOR_GREEN},
	[STYLE_SORTED] = {.mono = A_REVERSE | A_BOLD | A_UNDERLINE,
			  .attrs = A_NORMAL,
			  .fg = COLOR_BLACK,
			  .bg = COLOR_CYAN},
	[STYLE_SELECTED] = {.mono = A_REVERSE | A_BOLD, .attrs = A_BOLD, .fg = COLOR_WHITE, .bg = COLOR_BLUE},
	[STYLE_SELECTED_DIM] = {.mono = A_REVERSE | A_DIM, .attrs = A_NORMAL, .fg = COLOR_WHITE, .bg = COLOR_BLUE},
	[STYLE_KERNEL] = {.mono = A_NORMAL, .attrs = A_NORMAL, .fg = COLOR_MAGENTA, .bg = COLOR_OWN},
	[STYLE_GOOD] = {.mono = A_NORMAL, .attrs = A_NORMAL, .fg = COLOR_GREEN, .bg = COLOR_OWN},
	[STYLE_WARN] = {.mono = A_BOLD, .attrs = A_NORMAL, .fg = COLOR_BLACK, .bg = COLOR_YELLOW},
	[STYLE_BAD] = {.mono = A_BOLD | A_REVERSE, .attrs = A_BOLD, .fg = COLOR_WHITE, .bg = COLOR_RED},
	[STYLE_KEY] = {.mono = A_BOLD, .attrs = A_BOLD, .fg = COLOR_OWN, .bg = COLOR_OWN},
	[STYLE_HEAT1] = {.mono = A_REVERSE | A_DIM, .attrs = A_NORMAL, .fg = COLOR_BLACK, .bg = COLOR_GREEN},
	[STYLE_HEAT2] = {.mono = A_REVERSE | A_DIM, .attrs = A_NORMAL, .fg = COLOR_BLACK, .bg = COLOR_CYAN},
	[STYLE_HEAT3] = {.mono = A_REVERSE, .attrs = A_NORMAL, .fg = COLOR_BLACK, .bg = COLOR_YELLOW},
	[STYLE_HEAT4] = {.mono = A_REVERSE | A_BOLD, .attrs = A_BOLD, .fg = COLOR_WHITE, .bg = COLOR_RED},
	[STYLE_FLAT] = {.mono = A_REVERSE | A_DIM, .attrs = A_NORMAL, .fg = COLOR_BLACK, .bg = COLOR_WHITE},
	[STYLE_BAR] = {.mono = A_NORMAL, .attrs = A_NORMAL, .fg = COLOR_GREEN, .bg = COLOR_OWN},
};

/* Starts the use of colours.  Returns false if the terminal has too few. */
static bool colors_start(void)
{
	return has_colors() && start_color() == OK && COLORS >= 8 && COLOR_PAIRS > STYLE_COUNT &&
	       use_default_colors() == OK;
}

bool styles_init(struct style_look looks[STYLE_COUNT], bool color)
{
	/* With NO_COLOR, start_color() is not called at all: after it, ncurses resets the colours at exit. */
	bool used = color && colors_start();
	for (int i = 0; i < STYLE_COUNT; i++) {
		bool own = styles[i].fg == COLOR_OWN && styles[i].bg == COLOR_OWN;
		looks[i] = (struct style_look){.attrs = used ? styles[i].attrs : styles[i].mono};
		if (!used || own)
			continue;
		looks[i].pair = (short)(i + 1);
		init_pair(looks[i].pair, styles[i].fg, styles[i].bg);
	}
	return used;
}
