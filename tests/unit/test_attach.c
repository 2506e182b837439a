/* Asking a JVM, against processes that look like one: those that answer as documented, and those that refuse, hang, lie
 * or set traps.  Nothing of it needs Java. */
#include "../lib/askable.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* What the process does when it is asked. */
enum conduct {
	OBEYS,
	SAYS_SO,    /* "done", and writes nothing */
	FINDS_TRAP, /* another user cannot place a link in the place of its map by now */
	REFUSES,
	BABBLES,     /* more than any answer has */
	HANGS,	     /* accepts, and never answers */
	HANGS_UP,    /* accepts, and closes */
	IS_DEAF,     /* to SIGQUIT: it opens no socket */
	CATCHES_NOT, /* SIGQUIT would end it */
	IS_NO_JVM,
};

static void on_quit(int sig)
{
	(void)sig;
	askable_say('q');
}

static void answer(int fd, enum conduct conduct)
{
	static const char wanted[] = "1\0jcmd\0Compiler.perfmap\0\0";
	static const char refusal[] = "1\njava.lang.IllegalArgumentException: Unknown diagnostic command\n";
	char question[sizeof(wanted)], name[48];
	if (recv(fd, question, sizeof(question), MSG_WAITALL) == (ssize_t)sizeof(question) &&
	    memcmp(question, wanted, sizeof(wanted)) == 0)
		askable_say('c');
	snprintf(name, sizeof(name), "perf-%d.map", (int)getpid());
	if (conduct == FINDS_TRAP && (symlink("other", name) == 0 || link("other", name) == 0))
		_exit(5);
	if (conduct == OBEYS || conduct == FINDS_TRAP)
		askable_file(name, "7f0000001000 40 void Hot.main(java.lang.String[])\n");
	if (conduct == OBEYS || conduct == FINDS_TRAP || conduct == SAYS_SO)
		(void)!send(fd, "0\n", 2, MSG_NOSIGNAL);
	if (conduct == REFUSES)
		(void)!send(fd, refusal, sizeof(refusal) - 1, MSG_NOSIGNAL);
	while (conduct == BABBLES && send(fd, refusal, sizeof(refusal), MSG_NOSIGNAL) > 0)
		;
	while (conduct == HANGS)
		pause();
	close(fd);
}

static void be_jvm(int conduct)
{
	char name[48], trigger[48];
	sigset_t quit, none;
	struct stat st;
	struct sigaction sa = {.sa_handler = on_quit};
	if (conduct != IS_NO_JVM)
		askable_map("libjvm.so");
	sigemptyset(&none);
	sigemptyset(&quit);
	sigaddset(&quit, SIGQUIT);
	sigprocmask(SIG_BLOCK, &quit, NULL);
	signal(SIGQUIT, SIG_DFL);
	if (conduct != CATCHES_NOT)
		sigaction(SIGQUIT, &sa, NULL);
	snprintf(name, sizeof(name), ".java_pid%d", (int)getpid());
	snprintf(trigger, sizeof(trigger), ".attach_pid%d", (int)getpid());
	askable_say('r');
	sigsuspend(&none);
	while (conduct == IS_DEAF || lstat(trigger, &st) != 0 || !S_ISREG(st.st_mode))
		sigsuspend(&none);
	unlink(name);
	for (int fd = askable_listen(name);;)
		answer(accept(fd, NULL, NULL), conduct);
}

static void jvm_begin(struct askable *j, enum conduct conduct)
{
	askable_begin(j, RUNTIME_JVM, be_jvm, (int)conduct);
}

static void jvm_end(struct askable *j)
{
	static const char *const names[] = {"libjvm.so", "perf-#.map", ".java_pid#", "other"};
	char path[600];
	struct stat st;
	askable_path(j, ".attach_pid#", path);
	kill(j->pid, SIGKILL);
	assert_int_not_equal(lstat(path, &st), 0); /* is taken away in any case */
	askable_end(j, names, ARRAY_LEN(names));
}

static void names_are_written(void **state)
{
	(void)state;
	struct askable j;
	char map[600];
	struct stat st;
	jvm_begin(&j, OBEYS);
	struct attach_answer a = askable_ask(&j, LONG_MS, LONG_MS);
	assert_refused(&a, 0, "");
	askable_path(&j, "perf-#.map", map);
	assert_int_equal(stat(map, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600); /* made for it before it was asked */
	/* a second time, its socket is there, and no signal is needed */
	j.q.may_signal = false;
	a = askable_ask(&j, LONG_MS, LONG_MS);
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
		{SAYS_SO, -ENOENT, "which is empty"},
		{FINDS_TRAP, 0, ""},
		{BABBLES, -EBADMSG, "its answer is"},
		{HANGS_UP, -EBADMSG, "without an answer"},
		{HANGS, -ETIMEDOUT, "did not answer in time", true},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct askable j;
		jvm_begin(&j, cases[i].conduct);
		struct attach_answer a = askable_ask(&j, LONG_MS, cases[i].soon ? SHORT_MS : LONG_MS);
		assert_refused(&a, cases[i].code, cases[i].text);
		assert_int_equal(askable_count(&j, 'q'), 1);
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
	struct askable j;
	struct attach_answer a;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		jvm_begin(&j, cases[i].conduct);
		a = askable_ask(&j, SHORT_MS, SHORT_MS);
		assert_refused(&a, cases[i].code, cases[i].text);
		assert_int_equal(kill(j.pid, 0), 0);
		assert_int_equal(waitpid(j.pid, NULL, WNOHANG), 0); /* it lives */
		assert_int_equal(askable_count(&j, 'q'), 0);
		jvm_end(&j);
	}
	jvm_begin(&j, OBEYS);
	j.q.may_signal = false;
	a = askable_ask(&j, SHORT_MS, SHORT_MS);
	assert_refused(&a, -ENOENT, "its attach socket is gone");
	j.q.may_signal = true;
	j.q.start_ticks++; /* the pid is another process's now */
	a = askable_ask(&j, SHORT_MS, SHORT_MS);
	assert_refused(&a, -ESRCH, "it has ended");
	j.q.start_ticks--;
	assert_int_equal(kill(j.pid, SIGSTOP), 0);
	assert_int_equal(waitpid(j.pid, NULL, WUNTRACED), j.pid);
	a = askable_ask(&j, SHORT_MS, SHORT_MS);
	assert_refused(&a, -EAGAIN, "it is stopped");
	assert_int_equal(askable_count(&j, 'q'), 0);
	jvm_end(&j);
}

static void one_that_opens_nothing_is_not_awaited(void **state)
{
	(void)state;
	struct askable j;
	struct stat st;
	char map[600];
	jvm_begin(&j, IS_DEAF);
	struct attach_answer a = askable_ask(&j, SHORT_MS, SHORT_MS);
	assert_refused(&a, -ETIMEDOUT, "did not open its attach socket");
	askable_path(&j, "perf-#.map", map);
	assert_int_not_equal(lstat(map, &st), 0); /* it was not asked, and will write none */
	jvm_end(&j);
}

/* Where the socket, the map or the trigger should be, there is something else.  Links lead to a file that stays as
 * it is. */
static void traps(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum trap trap;
		int code;
		const char *text;
	} cases[] = {
		{".java_pid#", TRAP_LINK, -EEXIST, "is something else"},
		{".java_pid#", TRAP_FIFO, -EEXIST, "is something else"},
		{".java_pid#", TRAP_FILE, -EEXIST, "is something else"},
		{"perf-#.map", TRAP_LINK, -EEXIST, "in the place of its map"},
		{"perf-#.map", TRAP_FIFO, -EEXIST, "in the place of its map"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct askable j;
		jvm_begin(&j, OBEYS);
		askable_trap(&j, cases[i].name, cases[i].trap);
		struct attach_answer a = askable_ask(&j, SHORT_MS, SHORT_MS);
		assert_refused(&a, cases[i].code, cases[i].text);
		assert_int_equal(askable_count(&j, 'q'), 0);
		assert_untouched(&j);
		jvm_end(&j);
	}
}

/* The trigger that somebody left behind is used anew; a link in its place is not followed. */
static void old_triggers(void **state)
{
	(void)state;
	struct askable j;
	char path[600], other[600];
	struct stat st;
	jvm_begin(&j, OBEYS);
	askable_path(&j, ".attach_pid#", path);
	askable_file(path, "");
	struct attach_answer a = askable_ask(&j, LONG_MS, LONG_MS);
	assert_refused(&a, 0, "");
	jvm_end(&j);
	jvm_begin(&j, OBEYS);
	askable_path(&j, "other", other);
	askable_path(&j, ".attach_pid#", path);
	assert_int_equal(symlink(other, path), 0);
	a = askable_ask(&j, SHORT_MS, SHORT_MS);
	assert_refused(&a, -EEXIST, "cannot be made");
	assert_int_not_equal(stat(other, &st), 0);
	assert_int_equal(askable_count(&j, 'q'), 0);
	unlink(path);
	jvm_end(&j);
}

/* Another process listens at the socket: it is told nothing. */
static void impostors(void **state)
{
	(void)state;
	struct askable j;
	char name[48], cwd[512];
	jvm_begin(&j, OBEYS);
	snprintf(name, sizeof(name), ".java_pid%d", (int)j.pid);
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	assert_int_equal(chdir(j.dir), 0);
	int fd = askable_listen(name);
	assert_int_equal(chdir(cwd), 0);
	struct attach_answer a = askable_ask(&j, SHORT_MS, SHORT_MS);
	assert_refused(&a, -EPERM, "another process listens");
	close(fd);
	/* what an earlier process of this pid left behind does not stand in the way */
	a = askable_ask(&j, LONG_MS, LONG_MS);
	assert_refused(&a, 0, "");
	assert_int_equal(askable_count(&j, 'q'), 1);
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
