/* Build-ids, which tell one build of a file from another, in the notes of ELF files. */
#ifndef BASE_BUILD_ID_H
#define BASE_BUILD_ID_H

#include <cyctop/base.h>

struct build_id {
	uint8_t size; /* 0: none */
	uint8_t bytes[20];
};
/* Finds the build-id in notes: a section or segment of an ELF file of either class, or /sys/kernel/notes.
 * `swap`: they are in the other byte order. */
void notes_build_id(const uint8_t *notes, size_t n, bool swap, struct build_id *ret);

#endif
