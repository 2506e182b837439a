/* Samples wait for the records with the callers of their user code, and all records behind them wait as well. */
#include "session/deferred.h"

#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { KERNEL_IP = 0x10, USER_IP = 0x20, TID = 5, OTHER = 6, MODES = 2 };

/* What was passed on: "s(16 32)" is a sample with these addresses, "?" one with a cookie, "c" and "x" other records. */
struct world {
	struct record_layout layout;
	struct deferred d;
	char passed[4096];
	size_t cut, calls, samples;
	uint64_t last_ns; /* time of the last record that was passed */
};

static const struct record_layout *layout(void *ctx, const uint8_t *bytes, size_t size)
{
	(void)bytes, (void)size;
	return &((struct world *)ctx)->layout;
}

static void say(struct world *w, const char *text)
{
	size_t n = strlen(w->passed);
	snprintf(w->passed + n, sizeof(w->passed) - n, "%s%s", n ? " " : "", text);
}

static void say_sample(struct world *w, const struct record_words chain)
{
	char text[256] = "s(";
	for (uint64_t i = 0; i < chain.n; i++) {
		uint64_t ip = record_u64(chain, i);
		size_t len = strlen(text);
		if (ip == CALLCHAIN_USER_DEFERRED)
			snprintf(text + len, sizeof(text) - len, "?");
		else if (ip < CALLCHAIN_CONTEXT_MAX && (!i || record_u64(chain, i - 1) != CALLCHAIN_USER_DEFERRED))
			snprintf(text + len, sizeof(text) - len, "%s%u", len > 2 ? " " : "", (unsigned)ip);
	}
	size_t n = strlen(text);
	snprintf(text + n, sizeof(text) - n, ")");
	say(w, text);
}

static void pass(void *ctx, const uint8_t *bytes, size_t size)
{
	struct world *w = ctx;
	size_t n = 0;
	w->calls++;
	for (size_t at = 0; at < size; n++) {
		struct record rec;
		assert_int_equal(record_decode(&w->layout, bytes + at, size - at, &rec), 0);
		assert_true(rec.id.time_ns > w->last_ns); /* nothing overtakes anything */
		w->last_ns = rec.id.time_ns;
		if (rec.type == RECORD_SAMPLE)
			say_sample(w, rec.u.sample.callchain);
		else
			say(w, rec.type == RECORD_COMM ? "c" : rec.type == RECORD_EXIT ? "x" : "d");
		assert_true(!n || rec.type == RECORD_SAMPLE);
		at += rec.size;
	}
	w->samples += n;
}

static void begin(struct world *w, bool swap)
{
	const struct perf_attr attr = {
		.sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CALLCHAIN | SAMPLE_RAW,
		.flags = ATTR_SAMPLE_ID_ALL,
	};
	*w = (struct world){.d = {.pass = pass, .layout = layout, .ctx = w, .swap = swap}};
	assert_int_equal(record_layout_init(&w->layout, &attr), 0);
	w->layout.swap = swap;
	deferred_init(&w->d);
}

static struct record made(uint32_t type, uint32_t tid, uint64_t time_ns)
{
	return (struct record){.type = type, .id = {.pid = tid, .tid = tid, .time_ns = time_ns}};
}

static void put(struct world *w, const struct record *rec)
{
	uint8_t buf[1024];
	size_t n = record_encode(&w->layout, rec, buf, sizeof(buf));
	assert_true(n > 0);
	w->cut += deferred_take(&w->d, rec->type, buf, n);
}

static void put_chain(struct world *w, uint32_t tid, uint64_t time_ns, const uint64_t *words, size_t n)
{
	struct record rec = made(RECORD_SAMPLE, tid, time_ns);
	rec.u.sample.callchain = (struct record_words){words, n, false};
	rec.u.sample.raw = (struct record_bytes){"behind", 4};
	put(w, &rec);
}

/* A sample of the kernel; `cookie` 0: of code whose callers are all known. */
static void sample(struct world *w, uint32_t tid, uint64_t time_ns, uint64_t cookie)
{
	const uint64_t words[] = {CALLCHAIN_KERNEL, KERNEL_IP, CALLCHAIN_USER_DEFERRED, cookie};
	put_chain(w, tid, time_ns, words, cookie ? 4 : 2);
}

static void callers(struct world *w, uint32_t tid, uint64_t time_ns, uint64_t cookie)
{
	const uint64_t words[] = {CALLCHAIN_USER, USER_IP, USER_IP + 1};
	struct record rec = made(RECORD_CALLCHAIN_DEFERRED, tid, time_ns);
	rec.u.deferred.cookie = cookie;
	rec.u.deferred.callchain = (struct record_words){words, 3, false};
	put(w, &rec);
}

static void other(struct world *w, uint32_t type, uint32_t tid, uint64_t time_ns, uint16_t misc)
{
	struct record rec = made(type, tid, time_ns);
	rec.misc = misc;
	if (type == RECORD_COMM) {
		rec.u.comm.pid = rec.u.comm.tid = tid;
		rec.u.comm.comm = "name";
	} else {
		rec.u.task.pid = rec.u.task.tid = tid;
	}
	put(w, &rec);
}

static void end(struct world *w)
{
	deferred_deinit(&w->d);
}

static void callers_come_later(void **state)
{
	struct world *w = mem_calloc(1, sizeof(*w));
	(void)state;
	for (int swap = 0; swap < MODES; swap++) {
		begin(w, swap);
		sample(w, TID, 1, 0); /* waits for nothing */
		assert_string_equal(w->passed, "s(16)");
		sample(w, TID, 2, 7);
		sample(w, OTHER, 3, 0);
		sample(w, OTHER, 4, 8);
		other(w, RECORD_COMM, OTHER, 5, 0);
		sample(w, TID, 6, 7); /* of the same entry to the kernel */
		assert_string_equal(w->passed, "s(16)");
		callers(w, TID, 7, 7);
		assert_string_equal(w->passed, "s(16) s(16 32 33) s(16)");
		sample(w, TID, 8, 0);
		callers(w, OTHER, 9, 8);
		assert_string_equal(w->passed, "s(16) s(16 32 33) s(16) s(16 32 33) c s(16 32 33) d s(16) d");
		callers(w, TID, 10, 7); /* nobody waits for it */
		assert_int_equal(w->d.open, 0);
		assert_int_equal(w->d.bytes.n, 0);
		end(w);
	}
	free(w);
}

/* After these the callers of earlier samples of the thread do not come any more. */
static void some_callers_do_not_come(void **state)
{
	struct world *w = mem_calloc(1, sizeof(*w));
	(void)state;
	begin(w, false);
	sample(w, TID, 1, 7);
	callers(w, TID, 2, 9);
	assert_string_equal(w->passed, "s(16?) d");
	sample(w, TID, 3, 9);
	other(w, RECORD_COMM, TID, 4, MISC_COMM_EXEC);
	assert_string_equal(w->passed, "s(16?) d s(16?) c");
	sample(w, TID, 5, 10);
	other(w, RECORD_EXIT, OTHER, 6, 0);
	other(w, RECORD_COMM, TID, 7, 0); /* only a name */
	assert_string_equal(w->passed, "s(16?) d s(16?) c");
	other(w, RECORD_EXIT, TID, 8, 0);
	assert_string_equal(w->passed, "s(16?) d s(16?) c s(16?) x c x");
	w->passed[0] = '\0';
	sample(w, TID, 9, 11);
	sample(w, OTHER, 10, 12);
	deferred_release(&w->d);
	assert_string_equal(w->passed, "s(16?) s(16?)");
	sample(w, TID, 11, 13);
	deferred_forget(&w->d);
	callers(w, TID, 12, 13);
	assert_string_equal(w->passed, "s(16?) s(16?) d");
	end(w);
	free(w);
}

/* Addresses may be put off where the sample has none of the kernel, and a marker alone is no cookie. */
static void chains_of_user_code_alone(void **state)
{
	const uint64_t words[] = {CALLCHAIN_USER_DEFERRED, 7};
	struct world *w = mem_calloc(1, sizeof(*w));
	(void)state;
	begin(w, false);
	put_chain(w, TID, 1, words, 2);
	callers(w, TID, 2, 7);
	put_chain(w, TID, 3, words, 1);
	assert_string_equal(w->passed, "s(32 33) d s(?)");
	end(w);
	free(w);
}

/* A thread that never comes back holds up no more than the limit. */
static void what_waits_is_bounded(void **state)
{
	struct world *w = mem_calloc(1, sizeof(*w));
	(void)state;
	begin(w, false);
	sample(w, OTHER, 1, 1);
	uint64_t n = 1;
	for (; !w->cut; n += 2) {
		sample(w, TID, n + 1, n);
		callers(w, TID, n + 2, n);
		assert_true(w->d.bytes.n <= LIMIT_DEFERRED_BYTES + 4096);
	}
	assert_int_equal(w->cut, 1);
	assert_int_equal(w->d.open, 0); /* all others had theirs */
	assert_int_equal(w->last_ns, n);
	assert_true(n > 100000);
	end(w);
	free(w);
}

/* Of many threads that come and go in a random order nothing is lost, and the memory is given back. */
static void nothing_is_lost(void **state)
{
	enum { THREADS = 50, STEPS = 100000 };
	struct world *w = mem_calloc(1, sizeof(*w));
	uint64_t cookies[THREADS] = {0}, at = 0, random = 1, samples = 0, next = 1;
	size_t peak = 0;
	(void)state;
	begin(w, false);
	for (size_t i = 0; i < STEPS; i++) {
		random = random * 6364136223846793005ull + 1442695040888963407ull;
		uint32_t t = (uint32_t)(random >> 33) % THREADS;
		if (random >> 60 < 6 && cookies[t]) {
			callers(w, t, ++at, cookies[t]);
			cookies[t] = 0;
		} else {
			cookies[t] = cookies[t] ? cookies[t] : next++;
			sample(w, t, ++at, cookies[t]);
			samples++;
		}
		w->passed[0] = '\0';
		peak = w->d.bytes.n > peak ? w->d.bytes.n : peak;
	}
	deferred_release(&w->d);
	assert_int_equal(w->last_ns, at);
	assert_int_equal(w->d.bytes.n, 0);
	assert_true(peak < 1 << 20);
	assert_true(samples > STEPS / 2);
	end(w);
	free(w);
}

/* What does not fit into a record is left out; the fields behind the chain stay. */
static void stitched_records_have_a_size(void **state)
{
	enum { WORDS = 8000 };
	static uint64_t user[WORDS] = {CALLCHAIN_USER};
	static uint8_t buf[RECORD_SIZE_MAX];
	const uint64_t words[] = {CALLCHAIN_KERNEL, KERNEL_IP, CALLCHAIN_USER_DEFERRED, 3};
	struct world *w = mem_calloc(1, sizeof(*w));
	uint8_t sample[256];
	(void)state;
	begin(w, false);
	struct record rec = made(RECORD_SAMPLE, TID, 1), ret;
	rec.u.sample.callchain = (struct record_words){words, 4, false};
	rec.u.sample.raw = (struct record_bytes){"tail", 4};
	size_t n = record_encode(&w->layout, &rec, sample, sizeof(sample));
	for (size_t cap = 0; cap < RECORD_SIZE_MAX + 1; cap += cap < 300 ? 1 : 9973) {
		const struct record_words from = {user, WORDS, false};
		size_t made_n = record_stitch(&w->layout, sample, n, from, buf, cap);
		assert_true(made_n <= cap && made_n % 8 == 0);
		assert_int_equal(made_n > 0, cap >= n - 8);
		if (!made_n)
			continue;
		assert_int_equal(record_decode(&w->layout, buf, made_n, &ret), 0);
		assert_int_equal(ret.size, made_n);
		assert_memory_equal(ret.u.sample.raw.data, "tail", 4);
	}
	for (size_t cut = 0; cut < n; cut++) /* of what is damaged nothing is made */
		assert_int_equal(record_stitch(&w->layout, sample, cut, (struct record_words){0}, buf, sizeof(buf)) > 0,
				 cut >= n - 8);
	end(w);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_come_later),	     cmocka_unit_test(some_callers_do_not_come),
		cmocka_unit_test(chains_of_user_code_alone), cmocka_unit_test(what_waits_is_bounded),
		cmocka_unit_test(nothing_is_lost),	     cmocka_unit_test(stitched_records_have_a_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
