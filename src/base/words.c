#include "base/words.h"

#include <ctype.h>
#include <string.h>

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static bool same(const char *a, const char *b, size_t i, size_t j)
{
	return tolower((unsigned char)a[i]) == tolower((unsigned char)b[j]);
}

unsigned word_distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	/* [i][j]: distance between the first i characters of a and the first j of b */
	unsigned d[WORD_MAX + 1][WORD_MAX + 1];
	if (n > WORD_MAX || m > WORD_MAX)
		return WORD_FAR;
	for (size_t i = 0; i <= n; i++)
		for (size_t j = 0; j <= m; j++) {
			if (!i || !j) {
				d[i][j] = (unsigned)(i + j);
				continue;
			}
			d[i][j] =
				least(least(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + !same(a, b, i - 1, j - 1));
			if (i > 1 && j > 1 && same(a, b, i - 1, j - 2) && same(a, b, i - 2, j - 1))
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	return d[n][m];
}

bool word_is_near(const char *typed, const char *known)
{
	size_t n = strlen(typed);
	if (n < 2)
		return false;
	/* near: at most one typo in three characters; or the first three or more characters of the known word */
	if (n >= 3 && strncmp(typed, known, n) == 0)
		return true;
	return word_distance(typed, known) <= (n + 1) / 3;
}
