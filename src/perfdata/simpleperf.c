/* Parses sections of Android's simpleperf: FILE and FILE2, the symbols of mapped files; META_INFO, a list of keys with
 * values. */
#include "perfdata/internal.h"

#include "base/alloc.h"

#include <stdlib.h>

enum { DSO_KERNEL, DSO_KERNEL_MODULE, DSO_ELF_FILE, DSO_DEX_FILE };

/* Size in bytes of the smallest symbol in FILE2; limits how many symbols are expected in a section. */
enum { SYMBOL_MIN = 7 };

/* The buffer that holds the names of one file's symbols. */
struct names {
	size_t n, cap;
};

static struct pd_file_symbols *add_file(struct pd_info *info)
{
	size_t n = info->file_symbols_n;
	if (!(n & (n + 1)))
		info->file_symbols = mem_realloc(info->file_symbols, 2 * n + 1, sizeof(*info->file_symbols));
	info->file_symbols[n] = (struct pd_file_symbols){0};
	info->file_symbols_n++;
	return &info->file_symbols[n];
}

/* Allocates memory for `symbols` symbols, whose names take at most `bytes`. */
static void reserve(struct pd_file_symbols *f, size_t symbols, size_t bytes)
{
	f->symbols = mem_calloc(symbols ? symbols : 1, sizeof(*f->symbols));
	f->names = mem_calloc(bytes + symbols + 1, 1);
}

static void add_symbol(struct pd_file_symbols *f, struct names *names, uint64_t addr, uint64_t len, struct chars name)
{
	char *to = f->names + names->n;
	memcpy(to, name.data, name.n);
	names->n += name.n + 1;
	f->symbols[f->symbols_n++] = (struct pd_symbol){addr, len, to};
}

/* Reads a NUL-terminated string. */
static struct chars take_terminated(struct cursor *c)
{
	const void *end = c->bad ? NULL : memchr(c->p, 0, (size_t)(c->end - c->p));
	struct chars s = {(const char *)c->p, end ? (size_t)((const uint8_t *)end - c->p) : 0};
	cursor_take(c, end ? s.n + 1 : UINT64_MAX);
	return s;
}

/* Parses an entry of FILE: path, type, min_vaddr, number of symbols, the symbols; then for a dex file a list of
 * offsets, for an ELF file the file offset of min_vaddr. */
static bool parse_file(struct pd_info *info, struct cursor *c)
{
	struct chars path = take_terminated(c);
	uint32_t type = cursor_u32(c);
	uint64_t min_vaddr = cursor_u64(c);
	uint32_t n = cursor_u32(c);
	if (c->bad || n > cursor_left(c) / 13)
		return false;
	struct pd_file_symbols *f = add_file(info);
	f->path = chars_copy(path);
	f->min_vaddr = min_vaddr;
	f->kernel = type == DSO_KERNEL;
	struct names names = {0};
	reserve(f, n, cursor_left(c));
	for (uint32_t i = 0; i < n; i++) {
		uint64_t addr = cursor_u64(c);
		uint32_t len = cursor_u32(c);
		struct chars name = take_terminated(c);
		if (c->bad)
			return false;
		add_symbol(f, &names, addr, len, name);
	}
	if (type == DSO_DEX_FILE) {
		uint32_t offsets = cursor_u32(c);
		cursor_array(c, offsets, 8);
	} else if (type == DSO_ELF_FILE && cursor_left(c)) {
		f->min_vaddr_offset = cursor_u64(c);
	}
	return !c->bad;
}

bool simpleperf_file(struct pd_info *info, struct cursor *c)
{
	while (cursor_left(c) >= 4) {
		uint32_t n = cursor_u32(c);
		const uint8_t *p = cursor_take(c, n);
		struct cursor file = cursor_of(p, p ? n : 0, c->swap);
		if (!p || !parse_file(info, &file))
			return false;
	}
	return true;
}

/* ---- parsing the section FILE2: messages of protocol buffers ------------------------ */

static uint64_t varint(struct cursor *c)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		const uint8_t *p = cursor_take(c, 1);
		if (!p)
			return 0;
		v |= (uint64_t)(*p & 0x7f) << shift;
		if (!(*p & 0x80))
			return v;
	}
	c->bad = true;
	return 0;
}

/* One field of a protocol buffers message: a number, or the bytes of a nested message or string. */
struct proto {
	uint64_t field, value;
	struct cursor bytes;
};
static bool proto_next(struct cursor *c, struct proto *ret)
{
	if (!cursor_left(c))
		return false;
	uint64_t tag = varint(c);
	*ret = (struct proto){.field = tag >> 3};
	const uint8_t *p;
	switch (tag & 7) {
	case 0:
		ret->value = varint(c);
		break;
	case 1:
		cursor_take(c, 8);
		break;
	case 2:
		ret->value = varint(c);
		p = cursor_take(c, ret->value);
		ret->bytes = cursor_of(p, p ? ret->value : 0, false);
		break;
	case 5:
		cursor_take(c, 4);
		break;
	default:
		c->bad = true;
	}
	return !c->bad;
}

static struct chars proto_chars(struct proto f)
{
	return cursor_chars(&f.bytes, cursor_left(&f.bytes));
}

/* Parses a symbol.  Field numbers: vaddr = 1, len = 2, name = 3. */
static bool parse_symbol(struct cursor c, uint64_t *addr, uint64_t *len, struct chars *name)
{
	struct proto f;
	*addr = *len = 0;
	*name = (struct chars){"", 0};
	while (proto_next(&c, &f)) {
		if (f.field == 1)
			*addr = f.value;
		else if (f.field == 2)
			*len = f.value;
		else if (f.field == 3)
			*name = proto_chars(f);
	}
	return !c.bad;
}

static size_t count_symbols(struct cursor c)
{
	struct proto f;
	size_t n = 0;
	while (proto_next(&c, &f))
		n += f.field == 4 && cursor_left(&f.bytes) >= SYMBOL_MIN;
	return n;
}

/* Parses a file.  Field numbers: path = 1, type = 2, min_vaddr = 3, symbol = 4, elf_file = 6 {min_vaddr_offset = 1}. */
static bool parse_file2(struct pd_info *info, struct cursor *c)
{
	struct proto field, inner;
	struct names names = {0};
	struct pd_file_symbols *f = add_file(info);
	reserve(f, count_symbols(*c), cursor_left(c));
	f->kernel = true; /* the kernel's type is 0, and protocol buffers omit zeros */
	while (proto_next(c, &field)) {
		uint64_t addr, len;
		struct chars name;
		if (field.field == 1)
			chars_replace(&f->path, proto_chars(field));
		else if (field.field == 2)
			f->kernel = field.value == DSO_KERNEL;
		else if (field.field == 3)
			f->min_vaddr = field.value;
		else if (field.field == 6 && proto_next(&field.bytes, &inner) && inner.field == 1)
			f->min_vaddr_offset = inner.value;
		if (field.field != 4 || cursor_left(&field.bytes) < SYMBOL_MIN)
			continue;
		if (!parse_symbol(field.bytes, &addr, &len, &name))
			return false;
		if (name.n)
			add_symbol(f, &names, addr, len, name);
	}
	if (!f->path)
		f->path = chars_copy((struct chars){"", 0});
	return !c->bad;
}

bool simpleperf_file2(struct pd_info *info, struct cursor *c)
{
	while (cursor_left(c) >= 4) {
		uint32_t n = cursor_u32(c);
		const uint8_t *p = cursor_take(c, n);
		struct cursor file = cursor_of(p, p ? n : 0, false);
		if (!p || !parse_file2(info, &file))
			return false;
	}
	return true;
}

/* ---- parsing the section META_INFO ---------------------------------------------------- */

/* Parses a line "name,type,config".  Gives the name to unnamed events with this type and config, unless the type has
 * generic names; tracepoints, for instance, have none. */
static void name_event(struct pd_info *info, struct chars line)
{
	char buf[256];
	if (line.n >= sizeof(buf))
		return;
	memcpy(buf, line.data, line.n);
	buf[line.n] = 0;
	char *config = strrchr(buf, ',');
	if (config)
		*config++ = 0;
	char *type = config ? strrchr(buf, ',') : NULL;
	if (!type)
		return;
	*type++ = 0;
	uint64_t t = strtoull(type, NULL, 0), c = strtoull(config, NULL, 0);
	for (size_t i = 0; i < info->events_n; i++) {
		struct pd_event *e = &info->events[i];
		bool nameless = t == ABI_TYPE_TRACEPOINT || t == ABI_TYPE_RAW || t > ABI_TYPE_BREAKPOINT;
		if (nameless && !e->name && e->attr.type == t && e->attr.config == c)
			e->name = chars_copy((struct chars){buf, strlen(buf)});
	}
}

bool simpleperf_meta(struct pd_info *info, struct cursor *c)
{
	static const char key_wanted[] = "event_type_info";
	while (cursor_left(c)) {
		struct chars key = take_terminated(c), value = take_terminated(c);
		if (c->bad)
			return false;
		if (key.n != sizeof(key_wanted) - 1 || memcmp(key.data, key_wanted, key.n) != 0)
			continue;
		while (value.n) {
			const char *nl = memchr(value.data, '\n', value.n);
			size_t n = nl ? (size_t)(nl - value.data) : value.n;
			name_event(info, (struct chars){value.data, n});
			n += nl ? 1 : 0;
			value.data += n;
			value.n -= n;
		}
	}
	return true;
}
