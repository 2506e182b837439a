#include "app/message.h"

#include "os/signals.h"
#include "base/clean.h"
#include "os/write.h"

#include <cyctop/front.h>
#include <cyctop/options.h>

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_MS = 200 };

void message(const char *fmt, ...)
{
	char text[2048];
	struct strbuf clean = {0};
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	strbuf_add(&clean, "cyctop: ");
	clean_add(&clean, text, CLEAN_LINE);
	strbuf_add(&clean, "\n");
	message_write(clean.data);
	strbuf_deinit(&clean);
}

/* Returns the length of a notice's first clause.  It ends at ';', but not at one in parentheses. */
static size_t clause_length(const char *notice)
{
	size_t n = 0;
	for (int depth = 0; notice[n] && (depth || strncmp(notice + n, "; ", 2) != 0); n++)
		depth += (notice[n] == '(') - (notice[n] == ')');
	return n;
}

void message_source(const struct source_info *info, bool events_given)
{
	char names[160];
	for (const char *notice = info->notice; *notice;) {
		size_t n = clause_length(notice);
		message("%.*s", (int)n, notice);
		notice += n + (notice[n] ? 2 : 0);
	}
	for (size_t e = 0; events_given && (e = view_missing_events(info, e, names, sizeof(names))) < info->events_n;
	     e++)
		message("not measured: %s: %s", names, info->events[e].why);
}

void message_write(const char *text)
{
	const struct os_writer to = {.fd = STDERR_FILENO, .stop_fd = signals_quit_fd(), .patience_ms = PATIENCE_MS};
	(void)!os_write(&to, text, strlen(text)); /* there is no other place to report a failure */
	if (to.stop_fd >= 0)
		close(to.stop_fd);
}

void message_unwritten(int code)
{
	if (code == EINTR)
		message("interrupted: the output is not complete");
	else
		message("cannot write the output%s%s", code ? ": " : "", code ? strerror(code) : "");
}

void message_give_up(void)
{
	screen_restore();
	message_unwritten(EINTR);
	_exit(EXIT_FAILED);
}

bool message_flush(void)
{
	struct pollfd reader = {.fd = STDOUT_FILENO, .events = POLLOUT};
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return true;
	int code = errno; /* 0: a write before this one failed, whose errno is lost */
	if (code == EPIPE || (!code && poll(&reader, 1, 0) > 0 && (reader.revents & POLLERR)))
		return true;
	message_unwritten(code);
	return false;
}

int message_options(enum command_id command, int argc, char **argv, struct options *ret)
{
	struct error err = {0};
	if (options_parse(command, argc, argv, isatty(STDOUT_FILENO), ret, &err) < 0) {
		message("%s", err.text);
		return EXIT_USAGE;
	}
	if (!ret->help)
		return -1;
	options_help(command, stdout);
	return message_flush() ? 0 : EXIT_FAILED;
}

void message_limits(const struct limit_counts *limits)
{
	char text[160];
	for (unsigned i = 0; i < LIMITS_N; i++)
		if (limit_text(limits, (enum limit)i, text, sizeof(text)))
			message("limit: %s", text);
}
