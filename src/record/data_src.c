/* Describes memory accesses (PERF_SAMPLE_DATA_SRC) in perf's words: "L1 hit". */
#include <cyctop/record.h>

#include <stdio.h>

#define PART(part, name, shift, bits, ...)                                                                             \
	[part] = {name, shift, bits, ARRAY_LEN(((const struct data_src_name[]){__VA_ARGS__})),                         \
		  (const struct data_src_name[]){__VA_ARGS__}}

const struct data_src_row data_src_rows[DATA_SRC_PARTS] = {
	PART(DATA_SRC_OP, "op", 0, 5, {"NA", NULL}, {"LOAD", "LOAD"}, {"STORE", "STORE"}, {"PREFETCH", "PFETCH"},
	     {"EXEC", "EXEC"}),
	PART(DATA_SRC_LVL, "lvl", 5, 14, {"NA", NULL}, {"HIT", NULL}, {"MISS", NULL}, {"L1", "L1"}, {"LFB", "LFB/MAB"},
	     {"L2", "L2"}, {"L3", "L3"}, {"LOC_RAM", "Local RAM"}, {"REM_RAM1", "Remote RAM (1 hop)"},
	     {"REM_RAM2", "Remote RAM (2 hops)"}, {"REM_CACHE1", "Remote Cache (1 hop)"},
	     {"REM_CACHE2", "Remote Cache (2 hops)"}, {"IO", "I/O"}, {"UNCACHED", "Uncached"}),
	PART(DATA_SRC_SNOOP, "snoop", 19, 5, {"NA", NULL}, {"NONE", "None"}, {"HIT", "Hit"}, {"MISS", "Miss"},
	     {"HITM", "HitM"}),
	PART(DATA_SRC_LOCK, "lock", 24, 2, {"NA", NULL}, {"LOCKED", "Yes"}),
	PART(DATA_SRC_TLB, "tlb", 26, 7, {"NA", NULL}, {"HIT", NULL}, {"MISS", NULL}, {"L1", "L1"}, {"L2", "L2"},
	     {"WALKER", "Walker"}, {"OS", "Fault"}),
	PART(DATA_SRC_LVL_NUM, "lvl_num", 33, 4, {NULL, NULL}, {"L1", "L1"}, {"L2", "L2"}, {"L3", "L3"}, {"L4", "L4"},
	     {"L2_MHB", "L2 MHB"}, {"MSC", "Memory-side Cache"}, {"L0", "L0"}, {"UNCACHED", "Uncached"}, {"CXL", "CXL"},
	     {"IO", "I/O"}, {"ANY_CACHE", "Any cache"}, {"LFB", "LFB/MAB"}, {"RAM", "RAM"}, {"PMEM", "PMEM"},
	     {"NA", NULL}),
	PART(DATA_SRC_REMOTE, "remote", 37, 1, {NULL, NULL}, {"REMOTE", "Remote"}),
	PART(DATA_SRC_SNOOPX, "snoopx", 38, 2, {"FWD", "Fwd"}, {"PEER", "Peer"}),
	PART(DATA_SRC_BLK, "blk", 40, 3, {"NA", NULL}, {"DATA", "Data"}, {"ADDR", "Addr"}),
	PART(DATA_SRC_HOPS, "hops", 43, 3, {NULL, NULL}, {NULL, "core, same node"}, {NULL, "node, same socket"},
	     {NULL, "socket, same board"}, {NULL, "board"}),
};

/* A text that grows word by word; what does not fit into `text` is cut off. */
struct words {
	char *text;
	size_t cap, n;
};

static void add_word(struct words *w, const char *between, const char *word)
{
	size_t left = w->cap - w->n;
	int n = snprintf(w->text + w->n, left, "%s%s", w->n ? between : "", word);
	w->n += (size_t)n < left ? (size_t)n : left - 1;
}

/* Adds a word for each bit that is set in one part of `src`, with `between` before each word but the text's first. */
static void add_set(struct words *w, enum data_src_part part, const char *between, uint64_t src)
{
	const struct data_src_row *row = &data_src_rows[part];
	uint64_t bits = data_src_bits(src, part);
	for (size_t i = 0; i < row->names_n; i++)
		if (bits >> i & 1 && row->names[i].word)
			add_word(w, between, row->names[i].word);
}

/* Adds the word of the number in one part of `src`, if this number has a word. */
static void add_number(struct words *w, enum data_src_part part, uint64_t src)
{
	const struct data_src_row *row = &data_src_rows[part];
	uint64_t value = data_src_bits(src, part);
	if (value < row->names_n && row->names[value].word)
		add_word(w, " ", row->names[value].word);
}

/* Adds the cache level: from the field lvl_num if the CPU sets it, otherwise from the older bits (lvl). */
static void add_level(struct words *w, uint64_t src)
{
	enum { NUMBER_NA = 15, HIT = 1 << 1, MISS = 1 << 2 };
	uint64_t number = data_src_bits(src, DATA_SRC_LVL_NUM), bits = data_src_bits(src, DATA_SRC_LVL);
	if (number && number != NUMBER_NA) {
		add_number(w, DATA_SRC_REMOTE, src);
		add_number(w, DATA_SRC_HOPS, src);
		add_number(w, DATA_SRC_LVL_NUM, src);
	} else {
		add_set(w, DATA_SRC_LVL, " or ", src);
	}
	if (w->n && bits & (HIT | MISS))
		add_word(w, " ", bits & HIT ? "hit" : "miss");
}

static void add_tlb(struct words *w, uint64_t src)
{
	enum { HIT = 1 << 1, MISS = 1 << 2 };
	uint64_t bits = data_src_bits(src, DATA_SRC_TLB);
	add_set(w, DATA_SRC_TLB, " or ", src);
	if (w->n && bits & (HIT | MISS))
		add_word(w, " ", bits & HIT ? "hit" : "miss");
}

void data_src_text(uint64_t src, enum data_src_what what, char *ret, size_t cap)
{
	struct words w = {ret, cap, 0};
	*ret = '\0';
	switch (what) {
	case DATA_SRC_IS_OP:
		add_set(&w, DATA_SRC_OP, " or ", src);
		break;
	case DATA_SRC_IS_LEVEL:
		add_level(&w, src);
		break;
	case DATA_SRC_IS_SNOOP:
		add_set(&w, DATA_SRC_SNOOP, " or ", src);
		add_set(&w, DATA_SRC_SNOOPX, " or ", src);
		break;
	case DATA_SRC_IS_TLB:
		add_tlb(&w, src);
		break;
	case DATA_SRC_IS_LOCKED:
		if (!data_src_bits(src, DATA_SRC_LOCK))
			add_word(&w, "", "No");
		add_set(&w, DATA_SRC_LOCK, "", src);
		break;
	case DATA_SRC_IS_BLOCKED:
		add_set(&w, DATA_SRC_BLK, " ", src);
	}
	if (!w.n)
		add_word(&w, "", "N/A");
}
