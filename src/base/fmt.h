/* Numbers for people: fixed width, decimal point in every locale; and from them. */
#ifndef BASE_FMT_H
#define BASE_FMT_H

#include <cyctop/base.h>

/* 0 .. 9999, 10.0k, 123k, 1.23M, 45.6G: at most five characters; "inf" above E. */
void fmt_si(char *buf, size_t cap, double v);
/* 1:02, 1:02:03, 2d 3h: a duration. */
void fmt_duration(char *buf, size_t cap, uint64_t ns);
/* printf("%.*f") with a point, whatever the locale. */
void fmt_fixed(char *buf, size_t cap, double v, int decimals);
/* The shortest decimal that reads back as `v`; for CSV and tests. */
void fmt_exact(char *buf, size_t cap, double v);

/* Parses a decimal number at *s and moves *s behind it; false, and *s stays,
 * where there is none or it does not fit. */
bool text_u64(const char **s, uint64_t *ret);

#endif
