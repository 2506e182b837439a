#include "counted_memory.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

/* By the linker, calls of NAME() are those of __wrap_NAME(), and __real_NAME() is the C library's. */
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
void __wrap_free(void *p);

static atomic_size_t bytes;

static void *add(void *p)
{
	bytes += malloc_usable_size(p);
	return p;
}

void *__wrap_malloc(size_t n)
{
	return add(__real_malloc(n));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return add(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t n)
{
	size_t before = malloc_usable_size(p);
	void *moved = __real_realloc(p, n);
	bytes -= moved ? before : 0;
	return add(moved);
}

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
	size_t all;
	return __builtin_mul_overflow(n, size, &all) ? NULL : __wrap_realloc(p, all);
}

void __wrap_free(void *p)
{
	bytes -= malloc_usable_size(p);
	__real_free(p);
}

size_t counted_memory(void)
{
	return bytes;
}
