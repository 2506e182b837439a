/* Parses the words of perf record -j, which select the branches that a branch stack contains. */
#include <cyctop/event.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Bits of attr.branch_sample_type.  FILTERS are the bits that select kinds of branches; if none is set, ANY is
 * added. */
enum {
	USER = 1u << 0,
	KERNEL = 1u << 1,
	HV = 1u << 2,
	ANY = 1u << 3,
	FILTERS = (1u << 14) - 1 - (USER | KERNEL | HV | BRANCH_CALL_STACK),
};
static const struct {
	const char *word;
	uint64_t bit;
} words[] = {
	{"any", ANY},	       {"u", USER},
	{"k", KERNEL},	       {"hv", HV},
	{"any_call", 1u << 4}, {"any_ret", 1u << 5},
	{"ind_call", 1u << 6}, {"abort_tx", 1u << 7},
	{"in_tx", 1u << 8},    {"no_tx", 1u << 9},
	{"cond", 1u << 10},    {"ind_jmp", 1u << 12},
	{"call", 1u << 13},    {"save_type", 1u << 16},
	{"priv", 1u << 18},    {"counter", BRANCH_COUNTERS},
};

static int refuse(const char *word, size_t n, struct error *err)
{
	char all[160] = "";
	size_t at = 0;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		at += (size_t)snprintf(all + at, sizeof(all) - at, "%s%s", at ? ", " : "", words[i].word);
	return error_set(err, EINVAL, "-j: '%.*s' is none of %s", (int)(n < 40 ? n : 40), word, all);
}

int event_branch_filter(const char *list, uint64_t *ret, struct error *err)
{
	uint64_t bits = 0;
	for (const char *p = list;; p++) {
		size_t n = strcspn(p, ","), i = 0;
		while (i < ARRAY_LEN(words) && (strncmp(words[i].word, p, n) != 0 || words[i].word[n]))
			i++;
		if (i == ARRAY_LEN(words))
			return refuse(p, n, err);
		bits |= words[i].bit;
		p += n;
		if (!*p)
			break;
	}
	*ret = bits & FILTERS ? bits : bits | ANY;
	return 0;
}
