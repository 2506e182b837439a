/* Computes the length of x86-64 instructions that capstone does not know, to skip them. */
#ifndef CODE_X86_LENGTH_H
#define CODE_X86_LENGTH_H

#include <stddef.h>
#include <stdint.h>

/* Returns the length in bytes of an AVX or AVX-512 instruction (VEX or EVEX prefix), as capstone lacks the newest; 0:
 * the bytes are not such an instruction, or it is longer than `n`. */
size_t x86_vex_length(const uint8_t *bytes, size_t n);

#endif
