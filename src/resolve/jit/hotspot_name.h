/* The names of a JVM's methods, as the JVM itself writes them into a perf map. */
#ifndef RESOLVE_JIT_HOTSPOT_NAME_H
#define RESOLVE_JIT_HOTSPOT_NAME_H

#include <cyctop/base.h>

enum {
	HOTSPOT_SYMBOL_BYTES = 1024, /* of a name in the JVM, at most */
	HOTSPOT_NAME_BYTES = 4096    /* of a whole name, at most */
};

struct hotspot_text {
	char buf[HOTSPOT_NAME_BYTES];
	size_t n;
	bool full; /* something did not fit */
};
void hotspot_put(struct hotspot_text *t, const char *s, size_t n);

/* As the JVM has it: "java/util/HashMap", "put", "(Ljava/lang/Object;I)V"; without a NUL. */
struct hotspot_symbol {
	char s[HOTSPOT_SYMBOL_BYTES];
	size_t n;
};
struct hotspot_method {
	struct hotspot_symbol holder, name, signature;
};
/* Adds "void java.util.HashMap.put(java.lang.Object, int)"; false: the signature is none, or the text is full. */
bool hotspot_put_method(struct hotspot_text *t, const struct hotspot_method *m);

#endif
