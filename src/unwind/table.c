/* Makes the table of rules.  Most functions of a file share a few hundred rules, so a row of the table has only six
 * bytes: an offset, and the index of a rule. */
#include "unwind/table.h"

#include "base/alloc.h"
#include "base/index.h"
#include "base/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	NO_FUNCTION, /* index of the rule for bytes outside of functions */
	NOT_FOLLOWED,
	RULES_MAX = UINT16_MAX,
	EM_X86_64_NUMBER = 62,
	EM_AARCH64_NUMBER = 183,
	ROW_BYTES = sizeof(uint32_t) + sizeof(uint16_t),
};

struct row {
	uint32_t start;
	uint16_t rule;
};

struct span {
	uint32_t start, end;
	size_t row, rows_n; /* row: index of the first row in unwind_builder.rows */
};

struct unwind_builder {
	enum unwind_machine machine;
	VEC(struct unwind_rule) rules;
	struct index by_rule;
	VEC(struct row) rows;
	VEC(struct span) spans;
	/* arguments of the current unwind_add() or unwind_add_sframe() */
	const struct frames *frames;
	bool (*place)(void *ctx, uint64_t addr, uint64_t *offset_ret, uint64_t *n_ret);
	void *ctx;
	bool full;
};

bool unwind_machine_of(uint16_t e_machine, enum unwind_machine *ret)
{
	*ret = e_machine == EM_AARCH64_NUMBER ? UNWIND_ARM64 : UNWIND_X86_64;
	return e_machine == EM_AARCH64_NUMBER || e_machine == EM_X86_64_NUMBER;
}

bool unwind_machine_named(const char *name, enum unwind_machine *ret)
{
	bool arm64 = strcmp(name, "aarch64") == 0;
	*ret = arm64 ? UNWIND_ARM64 : UNWIND_X86_64;
	return arm64 || strcmp(name, "x86_64") == 0;
}

struct unwind_builder *unwind_builder_create(enum unwind_machine machine)
{
	struct unwind_builder *b = mem_calloc(1, sizeof(*b));
	b->machine = machine;
	index_init(&b->by_rule);
	vec_push(&b->rules) = (struct unwind_rule){.cfa_kind = CFA_NO_FUNCTION};
	vec_push(&b->rules) = (struct unwind_rule){.cfa_kind = CFA_UNKNOWN};
	return b;
}

/* ---- adding functions --------------------------------------------------------------------- */

struct wanted_rule {
	const struct unwind_builder *b;
	const struct unwind_rule *rule;
};

static bool is_wanted(const void *ctx, uint32_t pos)
{
	const struct wanted_rule *w = ctx;
	return memcmp(&w->b->rules.data[pos], w->rule, sizeof(*w->rule)) == 0;
}

static uint16_t number_of(struct unwind_builder *b, const struct unwind_rule *rule)
{
	if (rule->cfa_kind == CFA_UNKNOWN)
		return NOT_FOLLOWED;
	uint64_t hash = index_hash_bytes(&b->by_rule, rule, sizeof(*rule));
	uint32_t found = index_find(&b->by_rule, hash, is_wanted, &(struct wanted_rule){b, rule});
	if (found != INDEX_NONE)
		return (uint16_t)found;
	if (b->rules.n == RULES_MAX)
		return NOT_FOLLOWED;
	index_add(&b->by_rule, hash, (uint32_t)b->rules.n);
	vec_push(&b->rules) = *rule;
	return (uint16_t)(b->rules.n - 1);
}

/* Returns true at LIMIT_UNWIND_BYTES. The finished table needs up to two more rows per function: for its end, and for
 * the gap after it. */
static bool is_full(const struct unwind_builder *b)
{
	return (b->rows.n + 2 * b->spans.n) * ROW_BYTES > LIMIT_UNWIND_BYTES;
}

static void add_row(void *ctx, uint64_t start, const struct unwind_rule *rule)
{
	struct unwind_builder *b = ctx;
	struct span *span = &b->spans.data[b->spans.n - 1];
	if (start >= span->end - span->start) /* the function lies beyond the code in the file */
		return;
	b->full |= is_full(b);
	if (b->full) {
		span->end = span->start + (uint32_t)start;
		return;
	}
	uint16_t number = number_of(b, rule);
	if (span->rows_n && b->rows.data[b->rows.n - 1].rule == number)
		return;
	vec_push(&b->rows) = (struct row){span->start + (uint32_t)start, number};
	span->rows_n++;
}

static uint64_t begin_function(void *ctx, uint64_t start, uint64_t size)
{
	struct unwind_builder *b = ctx;
	uint64_t offset = 0, n = 0;
	b->full |= is_full(b);
	if (b->full || !b->place(b->ctx, start, &offset, &n) || offset >= UINT32_MAX)
		return 0;
	n = n < size ? n : size;
	n = n < UINT32_MAX - offset ? n : UINT32_MAX - offset;
	vec_push(&b->spans) = (struct span){.start = (uint32_t)offset, .end = (uint32_t)(offset + n), .row = b->rows.n};
	return n;
}

static void add_function(void *ctx, const struct frames_function *f)
{
	struct unwind_builder *b = ctx;
	if (begin_function(b, f->start, f->size))
		rule_run(b->machine, f, b->frames->wide, b->frames->big, add_row, b);
}

bool unwind_add(struct unwind_builder *b, const struct frames *f,
		bool (*place)(void *ctx, uint64_t addr, uint64_t *offset_ret, uint64_t *n_ret), void *ctx)
{
	b->frames = f;
	b->place = place;
	b->ctx = ctx;
	frames_read(f, add_function, b); /* damaged functions are skipped */
	return !b->full;
}

bool unwind_add_sframe(struct unwind_builder *b, const struct frames_bytes *table,
		       bool (*place)(void *ctx, uint64_t addr, uint64_t *offset_ret, uint64_t *n_ret), void *ctx)
{
	b->place = place;
	b->ctx = ctx;
	sframe_read(b->machine, table, &(struct unwind_add){begin_function, add_row, b});
	return !b->full;
}

/* ---- making the table from the rows -------------------------------------------------------- */

static int by_place(const void *va, const void *vb)
{
	const struct span *a = va, *b = vb;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static void put(struct unwind *u, uint32_t start, uint16_t rule)
{
	if (u->n && u->starts[u->n - 1] == start)
		u->n--;
	if (u->n && u->of[u->n - 1] == rule)
		return;
	u->starts[u->n] = start;
	u->of[u->n++] = rule;
}

/* Appends the rows of a function, which begins after all others so far. */
static void put_span(struct unwind *u, const struct unwind_builder *b, const struct span *s)
{
	for (size_t i = 0; i < s->rows_n; i++)
		put(u, b->rows.data[s->row + i].start, b->rows.data[s->row + i].rule);
	put(u, s->end, NO_FUNCTION);
}

static void builder_destroy(struct unwind_builder *b)
{
	vec_free(&b->rules);
	vec_free(&b->rows);
	vec_free(&b->spans);
	index_deinit(&b->by_rule);
	free(b);
}

struct unwind *unwind_finish(struct unwind_builder *b)
{
	struct unwind *u = mem_calloc(1, sizeof(*u));
	size_t most = b->rows.n + b->spans.n + 1;
	u->machine = b->machine;
	u->starts = mem_calloc(most, sizeof(*u->starts));
	u->of = mem_calloc(most, sizeof(*u->of));
	if (b->spans.n)
		qsort(b->spans.data, b->spans.n, sizeof(*b->spans.data), by_place);
	uint32_t end = 0;
	for (size_t i = 0; i < b->spans.n; i++) {
		const struct span *s = &b->spans.data[i];
		if (s->start < end) /* overlaps an earlier function, whose rules win */
			continue;
		put_span(u, b, s);
		end = s->end;
	}
	u->starts = mem_realloc(u->starts, u->n + 1, sizeof(*u->starts));
	u->of = mem_realloc(u->of, u->n + 1, sizeof(*u->of));
	u->rules_n = b->rules.n;
	u->rules = mem_realloc(b->rules.data, u->rules_n, sizeof(*u->rules));
	b->rules.data = NULL;
	builder_destroy(b);
	return u;
}

void unwind_destroy(struct unwind *u)
{
	if (!u)
		return;
	free(u->starts);
	free(u->of);
	free(u->rules);
	free(u);
}

size_t unwind_bytes(const struct unwind *u)
{
	return u->n * ROW_BYTES + u->rules_n * sizeof(*u->rules);
}

double unwind_framed(const struct unwind *u)
{
	uint64_t all = 0, framed = 0;
	for (size_t i = 0; i + 1 < u->n; i++) {
		const struct unwind_rule *rule = &u->rules[u->of[i]];
		uint32_t size = u->starts[i + 1] - u->starts[i];
		all += u->of[i] != NO_FUNCTION ? size : 0;
		framed += rule->cfa_kind == CFA_REGISTER && rule->cfa_register == unwind_numbers[u->machine].frame
				  ? size
				  : 0;
	}
	return all && u->machine == UNWIND_X86_64 ? (double)framed / (double)all : NAN;
}
