/* Decodes stubs of the procedure linkage table: a stub jumps through a word that the dynamic linker fills in.  Pure:
 * bytes of instructions in, address of the word out. */
#ifndef RESOLVE_ELF_STUB_H
#define RESOLVE_ELF_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stub_code {
	uint16_t machine; /* e_machine of the ELF header */
	bool wide;
	uint64_t got; /* i386: value of %ebx (global offset table) */
	const uint8_t *bytes;
	size_t n;
	uint64_t addr; /* address of bytes[0] */
};
struct stub {
	size_t n;      /* bytes that were decoded, at most those of the stub */
	uint64_t word; /* address of the word through which the stub jumps; unset if `lazy` */
	bool lazy;     /* the stub only pushes the index of its relocation */
	uint32_t push; /* index of the relocation, if `lazy` */
};
/* Decodes a stub that begins at bytes[at].  Returns false if none begins there. */
bool stub_decode(const struct stub_code *code, size_t at, struct stub *ret);
/* Returns the alignment of PLT stubs in bytes; 0: stubs of this machine are not supported. */
size_t stub_step(const struct stub_code *code);

#endif
