/* Files and streams of the writer, parsed by perfdata.h: at the end, and at moments at which
 * the writer could be killed. */
#include "../lib/scratch.h"

#include "base/alloc.h"
#include "recorder/describe.h"
#include "recorder/stats.h"
#include "recorder/writer.h"

#include <cyctop/event.h>

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if HAVE_ZSTD
#include <zstd.h>
#endif

#include <cmocka.h>

struct fixture {
	char dir[SCRATCH_PATH];
	const char *path; /* in it, where the test runs: so that errors, which have the path, are not cut */
	struct pd_info info;
	struct record_layout layout;
	struct error err;
};

static void add_event(struct pd_info *info, const struct perf_attr *attr, const char *name, uint64_t id)
{
	struct error err;
	assert_int_equal(pd_info_add_event(info, attr, pd_attr_size(attr), &id, 1, &err), 0);
	info->events[info->events_n - 1].name = mem_strdup(name);
}

static int set_up(void **state)
{
	struct fixture *f = mem_calloc(1, sizeof(*f));
	struct event_spec spec;
	struct attr_policy policy = {.default_freq = 99};
	struct perf_attr attr;
	scratch_dir(f->dir);
	assert_int_equal(chdir(f->dir), 0);
	f->path = "perf.data";
	pd_info_init(&f->info);
	event_clock(&spec);
	event_attr(&spec, &policy, &attr);
	assert_int_equal(record_layout_init(&f->layout, &attr), 0);
	add_event(&f->info, &attr, "cpu-clock", 7);
	event_sideband_attr(false, 0, &attr);
	add_event(&f->info, &attr, "dummy:HG", 8);
	f->info.hostname = mem_strdup("somewhere");
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(chdir("/"), 0);
	scratch_remove(f->dir);
	pd_info_deinit(&f->info);
	free(f);
	return 0;
}

static struct writer *start(struct fixture *f, int level)
{
	struct writer_config config = {.path = f->path, .level = level, .place = OUTPUT_KEEP_OLD, .stop_fd = -1};
	struct writer *w;
	assert_int_equal(writer_create(&config, &f->info, &w, &f->err), 0);
	assert_int_equal(writer_start(w, &f->err), 0);
	return w;
}

/* Encodes sample number `i`, which has 56 bytes. */
static size_t put_sample(const struct fixture *f, uint64_t i, uint8_t *buf, size_t cap)
{
	struct record rec = {
		.type = RECORD_SAMPLE,
		.id = {.id = 7, .pid = 1, .tid = 1, .time_ns = 1000 + i},
		.u.sample = {.ip = 0x1000 + i, .period = i},
	};
	return record_encode(&f->layout, &rec, buf, cap);
}

static void append_samples(struct fixture *f, struct writer *w, uint64_t from, uint64_t to)
{
	uint8_t buf[256];
	for (uint64_t i = from; i < to; i++) {
		size_t n = put_sample(f, i, buf, sizeof(buf));
		assert_true(n > 0);
		/* in two pieces, as from a ring that wraps */
		assert_int_equal(writer_append(w, buf, n / 3, &f->err), 0);
		assert_int_equal(writer_append(w, buf + n / 3, n - n / 3, &f->err), 0);
	}
}

static uint8_t *read_file(const char *path, size_t *n_ret)
{
	FILE *in = fopen(path, "re");
	struct stat st;
	assert_non_null(in);
	assert_int_equal(fstat(fileno(in), &st), 0);
	uint8_t *bytes = mem_calloc((size_t)st.st_size + 1, 1);
	*n_ret = fread(bytes, 1, (size_t)st.st_size, in);
	assert_int_equal(*n_ret, st.st_size);
	fclose(in);
	return bytes;
}

/* The contents of a file; every offset was checked against its size. */
struct contents {
	uint8_t *bytes;
	size_t n;
	struct pd_header header;
	struct pd_info info;
	uint64_t samples, rounds, compressed;
};

static void read_attrs(struct contents *c)
{
	struct error err;
	assert_true(c->header.attrs.offset + c->header.attrs.size <= c->n);
	for (uint64_t at = 0; at < c->header.attrs.size; at += c->header.attr_size) {
		const uint8_t *entry = c->bytes + c->header.attrs.offset + at;
		struct perf_attr attr;
		struct pd_section ids;
		uint32_t size;
		assert_int_equal(pd_attr_parse(entry, c->header.attr_size - sizeof(ids), false, &attr, &size, &err), 0);
		assert_int_equal(size + sizeof(ids), c->header.attr_size);
		memcpy(&ids, entry + size, sizeof(ids));
		assert_true(ids.offset + ids.size <= c->n);
		assert_int_equal(ids.offset % 8, 0);
		assert_int_equal(pd_info_add_event(&c->info, &attr, size, (const uint64_t *)(c->bytes + ids.offset),
						   ids.size / sizeof(uint64_t), &err),
				 0);
	}
}

static void read_features(struct contents *c)
{
	struct error err;
	const uint8_t *table = c->bytes + c->header.data.offset + c->header.data.size;
	for (unsigned f = 0; f < PD_FEATURES; f++) {
		struct pd_section s;
		if (!pd_has_feature(&c->header, f))
			continue;
		assert_true(table + sizeof(s) <= c->bytes + c->n);
		memcpy(&s, table, sizeof(s));
		assert_true(s.offset + s.size <= c->n);
		assert_int_equal(pd_info_feature(&c->info, f, c->bytes + s.offset, s.size, false, &err), 0);
		table += sizeof(s);
	}
}

static void read_records(struct contents *c)
{
	uint64_t end = c->header.data.offset + c->header.data.size;
	for (uint64_t at = c->header.data.offset; at < end;) {
		struct record_header h;
		memcpy(&h, c->bytes + at, sizeof(h));
		assert_true(h.size >= sizeof(h) && h.size <= end - at);
		c->samples += h.type == RECORD_SAMPLE;
		c->rounds += h.type == PD_RECORD_FINISHED_ROUND;
		c->compressed += h.type == PD_RECORD_COMPRESSED;
		at += h.size;
	}
}

static void contents_read(const char *path, struct contents *ret)
{
	struct error err;
	*ret = (struct contents){0};
	pd_info_init(&ret->info);
	ret->bytes = read_file(path, &ret->n);
	assert_int_equal(pd_header_parse(ret->bytes, ret->n, &ret->header, &err), 0);
	assert_false(ret->header.pipe);
	assert_true(ret->header.data.offset + ret->header.data.size <= ret->n);
	read_attrs(ret);
	read_records(ret);
	read_features(ret);
}

static void contents_free(struct contents *c)
{
	pd_info_deinit(&c->info);
	free(c->bytes);
}

static void a_file_has_all_that_was_appended(void **state)
{
	struct fixture *f = *state;
	struct writer *w = start(f, 0);
	struct contents c;
	struct stat st;
	append_samples(f, w, 0, 1000);
	assert_int_equal(writer_round(w, &f->err), 0);
	f->info.first_ns = 1000;
	f->info.last_ns = 1999;
	writer_feature(w, PD_CPU_TOPOLOGY, (uint32_t[2]){0}, 8); /* two empty lists */
	assert_int_equal(writer_finish(w, &f->err), 0);
	contents_read(f->path, &c);
	assert_int_equal(writer_bytes(w), c.n);
	writer_destroy(w);
	assert_int_equal(c.samples, 1000);
	assert_int_equal(c.rounds, 1);
	assert_int_equal(c.info.events_n, 2);
	assert_int_equal(c.info.events[0].ids_n, 1);
	assert_int_equal(c.info.events[0].ids[0], 7);
	assert_int_equal(c.info.events[1].ids[0], 8);
	assert_string_equal(c.info.events[0].name, "cpu-clock");
	assert_string_equal(c.info.events[1].name, "dummy:HG");
	assert_int_equal(c.info.events[0].attr.config, f->info.events[0].attr.config);
	assert_true(c.info.events[0].attr.flags == f->info.events[0].attr.flags);
	assert_string_equal(c.info.hostname, "somewhere");
	assert_int_equal(c.info.last_ns, 1999);
	assert_true(pd_has_feature(&c.header, PD_CPU_TOPOLOGY));
	assert_false(pd_has_feature(&c.header, PD_COMPRESSED));
	/* clockid is the last field in use; perf of any age can read attrs up to it */
	assert_int_equal(c.header.attr_size, 96 + 16);
	contents_free(&c);
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void each_checkpoint_is_a_whole_file(void **state)
{
	struct fixture *f = *state;
	struct writer *w = start(f, 0);
	struct contents c;
	assert_int_equal(access(f->path, F_OK), -1);
	assert_int_equal(writer_checkpoint(w, &f->err), 0);
	for (uint64_t i = 0; i < 5; i++) {
		contents_read(f->path, &c);
		assert_int_equal(c.samples, i * 100);
		assert_int_equal(c.info.events_n, 2);
		assert_string_equal(c.info.hostname, "somewhere");
		contents_free(&c);
		append_samples(f, w, i * 100, i * 100 + 100);
		assert_int_equal(writer_round(w, &f->err), 0);
		assert_int_equal(writer_checkpoint(w, &f->err), 0);
	}
	writer_destroy(w); /* not finished, as if the writer had been killed */
	contents_read(f->path, &c);
	assert_int_equal(c.samples, 500);
	contents_free(&c);
}

static void ids_may_be_added_later(void **state)
{
	struct fixture *f = *state;
	struct writer *w = start(f, 0);
	struct pd_event *ev = &f->info.events[0];
	struct contents c;
	const size_t steps[] = {2, 60, 5000};
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		bool last = i + 1 == ARRAY_LEN(steps);
		ev->ids = mem_realloc(ev->ids, steps[i], sizeof(uint64_t));
		while (ev->ids_n < steps[i]) {
			ev->ids[ev->ids_n] = 100 + ev->ids_n;
			ev->ids_n++;
		}
		append_samples(f, w, 0, 11);
		assert_int_equal(last ? writer_finish(w, &f->err) : writer_checkpoint(w, &f->err), 0);
		contents_read(f->path, &c);
		assert_int_equal(c.info.events[0].ids_n, steps[i]);
		assert_memory_equal(c.info.events[0].ids, ev->ids, steps[i] * sizeof(uint64_t));
		assert_int_equal(c.info.events[1].ids_n, 1);
		assert_int_equal(c.info.events[1].ids[0], 8);
		contents_free(&c);
	}
	writer_destroy(w);
}

static void older_files_are_renamed_or_refused(void **state)
{
	struct fixture *f = *state;
	struct writer_config config = {.path = f->path, .place = OUTPUT_KEEP_OLD, .stop_fd = -1};
	struct writer *w = start(f, 0);
	struct contents c;
	static const char old[] = "perf.data.old";
	append_samples(f, w, 0, 3);
	assert_int_equal(writer_finish(w, &f->err), 0);
	writer_destroy(w);
	writer_destroy(start(f, 0)); /* without a checkpoint it was never there */
	contents_read(f->path, &c);
	assert_int_equal(c.samples, 3);
	contents_free(&c);
	w = start(f, 0);
	assert_int_equal(writer_checkpoint(w, &f->err), 0);
	writer_destroy(w);
	contents_read(old, &c);
	assert_int_equal(c.samples, 3);
	contents_free(&c);

	assert_int_equal(unlink(f->path), 0);
	assert_int_equal(symlink(old, f->path), 0);
	assert_int_equal(writer_create(&config, &f->info, &w, &f->err), -EEXIST);
	assert_non_null(strstr(f->err.text, "symbolic link"));
	contents_read(old, &c);
	assert_int_equal(c.samples, 3);
	contents_free(&c);

	assert_int_equal(unlink(f->path), 0);
	assert_int_equal(mkfifo(f->path, 0600), 0);
	assert_int_equal(writer_create(&config, &f->info, &w, &f->err), -ENXIO);

	config.path = f->dir;
	assert_int_equal(writer_create(&config, &f->info, &w, &f->err), -EEXIST);
	config.path = "/nonexistent/perf.data";
	assert_int_equal(writer_create(&config, &f->info, &w, &f->err), -ENOENT);
}

static void a_full_disk_leaves_whole_records(void **state)
{
	struct fixture *f = *state;
	struct writer *w = start(f, 0);
	struct contents c;
	struct rlimit before, limit;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	append_samples(f, w, 0, 100);
	assert_int_equal(writer_checkpoint(w, &f->err), 0);
	append_samples(f, w, 100, 10000);
	limit = (struct rlimit){.rlim_cur = 200003, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	int rc = writer_checkpoint(w, &f->err), again = writer_finish(w, NULL);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(rc, -EFBIG);
	assert_int_equal(again, -EFBIG);
	assert_non_null(strstr(f->err.text, f->path));
	writer_destroy(w);
	contents_read(f->path, &c);
	assert_true(c.samples > 2000 && c.samples < 10000);
	assert_string_equal(c.info.hostname, "somewhere");
	contents_free(&c);

	w = start(f, 0); /* full from the beginning: the recording that there is stays, and nothing else */
	append_samples(f, w, 0, 10000);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	rc = writer_checkpoint(w, &f->err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(rc, -EFBIG);
	assert_non_null(strstr(f->err.text, "no file was made"));
	writer_destroy(w);
	size_t again_n = c.samples;
	contents_read(f->path, &c);
	assert_int_equal(c.samples, again_n);
	contents_free(&c);
	assert_int_equal(access("perf.data.old", F_OK), -1);
}

#if HAVE_ZSTD
static void compressed_records_are_the_same(void **state)
{
	struct fixture *f = *state;
	enum { N = 20000 };
	struct writer *w = start(f, 1);
	struct contents c;
	append_samples(f, w, 0, N);
	assert_int_equal(writer_round(w, &f->err), 0);
	append_samples(f, w, N, N + 1);
	assert_int_equal(writer_finish(w, &f->err), 0);
	writer_destroy(w);
	contents_read(f->path, &c);
	assert_true(c.compressed > 1);
	assert_int_equal(c.samples, 0);
	assert_true(c.info.compressed_mmap_len > 0);
	assert_true(c.n < N * 56 / 2);

	size_t cap = (N + 1) * 64, n = 0;
	uint8_t *out = mem_calloc(cap, 1), *want = mem_calloc(cap, 1);
	ZSTD_DCtx *ctx = ZSTD_createDCtx();
	uint64_t end = c.header.data.offset + c.header.data.size;
	for (uint64_t at = c.header.data.offset; at < end;) {
		struct record_header h = pd_record_header(c.bytes + at, false);
		struct record_bytes z;
		if (h.type == PD_RECORD_COMPRESSED) {
			assert_int_equal(pd_record_compressed(c.bytes + at, h.size, false, &z), 0);
			ZSTD_inBuffer in = {z.data, z.size, 0};
			/* decompresses each record in one call into this much memory, as perf
			 * does */
			ZSTD_outBuffer to = {
				out + n, c.info.compressed_mmap_len < cap - n ? c.info.compressed_mmap_len : cap - n,
				0};
			assert_false(ZSTD_isError(ZSTD_decompressStream(ctx, &to, &in)));
			assert_int_equal(in.pos, in.size);
			n += to.pos;
		}
		at += h.size;
	}
	ZSTD_freeDCtx(ctx);
	size_t want_n = 0;
	for (uint64_t i = 0; i <= N; i++)
		want_n += put_sample(f, i, want + want_n, cap - want_n);
	assert_int_equal(n, want_n);
	assert_memory_equal(out, want, n);
	free(out);
	free(want);
	contents_free(&c);
}
#endif

/* Makes standard output a pipe; *saved_ret is a copy of the old standard output. */
static int divert_output(int *saved_ret)
{
	int fds[2];
	fflush(stdout);
	*saved_ret = dup(STDOUT_FILENO);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(dup2(fds[1], STDOUT_FILENO), STDOUT_FILENO);
	close(fds[1]);
	return fds[0];
}

static void restore_output(int saved)
{
	dup2(saved, STDOUT_FILENO);
	close(saved);
}

static void a_stream_has_only_records(void **state)
{
	struct fixture *f = *state;
	struct writer_config config = {.path = "-", .place = OUTPUT_KEEP_OLD, .stop_fd = -1};
	struct writer *w;
	uint8_t buf[16384];
	int saved, fd = divert_output(&saved);
	int rc = writer_create(&config, &f->info, &w, &f->err);
	rc = rc ? rc : writer_start(w, &f->err);
	append_samples(f, w, 0, 10);
	rc = rc ? rc : writer_round(w, &f->err);
	rc = rc ? rc : writer_finish(w, &f->err);
	writer_destroy(w);
	restore_output(saved);
	assert_int_equal(rc, 0);
	ssize_t n = read(fd, buf, sizeof(buf));
	close(fd);
	assert_true(n > PD_PIPE_HEADER_SIZE);

	struct pd_header header;
	struct pd_info info;
	size_t samples = 0, rounds = 0;
	pd_info_init(&info);
	assert_int_equal(pd_header_parse(buf, (size_t)n, &header, &f->err), 0);
	assert_true(header.pipe);
	for (size_t at = PD_PIPE_HEADER_SIZE; at < (size_t)n;) {
		struct record_header h = pd_record_header(buf + at, false);
		assert_true(h.size >= sizeof(h) && h.size <= (size_t)n - at && h.size % 8 == 0);
		if (h.type >= PD_RECORD_FIRST)
			assert_int_equal(pd_info_record(&info, buf + at, h.size, false, &f->err), 0);
		samples += h.type == RECORD_SAMPLE;
		rounds += h.type == PD_RECORD_FINISHED_ROUND;
		at += h.size;
	}
	assert_int_equal(samples, 10);
	assert_int_equal(rounds, 1);
	assert_int_equal(info.events_n, 2);
	assert_string_equal(info.events[1].name, "dummy:HG");
	assert_int_equal(info.events[1].ids[0], 8);
	assert_string_equal(info.hostname, "somewhere");
	pd_info_deinit(&info);
}

static void a_reader_may_close_the_pipe_or_stall(void **state)
{
	struct fixture *f = *state;
	struct writer_config config = {.path = "-"};
	struct writer *w;
	int stop[2], saved, fd = divert_output(&saved);
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe2(stop, O_CLOEXEC), 0);
	assert_int_equal(write(stop[1], "", 1), 1);
	config.stop_fd = stop[0]; /* the user interrupts, while nothing reads from the pipe */
	int rc = writer_create(&config, &f->info, &w, &f->err);
	rc = rc ? rc : writer_start(w, &f->err);
	append_samples(f, w, 0, 10000);
	int stalled = writer_round(w, &f->err);
	writer_destroy(w);
	close(fd);
	int gone = writer_create(&config, &f->info, &w, &f->err);
	gone = gone ? gone : writer_start(w, &f->err);
	writer_destroy(w);
	restore_output(saved);
	close(stop[0]);
	close(stop[1]);
	assert_int_equal(rc, 0);
	assert_int_equal(stalled, -EINTR);
	assert_int_equal(gone, -EPIPE);
}

static void build_ids_are_those_of_the_right_file(void **state)
{
	(void)state;
	struct pd_build_id id;
	struct stat st;
	char exe[4096];
	uint32_t pid = (uint32_t)getpid();
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	assert_true(n > 0);
	exe[n] = '\0';
	assert_int_equal(stat(exe, &st), 0);
	if (!build_id_of_file(exe, pid, st.st_ino, &id))
		skip(); /* the compiler adds no build-id */
	assert_true(id.size == 20 || id.size == 16 || id.size == 8);
	assert_string_equal(id.path, exe);
	free(id.path);
	assert_false(build_id_of_file(exe, pid, st.st_ino + 1, &id));
	assert_false(build_id_of_file("/dev/null", pid, 0, &id));
	assert_false(build_id_of_file("[vdso]", pid, 0, &id));
	assert_false(build_id_of_file("/nonexistent", pid, 0, &id));
	assert_false(build_id_of_kernel("[no_such_module]", &id));
}

/* Files of one path have an entry each, in their order: also one whose build-id cannot be read.  Two equal entries say
 * that all are of one build. */
static void replaced_files_have_entries_of_their_own(void **state)
{
	(void)state;
	struct pd_info info;
	struct recording_stats s;
	struct stat st;
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	assert_true(n > 0);
	exe[n] = '\0';
	assert_int_equal(stat(exe, &st), 0);
	struct record rec = {.type = RECORD_MMAP2, .misc = MISC_USER};
	rec.u.mmap = (struct record_mmap){.pid = (uint32_t)getpid(), .ino = st.st_ino, .filename = exe};
	pd_info_init(&info);
	recording_stats_init(&s, NULL, &info);
	recording_stats_add_decoded(&s, &rec);
	recording_stats_add_decoded(&s, &rec);
	size_t own = info.build_ids_n; /* 0: the compiler adds no build-id */
	assert_true(own <= 1);
	for (unsigned i = 0; i < 100; i++) { /* two file systems, as in containers */
		rec.u.mmap.maj = i & 1;
		recording_stats_add_decoded(&s, &rec);
	}
	assert_int_equal(info.build_ids_n, 2);
	assert_int_equal(info.build_ids[1].size != 0, true);
	assert_int_equal(memcmp(info.build_ids[0].id, info.build_ids[1].id, sizeof(info.build_ids[0].id)), 0);
	rec.u.mmap.ino++;
	recording_stats_add_decoded(&s, &rec);
	assert_int_equal(info.build_ids_n, own ? 3 : 2);
	assert_int_equal(info.build_ids[info.build_ids_n - 1].id[0], 0xff);
	for (unsigned i = 0; i < 100; i++) {
		rec.u.mmap.ino = i & 1 ? st.st_ino : 1;
		recording_stats_add_decoded(&s, &rec);
	}
	assert_true(info.build_ids_n <= 9);
	assert_int_equal(info.build_ids[info.build_ids_n - 1].id[0], 0xff);
	recording_stats_deinit(&s);
	pd_info_deinit(&info);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_file_has_all_that_was_appended),
		TEST(each_checkpoint_is_a_whole_file),
		TEST(ids_may_be_added_later),
		TEST(older_files_are_renamed_or_refused),
		TEST(a_full_disk_leaves_whole_records),
#if HAVE_ZSTD
		TEST(compressed_records_are_the_same),
#endif
		TEST(a_stream_has_only_records),
		TEST(a_reader_may_close_the_pipe_or_stall),
		TEST(build_ids_are_those_of_the_right_file),
		TEST(replaced_files_have_entries_of_their_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
