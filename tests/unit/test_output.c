/* Files that cyctop writes, among all that may stand in their place. */
#include "../lib/scratch.h"

#include "os/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
	char dir[SCRATCH_PATH];
	struct output out;
	struct error err;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	scratch_dir(f->dir);
	assert_int_equal(chdir(f->dir), 0);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(chdir("/"), 0);
	scratch_remove(f->dir);
	free(f);
	return 0;
}

/* Writes a text; 0 or -errno. */
static int write_text(struct fixture *f, const char *path, enum output_place place, const char *text)
{
	f->out = (struct output){.fd = -1};
	int rc = output_open(path, place, &f->out, &f->err);
	if (rc < 0)
		return rc;
	assert_non_null(output_file(&f->out));
	assert_true(fputs(text, output_file(&f->out)) >= 0);
	return output_close(&f->out, &f->err);
}

static int put(struct fixture *f, const char *path, enum output_place place, const char *text)
{
	int rc = write_text(f, path, place, text);
	output_drop(&f->out);
	return rc;
}

static void assert_text(const char *path, const char *want)
{
	char text[64] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	assert_true(fd >= 0);
	assert_true(read(fd, text, sizeof(text) - 1) >= 0);
	close(fd);
	assert_string_equal(text, want);
}

/* The number of files here, also of hidden ones. */
static int files_n(void)
{
	int n = 0;
	DIR *d = opendir(".");
	assert_non_null(d);
	for (const struct dirent *e = readdir(d); e; e = readdir(d))
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return n;
}

static void a_file_is_private_and_whole(void **state)
{
	struct fixture *f = *state;
	struct stat st;
	mode_t before = umask(0);
	assert_int_equal(output_open("new", OUTPUT_REPLACE, &f->out, &f->err), 0);
	assert_int_equal(access("new", F_OK), -1); /* not before it is whole */
	assert_true(fputs("text", output_file(&f->out)) >= 0);
	assert_int_equal(output_close(&f->out, &f->err), 0);
	output_drop(&f->out);
	umask(before);
	assert_text("new", "text");
	assert_int_equal(lstat("new", &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(files_n(), 1);

	assert_int_equal(output_open("new", OUTPUT_REPLACE, &f->out, &f->err), 0);
	assert_true(fputs("other", output_file(&f->out)) >= 0);
	output_drop(&f->out);
	assert_text("new", "text");
	assert_int_equal(files_n(), 1);
}

static void nothing_is_written_through_links(void **state)
{
	struct fixture *f = *state;
	static const enum output_place places[] = {OUTPUT_REPLACE, OUTPUT_KEEP_OLD};
	for (size_t i = 0; i < 2; i++) {
		scratch_text("precious", "precious");
		assert_int_equal(symlink("precious", "link"), 0);
		assert_int_equal(symlink("nothing", "dangling"), 0);
		assert_int_equal(link("precious", "hard"), 0);
		assert_int_equal(put(f, "link", places[i], "text"), -EEXIST);
		assert_non_null(strstr(f->err.text, "link is a symbolic link"));
		assert_int_equal(put(f, "dangling", places[i], "text"), -EEXIST);
		assert_int_equal(access("nothing", F_OK), -1);
		assert_int_equal(put(f, "hard", places[i], "text"), 0);
		assert_text("hard", "text");
		assert_text("precious", "precious");
		assert_int_equal(unlink("link") + unlink("dangling") + unlink("hard"), 0);
		unlink("hard.old");
	}
}

static void what_comes_meanwhile_is_not_replaced(void **state)
{
	struct fixture *f = *state;
	scratch_text("precious", "precious");
	for (int kind = 0; kind < 3; kind++) {
		assert_int_equal(output_open("file", OUTPUT_REPLACE, &f->out, &f->err), 0);
		assert_int_equal(kind == 0   ? symlink("precious", "file")
				 : kind == 1 ? mkdir("file", 0700)
					     : mkfifo("file", 0600),
				 0);
		assert_int_equal(output_close(&f->out, &f->err), -EEXIST);
		output_drop(&f->out);
		assert_int_equal(remove("file"), 0);
		assert_text("precious", "precious");
		assert_int_equal(files_n(), 1);
	}
}

static void what_is_no_file_is_refused(void **state)
{
	struct fixture *f = *state;
	struct sockaddr_un addr = {.sun_family = AF_UNIX, .sun_path = "socket"};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(put(f, "socket", OUTPUT_REPLACE, "text"), -EEXIST);
	assert_int_equal(put(f, ".", OUTPUT_REPLACE, "text"), -EEXIST);
	assert_non_null(strstr(f->err.text, "is a directory"));
	assert_int_equal(put(f, "nowhere/file", OUTPUT_REPLACE, "text"), -ENOENT);
	assert_int_equal(put(f, "socket/file", OUTPUT_REPLACE, "text"), -ENOTDIR);
	assert_int_equal(put(f, "", OUTPUT_REPLACE, "text"), -ENOENT);
	assert_int_equal(put(f, "/dev/fd/1000", OUTPUT_REPLACE, "text"), -EBADF);
	close(fd);
	assert_int_equal(files_n(), 1);
}

static void files_of_others_are_refused(void **state)
{
	struct fixture *f = *state;
	if (geteuid() != 0) { /* what root has made, where others cannot write: both are reasons */
		assert_true(put(f, "/etc/passwd", OUTPUT_REPLACE, "text") < 0);
		return;
	}
	scratch_text("theirs", "theirs");
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(chown("theirs", 12345, 12345) + chown("fifo", 12345, 12345), 0);
	int reader = open("fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_int_equal(put(f, "theirs", OUTPUT_REPLACE, "text"), -EEXIST);
	assert_non_null(strstr(f->err.text, "belongs to someone else"));
	assert_int_equal(put(f, "theirs", OUTPUT_KEEP_OLD, "text"), -EEXIST);
	assert_int_equal(put(f, "fifo", OUTPUT_REPLACE, "text"), -EEXIST);
	close(reader);
	assert_text("theirs", "theirs");
	assert_int_equal(files_n(), 2);
}

static void a_fifo_never_keeps_anyone_waiting(void **state)
{
	struct fixture *f = *state;
	char text[8] = "";
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(put(f, "fifo", OUTPUT_REPLACE, "text"), -ENXIO);
	assert_non_null(strstr(f->err.text, "nobody reads from the FIFO fifo"));
	int reader = open("fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_int_equal(put(f, "fifo", OUTPUT_REPLACE, "text"), 0);
	assert_int_equal(read(reader, text, sizeof(text)), 4);
	assert_string_equal(text, "text");
	close(reader);
	assert_int_equal(files_n(), 1);
}

static void devices_and_descriptors_are_written_to(void **state)
{
	struct fixture *f = *state;
	char path[32];
	struct stat before, after;
	assert_int_equal(stat("/dev/null", &before), 0);
	assert_int_equal(put(f, "/dev/null", OUTPUT_REPLACE, "text"), 0);
	assert_int_equal(put(f, "/dev/null", OUTPUT_KEEP_OLD, "text"), 0);
	assert_int_equal(put(f, "/dev/full", OUTPUT_REPLACE, "text"), -ENOSPC);
	assert_int_equal(stat("/dev/null", &after), 0);
	assert_true(before.st_ino == after.st_ino && S_ISCHR(after.st_mode));

	int fd = open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	assert_int_equal(write(fd, "before ", 7), 7);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	/* closed on exec, as all is that the program opens: not given by its user */
	assert_int_equal(put(f, path, OUTPUT_REPLACE, "text"), -EBADF);
	assert_text("file", "before ");
	assert_int_equal(fcntl(fd, F_SETFD, 0), 0);
	assert_int_equal(put(f, path, OUTPUT_REPLACE, "text"), 0);
	assert_text("file", "before text"); /* goes on where it was */
	close(fd);
	assert_int_equal(output_descriptor("-"), 1);
	assert_int_equal(output_descriptor("/dev/stdout"), 1);
	assert_int_equal(output_descriptor("/dev/stderr"), 2);
	assert_int_equal(output_descriptor("/dev/fd/"), -1);
	assert_int_equal(output_descriptor("/dev/fd/1x"), -1);
	assert_int_equal(output_descriptor("./-"), -1);
}

static void an_old_file_is_kept(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(put(f, "file", OUTPUT_KEEP_OLD, "1"), 0);
	assert_int_equal(put(f, "file", OUTPUT_KEEP_OLD, "2"), 0);
	assert_text("file", "2");
	assert_text("file.old", "1");
	assert_int_equal(output_open("file", OUTPUT_KEEP_OLD, &f->out, &f->err), 0);
	assert_text("file", "2");
	assert_int_equal(output_place(&f->out, &f->err), 0);
	assert_text("file", "");
	assert_text("file.old", "2");
	output_drop(&f->out); /* from here on it is there, whatever becomes of it */
	assert_text("file", "");
	assert_int_equal(unlink("file.old"), 0);
	assert_int_equal(mkdir("file.old", 0700), 0);
	assert_int_equal(put(f, "file", OUTPUT_KEEP_OLD, "3"), -EISDIR);
	assert_text("file", "");
	assert_int_equal(files_n(), 2);
}

static void names_are_numbered(void **state)
{
	struct fixture *f = *state;
	static const char *const names[] = {"./a.b/file.txt", "./a.b/file-3.txt", "./a.b/file-4.txt"};
	assert_int_equal(mkdir("a.b", 0700), 0);
	assert_int_equal(symlink("nothing", "a.b/file-2.txt"), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(write_text(f, "./a.b/file.txt", OUTPUT_NUMBERED, names[i]), 0);
		assert_string_equal(f->out.path, names[i]);
		output_drop(&f->out);
		assert_text(names[i], names[i]);
	}
	assert_int_equal(write_text(f, "a.b/file", OUTPUT_NUMBERED, ""), 0);
	output_drop(&f->out);
	assert_int_equal(write_text(f, "a.b/file", OUTPUT_NUMBERED, ""), 0);
	assert_string_equal(f->out.path, "a.b/file-2");
	output_drop(&f->out);
	assert_int_equal(access("a.b/nothing", F_OK), -1);
}

/* A disk that is full fails with another number than a limit on the size of files, at the same calls. */
static void a_full_disk_leaves_the_old_file(void **state)
{
	struct fixture *f = *state;
	static const enum output_place places[] = {OUTPUT_REPLACE, OUTPUT_KEEP_OLD, OUTPUT_NUMBERED};
	struct rlimit before, limit;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = (struct rlimit){.rlim_cur = 2, .rlim_max = before.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	scratch_text("file", "old");
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(output_open("file", places[i], &f->out, &f->err), 0);
		assert_true(fputs("text", output_file(&f->out)) >= 0);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		if (i == 0) /* the reason is that of the write that failed, and not of the last one */
			assert_int_not_equal(fflush(output_file(&f->out)), 0);
		int rc = output_close(&f->out, &f->err);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
		output_drop(&f->out);
		assert_int_equal(rc, -EFBIG);
		assert_non_null(strstr(f->err.text, "cannot write file: "));
		assert_text("file", "old");
		assert_int_equal(files_n(), 1);
	}
}

/* Of a file that is in its place from the beginning, nobody would see the rest. */
static void a_file_that_is_removed_meanwhile_is_missed(void **state)
{
	struct fixture *f = *state;
	for (int other = 0; other <= 1; other++) {
		assert_int_equal(output_open("file", OUTPUT_KEEP_OLD, &f->out, &f->err), 0);
		assert_true(fputs("text", output_file(&f->out)) >= 0);
		assert_int_equal(output_place(&f->out, &f->err), 0);
		assert_int_equal(unlink("file"), 0);
		if (other)
			scratch_text("file", "other");
		assert_int_equal(output_close(&f->out, &f->err), -ESTALE);
		assert_non_null(strstr(f->err.text, "file was removed"));
		output_drop(&f->out);
		assert_int_equal(files_n(), other);
	}
	assert_text("file", "other");
	assert_int_equal(output_open("file", OUTPUT_KEEP_OLD, &f->out, &f->err), 0);
	assert_int_equal(output_place(&f->out, &f->err), 0);
	assert_int_equal(rename("file", "renamed"), 0); /* is still seen */
	assert_int_equal(output_close(&f->out, &f->err), 0);
	output_drop(&f->out);
}

static void a_directory_must_be_writable(void **state)
{
	struct fixture *f = *state;
	if (geteuid() == 0)
		return; /* may write everywhere */
	assert_int_equal(mkdir("dir", 0700), 0);
	scratch_text("dir/file", "old");
	assert_int_equal(chmod("dir", 0500), 0);
	assert_int_equal(put(f, "dir/file", OUTPUT_REPLACE, "text"), -EACCES);
	assert_non_null(strstr(f->err.text, "its directory must be writable"));
	assert_text("dir/file", "old");
	assert_int_equal(chmod("dir", 0700), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_file_is_private_and_whole),
		TEST(nothing_is_written_through_links),
		TEST(what_comes_meanwhile_is_not_replaced),
		TEST(what_is_no_file_is_refused),
		TEST(files_of_others_are_refused),
		TEST(a_fifo_never_keeps_anyone_waiting),
		TEST(devices_and_descriptors_are_written_to),
		TEST(an_old_file_is_kept),
		TEST(names_are_numbered),
		TEST(a_full_disk_leaves_the_old_file),
		TEST(a_file_that_is_removed_meanwhile_is_missed),
		TEST(a_directory_must_be_writable),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
