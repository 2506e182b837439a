/* Reads the function table of the Go runtime (pclntab): start, size and name of functions, and their places in the
 * source.  Pure: bytes in, functions out.  The bytes are not trusted.
 *
 * Layouts, by the magic number at the start: Go 1.2 to 1.15, 1.16 and 1.17, 1.18 and 1.19, 1.20 and later (struct
 * pcHeader and _func in runtime/symtab.go and runtime/runtime2.go of Go). */
#ifndef RESOLVE_ELF_GO_TABLE_H
#define RESOLVE_ELF_GO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	GO_TABLE_ALIGN = 8,	  /* a table begins at a multiple of this, in memory and in the file */
	GO_TABLE_HEADER_MAX = 72, /* most bytes that go_table_begins() looks at */
};

struct go_table {
	const uint8_t *data;
	size_t n;
	bool big;

	/* go_table_open() sets the rest. */
	size_t word;	   /* size of an address in bytes: 4 or 8 */
	size_t entry;	   /* size in bytes of an address or offset in the table of functions */
	uint64_t text;	   /* added to the addresses of functions: 0, or the address of runtime.text */
	uint64_t names_at; /* offset of the names */
	uint64_t funcs_at; /* offset of the table of functions, and of its offsets to functions */
	uint64_t index_at; /* offset of the first entry of the table of functions */
	uint64_t functions;
	/* Offsets of the tables that give places in the source; 0: the layout has none. */
	uint64_t units_at;  /* offset of the numbers of the files of each compiled package */
	uint64_t files_at;  /* offset of the names of files */
	uint64_t values_at; /* offset of the tables that give a value, such as the line, to each instruction */
	bool says_start;    /* the description of a function has the line at which it begins */
};

/* Returns true if these bytes begin like a table. */
bool go_table_begins(const uint8_t *data, size_t n, bool big);
/* Reads the header of the table at t->data.  Returns false if it is not a table, or is damaged. */
bool go_table_open(struct go_table *t);
/* Finds the address of the first function and the end of the last one. */
bool go_table_bounds(const struct go_table *t, uint64_t *start_ret, uint64_t *end_ret);

typedef void go_function_fn(void *ctx, uint64_t start, uint64_t size, const char *name, size_t name_n);
/* Calls `fn` for each function, in order of address; `name` has no NUL.  Returns false if a part was damaged and
 * left out. */
bool go_table_read(const struct go_table *t, go_function_fn *fn, void *ctx);

struct go_place {
	const char *file; /* file_n bytes without NUL; points into the table */
	size_t file_n;
	uint32_t line;
};
/* Finds the place in the source of the instruction at `pc`; of code that the compiler inlined, its place in the
 * inlined function.  Returns false if it is unknown. */
bool go_table_line(const struct go_table *t, uint64_t pc, struct go_place *ret);
/* Finds the place in the source where the function that starts at `start` begins; if that is unknown, the place of
 * its first instruction that was not inlined. */
bool go_table_declared(const struct go_table *t, uint64_t start, struct go_place *ret);

#endif
