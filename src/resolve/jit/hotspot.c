/* The tables are arrays of entries that end with one whose name is NULL; where in an entry a field is, and how far
 * apart entries are, is in variables of their own.  Of 64-bit processes with this machine's byte order. */
#include "resolve/jit/hotspot.h"

#include <stdlib.h>
#include <string.h>

enum {
	ENTRIES = 16384,      /* of a table */
	ENTRY_MAX = 256,      /* bytes of an entry */
	WORD = 64,	      /* bytes of the names of types and fields, at most */
	HEAPS = 16,	      /* of code */
	SEGMENTS = 1 << 24,   /* of a heap */
	SYMBOL_MAX = 1024,    /* bytes of a name of the JVM */
	NAME_MAX_BYTES = 4096 /* of the whole name */
};

/* [type, field, another name of the type in other versions]; its offset, or for a static field its address */
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
	X(METHOD, "CompiledMethod", "_method", "nmethod")                                                              \
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
	const struct hotspot_process *p;
	uint64_t at[FIELDS_N];
	bool has[FIELDS_N];
	uint64_t block_size, pool_size; /* of a HeapBlock, of a ConstantPool without its elements */
	size_t blocks;
	jit_code_fn *add;
	void *ctx;
	struct limit_set *reached;
};

struct text {
	char buf[NAME_MAX_BYTES];
	size_t n;
	bool full;
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

/* A string that ends with NUL within `cap`; it may be at the end of what can be read. */
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

/* ---- the tables ---------------------------------------------------------------------------------- */

static bool variable(const struct hotspot *h, const char *name, uint64_t *ret)
{
	return get_word(h, h->p->symbol(h->p->ctx, name), ret);
}

/* A word of an entry at the offset that a variable has. */
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

/* ---- names --------------------------------------------------------------------------------------- */

static void put(struct text *t, const char *s, size_t n)
{
	t->full |= n > sizeof(t->buf) - t->n;
	if (t->full)
		return;
	memcpy(t->buf + t->n, s, n);
	t->n += n;
}

static void put_class(struct text *t, const char *s, size_t n)
{
	size_t from = t->n;
	put(t, s, n);
	for (size_t i = from; i < t->n; i++)
		if (t->buf[i] == '/')
			t->buf[i] = '.';
}

static bool is_plain(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] < ' ' || s[i] == 127)
			return false;
	return true;
}

/* The class of a method; a hidden one is "Name+0x12", which the JVM writes "Name/0x12". */
static void put_holder(struct text *t, const char *s, size_t n)
{
	size_t from = t->n, i;
	put_class(t, s, n);
	for (i = t->n; i > from && t->buf[i - 1] != '+'; i--)
		;
	if (i > from && t->n - i > 2 && memcmp(t->buf + i, "0x", 2) == 0)
		t->buf[i - 1] = '/';
}

static bool get_symbol(const struct hotspot *h, uint64_t at, char *buf, size_t *n)
{
	uint16_t length;
	if (!at || !get(h, at + h->at[SYMBOL_LENGTH], &length, sizeof(length)) || length > SYMBOL_MAX ||
	    !get(h, at + h->at[SYMBOL_BODY], buf, length))
		return false;
	*n = length;
	return is_plain(buf, length);
}

static const char *primitive(char c)
{
	switch (c) {
	case 'B':
		return "byte";
	case 'C':
		return "char";
	case 'D':
		return "double";
	case 'F':
		return "float";
	case 'I':
		return "int";
	case 'J':
		return "long";
	case 'S':
		return "short";
	case 'V':
		return "void";
	case 'Z':
		return "boolean";
	default:
		return NULL;
	}
}

/* One type of a signature; the bytes that it has there, 0: it is none. */
static size_t put_type(struct text *t, const char *s, size_t n)
{
	size_t dims = 0, used;
	while (dims < n && s[dims] == '[')
		dims++;
	if (dims == n)
		return 0;
	if (s[dims] == 'L') {
		const char *end = memchr(s + dims, ';', n - dims);
		if (!end)
			return 0;
		used = (size_t)(end - s) + 1;
		put_class(t, s + dims + 1, used - dims - 2);
	} else {
		const char *name = primitive(s[dims]);
		if (!name)
			return 0;
		used = dims + 1;
		put(t, name, strlen(name));
	}
	while (dims--)
		put(t, "[]", 2);
	return used;
}

/* "int Hot.method(int, java.lang.String[])" */
static bool put_method(struct text *t, const char *holder, size_t holder_n, const char *name, size_t name_n,
		       const char *sig, size_t n)
{
	const char *close = memchr(sig, ')', n);
	if (!n || sig[0] != '(' || !close)
		return false;
	size_t at = (size_t)(close - sig) + 1;
	if (!put_type(t, sig + at, n - at))
		return false;
	put(t, " ", 1);
	put_holder(t, holder, holder_n);
	put(t, ".", 1);
	put(t, name, name_n);
	put(t, "(", 1);
	for (size_t i = 1; sig + i < close;) {
		size_t used = put_type(t, sig + i, (size_t)(close - sig) - i);
		if (!used)
			return false;
		i += used;
		if (sig + i < close)
			put(t, ", ", 2);
	}
	put(t, ")", 1);
	return !t->full;
}

static bool name_method(const struct hotspot *h, uint64_t method, struct text *t)
{
	uint64_t cm, pool, holder, class_name, name_at, sig_at;
	uint16_t name_index, sig_index;
	char class[SYMBOL_MAX], name[SYMBOL_MAX], sig[SYMBOL_MAX];
	size_t class_n, name_n, sig_n;
	if (!get_field(h, method, CONST_METHOD, &cm) || !get_field(h, cm, CONSTANTS, &pool) ||
	    !get(h, cm + h->at[NAME_INDEX], &name_index, sizeof(name_index)) ||
	    !get(h, cm + h->at[SIGNATURE_INDEX], &sig_index, sizeof(sig_index)) ||
	    !get_field(h, pool, HOLDER, &holder) || !get_field(h, holder, CLASS_NAME, &class_name) ||
	    !get_word(h, pool + h->pool_size + name_index * 8ULL, &name_at) ||
	    !get_word(h, pool + h->pool_size + sig_index * 8ULL, &sig_at))
		return false;
	return get_symbol(h, class_name, class, &class_n) && get_symbol(h, name_at, name, &name_n) &&
	       get_symbol(h, sig_at, sig, &sig_n) && put_method(t, class, class_n, name, name_n, sig, sig_n);
}

/* ---- code ---------------------------------------------------------------------------------------- */

static void read_blob(struct hotspot *h, uint64_t blob, uint64_t end)
{
	uint64_t name_at, from, to, method;
	struct text t = {.n = 0};
	char name[128];
	if (!get_field(h, blob, BLOB_NAME, &name_at) || !get_field(h, blob, CODE_BEGIN, &from) ||
	    !get_field(h, blob, CODE_END, &to) || from < blob || to <= from || to > end ||
	    !get_string(h, name_at, name, sizeof(name)) || !is_plain(name, strlen(name)))
		return;
	if (strcmp(name, "nmethod") != 0 && strcmp(name, "native nmethod") != 0)
		put(&t, name, strlen(name));
	else if (!get_field(h, blob, METHOD, &method) || !name_method(h, method, &t))
		return;
	struct jit_code code = {.addr = from, .size = to - from, .name = t.buf, .name_n = t.n};
	if (t.n)
		h->add(h->ctx, &code);
}

/* A zero in the map of segments is where a block begins. */
static void read_blocks(struct hotspot *h, uint64_t low, const uint8_t *map, size_t n, unsigned log2)
{
	for (size_t i = 0; i < n;) {
		uint64_t at = low + ((uint64_t)i << log2), length, step = 1;
		uint8_t used;
		if (map[i] == 0 && h->blocks++ >= LIMIT_JVM_CODE) {
			limit_reached(h->reached, REACHED_JVM_CODE);
			return;
		}
		if (map[i] == 0 && get(h, at + h->at[HEADER] + h->at[LENGTH], &length, sizeof(length)) &&
		    get(h, at + h->at[HEADER] + h->at[USED], &used, sizeof(used)) && length && length <= n - i) {
			step = length;
			if (used)
				read_blob(h, at + h->block_size, at + (length << log2));
		}
		i += step;
	}
}

static void read_heap(struct hotspot *h, uint64_t heap)
{
	uint64_t low, high, map_low, map_high;
	int32_t log2;
	if (!get_word(h, heap + h->at[MEMORY] + h->at[LOW], &low) ||
	    !get_word(h, heap + h->at[MEMORY] + h->at[HIGH], &high) ||
	    !get_word(h, heap + h->at[SEGMAP] + h->at[LOW], &map_low) ||
	    !get_word(h, heap + h->at[SEGMAP] + h->at[HIGH], &map_high) ||
	    !get(h, heap + h->at[LOG2], &log2, sizeof(log2)) || log2 < 4 || log2 > 16 || high <= low ||
	    map_high <= map_low)
		return;
	uint64_t n = (high - low) >> log2;
	n = n < map_high - map_low ? n : map_high - map_low;
	if (!n || n > SEGMENTS)
		return;
	uint8_t *map = mem_calloc(n, 1);
	if (get(h, map_low, map, n))
		read_blocks(h, low, map, n, (unsigned)log2);
	free(map);
}

bool hotspot_read(const struct hotspot_process *p, jit_code_fn *add, void *ctx, struct limit_set *reached)
{
	struct hotspot h = {.p = p, .add = add, .ctx = ctx, .reached = reached};
	uint64_t list, data, heap;
	int32_t n;
	if (!read_structs(&h) || !read_types(&h))
		return false;
	for (unsigned i = 0; i < FIELDS_N; i++)
		if (!h.has[i] && i != HEAPS_OF && i != HEAP_OF && i != LEN && i != DATA)
			return false;
	if (h.has[HEAP_OF] && !h.has[HEAPS_OF]) {
		if (!get_word(&h, h.at[HEAP_OF], &heap))
			return false;
		read_heap(&h, heap);
		return true;
	}
	if (!h.has[HEAPS_OF] || !h.has[LEN] || !h.has[DATA] || !get_word(&h, h.at[HEAPS_OF], &list) ||
	    !get(&h, list + h.at[LEN], &n, sizeof(n)) || !get_field(&h, list, DATA, &data) || n < 0 || n > HEAPS)
		return false;
	for (int32_t i = 0; i < n; i++)
		if (get_word(&h, data + (uint64_t)i * 8, &heap))
			read_heap(&h, heap);
	return true;
}
