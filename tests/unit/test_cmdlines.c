/* Command lines of processes: what is read, when it is read again, and that nobody waits for it. */
#include "base/limits.h"

#include <cyctop/resolve.h>

#include <fcntl.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- what is read -------------------------------------------------------------------------------- */

struct child {
	pid_t pid;
	int in; /* the child ends when this is closed */
};

/* The kernel closes descriptors in exec() before it sets the new command line, which is empty until then. */
static void wait_for_cmdline(pid_t pid)
{
	char path[32], byte;
	ssize_t n = 0;
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	for (int tries = 0; n <= 0 && tries < 60000; tries++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		assert_true(fd >= 0);
		n = read(fd, &byte, 1);
		close(fd);
		if (n <= 0)
			usleep(1000);
	}
	assert_int_equal(n, 1);
}

/* Returns when the child has begun to run its program. */
static struct child child_start(char *const argv[])
{
	int in[2], begun[2];
	char byte;
	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe2(begun, O_CLOEXEC), 0);
	struct child c = {.pid = fork(), .in = in[1]};
	if (c.pid == 0) {
		dup2(in[0], 0);
		close(in[1]);
		execv("/proc/self/exe", argv); /* main() waits for the end of its input */
		_exit(127);
	}
	close(in[0]);
	close(begun[1]);
	assert_int_equal(read(begun[0], &byte, 1), 0);
	close(begun[0]);
	wait_for_cmdline(c.pid);
	return c;
}

static void child_end(struct child c)
{
	close(c.in);
	assert_int_equal(waitpid(c.pid, NULL, 0), c.pid);
}

/* The command line of a child with that argv[0], and whether it was too long. */
static char *command_of(char *name, bool *too_long_ret)
{
	char dash[] = "-", *argv[] = {name, dash, NULL};
	struct child child = child_start(argv);
	struct task_info task = {.pid = child.pid};
	const struct catalog cat = {.tasks = &task, .tasks_n = 1};
	struct cmdlines *c = cmdlines_create(cmdlines_read, 600000);
	const char *text = cmdlines_get(c, &cat, 0);
	assert_non_null(text);
	char *copy = strdup(text);
	*too_long_ret = cmdlines_limits(c)->n[REACHED_COMMAND_LINE];
	cmdlines_destroy(c);
	child_end(child);
	assert_null(cmdlines_read((uint64_t)7 << 32 | (uint32_t)child.pid)); /* there is no such process any more */
	return copy;
}

static void it_is_one_clean_line(void **state)
{
	(void)state;
	char name[] = "odd\033[2J\nname";
	bool too_long;
	char *text = command_of(name, &too_long);
	assert_string_equal(text, "odd?[2J name -");
	assert_false(too_long);
	free(text);
}

/* Bytes that are no text take three bytes each on the screen, and are not longer for that. */
static void only_a_long_one_is_cut(void **state)
{
	(void)state;
	static const struct {
		char byte;
		size_t n; /* of argv[0]; " -" follows */
		bool cut;
	} t[] = {{'x', LIMIT_COMMAND_LINE - 3, false},	  {'x', LIMIT_COMMAND_LINE - 2, true},
		 {'x', LIMIT_COMMAND_LINE + 100, true},	  {' ', LIMIT_COMMAND_LINE + 100, true},
		 {'\xff', LIMIT_COMMAND_LINE / 2, false}, {'\xff', LIMIT_COMMAND_LINE, true}};
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		char *name = calloc(1, t[i].n + 1);
		bool too_long;
		memset(name, t[i].byte, t[i].n);
		char *text = command_of(name, &too_long);
		size_t n = strlen(text);
		assert_int_equal(too_long, t[i].cut);
		assert_int_equal(n > 3 && strcmp(text + n - 3, "…") == 0, t[i].cut);
		if (t[i].byte != '\xff')
			assert_int_equal(n, t[i].cut ? LIMIT_COMMAND_LINE + 3 : t[i].n + 2);
		free(text);
		free(name);
	}
}

/* ---- when it is read ------------------------------------------------------------------------------ */

enum { HANGS = 99 };  /* a process whose command line is read only when the test says so */
static sem_t answers; /* how many of these may be read */

/* Answers "PID,N": the N-th answer. */
static char *numbered(uint64_t question)
{
	static int n; /* used by one thread at a time */
	char text[32];
	while ((uint32_t)question == HANGS && sem_wait(&answers) != 0)
		continue;
	snprintf(text, sizeof(text), "%u,%d", (uint32_t)question, n++);
	return strdup(text);
}

/* Without its number. */
static void assert_command(struct cmdlines *c, const struct catalog *cat, uint32_t id, const char *pid, int *number_ret)
{
	const char *text = cmdlines_get(c, cat, id);
	assert_non_null(text);
	size_t n = strcspn(text, ",");
	if (strlen(pid) != n || strncmp(text, pid, n) != 0)
		fail_msg("%s is not of pid %s", text, pid);
	*number_ret = atoi(text + n + 1);
}

static void it_is_read_at_first_and_after_an_exec(void **state)
{
	(void)state;
	struct task_info tasks[4] = {{.pid = 0, .idle = true}, {.pid = 10}, {.pid = 20, .kernel = true}, {.pid = 30}};
	struct catalog cat = {.tasks = tasks, .tasks_n = 4};
	struct cmdlines *c = cmdlines_create(numbered, 600000);
	int first, again;
	assert_command(c, &cat, 1, "10", &first);
	assert_command(c, &cat, 1, "10", &again);
	assert_int_equal(again, first);
	assert_int_equal(cmdlines_answers(c), 1);
	tasks[1].exec_ns = 5;
	assert_command(c, &cat, 1, "10", &again);
	assert_true(again > first);
	tasks[1].exit_ns = 6; /* what is known of it stays */
	assert_command(c, &cat, 1, "10", &first);
	assert_int_equal(again, first);
	tasks[1] = (struct task_info){.pid = 11, .generation = 1, .exit_ns = 7}; /* another process, that ended */
	assert_null(cmdlines_get(c, &cat, 1));
	tasks[1] = (struct task_info){.pid = 12, .generation = 2};
	assert_command(c, &cat, 1, "12", &again);
	assert_null(cmdlines_get(c, &cat, 0)); /* the idle task, and kernel threads, have none */
	assert_null(cmdlines_get(c, &cat, 2));
	assert_null(cmdlines_get(c, &cat, 4));
	assert_null(cmdlines_get(c, &cat, CATALOG_NONE));
	cmdlines_destroy(c);
}

static void wait_for_answers(struct cmdlines *c, uint64_t n)
{
	while (cmdlines_answers(c) < n) {
		usleep(1000);
		cmdlines_update(c);
	}
}

/* An answer that comes after its process has given its id to another one is not that one's. */
static void late_answers_are_dropped(void **state)
{
	(void)state;
	struct task_info tasks[2] = {{.pid = HANGS}, {.pid = 10}};
	struct catalog cat = {.tasks = tasks, .tasks_n = 2};
	assert_int_equal(sem_init(&answers, 0, 0), 0);
	struct cmdlines *c = cmdlines_create(numbered, 0);
	assert_null(cmdlines_get(c, &cat, 0));
	tasks[0] = (struct task_info){.pid = 77, .generation = 1, .exit_ns = 1};
	assert_null(cmdlines_get(c, &cat, 0));
	assert_int_equal(sem_post(&answers), 0);
	wait_for_answers(c, 1);
	assert_null(cmdlines_get(c, &cat, 0));
	/* Asked twice before the first answer: the last one counts. */
	tasks[0] = (struct task_info){.pid = HANGS, .generation = 2};
	assert_null(cmdlines_get(c, &cat, 0));
	tasks[0].exec_ns = 3;
	assert_null(cmdlines_get(c, &cat, 0));
	assert_int_equal(sem_post(&answers), 0);
	assert_int_equal(sem_post(&answers), 0);
	wait_for_answers(c, 3);
	int n;
	assert_command(c, &cat, 0, "99", &n);
	cmdlines_destroy(c);
}

/* Of the longest, some 4,096 fit.  Then all are forgotten, and read again where they are asked for. */
static char *long_one(uint64_t question)
{
	char *text = calloc(1, LIMIT_COMMAND_LINE);
	memset(text, 'a' + (int)(question % 26), LIMIT_COMMAND_LINE - 1);
	return text;
}

static void memory_is_bounded(void **state)
{
	(void)state;
	enum { N = 5000 };
	struct task_info *tasks = calloc(N, sizeof(*tasks));
	struct catalog cat = {.tasks = tasks, .tasks_n = N};
	struct cmdlines *c = cmdlines_create(long_one, INT32_MAX);
	uint32_t fit = 0;
	for (uint32_t i = 0; i < N; i++) {
		tasks[i].pid = (int32_t)i + 1;
		fit += cmdlines_get(c, &cat, i) != NULL;
	}
	assert_in_range(fit, 4096, 4200);
	assert_int_equal(cmdlines_answers(c), N);
	assert_non_null(cmdlines_get(c, &cat, 0)); /* it is still known */
	assert_int_equal(cmdlines_answers(c), N);
	cmdlines_update(c);
	assert_int_equal(cmdlines_limits(c)->n[REACHED_COMMANDS_BYTES], 1);
	assert_int_equal(cmdlines_limits(c)->n[REACHED_COMMAND_LINE], 0); /* they just fit */
	assert_non_null(cmdlines_get(c, &cat, N - 1));			  /* there is room again */
	assert_non_null(cmdlines_get(c, &cat, 0));
	assert_int_equal(cmdlines_answers(c), N + 2); /* it was forgotten */
	cmdlines_destroy(c);
	free(tasks);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "-") == 0) { /* a child of child_start() */
		while (getchar() != EOF)
			;
		return 0;
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_one_clean_line),
		cmocka_unit_test(only_a_long_one_is_cut),
		cmocka_unit_test(it_is_read_at_first_and_after_an_exec),
		cmocka_unit_test(late_answers_are_dropped),
		cmocka_unit_test(memory_is_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
