/* Pairs equal instructions of two builds of a function: by a patience diff over their texts without addresses; then, in
 * the gaps between pairs, over their texts without addresses and registers. */
#include "base/alloc.h"
#include "base/index.h"
#include "base/strbuf.h"

#include <cyctop/code.h>

#include <ctype.h>
#include <string.h>

/* ---- reducing an instruction to the text that is compared ---------------------------------------------- */

/* In an executable with fixed addresses, a number of at least fixed_least that differs from the function's address by
 * less than fixed_near counts as an address. */
static const uint64_t fixed_least = 0x10000, fixed_near = 16u << 20;

static bool is_fixed_address(const struct function_code *code, uint64_t number)
{
	uint64_t apart = number > code->addr ? number - code->addr : code->addr - number;
	return code->addr >= 4 * fixed_least && number >= fixed_least && apart < fixed_near;
}

/* Returns true if the number, whose text ends at `end`, is an address or an offset from one. */
static bool is_address(const struct function_code *code, const struct instruction *in, uint64_t number, const char *end,
		       bool of_page)
{
	return of_page || (in->target && number == in->target) || strncmp(end, "(%rip)", 6) == 0 ||
	       is_fixed_address(code, number);
}

/* Returns the length of a register's name at `s` ("%eax" of x86, "x12" of arm64); 0: none begins there. */
static size_t register_length(const char *text, const char *s)
{
	size_t n = 1;
	if (s > text && (isalnum((unsigned char)s[-1]) || strchr("$#<>_.", s[-1])))
		return 0;
	if (*s == '%') {
		while (isalnum((unsigned char)s[n]))
			n++;
		return n;
	}
	while (isdigit((unsigned char)s[n]))
		n++;
	return strchr("wxqdsvbh", *s) && n > 1 && !isalnum((unsigned char)s[n]) ? n : 0;
}

/* Writes the text of an instruction, with "@" for each address.  Keeps the name of the target, unless the target is
 * within a function ("+0x").  `of_page`: the numbers are a page address of arm64 (adrp), or the offset that belongs to
 * it.  `registers` false: writes "%" for each register. */
static void normalise(const struct function_code *code, const struct instruction *in, bool of_page, bool registers,
		      struct strbuf *b)
{
	const char *name = strstr(in->text, " <"), *reference = strstr(in->text, "  # ");
	const char *text_end = reference ? reference : name ? name : in->text + strlen(in->text);
	for (const char *s = in->text; s < text_end;) {
		char *end = NULL;
		bool begins = strncmp(s, "0x", 2) == 0 && (s == in->text || !isalnum((unsigned char)s[-1]));
		uint64_t number = begins ? strtoull(s, &end, 16) : 0;
		if (begins && is_address(code, in, number, end, of_page)) {
			b->n -= b->n && b->data[b->n - 1] == '-'; /* the sign of an offset may differ between builds */
			strbuf_add(b, "@");
			s = end;
		} else if (!registers && register_length(in->text, s)) {
			strbuf_add(b, "%");
			s += register_length(in->text, s);
		} else {
			strbuf_add_bytes(b, s++, 1);
		}
	}
	if (name && !strstr(name, "+0x"))
		strbuf_add(b, name);
}

/* Returns an array with a hash of each instruction; equal instructions have equal hashes.  `registers`: instructions
 * with different registers are not equal.  The caller frees the array. */
static uint64_t *keys_create(const struct code_build *of, bool registers, uint64_t seed)
{
	uint64_t *keys = mem_calloc(of->in->n + 1, sizeof(*keys));
	struct strbuf b = {0};
	bool of_page = false;
	for (size_t i = 0; i < of->in->n; i++) {
		const struct instruction *in = &of->in->v[i];
		bool adr = strncmp(in->text, "adr", 3) == 0;
		b.n = 0;
		if (in->text[0])
			normalise(of->code, in, adr || of_page, registers, &b);
		else
			strbuf_add_bytes(&b, (const char *)of->code->bytes + (in->addr - of->code->addr), in->size);
		of_page = strncmp(in->text, "adrp", 4) == 0;
		keys[i] = hash_bytes(b.data, b.n, seed);
	}
	strbuf_deinit(&b);
	return keys;
}

/* ---- pairing equal instructions ------------------------------------------------------------------------ */

/* Instructions [from, to) of each build, which are paired only with each other. */
struct range {
	size_t from[CODE_BUILDS], to[CODE_BUILDS];
	unsigned depth;
};
struct place {
	uint64_t hash;
	size_t at;
};
struct anchor {
	size_t at[CODE_BUILDS];
};
struct pairing {
	uint64_t *keys[CODE_BUILDS];
	size_t *mate; /* [instruction of CODE_BEFORE]: index of its pair in CODE_AFTER; SIZE_MAX: none */
	VEC(struct range) todo;
	uint16_t *lengths; /* matrix of pair_table(); NULL: not needed yet */
};

enum { TABLE_EDGE = 1024, DEPTH_MOST = 8 };

static size_t length_of(const struct range *r, enum code_side side)
{
	return r->to[side] - r->from[side];
}

/* Pairs equal instructions at both ends of a range, and removes them from the range. */
static void trim(struct pairing *p, struct range *r)
{
	const uint64_t *a = p->keys[CODE_BEFORE], *b = p->keys[CODE_AFTER];
	while (length_of(r, CODE_BEFORE) && length_of(r, CODE_AFTER) && a[r->from[0]] == b[r->from[1]])
		p->mate[r->from[0]++] = r->from[1]++;
	while (length_of(r, CODE_BEFORE) && length_of(r, CODE_AFTER) && a[r->to[0] - 1] == b[r->to[1] - 1])
		p->mate[--r->to[0]] = --r->to[1];
}

static int by_hash(const void *va, const void *vb)
{
	const struct place *a = va, *b = vb;
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

static int by_before(const void *va, const void *vb)
{
	const struct anchor *a = va, *b = vb;
	return (a->at[CODE_BEFORE] > b->at[CODE_BEFORE]) - (a->at[CODE_BEFORE] < b->at[CODE_BEFORE]);
}

/* Lists all runs of `run` successive instructions of a range, sorted by hash; the caller frees the array. */
static struct place *places_of_runs(const struct pairing *p, const struct range *r, enum code_side side, size_t run,
				    size_t *n_ret)
{
	size_t n = length_of(r, side) < run ? 0 : length_of(r, side) - run + 1;
	struct place *v = mem_calloc(n + 1, sizeof(*v));
	for (size_t i = 0; i < n; i++) {
		size_t at = r->from[side] + i;
		v[i] = (struct place){hash_bytes(&p->keys[side][at], run * sizeof(uint64_t), 0), at};
	}
	qsort(v, n, sizeof(*v), by_hash);
	*n_ret = n;
	return v;
}

static bool is_alone(const struct place *v, size_t n, size_t i)
{
	return (!i || v[i - 1].hash != v[i].hash) && (i + 1 == n || v[i + 1].hash != v[i].hash);
}

/* Finds anchors: runs of `run` instructions that occur exactly once in each build. Returns their number; the caller
 * frees *ret. */
static size_t find_anchors(const struct pairing *p, const struct range *r, size_t run, struct anchor **ret)
{
	size_t n[CODE_BUILDS], found = 0;
	struct place *v[CODE_BUILDS];
	for (enum code_side side = 0; side < CODE_BUILDS; side++)
		v[side] = places_of_runs(p, r, side, run, &n[side]);
	*ret = mem_calloc((n[0] < n[1] ? n[0] : n[1]) + 1, sizeof(**ret));
	for (size_t i = 0, k = 0; i < n[0]; i++) {
		while (k < n[1] && v[1][k].hash < v[0][i].hash)
			k++;
		if (k < n[1] && v[1][k].hash == v[0][i].hash && is_alone(v[0], n[0], i) && is_alone(v[1], n[1], k))
			(*ret)[found++] = (struct anchor){{v[0][i].at, v[1][k].at}};
	}
	free(v[0]);
	free(v[1]);
	qsort(*ret, found, sizeof(**ret), by_before);
	return found;
}

/* Keeps the longest subset of anchors that has the same order in both builds, by patience sorting.  Returns its
 * size. */
static size_t keep_ordered(struct anchor *v, size_t n)
{
	size_t *top = mem_calloc(n + 1, sizeof(*top)), *under = mem_calloc(n + 1, sizeof(*under)), piles = 0;
	struct anchor *kept = mem_calloc(n + 1, sizeof(*kept));
	for (size_t i = 0; i < n; i++) {
		size_t low = 0, high = piles;
		while (low < high) {
			size_t mid = low + (high - low) / 2;
			if (v[top[mid]].at[CODE_AFTER] < v[i].at[CODE_AFTER])
				low = mid + 1;
			else
				high = mid;
		}
		under[i] = low ? top[low - 1] : SIZE_MAX;
		top[low] = i;
		piles += low == piles;
	}
	for (size_t i = piles, at = piles ? top[piles - 1] : 0; i > 0; i--, at = under[at])
		kept[i - 1] = v[at];
	memcpy(v, kept, piles * sizeof(*v));
	free(top);
	free(under);
	free(kept);
	return piles;
}

/* Pairs the anchors of a range, and queues the ranges between them.  Returns false if the range has no anchor. */
static bool divide(struct pairing *p, const struct range *r)
{
	static const size_t runs[] = {16, 4, 1};
	size_t n = 0;
	for (size_t k = 0; k < ARRAY_LEN(runs) && !n; k++) {
		struct anchor *v;
		struct range part = {.from = {r->from[0], r->from[1]}, .depth = r->depth + 1};
		n = find_anchors(p, r, runs[k], &v);
		n = keep_ordered(v, n);
		for (size_t i = 0; i < n; i++) {
			p->mate[v[i].at[CODE_BEFORE]] = v[i].at[CODE_AFTER];
			memcpy(part.to, v[i].at, sizeof(part.to));
			vec_push(&p->todo) = part;
			for (enum code_side side = 0; side < CODE_BUILDS; side++)
				part.from[side] = v[i].at[side] + 1;
		}
		memcpy(part.to, r->to, sizeof(part.to));
		if (n)
			vec_push(&p->todo) = part;
		free(v);
	}
	return n > 0;
}

/* Pairs the instructions of a range by longest common subsequence.  The product of the range's lengths must be at most
 * TABLE_EDGE * TABLE_EDGE. */
static void pair_table(struct pairing *p, const struct range *r)
{
	size_t n = length_of(r, CODE_BEFORE), m = length_of(r, CODE_AFTER), width = m + 1;
	const uint64_t *a = p->keys[CODE_BEFORE] + r->from[0], *b = p->keys[CODE_AFTER] + r->from[1];
	if (!p->lengths) /* [i * width + k]: length of the common subsequence from (i, k) on */
		p->lengths = mem_calloc((size_t)(TABLE_EDGE + 1) * (TABLE_EDGE + 1) * 2, sizeof(*p->lengths));
	memset(p->lengths + n * width, 0, width * sizeof(*p->lengths));
	for (size_t i = n; i-- > 0;) {
		uint16_t *row = p->lengths + i * width, *below = row + width;
		row[m] = 0;
		for (size_t k = m; k-- > 0;) {
			uint16_t most = below[k] > row[k + 1] ? below[k] : row[k + 1];
			row[k] = a[i] == b[k] ? (uint16_t)(below[k + 1] + 1) : most;
		}
	}
	for (size_t i = 0, k = 0; i < n && k < m;) {
		if (a[i] == b[k])
			p->mate[r->from[0] + i++] = r->from[1] + k++;
		else if (p->lengths[(i + 1) * width + k] >= p->lengths[i * width + k + 1])
			i++;
		else
			k++;
	}
}

/* Pairs the instructions of a range without anchors: cuts the range into pieces that pair_table() can handle, to bound
 * time and memory. */
static void pair_pieces(struct pairing *p, const struct range *r)
{
	size_t n = length_of(r, CODE_BEFORE), m = length_of(r, CODE_AFTER), longer = n > m ? n : m;
	size_t pieces = n * m <= (size_t)TABLE_EDGE * TABLE_EDGE ? 1 : (longer + TABLE_EDGE - 1) / TABLE_EDGE;
	for (size_t i = 0; i < pieces; i++) {
		struct range piece = {
			.from = {r->from[0] + n * i / pieces, r->from[1] + m * i / pieces},
			.to = {r->from[0] + n * (i + 1) / pieces, r->from[1] + m * (i + 1) / pieces},
		};
		pair_table(p, &piece);
	}
}

/* Lists the pairs and, between them, the instructions that only one build has: those of CODE_BEFORE come first. */
static void list_rows(const struct pairing *p, const bool *alike, const size_t n[CODE_BUILDS], struct code_pairs *ret)
{
	size_t i = 0, k = 0;
	ret->rows = mem_calloc(n[0] + n[1] + 1, sizeof(*ret->rows));
	while (i < n[0] || k < n[1]) {
		if (i < n[0] && p->mate[i] == SIZE_MAX) {
			ret->rows[ret->n++] = (struct code_pair){.at = {i++, SIZE_MAX}};
		} else if (i < n[0] && p->mate[i] == k) {
			ret->rows[ret->n++] = (struct code_pair){.at = {i, k++}, .alike = alike[i]};
			ret->paired++;
			ret->alike += alike[i++];
		} else {
			ret->rows[ret->n++] = (struct code_pair){.at = {SIZE_MAX, k++}};
		}
	}
}

/* Pairs the instructions in the queued ranges.  `registers`: equal instructions have equal registers. */
static void pair_ranges(struct pairing *p, const struct code_build builds[CODE_BUILDS], bool registers)
{
	uint64_t seed = hash_seed();
	for (enum code_side side = 0; side < CODE_BUILDS; side++)
		p->keys[side] = keys_create(&builds[side], registers, seed);
	while (p->todo.n) {
		struct range r = p->todo.data[--p->todo.n];
		trim(p, &r);
		if (!length_of(&r, CODE_BEFORE) || !length_of(&r, CODE_AFTER))
			continue;
		if (r.depth >= DEPTH_MOST || !divide(p, &r))
			pair_pieces(p, &r);
	}
	for (enum code_side side = 0; side < CODE_BUILDS; side++)
		free(p->keys[side]);
}

/* Queues the ranges between pairs, in which instructions may still be paired. */
static void find_gaps(struct pairing *p, const size_t n[CODE_BUILDS])
{
	struct range gap = {.depth = 0};
	for (size_t i = 0; i < n[CODE_BEFORE]; i++) {
		if (p->mate[i] == SIZE_MAX)
			continue;
		memcpy(gap.to, (size_t[]){i, p->mate[i]}, sizeof(gap.to));
		vec_push(&p->todo) = gap;
		memcpy(gap.from, (size_t[]){i + 1, p->mate[i] + 1}, sizeof(gap.from));
	}
	memcpy(gap.to, n, sizeof(gap.to));
	vec_push(&p->todo) = gap;
}

void code_pairs_create(const struct code_build builds[CODE_BUILDS], struct code_pairs *ret)
{
	const size_t n[CODE_BUILDS] = {builds[CODE_BEFORE].in->n, builds[CODE_AFTER].in->n};
	struct pairing p = {.mate = mem_calloc(n[0] + 1, sizeof(*p.mate))};
	bool *alike = mem_calloc(n[0] + 1, sizeof(*alike));
	memset(p.mate, 0xff, n[0] * sizeof(*p.mate));
	vec_push(&p.todo) = (struct range){.to = {n[0], n[1]}};
	pair_ranges(&p, builds, true);
	for (size_t i = 0; i < n[0]; i++)
		alike[i] = p.mate[i] == SIZE_MAX;
	find_gaps(&p, n);
	pair_ranges(&p, builds, false);
	*ret = (struct code_pairs){.rows = NULL};
	list_rows(&p, alike, n, ret);
	vec_free(&p.todo);
	free(p.lengths);
	free(p.mate);
	free(alike);
}

void code_pairs_deinit(struct code_pairs *p)
{
	free(p->rows);
	*p = (struct code_pairs){.rows = NULL};
}

char code_pair_mark(const struct code_pair *p)
{
	return p->at[CODE_AFTER] == SIZE_MAX ? '-' : p->at[CODE_BEFORE] == SIZE_MAX ? '+' : p->alike ? '~' : ' ';
}
