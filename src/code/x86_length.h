/* The length of x86-64 instructions that capstone does not know. */
#ifndef CODE_X86_LENGTH_H
#define CODE_X86_LENGTH_H

#include <stddef.h>
#include <stdint.h>

/* Returns the length of an instruction of AVX or AVX-512 (VEX, EVEX), of which there are always new ones; 0: it is
 * none, or is longer than `n`. */
size_t x86_vex_length(const uint8_t *bytes, size_t n);

#endif
