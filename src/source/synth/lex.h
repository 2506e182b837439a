/* Lines, words and values of a script.  Every function that can refuse its input
 * says why in *err, without the place: the parser puts that in front. */
#ifndef SOURCE_SYNTH_LEX_H
#define SOURCE_SYNTH_LEX_H

#include <cyctop/base.h>

#define LINE_BYTES_MAX 65536
#define LINE_WORDS_MAX 64

/* One word: `text`, or `key=text`.  Quotes are gone, escapes resolved. */
struct word {
	char *key; /* NULL: a bare word */
	char *text;
	bool quoted;
};

struct line {
	char buf[LINE_BYTES_MAX];
	struct word words[LINE_WORDS_MAX];
	size_t n;
};

/* Splits one line; `#` at the start of a word begins a comment. */
CYC_MUST_CHECK int lex_line(struct line *ret, const char *text, size_t len, struct error *err);

/* 12, 0x1f, 1.5k, 3M, 2G, 64Ki, 1Mi */
CYC_MUST_CHECK int lex_count(const char *s, uint64_t *ret, struct error *err);
/* 10ns, 5us, 1.5ms, 2s, 0 */
CYC_MUST_CHECK int lex_time(const char *s, uint64_t *ret, struct error *err);
/* 12.5% as parts per million; at most 100 % */
CYC_MUST_CHECK int lex_part(const char *s, uint64_t *ret, struct error *err);
/* 1.25 in millionths */
CYC_MUST_CHECK int lex_ratio(const char *s, uint64_t *ret, struct error *err);
/* 3, 0-7; `*` is 0 .. limit - 1 */
CYC_MUST_CHECK int lex_range(const char *s, uint32_t limit, uint32_t *first, uint32_t *last, struct error *err);
/* 100, 100:101; tid = pid where there is none */
CYC_MUST_CHECK int lex_task(const char *s, uint32_t *pid, uint32_t *tid, struct error *err);
/* "00ff1e" in place: the bytes overwrite the digits. */
CYC_MUST_CHECK int lex_hex(char *s, size_t *n_ret, struct error *err);

#endif
