/* The terminals that cyctop knows without a database of them: each is drawn on as by the database of this machine. */
#include "front/curses/terminals.h"
#include "stage.h"

#include <cyctop/front.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char *description; /* what the child is to have in TERMINFO before it opens the screen; NULL: nothing */

static void say(int report, const char *text)
{
	if (write(report, text, strlen(text)) != (ssize_t)strlen(text))
		_exit(99);
}

/* Draws a table in all styles, and a second one, in which a few cells differ. */
static void draw(int report)
{
	enum { ROWS = 24, COLS = 80 };
	static struct glyph cells[ROWS * COLS];
	struct grid g = {.rows = ROWS, .cols = COLS, .cells = cells};
	struct screen_config config = {.color = true, .mouse = true, .stop_fd = -1};
	struct screen *s;
	struct error err;
	if (description)
		setenv("TERMINFO", description, 1);
	if (screen_open(&config, &s, &err) < 0) {
		say(report, err.text);
		_exit(3);
	}
	for (int i = 0; i < ROWS * COLS; i++)
		cells[i] = (struct glyph){.ch = i % 7 ? 'x' : 0x2588, .style = (uint8_t)(i / COLS % STYLE_COUNT)};
	screen_blit(s, &g);
	for (int i = 0; i < ROWS * COLS; i += 97)
		cells[i].ch = 0xe9;
	screen_blit(s, &g);
	say(report, screen_guess(s) ? screen_guess(s) : "known");
	screen_close(s);
	const char *left = getenv("TERMINFO");
	say(report, (left && description && strcmp(left, description) == 0) || (!left && !description) ? ";" : "; set");
}

static struct stage *drawn(const char *term, const char *with)
{
	struct play play = {.term = term, .rows = 24, .cols = 80, .run = draw};
	description = with;
	struct stage *st = stage_open(&play);
	stage_end(st);
	stage_settle(st);
	return st;
}

static void own_descriptions_draw_as_the_database_does(void **state)
{
	(void)state;
	size_t n;
	unsigned compared = 0;
	const struct terminal_entry *all = terminals_all(&n);
	if (!n)
		skip(); /* built where there is no infocmp */
	for (size_t i = 0; i < n; i++) {
		if (strcmp(all[i].name, all[i].type) != 0 || strcmp(all[i].name, "dumb") == 0)
			continue;
		struct stage *theirs = drawn(all[i].name, NULL), *own = drawn(all[i].name, all[i].description);
		compared++;
		assert_string_equal(theirs->said, "known;");
		assert_string_equal(own->said, "known;");
		assert_int_equal(own->out_n, theirs->out_n);
		assert_memory_equal(own->out, theirs->out, own->out_n);
		assert_in_range(own->out_n, 24 * 80, sizeof(own->out));
		stage_close(theirs);
		stage_close(own);
	}
	assert_in_range(compared, 6, n); /* those of ncurses-base */
}

static void an_unknown_terminal_is_taken_for_one_like_it(void **state)
{
	(void)state;
	size_t n;
	terminals_all(&n);
	if (!n)
		skip();
	struct stage *st = drawn("no-such-terminal", NULL);
	assert_string_equal(st->said, "xterm;");
	assert_in_range(st->out_n, 24 * 80, sizeof(st->out));
	assert_left_sane(st);
	stage_close(st);
}

static void likeness_is_by_the_beginning(void **state)
{
	(void)state;
	static const struct {
		const char *name, *like;
	} cases[] = {
		{"xterm-direct", "xterm-256color"},
		{"xterm-kitty-more", "xterm-kitty"},
		{"tmux", "tmux-256color"},
		{"screen.xterm-256color", "screen-256color"},
		{"vt102", "vt100"},
		{"vt420", "vt220"},
		{"linux-16color", "linux"},
		{"rxvt", "rxvt-unicode-256color"},
		{"st-256color", "xterm-256color"},
		{"wezterm", "xterm"},
		{"../../etc/passwd", "xterm"},
		{"foot-extra", "foot"},
		{"", "xterm"},
	};
	size_t n;
	terminals_all(&n);
	if (!n)
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(terminals_like(cases[i].name)->name, cases[i].like);
	assert_null(terminals_named("vt102"));
	assert_string_equal(terminals_named("xterm-ghostty")->name, "xterm-ghostty");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_descriptions_draw_as_the_database_does),
		cmocka_unit_test(an_unknown_terminal_is_taken_for_one_like_it),
		cmocka_unit_test(likeness_is_by_the_beginning),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
