/* Reads the code cache of a JVM, with the tables of libjvm.so.  A table is an array of entries that ends with an entry
 * whose name is NULL; variables of libjvm.so tell the offset of each field in an entry, and the size of entries.  Only
 * 64-bit processes of cyctop's byte order can be read. */
#include "resolve/jit/hotspot.h"

#include "resolve/jit/hotspot_name.h"
#include "resolve/jit/hotspot_reading.h"

#include <stdlib.h>
#include <string.h>

enum {
	ENTRIES = 16384,    /* maximum entries of a table */
	ENTRY_MAX = 256,    /* maximum bytes of an entry */
	WORD = 64,	    /* maximum bytes of a type or field name */
	HEAPS = 16,	    /* maximum number of code heaps */
	SEGMENTS = 1 << 24, /* maximum segments of a heap */
	HEAD_MAX = 1024,    /* maximum bytes at the start of a block up to the last field that is read */
	BATCH = 256,	    /* blocks whose first bytes are read in one call */
	RETRIES = 3	    /* extra readings to get missing names */
};

/* The fields to read: X(index, type, field, name of the type in other JDK versions). The tables have the offset of each
 * field in its type, or the address of a static field. */
#define FIELDS(X)                                                                                                      \
	X(HEAPS_OF, "CodeCache", "_heaps", NULL)                                                                       \
	X(HEAP_OF, "CodeCache", "_heap", NULL)                                                                         \
	X(LEN, "GrowableArrayBase", "_len", "GenericGrowableArray")                                                    \
	X(DATA, "GrowableArray<int>", "_data", NULL)                                                                   \
	X(MEMORY, "CodeHeap", "_memory", NULL)                                                                         \
	X(SEGMAP, "CodeHeap", "_segmap", NULL)                                                                         \
	X(LOG2, "CodeHeap", "_log2_segment_size", NULL)                                                                \
	X(LOW, "VirtualSpace", "_low", NULL)                                                                           \
	X(HIGH, "VirtualSpace", "_high", NULL)                                                                         \
	X(HEADER, "HeapBlock", "_header", NULL)                                                                        \
	X(LENGTH, "HeapBlock::Header", "_length", NULL)                                                                \
	X(USED, "HeapBlock::Header", "_used", NULL)                                                                    \
	X(BLOB_NAME, "CodeBlob", "_name", NULL)                                                                        \
	X(CODE_BEGIN, "CodeBlob", "_code_begin", NULL)                                                                 \
	X(CODE_END, "CodeBlob", "_code_end", NULL)                                                                     \
	X(CODE_OFFSET, "CodeBlob", "_code_offset", NULL)                                                               \
	X(DATA_OFFSET, "CodeBlob", "_data_offset", NULL)                                                               \
	X(METHOD, "CompiledMethod", "_method", "nmethod")                                                              \
	X(COMPILE_ID, "nmethod", "_compile_id", NULL)                                                                  \
	X(CONST_METHOD, "Method", "_constMethod", NULL)                                                                \
	X(CONSTANTS, "ConstMethod", "_constants", NULL)                                                                \
	X(NAME_INDEX, "ConstMethod", "_name_index", NULL)                                                              \
	X(SIGNATURE_INDEX, "ConstMethod", "_signature_index", NULL)                                                    \
	X(HOLDER, "ConstantPool", "_pool_holder", NULL)                                                                \
	X(CLASS_NAME, "Klass", "_name", NULL)                                                                          \
	X(SYMBOL_LENGTH, "Symbol", "_length", NULL)                                                                    \
	X(SYMBOL_BODY, "Symbol", "_body", NULL)

#define NUMBER(id, type, field, other) id,
enum { FIELDS(NUMBER) FIELDS_N };
#undef NUMBER

static const struct {
	const char *type, *field, *other;
} fields[] = {
#define ROW(id, type, field, other) {type, field, other},
	FIELDS(ROW)
#undef ROW
};

struct hotspot {
	bool learned; /* the members up to `head` are set; they never change */
	uint64_t at[FIELDS_N];
	bool has[FIELDS_N];
	uint64_t block_size, pool_size; /* bytes of a HeapBlock; of a ConstantPool without its elements */
	size_t length_size;		/* bytes of HeapBlock::Header::_length: 4 or 8 */
	size_t head;			/* bytes at the start of a block up to the last field that is read */
	struct hotspot_reading last, now;
	unsigned retries; /* extra readings to get missing names, since the code last changed */
	/* state of the current hotspot_read(): */
	const struct hotspot_process *p;
	size_t blocks;
	bool is_new; /* a block differs from the last reading; until then, `now` is empty */
	size_t same; /* number of blocks so far that equal those of the last reading */
	jit_code_fn *add;
	void *ctx;
	struct limit_set *reached;
};

static bool get(const struct hotspot *h, uint64_t at, void *buf, size_t n)
{
	return at && at + n > at && h->p->read(h->p->ctx, at, buf, n);
}

static bool get_word(const struct hotspot *h, uint64_t at, uint64_t *ret)
{
	return get(h, at, ret, sizeof(*ret));
}

static bool get_field(const struct hotspot *h, uint64_t object, unsigned field, uint64_t *ret)
{
	return object && h->has[field] && get_word(h, object + h->at[field], ret);
}

/* Reads a string of less than `cap` bytes, in small pieces, because memory behind its NUL may be unreadable. Returns
 * false if the string is longer or unreadable. */
static bool get_string(const struct hotspot *h, uint64_t at, char *buf, size_t cap)
{
	enum { PIECE = 16 };
	for (size_t n = 0; n + PIECE <= cap;) {
		size_t take = PIECE - (at + n) % PIECE;
		if (!get(h, at + n, buf + n, take))
			return false;
		if (memchr(buf + n, 0, take))
			return true;
		n += take;
	}
	return false;
}

/* ---- reading the tables of libjvm.so ------------------------------------------------------------- */

static bool variable(const struct hotspot *h, const char *name, uint64_t *ret)
{
	return get_word(h, h->p->symbol(h->p->ctx, name), ret);
}

/* Copies n bytes from `offset` of an entry of `stride` bytes.  Returns false if they are not within the entry. */
static bool part(const uint8_t *entry, uint64_t stride, uint64_t offset, void *ret, size_t n)
{
	if (offset > stride || stride - offset < n)
		return false;
	memcpy(ret, entry + offset, n);
	return true;
}

static bool is_one(const char *type, const char *a, const char *b)
{
	return strcmp(type, a) == 0 || (b && strcmp(type, b) == 0);
}

struct structs {
	uint64_t table, stride, type, field, is_static, offset, address;
};

static void learn_field(struct hotspot *h, const struct structs *s, const uint8_t *entry)
{
	uint64_t type_at, field_at, offset, address;
	int32_t is_static;
	char type[WORD], field[WORD];
	if (!part(entry, s->stride, s->type, &type_at, 8) || !part(entry, s->stride, s->field, &field_at, 8) ||
	    !part(entry, s->stride, s->is_static, &is_static, 4) || !part(entry, s->stride, s->offset, &offset, 8) ||
	    !part(entry, s->stride, s->address, &address, 8) || !get_string(h, type_at, type, sizeof(type)) ||
	    !get_string(h, field_at, field, sizeof(field)))
		return;
	for (unsigned i = 0; i < FIELDS_N; i++)
		if (strcmp(field, fields[i].field) == 0 && is_one(type, fields[i].type, fields[i].other)) {
			h->at[i] = is_static ? address : offset;
			h->has[i] = true;
		}
}

static bool read_structs(struct hotspot *h)
{
	struct structs s;
	uint8_t entry[ENTRY_MAX];
	if (!variable(h, "gHotSpotVMStructs", &s.table) ||
	    !variable(h, "gHotSpotVMStructEntryArrayStride", &s.stride) ||
	    !variable(h, "gHotSpotVMStructEntryTypeNameOffset", &s.type) ||
	    !variable(h, "gHotSpotVMStructEntryFieldNameOffset", &s.field) ||
	    !variable(h, "gHotSpotVMStructEntryIsStaticOffset", &s.is_static) ||
	    !variable(h, "gHotSpotVMStructEntryOffsetOffset", &s.offset) ||
	    !variable(h, "gHotSpotVMStructEntryAddressOffset", &s.address) || !s.stride || s.stride > ENTRY_MAX)
		return false;
	for (size_t i = 0; i < ENTRIES; i++) {
		uint64_t type;
		if (!get(h, s.table + i * s.stride, entry, s.stride) || !part(entry, s.stride, s.type, &type, 8))
			return false;
		if (!type)
			return true;
		learn_field(h, &s, entry);
	}
	return false;
}

static bool read_types(struct hotspot *h)
{
	uint64_t table, stride, name_offset, size_offset;
	uint8_t entry[ENTRY_MAX];
	if (!variable(h, "gHotSpotVMTypes", &table) || !variable(h, "gHotSpotVMTypeEntryArrayStride", &stride) ||
	    !variable(h, "gHotSpotVMTypeEntryTypeNameOffset", &name_offset) ||
	    !variable(h, "gHotSpotVMTypeEntrySizeOffset", &size_offset) || !stride || stride > ENTRY_MAX)
		return false;
	for (size_t i = 0; i < ENTRIES; i++) {
		uint64_t name_at, size;
		char name[WORD];
		if (!get(h, table + i * stride, entry, stride) || !part(entry, stride, name_offset, &name_at, 8) ||
		    !part(entry, stride, size_offset, &size, 8))
			return false;
		if (!name_at)
			break;
		if (!get_string(h, name_at, name, sizeof(name)))
			continue;
		if (strcmp(name, "HeapBlock") == 0)
			h->block_size = size;
		else if (strcmp(name, "ConstantPool") == 0)
			h->pool_size = size;
	}
	return h->block_size && h->block_size < ENTRY_MAX && h->pool_size && h->pool_size < 4096;
}

/* ---- making the names of methods ----------------------------------------------------------------- */

static bool is_plain(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] < ' ' || s[i] == 127)
			return false;
	return true;
}

static bool get_symbol(const struct hotspot *h, uint64_t at, struct hotspot_symbol *ret)
{
	uint16_t n;
	if (!at || !get(h, at + h->at[SYMBOL_LENGTH], &n, sizeof(n)) || n > sizeof(ret->s) ||
	    !get(h, at + h->at[SYMBOL_BODY], ret->s, n))
		return false;
	ret->n = n;
	return is_plain(ret->s, n);
}

static bool name_method(const struct hotspot *h, uint64_t method, struct hotspot_text *t)
{
	uint64_t cm, pool, holder, class_name, name_at, sig_at;
	uint16_t name_index, sig_index;
	struct hotspot_method m;
	if (!get_field(h, method, CONST_METHOD, &cm) || !get_field(h, cm, CONSTANTS, &pool) ||
	    !get(h, cm + h->at[NAME_INDEX], &name_index, sizeof(name_index)) ||
	    !get(h, cm + h->at[SIGNATURE_INDEX], &sig_index, sizeof(sig_index)) ||
	    !get_field(h, pool, HOLDER, &holder) || !get_field(h, holder, CLASS_NAME, &class_name) ||
	    !get_word(h, pool + h->pool_size + name_index * 8ULL, &name_at) ||
	    !get_word(h, pool + h->pool_size + sig_index * 8ULL, &sig_at))
		return false;
	return get_symbol(h, class_name, &m.holder) && get_symbol(h, name_at, &m.name) &&
	       get_symbol(h, sig_at, &m.signature) && hotspot_put_method(t, &m);
}

/* ---- reading blocks of code ---------------------------------------------------------------------- */

/* Adds a block to the current reading, and passes it to h->add() if its name is known (name_n > 0). */
static void keep(struct hotspot *h, const struct hotspot_block *b, const char *name, size_t name_n)
{
	hotspot_reading_add(&h->now, b, name, name_n);
	if (name_n)
		h->add(h->ctx,
		       &(struct jit_code){.addr = b->from, .size = b->to - b->from, .name = name, .name_n = name_n});
}

static void keep_again(struct hotspot *h, const struct hotspot_named *n)
{
	keep(h, &n->block, h->last.names.data + n->name_at, n->name_n);
}

/* Called at the first block that differs from the last reading: adds to `now` the equal blocks before it. Most readings
 * find no difference, and so add nothing. */
static void begin_news(struct hotspot *h)
{
	h->is_new = true;
	for (size_t i = 0; i < h->same; i++)
		keep_again(h, &h->last.code.data[i]);
}

/* Returns true if this block, and all before it, equal those at the same positions in the last reading. */
static bool is_same(struct hotspot *h, const struct hotspot_block *b)
{
	if (h->is_new || h->same == h->last.code.n || !hotspot_block_is(b, &h->last.code.data[h->same].block))
		return false;
	h->same++;
	return true;
}

static bool name_block(const struct hotspot *h, const struct hotspot_block *c, bool method, struct hotspot_text *t)
{
	char kind[128];
	if (!get_string(h, c->kind, kind, sizeof(kind)) || !is_plain(kind, strlen(kind)))
		return false;
	if (strcmp(kind, "nmethod") == 0 || strcmp(kind, "native nmethod") == 0)
		return method && name_method(h, c->method, t);
	hotspot_put(t, kind, strlen(kind));
	return t->n > 0;
}

/* Adds a changed block.  If the last reading has the block at another position, the name is taken from there. */
static void keep_new(struct hotspot *h, const struct hotspot_block *b, bool method)
{
	const struct hotspot_named *known = hotspot_reading_find(&h->last, b);
	struct hotspot_text t;
	t.n = 0;
	t.full = false;
	if (known)
		keep_again(h, known);
	else
		keep(h, b, t.buf, name_block(h, b, method, &t) ? t.n : 0);
}

/* Copies a field of the CodeBlob (from == h->block_size) or HeapBlock (0) at the start of a block. */
static bool head_field(const struct hotspot *h, const uint8_t *head, uint64_t from, unsigned field, void *ret, size_t n)
{
	return h->has[field] && part(head, h->head, from + h->at[field], ret, n);
}

/* Reads the length of a block in segments. Returns false if the field is beyond the bytes that were read. */
static bool find_length(const struct hotspot *h, const uint8_t *head, uint64_t *ret)
{
	uint64_t at = h->at[HEADER] + h->at[LENGTH];
	uint32_t n;
	if (h->length_size == sizeof(*ret))
		return part(head, h->head, at, ret, sizeof(*ret));
	bool ok = part(head, h->head, at, &n, sizeof(n));
	*ret = ok ? n : 0;
	return ok;
}

/* Finds the address range of a block's machine code.  JDK 11 to 21 have addresses; other versions have offsets from the
 * CodeBlob to code and data, and the code ends where the data begins. */
static bool find_code(const struct hotspot *h, const uint8_t *head, struct hotspot_block *c)
{
	uint32_t from, to;
	if (h->has[CODE_BEGIN] && h->has[CODE_END])
		return head_field(h, head, h->block_size, CODE_BEGIN, &c->from, 8) &&
		       head_field(h, head, h->block_size, CODE_END, &c->to, 8);
	if (!head_field(h, head, h->block_size, CODE_OFFSET, &from, 4) ||
	    !head_field(h, head, h->block_size, DATA_OFFSET, &to, 4))
		return false;
	c->from = c->blob + from;
	c->to = c->blob + to;
	return true;
}

/* Reads a block of code from its first bytes.  `left`: bytes from the block to the end of its heap. */
static void read_block(struct hotspot *h, uint64_t block, const uint8_t *head, unsigned log2, uint64_t left)
{
	struct hotspot_block c = {.blob = block + h->block_size};
	uint64_t length;
	uint8_t used;
	if (!find_length(h, head, &length) || !part(head, h->head, h->at[HEADER] + h->at[USED], &used, sizeof(used)) ||
	    !used || !length || length > left >> log2 || !head_field(h, head, h->block_size, BLOB_NAME, &c.kind, 8) ||
	    !find_code(h, head, &c) || c.from < c.blob || c.to <= c.from || c.to > block + (length << log2))
		return;
	bool method = head_field(h, head, h->block_size, METHOD, &c.method, 8);
	(void)head_field(h, head, h->block_size, COMPILE_ID, &c.compile_id, 4);
	if (is_same(h, &c))
		return;
	if (!h->is_new)
		begin_news(h);
	keep_new(h, &c, method);
}

struct heap {
	uint64_t low, high;
	unsigned log2; /* log2 of a segment's size in bytes */
};

static void read_batch(struct hotspot *h, const struct heap *heap, const uint64_t *blocks, size_t n)
{
	uint8_t *heads = mem_calloc(n, h->head);
	bool ok[BATCH];
	h->p->read_each(h->p->ctx, blocks, n, heads, h->head, ok);
	for (size_t i = 0; i < n; i++)
		if (ok[i])
			read_block(h, blocks[i], heads + i * h->head, heap->log2, heap->high - blocks[i]);
	free(heads);
}

/* Reads the blocks of a heap.  map[segment] is 0 where a block begins. */
static void read_blocks(struct hotspot *h, const struct heap *heap, const uint8_t *map, size_t segments)
{
	uint64_t blocks[BATCH];
	size_t n = 0;
	for (size_t i = 0; i < segments; i++) {
		if (map[i])
			continue;
		if (h->blocks++ >= LIMIT_JVM_CODE) {
			limit_reached(h->reached, REACHED_JVM_CODE);
			break;
		}
		blocks[n++] = heap->low + ((uint64_t)i << heap->log2);
		if (n == BATCH) {
			read_batch(h, heap, blocks, n);
			n = 0;
		}
	}
	if (n)
		read_batch(h, heap, blocks, n);
}

static void read_heap(struct hotspot *h, uint64_t at)
{
	struct heap heap;
	uint64_t map_low, map_high;
	int32_t log2;
	if (!get_word(h, at + h->at[MEMORY] + h->at[LOW], &heap.low) ||
	    !get_word(h, at + h->at[MEMORY] + h->at[HIGH], &heap.high) ||
	    !get_word(h, at + h->at[SEGMAP] + h->at[LOW], &map_low) ||
	    !get_word(h, at + h->at[SEGMAP] + h->at[HIGH], &map_high) ||
	    !get(h, at + h->at[LOG2], &log2, sizeof(log2)) || log2 < 4 || log2 > 16 || heap.high <= heap.low ||
	    map_high <= map_low)
		return;
	heap.log2 = (unsigned)log2;
	uint64_t n = (heap.high - heap.low) >> log2;
	n = n < map_high - map_low ? n : map_high - map_low;
	if (!n || n > SEGMENTS)
		return;
	uint8_t *map = mem_calloc(n, 1);
	if (get(h, map_low, map, n))
		read_blocks(h, &heap, map, n);
	free(map);
}

/* Reads all code heaps. Returns false if the list of heaps is unreadable. */
static bool read_heaps(struct hotspot *h)
{
	uint64_t list, data, heap;
	int32_t n;
	if (h->has[HEAP_OF] && !h->has[HEAPS_OF]) {
		if (!get_word(h, h->at[HEAP_OF], &heap))
			return false;
		read_heap(h, heap);
		return true;
	}
	if (!h->has[HEAPS_OF] || !h->has[LEN] || !h->has[DATA] || !get_word(h, h->at[HEAPS_OF], &list) ||
	    !get(h, list + h->at[LEN], &n, sizeof(n)) || !get_field(h, list, DATA, &data) || n < 0 || n > HEAPS)
		return false;
	for (int32_t i = 0; i < n; i++)
		if (get_word(h, data + (uint64_t)i * 8, &heap))
			read_heap(h, heap);
	return true;
}

/* ---- reading all code of the JVM ----------------------------------------------------------------- */

struct hotspot *hotspot_create(void)
{
	struct hotspot *h = mem_calloc(1, sizeof(*h));
	hotspot_reading_init(&h->last);
	hotspot_reading_init(&h->now);
	return h;
}

void hotspot_destroy(struct hotspot *h)
{
	if (!h)
		return;
	hotspot_reading_deinit(&h->last);
	hotspot_reading_deinit(&h->now);
	free(h);
}

void hotspot_forget(struct hotspot *h)
{
	hotspot_reading_deinit(&h->last);
	hotspot_reading_init(&h->last);
}

size_t hotspot_bytes(const struct hotspot *h)
{
	return hotspot_reading_bytes(&h->last);
}

bool hotspot_knows_tables(const struct hotspot *h)
{
	return h->learned;
}

static bool is_optional(unsigned field)
{
	return field == HEAPS_OF || field == HEAP_OF || field == LEN || field == DATA || field == COMPILE_ID ||
	       field == CODE_BEGIN || field == CODE_END || field == CODE_OFFSET || field == DATA_OFFSET;
}

/* Computes h->head.  Returns false if it is too large. */
static bool measure_head(struct hotspot *h)
{
	static const unsigned of_blob[] = {BLOB_NAME,	CODE_BEGIN, CODE_END,  CODE_OFFSET,
					   DATA_OFFSET, METHOD,	    COMPILE_ID};
	uint64_t most = h->at[HEADER] + (h->at[LENGTH] > h->at[USED] ? h->at[LENGTH] : h->at[USED]) + 8;
	for (size_t i = 0; i < ARRAY_LEN(of_blob); i++)
		if (h->has[of_blob[i]] && h->block_size + h->at[of_blob[i]] + 8 > most)
			most = h->block_size + h->at[of_blob[i]] + 8;
	for (unsigned i = 0; i < FIELDS_N; i++)
		if (i != HEAPS_OF && i != HEAP_OF && h->at[i] > UINT32_MAX)
			return false; /* no plausible offset; sums of such offsets could overflow */
	h->head = most;
	return most <= HEAD_MAX;
}

/* Computes the size of HeapBlock::Header::_length: 4 bytes in newer versions, 8 in older ones. The field after _length,
 * a flag, tells where _length ends. */
static bool measure_length(struct hotspot *h)
{
	uint64_t n = h->at[USED] - h->at[LENGTH];
	h->length_size = h->at[USED] > h->at[LENGTH] && n < 8 ? 4 : 8;
	return h->at[USED] < h->at[LENGTH] || n >= h->length_size;
}

static bool learn(struct hotspot *h)
{
	if (!read_structs(h) || !read_types(h))
		return false;
	for (unsigned i = 0; i < FIELDS_N; i++)
		if (!h->has[i] && !is_optional(i))
			return false;
	bool has_code = (h->has[CODE_BEGIN] && h->has[CODE_END]) || (h->has[CODE_OFFSET] && h->has[DATA_OFFSET]);
	return has_code && measure_length(h) && measure_head(h);
}

/* Returns true if missing names should be read again, as the JVM may just have been writing them; at most RETRIES
 * times. */
static bool tries_again(struct hotspot *h)
{
	bool tries = h->last.nameless && h->retries < RETRIES;
	h->retries += tries;
	return tries;
}

static void take_news(struct hotspot *h)
{
	struct hotspot_reading last = h->last;
	h->last = h->now;
	h->now = last;
}

enum jit_look hotspot_read(struct hotspot *h, const struct hotspot_process *p, jit_code_fn *add, void *ctx,
			   struct limit_set *reached)
{
	h->p = p;
	h->blocks = h->same = 0;
	h->add = add;
	h->ctx = ctx;
	h->reached = reached;
	h->learned = h->learned || learn(h);
	bool retries = tries_again(h);
	h->is_new = !h->last.code.n || retries;
	bool ok = h->learned && read_heaps(h);
	if (ok && !h->is_new && h->same < h->last.code.n)
		begin_news(h); /* the last blocks of the last reading are gone, which is a change, too */
	if (ok && h->is_new)
		take_news(h);
	if (h->is_new && !retries)
		h->retries = 0;
	hotspot_reading_deinit(&h->now);
	hotspot_reading_init(&h->now);
	return !ok ? JIT_LOOK_FAILED : h->is_new ? JIT_LOOK_NEW : JIT_LOOK_SAME;
}
