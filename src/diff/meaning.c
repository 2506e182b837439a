#include "diff/meaning.h"

#include <string.h>

/* ---- normalising a function's name ----------------------------------------------------------- */

/* Suffixes that compilers and linkers append to the name of a function. */
static const struct {
	const char *part;
	enum { NO_NUMBER, MAY_NUMBER, MUST_NUMBER } number;
	bool other_code; /* true: the suffix marks a clone or part of the function; false: the same function */
} suffixes[] = {
	{".isra", MUST_NUMBER, true},  {".constprop", MUST_NUMBER, true},  {".part", MUST_NUMBER, true},
	{".cold", MAY_NUMBER, true},   {".lto_priv", MUST_NUMBER, false},  {".llvm", MUST_NUMBER, false},
	{".clone", MUST_NUMBER, true}, {".localalias", MAY_NUMBER, false}, {".unlikely", NO_NUMBER, true},
	{".hot", NO_NUMBER, true},     {".__uniq", MUST_NUMBER, false},	   {".warm", NO_NUMBER, true},
};

static size_t digits(const char *s, size_t n)
{
	size_t i = 0;
	while (i < n && s[i] >= '0' && s[i] <= '9')
		i++;
	return i;
}

/* Returns true if s[0..n) is one of suffixes[], with or without a number as its rule says. */
static bool is_suffix(const char *s, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
		size_t len = strlen(suffixes[i].part);
		if (n < len || memcmp(s, suffixes[i].part, len) != 0)
			continue;
		if (n == len)
			return suffixes[i].number != MUST_NUMBER;
		if (suffixes[i].number == NO_NUMBER || s[len] != '.' || n == len + 1)
			continue;
		return digits(s + len + 1, n - len - 1) == n - len - 1;
	}
	return false;
}

/* Returns the length of s[0..n) without its last suffix, ".word" or ".word.number"; n: there is none. */
static size_t without_suffix(const char *s, size_t n)
{
	size_t at = n, dots = 0;
	while (at && dots < 2) {
		at--;
		if (s[at] != '.')
			continue;
		dots++;
		if (is_suffix(s + at, n - at))
			return at;
	}
	return n;
}

static size_t without_suffixes(const char *s, size_t n)
{
	for (size_t next; n && (next = without_suffix(s, n)) < n;)
		n = next;
	return n;
}

/* Returns the length of a demangled name without its clone suffixes: "parse(int) [clone .isra.0] [clone .cold]". */
static size_t without_clones(const char *s, size_t n)
{
	static const char mark[] = " [clone ";
	const size_t len = sizeof(mark) - 1;
	while (n > len && s[n - 1] == ']') {
		size_t at = n - len;
		while (at && memcmp(s + at, mark, len) != 0)
			at--;
		if (!at || without_suffixes(s + at + len, n - 1 - at - len))
			return n;
		n = at;
	}
	return n;
}

static size_t hex_digits(const char *s, size_t n)
{
	size_t i = 0;
	while (i < n && ((s[i] >= '0' && s[i] <= '9') || (s[i] >= 'a' && s[i] <= 'f')))
		i++;
	return i;
}

enum { RUST_HASH = 16 };

/* Returns the length of a demangled Rust name without its hash: "path::h0123456789abcdef". */
static size_t without_hash(const char *s, size_t n)
{
	enum { LEN = RUST_HASH + 3 };
	if (n <= LEN || memcmp(s + n - LEN, "::h", 3) != 0 || hex_digits(s + n - RUST_HASH, RUST_HASH) != RUST_HASH)
		return n;
	return n - LEN;
}

/* Returns the length of the hash that `s` begins with, inside of a name: "17h0123456789abcdef" before the E that ends a
 * mangled Rust name, or "[0123456789abcdef]" after a crate's name; 0: `s` begins with none. */
static size_t inner_hash(const char *s, size_t n)
{
	enum { DIGITS_MIN = 8 };
	size_t hash = RUST_HASH + 3;
	if (n == hash + 1 && memcmp(s, "17h", 3) == 0 && hex_digits(s + 3, RUST_HASH) == RUST_HASH && s[hash] == 'E')
		return hash;
	if (n < 3 || s[0] != '[')
		return 0;
	size_t hex = hex_digits(s + 1, n - 1);
	bool crate = hex >= DIGITS_MIN && hex <= RUST_HASH && n > hex + 3 && memcmp(s + 1 + hex, "]::", 3) == 0;
	return crate ? hex + 2 : 0;
}

/* Returns the length of a function's name without clone suffixes and Rust hash. */
static size_t own_length(const char *name)
{
	size_t n = strlen(name), before;
	if (name[0] == '[' || name[0] == '.') /* a placeholder, such as "[no symbol]" */
		return n;
	do {
		before = n;
		n = without_clones(name, n);
		n = without_suffixes(name, n);
		n = without_hash(name, n);
	} while (n < before);
	return n;
}

/* Returns the index in suffixes[] of the suffix that `s` begins with; ARRAY_LEN(suffixes): none. */
static size_t suffix_at(const char *s)
{
	size_t i = 0;
	for (; i < ARRAY_LEN(suffixes); i++) {
		size_t len = strlen(suffixes[i].part);
		if (strncmp(s, suffixes[i].part, len) == 0 && (!s[len] || s[len] == '.' || s[len] == ']'))
			break;
	}
	return i;
}

void meaning_add_pieces(struct strbuf *b, const char *name)
{
	strbuf_add(b, "");
	for (const char *s = name + own_length(name); *s; s++) {
		size_t i = *s == '.' ? suffix_at(s) : ARRAY_LEN(suffixes);
		if (i < ARRAY_LEN(suffixes) && suffixes[i].other_code)
			strbuf_add(b, suffixes[i].part);
	}
}

static void add_symbol(struct strbuf *b, const char *name)
{
	size_t n = own_length(name);
	for (size_t i = 0, from = 0; i <= n; i++) {
		size_t hash = i && i < n ? inner_hash(name + i, n - i) : 0;
		if (!hash && i < n)
			continue;
		strbuf_add_bytes(b, name + from, i - from);
		from = i + hash;
		i = hash ? from - 1 : i;
	}
}

/* ---- normalising a file's name --------------------------------------------------------------- */

static bool ends_with(const char *s, size_t n, const char *end)
{
	size_t len = strlen(end);
	return n >= len && memcmp(s + n - len, end, len) == 0;
}

/* Returns the length of "libz.so.1.2.13" up to the first number after ".so", which is the soname of most libraries. */
static size_t soname(const char *s, size_t n)
{
	for (size_t at = 0; at + 4 < n; at++) {
		if (memcmp(s + at, ".so.", 4) != 0)
			continue;
		size_t major = digits(s + at + 4, n - at - 4), end = at + 4 + major;
		if (!major || end == n || s[end] != '.')
			return n;
		for (size_t i = end; i < n; i++)
			if (s[i] != '.' && (s[i] < '0' || s[i] > '9'))
				return n;
		return end;
	}
	return n;
}

/* Sonames of glibc's files.  Before glibc 2.34 files were named after the release ("libc-2.31.so"), and sonames were
 * links to them. */
static const struct {
	const char *name, *soname;
} glibc[] = {
	{"libc", "libc.so.6"},
	{"libm", "libm.so.6"},
	{"libpthread", "libpthread.so.0"},
	{"libdl", "libdl.so.2"},
	{"librt", "librt.so.1"},
	{"libresolv", "libresolv.so.2"},
	{"libmvec", "libmvec.so.1"},
	{"libutil", "libutil.so.1"},
	{"libnss_files", "libnss_files.so.2"},
	{"libnss_dns", "libnss_dns.so.2"},
};

/* Returns the soname of a file of glibc named like "libc-2.31.so"; NULL: `s` is no such name. */
static const char *soname_of_glibc(const char *s, size_t n)
{
	static const char release[] = "-2.";
	for (size_t i = 0; i < ARRAY_LEN(glibc); i++) {
		size_t len = strlen(glibc[i].name), at = len + sizeof(release) - 1;
		if (n <= at || memcmp(s, glibc[i].name, len) != 0 || memcmp(s + len, release, at - len) != 0)
			continue;
		size_t minor = digits(s + at, n - at);
		if (minor && at + minor + 3 == n && ends_with(s, n, ".so"))
			return glibc[i].soname;
	}
	return NULL;
}

/* Returns the name of a file of JIT code without its numbers, which differ from run to run: of "perf-4711.map", with
 * all functions of process 4711, or of "jitted-4711-3.so", one function.  NULL if the file is neither. */
static const char *made_at_run_time(const char *s, size_t n)
{
	if (n > 9 && memcmp(s, "perf-", 5) == 0 && 5 + digits(s + 5, n - 5) + 4 == n && ends_with(s, n, ".map"))
		return "perf.map";
	if (n > 10 && memcmp(s, "jitted-", 7) == 0 && digits(s + 7, n - 7) && ends_with(s, n, ".so"))
		return "jitted.so";
	return NULL;
}

static void add_dso(struct strbuf *b, const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t n = strlen(path);
	if (ends_with(path, n, deleted) && n > sizeof(deleted) - 1)
		n -= sizeof(deleted) - 1;
	size_t at = n;
	while (at && path[at - 1] != '/')
		at--;
	if (path[0] == '[' || at == n)
		at = 0;
	const char *known = made_at_run_time(path + at, n - at);
	if (!known)
		known = soname_of_glibc(path + at, n - at);
	if (known)
		strbuf_add(b, known);
	else
		strbuf_add_bytes(b, path + at, soname(path + at, n - at));
}

void meaning_add(struct strbuf *b, enum dimension_id dim, const char *value)
{
	if (dim == DIM_SYMBOL)
		add_symbol(b, value);
	else if (dim == DIM_DSO)
		add_dso(b, value);
	else
		strbuf_add(b, value);
}
