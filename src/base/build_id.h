/* Finds build-ids, which tell one build of a file from another, in the notes of ELF files. */
#ifndef BASE_BUILD_ID_H
#define BASE_BUILD_ID_H

#include <cyctop/base.h>

#include <string.h>

struct build_id {
	uint8_t size; /* length in bytes; 0: there is no build-id */
	uint8_t bytes[20];
};
/* Returns true if both build-ids are known, and equal. */
static inline bool build_id_is(const struct build_id *a, const struct build_id *b)
{
	return a->size && a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}
/* Returns the build-id with these bytes, which a recording has.  Its size is 0 if the bytes are too many for one. */
static inline struct build_id build_id_of(const uint8_t *bytes, size_t size)
{
	struct build_id id = {.size = size <= sizeof(id.bytes) ? (uint8_t)size : 0};
	memcpy(id.bytes, bytes, id.size);
	return id;
}
/* Finds the build-id in the notes of a section or segment of an ELF file of either class, or of /sys/kernel/notes.
 * `swap`: the notes are in the other byte order. */
void notes_build_id(const uint8_t *notes, size_t n, bool swap, struct build_id *ret);

#endif
