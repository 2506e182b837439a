#include "base/fmt.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Makes the decimal point of a printed number a '.': printf() takes it from LC_NUMERIC, which cyctop never sets, but
 * a library or a test might. */
static void point(char *buf)
{
	char *comma = strchr(buf, ',');
	if (comma)
		*comma = '.';
}

/* Prints `v` with the same digits as printf(), which would take most of the time of a report of 10^5 rows.  Returns
 * false if `v` is negative or too large, has more than 3 decimals, or may not fit into `cap` bytes. */
static bool put_fixed(char *buf, size_t cap, double v, int decimals)
{
	static const unsigned power[] = {1, 10, 100, 1000};
	if (!(v >= 0 && v < 1e9) || signbit(v) || decimals < 0 || decimals > 3 || cap < 16)
		return false;
	double scaled = v * power[decimals];
	double rest = fma(v, power[decimals], -scaled); /* the exact product is scaled + rest */
	uint64_t n = (uint64_t)scaled;
	double part = scaled - (double)n;
	/* rounds to the nearest number, ties to even */
	n += part > 0.5 || (part == 0.5 && (rest > 0 || (rest == 0 && n & 1)));
	char digits[16];
	size_t at = sizeof(digits);
	for (int i = 0; n || i <= decimals; i++, n /= 10) {
		if (i && i == decimals)
			digits[--at] = '.';
		digits[--at] = (char)('0' + n % 10);
	}
	memcpy(buf, digits + at, sizeof(digits) - at);
	buf[sizeof(digits) - at] = '\0';
	return true;
}

void fmt_fixed(char *buf, size_t cap, double v, int decimals)
{
	if (put_fixed(buf, cap, v, decimals))
		return;
	snprintf(buf, cap, "%.*f", decimals, v);
	point(buf);
}

void fmt_grouped(char *buf, size_t cap, double v)
{
	char digits[400];
	fmt_fixed(digits, sizeof(digits), v, 4);
	size_t whole = strcspn(digits, "."), end = strlen(digits), n = 0;
	while (end > whole && (digits[end - 1] == '0' || digits[end - 1] == '.'))
		digits[--end] = '\0';
	for (size_t i = 0; i < end && n + 2 < cap; i++) {
		bool group = i && i < whole && (whole - i) % 3 == 0 && digits[i - 1] != '-';
		if (group)
			buf[n++] = ',';
		buf[n++] = digits[i];
	}
	buf[n] = '\0';
}

void fmt_exact(char *buf, size_t cap, double v)
{
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(buf, cap, "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	point(buf);
}

void fmt_si(char *buf, size_t cap, double v)
{
	static const char unit[] = " kMGTPE";
	if (!(v >= 0)) {
		snprintf(buf, cap, "-");
		return;
	}
	if (v < 9999.5) {
		fmt_fixed(buf, cap, v, 0);
		return;
	}
	size_t u = 0;
	while (v >= 999.5 && u + 2 < sizeof(unit)) {
		v /= 1000;
		u++;
	}
	if (v >= 999.5) {
		snprintf(buf, cap, "inf");
		return;
	}
	fmt_fixed(buf, cap, v, v < 9.995 ? 2 : v < 99.95 ? 1 : 0);
	size_t n = strlen(buf);
	if (n + 1 < cap)
		memcpy(buf + n, (char[]){unit[u], '\0'}, 2);
}

void fmt_duration(char *buf, size_t cap, uint64_t ns)
{
	uint64_t s = ns / 1000000000u;
	if (s < 3600)
		snprintf(buf, cap, "%" PRIu64 ":%02u", s / 60, (unsigned)(s % 60));
	else if (s < 86400)
		snprintf(buf, cap, "%" PRIu64 ":%02u:%02u", s / 3600, (unsigned)(s / 60 % 60), (unsigned)(s % 60));
	else
		snprintf(buf, cap, "%" PRIu64 "d %uh", s / 86400, (unsigned)(s / 3600 % 24));
}

void fmt_utc(char *buf, size_t cap, uint64_t ns)
{
	time_t s = (time_t)(ns / 1000000000u);
	struct tm tm = {0};
	gmtime_r(&s, &tm);
	size_t n = strftime(buf, cap, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf + n, cap - n, ".%03uZ", (unsigned)(ns / 1000000 % 1000));
}

bool text_u64(const char **s, uint64_t *ret)
{
	const char *p = *s;
	uint64_t v = 0;
	if (*p < '0' || *p > '9')
		return false;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return false;
	*s = p;
	*ret = v;
	return true;
}
