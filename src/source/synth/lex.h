/* Splits lines of a script into words, and parses values.  The parser adds the line's number to errors. */
#ifndef SOURCE_SYNTH_LEX_H
#define SOURCE_SYNTH_LEX_H

#include <cyctop/base.h>

#define LINE_BYTES_MAX 65536
#define LINE_WORDS_MAX 64

/* One word of a line: `text` or `key=text`, without quotes and escapes. */
struct word {
	char *key; /* part before the =; NULL: there is no = */
	char *text;
	bool quoted; /* `text` had quotes */
};

struct line {
	char buf[LINE_BYTES_MAX];
	struct word words[LINE_WORDS_MAX];
	size_t n;
};

/* Splits a line into words.  A `#` at the start of a word begins a comment, which is dropped. */
CYC_MUST_CHECK int lex_line(struct line *ret, const char *text, size_t len, struct error *err);

/* Parses a number: 12, 0x1f, 1.5k, 3M, 2G, 64Ki, 1Mi. */
CYC_MUST_CHECK int lex_count(const char *s, uint64_t *ret, struct error *err);
/* Parses a time into ns: 10ns, 5us, 1.5ms, 2s, 0. */
CYC_MUST_CHECK int lex_time(const char *s, uint64_t *ret, struct error *err);
/* Parses a percentage up to 100 %, such as "12.5%", into parts per million. */
CYC_MUST_CHECK int lex_part(const char *s, uint64_t *ret, struct error *err);
/* Parses a ratio, such as 1.25, into millionths. */
CYC_MUST_CHECK int lex_ratio(const char *s, uint64_t *ret, struct error *err);
/* Parses a range of CPUs: 3, 0-7, or `*`, which is 0 to limit - 1. */
CYC_MUST_CHECK int lex_range(const char *s, uint32_t limit, uint32_t *first, uint32_t *last, struct error *err);
/* Parses PID or PID:TID; without a TID, *tid = *pid. */
CYC_MUST_CHECK int lex_task(const char *s, uint32_t *pid, uint32_t *tid, struct error *err);
/* Converts hex digits, such as "00ff1e", to bytes, which replace the digits in `s`.  *n_ret: number of bytes. */
CYC_MUST_CHECK int lex_hex(char *s, size_t *n_ret, struct error *err);

#endif
