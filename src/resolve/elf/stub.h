/* Recognises stubs of the procedure linkage table: a jump through a word that the dynamic
 * linker fills in.  Pure: bytes of instructions in, address of the word out. */
#ifndef RESOLVE_ELF_STUB_H
#define RESOLVE_ELF_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stub_code {
	uint16_t machine; /* e_machine of the ELF header */
	bool wide;
	uint64_t got; /* i386: the value of %ebx, the address of the global offset table */
	const uint8_t *bytes;
	size_t n;
	uint64_t addr; /* address of bytes[0] */
};
struct stub {
	size_t n;      /* size of the stub in bytes */
	uint64_t word; /* address of the word, unless `lazy` */
	bool lazy;     /* the stub only pushes the index of its relocation */
	uint32_t push; /* the index that a lazy stub pushes */
};
/* Decodes the stub that begins at bytes[at].  Returns false if no stub begins there. */
bool stub_decode(const struct stub_code *code, size_t at, struct stub *ret);
/* Returns the alignment of stubs in bytes; 0: stubs of this machine are not supported. */
size_t stub_step(const struct stub_code *code);

#endif
