/* Stubs of the procedure linkage table: a jump through a word that the dynamic linker
 * fills in.  Pure: the instructions as bytes in, the word's address out. */
#ifndef RESOLVE_ELF_STUB_H
#define RESOLVE_ELF_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stub_code {
	uint16_t machine; /* of the ELF header */
	bool wide;
	uint64_t got; /* what %ebx holds on i386 */
	const uint8_t *bytes;
	size_t n;
	uint64_t addr; /* of the first byte */
};
struct stub {
	size_t n;      /* bytes that were recognised */
	uint64_t word; /* the address of the word; or, */
	bool lazy;     /* where it only pushes the number of its relocation, */
	uint32_t push; /* this number */
};
/* The stub that begins at bytes[at]; false: none does. */
bool stub_decode(const struct stub_code *code, size_t at, struct stub *ret);
/* Stubs begin at multiples of this; 0: this machine's are not known. */
size_t stub_step(const struct stub_code *code);

#endif
