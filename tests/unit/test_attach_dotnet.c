/* Asking a .NET process, against processes that look like one: those that answer as documented, and those that refuse,
 * hang, lie or set traps.  Nothing of it needs .NET. */
#include "../lib/askable.h"
#include "attach/dotnet.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* What the process does when it is asked. */
enum conduct {
	OBEYS,
	OBEYS_BRIEFLY, /* says so without a result */
	OBEYS_AT_TMPDIR,
	SAYS_SO,       /* and writes nothing */
	KNOWS_NOTHING, /* of the command, as .NET 7 */
	REFUSES,
	GARBLES,
	STOPS_SHORT, /* of the end of its answer */
	SAYS_MORE,   /* than it said it would */
	BABBLES,     /* more than any answer has */
	HANGS,	     /* accepts, and never answers */
	HANGS_UP,    /* accepts, and closes */
	HAS_NO_SOCKET,
	HAS_BAD_TMPDIR,
	IS_ANOTHER, /* it is no .NET process */
};

/* From the document of the protocol: header of 20 bytes, then the payload. */
#define HEADER(size, set, id) 'D', 'O', 'T', 'N', 'E', 'T', '_', 'I', 'P', 'C', '_', 'V', '1', 0, size, 0, set, id, 0, 0
static const uint8_t wanted[] = {HEADER(24, 4, 5), 3, 0, 0, 0};
static const uint8_t ok[] = {HEADER(24, 0xff, 0), 0, 0, 0, 0};
static const uint8_t brief_ok[] = {HEADER(20, 0xff, 0)};
static const uint8_t unknown_command[] = {HEADER(24, 0xff, 0xff), 0x85, 0x13, 0x13, 0x80};
static const uint8_t failed[] = {HEADER(24, 0xff, 0xff), 0x05, 0x40, 0, 0x80};
static const uint8_t garbage[] = {HEADER(24, 0xff, 7), 0, 0, 0, 0};
static const uint8_t more[] = {HEADER(20, 0xff, 0), 'm', 'o', 'r', 'e'};

/* What /proc/PID/environ shows: the memory in which the environment was when the program began. */
static void set_environ(const char *text)
{
	extern char **environ;
	char **last = environ;
	while (last[0] && last[1])
		last++;
	size_t room = last[0] ? (size_t)(last[0] + strlen(last[0]) - environ[0]) : 0;
	if (strlen(text) >= room)
		_exit(4);
	memset(environ[0], 0, room);
	memcpy(environ[0], text, strlen(text));
}

static void send_all(int fd, const uint8_t *bytes, size_t n)
{
	(void)!send(fd, bytes, n, MSG_NOSIGNAL);
}

static void answer(int fd, enum conduct conduct)
{
	static const struct {
		const uint8_t *bytes;
		size_t n;
	} answers[] = {
		[OBEYS] = {ok, sizeof(ok)},
		[OBEYS_BRIEFLY] = {brief_ok, sizeof(brief_ok)},
		[OBEYS_AT_TMPDIR] = {ok, sizeof(ok)},
		[SAYS_SO] = {ok, sizeof(ok)},
		[KNOWS_NOTHING] = {unknown_command, sizeof(unknown_command)},
		[REFUSES] = {failed, sizeof(failed)},
		[GARBLES] = {garbage, sizeof(garbage)},
		[STOPS_SHORT] = {ok, sizeof(ok) - 1},
		[SAYS_MORE] = {more, sizeof(more)},
		[BABBLES] = {ok, sizeof(ok)},
		[IS_ANOTHER] = {NULL, 0},
	};
	uint8_t question[sizeof(wanted)], further;
	char name[48];
	if (recv(fd, question, sizeof(question), MSG_WAITALL) == (ssize_t)sizeof(question) &&
	    memcmp(question, wanted, sizeof(wanted)) == 0 && recv(fd, &further, 1, MSG_DONTWAIT) < 0)
		askable_say('c');
	snprintf(name, sizeof(name), "%sperf-%d.map", conduct == OBEYS_AT_TMPDIR ? "../" : "", (int)getpid());
	if (conduct <= OBEYS_AT_TMPDIR)
		askable_file(name, "7f0000001000 40 void [app] Hot::Main()[Tier0]\n");
	send_all(fd, answers[conduct].bytes, answers[conduct].n);
	while (conduct == BABBLES && send(fd, ok, sizeof(ok), MSG_NOSIGNAL) > 0)
		;
	while (conduct == HANGS)
		pause();
	close(fd);
}

static void be_dotnet(int conduct)
{
	char name[64], cwd[512], vars[560] = "X=1";
	uint64_t ticks;
	int fd = -1;
	askable_map(conduct == IS_ANOTHER ? "libother.so" : "libcoreclr.so");
	if (!attach_start_ticks((int32_t)getpid(), &ticks))
		_exit(3);
	if (conduct == OBEYS_AT_TMPDIR) {
		if (mkdir("sub", 0700) != 0 || chdir("sub") != 0 || !getcwd(cwd, sizeof(cwd)))
			_exit(3);
		snprintf(vars, sizeof(vars), "TMPDIR=%s", cwd);
	} else if (conduct == HAS_BAD_TMPDIR) {
		snprintf(vars, sizeof(vars), "TMPDIR=/no\033[2Jwhere");
	}
	set_environ(vars);
	dotnet_socket_name((uint32_t)getpid(), ticks, name, sizeof(name));
	if (conduct != HAS_NO_SOCKET)
		fd = askable_listen(name);
	askable_say('r');
	while (conduct == HAS_NO_SOCKET)
		pause();
	for (;;)
		answer(accept(fd, NULL, NULL), (enum conduct)conduct);
}

static void begin(struct askable *p, enum conduct conduct)
{
	askable_begin(p, RUNTIME_DOTNET, be_dotnet, (int)conduct);
	p->q.may_signal = false; /* there is no need of one */
}

static void end(struct askable *p)
{
	static const char *const names[] = {"libcoreclr.so", "libother.so",    "perf-#.map",
					    "other",	     "perfinfo-#.map", NULL};
	const char *all[ARRAY_LEN(names)];
	char name[64];
	dotnet_socket_name((uint32_t)p->pid, p->q.start_ticks, name, sizeof(name));
	memcpy(all, names, sizeof(names));
	all[ARRAY_LEN(names) - 1] = name;
	askable_end(p, all, ARRAY_LEN(all));
}

static void names_are_written(void **state)
{
	(void)state;
	static const enum conduct cases[] = {OBEYS, OBEYS_BRIEFLY};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct askable p;
		struct stat st;
		char map[600];
		begin(&p, cases[i]);
		struct attach_answer a = askable_ask(&p, SHORT_MS, LONG_MS);
		assert_refused(&a, 0, "");
		askable_path(&p, "perf-#.map", map);
		assert_int_equal(stat(map, &st), 0);
		assert_int_equal(askable_count(&p, 'c'), 1);
		end(&p);
	}
}

/* The socket is where the process's environment says; the map is in /tmp all the same. */
static void the_folder_is_the_process_s(void **state)
{
	(void)state;
	struct askable p;
	char path[600], name[80];
	begin(&p, OBEYS_AT_TMPDIR);
	struct attach_answer a = askable_ask(&p, SHORT_MS, LONG_MS);
	assert_refused(&a, 0, "");
	assert_int_equal(askable_count(&p, 'c'), 1);
	int n = snprintf(name, sizeof(name), "sub/");
	dotnet_socket_name((uint32_t)p.pid, p.q.start_ticks, name + n, sizeof(name) - (size_t)n);
	askable_path(&p, name, path);
	assert_int_equal(unlink(path), 0);
	askable_path(&p, "sub", path);
	assert_int_equal(rmdir(path), 0);
	end(&p);
	begin(&p, HAS_BAD_TMPDIR);
	a = askable_ask(&p, SHORT_MS, SHORT_MS);
	assert_refused(&a, -ENOENT, "its /no?[2Jwhere cannot be opened");
	end(&p);
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
		{KNOWS_NOTHING, -ENOTSUP, ".NET 8 and later have; DOTNET_PerfMapEnabled=1 in its environment"},
		{REFUSES, -EIO, "it refused: error 0x80004005"},
		{SAYS_SO, -ENOENT, "which is empty"},
		{GARBLES, -EBADMSG, "its answer is"},
		{STOPS_SHORT, -EBADMSG, "its answer is"},
		{SAYS_MORE, -EBADMSG, "its answer is"},
		{BABBLES, -EBADMSG, "its answer is"},
		{HANGS_UP, -EBADMSG, "without an answer"},
		{HANGS, -ETIMEDOUT, "did not answer in time", true},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct askable p;
		begin(&p, cases[i].conduct);
		struct attach_answer a = askable_ask(&p, SHORT_MS, cases[i].soon ? SHORT_MS : LONG_MS);
		assert_refused(&a, cases[i].code, cases[i].text);
		assert_int_equal(askable_count(&p, 'c'), 1);
		end(&p);
	}
}

static void nothing_is_sent_to_others(void **state)
{
	(void)state;
	struct askable p;
	begin(&p, IS_ANOTHER);
	struct attach_answer a = askable_ask(&p, SHORT_MS, SHORT_MS);
	assert_refused(&a, -ENOTSUP, "it is no .NET process");
	end(&p);
	begin(&p, OBEYS);
	p.q.start_ticks++; /* the pid is another process's now */
	a = askable_ask(&p, SHORT_MS, SHORT_MS);
	assert_refused(&a, -ESRCH, "it has ended");
	p.q.start_ticks--;
	static const uint32_t others[] = {RUNTIME_JVM, RUNTIME_NONE, RUNTIME_COUNT, UINT32_MAX};
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		p.q.runtime = others[i];
		a = askable_ask(&p, SHORT_MS, SHORT_MS);
		assert_refused(&a, i ? -EINVAL : -ENOTSUP, i ? "no runtime" : "it is no JVM");
	}
	assert_int_equal(askable_count(&p, 'c'), 0);
	end(&p);
	begin(&p, HAS_NO_SOCKET);
	a = askable_ask(&p, SHORT_MS, SHORT_MS);
	assert_refused(&a, -ENOENT, "nobody listens at its diagnostics socket (DOTNET_EnableDiagnostics=0?)");
	end(&p);
}

/* Where the socket or one of its files should be, there is something else. */
static void traps(void **state)
{
	(void)state;
	static const struct {
		const char *name; /* NULL: the socket */
		enum trap trap;
		const char *text;
	} cases[] = {
		{NULL, TRAP_LINK, "in the place of its diagnostics socket"},
		{NULL, TRAP_FIFO, "in the place of its diagnostics socket"},
		{NULL, TRAP_FILE, "in the place of its diagnostics socket"},
		{"perf-#.map", TRAP_LINK, "in the place of its map"},
		{"perf-#.map", TRAP_FIFO, "in the place of its map"},
		{"perfinfo-#.map", TRAP_LINK, "in the place of its map"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct askable p;
		char name[64];
		begin(&p, cases[i].name ? OBEYS : HAS_NO_SOCKET);
		dotnet_socket_name((uint32_t)p.pid, p.q.start_ticks, name, sizeof(name));
		askable_trap(&p, cases[i].name ? cases[i].name : name, cases[i].trap);
		struct attach_answer a = askable_ask(&p, SHORT_MS, SHORT_MS);
		assert_refused(&a, -EEXIST, cases[i].text);
		assert_int_equal(askable_count(&p, 'c'), 0);
		assert_untouched(&p);
		end(&p);
	}
}

/* Another process listens at the socket: it is told nothing. */
static void impostors(void **state)
{
	(void)state;
	struct askable p;
	char name[64], cwd[512], question[8];
	begin(&p, HAS_NO_SOCKET);
	dotnet_socket_name((uint32_t)p.pid, p.q.start_ticks, name, sizeof(name));
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	assert_int_equal(chdir(p.dir), 0);
	int fd = askable_listen(name);
	assert_int_equal(chdir(cwd), 0);
	struct attach_answer a = askable_ask(&p, SHORT_MS, SHORT_MS);
	assert_refused(&a, -EPERM, "another process listens at its diagnostics socket");
	int client = accept(fd, NULL, NULL);
	assert_true(client >= 0);
	assert_int_equal(recv(client, question, sizeof(question), 0), 0);
	close(client);
	close(fd);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_written),
		cmocka_unit_test(the_folder_is_the_process_s),
		cmocka_unit_test(what_it_says_is_passed_on),
		cmocka_unit_test(nothing_is_sent_to_others),
		cmocka_unit_test(traps),
		cmocka_unit_test(impostors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
