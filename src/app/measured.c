#include "app/measured.h"

#include "app/message.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

bool measured_leave_terminal(const void *ctx)
{
	const int *out = ctx;
	setsid(); /* a new session has no terminal, so the command is not stopped when it uses the terminal */
	return freopen("/dev/null", "r", stdin) && dup2(*out, STDOUT_FILENO) >= 0 && dup2(*out, STDERR_FILENO) >= 0;
}

int measured_off_screen(const char *name, struct output *ret, struct error *err)
{
	char path[300];
	snprintf(path, sizeof(path), "%.255s.out", base_name(name));
	int rc = output_open(path, OUTPUT_NUMBERED, ret, err);
	return rc == 0 ? output_place(ret, err) : rc;
}

/* Forks the process of the command, whose output goes to a new file in the working directory. */
static int prepare_off_screen(struct app *app, struct error *err)
{
	struct output out;
	int rc = measured_off_screen(app->options->command[0], &out, err);
	if (rc == 0)
		rc = command_prepare(&app->command, app->options->command, measured_leave_terminal, &out.fd, err);
	if (rc == 0) {
		snprintf(app->command_output, sizeof(app->command_output), "%s", out.path);
		app->output.fd = fcntl(out.fd, F_DUPFD_CLOEXEC, 0); /* if this fails, the pane stays empty */
	}
	output_drop(&out);
	return rc;
}

int measured_prepare(struct app *app, struct live_config *config, struct error *err)
{
	char *const *command = app->options->command;
	int rc = app->options->batch ? command_prepare(&app->command, command, NULL, NULL, err)
				     : prepare_off_screen(app, err);
	if (rc < 0)
		return rc;
	config->target.kind = TARGET_PROCESSES;
	config->target.ids[config->target.ids_n++] = (uint32_t)app->command.pid;
	config->from_exec = true;
	config->name = base_name(command[0]);
	return 0;
}

int measured_start(struct app *app, struct error *err)
{
	return app->options->command ? command_start(&app->command, app->options->command[0], err) : 0;
}

int measured_fd(const struct app *app)
{
	return app->command.pid ? app->command.fd : -1;
}

void measured_begun(const struct app *app, char *text, size_t cap)
{
	if (app->command.pid)
		snprintf(text, cap, "%.60s runs as process %d; Tab goes to its output, which is in %.200s",
			 app->options->command[0], (int)app->command.pid, app->command_output);
}

void measured_state(const struct app *app, char *text, size_t cap)
{
	const struct command *c = &app->command;
	if (c->pid)
		snprintf(text, cap, "runs as process %d", (int)c->pid);
	else if (c->signal)
		snprintf(text, cap, "was ended by signal %d (%s)", c->signal, strsignal(c->signal));
	else if (c->status < 0)
		snprintf(text, cap, "ended");
	else
		snprintf(text, cap, "ended with status %d", c->status);
}

bool measured_ended(struct app *app, char *text, size_t cap)
{
	struct command *c = &app->command;
	if (!c->pid || !command_ended(c))
		return false;
	char state[80];
	measured_state(app, state, sizeof(state));
	snprintf(text, cap, "%.60s %s; Tab goes to its output, which is in %.200s; q leaves", app->options->command[0],
		 state, app->command_output);
	return true;
}

static void say_runs_on(const struct app *app, const char *why)
{
	message("%s %s as process %d", app->options->command[0], why, (int)app->command.pid);
}

void measured_interrupt(struct app *app)
{
	if (app->options->command && !command_finish(&app->command, true, -1))
		say_runs_on(app, "ignores SIGTERM and runs on");
}

int measured_end(struct app *app, int status)
{
	struct command *c = &app->command;
	if (!app->options->command)
		return status;
	if (app->options->batch && c->pid && c->go < 0 && !command_finish(c, false, app->quit_fd))
		say_runs_on(app, "ignores SIGTERM and runs on");
	else if (!command_ended(c) && c->go < 0)
		say_runs_on(app, "runs on");
	if (app->command_output[0])
		message("the output of %s is in %s", app->options->command[0], app->command_output);
	command_close(c);
	if (app->output.fd >= 0)
		close(app->output.fd);
	tail_deinit(&app->output);
	return (status && !c->not_run) || c->status < 0 ? status : c->status;
}
