/* front/curses on a real pseudo terminal: its output, its input, and the terminal that it
 * leaves. */
#include "../lib/made_clock.h"
#include "stage.h"

#include <cyctop/front.h>

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- helpers of the child ------------------------------------------------------------ */

static unsigned terminal_writes;
static bool terminal_was_full; /* the last of them was not taken as a whole, and the next one goes on with it */

/* Stands before the function of the C library, for ncurses, too. */
ssize_t write(int fd, const void *buf, size_t n)
{
	ssize_t put = syscall(SYS_write, fd, buf, n);
	if (fd == STDOUT_FILENO) {
		terminal_writes += !terminal_was_full;
		terminal_was_full = put != (ssize_t)n;
	}
	return put;
}

static void say(int report, const char *fmt, ...) CYC_PRINTF(2, 3);
static void say(int report, const char *fmt, ...)
{
	char buf[800];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	if (write(report, buf, (size_t)n) != n)
		_exit(99);
}

static struct screen *must_open(int report, bool color)
{
	struct screen_config config = {.color = color, .mouse = true, .stop_fd = -1};
	struct screen *s;
	struct error err;
	if (screen_open(&config, &s, &err) < 0) {
		say(report, "error: %s.", err.text);
		_exit(3);
	}
	return s;
}

/* Makes a grid without room view. */
static struct grid *make_grid(int rows, int cols, uint32_t ch)
{
	struct grid *g = calloc(1, sizeof(*g));
	*g = (struct grid){.rows = rows, .cols = cols, .cells = calloc((size_t)rows * (size_t)cols, sizeof(*g->cells))};
	for (int i = 0; i < rows * cols; i++)
		g->cells[i] = (struct glyph){.ch = ch, .style = (uint8_t)(i / cols % STYLE_COUNT)};
	return g;
}

static void free_grid(struct grid *g)
{
	free(g->cells);
	free(g);
}

/* ---- cases ------------------------------------------------------------------------------ */

/* Reports every key as "key N;" until q. */
static void report_keys(int report)
{
	struct screen *s = must_open(report, true);
	struct grid *g = make_grid(24, 80, '.');
	screen_blit(s, g);
	say(report, "ready;");
	for (bool quit = false; !quit;) {
		struct pollfd p = {.fd = screen_fd(s), .events = POLLIN};
		poll(&p, 1, 1000);
		struct input_event ev;
		while (screen_input(s, &ev)) {
			if (ev.key == KEY_CYC_MOUSE)
				say(report, "mouse %d,%d%s%s%s;", ev.row, ev.col, ev.double_click ? " double" : "",
				    ev.wheel_up ? " up" : "", ev.wheel_down ? " down" : "");
			else if (ev.key >= KEY_CYC_BASE)
				say(report, "key base+%u;", ev.key - KEY_CYC_BASE);
			else
				say(report, "key %u;", ev.key);
			quit = quit || ev.key == 'q';
		}
	}
	screen_close(s);
	free_grid(g);
	say(report, "closed;");
}

static void expect_key(struct stage *st, const char *bytes, uint32_t key)
{
	char want[64];
	if (key >= KEY_CYC_BASE)
		snprintf(want, sizeof(want), "key base+%u;", key - KEY_CYC_BASE);
	else
		snprintf(want, sizeof(want), "key %u;", key);
	stage_forget(st);
	stage_type(st, bytes);
	stage_wait(st, want);
	assert_string_equal(st->said, want);
}

static const struct play keys_play = {.term = "xterm-256color", .rows = 24, .cols = 80, .run = report_keys};

static void keys_arrive_as_codes(void **state)
{
	(void)state;
	static const struct {
		const char *bytes;
		uint32_t key;
	} cases[] = {
		{"a", 'a'},
		{"Z", 'Z'},
		{" ", ' '},
		{"\xc3\xa9", 0xe9},
		{"\xe6\xbc\xa2", 0x6f22},
		{"\033OA", KEY_CYC_UP},
		{"\033OB", KEY_CYC_DOWN},
		{"\033OC", KEY_CYC_RIGHT},
		{"\033OD", KEY_CYC_LEFT},
		{"\033OH", KEY_CYC_HOME},
		{"\033OF", KEY_CYC_END},
		{"\033[5~", KEY_CYC_PGUP},
		{"\033[6~", KEY_CYC_PGDN},
		{"\t", KEY_CYC_TAB},
		{"\033[Z", KEY_CYC_BACKTAB},
		{"\r", KEY_CYC_ENTER},
		{"\177", KEY_CYC_BACKSPACE},
		{"\b", KEY_CYC_BACKSPACE},
		{"\014", KEY_CYC_CTRL_L},
		{"\033OP", KEY_CYC_F1},
		{"\033OR", KEY_CYC_F3},
		{"\033OS", KEY_CYC_F4},
		{"\033[21~", KEY_CYC_F10},
		{"\033", KEY_CYC_ESC},
	};
	struct stage *st = stage_open(&keys_play);
	stage_wait(st, "ready;");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect_key(st, cases[i].bytes, cases[i].key);
	/* F11, Ctrl-Up in a sequence that terminfo lacks, and an unknown keypad key are
	 * ignored, and none of their letters acts as a key */
	expect_key(st, "\033[23~j", 'j');
	expect_key(st, "\033Oxj", 'j');
	expect_key(st, "\033[1;99Aj", 'j');
	stage_type(st, "q");
	stage_wait(st, "key 113;closed;");
	int status = stage_end(st);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_left_sane(st);
	stage_close(st);
}

/* An escape character and keys that arrive in one packet, as over a slow line. */
static void keys_after_escape_are_kept(void **state)
{
	(void)state;
	static const struct {
		const char *bytes;
		uint32_t second; /* key code minus KEY_CYC_BASE, or 0 */
		const char *plain;
	} cases[] = {
		{"\033\033", KEY_CYC_ESC - KEY_CYC_BASE, NULL},
		{"\033\033OA", KEY_CYC_UP - KEY_CYC_BASE, NULL},
		{"\033x", 0, "key 120;"},
		{"\033\xc3\xa9", 0, "key 233;"},
	};
	struct stage *st = stage_open(&keys_play);
	stage_wait(st, "ready;");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char want[64], second[32];
		snprintf(second, sizeof(second), "key base+%u;", cases[i].second);
		snprintf(want, sizeof(want), "key base+%u;%s", KEY_CYC_ESC - KEY_CYC_BASE,
			 cases[i].plain ? cases[i].plain : second);
		stage_forget(st);
		stage_type(st, cases[i].bytes);
		stage_wait(st, want);
		assert_string_equal(st->said, want);
	}
	stage_type(st, "q");
	stage_end(st);
	stage_close(st);
}

static void report_quick_keys(int report)
{
	made_clock_stop(); /* two clicks become one if the time between them is short */
	report_keys(report);
}

static void the_mouse_clicks_and_rolls(void **state)
{
	(void)state;
	struct play play = keys_play;
	play.run = report_quick_keys;
	struct stage *st = stage_open(&play);
	stage_wait(st, "ready;");
	stage_type(st, "\033[<0;11;6M\033[<0;11;6m");
	stage_wait(st, "mouse 5,10;");
	stage_type(st, "\033[<0;11;6M\033[<0;11;6m");
	stage_wait(st, "mouse 5,10 double;");
	stage_type(st, "\033[<64;1;1M");
	stage_wait(st, "mouse 0,0 up;");
	stage_type(st, "\033[<65;1;1M");
	stage_wait(st, "mouse 0,0 down;");
	stage_type(st, "q");
	stage_end(st);
	assert_left_sane(st);
	stage_close(st);
}

static void keys_come_from_the_terminal_not_stdin(void **state)
{
	(void)state;
	struct play play = keys_play;
	play.stdin_null = true;
	struct stage *st = stage_open(&play);
	stage_wait(st, "ready;");
	expect_key(st, "x", 'x');
	stage_type(st, "q");
	int status = stage_end(st);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_left_sane(st);
	stage_close(st);
}

/* Waits for a key from the parent. */
static void wait_key(struct screen *s)
{
	struct input_event ev;
	while (!screen_input(s, &ev)) {
		struct pollfd p = {.fd = screen_fd(s), .events = POLLIN};
		poll(&p, 1, 1000);
	}
}

static void blit_and_measure(int report, bool color)
{
	struct screen *s = must_open(report, color);
	struct grid *g = make_grid(35, 120, 'x');
	screen_blit(s, g);
	say(report, "first;");
	wait_key(s);
	for (int i = 0; i < 50; i++) /* no cell changed: nothing is written */
		screen_blit(s, g);
	say(report, "same;");
	wait_key(s);
	g->cells[20 * 120 + 30].ch = 'y';
	screen_blit(s, g);
	say(report, "changed;");
	wait_key(s);
	screen_repaint(s);
	screen_blit(s, g);
	say(report, "repainted;");
	wait_key(s);
	screen_close(s);
	free_grid(g);
}

static void blit_color(int report)
{
	blit_and_measure(report, true);
}

static void blit_mono(int report)
{
	blit_and_measure(report, false);
}

static void only_changes_are_written(void **state)
{
	(void)state;
	struct play play = {.term = "xterm-256color", .rows = 35, .cols = 120, .run = blit_color};
	struct stage *st = stage_open(&play);
	stage_wait(st, "first;");
	size_t first = stage_settle(st);
	assert_true(first > 100);
	stage_type(st, "1");
	stage_wait(st, "same;");
	size_t same = stage_settle(st);
	assert_int_equal(same, first);
	stage_type(st, "2");
	stage_wait(st, "changed;");
	size_t changed = stage_settle(st);
	assert_in_range(changed - same, 1, 40);
	stage_type(st, "3");
	stage_wait(st, "repainted;");
	assert_true(stage_settle(st) - changed > 100);
	stage_type(st, "4");
	stage_end(st);
	assert_non_null(strstr(st->out, "\033[30m\033[42m")); /* black on green: a heading */
	stage_close(st);
}

/* Is there an SGR sequence that sets a colour? */
static bool has_color(const char *out)
{
	for (const char *p = out; (p = strstr(p, "\033["));) {
		p += 2;
		const char *end = p + strspn(p, "0123456789;");
		for (const char *n = p; *end == 'm' && n < end; n++) {
			char *next;
			long v = strtol(n, &next, 10);
			if (v >= 30 && v <= 49)
				return true;
			n = next;
		}
		p = end;
	}
	return false;
}

static void no_color_means_none(void **state)
{
	(void)state;
	assert_true(has_color("a\033[1;32mb"));
	assert_false(has_color("a\033[1;7mb\033[32;1H"));
	struct play play = {.term = "xterm-256color", .rows = 35, .cols = 120, .run = blit_mono};
	struct stage *st = stage_open(&play);
	stage_type(st, "1234");
	stage_end(st);
	assert_non_null(strstr(st->out, "7m"));
	assert_false(has_color(st->out));
	stage_close(st);
}

static void crash_handler(int sig)
{
	screen_restore();
	screen_restore(); /* does nothing if the handler crashes again */
	signal(sig, SIG_DFL);
	raise(sig);
}

static void crash(int report)
{
	struct screen *s = must_open(report, true);
	struct grid *g = make_grid(24, 80, '.');
	screen_blit(s, g);
	struct sigaction act = {.sa_handler = crash_handler, .sa_flags = (int)SA_RESETHAND};
	sigaction(SIGSEGV, &act, NULL);
	say(report, "crashing;");
	raise(SIGSEGV);
}

static void a_crash_leaves_a_sane_terminal(void **state)
{
	(void)state;
	struct play play = {.term = "xterm-256color", .rows = 24, .cols = 80, .run = crash};
	struct stage *st = stage_open(&play);
	stage_wait(st, "crashing;");
	int status = stage_end(st);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	assert_left_sane(st);
	stage_close(st);
}

static void suspend_resume(int report)
{
	struct screen *s = must_open(report, true);
	struct grid *g = make_grid(24, 80, '.');
	char go;
	screen_blit(s, g);
	screen_suspend(s);
	screen_restore(); /* not enabled, so it writes nothing */
	say(report, "suspended;");
	while (read(STDIN_FILENO, &go, 1) < 0 && errno == EINTR)
		;
	screen_resume(s);
	screen_blit(s, g);
	say(report, "resumed;");
	wait_key(s);
	screen_close(s);
	free_grid(g);
}

static void suspended_means_given_back(void **state)
{
	(void)state;
	struct play play = {.term = "xterm-256color", .rows = 24, .cols = 80, .run = suspend_resume};
	struct stage *st = stage_open(&play);
	stage_wait(st, "suspended;");
	stage_settle(st);
	assert_left_sane(st);
	st->out_n = 0;
	stage_type(st, "\n");
	stage_wait(st, "resumed;");
	stage_settle(st);
	assert_false(same_termios(st->tty, &st->before));
	st->out[st->out_n] = '\0';
	assert_non_null(strstr(st->out, "\033[?1049h"));
	assert_non_null(strstr(st->out, ".........."));
	stage_type(st, "x");
	stage_end(st);
	assert_left_sane(st);
	stage_close(st);
}

static void refresh_while_a_stop_is_pending(int report)
{
	sigset_t stop;
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	struct screen *s = must_open(report, true);
	struct grid *g = make_grid(24, 80, '.');
	screen_blit(s, g);
	raise(SIGTSTP);
	g->cells[0].ch = 'y';
	screen_blit(s, g);
	sigpending(&stop);
	say(report, sigismember(&stop, SIGTSTP) ? "kept;" : "lost;");
	screen_close(s);
	free_grid(g);
}

static void a_refresh_keeps_a_pending_stop(void **state)
{
	(void)state;
	struct play play = {.term = "xterm-256color", .rows = 24, .cols = 80, .run = refresh_while_a_stop_is_pending};
	struct stage *st = stage_open(&play);
	stage_wait(st, NULL);
	assert_string_equal(st->said, "kept;");
	stage_end(st);
	stage_close(st);
}

static void tiny_and_back(int report)
{
	static const struct winsize sizes[] = {
		{.ws_row = 1, .ws_col = 1},  {.ws_row = 60, .ws_col = 200}, {.ws_row = 1, .ws_col = 200},
		{.ws_row = 60, .ws_col = 1}, {.ws_row = 5, .ws_col = 20},   {.ws_row = 2, .ws_col = 2},
	};
	struct screen *s = must_open(report, true);
	int rows, cols;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		if (i)
			ioctl(STDIN_FILENO, TIOCSWINSZ, &sizes[i]);
		if (i)
			screen_resized(s);
		screen_size(s, &rows, &cols);
		if (rows != sizes[i].ws_row || cols != sizes[i].ws_col)
			say(report, "size %dx%d;", rows, cols);
		/* grids of the screen's size, and smaller and larger ones */
		for (int d = -1; d <= 1; d++) {
			struct grid *g = make_grid(rows + d > 0 ? rows + d : 1, cols + d > 0 ? cols + d : 1, 0x6f22);
			for (int c = 1; c < g->rows * g->cols; c += 2)
				g->cells[c].ch = 0;
			screen_blit(s, g);
			free_grid(g);
		}
	}
	screen_close(s);
	say(report, "done;");
}

static void any_size_will_do(void **state)
{
	(void)state;
	struct play play = {.term = "xterm-256color", .rows = 1, .cols = 1, .run = tiny_and_back};
	struct stage *st = stage_open(&play);
	int status = stage_end(st);
	assert_string_equal(st->said, "done;");
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_left_sane(st);
	stage_close(st);
}

static void show_odd(int report)
{
	struct screen *s = must_open(report, true);
	struct grid *g = make_grid(3, 20, ' ');
	static const uint32_t odd[] = {0x1b, 0x7f, 0x9b, 0x110000, 0x301, 0xe9, 0x6f22, 0, 'z', 0x200b, 0xd800};
	for (size_t i = 0; i < ARRAY_LEN(odd); i++)
		g->cells[i].ch = odd[i];
	g->cells[25].style = 200;
	screen_blit(s, g);
	say(report, "%s;", screen_ascii(s) ? "ascii" : "utf8");
	screen_close(s);
	free_grid(g);
}

static void nothing_odd_reaches_the_terminal(void **state)
{
	(void)state;
	struct play play = {.term = "xterm-256color", .rows = 3, .cols = 20, .run = show_odd};
	struct stage *st = stage_open(&play);
	stage_end(st);
	assert_string_equal(st->said, "utf8;");
	assert_non_null(strstr(st->out, "?????\xc3\xa9\xe6\xbc\xa2z??"));
	stage_close(st);
}

static void ascii_where_the_locale_is(void **state)
{
	(void)state;
	/* a vt220 cannot repeat the last character */
	struct play play = {.term = "vt220", .lang = "C", .rows = 3, .cols = 20, .run = show_odd};
	struct stage *st = stage_open(&play);
	stage_end(st);
	assert_string_equal(st->said, "ascii;");
	assert_non_null(strstr(st->out, "??????? z??"));
	stage_close(st);
}

/* Half of the cells of each row change, in places that the cursor has to be moved to. */
static void blit_scattered(int report)
{
	struct screen *s = must_open(report, true);
	struct grid *g = make_grid(35, 120, 'x');
	screen_blit(s, g);
	for (uint32_t i = 0; i < 5; i++) {
		for (int c = 0; c < g->rows * g->cols; c++)
			g->cells[c].ch = c / 20 % 2 ? 'a' + i : 'x';
		unsigned before = terminal_writes;
		screen_blit(s, g);
		say(report, "%u ", terminal_writes - before);
	}
	screen_close(s);
	free_grid(g);
}

/* Over a network, a screen that is written in pieces is seen in pieces. */
static void a_frame_is_written_at_once(void **state)
{
	(void)state;
	struct play play = {.term = "xterm-256color", .rows = 35, .cols = 120, .run = blit_scattered};
	struct stage *st = stage_open(&play);
	stage_end(st);
	assert_string_equal(st->said, "1 1 1 1 1 ");
	assert_left_sane(st);
	stage_close(st);
}

static void open_only(int report)
{
	screen_close(must_open(report, true));
	say(report, "opened;");
}

static void bad_terminals_are_named(void **state)
{
	(void)state;
	static const struct {
		const char *term, *says;
	} cases[] = {
		{"dumb", "TERM=dumb cannot place its cursor"},
		{"", "TERM is not set"},
		{NULL, "TERM is not set"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct play play = {.term = cases[i].term, .rows = 24, .cols = 80, .run = open_only};
		struct stage *st = stage_open(&play);
		int status = stage_end(st);
		assert_int_equal(WEXITSTATUS(status), 3);
		assert_non_null(strstr(st->said, cases[i].says));
		assert_non_null(strstr(st->said, "cyctop -b"));
		assert_int_equal(stage_settle(st), 0); /* nothing was written to the terminal */
		assert_true(same_termios(st->tty, &st->before));
		stage_close(st);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_arrive_as_codes),	      cmocka_unit_test(keys_after_escape_are_kept),
		cmocka_unit_test(the_mouse_clicks_and_rolls), cmocka_unit_test(keys_come_from_the_terminal_not_stdin),
		cmocka_unit_test(only_changes_are_written),   cmocka_unit_test(a_frame_is_written_at_once),
		cmocka_unit_test(no_color_means_none),	      cmocka_unit_test(a_crash_leaves_a_sane_terminal),
		cmocka_unit_test(suspended_means_given_back), cmocka_unit_test(a_refresh_keeps_a_pending_stop),
		cmocka_unit_test(any_size_will_do),	      cmocka_unit_test(nothing_odd_reaches_the_terminal),
		cmocka_unit_test(ascii_where_the_locale_is),  cmocka_unit_test(bad_terminals_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
