/* The screen of counted calls: of a program while it runs, or of a file. */
#include "app/calls.h"
#include "app/loop.h"
#include "app/measured.h"
#include "app/message.h"
#include "os/signals.h"
#include "base/alloc.h"
#include "base/fmt.h"
#include "os/clock.h"
#include "os/output.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t first_tick_ns = 200000000, tick_ns = 1000000000;
enum { SETTLE_MS = 50 }; /* how long a refresh waits for names */

struct calls_ui {
	const struct calls_options *options;
	struct command command;
	struct calls_run run;
	struct output said; /* file that gets the output of the program */
	struct calls_table table;
	struct calls_page *page;
	struct screen *screen;
	struct grid *grid;
	struct loop loop;
	bool frozen, quit;
	uint64_t calls, before, spent_ns; /* calls: of all functions; before: at the last refresh, spent_ns ago */
	uint64_t read_ns;		  /* time at which the table was last read */
};

static bool is_live(const struct calls_ui *ui)
{
	return !ui->options->common.input;
}

/* ---- reading and saving the table of calls ------------------------------------------------------------ */

static int read_table(struct calls_ui *ui, struct error *err)
{
	struct calls_table fresh;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	int rc = is_live(ui) ? calls_run_read(&ui->run, ui->options->command[0], SETTLE_MS, &fresh, err)
			     : calls_load(ui->options->common.input, &fresh, err);
	if (rc < 0)
		return rc;
	calls_page_write(ui->page, &fresh);
	calls_table_deinit(&ui->table);
	ui->table = fresh;
	ui->spent_ns = now_ns - ui->read_ns;
	ui->read_ns = now_ns;
	ui->before = ui->calls;
	ui->calls = 0;
	for (size_t i = 0; i < fresh.n; i++)
		ui->calls += fresh.lines[i].calls;
	return 0;
}

/* Writes the table that is shown to a new file in the working directory. */
static void save(struct calls_ui *ui)
{
	const struct batch_format *json = batch_format_find("json");
	struct output to = {.fd = -1};
	struct calls_output o;
	struct error err = {.text = ""};
	if (json->why) {
		calls_page_say(ui->page, "%s", json->why);
		return;
	}
	int rc = output_open("cyctop-calls.json", OUTPUT_NUMBERED, &to, &err);
	FILE *out = rc == 0 ? output_file(&to) : NULL;
	if (out)
		rc = calls_arrange(&ui->options->choice, &ui->table, &o, &err);
	if (out && rc == 0) {
		json->calls(out, &o);
		free((void *)o.lines);
		rc = output_close(&to, &err);
	}
	calls_page_say(ui->page, "%.400s%s", rc == 0 ? to.path : err.text, rc == 0 ? " has what was counted" : "");
	output_drop(&to);
}

/* ---- drawing the screen ------------------------------------------------------------------------------- */

static void describe(const struct calls_ui *ui, char *buf, size_t cap)
{
	char calls[32], rate[16], state[80] = "";
	const struct command *c = &ui->command;
	uint64_t more = ui->calls > ui->before ? ui->calls - ui->before : 0;
	fmt_grouped(calls, sizeof(calls), (double)ui->calls);
	fmt_si(rate, sizeof(rate), ui->spent_ns ? 1e9 * (double)more / (double)ui->spent_ns : 0);
	if (!is_live(ui))
		snprintf(state, sizeof(state), "kept");
	else if (c->status >= 0)
		snprintf(state, sizeof(state), "ended with status %d", c->status);
	else
		snprintf(state, sizeof(state), "runs as process %d, %s calls/s", (int)c->pid, rate);
	snprintf(buf, cap, "%.80s %s%s: %s calls that have ended, of %zu functions",
		 is_live(ui) ? ui->options->command[0] : ui->options->common.input, state,
		 ui->frozen ? " (frozen)" : "", calls, ui->table.n);
}

static void draw(struct calls_ui *ui)
{
	char status[300];
	int rows, cols;
	screen_size(ui->screen, &rows, &cols);
	if (!ui->grid || ui->grid->rows != rows || ui->grid->cols != cols) {
		grid_destroy(ui->grid);
		ui->grid = grid_create(rows, cols);
	}
	grid_clear(ui->grid);
	describe(ui, status, sizeof(status));
	calls_page_draw(ui->page, status, ui->grid);
	screen_blit(ui->screen, ui->grid);
}

static void react(struct calls_ui *ui, unsigned reaction)
{
	if (reaction & CALLS_QUIT)
		ui->quit = true;
	if (reaction & CALLS_FREEZE)
		ui->frozen = !ui->frozen;
	if (reaction & CALLS_SAVE)
		save(ui);
	if (reaction & CALLS_REPAINT)
		screen_repaint(ui->screen);
	if (reaction & CALLS_WRITE)
		calls_page_write(ui->page, &ui->table);
	if (reaction)
		draw(ui);
}

static void read_keys(struct calls_ui *ui)
{
	struct input_event ev;
	while (!ui->quit && screen_input(ui->screen, &ev))
		react(ui, calls_page_key(ui->page, ui->grid, &ev));
}

static void suspend(struct calls_ui *ui)
{
	screen_suspend(ui->screen);
	signals_stop_self();
	screen_resume(ui->screen);
	screen_resized(ui->screen);
}

/* If the program has ended, shows a message, and returns true. */
static bool look_at_end(struct calls_ui *ui)
{
	struct command *c = &ui->command;
	if (!is_live(ui) || !c->pid || !command_ended(c))
		return false;
	ui->loop.command = -1;
	ui->frozen = false;
	calls_page_say(ui->page, "It ended with status %d; its output is in %.200s; q leaves", c->status,
		       ui->said.path);
	return true;
}

static int step(struct calls_ui *ui, unsigned wake, struct error *err)
{
	int rc = 0;
	if (wake & WAKE_QUIT || screen_gone(ui->screen)) {
		ui->quit = true;
		return 0;
	}
	bool running = is_live(ui) && ui->command.status < 0, ended = look_at_end(ui);
	if (ended || (wake & WAKE_TICK && running && !ui->frozen))
		rc = read_table(ui, err);
	if (ended && rc == 0 && !ui->table.n && ui->table.notes.n)
		calls_page_say(ui->page, "%s", ui->table.notes.text[0]);
	if (wake & WAKE_STOP)
		suspend(ui);
	if (wake & WAKE_SIZE)
		screen_resized(ui->screen);
	if (wake & WAKE_KEY)
		read_keys(ui);
	if (!ui->quit)
		draw(ui);
	return rc;
}

/* Runs the program, if there is one.  Returns after the program has ended and the user has left the screen. */
static int show(struct calls_ui *ui, int signals, int quit_fd, struct error *err)
{
	const struct options *o = &ui->options->common;
	const struct screen_config config = {
		.color = options_color(o), .mouse = !o->no_mouse, .ascii = o->ascii, .stop_fd = quit_fd};
	int rc = screen_open(&config, &ui->screen, err);
	if (rc < 0)
		return rc;
	signals_on_crash(screen_restore);
	alloc_on_failure(screen_restore);
	rc = loop_open(&ui->loop, NULL, signals, quit_fd, screen_fd(ui->screen), err);
	bool open = rc == 0;
	if (rc == 0 && is_live(ui)) {
		rc = command_start(&ui->command, ui->options->command[0], err);
		ui->loop.command = ui->command.fd;
	}
	if (rc == 0)
		rc = read_table(ui, err);
	if (rc == 0) {
		loop_timer(&ui->loop, first_tick_ns, tick_ns);
		draw(ui);
	}
	while (rc == 0 && !ui->quit)
		rc = step(ui, loop_wait(&ui->loop), err);
	if (open)
		loop_close(&ui->loop);
	screen_close(ui->screen);
	return rc;
}

static int prepare(struct calls_ui *ui, struct error *err)
{
	if (!is_live(ui))
		return 0;
	int rc = measured_off_screen(ui->options->command[0], &ui->said, err);
	if (rc == 0)
		rc = calls_prepare(ui->options, measured_leave_terminal, &ui->said.fd, &ui->command, &ui->run, err);
	return rc;
}

/* Prints on stderr, after the screen was closed, which calls were not counted, whether the program still runs, and
 * where its output is. */
static void tell(const struct calls_ui *ui)
{
	const struct command *c = &ui->command;
	calls_tell(&ui->table);
	if (is_live(ui) && c->status < 0 && c->pid)
		message("%s runs on as process %d", ui->options->command[0], (int)c->pid);
	if (is_live(ui))
		message("the output of %s is in %s", ui->options->command[0], ui->said.path);
}

int calls_screen(const struct calls_options *o, int *status_ret, struct error *err)
{
	struct calls_ui ui = {
		.options = o,
		.said = {.fd = -1},
		.command = {.go = -1, .failed = -1, .fd = -1, .status = -1},
	};
	int quit_fd = -1, signals = -1;
	setlocale(LC_CTYPE, ""); /* no other category: numbers keep their decimal point */
	ui.page = calls_page_create(&o->choice);
	int rc = prepare(&ui, err);
	if (rc == 0) /* after the program was forked, so that it does not inherit blocked signals */
		signals = signals_open(&quit_fd, err);
	if (rc == 0)
		rc = signals < 0 ? signals : show(&ui, signals, quit_fd, err);
	if (rc == 0)
		tell(&ui);
	*status_ret = ui.command.status > 0 ? ui.command.status : 0;
	if (rc == 0 && !*status_ret && !ui.table.n && ui.command.status == 0)
		*status_ret = EXIT_FAILED; /* because no call was counted */
	signals_close(signals, quit_fd);
	calls_page_destroy(ui.page);
	calls_table_deinit(&ui.table);
	grid_destroy(ui.grid);
	command_close(&ui.command);
	calls_run_close(&ui.run);
	output_drop(&ui.said);
	return rc;
}
