/* Opens, closes and resizes the terminal; draws a grid on it. */
#include "front/curses/terminal.h"

#include "base/alloc.h"
#include "base/fmt.h"
#include "front/curses/characters.h"
#include "front/curses/type.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#define CELL_UNKNOWN UINT32_MAX
#define ESC_DELAY_MS 25

/* Maximum size of a terminal, as the process at its other end can set any size.  More cells would only take memory, 100
 * bytes each, and time in which signals are not handled. */
enum { ROWS_MAX = 1000, COLS_MAX = 2000 };

/* Opens the terminal for reading keys, even if standard input is not the terminal. */
static int input_open(FILE **ret, struct error *err)
{
	if (isatty(STDIN_FILENO)) {
		*ret = stdin;
		return 0;
	}
	FILE *tty = fopen("/dev/tty", "re");
	if (!tty)
		return error_set(err, errno,
				 "standard input is not a terminal and /dev/tty cannot be opened (%s): use cyctop -b",
				 strerror(errno));
	*ret = tty;
	return 0;
}

static void input_close(FILE *in)
{
	if (in != stdin)
		fclose(in);
}

static void on_nothing(int sig)
{
	(void)sig;
}

/* Calls newterm() without its signal handlers, because the caller handles these signals.  SIGTSTP gets a handler
 * meanwhile: if it had its default action, ncurses would ignore it during each refresh.  When the action of a signal
 * becomes SIG_IGN, the kernel discards it even if it is pending and blocked, so that a Ctrl-Z could be lost. */
static SCREEN *newterm_without_signals(const char *type, FILE *frame, FILE *in)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
	struct sigaction before[ARRAY_LEN(signals)];
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		sigaction(signals[i], NULL, &before[i]);
	sigaction(SIGTSTP, &(struct sigaction){.sa_handler = on_nothing}, NULL);
	/* screen_resized() asks for the size.  Until then, use_tioctl() lets ncurses take 24x80 if the terminal's
	 * description has no size, as that of "linux"; without use_tioctl(), newterm() would fail. */
	use_env(FALSE);
	use_tioctl(TRUE);
	SCREEN *term = newterm(type, frame, in);
	if (term) {
		meta(NULL, TRUE); /* keys are 8-bit bytes; otherwise ncurses would ask for the terminal's modes */
		endwin();	  /* until the first endwin(), ncurses writes after each cursor movement */
	}
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		sigaction(signals[i], &before[i], NULL);
	return term;
}

static void shown_forget(struct screen *s)
{
	size_t n = (size_t)s->rows * (size_t)s->cols;
	for (size_t i = 0; i < n; i++)
		s->shown[i].ch = CELL_UNKNOWN;
}

static void shown_resize(struct screen *s)
{
	getmaxyx(stdscr, s->rows, s->cols);
	free(s->shown);
	s->shown = mem_calloc((size_t)s->rows * (size_t)s->cols, sizeof(*s->shown));
	shown_forget(s);
}

/* Lets ncurses write the next frame over the last one, in the file in memory. */
static void frame_forget(const struct screen *s)
{
	if (lseek(fileno(s->frame), 0, SEEK_SET) < 0)
		_exit(EXIT_FAILURE); /* cannot fail for a file in memory */
}

/* Copies the frame from memory to the terminal.  If that is interrupted, what the terminal shows is unknown. */
static void frame_show(struct screen *s)
{
	int fd = fileno(s->frame);
	off_t n = lseek(fd, 0, SEEK_CUR);
	char *bytes = mem_calloc((size_t)n + 1, 1);
	ssize_t got = pread(fd, bytes, (size_t)n, 0);
	int rc = got > 0 ? os_write(&s->to, bytes, (size_t)got) : 0;
	s->gone |= rc < 0 && rc != -EINTR;
	free(bytes);
	frame_forget(s);
}

/* Returns the terminal's modes while cyctop runs: keys come at once and without echo, but ^C and ^Z send signals. */
static struct termios modes_of(const struct termios *before)
{
	struct termios modes = *before;
	modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL);
	modes.c_lflag |= ISIG;
	modes.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR);
	modes.c_oflag &= ~(tcflag_t)(ONLCR | TABDLY);
	modes.c_cc[VMIN] = 1;
	modes.c_cc[VTIME] = 0;
	return modes;
}

static void set_up(struct screen *s, bool mouse)
{
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	leaveok(stdscr, TRUE);
	keypad(s->keys, TRUE);
	nodelay(s->keys, TRUE);
	if (!getenv("ESCDELAY"))
		set_escdelay(ESC_DELAY_MS);
	if (mouse) {
		mouseinterval(0);
		s->mouse = mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL) != 0;
	}
}

static int frame_open(FILE **ret, struct error *err)
{
	int fd = memfd_create("screen", MFD_CLOEXEC);
	*ret = fd < 0 ? NULL : fdopen(fd, "w");
	if (*ret)
		return 0;
	int code = errno;
	if (fd >= 0)
		close(fd);
	return error_set(err, code, "no memory to draw the screen in: %s", strerror(code));
}

static void screen_free(struct screen *s)
{
	if (s->term)
		delscreen(s->term);
	if (s->frame)
		fclose(s->frame);
	input_close(s->in);
	free(s->shown);
	free(s);
}

int screen_open(const struct screen_config *config, struct screen **ret, struct error *err)
{
	bool utf8 = characters_are_utf8();
	FILE *in = NULL;
	struct terminal_type type;
	int r = terminal_type_begin(STDOUT_FILENO, &type, err);
	if (r < 0)
		return r;
	r = input_open(&in, err);
	if (r < 0) {
		terminal_type_end(&type);
		return r;
	}
	struct screen *s = mem_calloc(1, sizeof(*s));
	s->in = in;
	s->to = (struct os_writer){.fd = STDOUT_FILENO, .stop_fd = config->stop_fd, .patience_ms = OS_PATIENCE_MS};
	if (tcgetattr(fileno(in), &s->before) < 0)
		r = error_set(err, errno, "cannot read the state of the terminal: %s", strerror(errno));
	if (r == 0)
		r = frame_open(&s->frame, err);
	s->term = r == 0 ? newterm_without_signals(type.name, s->frame, in) : NULL;
	s->guess = type.is_guess ? type.name : NULL;
	terminal_type_end(&type);
	if (r == 0 && !s->term)
		r = error_set(err, ENOTTY, "the terminal could not be set up: use cyctop -b");
	if (r < 0) {
		screen_free(s);
		return r;
	}
	frame_forget(s);
	s->ascii = config->ascii || !utf8;
	s->keys = newpad(1, 1);
	set_up(s, config->mouse);
	s->color = styles_init(s->looks, config->color);
	restore_arm(STDOUT_FILENO, fileno(in), &s->before, s->color, s->mouse);
	s->modes = modes_of(&s->before);
	shown_resize(s);
	screen_resized(s);
	*ret = s;
	return 0;
}

/* Gives the terminal back to the shell.  A terminal without an alternate screen, such as the Linux console, keeps
 * cyctop's last screen, and the shell writes its prompt into the last row. */
static void leave(struct screen *s)
{
	if (s->left)
		return;
	s->left = true;
	if (!isendwin()) {
		move(LINES - 1, 0);
		clrtoeol();
		wnoutrefresh(stdscr);
		doupdate();
	}
	endwin();
	restore_modes(fileno(s->in), &s->before); /* comes first, because it resumes a terminal that ^S stopped */
	frame_show(s);
	restore_active(false);
}

void screen_close(struct screen *s)
{
	if (!s)
		return;
	leave(s);
	delwin(s->keys);
	screen_free(s);
}

void screen_size(const struct screen *s, int *rows_ret, int *cols_ret)
{
	*rows_ret = s->rows;
	*cols_ret = s->cols;
}

const char *screen_guess(const struct screen *s)
{
	return s->guess;
}

bool screen_ascii(const struct screen *s)
{
	return s->ascii;
}

bool screen_gone(const struct screen *s)
{
	return s->gone;
}

int screen_fd(const struct screen *s)
{
	return fileno(s->in);
}

/* Returns the character to print for a grid cell: '?' if the C library gives it another width than the grid does. */
static wchar_t printable(const struct screen *s, const struct glyph *g, bool wide)
{
	uint32_t ch = g->ch;
	if (ch < 0x20 || (ch >= 0x7f && ch < 0xa0) || ch > 0x10ffff || (s->ascii && ch > 0x7e))
		return L'?';
	return ch < 0x7f || wcwidth((wchar_t)ch) == (wide ? 2 : 1) ? (wchar_t)ch : L'?';
}

static void put_cell(struct screen *s, int row, int col, const struct glyph *g, bool wide)
{
	const struct style_look *look = &s->looks[g->style < STYLE_COUNT ? g->style : STYLE_NORMAL];
	wchar_t text[2] = {printable(s, g, wide), 0};
	cchar_t c;
	setcchar(&c, text, look->attrs, look->pair, NULL);
	mvadd_wch(row, col, &c);
	if (wide && (uint32_t)text[0] != g->ch) {
		text[0] = L' ';
		setcchar(&c, text, look->attrs, look->pair, NULL);
		mvadd_wch(row, col + 1, &c);
	}
}

static bool same_glyph(const struct glyph *a, const struct glyph *b)
{
	return a->ch == b->ch && a->style == b->style;
}

/* Returns true if a row has a wide character, now or as last drawn.  Such a row is written completely, because
 * overwriting one half of a wide character changes its other half, too. */
static bool row_has_wide(const struct glyph *now, const struct glyph *was, int cols)
{
	for (int c = 0; c < cols; c++)
		if (now[c].ch == 0 || was[c].ch == 0)
			return true;
	return false;
}

static bool row_differs(const struct glyph *now, const struct glyph *was, int cols)
{
	for (int c = 0; c < cols; c++)
		if (!same_glyph(&now[c], &was[c]))
			return true;
	return false;
}

static void blit_row(struct screen *s, const struct grid *g, int row, int cols)
{
	const struct glyph *now = &g->cells[(size_t)row * (size_t)g->cols];
	struct glyph *was = &s->shown[(size_t)row * (size_t)s->cols];
	if (!row_differs(now, was, cols))
		return;
	bool whole = row_has_wide(now, was, cols);
	for (int c = 0; c < cols; c++) {
		if (now[c].ch == 0 && c > 0) /* the right half of a wide character, printed with the left half */
			continue;
		if (whole || !same_glyph(&now[c], &was[c]))
			put_cell(s, row, c, &now[c], c + 1 < cols && now[c + 1].ch == 0);
	}
	memcpy(was, now, (size_t)cols * sizeof(*was));
}

void screen_blit(struct screen *s, const struct grid *g)
{
	/* after a resize, the grid has the old size until the next grid is drawn */
	int rows = g->rows < s->rows ? g->rows : s->rows;
	int cols = g->cols < s->cols ? g->cols : s->cols;
	for (int row = 0; row < rows; row++)
		blit_row(s, g, row, cols);
	wnoutrefresh(stdscr);
	doupdate();
	frame_show(s);
}

void screen_repaint(struct screen *s)
{
	werase(stdscr);
	clearok(stdscr, TRUE);
	shown_forget(s);
}

/* Returns the number of rows or columns, at most `most`: `told`, the terminal's own number; if that is 0, the value of
 * the environment variable; without that, `before`. */
static int size_of(unsigned short told, const char *variable, int before, int most)
{
	const char *text = getenv(variable);
	uint64_t n = told;
	if (!n && (!text || !text_u64(&text, &n) || *text || !n))
		return before;
	return n < (uint64_t)most ? (int)n : most;
}

void screen_resized(struct screen *s)
{
	struct winsize size = {0};
	/* SIGSTOP cannot be caught; after it and SIGCONT, the terminal has the modes of the shell. */
	tcsetattr(fileno(s->in), TCSANOW, &s->modes); /* actions other than TCSANOW would wait for a stuck terminal */
	(void)!ioctl(fileno(s->in), TIOCGWINSZ, &size);
	int rows = size_of(size.ws_row, "LINES", s->rows, ROWS_MAX);
	int cols = size_of(size.ws_col, "COLUMNS", s->cols, COLS_MAX);
	if (rows != s->rows || cols != s->cols) {
		resize_term(rows, cols);
		shown_resize(s);
	}
	screen_repaint(s);
}

void screen_suspend(struct screen *s)
{
	leave(s);
}

void screen_resume(struct screen *s)
{
	s->left = false;
	restore_active(true);
	screen_resized(s);
	screen_repaint(s); /* draws all even if the size could not be read */
}
