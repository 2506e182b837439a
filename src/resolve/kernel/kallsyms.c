/* Parses /proc/kallsyms.  It has more than a hundred thousand lines, so it is read in large pieces and parsed by hand.
 * Two lines:
 *
 * 	ffffffff81000000 T _stext
 * 	ffffffffc0201000 t some_function<TAB>[module] */
#include "resolve/elf/image.h"
#include "resolve/elf/open.h"
#include "resolve/kernel/hidden.h"
#include "resolve/table/symtab.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "os/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	CHUNK = 64 * 1024,
	LINE_BYTES = 128, /* above the mean line length of any kernel */
};

/* Maximum bytes to read: a file given by the user may be endless. */
#define READ_MOST ((uint64_t)LIMIT_KERNEL_SYMBOLS * LINE_BYTES)

struct parser {
	struct symtab_builder *builder;
	size_t functions;      /* functions, with or without address */
	size_t shown;	       /* those whose address is not hidden (0) */
	const char *reference; /* symbol whose address is wanted, or NULL */
	size_t reference_n;
	uint64_t reference_addr;
	uint64_t read_bytes;
	bool modules_only;
};

/* [character]: value of a hexadecimal digit + 1; 0: no digit.  A table, because branches on the digits of addresses are
 * mispredicted. */
static const uint8_t hex_digit[256] = {
	['0'] = 1, ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
	['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

static int rank_of(char type)
{
	switch (type) {
	case 'T':
		return 3;
	case 'W':
	case 'w':
		return 2;
	case 't':
		return 1;
	}
	return -1;
}

/* Returns true for the padding before a function, which never runs. */
static bool is_padding(const char *name, size_t n)
{
	static const char prefix[] = "__pfx_";
	return n >= sizeof(prefix) && memcmp(name, prefix, sizeof(prefix) - 1) == 0;
}

/* Returns true for symbols that are no functions: padding and assembler labels. */
static bool is_noise(const char *name, size_t n)
{
	return !n || name[0] == '$' || name[0] == '.' || is_padding(name, n);
}

/* Parses a line of n bytes, without newline; `line` is modified. */
static void parse_line(struct parser *p, char *line, size_t n)
{
	enum { DIGITS = 16, NAME = DIGITS + 3 }; /* of an address of 64 bits, and where its name begins */
	uint64_t addr = 0;
	size_t i = 0;
	if (n > NAME && line[DIGITS] == ' ' && is_padding(line + NAME, n - NAME)) /* on x86-64 half of all lines */
		return;
	for (unsigned d; i < n && i < DIGITS && (d = hex_digit[(uint8_t)line[i]]); i++)
		addr = addr << 4 | (d - 1);
	if (!i || n - i < 4 || line[i] != ' ' || line[i + 2] != ' ')
		return;
	int rank = rank_of(line[i + 1]);
	char *name = line + i + 3;
	size_t left = n - i - 3;
	if (left == p->reference_n && memcmp(p->reference, name, left) == 0)
		p->reference_addr = addr;
	if (rank < 0)
		return;
	char *tab = memchr(name, '\t', left);
	size_t name_n = tab ? (size_t)(tab - name) : left;
	const char *module = NULL;
	if (tab && left >= name_n + 4 && tab[1] == '[' && name[left - 1] == ']') {
		name[left - 1] = '\0';
		module = tab + 2;
	}
	if (is_noise(name, name_n))
		return;
	p->functions++;
	if (!addr)
		return;
	p->shown++;
	if (p->modules_only && !module)
		return;
	if (p->shown <= LIMIT_KERNEL_SYMBOLS)
		symtab_add_bytes(p->builder, addr, 0, name, name_n, rank, module);
}

/* Parses the whole lines in buf[0..n) and returns their length. `last`: also parses a last line without newline. A line
 * longer than the buffer is parsed in parts, none of which is a valid line. */
static size_t parse_chunk(struct parser *p, char *buf, size_t n, bool last)
{
	size_t at = 0;
	for (char *nl; at < n && (nl = memchr(buf + at, '\n', n - at)); at = (size_t)(nl - buf) + 1)
		parse_line(p, buf + at, (size_t)(nl - buf) - at);
	if (last || (at == 0 && n == CHUNK)) {
		parse_line(p, buf + at, n - at);
		at = n;
	}
	return at;
}

static int parse_file(struct parser *p, int fd)
{
	char *buf = mem_calloc(CHUNK + 1, 1);
	size_t n = 0;
	ssize_t got = 1;
	while (got && p->read_bytes < READ_MOST) {
		got = os_read_some(fd, buf + n, CHUNK - n);
		if (got < 0)
			break;
		n += (size_t)got;
		p->read_bytes += (size_t)got;
		size_t used = parse_chunk(p, buf, n, got == 0);
		memmove(buf, buf + used, n - used);
		n -= used;
	}
	free(buf);
	return got < 0 ? (int)got : 0;
}

static int read_table(const char *path, struct parser *p, struct dso_image *ret)
{
	if (ret->code)
		return dso_image_fail(ret, ENODATA,
				      "of that kernel only the names are here, not the code: --vmlinux FILE has it");
	uint64_t size;
	int fd = open_given(path, &size);
	if (fd < 0)
		return dso_image_fail(ret, ENODATA, "%.60s cannot be read (CONFIG_KALLSYMS?)", path);
	p->builder = symtab_builder_create();
	symtab_origin(p->builder, ORIGIN_KALLSYMS);
	int r = parse_file(p, fd);
	close(fd);
	if (p->shown > LIMIT_KERNEL_SYMBOLS || p->read_bytes >= READ_MOST)
		limit_reached(&ret->limits, REACHED_KERNEL_SYMBOLS);
	if (r == 0 && p->shown) {
		dso_image_take_table(ret, p->builder);
		return 0;
	}
	symtab_builder_destroy(p->builder);
	if (p->functions) {
		char why[sizeof(ret->why)];
		struct hiding how;
		hiding_read(&how);
		hidden_why(&how, why, sizeof(why));
		return dso_image_fail(ret, EPERM, "%s", why);
	}
	return dso_image_fail(ret, ENODATA, "%.60s names no function", path);
}

int kallsyms_read(const char *path, const char *reference, uint64_t *reference_ret, struct dso_image *ret)
{
	struct parser p = {.reference = reference, .reference_n = reference ? strlen(reference) : 0};
	int r = read_table(path, &p, ret);
	if (reference)
		*reference_ret = p.reference_addr;
	return r;
}

static int load_kallsyms(void *ctx, const struct dso_key *key, struct dso_image *ret)
{
	struct parser p = {.modules_only = strcmp(key->path, "[modules]") == 0};
	if (!p.modules_only && strcmp(key->path, "[kernel]") != 0)
		return -ENOENT;
	return read_table(ctx ? ctx : "/proc/kallsyms", &p, ret);
}

const struct symbolizer symbolizer_kallsyms = {.name = "kallsyms", .load = load_kallsyms};
