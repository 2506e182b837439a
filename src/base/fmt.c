#include "base/fmt.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* printf() takes its decimal point from LC_NUMERIC, which cyctop never sets; a
 * library or a test might. */
static void point(char *buf)
{
	char *comma = strchr(buf, ',');
	if (comma)
		*comma = '.';
}

void fmt_fixed(char *buf, size_t cap, double v, int decimals)
{
	snprintf(buf, cap, "%.*f", decimals, v);
	point(buf);
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
		snprintf(buf, cap, "%.0f", v);
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
	snprintf(buf, cap, "%.*f%c", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, unit[u]);
	point(buf);
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
