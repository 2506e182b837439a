/* Reading files and mappings, tested on this process. */
#include "../lib/scratch.h"

#include "os/clock.h"
#include "os/file.h"
#include "os/maps.h"
#include "os/status.h"
#include "os/write.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct seen {
	uint64_t anon_start, anon_offset;
	char anon_path[16];
	bool own_code;
	size_t n;
};

static int see(void *ctx, const struct proc_map *m)
{
	struct seen *s = ctx;
	s->n++;
	if (m->start <= s->anon_start && s->anon_start < m->end) {
		s->anon_offset = m->offset + (s->anon_start - m->start);
		snprintf(s->anon_path, sizeof(s->anon_path), "%s", m->path);
	}
	s->own_code |= m->start <= (uintptr_t)see && (uintptr_t)see < m->end && m->path[0] == '/';
	return 0;
}

static int see_one(void *ctx, const struct proc_map *m)
{
	(void)m;
	++*(int *)ctx;
	return 7;
}

/* Memory without a file has its address as its offset, as in the kernel's MMAP2 records. */
static void maps_of_this_process(void **state)
{
	(void)state;
	void *anon = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(anon, MAP_FAILED);
	struct seen s = {.anon_start = (uintptr_t)anon};
	struct limit_set limits = {0};
	assert_int_equal(maps_read((int32_t)getpid(), see, &s, &limits), 0);
	assert_true(s.own_code && s.n > 2);
	assert_string_equal(s.anon_path, "//anon");
	assert_int_equal(s.anon_offset, s.anon_start);
	assert_false(limit_any(&limits));
	int calls = 0;
	assert_int_equal(maps_read((int32_t)getpid(), see_one, &calls, NULL), 7);
	assert_int_equal(calls, 1);
	assert_int_equal(maps_read(INT32_MAX, see_one, &calls, NULL), -ENOENT);
	munmap(anon, 4096);
}

static void files_are_read(void **state)
{
	(void)state;
	char path[SCRATCH_PATH], buf[8], *all = NULL;
	int fd = scratch_file(path);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(write(fd, "12345\n", 6), 6);
	assert_int_equal(os_read(path, buf, sizeof(buf)), 7);
	assert_string_equal(buf, "12345\n1");
	assert_int_equal(os_read_int(path, -1), 12345);
	os_read_line(path, buf, sizeof(buf));
	assert_string_equal(buf, "12345");
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(os_load(fd, 1 << 20, &all), 60000);
	assert_int_equal(strlen(all), 60000);
	free(all);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(os_load(fd, 20000, &all), 20000);
	assert_int_equal(strlen(all), 20000);
	free(all);
	close(fd);
	unlink(path);
	assert_int_equal(os_read(path, buf, sizeof(buf)), -ENOENT);
	assert_int_equal(os_read_int(path, -1), -1);
	/* opening a FIFO without a writer does not wait */
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_true(os_read(path, buf, sizeof(buf)) <= 0);
	unlink(path);
}

/* The lines after that of the groups are where they are, however many groups there are. */
static void status_with_any_number_of_groups(void **state)
{
	(void)state;
	static const size_t numbers[] = {0, 1, 354, 355, 500, 65536};
	enum { CAP = 1 << 20 };
	char path[SCRATCH_PATH], *text = malloc(CAP);
	struct proc_status st;
	assert_non_null(text);
	close(scratch_file(path));
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		int n = snprintf(text, CAP,
				 "Name:\tx\nState:\tS (sleeping)\nTgid:\t12\nPid:\t12\nUid:\t1\t2\t2\t2\nGid:\t3\t4\n"
				 "Groups:\t");
		for (size_t g = 0; g < numbers[i]; g++)
			n += snprintf(text + n, (size_t)(CAP - n), "%zu ", 4294900000 + g);
		snprintf(text + n, (size_t)(CAP - n),
			 "\nNSpid:\t12\t5\nSigCgt:\t0\nCapEff:\t0000000400000000\nSeccomp:\t2\n");
		scratch_text(path, text);
		assert_int_equal(os_status_at(AT_FDCWD, path, &st), 0);
		assert_true(st.whole);
		assert_int_equal(st.own_pid, 5);
		assert_int_equal(st.cap_eff, 0x400000000);
		assert_int_equal(st.seccomp, 2);
	}
	free(text);
	unlink(path);
	assert_int_equal(os_status_at(AT_FDCWD, path, &st), -ENOENT);
	assert_int_equal(os_status((int32_t)getpid(), &st), 0);
	assert_int_equal(st.pid, getpid());
	assert_int_equal(st.uid, geteuid());
}

static void deadlines_are_ahead(void **state)
{
	(void)state;
	struct timespec t = clock_deadline(CLOCK_MONOTONIC, 5);
	uint64_t now = clock_ns(CLOCK_MONOTONIC), then = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	assert_true(then > now && then <= now + 5000000000u);
}

/* A pipe that nobody reads is given up once the user wants to stop; what there is room for is written all the same. */
static void who_reads_is_waited_for_until_the_user_stops(void **state)
{
	(void)state;
	static char bytes[1 << 20];
	int out[2], stop[2];
	assert_int_equal(pipe(out), 0);
	assert_int_equal(pipe(stop), 0);
	assert_int_equal(write(stop[1], "", 1), 1);
	struct os_writer to = {.fd = out[1], .stop_fd = stop[0], .patience_ms = 20};
	assert_int_equal(os_write(&to, "some", 4), 0);
	FILE *stream = os_writer_stream(&to);
	fwrite(bytes, 1, sizeof(bytes), stream);
	fprintf(stream, "more");
	fflush(stream);
	assert_int_equal(to.failed, EINTR);
	fclose(stream);
	assert_int_equal(read(out[0], bytes, 4), 4);
	assert_memory_equal(bytes, "some", 4);
	close(out[0]);
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(os_write(&to, "x", 1), -EPIPE);
	close(out[1]);
	close(stop[0]);
	close(stop[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_of_this_process),
		cmocka_unit_test(files_are_read),
		cmocka_unit_test(status_with_any_number_of_groups),
		cmocka_unit_test(deadlines_are_ahead),
		cmocka_unit_test(who_reads_is_waited_for_until_the_user_stops),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
