/* Parses the jitdump format: a header of 40 bytes, then records that begin with {id, total size, time}. */
#include "base/cursor.h"
#include "resolve/jit/jit.h"

enum {
	HEADER_BYTES = 40,
	PREFIX_BYTES = 16,
	LOAD_BYTES = 40, /* fixed part of a LOAD record; the name follows */
	MOVE_BYTES = 48,
	NAME_MAX_BYTES = 4096,
	VERSION_KNOWN = 1,
	TICKS_FLAG = 1, /* header flag: times are CPU ticks */
};
static const uint32_t magic = 0x4a695444;

enum { /* record ids */
       CODE_LOAD,
       CODE_MOVE,
       CODE_DEBUG_INFO,
       CODE_CLOSE,
       CODE_UNWINDING_INFO,
};

static uint64_t stop(struct jitdump *d, const char *why)
{
	d->why = why;
	return 0;
}

static uint64_t read_header(struct jitdump *d, struct cursor *c)
{
	uint32_t m = cursor_u32(c);
	d->swap = c->swap = m == __builtin_bswap32(magic);
	if (m != magic && !d->swap)
		return stop(d, "it is not a jitdump file");
	d->version = cursor_u32(c);
	uint32_t size = cursor_u32(c);
	d->machine = cursor_u32(c);
	cursor_u32(c); /* padding */
	d->pid = cursor_u32(c);
	d->time_ns = cursor_u64(c);
	d->ticks = cursor_u64(c) & TICKS_FLAG;
	if (d->version > VERSION_KNOWN)
		return stop(d, "it is of a version of jitdump that is not known");
	if (size < HEADER_BYTES)
		return stop(d, "its header is damaged");
	d->begun = true;
	return size;
}

static bool is_code(const struct jit_code *code)
{
	return code->size && code->addr <= UINT64_MAX - code->size;
}

/* Parses a LOAD record.  Returns false if its name is not complete yet. */
static bool read_load(struct jitdump *d, struct cursor *c, struct jit_code *code, uint64_t left, jit_code_fn *add,
		      void *ctx)
{
	cursor_u32(c); /* pid */
	cursor_u32(c); /* tid */
	cursor_u64(c); /* vma: address that the code was compiled for */
	code->addr = cursor_u64(c);
	code->size = cursor_u64(c);
	code->index = cursor_u64(c);
	if (c->bad)
		return false;
	uint64_t room = left - LOAD_BYTES, there = (uint64_t)(c->end - c->p);
	size_t most = (size_t)(room < there ? room : there);
	most = most < NAME_MAX_BYTES ? most : NAME_MAX_BYTES;
	code->name = (const char *)c->p;
	code->name_n = strnlen(code->name, most);
	if (code->name_n == most && most < room && most < NAME_MAX_BYTES)
		return false;
	if (code->name_n && is_code(code))
		add(ctx, code);
	else
		d->damaged++;
	return true;
}

static bool read_move(struct jitdump *d, struct cursor *c, struct jit_code *code, jit_code_fn *add, void *ctx)
{
	cursor_u32(c); /* pid */
	cursor_u32(c); /* tid */
	cursor_u64(c); /* vma */
	cursor_u64(c); /* old address */
	code->addr = cursor_u64(c);
	code->size = cursor_u64(c);
	code->index = cursor_u64(c);
	code->moved = true;
	if (c->bad)
		return false;
	if (is_code(code))
		add(ctx, code);
	else
		d->damaged++;
	return true;
}

/* Parses the record at the cursor.  Returns its size; 0: it is not complete yet, or unreadable (d->why). */
static uint64_t read_record(struct jitdump *d, struct cursor *c, jit_code_fn *add, void *ctx)
{
	uint32_t id = cursor_u32(c), size = cursor_u32(c);
	struct jit_code code = {.time_ns = cursor_u64(c), .numbered = true};
	if (c->bad)
		return 0;
	if (size < PREFIX_BYTES)
		return stop(d, "it is damaged: a record has no size");
	uint64_t left = size - PREFIX_BYTES;
	bool whole = true;
	if ((id == CODE_LOAD && left <= LOAD_BYTES) || (id == CODE_MOVE && left < MOVE_BYTES))
		d->damaged++;
	else if (id == CODE_LOAD)
		whole = read_load(d, c, &code, left, add, ctx);
	else if (id == CODE_MOVE)
		whole = read_move(d, c, &code, add, ctx);
	else if (id == CODE_CLOSE)
		d->closed = true;
	return whole ? size : 0;
}

uint64_t jitdump_read(struct jitdump *d, const uint8_t *bytes, size_t n, jit_code_fn *add, void *ctx)
{
	uint64_t at = 0;
	while (!d->why && !d->closed && at < n) {
		struct cursor c = {.base = bytes + at, .p = bytes + at, .end = bytes + n, .swap = d->swap};
		if (!d->begun && n - at < HEADER_BYTES)
			break;
		uint64_t used = d->begun ? read_record(d, &c, add, ctx) : read_header(d, &c);
		if (!used)
			break;
		at += used;
	}
	return at;
}
