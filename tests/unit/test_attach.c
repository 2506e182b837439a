/* Asking a JVM, against processes that look like one: those that answer as documented, and those that refuse, hang, lie
 * or set traps.  Nothing of it needs Java. */
#include "app/attach.h"

#include <errno.h>
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

/* What the process does when it is asked. */
enum conduct {
	OBEYS,
	SAYS_SO, /* "done", and writes nothing */
	REFUSES,
	BABBLES,     /* more than any answer has */
	HANGS,	     /* accepts, and never answers */
	HANGS_UP,    /* accepts, and closes */
	IS_DEAF,     /* to SIGQUIT: it opens no socket */
	CATCHES_NOT, /* SIGQUIT would end it */
	IS_NO_JVM,
};

struct jvm {
	pid_t pid;
	int said; /* 'r': it is ready; 'q': it got a SIGQUIT; 'c': a question came as it has to be */
	char dir[512];
	struct attach_question q;
	enum conduct conduct;
};

static int said_fd; /* in the child */

static void say(char c)
{
	if (write(said_fd, &c, 1) != 1)
		_exit(9);
}

static void on_quit(int sig)
{
	(void)sig;
	say('q');
}

static void file_at(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		_exit(8);
	close(fd);
}

/* A socket in the current folder: paths of sockets are short. */
static int listen_at(const char *name)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", name);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) != 0 || listen(fd, 1) != 0)
		_exit(7);
	return fd;
}

static void answer(int fd, enum conduct conduct)
{
	static const char wanted[] = "1\0jcmd\0Compiler.perfmap\0\0";
	static const char refusal[] = "1\njava.lang.IllegalArgumentException: Unknown diagnostic command\n";
	char question[sizeof(wanted)], name[48];
	if (recv(fd, question, sizeof(question), MSG_WAITALL) == (ssize_t)sizeof(question) &&
	    memcmp(question, wanted, sizeof(wanted)) == 0)
		say('c');
	snprintf(name, sizeof(name), "perf-%d.map", (int)getpid());
	if (conduct == OBEYS)
		file_at(name, "7f0000001000 40 void Hot.main(java.lang.String[])\n");
	if (conduct == OBEYS || conduct == SAYS_SO)
		(void)!send(fd, "0\n", 2, MSG_NOSIGNAL);
	if (conduct == REFUSES)
		(void)!send(fd, refusal, sizeof(refusal) - 1, MSG_NOSIGNAL);
	while (conduct == BABBLES && send(fd, refusal, sizeof(refusal), MSG_NOSIGNAL) > 0)
		;
	while (conduct == HANGS)
		pause();
	close(fd);
}

static void be_jvm(const struct jvm *j)
{
	char name[48], trigger[48];
	sigset_t quit, none;
	struct stat st;
	struct sigaction sa = {.sa_handler = on_quit};
	alarm(300); /* if the test does not end it */
	file_at("libjvm.so", "not really");
	int lib = open("libjvm.so", O_RDONLY);
	if (j->conduct != IS_NO_JVM && mmap(NULL, 10, PROT_READ, MAP_PRIVATE, lib, 0) == MAP_FAILED)
		_exit(6);
	sigemptyset(&none);
	sigemptyset(&quit);
	sigaddset(&quit, SIGQUIT);
	sigprocmask(SIG_BLOCK, &quit, NULL);
	signal(SIGQUIT, SIG_DFL);
	if (j->conduct != CATCHES_NOT)
		sigaction(SIGQUIT, &sa, NULL);
	snprintf(name, sizeof(name), ".java_pid%d", (int)getpid());
	snprintf(trigger, sizeof(trigger), ".attach_pid%d", (int)getpid());
	say('r');
	sigsuspend(&none);
	while (j->conduct == IS_DEAF || lstat(trigger, &st) != 0 || !S_ISREG(st.st_mode))
		sigsuspend(&none);
	unlink(name);
	for (int fd = listen_at(name);;)
		answer(accept(fd, NULL, NULL), j->conduct);
}

static void jvm_begin(struct jvm *j, enum conduct conduct)
{
	int said[2];
	char c;
	const char *tmp = getenv("TMPDIR");
	*j = (struct jvm){.conduct = conduct};
	snprintf(j->dir, sizeof(j->dir), "%s/cyctop-attach.XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(j->dir));
	char *whole = realpath(j->dir, NULL); /* TMPDIR may be a path from here */
	assert_non_null(whole);
	snprintf(j->dir, sizeof(j->dir), "%s", whole);
	free(whole);
	assert_int_equal(pipe(said), 0);
	j->said = said[0];
	j->pid = fork();
	if (j->pid == 0) {
		close(said[0]);
		said_fd = said[1];
		if (chdir(j->dir) == 0)
			be_jvm(j);
		_exit(5);
	}
	close(said[1]);
	assert_int_equal(read(j->said, &c, 1), 1);
	assert_int_equal(c, 'r');
	j->q = (struct attach_question){.pid = j->pid, .may_signal = true};
	assert_true(attach_start_ticks(j->pid, &j->q.start_ticks));
}

/* How often the process said it; what it said is then forgotten. */
static int count(struct jvm *j, char what)
{
	char c;
	int n = 0;
	fcntl(j->said, F_SETFL, O_NONBLOCK);
	while (read(j->said, &c, 1) == 1)
		n += c == what;
	return n;
}

/* The path of a file of its folder; "#" in its name stands for its pid. */
static void path_of(const struct jvm *j, const char *name, char buf[600])
{
	size_t n = strcspn(name, "#");
	char pid[16] = "";
	if (name[n])
		snprintf(pid, sizeof(pid), "%d", (int)j->pid);
	snprintf(buf, 600, "%s/%.*s%s%s", j->dir, (int)n, name, pid, name[n] ? name + n + 1 : "");
}

static void jvm_end(struct jvm *j)
{
	static const char *const names[] = {"libjvm.so", "perf-#.map", ".java_pid#", "other"};
	char path[600];
	struct stat st;
	kill(j->pid, SIGKILL);
	waitpid(j->pid, NULL, 0);
	close(j->said);
	path_of(j, ".attach_pid#", path);
	assert_int_not_equal(lstat(path, &st), 0); /* is taken away in any case */
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		path_of(j, names[i], path);
		unlink(path);
	}
	assert_int_equal(rmdir(j->dir), 0);
}

/* In a process of its own, as the helper does it. */
static struct attach_answer ask(const struct jvm *j, uint64_t open_ms, uint64_t answer_ms)
{
	const struct attach_place place = {j->dir, open_ms, answer_ms};
	struct attach_answer a = {.code = 1};
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		attach_ask(&j->q, &place, &a);
		_exit(write(fds[1], &a, sizeof(a)) != (ssize_t)sizeof(a));
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &a, sizeof(a)), sizeof(a));
	close(fds[0]);
	waitpid(pid, NULL, 0);
	return a;
}

static const uint64_t long_ms = 120000, short_ms = 300; /* in which all happens, and for what never does */

static void assert_refused(const struct attach_answer *a, int code, const char *text)
{
	if (a->code != code || !strstr(a->text, text))
		fail_msg("%d, %s", a->code, a->text);
}

static void names_are_written(void **state)
{
	(void)state;
	struct jvm j;
	char map[600];
	struct stat st;
	jvm_begin(&j, OBEYS);
	struct attach_answer a = ask(&j, long_ms, long_ms);
	assert_refused(&a, 0, "");
	path_of(&j, "perf-#.map", map);
	assert_int_equal(stat(map, &st), 0);
	/* a second time, its socket is there, and no signal is needed */
	j.q.may_signal = false;
	a = ask(&j, long_ms, long_ms);
	assert_refused(&a, 0, "");
	char said[8] = "";
	assert_int_equal(read(j.said, said, sizeof(said)), 3);
	assert_string_equal(said, "qcc");
	jvm_end(&j);
}

static void what_it_says_is_passed_on(void **state)
{
	(void)state;
	static const struct {
		enum conduct conduct;
		int code;
		const char *text;
		bool soon; /* what is waited for never comes */
	} cases[] = {
		{REFUSES, -ENOTSUP, "it does not know Compiler.perfmap"},
		{SAYS_SO, -ENOENT, "which is not there"},
		{BABBLES, -EBADMSG, "no answer"},
		{HANGS_UP, -EBADMSG, "without an answer"},
		{HANGS, -ETIMEDOUT, "did not answer in time", true},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct jvm j;
		jvm_begin(&j, cases[i].conduct);
		struct attach_answer a = ask(&j, long_ms, cases[i].soon ? short_ms : long_ms);
		assert_refused(&a, cases[i].code, cases[i].text);
		assert_int_equal(count(&j, 'q'), 1);
		jvm_end(&j);
	}
}

static void no_signal_is_sent(void **state)
{
	(void)state;
	static const struct {
		enum conduct conduct;
		int code;
		const char *text;
	} cases[] = {
		{CATCHES_NOT, -ENOTSUP, "does not catch SIGQUIT, which would end it"},
		{IS_NO_JVM, -ENOTSUP, "it is no JVM"},
	};
	struct jvm j;
	struct attach_answer a;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		jvm_begin(&j, cases[i].conduct);
		a = ask(&j, short_ms, short_ms);
		assert_refused(&a, cases[i].code, cases[i].text);
		assert_int_equal(kill(j.pid, 0), 0);
		assert_int_equal(waitpid(j.pid, NULL, WNOHANG), 0); /* it lives */
		assert_int_equal(count(&j, 'q'), 0);
		jvm_end(&j);
	}
	jvm_begin(&j, OBEYS);
	j.q.may_signal = false;
	a = ask(&j, short_ms, short_ms);
	assert_refused(&a, -ENOENT, "its attach socket is gone");
	j.q.may_signal = true;
	j.q.start_ticks++; /* the pid is another process's now */
	a = ask(&j, short_ms, short_ms);
	assert_refused(&a, -ESRCH, "it has ended");
	j.q.start_ticks--;
	assert_int_equal(kill(j.pid, SIGSTOP), 0);
	assert_int_equal(waitpid(j.pid, NULL, WUNTRACED), j.pid);
	a = ask(&j, short_ms, short_ms);
	assert_refused(&a, -EAGAIN, "it is stopped");
	assert_int_equal(count(&j, 'q'), 0);
	jvm_end(&j);
}

static void one_that_opens_nothing_is_not_awaited(void **state)
{
	(void)state;
	struct jvm j;
	jvm_begin(&j, IS_DEAF);
	struct attach_answer a = ask(&j, short_ms, short_ms);
	assert_refused(&a, -ETIMEDOUT, "did not open its attach socket");
	jvm_end(&j);
}

/* Where the socket, the map or the trigger should be, there is something else.  Links lead to a file that stays as
 * it is. */
static void traps(void **state)
{
	(void)state;
	enum trap { LINK, FIFO, FILE_THERE };
	static const struct {
		const char *name;
		enum trap trap;
		int code;
		const char *text;
	} cases[] = {
		{".java_pid#", LINK, -EEXIST, "is something else"},
		{".java_pid#", FIFO, -EEXIST, "is something else"},
		{".java_pid#", FILE_THERE, -EEXIST, "is something else"},
		{"perf-#.map", LINK, -EEXIST, "in the place of its map"},
		{"perf-#.map", FIFO, -EEXIST, "in the place of its map"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct jvm j;
		char path[600], other[600], now[16] = "";
		jvm_begin(&j, OBEYS);
		path_of(&j, "other", other);
		file_at(other, "precious");
		path_of(&j, cases[i].name, path);
		if (cases[i].trap == LINK)
			assert_int_equal(symlink(other, path), 0);
		else if (cases[i].trap == FIFO)
			assert_int_equal(mkfifo(path, 0600), 0);
		else
			file_at(path, "x");
		struct attach_answer a = ask(&j, short_ms, short_ms);
		assert_refused(&a, cases[i].code, cases[i].text);
		assert_int_equal(count(&j, 'q'), 0);
		int fd = open(other, O_RDONLY);
		assert_int_equal(read(fd, now, sizeof(now)), 8);
		assert_string_equal(now, "precious");
		close(fd);
		jvm_end(&j);
	}
}

/* The trigger that somebody left behind is used anew; a link in its place is not followed. */
static void old_triggers(void **state)
{
	(void)state;
	struct jvm j;
	char path[600], other[600];
	struct stat st;
	jvm_begin(&j, OBEYS);
	path_of(&j, ".attach_pid#", path);
	file_at(path, "");
	struct attach_answer a = ask(&j, long_ms, long_ms);
	assert_refused(&a, 0, "");
	jvm_end(&j);
	jvm_begin(&j, OBEYS);
	path_of(&j, "other", other);
	path_of(&j, ".attach_pid#", path);
	assert_int_equal(symlink(other, path), 0);
	a = ask(&j, short_ms, short_ms);
	assert_refused(&a, -EEXIST, "cannot be made");
	assert_int_not_equal(stat(other, &st), 0);
	assert_int_equal(count(&j, 'q'), 0);
	unlink(path);
	jvm_end(&j);
}

/* Another process listens at the socket: it is told nothing. */
static void impostors(void **state)
{
	(void)state;
	struct jvm j;
	char name[48], cwd[512];
	jvm_begin(&j, OBEYS);
	snprintf(name, sizeof(name), ".java_pid%d", (int)j.pid);
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	assert_int_equal(chdir(j.dir), 0);
	int fd = listen_at(name);
	assert_int_equal(chdir(cwd), 0);
	struct attach_answer a = ask(&j, short_ms, short_ms);
	assert_refused(&a, -EPERM, "another process listens");
	close(fd);
	/* what an earlier process of this pid left behind does not stand in the way */
	a = ask(&j, long_ms, long_ms);
	assert_refused(&a, 0, "");
	assert_int_equal(count(&j, 'q'), 1);
	jvm_end(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_written),
		cmocka_unit_test(what_it_says_is_passed_on),
		cmocka_unit_test(no_signal_is_sent),
		cmocka_unit_test(one_that_opens_nothing_is_not_awaited),
		cmocka_unit_test(traps),
		cmocka_unit_test(old_triggers),
		cmocka_unit_test(impostors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
