/* Finds the file offset at which a function starts, for uprobes. */
#include "base/words.h"
#include "resolve/elf/image.h"
#include "resolve/elf/open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Finds the address of the symbol `name`. Returns false if the table lacks it, and sets `near` to the most similar
 * name, or to "". */
static bool find_name(const struct symtab *t, const char *name, uint64_t *ret, char *near, size_t cap)
{
	unsigned least = UINT32_MAX;
	struct symtab_hit hit;
	for (uint32_t i = 0; t && i < symtab_count(t); i++) {
		symtab_get(t, i, &hit);
		*ret = hit.addr;
		if (strcmp(hit.name, name) == 0)
			return true;
		if (strlen(hit.name) >= cap || !word_is_near(name, hit.name) || word_distance(name, hit.name) >= least)
			continue;
		least = word_distance(name, hit.name);
		snprintf(near, cap, "%s", hit.name);
	}
	return false;
}

static bool offset_of(const struct dso_image *image, uint64_t address, uint64_t *ret)
{
	for (size_t i = 0; i < image->segments_n; i++) {
		const struct segment *s = &image->segments[i];
		*ret = address - s->vaddr + s->offset;
		if (address >= s->vaddr && address - s->vaddr < s->size)
			return true;
	}
	return false;
}

static int find(int fd, const char *path, const char *name, const struct dso_image *image, uint64_t *ret,
		struct error *err)
{
	char near[96] = "";
	uint64_t address;
	if ((elf_find_symbol(fd, name, NULL, &address) ||
	     find_name(image->symtab, name, &address, near, sizeof(near))) &&
	    offset_of(image, address, ret))
		return 0;
	if (*near)
		return error_set(err, ENOENT, "%s has no function '%s': '%s' is one", path, name, near);
	return error_set(err, ENOENT,
			 "%s has no function '%s'%s%s: name one that is not inlined everywhere (nm -D, nm), or its "
			 "offset in the file",
			 path, name, *image->why ? "; " : "", image->why);
}

/* Checks that a function begins at an offset.  A probe in the middle of an instruction breaks the program; so does a
 * return probe where the return address is not on top of the stack. */
static int check(const char *path, uint64_t offset, const struct dso_image *image, struct error *err)
{
	struct symtab_hit hit;
	for (size_t i = 0; i < image->segments_n; i++) {
		const struct segment *s = &image->segments[i];
		if (offset < s->offset || offset - s->offset >= s->size)
			continue;
		uint64_t address = offset - s->offset + s->vaddr, begin;
		if (!image->symtab || !symtab_find(image->symtab, address, &hit) || hit.addr == address)
			return 0;
		begin = offset - (address - hit.addr);
		return error_set(err, EINVAL, "%s: 0x%llx is within a function%s%.60s: it begins at 0x%llx", path,
				 (unsigned long long)offset, *hit.name ? ", " : "", hit.name,
				 (unsigned long long)begin);
	}
	return error_set(err, EINVAL, "%s has no code at 0x%llx", path, (unsigned long long)offset);
}

/* Returns true if the user wrote a file offset (a number) instead of a name. */
static bool is_offset(const char *name, uint64_t *ret)
{
	char *rest;
	errno = 0;
	*ret = strtoull(name, &rest, 0);
	return *name >= '0' && *name <= '9' && !*rest && !errno;
}

int function_offset(const char *path, const char *name, uint64_t *ret, struct error *err)
{
	const struct debug_places places = {.path = path, .roots = {"/"}};
	struct dso_image image = {0};
	uint64_t size;
	int fd = open_given(path, &size);
	if (fd == -EINVAL)
		return error_set(err, EINVAL, "%s is not a regular file: a probe needs a program or library", path);
	if (fd < 0)
		return error_set(err, -fd, "%s: %s: name a program or library that you may read", path, strerror(-fd));
	int rc = elf_read_program(fd, size, &places, &image);
	if (image.segments_n)
		rc = is_offset(name, ret) ? check(path, *ret, &image, err) : find(fd, path, name, &image, ret, err);
	else
		error_set(err, -rc, "%s: %s: name a program or library", path, image.why);
	close(fd);
	dso_image_deinit(&image);
	return rc;
}
