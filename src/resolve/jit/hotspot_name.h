/* Formats the names of a JVM's methods as the JVM itself writes them into a perf map. */
#ifndef RESOLVE_JIT_HOTSPOT_NAME_H
#define RESOLVE_JIT_HOTSPOT_NAME_H

#include <cyctop/base.h>

enum {
	HOTSPOT_SYMBOL_BYTES = 1024, /* maximum bytes of a symbol in the JVM */
	HOTSPOT_NAME_BYTES = 4096    /* maximum bytes of a whole name */
};

struct hotspot_text {
	char buf[HOTSPOT_NAME_BYTES];
	size_t n;
	bool full; /* a part did not fit; the text is then unusable */
};
void hotspot_put(struct hotspot_text *t, const char *s, size_t n);

/* A symbol as in the JVM: "java/util/HashMap", "put", "(Ljava/lang/Object;I)V"; without a NUL. */
struct hotspot_symbol {
	char s[HOTSPOT_SYMBOL_BYTES];
	size_t n;
};
struct hotspot_method {
	struct hotspot_symbol holder, name, signature;
};
/* Adds "void java.util.HashMap.put(java.lang.Object, int)".  Returns false if the signature is invalid, or the text too
 * long. */
bool hotspot_put_method(struct hotspot_text *t, const struct hotspot_method *m);

#endif
