/* Formats numbers for people, and parses them: fixed width, a decimal point in every locale. */
#ifndef BASE_FMT_H
#define BASE_FMT_H

#include <cyctop/base.h>

/* 0 .. 9999, 10.0k, 123k, 1.23M, 45.6G: at most five characters; "inf" beyond the prefix E
 * (10^18). */
void fmt_si(char *buf, size_t cap, double v);
/* 1:02, 1:02:03, 2d 3h: a duration. */
void fmt_duration(char *buf, size_t cap, uint64_t ns);
/* 2026-11-23T09:30:00.250Z: nanoseconds since 1970, in UTC. */
void fmt_utc(char *buf, size_t cap, uint64_t ns);
/* printf("%.*f") with a decimal point in every locale. */
void fmt_fixed(char *buf, size_t cap, double v, int decimals);
/* 1,048,576 or 0.1: all digits, with a comma between thousands and at most four decimals. */
void fmt_grouped(char *buf, size_t cap, double v);
/* The shortest decimal text that parses back to `v`; for CSV and tests. */
void fmt_exact(char *buf, size_t cap, double v);

/* Parses a decimal number at *s and moves *s past it.  false: there is no number, or it does
 * not fit into 64 bits; *s does not move. */
bool text_u64(const char **s, uint64_t *ret);

#endif
