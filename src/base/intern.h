/* A set of strings; equal strings have equal pointers. */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <cyctop/base.h>

struct intern;
struct intern *intern_create(void);
void intern_destroy(struct intern *in);
/* Returns the copy of `s` in the set, which is added if it is new.  The copy is valid as long as the set. */
const char *intern_string(struct intern *in, const char *s);
const char *intern_bytes(struct intern *in, const char *s, size_t n);
/* Returns roughly the memory in bytes that the strings take, without memory allocated for strings to come. */
size_t intern_memory(const struct intern *in);

#endif
