/* Formats numbers for people, with a decimal point in every locale, and parses numbers. */
#ifndef BASE_FMT_H
#define BASE_FMT_H

#include <cyctop/base.h>

/* Formats a number with a prefix, in at most five characters: 0 .. 9999, 10.0k, 123k, 1.23M, 45.6G; "inf" beyond the
 * prefix E (10^18). */
void fmt_si(char *buf, size_t cap, double v);
/* Formats a duration: 1:02, 1:02:03, 2d 3h. */
void fmt_duration(char *buf, size_t cap, uint64_t ns);
/* Formats nanoseconds since 1970 as a time in UTC: 2026-11-23T09:30:00.250Z. */
void fmt_utc(char *buf, size_t cap, uint64_t ns);
/* Formats as printf("%.*f"), with a decimal point in every locale. */
void fmt_fixed(char *buf, size_t cap, double v, int decimals);
/* Formats with a comma between thousands and at most four decimals: 1,048,576 or 0.1. */
void fmt_grouped(char *buf, size_t cap, double v);
/* Formats the shortest decimal text that parses back to `v`; for CSV and tests. */
void fmt_exact(char *buf, size_t cap, double v);

/* Parses a decimal number at *s and moves *s past it.  Returns false, and does not move *s, if there is no number or
 * it does not fit into 64 bits. */
bool text_u64(const char **s, uint64_t *ret);

#endif
