/* Branch stacks of a recording as events: taken and mispredicted branches, where they led, and cycles of blocks. */
#include "../lib/file_made.h"
#include "../lib/memory_bytes.h"
#include "base/alloc.h"

#include <cyctop/session.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FLAGS_MISPREDICTED = 1, FLAGS_PREDICTED = 2, CYCLES = 1 << 4, LOOP = 0x5010, CALL = 0x5020, CALLEE = 0x6000 };

/* Begins a recording with branch stacks, of a program that is mapped at 0x5000.  `more`: what else samples have. */
static void begin_with(struct made *m, uint64_t branch_type, uint64_t more)
{
	struct record map = {.type = RECORD_MMAP, .misc = MISC_USER};
	begin_pipe(m, ALL_FIELDS | SAMPLE_BRANCH_STACK | more);
	m->n = PD_PIPE_HEADER_SIZE;
	m->attr.branch_sample_type = branch_type;
	assert_int_equal(record_layout_init(&m->layout, &m->attr), 0);
	made_attr(m, 0, FIRST_ID);
	map.id.id = FIRST_ID;
	map.u.mmap.pid = map.u.mmap.tid = 7;
	map.u.mmap.start = 0x5000;
	map.u.mmap.len = 0x3000;
	map.u.mmap.filename = "/nowhere/program";
	made_record(m, &map);
}

static void begin(struct made *m, uint64_t branch_type)
{
	begin_with(m, branch_type, 0);
}

static void stack(struct made *m, uint64_t time_ns, const struct branch_entry *entries, size_t n)
{
	struct record rec = {.type = RECORD_SAMPLE, .misc = MISC_USER};
	rec.id = (struct sample_id){.pid = 7, .tid = 7, .time_ns = time_ns, .id = FIRST_ID};
	rec.u.sample.ip = LOOP;
	rec.u.sample.period = 1000;
	rec.u.sample.branch.nr = n;
	rec.u.sample.branch.entries = entries;
	made_record(m, &rec);
}

/* Reads what was made, with branches, or with call chains. */
static struct session *read_all(const struct made *m, bool branches)
{
	struct file_config config = {.path = "made", .branches = branches};
	struct bytes bytes = bytes_of_memory(m->bytes, m->n, false);
	struct session_config session = {
		.names = {.proc = proc_none, .keep_addresses = true, .cache_bits = 10},
		.keep_ns = UINT64_MAX,
		.keep_bytes = 1 << 20,
	};
	struct session *s = NULL;
	struct error err;
	if (file_open_bytes(&config, &bytes, &session.source, &err) < 0 || session_create(&session, &s, &err) < 0)
		fail_msg("%s", err.text);
	if (session_info(s)->chains)
		assert_int_equal(session_use_chains(s, &err), 0);
	do
		session_tick(s);
	while (!session_finished(s));
	return s;
}

static struct snapshot *report(struct session *s, enum dimension_id dim)
{
	const struct pivot_query pivot = {.dims = {DIM_SYMBOL, dim}, .dims_n = 2, .by_name = true};
	const struct query query = {.window = WINDOW_TOTAL, .pivots = &pivot, .pivots_n = 1};
	return session_snapshot(s, &query);
}

/* The row of branches from and to these addresses. */
static const struct row *edge(const struct session *s, const struct snapshot *snap, uint64_t from, uint64_t to)
{
	const struct catalog *cat = session_catalog(s);
	const struct row *found = NULL;
	for (size_t i = 0; i < snap->pivots[0].n; i++) {
		const struct row *row = &snap->pivots[0].rows[i];
		uint32_t led = catalog_ctx_to(cat, row->ctx);
		if (cat->syms[row->sym].addr == from - 0x5000 && cat->syms[led].addr == to - 0x5000)
			found = row;
	}
	assert_non_null(found);
	return found;
}

static void branches_are_events_where_they_led_from(void **state)
{
	const struct branch_entry first[] = {{LOOP, LOOP, FLAGS_PREDICTED | 10 * CYCLES},
					     {LOOP, LOOP, FLAGS_MISPREDICTED | 30 * CYCLES},
					     {CALL, CALLEE, FLAGS_PREDICTED},
					     {0, 0, FLAGS_PREDICTED}};
	const struct branch_entry second[] = {{LOOP, LOOP, FLAGS_PREDICTED | 20 * CYCLES}};
	(void)state;
	for (int hw_idx = 0; hw_idx < 2; hw_idx++) {
		struct made m;
		begin(&m, hw_idx ? BRANCH_HW_INDEX : 0);
		stack(&m, 1000, first, ARRAY_LEN(first));
		stack(&m, 2000, second, ARRAY_LEN(second));
		stack(&m, 3000, NULL, 0);
		struct session *s = read_all(&m, true);
		const struct source_info *info = session_info(s);
		size_t taken = info->branches;
		assert_int_equal(taken, 1);
		assert_string_equal(info->events[taken].spec.name, "taken-branches");
		assert_string_equal(info->events[taken + 1].spec.name, "mispredicts");
		struct snapshot *snap = report(s, DIM_SYMBOL_TO);
		assert_int_equal(snap->pivots[0].n, 2); /* the samples themselves are no branches */
		const struct row *loop = edge(s, snap, LOOP, LOOP), *call = edge(s, snap, CALL, CALLEE);
		assert_float_equal(loop->sums[taken].weight, 3, 1e-9);
		assert_int_equal(loop->sums[taken].samples,
				 2); /* of two stacks: their errors are those of two samples */
		assert_float_equal(loop->sums[taken].var, 2 * 2 + 1, 1e-9);
		assert_float_equal(loop->sums[taken + 1].weight, 1, 1e-9);
		assert_float_equal(loop->share, 0.75, 1e-9);
		assert_float_equal(costs_mean(&loop->costs).value, 20, 1e-9);
		assert_int_equal(loop->costs.n, 3);
		assert_float_equal(call->sums[taken].weight, 1, 1e-9);
		assert_false(costs_mean(&call->costs).valid); /* 0: not measured */
		assert_float_equal(snap->events[taken].count, 4, 1e-9);
		assert_int_equal(snap->events[taken + 1].state, COUNT_OK);
		snapshot_destroy(snap);
		snap = report(s, DIM_MODE); /* shares of all other tables are of the samples */
		assert_float_equal(snap->pivots[0].rows[0].share, 1, 1e-9);
		assert_float_equal(snap->pivots[0].rows[0].sums[0].weight, 3000, 1e-9);
		snapshot_destroy(snap);
		session_destroy(s);
	}
}

/* CPUs that do not tell whether a branch was predicted have no mispredicted branches, rather than 0. */
static void what_is_not_told_is_absent(void **state)
{
	const struct branch_entry entry = {CALL, CALLEE, 0};
	struct made m;
	(void)state;
	begin(&m, 0);
	stack(&m, 1000, &entry, 1);
	struct session *s = read_all(&m, true);
	struct snapshot *snap = report(s, DIM_SYMBOL_TO);
	assert_int_equal(snap->events[session_info(s)->branches].state, COUNT_OK);
	assert_int_equal(snap->events[session_info(s)->branches + 1].state, COUNT_ABSENT);
	snapshot_destroy(snap);
	session_destroy(s);
}

static void stacks_are_branches_where_they_are_asked_for(void **state)
{
	const struct branch_entry entry = {CALL, CALLEE, FLAGS_PREDICTED};
	(void)state;
	for (int calls = 0; calls < 2; calls++) {
		struct made m;
		begin(&m, calls ? BRANCH_CALL_STACK : 0);
		stack(&m, 1000, &entry, 1);
		struct session *s = read_all(&m, calls);
		assert_int_equal(session_info(s)->branches, 0);
		assert_int_equal(session_info(s)->events_n, 1);
		assert_int_equal(session_catalog(s)->contexts_n, 0);
		session_destroy(s);
	}
}

/* Stacks that cannot be: all bits set, more entries than fit, a full record of different branches. */
static void hostile_stacks_are_counted_or_dropped(void **state)
{
	enum { MANY = 2000 };
	const struct branch_entry odd[] = {{UINT64_MAX, UINT64_MAX, UINT64_MAX}, {0, 1, 0}, {1, 0, FLAGS_PREDICTED}};
	struct branch_entry *many = mem_calloc(MANY, sizeof(*many));
	uint8_t *buf = mem_calloc(1, RECORD_SIZE_MAX);
	struct made m;
	(void)state;
	begin(&m, BRANCH_HW_INDEX);
	stack(&m, 1000, odd, ARRAY_LEN(odd));
	size_t at = m.n;
	stack(&m, 2000, odd, ARRAY_LEN(odd));
	const uint64_t nr = 1ull << 60;
	memcpy(m.bytes + at + m.layout.fixed_size, &nr, sizeof(nr));
	for (uint64_t i = 0; i < MANY; i++)
		many[i] =
			(struct branch_entry){0x5000 + i, 0x5000 + i * 7 % MANY, FLAGS_MISPREDICTED | 0xffff * CYCLES};
	struct record rec = {.type = RECORD_SAMPLE, .misc = MISC_USER};
	rec.id = (struct sample_id){.pid = 7, .tid = 7, .time_ns = 3000, .id = FIRST_ID};
	rec.u.sample.branch.nr = MANY;
	rec.u.sample.branch.entries = many;
	made_bytes(&m, buf, record_encode(&m.layout, &rec, buf, RECORD_SIZE_MAX));
	struct session *s = read_all(&m, true);
	struct snapshot *snap = report(s, DIM_SYMBOL_TO);
	size_t taken = session_info(s)->branches;
	const size_t all = ARRAY_LEN(odd) + MANY;
	assert_float_equal(snap->events[taken].count, (double)all, 1e-9);
	assert_float_equal(snap->events[taken + 1].count, 1 + MANY, 1e-9);
	assert_int_equal(snap->events[0].samples, 3);
	snapshot_destroy(snap);
	session_destroy(s);
	free(many);
	free(buf);
}

/* Checks that a context with a symbol at `leaf` is called from these addresses, 0 at the end. */
static void assert_callers(const struct session *s, uint64_t leaf, const uint64_t *callers)
{
	const struct catalog *cat = session_catalog(s);
	for (uint32_t i = 0; i < cat->contexts_n; i++) {
		uint32_t ctx = i | CTX_EXTENDED;
		size_t n = 0;
		if (cat->syms[cat->contexts[i].sym].addr != leaf)
			continue;
		while ((ctx = catalog_ctx_caller(cat, ctx)) != CATALOG_NONE && callers[n] &&
		       cat->syms[catalog_ctx_sym(cat, ctx)].addr == callers[n])
			n++;
		if (ctx == CATALOG_NONE && !callers[n])
			return;
	}
	fail_msg("0x%llx has other callers", (unsigned long long)leaf);
}

/* The CPU's list of calls replaces what the kernel found of the callers of user code, as in perf. */
static void calls_of_the_cpu_are_callers(void **state)
{
	const uint64_t user[] = {CALLCHAIN_USER, 0x5555, 0x5666}, kernel = 0xffffffff81000000;
	const uint64_t both[] = {CALLCHAIN_KERNEL, kernel, kernel + 0x100, CALLCHAIN_USER, 0x5555};
	const struct branch_entry calls[] = {{0x5100, 0x5400, 0}, {0x5200, 0x5080, 0}};
	(void)state;
	struct made m;
	begin_with(&m, BRANCH_CALL_STACK, SAMPLE_CALLCHAIN);
	for (int i = 0; i < 3; i++) {
		struct record rec = {.type = RECORD_SAMPLE, .misc = i == 1 ? MISC_KERNEL : MISC_USER};
		rec.id = (struct sample_id){.pid = 7, .tid = 7, .time_ns = 1000, .id = FIRST_ID};
		rec.u.sample.ip = i == 1 ? kernel : 0x5410 + 0x100 * (uint64_t)i;
		rec.u.sample.callchain = i == 1 ? (struct record_words){both, ARRAY_LEN(both), false}
						: (struct record_words){user, ARRAY_LEN(user), false};
		rec.u.sample.branch.nr = i == 2 ? 0 : ARRAY_LEN(calls);
		rec.u.sample.branch.entries = calls;
		made_record(&m, &rec);
	}
	struct session *s = read_all(&m, true);
	assert_int_equal(session_info(s)->branches, 0);
	assert_callers(s, 0x410, (const uint64_t[]){0x100, 0x200, 0});
	assert_callers(s, kernel, (const uint64_t[]){kernel + 0x100, 0x400, 0x100, 0x200, 0});
	assert_callers(s, 0x610, (const uint64_t[]){0x555, 0x666, 0}); /* without entries: those of the kernel */
	session_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_of_the_cpu_are_callers),
		cmocka_unit_test(branches_are_events_where_they_led_from),
		cmocka_unit_test(what_is_not_told_is_absent),
		cmocka_unit_test(stacks_are_branches_where_they_are_asked_for),
		cmocka_unit_test(hostile_stacks_are_counted_or_dropped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
