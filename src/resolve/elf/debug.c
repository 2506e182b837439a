/* Finds the separate debug file with the symbols of a stripped program. Candidates are found by build-id and by file
 * name. A candidate is used only if it is certainly of the same build: by its build-id or, if either file has none, by
 * the checksum in .gnu_debuglink. */
#include "base/limits.h"
#include "resolve/elf/open.h"
#include "resolve/elf/reader.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	LINK_MAX = 1024,
	PATH_CAP = 4600,
	CRC_PIECE = 64 * 1024,
};

struct search {
	const struct image *program;
	struct build_id id;
	const struct debug_places *places;
	char link[LINK_MAX]; /* file name in .gnu_debuglink; "": the program has no such section */
	uint32_t crc;
	struct symtab_builder *b;
	struct debug_found *found;
};

/* ---- checking that a debug file is of the program's build ---------------------------- */

static uint32_t crc_step(uint32_t crc)
{
	for (int k = 0; k < 8; k++)
		crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	return crc;
}

/* Computes the CRC-32 of a file, as in zip and .gnu_debuglink.  Returns false if the file is too large or
 * unreadable. */
static bool crc_of(const struct image *im, uint32_t *ret)
{
	uint32_t table[256], crc = UINT32_MAX;
	uint8_t piece[CRC_PIECE];
	if (im->size > LIMIT_CHECKSUM_BYTES) {
		image_reached(im, REACHED_CHECKSUM_BYTES);
		return false;
	}
	for (uint32_t i = 0; i < 256; i++)
		table[i] = crc_step(i);
	for (uint64_t at = 0; at < im->size;) {
		size_t n = im->size - at < CRC_PIECE ? (size_t)(im->size - at) : CRC_PIECE;
		if (!image_read(im, at, piece, n))
			return false;
		for (size_t i = 0; i < n; i++)
			crc = crc >> 8 ^ table[(crc ^ piece[i]) & 0xff];
		at += n;
	}
	*ret = ~crc;
	return true;
}

static bool is_same_build(struct search *s, const struct image *im, bool by_link)
{
	struct build_id id;
	uint32_t crc;
	image_build_id(im, &id);
	if (s->id.size && id.size) {
		if (build_id_is(&id, &s->id))
			return true;
	} else if (by_link && s->link[0] && crc_of(im, &crc) && crc == s->crc) {
		return true;
	}
	s->found->other_build = true;
	return false;
}

/* ---- trying a candidate for the debug file --------------------------------------------- */

static bool add_symbols(struct search *s, const struct image *im)
{
	struct symbols_source from = {
		.section = image_section_of_type(im, SHT_SYMTAB),
		.origin = ORIGIN_DEBUG_FILE,
		.move = image_moved_by(s->program, im),
	};
	if (!s->b)
		return true;
	size_t before = symtab_builder_count(s->b);
	if (!image_add_symbols(im, &from, s->b))
		s->found->damaged = true;
	return symtab_builder_count(s->b) > before;
}

static bool try_file(struct search *s, const char *root, const char *path, bool by_link)
{
	uint64_t size;
	int fd = open_below(root, path, &size);
	if (fd < 0)
		return false;
	struct image im;
	struct dso_image ignored = {0};
	bool ok = image_open_file(&im, fd, size, true, &ignored) == 0 && image_section_of_type(&im, SHT_SYMTAB) &&
		  is_same_build(s, &im, by_link) && add_symbols(s, &im);
	image_close(&im);
	if (ok && !s->b)
		s->found->fd = fd;
	else
		close(fd);
	if (s->program->limits)
		limit_add(s->program->limits, &ignored.limits);
	if (ok)
		s->found->file = path_below(root, path);
	return ok;
}

/* ---- candidate paths of the debug file ------------------------------------------------- */

static bool try_by_id(struct search *s, const char *root)
{
	char path[PATH_CAP];
	build_id_place(path, sizeof(path), "/usr/lib/debug", &s->id, ".debug");
	return s->id.size && try_file(s, root, path, false);
}

/* Tries the caches that perf and debuginfod keep in the user's home. */
static bool try_home(struct search *s)
{
	static const char *const kept[] = {"/debug", "/elf"};
	char path[PATH_CAP], hex[2 * sizeof(s->id.bytes) + 1];
	if (!s->places->home || s->places->home[0] != '/' || !s->id.size)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		build_id_cached(path, sizeof(path), s->places->home, &s->id, kept[i]);
		if (try_file(s, "/", path, false))
			return true;
	}
	for (size_t i = 0; i < s->id.size; i++)
		snprintf(hex + 2 * i, 3, "%02x", s->id.bytes[i]);
	snprintf(path, sizeof(path), "%.2048s/.cache/debuginfod_client/%s/debuginfo", s->places->home, hex);
	return try_file(s, "/", path, false);
}

/* Tries the file name in .gnu_debuglink or, without that section, the program's name with ".debug": in the program's
 * directory (if own_root: `root` is the program's own), and below /usr/lib/debug. */
static bool try_by_name(struct search *s, const char *root, bool own_root)
{
	const char *program = s->places->path;
	const char *slash = program && program[0] == '/' ? strrchr(program, '/') : NULL;
	if (!slash)
		return false;
	char name[LINK_MAX + 8], path[PATH_CAP];
	int dir = (int)(slash - program);
	if (s->link[0])
		snprintf(name, sizeof(name), "%s", s->link);
	else
		snprintf(name, sizeof(name), "%.*s.debug", LINK_MAX, slash + 1);
	static const char *const ways[][2] = {{"", ""}, {"", "/.debug"}, {"/usr/lib/debug", ""}};
	for (size_t i = own_root ? 0 : 2; i < ARRAY_LEN(ways); i++) {
		int n = snprintf(path, sizeof(path), "%s%.*s%s/%s", ways[i][0], dir, program, ways[i][1], name);
		if (n > 0 && (size_t)n < sizeof(path) && try_file(s, root, path, true))
			return true;
	}
	return false;
}

/* Reads .gnu_debuglink: a file name, padding to 4 bytes, the CRC-32 of the file. */
static void read_link(struct search *s)
{
	size_t i = image_section(s->program, ".gnu_debuglink");
	struct region r;
	if (!i)
		return;
	const Elf64_Shdr *sh = &s->program->sections.data[i];
	if (sh->sh_size > LINK_MAX + 8 || !image_read_region(s->program, sh->sh_offset, sh->sh_size, &r))
		return;
	size_t n = strnlen((char *)r.data, r.n), at = (n / 4 + 1) * 4;
	if (n && n < LINK_MAX && at + 4 <= r.n && !memchr(r.data, '/', n)) {
		memcpy(s->link, r.data, n);
		s->link[n] = '\0';
		for (unsigned k = 0; k < 4; k++)
			s->crc |= (uint32_t)r.data[at + k] << 8 * (s->program->big ? 3 - k : k);
	}
	region_free(&r);
}

bool image_add_debug_file(const struct image *im, const struct debug_places *places, struct symtab_builder *b,
			  struct debug_found *ret)
{
	*ret = (struct debug_found){.fd = -1};
	struct search s = {.program = im, .places = places, .b = b, .found = ret};
	image_build_id(im, &s.id);
	read_link(&s);
	if (!s.id.size && !s.link[0])
		return false;
	for (size_t i = 0; i < ARRAY_LEN(places->roots) && places->roots[i]; i++)
		if (try_by_id(&s, places->roots[i]) || try_by_name(&s, places->roots[i], i == 0))
			return true;
	return try_home(&s);
}
