/* Call chains in the formats of other tools: the tree that all of them have, names that mean harm, and sizes. */
#include "../lib/fake_world.h"
#include "../lib/golden.h"
#include "../lib/print_batch.h"
#include "../lib/random_sum.h"

#include <cyctop/front.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CTX(i) (CTX_EXTENDED | (i))

/* The fake machine with a table by command and chain. */
struct fixture {
	struct fake_world *w;
	struct pivot chains;
	struct row *rows;
	struct sum (*sums)[FAKE_EVENTS];
	struct ctx_info *contexts;
};

static void fixture_init(struct fixture *f, size_t rows, uint32_t contexts)
{
	*f = (struct fixture){
		.w = fake_world_create(),
		.rows = calloc(rows, sizeof(*f->rows)),
		.sums = calloc(rows, sizeof(*f->sums)),
		.contexts = calloc(contexts, sizeof(*f->contexts)),
	};
	assert_true(f->rows && f->sums && f->contexts);
	f->chains = (struct pivot){
		.query = {.dims = {DIM_COMM, DIM_CHAIN}, .dims_n = 2, .by_name = true},
		.rows = f->rows,
		.n = rows,
	};
	f->w->snap.pivots = &f->chains;
	f->w->snap.pivots_n = 1;
	f->w->cat.contexts = f->contexts;
	f->w->cat.contexts_n = contexts;
	for (uint32_t i = 0; i < FAKE_SYMS; i++)
		f->w->syms[i].resolved = f->w->syms[i].row_sym = i;
}

static void fixture_deinit(struct fixture *f)
{
	fake_world_destroy(f->w);
	free(f->rows);
	free(f->sums);
	free(f->contexts);
}

static void set_context(struct fixture *f, uint32_t i, uint32_t sym, uint32_t caller)
{
	f->contexts[i] = (struct ctx_info){.sym = sym, .caller = caller, .cgroup = CATALOG_NONE, .settled = CTX(i)};
}

static void set_row(struct fixture *f, size_t i, uint32_t task, uint32_t ctx, const unsigned n[FAKE_EVENTS])
{
	for (size_t e = 0; e < FAKE_EVENTS; e++)
		f->sums[i][e] = random_sum(n[e], 1e6);
	f->rows[i] = (struct row){
		.id = i + 1,
		.task = task,
		.ctx = ctx,
		.sym = catalog_ctx_sym(&f->w->cat, ctx),
		.cpu = CATALOG_NONE,
		.top = CATALOG_NONE,
		.share = n[0] / 1500.,
		.share_valid = true,
		.sums = f->sums[i],
	};
}

/* Two commands, with functions that call each other in more than one way, and one that has no samples itself. */
static void small_init(struct fixture *f)
{
	static const struct {
		uint32_t task, ctx;
		unsigned n[FAKE_EVENTS];
	} rows[] = {
		{FAKE_SHOPD, FAKE_PARSE, {400, 800, 40, 1}},	 {FAKE_SHOPD, CTX(0), {200, 600, 100, 50}},
		{FAKE_QUOTED, CTX(2), {100, 50, 20, 20}},	 {FAKE_SHOPD, CTX(3), {50, 10, 1, 0}},
		{FAKE_BAD_UTF8, FAKE_UNRESOLVED, {0, 10, 1, 1}}, {FAKE_QUOTED, CTX(0), {250, 30, 0, 0}},
		{FAKE_IDLE, FAKE_SCHEDULE, {500, 10, 1, 1}},
	};
	fixture_init(f, ARRAY_LEN(rows), 4);
	set_context(f, 0, FAKE_MEMCPY, FAKE_PARSE);
	set_context(f, 1, FAKE_ODD, FAKE_PARSE);
	set_context(f, 2, FAKE_NEWLINE, CTX(1));
	set_context(f, 3, FAKE_SCHEDULE, CTX(0));
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		set_row(f, i, rows[i].task, rows[i].ctx, rows[i].n);
}

/* Returns what the format writes, which ends with a NUL. */
static char *print(const struct fixture *f, const char *format, size_t *n_ret)
{
	const struct batch_config config = {.tables = 1};
	char *text = NULL;
	FILE *out = open_memstream(&text, n_ret);
	assert_non_null(out);
	batch_format_named(format)->chains(out, &f->w->in, &f->chains, &config);
	fclose(out);
	return text;
}

static void formats_have_the_same_tree(void **state)
{
	static const struct {
		const char *format, *file;
	} files[] = {
		{"folded", "batch/chains.folded"},
		{"svg", "batch/chains.svg"},
		{"speedscope", "batch/chains.speedscope.json"},
		{"firefox", "batch/chains.firefox.json"},
	};
	struct fixture f;
	(void)state;
	small_init(&f);
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		size_t n;
		if (batch_format_named(files[i].format)->why)
			continue;
		char *text = print(&f, files[i].format, &n);
		assert_golden(files[i].file, text);
		free(text);
	}
	fixture_deinit(&f);
}

/* The rows of a table are in no order that another run would have, too. */
static void the_order_of_rows_does_not_matter(void **state)
{
	struct fixture f;
	size_t n, m;
	(void)state;
	small_init(&f);
	char *before = print(&f, "pprof", &n);
	for (size_t i = 0; i < f.chains.n / 2; i++) {
		struct row row = f.rows[i];
		f.rows[i] = f.rows[f.chains.n - 1 - i];
		f.rows[f.chains.n - 1 - i] = row;
	}
	char *after = print(&f, "pprof", &m);
	assert_int_equal(n, m);
	assert_memory_equal(before, after, n);
	free(before);
	free(after);
	fixture_deinit(&f);
}

/* ---- reading profile.proto ------------------------------------------------------------------------------- */

struct bytes {
	const unsigned char *at, *end;
};

static uint64_t take_number(struct bytes *b)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		assert_true(b->at < b->end);
		v |= (uint64_t)(*b->at & 0x7f) << shift;
		if (!(*b->at++ & 0x80))
			break;
	}
	return v;
}

/* Takes a field: of a number, *number; of anything longer, *data. */
static unsigned take_field(struct bytes *b, uint64_t *number, struct bytes *data)
{
	uint64_t tag = take_number(b);
	*number = take_number(b);
	*data = (struct bytes){b->at, b->at};
	assert_true((tag & 7) == 0 || (tag & 7) == 2);
	if ((tag & 7) == 2) {
		assert_true(*number <= (uint64_t)(b->end - b->at));
		data->end = b->at += *number;
	}
	return (unsigned)(tag >> 3);
}

struct profile {
	uint64_t types, samples, mappings, locations, functions, strings, sums[2 * FAKE_EVENTS];
};

static void read_sample(struct profile *p, struct bytes sample)
{
	while (sample.at < sample.end) {
		uint64_t number, i = 0;
		struct bytes data;
		unsigned field = take_field(&sample, &number, &data);
		for (; field == 2 && data.at < data.end; i++) {
			assert_true(i < ARRAY_LEN(p->sums));
			p->sums[i] += take_number(&data);
		}
		while (field == 1 && data.at < data.end)
			assert_in_range(take_number(&data), 1, 64);
	}
	p->samples++;
}

static struct profile read_profile(const char *text, size_t n)
{
	struct profile p = {0};
	struct bytes b = {(const unsigned char *)text, (const unsigned char *)text + n};
	while (b.at < b.end) {
		uint64_t number;
		struct bytes data;
		unsigned field = take_field(&b, &number, &data);
		p.types += field == 1;
		p.mappings += field == 3;
		p.locations += field == 4;
		p.functions += field == 5;
		if (field == 2)
			read_sample(&p, data);
		if (field == 6)
			assert_true(p.strings++ || data.at == data.end); /* the first one is empty */
	}
	return p;
}

static void pprof_has_all_events(void **state)
{
	struct fixture f;
	size_t n;
	(void)state;
	small_init(&f);
	char *text = print(&f, "pprof", &n);
	struct profile p = read_profile(text, n);
	assert_int_equal(p.types, 2 * FAKE_EVENTS);
	assert_int_equal(p.samples, f.chains.n);
	assert_int_equal(p.functions, 6);
	assert_int_equal(p.locations, 6);
	assert_int_equal(p.mappings, 5);
	for (size_t e = 0; e < FAKE_EVENTS; e++) {
		double samples = 0, weight = 0;
		for (size_t i = 0; i < f.chains.n; i++) {
			samples += (double)f.sums[i][e].samples;
			weight += f.sums[i][e].weight;
		}
		assert_true((double)p.sums[2 * e] == samples);
		assert_true((double)p.sums[2 * e + 1] == weight);
	}
	free(text);
	fixture_deinit(&f);
}

/* ---- names that mean harm, and sizes ------------------------------------------------------------------------ */

static void names_stay_names(void **state)
{
	static const char *const formats[] = {"folded", "svg", "speedscope", "firefox", "pprof"};
	static const char odd[] = "</title><script>x\"';&\xef\xbf\xbe\x01\x1b[2J]]>\xc2\x80\xff";
	char name[4097];
	struct fixture f;
	(void)state;
	small_init(&f);
	for (size_t i = 0; i < sizeof(name) - 1; i++)
		name[i] = odd[i % (sizeof(odd) - 1)];
	name[sizeof(name) - 1] = '\0';
	f.w->syms[FAKE_PARSE].name = f.w->tasks[FAKE_SHOPD].comm = f.w->dsos[FAKE_LIBC].path = name;
	f.w->syms[FAKE_PARSE].pretty = NULL;
	snprintf(f.w->info.events[0].spec.name, sizeof(f.w->info.events[0].spec.name), "%s", odd);
	snprintf(f.w->info.target, sizeof(f.w->info.target), "%s", odd);
	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		size_t n;
		if (batch_format_named(formats[i])->why)
			continue;
		char *text = print(&f, formats[i], &n);
		bool svg = strcmp(formats[i], "svg") == 0;
		assert_true(n > sizeof(name));
		assert_true(memchr(text, 0x1b, n) == NULL || strcmp(formats[i], "pprof") == 0);
		assert_null(svg ? strstr(text, "</title><script>") : NULL);
		assert_null(svg ? strstr(text, "\xef\xbf\xbe") : NULL);
		assert_true(!svg || strstr(text, "&lt;/title&gt;&lt;script&gt;x\"';&amp;??"));
		free(text);
	}
	fixture_deinit(&f);
}

/* Prints rows of which row i is in chain i of a command: a function that calls itself, or is called by all. */
static void assert_bounded(uint32_t n, bool deep)
{
	static const char *const formats[] = {"svg", "firefox", "pprof"};
	static const unsigned one[FAKE_EVENTS] = {1, 1, 0, 0};
	struct fixture f;
	size_t size;
	fixture_init(&f, n, n);
	struct sym_info *syms = calloc(n, sizeof(*syms));
	assert_non_null(syms);
	for (uint32_t i = 0; i < n; i++) {
		syms[i] = f.w->syms[FAKE_MEMCPY];
		syms[i].row_sym = syms[i].resolved = deep ? 0 : i;
		char *name = calloc(1, 16);
		assert_non_null(name);
		snprintf(name, 16, "f%u", (unsigned)i);
		syms[i].name = name;
		set_context(&f, i, i, deep && i ? CTX(i - 1) : CATALOG_NONE);
	}
	f.w->cat.syms = syms;
	f.w->cat.syms_n = n;
	f.w->in.pretty = NULL;
	for (uint32_t i = 0; i < n; i++)
		set_row(&f, i, FAKE_SHOPD, CTX(deep ? n - 1 : i), one);
	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		if (batch_format_named(formats[i])->why)
			continue;
		char *text = print(&f, formats[i], &size);
		assert_true(size < (i ? 100u : 10u) << 20);
		free(text);
	}
	for (uint32_t i = 0; i < n; i++)
		free((char *)(uintptr_t)syms[i].name);
	free(syms);
	fixture_deinit(&f);
}

static void sizes_are_bounded(void **state)
{
	(void)state;
	assert_bounded(100000, true);
	assert_bounded(100000, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_have_the_same_tree), cmocka_unit_test(the_order_of_rows_does_not_matter),
		cmocka_unit_test(pprof_has_all_events),	      cmocka_unit_test(names_stay_names),
		cmocka_unit_test(sizes_are_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
