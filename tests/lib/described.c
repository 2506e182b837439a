#include "described.h"

#include "recorder/describe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct seen {
	uint32_t pid;
	char exe[4096];
	struct record_layout layout;
	bool comm, text;
};

static int see(void *ctx, const struct record *rec)
{
	struct seen *s = ctx;
	uint8_t buf[8192];
	uint64_t here = (uint64_t)(uintptr_t)see;
	size_t n = record_encode(&s->layout, rec, buf, sizeof(buf));
	struct record back;
	assert_true(n > 0 && n % 8 == 0);
	assert_int_equal(record_decode(&s->layout, buf, n, &back), 0);
	assert_true(back.id.time_ns == 0);
	if (back.type == RECORD_COMM && back.u.comm.pid == s->pid && back.u.comm.tid == s->pid)
		s->comm = true;
	if (back.type == RECORD_MMAP2 && back.u.mmap.pid == s->pid && here >= back.u.mmap.start &&
	    here - back.u.mmap.start < back.u.mmap.len) {
		assert_true(s->comm); /* the name of a process comes before its mappings */
		assert_string_equal(back.u.mmap.filename, s->exe);
		assert_true(back.u.mmap.ino != 0);
		s->text = true;
	}
	return s->comm && s->text ? 1 : 0;
}

void assert_describes_this_process(const struct target *who)
{
	struct seen s = {.pid = (uint32_t)getpid()};
	struct event_spec spec;
	struct attr_policy policy = {.default_freq = 99};
	struct perf_attr attr;
	struct limit_counts limits = {0};
	event_clock(&spec);
	event_attr(&spec, &policy, &attr);
	assert_int_equal(record_layout_init(&s.layout, &attr), 0);
	assert_true(readlink("/proc/self/exe", s.exe, sizeof(s.exe) - 1) > 0);
	assert_int_equal(describe_existing(who, see, &s, &limits),
			 1); /* the first value that is not 0 ends the iteration */
	assert_true(s.comm && s.text);
}
