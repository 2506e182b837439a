/* Computes the length of x86-64 instructions that capstone does not know, to skip them. */
#ifndef CODE_X86_LENGTH_H
#define CODE_X86_LENGTH_H

#include <stddef.h>
#include <stdint.h>

/* Returns the length of an AVX or AVX-512 instruction (VEX or EVEX prefix; capstone lacks the newest ones); 0: it is no
 * such instruction, or is longer than `n`. */
size_t x86_vex_length(const uint8_t *bytes, size_t n);

#endif
