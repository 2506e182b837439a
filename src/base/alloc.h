/* Memory allocation that never returns NULL, and growing arrays. */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <cyctop/base.h>
#include <stdlib.h>

/* Allocates zeroed memory.  If there is none, calls the hook of alloc_on_failure(), which restores the terminal, writes
 * one line to stderr and calls _exit(1). */
void *mem_calloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
void *mem_realloc(void *p, size_t n, size_t size) __attribute__((returns_nonnull)); /* the new bytes are not zeroed */
char *mem_strdup(const char *s) __attribute__((malloc, returns_nonnull));
char *mem_printf(const char *fmt, ...) CYC_PRINTF(1, 2) __attribute__((malloc, returns_nonnull));
void mem_exhausted(void) __attribute__((noreturn)); /* ends the program as mem_calloc() does without memory */
void alloc_on_failure(void (*hook)(void));

/* A growing array: `struct { T *data; size_t n, cap; }`.  vec_push() appends an element, and gives it as an lvalue. */
#define VEC(type)                                                                                                      \
	struct {                                                                                                       \
		type *data;                                                                                            \
		size_t n, cap;                                                                                         \
	}
#define vec_reserve(v, want)                                                                                           \
	((v)->cap >= (want) ? (void)0 : vec_grow((void **)&(v)->data, &(v)->cap, (want), sizeof(*(v)->data)))
#define vec_push(v) (*(vec_reserve((v), (v)->n + 1), &(v)->data[(v)->n++]))
#define vec_free(v) (free((v)->data), (v)->data = NULL, (v)->n = (v)->cap = 0)
void vec_grow(void **data, size_t *cap, size_t want, size_t size);

#endif
