#include "os/clock.h"
#include "os/launcher.h"

#include <cyctop/comparison.h>

#include <poll.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/wait.h>

int switcher_launch(const char *const commands[2], struct launcher *ret, struct error *err)
{
	/* exec() takes arrays of char *, and changes none of them */
	char *const a[] = {(char *)"/bin/sh", (char *)"-c", (char *)commands[0], NULL};
	char *const b[] = {(char *)"/bin/sh", (char *)"-c", (char *)commands[1], NULL};
	char *const *const both[] = {a, b};
	return launcher_start(both, ARRAY_LEN(both), NULL, ret, err);
}

void switcher_init(struct switcher *s, struct launcher *launcher, uint64_t every_ns)
{
	*s = (struct switcher){.launcher = launcher, .every_ns = every_ns};
	if (launcher->fd >= 0)
		s->state = SWITCHER_BEGINS;
}

static void stop(struct switcher *s, const char *why, char *text, size_t cap)
{
	s->state = SWITCHER_OVER;
	snprintf(text, cap, "The command that switches to %c %s. There are no more turns.", s->side ? 'B' : 'A', why);
}

static void run(struct switcher *s, char *text, size_t cap)
{
	uint32_t pid;
	struct error err;
	s->state = SWITCHER_SWITCHES;
	snprintf(text, cap, "The command that switches to %c runs. B ends the turns.", s->side ? 'B' : 'A');
	if (launcher_prepare(s->launcher, s->side, "", &pid, &err) == 0 && launcher_go(s->launcher, &err) == 0)
		return;
	char why[320];
	snprintf(why, sizeof(why), "was not run: %.290s", err.text);
	stop(s, why, text, cap);
}

/* Chooses the next state (A or B): at random for the first turn of a pair, the other state for the second. */
static void next(struct switcher *s, char *text, size_t cap)
{
	unsigned char byte;
	if (s->second)
		s->side = 1 - s->side;
	else
		s->side = getrandom(&byte, 1, GRND_NONBLOCK) == 1 ? byte & 1 : 0;
	run(s, text, cap);
}

static void measure(struct switcher *s, struct baseline *b, char *text, size_t cap)
{
	s->state = SWITCHER_MEASURES;
	s->until_ns = clock_ns(CLOCK_MONOTONIC) + s->every_ns;
	baseline_turn_of(b, s->side, text, cap);
}

/* Returns true if the command that switches the state has ended. */
static bool switched(struct switcher *s, struct baseline *b, char *text, size_t cap)
{
	struct pollfd p = {.fd = s->launcher->fd, .events = POLLIN};
	struct launch_end end;
	struct error err;
	char why[320] = "";
	launcher_tend(s->launcher);
	if (poll(&p, 1, 0) <= 0)
		return false;
	if (launcher_wait(s->launcher, &end, &err) < 0)
		snprintf(why, sizeof(why), "is lost: %.300s", err.text);
	else if (WIFSIGNALED(end.status))
		snprintf(why, sizeof(why), "was killed by signal %d", WTERMSIG(end.status));
	else if (end.error || WEXITSTATUS(end.status))
		snprintf(why, sizeof(why), "failed (exit status %d): run it by itself to see why",
			 WEXITSTATUS(end.status));
	if (why[0])
		stop(s, why, text, cap);
	else
		measure(s, b, text, cap);
	return true;
}

bool switcher_step(struct switcher *s, struct baseline *b, char *text, size_t cap)
{
	switch (s->state) {
	case SWITCHER_OVER:
		return false;
	case SWITCHER_BEGINS:
		next(s, text, cap);
		return true;
	case SWITCHER_SWITCHES:
		return switched(s, b, text, cap);
	case SWITCHER_MEASURES:
		break;
	}
	if (clock_ns(CLOCK_MONOTONIC) < s->until_ns)
		return false;
	if (!baseline_turn_over(b)) { /* the turn had no whole interval: measures the same state again */
		measure(s, b, text, cap);
		return true;
	}
	s->second = !s->second;
	next(s, text, cap);
	return true;
}

int switcher_fd(const struct switcher *s)
{
	return s->state == SWITCHER_SWITCHES ? s->launcher->fd : -1;
}

bool switcher_end(struct switcher *s)
{
	bool on = s->state != SWITCHER_OVER;
	if (s->state == SWITCHER_SWITCHES)
		launcher_kill(s->launcher);
	s->state = SWITCHER_OVER;
	return on;
}
