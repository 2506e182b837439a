/* Parses .eh_frame or .debug_frame, a sequence of entries.  An FDE (frame description entry) describes a function or a
 * part of one; it refers to a CIE, which tells the encoding of the FDE's pointers.  An entry:
 *
 * 	length (4 bytes; or ~0 and 8 bytes) | CIE: 0; FDE: distance back to its CIE
 * 	CIE: version, augmentation "zPLR\0", alignments, register, data for each letter
 * 	FDE: address of the code, its length, data, CFA instructions
 *
 * In .debug_frame a CIE has ~0 instead of 0, and an FDE the offset of its CIE in the table.
 *
 * The index (.eh_frame_hdr) has the address of each function and of its FDE. */
#include "unwind/read.h"

#include <cyctop/unwind.h>

#include <string.h>

enum {
	LENGTH_IS_WIDE = -1,
	LENGTH_RESERVED = -16, /* as uint32_t, 0xfffffff0 and above are reserved by DWARF */
	AUGMENTATION_MAX = 16,
	/* DW_EH_PE_*: pointer encodings */
	PTR_FORMAT = 0x0f,
	PTR_RELATIVE = 0x70,
	PTR_FROM_HERE = 0x10,
	PTR_FROM_DATA = 0x30,
	PTR_INDIRECT = 0x80,
	PTR_OMITTED = 0xff,
};

/* ---- reading encoded pointers --------------------------------------------------- */

static uint64_t extend(uint64_t v, unsigned bits)
{
	uint64_t sign = (uint64_t)1 << (bits - 1);
	return (v ^ sign) - sign;
}

static uint64_t get_formatted(struct frames_cursor *c, uint8_t how)
{
	switch (how & PTR_FORMAT) {
	case 0x0:
		return frames_get(c, c->wide ? 8 : 4);
	case 0x1:
		return frames_leb(c, false);
	case 0x2:
		return frames_get(c, 2);
	case 0x3:
		return frames_get(c, 4);
	case 0x4:
	case 0xc:
		return frames_get(c, 8);
	case 0x9:
		return frames_leb(c, true);
	case 0xa:
		return extend(frames_get(c, 2), 16);
	case 0xb:
		return extend(frames_get(c, 4), 32);
	default:
		c->bad = true;
		return 0;
	}
}

/* Reads a pointer in the encoding `how`.  *data: base of data-relative pointers; NULL: unknown. */
static uint64_t get_pointer(struct frames_cursor *c, uint8_t how, const uint64_t *data)
{
	uint64_t base = 0, relative = how & PTR_RELATIVE;
	if (relative == PTR_FROM_HERE)
		base = c->addr + c->at;
	else if (relative == PTR_FROM_DATA && data)
		base = *data;
	else if (relative)
		c->bad = true;
	if (how & PTR_INDIRECT) /* indirect pointers are not supported; also rejects PTR_OMITTED */
		c->bad = true;
	uint64_t v = base + get_formatted(c, how);
	return c->wide ? v : v & UINT32_MAX;
}

/* ---- reading the table ----------------------------------------------------------- */

/* The last CIE, kept because neighbouring FDEs share it. */
struct cie {
	bool known;
	size_t at;
	uint8_t how;	/* pointer encoding of its FDEs */
	bool augmented; /* FDEs have augmentation data */
	struct frames_cie parsed;
};

struct reader {
	const struct frames *f;
	struct cie cie;
	frames_fn *add;
	void *ctx;
};

struct entry {
	struct frames_cursor body; /* the bytes of an entry after its CIE pointer */
	bool is_cie, terminator;
	uint64_t cie_at; /* offset of an FDE's CIE; beyond the table: damaged */
};

static struct frames_cursor cursor_at(const struct frames *f, const struct frames_bytes *in, size_t at)
{
	return (struct frames_cursor){
		.data = in->data, .addr = in->addr, .at = at, .end = in->n, .wide = f->wide, .big = f->big};
}

static bool read_entry(const struct frames *f, size_t at, struct entry *ret)
{
	struct frames_cursor c = cursor_at(f, &f->table, at);
	*ret = (struct entry){0};
	size_t link_n = 4;
	uint64_t length = frames_get(&c, 4);
	if (length == (uint32_t)LENGTH_IS_WIDE) {
		length = frames_get(&c, 8);
		link_n = f->debug ? 8 : 4;
	} else if (length >= (uint32_t)LENGTH_RESERVED) {
		return false;
	}
	if (c.bad || length > c.end - c.at)
		return false;
	c.end = c.at + (size_t)length;
	ret->terminator = length == 0;
	size_t link_at = c.at;
	uint64_t link = length ? frames_get(&c, link_n) : 0;
	ret->is_cie = length && link == (!f->debug ? 0 : link_n == 8 ? UINT64_MAX : UINT32_MAX);
	ret->cie_at = f->debug ? link : link_at - link; /* wraps around if the link is damaged; find_cie() checks it */
	ret->body = c;
	return !c.bad;
}

/* Reads the augmentation data, up to the first unknown letter.  `letters`: those after the 'z'.  Returns false if the
 * data is damaged, or the pointer encoding remains unknown. */
static bool read_augmentation(struct frames_cursor *c, const char *letters, struct cie *ret)
{
	uint64_t n = frames_leb(c, false);
	if (c->bad || n > c->end - c->at)
		return false;
	size_t end = c->at + (size_t)n;
	bool known = false; /* the pointer encoding is known */
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			ret->how = (uint8_t)frames_get(c, 1);
			known = true;
			break;
		case 'P': /* pointer to the personality function, skipped */
			get_formatted(c, (uint8_t)frames_get(c, 1));
			break;
		case 'L':
			frames_get(c, 1);
			break;
		case 'S':
			ret->parsed.signal = true;
			break;
		case 'B': /* aarch64: signed return addresses; memory tagging */
		case 'G':
			break;
		default:
			c->at = end;
			return known && !c->bad;
		}
	}
	bool ok = !c->bad && c->at <= end;
	c->at = end;
	return ok;
}

static struct frames_bytes rest_of(const struct frames_cursor *c)
{
	return (struct frames_bytes){c->data + c->at, c->end - c->at, c->addr + c->at};
}

static bool read_cie(const struct frames *f, size_t at, struct cie *ret)
{
	struct entry e;
	if (at >= f->table.n || !read_entry(f, at, &e) || !e.is_cie)
		return false;
	struct frames_cursor *c = &e.body;
	uint64_t version = frames_get(c, 1);
	char letters[AUGMENTATION_MAX + 1] = "";
	size_t n = 0;
	for (uint8_t byte; (byte = (uint8_t)frames_get(c, 1)) && n < AUGMENTATION_MAX;)
		letters[n++] = (char)byte;
	if (c->bad || n == AUGMENTATION_MAX || (version != 1 && version != 3 && version != 4))
		return false;
	if (version == 4)
		frames_get(c, 2); /* sizes of address and segment selector */
	bool eh = strcmp(letters, "eh") == 0;
	if (eh)
		frames_get(c, f->wide ? 8 : 4);
	*ret = (struct cie){.known = true, .at = at, .augmented = letters[0] == 'z'};
	ret->parsed.code_align = frames_leb(c, false);
	ret->parsed.data_align = (int64_t)frames_leb(c, true);
	ret->parsed.returns = version == 1 ? frames_get(c, 1) : frames_leb(c, false);
	if (ret->augmented ? !read_augmentation(c, letters + 1, ret) : letters[0] && !eh)
		return false;
	ret->parsed.code = rest_of(c);
	return !c->bad;
}

/* Reads the CIE of an FDE, unless it was read last. Returns false if the CIE is damaged. */
static bool find_cie(struct reader *r, const struct entry *fde)
{
	if (fde->cie_at >= r->f->table.n)
		return false;
	struct cie found;
	if (r->cie.known && r->cie.at == fde->cie_at)
		return true;
	if (!read_cie(r->f, (size_t)fde->cie_at, &found))
		return false;
	r->cie = found;
	return true;
}

/* Reads an FDE and passes it to r->add(), unless it begins at address 0: linkers put FDEs whose code they removed
 * there. Returns false if it is damaged. */
static bool read_fde(struct reader *r, const struct entry *fde, uint64_t *start_ret)
{
	if (!find_cie(r, fde))
		return false;
	struct frames_cursor c = fde->body;
	uint64_t start = get_pointer(&c, r->cie.how, NULL), size = get_formatted(&c, r->cie.how);
	if (c.bad || size > (r->f->wide ? (uint64_t)INT64_MAX : UINT32_MAX) || size > UINT64_MAX - start)
		return false;
	*start_ret = start;
	uint64_t skipped = r->cie.augmented ? frames_leb(&c, false) : 0;
	bool has_code = !c.bad && skipped <= c.end - c.at;
	c.at += has_code ? (size_t)skipped : 0;
	const struct frames_function f = {
		.start = start,
		.size = size,
		.cie = &r->cie.parsed,
		.code = has_code ? rest_of(&c) : (struct frames_bytes){0},
		.has_code = has_code,
	};
	if (start && size)
		r->add(r->ctx, &f);
	return true;
}

/* Reads all entries in order, even after a terminator: some linkers join tables that each have one. */
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
		if (!e.terminator && !e.is_cie && !read_fde(r, &e, &start))
			whole = false;
	}
	return whole;
}

/* ---- reading the index ----------------------------------------------------------- */

struct index_head {
	struct frames_cursor rest; /* unread part of the index */
	uint64_t table, rows;
	uint8_t how; /* pointer encoding of the rows of the index */
};

static bool read_index_head(const struct frames *f, struct index_head *ret)
{
	struct frames_cursor c = cursor_at(f, &f->index, 0);
	uint64_t version = frames_get(&c, 1);
	uint8_t how_table = (uint8_t)frames_get(&c, 1), how_count = (uint8_t)frames_get(&c, 1),
		how = (uint8_t)frames_get(&c, 1);
	*ret = (struct index_head){.how = how};
	if (version != 1 || c.bad)
		return false;
	ret->table = get_pointer(&c, how_table, &f->index.addr);
	if (c.bad)
		return false;
	if (how_count == PTR_OMITTED || how == PTR_OMITTED)
		return true; /* ret->rows stays 0: there is no index */
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
	return !head->rest.bad && offset < r->f->table.n && read_entry(r->f, (size_t)offset, &e) && !e.is_cie &&
	       !e.terminator && read_fde(r, &e, &start_there) && start_there == start;
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

bool frames_read(const struct frames *f, frames_fn *add, void *ctx)
{
	struct reader r = {.f = f, .add = add, .ctx = ctx};
	return (f->index.n && read_index(&r)) || walk(&r);
}
