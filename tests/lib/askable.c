#include "askable.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int said_fd; /* in the process */

void askable_say(char c)
{
	if (write(said_fd, &c, 1) != 1)
		_exit(9);
}

void askable_file(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		_exit(8);
	close(fd);
}

void askable_map(const char *name)
{
	static const char text[] = "not really";
	askable_file(name, text);
	int fd = open(name, O_RDONLY);
	if (mmap(NULL, sizeof(text) - 1, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		_exit(6);
	close(fd);
}

int askable_listen(const char *name)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", name);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) != 0 || listen(fd, 1) != 0)
		_exit(7);
	return fd;
}

void askable_begin(struct askable *p, enum runtime_kind runtime, void (*be)(int conduct), int conduct)
{
	int said[2];
	char c;
	const char *tmp = getenv("TMPDIR");
	*p = (struct askable){0};
	snprintf(p->dir, sizeof(p->dir), "%s/cyctop-attach.XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(p->dir));
	char *whole = realpath(p->dir, NULL); /* TMPDIR may be a path from here */
	assert_non_null(whole);
	snprintf(p->dir, sizeof(p->dir), "%s", whole);
	free(whole);
	assert_int_equal(pipe(said), 0);
	p->said = said[0];
	p->pid = fork();
	if (p->pid == 0) {
		close(said[0]);
		said_fd = said[1];
		alarm(300); /* if the test does not end it */
		if (chdir(p->dir) == 0)
			be(conduct);
		_exit(5);
	}
	close(said[1]);
	assert_int_equal(read(p->said, &c, 1), 1);
	assert_int_equal(c, 'r');
	p->q = (struct attach_question){.pid = p->pid, .runtime = runtime, .may_signal = true};
	assert_true(attach_start_ticks(p->pid, &p->q.start_ticks));
}

int askable_count(struct askable *p, char what)
{
	char c;
	int n = 0;
	fcntl(p->said, F_SETFL, O_NONBLOCK);
	while (read(p->said, &c, 1) == 1)
		n += c == what;
	return n;
}

void askable_path(const struct askable *p, const char *name, char buf[600])
{
	size_t n = strcspn(name, "#");
	char pid[16] = "";
	if (name[n])
		snprintf(pid, sizeof(pid), "%d", (int)p->pid);
	snprintf(buf, 600, "%s/%.*s%s%s", p->dir, (int)n, name, pid, name[n] ? name + n + 1 : "");
}

void askable_end(struct askable *p, const char *const *names, size_t n)
{
	char path[600];
	kill(p->pid, SIGKILL);
	waitpid(p->pid, NULL, 0);
	close(p->said);
	for (size_t i = 0; i < n; i++) {
		askable_path(p, names[i], path);
		unlink(path);
	}
	assert_int_equal(rmdir(p->dir), 0);
}

struct attach_answer askable_ask(const struct askable *p, uint64_t open_ms, uint64_t answer_ms)
{
	const struct attach_place place = {p->dir, open_ms, answer_ms};
	struct attach_answer a = {.code = 1};
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		attach_ask(&p->q, &place, &a);
		_exit(write(fds[1], &a, sizeof(a)) != (ssize_t)sizeof(a));
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &a, sizeof(a)), sizeof(a));
	close(fds[0]);
	waitpid(pid, NULL, 0);
	return a;
}

void assert_refused(const struct attach_answer *a, int code, const char *text)
{
	if (a->code != code || !strstr(a->text, text))
		fail_msg("%d, %s", a->code, a->text);
}

void askable_trap(const struct askable *p, const char *name, enum trap trap)
{
	char path[600], other[600];
	askable_path(p, "other", other);
	askable_file(other, "precious");
	askable_path(p, name, path);
	if (trap == TRAP_LINK)
		assert_int_equal(symlink(other, path), 0);
	else if (trap == TRAP_FIFO)
		assert_int_equal(mkfifo(path, 0600), 0);
	else
		askable_file(path, "x");
}

void assert_untouched(const struct askable *p)
{
	char other[600], now[16] = "";
	askable_path(p, "other", other);
	int fd = open(other, O_RDONLY);
	assert_int_equal(read(fd, now, sizeof(now)), 8);
	assert_string_equal(now, "precious");
	close(fd);
}
