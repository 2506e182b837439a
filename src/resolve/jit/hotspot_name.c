#include "resolve/jit/hotspot_name.h"

#include <string.h>

void hotspot_put(struct hotspot_text *t, const char *s, size_t n)
{
	t->full |= n > sizeof(t->buf) - t->n;
	if (t->full)
		return;
	memcpy(t->buf + t->n, s, n);
	t->n += n;
}

static void put_class(struct hotspot_text *t, const char *s, size_t n)
{
	size_t from = t->n;
	hotspot_put(t, s, n);
	for (size_t i = from; i < t->n; i++)
		if (t->buf[i] == '/')
			t->buf[i] = '.';
}

/* Adds the class of a method. The JVM keeps the name of a hidden class as "Name+0x12", but writes it as "Name/0x12". */
static void put_holder(struct hotspot_text *t, const char *s, size_t n)
{
	size_t from = t->n, i;
	put_class(t, s, n);
	for (i = t->n; i > from && t->buf[i - 1] != '+'; i--)
		;
	if (i > from && t->n - i > 2 && memcmp(t->buf + i, "0x", 2) == 0)
		t->buf[i - 1] = '/';
}

static const char *primitive(char c)
{
	switch (c) {
	case 'B':
		return "byte";
	case 'C':
		return "char";
	case 'D':
		return "double";
	case 'F':
		return "float";
	case 'I':
		return "int";
	case 'J':
		return "long";
	case 'S':
		return "short";
	case 'V':
		return "void";
	case 'Z':
		return "boolean";
	default:
		return NULL;
	}
}

/* Adds the name of the first type in a signature. Returns the number of bytes of this type in the signature; 0: no type
 * begins there. */
static size_t put_type(struct hotspot_text *t, const char *s, size_t n)
{
	size_t dims = 0, used;
	while (dims < n && s[dims] == '[')
		dims++;
	if (dims == n)
		return 0;
	if (s[dims] == 'L') {
		const char *end = memchr(s + dims, ';', n - dims);
		if (!end)
			return 0;
		used = (size_t)(end - s) + 1;
		put_class(t, s + dims + 1, used - dims - 2);
	} else {
		const char *name = primitive(s[dims]);
		if (!name)
			return 0;
		used = dims + 1;
		hotspot_put(t, name, strlen(name));
	}
	while (dims--)
		hotspot_put(t, "[]", 2);
	return used;
}

bool hotspot_put_method(struct hotspot_text *t, const struct hotspot_method *m)
{
	const char *sig = m->signature.s, *close = memchr(sig, ')', m->signature.n);
	if (!m->signature.n || sig[0] != '(' || !close)
		return false;
	size_t at = (size_t)(close - sig) + 1;
	if (!put_type(t, sig + at, m->signature.n - at))
		return false;
	hotspot_put(t, " ", 1);
	put_holder(t, m->holder.s, m->holder.n);
	hotspot_put(t, ".", 1);
	hotspot_put(t, m->name.s, m->name.n);
	hotspot_put(t, "(", 1);
	for (size_t i = 1; sig + i < close;) {
		size_t used = put_type(t, sig + i, (size_t)(close - sig) - i);
		if (!used)
			return false;
		i += used;
		if (sig + i < close)
			hotspot_put(t, ", ", 2);
	}
	hotspot_put(t, ")", 1);
	return !t->full;
}
