#include "source/synth/lex.h"

#include <errno.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Copies one word to *out, without its quotes.  Returns where the word ends in the line; NULL if a quote is not
 * closed. */
static const char *copy_word(const char *p, const char *end, char **out, struct word *ret)
{
	bool in_quotes = false;
	*ret = (struct word){.text = *out};
	for (; p < end && (in_quotes || !is_blank(*p)); p++) {
		if (*p == '"') {
			in_quotes = !in_quotes;
			ret->quoted = true;
			continue;
		}
		if (*p == '=' && !in_quotes && !ret->key && !ret->quoted) {
			*(*out)++ = '\0';
			ret->key = ret->text;
			ret->text = *out;
			continue;
		}
		if (in_quotes && *p == '\\' && p + 1 < end)
			p++;
		*(*out)++ = *p;
	}
	*(*out)++ = '\0';
	return in_quotes ? NULL : p;
}

int lex_line(struct line *ret, const char *text, size_t len, struct error *err)
{
	const char *p = text, *end = text + len;
	char *out = ret->buf;
	ret->n = 0;
	/* blanks between words take as much room as the NULs after words, so a buffer of the line's length is enough */
	if (len + 1 >= sizeof(ret->buf))
		return error_set(err, EINVAL, "the line is longer than %d bytes", LINE_BYTES_MAX - 2);
	if (memchr(text, 0, len))
		return error_set(err, EINVAL, "the line has a NUL byte in it");
	for (;;) {
		while (p < end && is_blank(*p))
			p++;
		if (p == end || *p == '#')
			return 0;
		if (ret->n == LINE_WORDS_MAX)
			return error_set(err, EINVAL, "more than %d words on a line", LINE_WORDS_MAX);
		p = copy_word(p, end, &out, &ret->words[ret->n]);
		if (!p)
			return error_set(err, EINVAL, "a quote is not closed");
		ret->n++;
	}
}

/* ---- parsing numbers ----------------------------------------------------------- */

/* Parses a decimal number into millionths, and stops at the first character that does not belong to it; digits after
 * the sixth decimal do not. */
static bool scan_micro(const char **p, unsigned __int128 *ret)
{
	const char *s = *p;
	unsigned __int128 v = 0;
	if (!is_digit(*s))
		return false;
	for (; is_digit(*s); s++) {
		v = v * 10 + (unsigned)(*s - '0');
		if (v > UINT64_MAX)
			return false;
	}
	v *= 1000000;
	if (*s == '.') {
		uint64_t unit = 100000;
		for (s++; is_digit(*s) && unit; s++, unit /= 10)
			v += unit * (unsigned)(*s - '0');
	}
	*p = s;
	*ret = v;
	return true;
}

struct unit {
	const char *name;
	uint64_t factor;
};

/* Parses a number and its unit: *ret = number in millionths * factor of the unit / `scale`.  Returns -EINVAL if it is
 * malformed or too large. */
static int scan(const char *s, const struct unit *units, size_t n, uint64_t scale, uint64_t *ret)
{
	unsigned __int128 v;
	const char *p = s;
	if (!scan_micro(&p, &v))
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(p, units[i].name) != 0)
			continue;
		if (v > ~(unsigned __int128)0 / units[i].factor)
			return -EINVAL;
		v = v * units[i].factor / scale;
		if (v > UINT64_MAX)
			return -EINVAL;
		*ret = (uint64_t)v;
		return 0;
	}
	return -EINVAL;
}

static bool scan_hex(const char *s, uint64_t *ret)
{
	uint64_t v = 0;
	if (!*s)
		return false;
	for (; *s; s++) {
		const char *at = strchr("0123456789abcdef", *s | (*s >= 'A' && *s <= 'F' ? 0x20 : 0));
		if (!at || v >> 60)
			return false;
		v = v << 4 | (uint64_t)(at - "0123456789abcdef");
	}
	*ret = v;
	return true;
}

int lex_count(const char *s, uint64_t *ret, struct error *err)
{
	static const struct unit units[] = {
		{"", 1},	 {"k", 1000},	  {"M", 1000000},  {"G", 1000000000},
		{"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30},
	};
	if (s[0] == '0' && s[1] == 'x') {
		if (scan_hex(s + 2, ret))
			return 0;
	} else if (scan(s, units, ARRAY_LEN(units), 1000000, ret) == 0) {
		return 0;
	}
	return error_set(err, EINVAL, "'%.40s' is not a number; 12, 0x1f, 1.5M and 64Ki are", s);
}

int lex_time(const char *s, uint64_t *ret, struct error *err)
{
	static const struct unit units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	if (strcmp(s, "0") == 0) {
		*ret = 0;
		return 0;
	}
	if (scan(s, units, ARRAY_LEN(units), 1000000, ret) == 0)
		return 0;
	return error_set(err, EINVAL, "'%.40s' is not a time; 10us, 1.5ms and 2s are", s);
}

int lex_part(const char *s, uint64_t *ret, struct error *err)
{
	static const struct unit units[] = {{"%", 1}};
	uint64_t v;
	if (scan(s, units, ARRAY_LEN(units), 100, &v) < 0 || v > 1000000)
		return error_set(err, EINVAL, "'%.40s' is not a part; 25%% is, and 100%% is the most", s);
	*ret = v;
	return 0;
}

int lex_ratio(const char *s, uint64_t *ret, struct error *err)
{
	static const struct unit units[] = {{"", 1}};
	/* limited, so that ratio * count fits into 128 bits */
	if (scan(s, units, ARRAY_LEN(units), 1, ret) == 0 && *ret <= 1000000000000ull)
		return 0;
	return error_set(err, EINVAL, "'%.40s' is not a ratio; 1.25 is, and 1000000 is the most", s);
}

/* ---- parsing lists and ids ------------------------------------------------------ */

static bool scan_u32(const char **p, uint32_t *ret)
{
	uint64_t v = 0;
	const char *s = *p;
	for (; is_digit(*s); s++) {
		v = v * 10 + (unsigned)(*s - '0');
		if (v > INT32_MAX)
			return false;
	}
	if (s == *p)
		return false;
	*p = s;
	*ret = (uint32_t)v;
	return true;
}

int lex_range(const char *s, uint32_t limit, uint32_t *first, uint32_t *last, struct error *err)
{
	uint32_t a = 0, b = limit - 1;
	const char *p = s;
	if (strcmp(s, "*") != 0) {
		if (!scan_u32(&p, &a))
			return error_set(err, EINVAL, "'%.40s' is not a CPU: write 3, 0-7 or *", s);
		b = a;
		if (*p == '-') {
			p++;
			if (!scan_u32(&p, &b))
				return error_set(err, EINVAL, "'%.40s' is no range of CPUs; 0-7 is", s);
		}
		if (*p || a > b)
			return error_set(err, EINVAL, "'%.40s' is no range of CPUs; 0-7 is", s);
	}
	if (b >= limit)
		return error_set(err, EINVAL, "CPU %u is beyond the last, %u; 'cpus' says how many there are", b,
				 limit - 1);
	*first = a;
	*last = b;
	return 0;
}

int lex_task(const char *s, uint32_t *pid, uint32_t *tid, struct error *err)
{
	uint32_t a, b;
	const char *p = s;
	if (!scan_u32(&p, &a))
		return error_set(err, EINVAL, "'%.40s' is no task; PID and PID:TID are", s);
	b = a;
	if (*p == ':') {
		p++;
		if (!scan_u32(&p, &b))
			return error_set(err, EINVAL, "'%.40s' is no task; PID:TID is", s);
	}
	if (*p)
		return error_set(err, EINVAL, "'%.40s' is no task; PID and PID:TID are", s);
	*pid = a;
	*tid = b;
	return 0;
}

int lex_hex(char *s, size_t *n_ret, struct error *err)
{
	size_t digits = strspn(s, "0123456789abcdefABCDEF");
	if (s[digits] || digits % 2)
		return error_set(err, EINVAL, "'%.40s' is not hexadecimal, two digits a byte", s);
	for (size_t i = 0; i < digits / 2; i++) {
		const char pair[3] = {s[2 * i], s[2 * i + 1]};
		uint64_t v = 0;
		if (!scan_hex(pair, &v))
			return -EINVAL;
		s[i] = (char)v;
	}
	*n_ret = digits / 2;
	return 0;
}
