/* Mangled names come from files anyone may have written, and a short one can stand
 * for a text of gigabytes (its parts may refer to each other).  So the demangler
 * hands its text over in pieces, and is left by longjmp() when there is too much:
 * up to then it has only used its stack. */
#include <cyctop/resolve.h>

#include <stdlib.h>
#include <string.h>

#if HAVE_IBERTY

#include "base/strbuf.h"

#include <libiberty/demangle.h>
#include <setjmp.h>

enum {
	MANGLED_MAX = 4096,
	PRETTY_MAX = 16 * 1024,
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
	struct output *out = calloc(1, sizeof(*out)); /* not on the stack: it outlives a longjmp() */
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

bool demangle_available(void)
{
	return true;
}

char *demangle(const char *name)
{
	if (name[0] != '_' || !name[1] || strnlen(name, MANGLED_MAX + 1) > MANGLED_MAX)
		return NULL;
	char *text = NULL;
	if (name[1] == 'R' || name[1] == 'Z') /* Rust's old scheme looks like C++ */
		text = run(rust_demangle_callback, name);
	if (!text && name[1] == 'Z')
		text = run(cplus_demangle_v3_callback, name);
	if (!text && name[1] == 'D')
		text = dlang_demangle(name, OPTIONS);
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
