/* Strings kept once; equal strings have equal pointers. */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <cyctop/base.h>

struct intern;
struct intern *intern_create(void);
void intern_destroy(struct intern *in);
/* Valid as long as the table. */
const char *intern_string(struct intern *in, const char *s);
const char *intern_bytes(struct intern *in, const char *s, size_t n);
size_t intern_memory(const struct intern *in);

#endif
