/* Reads the function table of the Go runtime (pclntab): address, size, name and source place of functions.  Pure: bytes
 * in, functions out.  The bytes are not trusted.
 *
 * The magic number at the start tells the layout: Go 1.2 to 1.15, 1.16 and 1.17, 1.18 and 1.19, 1.20 and later (struct
 * pcHeader and _func in runtime/symtab.go and runtime/runtime2.go of Go). */
#ifndef RESOLVE_ELF_GO_TABLE_H
#define RESOLVE_ELF_GO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	GO_TABLE_ALIGN = 8,	  /* a table begins at a multiple of this, in memory and in the file */
	GO_TABLE_HEADER_MAX = 72, /* maximum bytes that go_table_begins() looks at */
};

struct go_table {
	const uint8_t *data;
	size_t n;
	bool big;

	/* Set by go_table_open(): */
	size_t word;	   /* size of an address in bytes: 4 or 8 */
	size_t entry;	   /* size in bytes of an address or offset in the index */
	uint64_t text;	   /* base of the addresses of functions: 0, or the address of runtime.text */
	uint64_t names_at; /* offset of the function names */
	uint64_t funcs_at; /* offset of the descriptions of functions */
	uint64_t index_at; /* offset of the index, which has address and description of each function */
	uint64_t functions;
	/* Offsets of the tables for source places; 0: the layout has none. */
	uint64_t units_at;  /* offset of the file numbers of each package */
	uint64_t files_at;  /* offset of the file names */
	uint64_t values_at; /* offset of the value tables: a value, such as the line, for each instruction */
	bool says_start;    /* descriptions of functions have the line of the declaration */
};

/* Returns true if data[n] looks like the header of a pclntab. `big`: in big-endian byte order. */
bool go_table_begins(const uint8_t *data, size_t n, bool big);
/* Reads the header of the table at t->data. Returns false if the bytes are no pclntab, or are damaged. */
bool go_table_open(struct go_table *t);
/* Gets the address of the first function and the end of the last one. Returns false if the end is not above the
 * start. */
bool go_table_bounds(const struct go_table *t, uint64_t *start_ret, uint64_t *end_ret);

typedef void go_function_fn(void *ctx, uint64_t start, uint64_t size, const char *name, size_t name_n);
/* Calls `fn` for each function, in order of address; `name` has no NUL. Returns false if damaged entries were left
 * out. */
bool go_table_read(const struct go_table *t, go_function_fn *fn, void *ctx);

struct go_place {
	const char *file; /* file_n bytes, without NUL; points into the table */
	size_t file_n;
	uint32_t line;
};
/* Finds the source place of the instruction at `pc`; for inlined code, the place is in the inlined function. Returns
 * false if the place is unknown. */
bool go_table_line(const struct go_table *t, uint64_t pc, struct go_place *ret);
/* Finds the source place of the function that starts at `start`: its declaration if known, else that of its first
 * instruction that is not inlined.  Returns false if both are unknown. */
bool go_table_declared(const struct go_table *t, uint64_t start, struct go_place *ret);

#endif
