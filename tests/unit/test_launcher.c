/* The process that runs commands: how they end, where their output goes, and what is killed. */
#include "os/launcher.h"
#include "base/alloc.h"
#include "base/limits.h"
#include "os/file.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct world {
	char dir[4096], file[4200];
	struct launcher l;
};

/* `script` for a shell, or a program that is not there. */
static void world_init(struct world *w, const char *script)
{
	const char *tmp = getenv("TMPDIR");
	struct error err = {.text = ""};
	char sh[] = "sh", c[] = "-c", text[200], nothing[] = "/no/such/program";
	char *shell[] = {sh, c, text, NULL}, *missing[] = {nothing, NULL};
	char *const *const commands[] = {shell, missing};
	snprintf(text, sizeof(text), "%s", script);
	snprintf(w->dir, sizeof(w->dir), "%s/cyctop-launcher-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(w->dir));
	assert_int_equal(chmod(w->dir, 0700), 0);
	snprintf(w->file, sizeof(w->file), "%s/out", w->dir);
	assert_int_equal(launcher_start(commands, 2, w->dir, &w->l, &err), 0);
}

static void world_deinit(struct world *w)
{
	launcher_stop(&w->l);
	unlink(w->file);
	assert_int_equal(rmdir(w->dir), 0);
}

static struct launch_end run(struct world *w, size_t command)
{
	struct launch_end end;
	struct error err = {.text = ""};
	uint32_t pid;
	unlink(w->file);
	assert_int_equal(launcher_prepare(&w->l, command, "out", &pid, &err), 0);
	assert_int_equal(getpgid((pid_t)pid), pid);
	assert_int_equal(launcher_go(&w->l, &err), 0);
	assert_int_equal(launcher_wait(&w->l, &end, &err), 0);
	return end;
}

/* The file of what a command prints cannot fill the disk. */
static void output_without_end_is_cut(void **state)
{
	(void)state;
	struct world w;
	static const char said[] =
		"\n(cyctop: a command printed more than 16 MiB; what it had printed before is not kept)\n";
	char text[sizeof(said)] = "";
	struct stat st;
	world_init(&w, "head -c 41943040 /dev/zero; sleep 0.3; head -c 20971520 /dev/zero; echo end");
	struct launch_end end = run(&w, 0);
	assert_true(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0);
	assert_int_equal(stat(w.file, &st), 0);
	assert_in_range(st.st_size, 1, LIMIT_OUTPUT_BYTES + 100);
	FILE *f = fopen(w.file, "re");
	assert_non_null(f);
	assert_int_equal(fseek(f, -(long)(sizeof(said) - 1), SEEK_END), 0);
	assert_int_equal(fread(text, 1, sizeof(said) - 1, f), sizeof(said) - 1);
	fclose(f);
	assert_string_equal(text, said);
	world_deinit(&w);
}

static void a_command_ends_with_its_status_time_and_output(void **state)
{
	(void)state;
	struct world w;
	char text[64];
	world_init(&w, "cat; echo out; echo err >&2; exit 3");
	for (int i = 0; i < 2; i++) {
		struct launch_end end = run(&w, 0);
		struct stat st;
		assert_true(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 3);
		assert_int_equal(end.error, 0);
		assert_true(end.wall_ns > 0 && end.usage.ru_maxrss > 0);
		assert_true(os_read(w.file, text, sizeof(text)) > 0);
		assert_string_equal(text, "out\nerr\n");
		assert_int_equal(stat(w.file, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0600);
	}
	world_deinit(&w);
}

static void what_cannot_be_run_is_an_error(void **state)
{
	(void)state;
	struct world w;
	world_init(&w, "kill -9 $$");
	assert_int_equal(run(&w, 1).error, ENOENT);
	struct launch_end end = run(&w, 0); /* it goes on */
	assert_true(end.error == 0 && WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL);
	world_deinit(&w);
}

static void output_never_goes_into_a_file_that_is_there(void **state)
{
	(void)state;
	struct world w;
	struct error err = {.text = ""};
	uint32_t pid;
	world_init(&w, "exit 0");
	run(&w, 0);
	assert_true(launcher_prepare(&w.l, 0, "out", &pid, &err) < 0);
	assert_non_null(strstr(err.text, "for what the command prints (out): File exists"));
	world_deinit(&w);
}

/* The launcher keeps privileges that who asks it has given up: it runs its own commands, one at a time, and makes files
 * in its own directory. */
static void what_is_not_its_to_do_is_refused(void **state)
{
	(void)state;
	struct world w;
	struct error err = {.text = ""};
	struct launch_end end;
	uint32_t pid;
	static const struct {
		size_t command;
		const char *name;
	} refused[] = {{2, "out"}, {SIZE_MAX, "out"}, {0, "../cyctop-launcher-out"}};
	world_init(&w, "exit 0");
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		assert_int_equal(launcher_prepare(&w.l, refused[i].command, refused[i].name, &pid, &err), -EINVAL);
	assert_int_equal(launcher_prepare(&w.l, 0, "out", &pid, &err), 0);
	assert_int_equal(launcher_prepare(&w.l, 0, "more", &pid, &err), -EINVAL);
	assert_int_equal(launcher_go(&w.l, &err), 0);
	assert_int_equal(launcher_wait(&w.l, &end, &err), 0);
	assert_int_equal(end.status, 0);
	world_deinit(&w);
}

static bool is_gone(pid_t pid)
{
	char path[40], text[256];
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	const char *end = os_read(path, text, sizeof(text)) > 0 ? strrchr(text, ')') : NULL;
	return !end || end[2] == 'Z' || end[2] == 'X';
}

/* Waits until the command has written the pid of its child. */
static pid_t child_of(const struct world *w)
{
	for (;;) {
		char text[64];
		if (os_read(w->file, text, sizeof(text)) > 0 && strchr(text, '\n'))
			return (pid_t)atoi(text);
		poll(NULL, 0, 10);
	}
}

static void a_group_is_killed_with_its_children(void **state)
{
	(void)state;
	struct world w;
	struct error err = {.text = ""};
	struct launch_end end;
	uint32_t pid;
	world_init(&w, "trap '' TERM; sleep 1000 & echo $!; wait; wait; sleep 1000");
	assert_int_equal(launcher_prepare(&w.l, 0, "out", &pid, &err), 0);
	assert_int_equal(launcher_go(&w.l, &err), 0);
	pid_t child = child_of(&w);
	launcher_kill(&w.l); /* both ignore SIGTERM */
	assert_int_equal(launcher_wait(&w.l, &end, &err), 0);
	assert_true(WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL);
	while (!is_gone(child))
		poll(NULL, 0, 10);
	world_deinit(&w);
}

static void nothing_outlives_who_started_it(void **state)
{
	(void)state;
	struct world w;
	struct error err = {.text = ""};
	uint32_t pid;
	world_init(&w, "sleep 1000 & echo $!; wait");
	assert_int_equal(launcher_prepare(&w.l, 0, "out", &pid, &err), 0);
	assert_int_equal(launcher_go(&w.l, &err), 0);
	pid_t child = child_of(&w);
	launcher_stop(&w.l);
	while (!is_gone(child) || !is_gone((pid_t)pid))
		poll(NULL, 0, 10);
	world_deinit(&w);
}

/* The leader ends at once, and its child does not. */
static void what_ignores_sigterm_is_killed_when_the_command_has_ended(void **state)
{
	(void)state;
	struct world w;
	struct error err = {.text = ""};
	struct launch_end end;
	uint32_t pid;
	world_init(&w, "(trap '' TERM; sleep 1000; sleep 1000) & echo $!; wait");
	assert_int_equal(launcher_prepare(&w.l, 0, "out", &pid, &err), 0);
	assert_int_equal(launcher_go(&w.l, &err), 0);
	pid_t child = child_of(&w);
	launcher_kill(&w.l);
	assert_int_equal(launcher_wait(&w.l, &end, &err), 0);
	while (!is_gone(child))
		poll(NULL, 0, 10);
	world_deinit(&w);
}

static void a_command_has_no_terminal(void **state)
{
	(void)state;
	struct world w;
	world_init(&w, "set -- $(cat /proc/$$/stat); [ $6 = $$ ] && [ $7 = 0 ] && ! (: </dev/tty)");
	assert_int_equal(run(&w, 0).status, 0);
	world_deinit(&w);
}

/* As if cyctop had been killed: nobody says that it ends. */
/* It goes on, also while it is ended, and says that nobody knows how long the command took. */
static void a_command_that_stops_its_parent_stops_nobody(void **state)
{
	(void)state;
	static const char *const scripts[] = {"kill -STOP $PPID; exit 3", "kill -STOP $PPID; kill -STOP $PPID; exit 3"};
	for (size_t i = 0; i < ARRAY_LEN(scripts); i++) {
		struct world w;
		world_init(&w, scripts[i]);
		struct launch_end end = run(&w, 0);
		assert_true(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 3);
		assert_true(w.l.stopped);
		kill(w.l.pid, SIGSTOP);
		world_deinit(&w);
	}
}

static void the_directory_of_who_was_killed_is_removed(void **state)
{
	(void)state;
	struct world w;
	char link_path[4300], kept[4300];
	world_init(&w, "echo x");
	run(&w, 0);
	snprintf(kept, sizeof(kept), "%s-kept", w.dir);
	snprintf(link_path, sizeof(link_path), "%s/link", w.dir);
	assert_int_equal(mkdir(kept, 0700), 0);
	assert_int_equal(symlink(kept, link_path), 0);
	close(w.l.fd);
	assert_int_equal(waitpid(w.l.pid, NULL, 0), w.l.pid);
	assert_int_equal(access(w.dir, F_OK), -1);
	assert_int_equal(rmdir(kept), 0); /* what a link leads to stays */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_without_end_is_cut),
		cmocka_unit_test(a_command_ends_with_its_status_time_and_output),
		cmocka_unit_test(what_cannot_be_run_is_an_error),
		cmocka_unit_test(output_never_goes_into_a_file_that_is_there),
		cmocka_unit_test(what_is_not_its_to_do_is_refused),
		cmocka_unit_test(a_group_is_killed_with_its_children),
		cmocka_unit_test(nothing_outlives_who_started_it),
		cmocka_unit_test(what_ignores_sigterm_is_killed_when_the_command_has_ended),
		cmocka_unit_test(a_command_has_no_terminal),
		cmocka_unit_test(a_command_that_stops_its_parent_stops_nobody),
		cmocka_unit_test(the_directory_of_who_was_killed_is_removed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
