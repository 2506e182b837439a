/* Reads bytes of an ELF image, which is a file or memory. */
#include "os/file.h"
#include "resolve/elf/reader.h"

#include <string.h>

bool image_read(const struct image *im, uint64_t offset, void *buf, size_t n)
{
	if (offset > im->size || n > im->size - offset)
		return false;
	if (im->fd < 0) {
		memcpy(buf, im->bytes + offset, n);
		return true;
	}
	return os_pread(im->fd, buf, n, offset) == (ssize_t)n;
}

bool image_read_part(const struct image *im, uint64_t offset, uint64_t n, enum limit limit, size_t *left,
		     struct region *ret)
{
	*ret = (struct region){0};
	bool there = offset <= im->size && n <= im->size - offset;
	if (there && n > *left)
		image_reached(im, limit);
	if (n > *left || !image_read_region(im, offset, n, ret))
		return false;
	*left -= ret->n;
	return true;
}

bool image_read_limited(const struct image *im, uint64_t offset, uint64_t n, enum limit limit, struct region *ret)
{
	size_t left = (size_t)limit_row(limit)->value;
	return image_read_part(im, offset, n, limit, &left, ret);
}

bool image_read_region(const struct image *im, uint64_t offset, uint64_t n, struct region *ret)
{
	*ret = (struct region){0};
	if (!n || offset > im->size || n > im->size - offset || !region_reserve(ret, (size_t)n))
		return false;
	ret->n = (size_t)n;
	if (image_read(im, offset, ret->data, ret->n))
		return true;
	region_free(ret);
	return false;
}
