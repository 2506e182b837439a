/* Names of the kernel's generic cache events, in all of perf's spellings: CACHE[-OPERATION][-RESULT], where OPERATION
 * and RESULT may be swapped. */
#include "event/internal.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_MAX = 6 };

static const char *const caches[][NAMES_MAX] = {
	{"L1-dcache", "l1-d", "l1d", "L1-data"},
	{"L1-icache", "l1-i", "l1i", "L1-instruction"},
	{"LLC", "L2"},
	{"dTLB", "d-tlb", "Data-TLB"},
	{"iTLB", "i-tlb", "Instruction-TLB"},
	{"branch", "branches", "bpu", "btb", "bpc"},
	{"node"},
};
static const char *const operations[][NAMES_MAX] = {
	{"load", "loads", "read"},
	{"store", "stores", "write"},
	{"prefetch", "prefetches", "speculative-read", "speculative-load"},
};
static const char *const results[][NAMES_MAX] = {{"refs", "Reference", "ops", "access"}, {"misses", "miss"}};

/* Returns true if perf defines the operation for this kind of cache: the branch unit and the instruction TLB have only
 * loads, the instruction cache has no stores. */
static bool exists(size_t cache, size_t operation)
{
	enum { L1I = 1, ITLB = 4, BRANCH = 5 };
	enum { LOAD, STORE, PREFETCH };
	if (cache == ITLB || cache == BRANCH)
		return operation == LOAD;
	return cache != L1I || operation != STORE;
}

/* Removes from the beginning of `text` the longest name in `rows` that is followed by a dash or the end, and the dash.
 * Returns the index of the row that has the name; SIZE_MAX if no name matches. */
static size_t take(struct event_text *text, const char *const (*rows)[NAMES_MAX], size_t rows_n)
{
	size_t found = SIZE_MAX, longest = 0;
	for (size_t row = 0; row < rows_n; row++)
		for (size_t i = 0; i < NAMES_MAX && rows[row][i]; i++) {
			size_t n = strlen(rows[row][i]);
			bool ends = n == text->n || (n < text->n && text->s[n] == '-');
			if (ends && n > longest && event_text_is((struct event_text){text->s, n}, rows[row][i])) {
				found = row;
				longest = n;
			}
		}
	if (longest < text->n && found != SIZE_MAX)
		longest++;
	*text = (struct event_text){text->s + longest, text->n - longest};
	return found;
}

void event_each_cache(void (*fn)(void *ctx, const char *name), void *ctx)
{
	char name[64];
	for (size_t cache = 0; cache < ARRAY_LEN(caches); cache++)
		for (size_t operation = 0; operation < ARRAY_LEN(operations); operation++)
			for (size_t miss = 0; miss < ARRAY_LEN(results) && exists(cache, operation); miss++) {
				snprintf(name, sizeof(name), "%s-%s%s", caches[cache][0], operations[operation][!miss],
					 miss ? "-misses" : "");
				fn(ctx, name);
			}
}

bool event_parse_cache(struct event_text name, struct event_spec *ret)
{
	size_t cache = take(&name, caches, ARRAY_LEN(caches)), operation = SIZE_MAX, result = SIZE_MAX;
	if (cache == SIZE_MAX)
		return false;
	for (int i = 0; i < 2 && name.n; i++) {
		size_t is = operation == SIZE_MAX ? take(&name, operations, ARRAY_LEN(operations)) : SIZE_MAX;
		if (is != SIZE_MAX)
			operation = is;
		else if (result == SIZE_MAX)
			result = take(&name, results, ARRAY_LEN(results));
	}
	operation = operation == SIZE_MAX ? 0 : operation;
	result = result == SIZE_MAX ? 0 : result;
	if (name.n || !exists(cache, operation))
		return false;
	ret->type = ABI_TYPE_HW_CACHE;
	ret->config = cache | operation << 8 | result << 16;
	return true;
}
