/* Sorts the facts of an interval by context, task, event and CPU.  Tables that do not tell CPUs apart then read
 * neighbours as one fact, and two intervals can be joined in one pass. */
#include "model/history.h"

#include <stdlib.h>

static int compare_keys(const struct fact_key *a, const struct fact_key *b)
{
	if (a->ctx != b->ctx)
		return a->ctx < b->ctx ? -1 : 1;
	if (a->task != b->task)
		return a->task < b->task ? -1 : 1;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

/* A fact's key as two numbers, which are compared in this order, and the fact's index. */
struct placed {
	uint64_t who;	/* context and task */
	uint32_t where; /* event and CPU */
	uint32_t at;	/* index of the fact */
};

enum { DIGITS = 12, DIGIT = 256 };

/* Returns a digit of a key, 0 to 255; digit 0 is the least significant. */
static inline uint8_t digit_of(const struct placed *p, unsigned digit)
{
	return (uint8_t)(digit < 4 ? p->where >> 8 * digit : p->who >> 8 * (digit - 4));
}

/* Sorts keys by one digit; keys with the same digit stay in their order. */
static void sort_by_digit(const struct placed *from, size_t n, unsigned digit, struct placed *to)
{
	uint32_t next[DIGIT] = {0}, at = 0; /* next: number of keys with a digit, later the place of the next one */
	for (size_t i = 0; i < n; i++)
		next[digit_of(&from[i], digit)]++;
	for (unsigned v = 0; v < DIGIT; v++) {
		uint32_t count = next[v];
		next[v] = at;
		at += count;
	}
	for (size_t i = 0; i < n; i++)
		to[next[digit_of(&from[i], digit)]++] = from[i];
}

/* Returns the sorted keys, each with the index of its fact; the caller frees them.  A radix sort that skips digits
 * which are the same in all keys, as most are: it takes a fraction of the time of qsort(). */
static struct placed *find_order(const struct interval *iv)
{
	size_t n = iv->facts_n;
	struct placed *ret = mem_calloc(n, sizeof(*ret)), *other = mem_calloc(n, sizeof(*other)), differs = {0};
	for (uint32_t i = 0; i < n; i++) {
		struct fact_key key = iv->facts[i].key;
		ret[i] = (struct placed){.who = (uint64_t)key.ctx << 32 | key.task,
					 .where = (uint32_t)key.event << 16 | key.cpu,
					 .at = i};
		differs.who |= ret[i].who ^ ret[0].who;
		differs.where |= ret[i].where ^ ret[0].where;
	}
	for (unsigned d = 0; d < DIGITS; d++) {
		if (!digit_of(&differs, d))
			continue;
		sort_by_digit(ret, n, d, other);
		struct placed *sorted = other;
		other = ret;
		ret = sorted;
	}
	free(other);
	return ret;
}

/* ---- joining sorted facts with the same key ---------------------------------------------------------- */

/* Allocates memory in `to` for the facts of `a` and `b`; `b` may be NULL. */
static void facts_begin(struct interval *to, const struct interval *a, const struct interval *b)
{
	size_t most = a->facts_n + (b ? b->facts_n : 0);
	to->facts_n = 0;
	to->facts = mem_calloc(most, sizeof(*to->facts));
	to->extra = columns_make(&a->extra, b ? &b->extra : &a->extra, most);
}

static inline void facts_append(struct interval *to, const struct interval *from, size_t at)
{
	const struct fact *f = &from->facts[at];
	size_t n = to->facts_n;
	if (n && compare_keys(&to->facts[n - 1].key, &f->key) == 0) {
		fact_add_closed(&to->facts[n - 1], f);
		columns_add(&to->extra, n - 1, &from->extra, at);
		return;
	}
	to->facts[n] = *f;
	columns_set(&to->extra, n, &from->extra, at);
	to->facts_n++;
}

/* Replaces the facts of `iv` by `facts`. */
static void facts_end(struct interval *iv, struct interval *facts)
{
	free(iv->facts);
	columns_free(&iv->extra);
	iv->facts_n = facts->facts_n;
	iv->facts = mem_realloc(facts->facts, facts->facts_n, sizeof(*iv->facts));
	iv->extra = facts->extra;
	columns_resize(&iv->extra, iv->facts_n);
	iv->ordered = true;
}

void interval_order(struct interval *iv)
{
	struct interval to;
	if (iv->ordered)
		return;
	struct placed *order = find_order(iv);
	facts_begin(&to, iv, NULL);
	for (size_t i = 0; i < iv->facts_n; i++)
		facts_append(&to, iv, order[i].at);
	free(order);
	facts_end(iv, &to);
}

void interval_join(struct interval *iv, struct interval *next, const struct model_config *config)
{
	struct interval to;
	interval_order(iv);
	interval_order(next);
	account_add(&iv->account, &next->account, config);
	facts_begin(&to, iv, next);
	for (size_t a = 0, b = 0; a < iv->facts_n || b < next->facts_n;) {
		bool first = b == next->facts_n ||
			     (a < iv->facts_n && compare_keys(&iv->facts[a].key, &next->facts[b].key) <= 0);
		if (first)
			facts_append(&to, iv, a++);
		else
			facts_append(&to, next, b++);
	}
	facts_end(iv, &to);
	iv->refreshes += next->refreshes;
	interval_destroy(next);
}
