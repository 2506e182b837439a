/* Reads .eh_frame, a sequence of entries.  An FDE describes one function or a part of one; it
 * refers to a CIE, which says how the pointers in the FDE are encoded.  An entry:
 *
 *	length (4 bytes; or ~0 and 8 bytes) | CIE: 0; FDE: distance back to its CIE
 *	CIE: version, augmentation "zPLR\0", alignments, register, data for each letter
 *	FDE: address of the code, its length, ...
 *
 * The index (.eh_frame_hdr) has only the address of each function and of its FDE. */
#include "resolve/elf/frames.h"

#include "base/load.h"

#include <string.h>

enum {
	LENGTH_IS_WIDE = -1,
	LENGTH_RESERVED = -16, /* this length and larger ones are reserved */
	AUGMENTATION_MAX = 16,
	/* DW_EH_PE_*: encoding of a pointer */
	PTR_FORMAT = 0x0f,
	PTR_RELATIVE = 0x70,
	PTR_FROM_HERE = 0x10,
	PTR_FROM_DATA = 0x30,
	PTR_INDIRECT = 0x80,
	PTR_OMITTED = 0xff,
};

/* ---- reading numbers ------------------------------------------------------------ */

/* A bounds-checked reader.  A read beyond the end sets `bad`; from then on all reads return 0. */
struct cursor {
	const struct frames *f;
	const struct frames_bytes *in;
	size_t at, end;
	bool bad;
};

static inline uint64_t get(struct cursor *c, size_t n)
{
	if (c->bad || n > c->end - c->at) {
		c->bad = true;
		return 0;
	}
	uint64_t v = load_number(c->in->data + c->at, n, c->f->big);
	c->at += n;
	return v;
}

/* Reads a LEB128 number: 7 bits in each byte.  The encoding does not say whether the number is signed. */
static uint64_t get_leb(struct cursor *c, bool is_signed)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint64_t byte = get(c, 1);
		v |= (byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (is_signed && byte & 0x40 && shift + 7 < 64)
			v |= ~(uint64_t)0 << (shift + 7);
		return v;
	}
	c->bad = true;
	return 0;
}

static uint64_t extend(uint64_t v, unsigned bits)
{
	uint64_t sign = (uint64_t)1 << (bits - 1);
	return (v ^ sign) - sign;
}

static uint64_t get_formatted(struct cursor *c, uint8_t how)
{
	switch (how & PTR_FORMAT) {
	case 0x0:
		return get(c, c->f->wide ? 8 : 4);
	case 0x1:
		return get_leb(c, false);
	case 0x2:
		return get(c, 2);
	case 0x3:
		return get(c, 4);
	case 0x4:
	case 0xc:
		return get(c, 8);
	case 0x9:
		return get_leb(c, true);
	case 0xa:
		return extend(get(c, 2), 16);
	case 0xb:
		return extend(get(c, 4), 32);
	default:
		c->bad = true;
		return 0;
	}
}

/* Reads a pointer with the encoding `how`.  *data is the base of data-relative pointers; NULL: the base is unknown. */
static uint64_t get_pointer(struct cursor *c, uint8_t how, const uint64_t *data)
{
	uint64_t base = 0, relative = how & PTR_RELATIVE;
	if (relative == PTR_FROM_HERE)
		base = c->in->addr + c->at;
	else if (relative == PTR_FROM_DATA && data)
		base = *data;
	else if (relative)
		c->bad = true;
	if (how & PTR_INDIRECT) /* the result is the address of the pointer; also true of PTR_OMITTED */
		c->bad = true;
	uint64_t v = base + get_formatted(c, how);
	return c->f->wide ? v : v & UINT32_MAX;
}

/* ---- reading the table ----------------------------------------------------------- */

/* The CIE that was parsed last, kept because neighbouring FDEs share it. */
struct cie {
	bool known;
	size_t at;
	uint8_t how; /* encoding of the pointers in its FDEs */
};

struct reader {
	const struct frames *f;
	struct cie cie;
	void (*add)(void *ctx, uint64_t start, uint64_t size);
	void *ctx;
};

struct entry {
	struct cursor body; /* the bytes after the distance to the CIE */
	size_t link_at;
	uint32_t link; /* distance back to the CIE; 0: the entry is a CIE */
	bool terminator;
};

static bool read_entry(const struct frames *f, size_t at, struct entry *ret)
{
	struct cursor c = {.f = f, .in = &f->table, .at = at, .end = f->table.n};
	*ret = (struct entry){0};
	uint64_t length = get(&c, 4);
	if (length == (uint32_t)LENGTH_IS_WIDE)
		length = get(&c, 8);
	else if (length >= (uint32_t)LENGTH_RESERVED)
		return false;
	if (c.bad || length > c.end - c.at)
		return false;
	c.end = c.at + (size_t)length;
	ret->terminator = length == 0;
	ret->link_at = c.at;
	if (length)
		ret->link = (uint32_t)get(&c, 4);
	ret->body = c;
	return !c.bad;
}

/* Reads the augmentation data, of which only R, the encoding of pointers in FDEs, is needed.  `letters` are the
 * letters after the 'z'. */
static bool read_augmentation(struct cursor *c, const char *letters, uint8_t *how_ret)
{
	uint64_t n = get_leb(c, false);
	if (c->bad || n > c->end - c->at)
		return false;
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			*how_ret = (uint8_t)get(c, 1);
			return !c->bad;
		case 'P': /* pointer to a personality function, skipped */
			get_formatted(c, (uint8_t)get(c, 1));
			break;
		case 'L':
			get(c, 1);
			break;
		case 'S': /* signal frame */
		case 'B': /* signed return addresses and tagged stacks of aarch64 */
		case 'G':
			break;
		default:
			return false;
		}
	}
	return !c->bad;
}

static bool read_cie(const struct frames *f, size_t at, uint8_t *how_ret)
{
	struct entry e;
	if (!read_entry(f, at, &e) || e.terminator || e.link)
		return false;
	struct cursor *c = &e.body;
	uint64_t version = get(c, 1);
	char letters[AUGMENTATION_MAX + 1] = "";
	size_t n = 0;
	for (uint8_t byte; (byte = (uint8_t)get(c, 1)) && n < AUGMENTATION_MAX;)
		letters[n++] = (char)byte;
	if (c->bad || n == AUGMENTATION_MAX || (version != 1 && version != 3 && version != 4))
		return false;
	if (version == 4)
		get(c, 2); /* sizes of addresses and segments */
	bool eh = strcmp(letters, "eh") == 0;
	if (eh)
		get(c, f->wide ? 8 : 4);
	get_leb(c, false); /* alignments of code and data */
	get_leb(c, true);
	if (version == 1)
		get(c, 1); /* register of the return address */
	else
		get_leb(c, false);
	*how_ret = 0;
	if (letters[0] == 'z')
		return read_augmentation(c, letters + 1, how_ret);
	return !c->bad && (eh || !letters[0]);
}

/* Finds the CIE of an FDE, and sets *how_ret to the encoding of pointers in the FDE. */
static bool find_cie(struct reader *r, const struct entry *fde, uint8_t *how_ret)
{
	if (fde->link > fde->link_at)
		return false;
	size_t at = fde->link_at - fde->link;
	if (!r->cie.known || r->cie.at != at) {
		uint8_t how;
		if (!read_cie(r->f, at, &how))
			return false;
		r->cie = (struct cie){.known = true, .at = at, .how = how};
	}
	*how_ret = r->cie.how;
	return true;
}

/* Reads an FDE.  Skips an FDE that begins at address 0: the linker removed its code. */
static bool read_fde(struct reader *r, const struct entry *fde, uint64_t *start_ret)
{
	uint8_t how;
	if (!find_cie(r, fde, &how))
		return false;
	struct cursor c = fde->body;
	uint64_t start = get_pointer(&c, how, NULL), size = get_formatted(&c, how);
	if (c.bad || size > (r->f->wide ? (uint64_t)INT64_MAX : UINT32_MAX) || size > UINT64_MAX - start)
		return false;
	*start_ret = start;
	if (start && size)
		r->add(r->ctx, start, size);
	return true;
}

/* Reads all entries in order.  Some linkers join tables with their terminators, so reading goes
 * on after a terminator. */
static bool walk(struct reader *r)
{
	bool whole = true;
	struct entry e;
	for (size_t at = 0; at < r->f->table.n; at = e.body.end) {
		uint64_t start;
		if (!read_entry(r->f, at, &e))
			return false;
		if (e.terminator && r->f->to_terminator)
			return whole;
		if (e.link && !read_fde(r, &e, &start))
			whole = false;
	}
	return whole;
}

/* ---- reading the index ----------------------------------------------------------- */

struct index_head {
	struct cursor rest; /* begins at the first row */
	uint64_t table, rows;
	uint8_t how; /* encoding of the rows */
};

static bool read_index_head(const struct frames *f, struct index_head *ret)
{
	struct cursor c = {.f = f, .in = &f->index, .end = f->index.n};
	uint64_t version = get(&c, 1);
	uint8_t how_table = (uint8_t)get(&c, 1), how_count = (uint8_t)get(&c, 1), how = (uint8_t)get(&c, 1);
	*ret = (struct index_head){.how = how};
	if (version != 1 || c.bad)
		return false;
	ret->table = get_pointer(&c, how_table, &f->index.addr);
	if (c.bad)
		return false;
	if (how_count == PTR_OMITTED || how == PTR_OMITTED)
		return true; /* n 0: the index has no rows */
	ret->rows = get_pointer(&c, how_count, &f->index.addr);
	ret->rest = c;
	return !c.bad;
}

bool frames_table_addr(const struct frames *f, uint64_t *ret)
{
	struct index_head head;
	if (!read_index_head(f, &head))
		return false;
	*ret = head.table;
	return true;
}

static bool read_row(struct reader *r, struct index_head *head)
{
	uint64_t start = get_pointer(&head->rest, head->how, &r->f->index.addr), start_there;
	uint64_t offset = get_pointer(&head->rest, head->how, &r->f->index.addr) - r->f->table.addr;
	struct entry e;
	return !head->rest.bad && offset < r->f->table.n && read_entry(r->f, (size_t)offset, &e) && e.link &&
	       read_fde(r, &e, &start_there) && start_there == start;
}

static bool read_index(struct reader *r)
{
	struct index_head head;
	if (!read_index_head(r->f, &head) || !head.rows || head.table != r->f->table.addr)
		return false;
	for (uint64_t i = 0; i < head.rows; i++)
		if (!read_row(r, &head))
			return false;
	return true;
}

bool frames_read(const struct frames *f, void (*add)(void *ctx, uint64_t start, uint64_t size), void *ctx)
{
	struct reader r = {.f = f, .add = add, .ctx = ctx};
	return (f->index.n && read_index(&r)) || walk(&r);
}
