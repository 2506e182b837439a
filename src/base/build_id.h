/* Finds build-ids, which tell one build of a file from another, in the notes of ELF files. */
#ifndef BASE_BUILD_ID_H
#define BASE_BUILD_ID_H

#include <cyctop/base.h>

struct build_id {
	uint8_t size; /* length in bytes; 0: there is no build-id */
	uint8_t bytes[20];
};
/* Finds the build-id in the notes of a section or segment of an ELF file of either class, or of /sys/kernel/notes.
 * `swap`: the notes are in the other byte order. */
void notes_build_id(const uint8_t *notes, size_t n, bool swap, struct build_id *ret);

#endif
