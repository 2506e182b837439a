#include "base/build_id.h"

#include <string.h>

enum {
	NOTE_GNU_BUILD_ID = 3,
};

static uint32_t word_at(const uint8_t *p, bool swap)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

/* Each note is: name size, description size, type, name, description; the latter two are padded to 4 bytes. */
void notes_build_id(const uint8_t *notes, size_t n, bool swap, struct build_id *ret)
{
	*ret = (struct build_id){0};
	for (size_t at = 0; n - at >= 12;) {
		uint64_t name_n = word_at(notes + at, swap), desc_n = word_at(notes + at + 4, swap);
		uint32_t type = word_at(notes + at + 8, swap);
		uint64_t name = at + 12, desc = name + ((name_n + 3) & ~3ull), end = desc + ((desc_n + 3) & ~3ull);
		if (desc + desc_n > n)
			return;
		if (type == NOTE_GNU_BUILD_ID && name_n == 4 && memcmp(notes + name, "GNU", 4) == 0 && desc_n &&
		    desc_n <= sizeof(ret->bytes)) {
			ret->size = (uint8_t)desc_n;
			memcpy(ret->bytes, notes + desc, desc_n);
			return;
		}
		if (end > n)
			return;
		at = (size_t)end;
	}
}
