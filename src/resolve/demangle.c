/* Demangles names with libiberty, within limits.
 *
 * Mangled names come from files that anyone may have written.  A part of a name can refer
 * to an earlier part, so that a name of 300 bytes can stand for gigabytes of text or for
 * centuries of work, and libiberty has no limit of its own.  Two limits keep the cost of a
 * name below a few milliseconds:
 * - The C++ and Rust demanglers pass on their text in pieces.  longjmp() leaves them when
 *   the text is too long; they own no memory at that point, only their stack.
 * - Work that produces no text, and the D demangler, which has no callback, are bounded by
 *   an upper bound on the work.  It is computed from the name before libiberty sees it. */
#include <cyctop/resolve.h>

#include <stdlib.h>
#include <string.h>

#if HAVE_IBERTY

#include "base/strbuf.h"

#include <libiberty/demangle.h>
#include <setjmp.h>

enum {
	MANGLED_MAX = 4096, /* longest mangled name in bytes */
	D_MANGLED_MAX = 1024,
	PRETTY_MAX = 16 * 1024, /* longest demangled name in bytes */
	CXX_REFERENCES_MAX = 20,
	RUST_BINDER_DIGITS_MAX = 3,
	D_WORK_MAX = 1 << 14, /* bound on how often one part of a name is parsed */
	OPTIONS = DMGL_PARAMS | DMGL_ANSI,
};

struct output {
	struct strbuf text;
	jmp_buf too_much;
};

static void append(const char *s, size_t n, void *opaque)
{
	struct output *out = opaque;
	if (n > PRETTY_MAX - out->text.n)
		longjmp(out->too_much, 1);
	if (n)
		strbuf_add_bytes(&out->text, s, n);
}

typedef int with_callback(const char *mangled, int options, demangle_callbackref fn, void *opaque);

static char *run(with_callback *fn, const char *name)
{
	struct output *out = calloc(1, sizeof(*out)); /* on the heap, because the contents must survive longjmp() */
	if (!out)
		return NULL;
	if (setjmp(out->too_much)) {
		strbuf_deinit(&out->text);
		free(out);
		return NULL;
	}
	bool ok = fn(name, OPTIONS, append, out);
	char *text = ok ? out->text.data : NULL;
	if (!ok)
		strbuf_deinit(&out->text);
	free(out);
	return text;
}

/* ---- upper bounds on the work of a demangler --------------------------------------- */

static const char decimal[] = "0123456789", base36[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
		  base62[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/* Counts the references of a C++ name to earlier parts: "S2_" and "T_". */
static size_t cxx_references(const char *name)
{
	size_t n = 0;
	for (const char *s = name; (s = strpbrk(s, "ST")); s++)
		n += s[1 + strspn(s + 1, base36)] == '_';
	return n;
}

/* Returns true if the name has a pack expansion whose pattern is more than a single template parameter ("DpT_",
 * "DpOT0_"), as nearly all patterns of compilers are. libiberty searches the pattern for its pack without printing
 * text, and each reference in the pattern can double this work. */
static bool has_composite_pack(const char *name)
{
	static const char *const packs[] = {"sp", "sZ", "sP"};
	for (size_t i = 0; i < ARRAY_LEN(packs); i++)
		if (strstr(name, packs[i]))
			return true;
	for (const char *s = name; (s = strstr(s, "Dp")); s += 2) {
		const char *parameter = s + 2 + strspn(s + 2, "ROPKV");
		if (*parameter != 'T' || parameter[1 + strspn(parameter + 1, base36)] != '_')
			return true;
	}
	return false;
}

static bool is_bounded_cxx(const char *name)
{
	return cxx_references(name) <= CXX_REFERENCES_MAX || !has_composite_pack(name);
}

/* Returns true if demangling a Rust name takes bounded work. A function type (F) or trait object (D) may begin with "G"
 * and a number in base 62. libiberty counts up to this number; in the path of an impl (M, X), it does so without
 * printing text. */
static bool is_bounded_rust(const char *name)
{
	for (const char *s = strpbrk(name, "MX"); s && (s = strpbrk(s, "FD")); s++) {
		size_t n = s[1] == 'G' ? strspn(s + 2, base62) : 0;
		if (n > RUST_BINDER_DIGITS_MAX && s[2 + n] == '_')
			return false;
	}
	return true;
}

/* Returns true if demangling a D name takes bounded work. The demangler parses the text after some letters repeatedly,
 * and such texts can be nested. It parses twice after a function type or a reference (Q); after a symbol as a template
 * argument (S), once for each digit, because nothing marks the end of the symbol's length. */
static bool is_bounded_d(const char *name)
{
	if (strnlen(name, D_MANGLED_MAX + 1) > D_MANGLED_MAX)
		return false;
	size_t work = 1;
	for (const char *s = name; (s = strpbrk(s, "FUVWRYMQS")) && work <= D_WORK_MAX; s++)
		work *= *s == 'S' ? 1 + strspn(s + 1, decimal) : 2;
	return work <= D_WORK_MAX;
}

static char *demangle_d(const char *name)
{
	char *text = is_bounded_d(name) ? dlang_demangle(name, OPTIONS) : NULL;
	if (text && strlen(text) <= PRETTY_MAX)
		return text;
	free(text);
	return NULL;
}

bool demangle_available(void)
{
	return true;
}

char *demangle(const char *name)
{
	if (name[0] != '_' || !name[1] || strnlen(name, MANGLED_MAX + 1) > MANGLED_MAX)
		return NULL;
	char *text = NULL;
	if (name[1] == 'D')
		text = demangle_d(name);
	/* legacy Rust names begin with _Z, as C++ names do, so Rust is tried first */
	if ((name[1] == 'R' && is_bounded_rust(name)) || name[1] == 'Z')
		text = run(rust_demangle_callback, name);
	if (!text && name[1] == 'Z' && is_bounded_cxx(name))
		text = run(cplus_demangle_v3_callback, name);
	return text;
}

#else

bool demangle_available(void)
{
	return false;
}

char *demangle(const char *name)
{
	(void)name;
	return NULL;
}

#endif
