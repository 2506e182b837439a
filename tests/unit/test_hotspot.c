/* The methods of a JVM, read from made memory: whole, and damaged at every word. */
#include "resolve/jit/hotspot.h"

#include "../lib/made_jvm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
	BASE = JVM_BASE,
	BYTES = 8192,
	VARIABLES = 11,
	TYPES = 1400,
	LIST = 1504,
	HEAP = 2048,
	OBJECTS = 2560,
	CODE = 4096,
	MAP = 6144
};

/* What differs between the versions of HotSpot. */
struct layout {
	const char *list;      /* the type that has the length of the list of heaps; NULL: there is one heap, no list */
	const char *method_of; /* the type of compiled code that has its method */
	bool offsets;	       /* code is at offsets from its CodeBlob, not at addresses */
	unsigned length_size;  /* bytes of the length of a block */
};
static const struct layout layouts[] = {
	{NULL, "nmethod", true, 8},			      /* 8 */
	{"GenericGrowableArray", "CompiledMethod", false, 8}, /* 11 */
	{"GrowableArrayBase", "CompiledMethod", false, 8},    /* 17 */
	{"GrowableArrayBase", "CompiledMethod", false, 4},    /* 21 */
	{"GrowableArrayBase", "nmethod", true, 4},	      /* 25 */
};

struct image {
	uint8_t bytes[BYTES];
	size_t strings, structs;
	char got[512];
};

static void put(struct image *m, size_t at, uint64_t value)
{
	memcpy(m->bytes + at, &value, 8);
}

static uint64_t string(struct image *m, const char *s)
{
	size_t at = m->strings;
	memcpy(m->bytes + at, s, strlen(s) + 1);
	m->strings += strlen(s) + 1;
	return BASE + at;
}

static void field(struct image *m, const char *type, const char *name, uint64_t offset, uint64_t address)
{
	put(m, m->structs, string(m, type));
	put(m, m->structs + 8, string(m, name));
	put(m, m->structs + 16, address != 0);
	put(m, m->structs + 24, offset);
	put(m, m->structs + 32, address);
	m->structs += 40;
}

static void make_tables(struct image *m, const struct layout *l)
{
	static const uint64_t values[VARIABLES] = {BASE + 128, 40, 0, 8, 16, 24, 32, BASE + TYPES, 16, 0, 8};
	for (size_t i = 0; i < VARIABLES; i++)
		put(m, i * 8, values[i]);
	m->structs = 128;
	m->strings = 6400;
	if (l->list) {
		field(m, "CodeCache", "_heaps", 0, BASE + LIST);
		field(m, l->list, "_len", 0, 0);
		field(m, "GrowableArray<int>", "_data", 8, 0);
	} else {
		field(m, "CodeCache", "_heap", 0, BASE + HEAP);
	}
	field(m, "CodeHeap", "_memory", 0, 0);
	field(m, "CodeHeap", "_segmap", 16, 0);
	field(m, "CodeHeap", "_log2_segment_size", 32, 0);
	field(m, "VirtualSpace", "_low", 0, 0);
	field(m, "VirtualSpace", "_high", 8, 0);
	field(m, "HeapBlock", "_header", 0, 0);
	field(m, "HeapBlock::Header", "_length", 0, 0);
	field(m, "HeapBlock::Header", "_used", l->length_size, 0);
	field(m, "CodeBlob", "_name", 0, 0);
	if (l->offsets)
		field(m, "CodeBlob", "_code_offset", 8, 0);
	else
		field(m, "CodeBlob", "_code_begin", 8, 0);
	field(m, "CodeBlob", l->offsets ? "_data_offset" : "_code_end", 16, 0);
	field(m, l->method_of, "_method", 24, 0);
	field(m, "Method", "_constMethod", 0, 0);
	field(m, "ConstMethod", "_constants", 0, 0);
	field(m, "ConstMethod", "_name_index", 8, 0);
	field(m, "ConstMethod", "_signature_index", 10, 0);
	field(m, "ConstantPool", "_pool_holder", 0, 0);
	field(m, "Klass", "_name", 0, 0);
	field(m, "Symbol", "_length", 0, 0);
	field(m, "Symbol", "_body", 2, 0);
	put(m, TYPES, string(m, "HeapBlock"));
	put(m, TYPES + 8, l->length_size * 2ULL);
	put(m, TYPES + 16, string(m, "ConstantPool"));
	put(m, TYPES + 24, 8);
}

static uint64_t name(struct image *m, size_t at, const char *s)
{
	uint16_t n = (uint16_t)strlen(s);
	memcpy(m->bytes + at, &n, 2);
	memcpy(m->bytes + at + 2, s, n);
	return BASE + at;
}

/* A block of code at segment `at` (of 128 bytes), whose machine code begins after 64 bytes. */
static void block(struct image *m, const struct layout *l, size_t at, uint64_t length, const char *what)
{
	size_t p = CODE + at * 128, blob = p + l->length_size * 2ULL;
	uint64_t from = l->offsets ? p + 64 - blob : BASE + p + 64;
	uint64_t to = l->offsets ? p + length * 128 - blob : BASE + p + length * 128;
	m->bytes[MAP + at] = 0;
	memset(m->bytes + p, 0xff, l->length_size * 2ULL); /* what is between the fields has no meaning */
	if (l->length_size == 4) {
		uint32_t n = (uint32_t)length;
		memcpy(m->bytes + p, &n, sizeof(n));
	} else {
		put(m, p, length);
	}
	m->bytes[p + l->length_size] = strcmp(what, "freed") != 0;
	put(m, blob, string(m, what));
	put(m, blob + 8, from);
	put(m, blob + 16, to);
	put(m, blob + 24, BASE + OBJECTS);
}

static void make_of(struct image *m, const struct layout *l, const char *holder, const char *signature)
{
	memset(m, 0, sizeof(*m));
	make_tables(m, l);
	put(m, LIST, BASE + LIST + 8);
	put(m, LIST + 8, 1);
	put(m, LIST + 16, BASE + HEAP); /* the array has one heap, the one at HEAP + 8 */
	put(m, HEAP, BASE + HEAP + 8);
	put(m, HEAP + 8, BASE + CODE);
	put(m, HEAP + 16, BASE + CODE + 1024);
	put(m, HEAP + 24, BASE + MAP);
	put(m, HEAP + 32, BASE + MAP + 8);
	put(m, HEAP + 40, 7);
	memset(m->bytes + MAP, 1, 8);
	block(m, l, 0, 2, "Interpreter");
	block(m, l, 2, 1, "freed");
	block(m, l, 3, 4, "nmethod");
	put(m, OBJECTS, BASE + OBJECTS + 8);
	put(m, OBJECTS + 8, BASE + OBJECTS + 32);
	m->bytes[OBJECTS + 16] = 1;
	m->bytes[OBJECTS + 18] = 2;
	put(m, OBJECTS + 32, BASE + OBJECTS + 80);
	put(m, OBJECTS + 48, name(m, OBJECTS + 100, "run"));
	put(m, OBJECTS + 56, name(m, OBJECTS + 110, signature));
	put(m, OBJECTS + 80, name(m, OBJECTS + 200, holder));
}

static void make(struct image *m, const char *holder, const char *signature)
{
	make_of(m, &layouts[0], holder, signature);
}

static void note(void *ctx, const struct jit_code *code)
{
	struct image *m = ctx;
	size_t n = strlen(m->got);
	assert_true(code->size && code->addr + code->size > code->addr && code->name_n);
	snprintf(m->got + n, sizeof(m->got) - n, "%x %x %.*s\n", (unsigned)(code->addr - BASE), (unsigned)code->size,
		 (int)code->name_n, code->name);
}

static enum jit_look read_on(struct hotspot *h, struct image *m)
{
	struct limit_set reached = {0};
	struct made_jvm memory = {m->bytes, sizeof(m->bytes)};
	struct hotspot_process p = {
		.read = made_jvm_read, .read_each = made_jvm_read_each, .symbol = made_jvm_symbol, .ctx = &memory};
	m->got[0] = '\0';
	return hotspot_read(h, &p, note, m, &reached);
}

static bool read_image(struct image *m)
{
	struct hotspot *h = hotspot_create();
	char first[sizeof(m->got)];
	enum jit_look look = read_on(h, m);
	memcpy(first, m->got, sizeof(first));
	enum jit_look again = read_on(h, m);
	if (again == JIT_LOOK_SAME)
		assert_string_equal(m->got, "");
	if (again == JIT_LOOK_NEW) /* some have no name, or there is none */
		assert_string_equal(m->got, first);
	assert_int_equal(!again, !look);
	memcpy(m->got, first, sizeof(first));
	hotspot_destroy(h);
	return look != JIT_LOOK_FAILED;
}

static void code_has_the_names_of_a_perf_map(void **state)
{
	struct image m;
	(void)state;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		make_of(&m, &layouts[i], "org/Hot", "(I[[Ljava/lang/String;J)[D");
		assert_true(read_image(&m));
		assert_string_equal(m.got, "1040 c0 Interpreter\n"
					   "11c0 1c0 double[] org.Hot.run(int, java.lang.String[][], long)\n");
	}
	make(&m, "org/Hot$$Lambda+0x12", "()V");
	assert_true(read_image(&m));
	assert_non_null(strstr(m.got, " void org.Hot$$Lambda/0x12.run()\n"));
}

static void what_does_not_fit_is_left_out(void **state)
{
	static const char *const signatures[] = {"", "(", "()", "V", "(L)V", "(Lx)V", "([)V", "(Q)V", "()[", "(\n)V"};
	struct image m;
	(void)state;
	for (size_t i = 0; i < sizeof(signatures) / sizeof(signatures[0]); i++) {
		make(&m, "Hot", signatures[i]);
		assert_true(read_image(&m));
		assert_string_equal(m.got, "1040 c0 Interpreter\n");
	}
}

static void damaged_memory(void **state)
{
	static const uint64_t values[] = {0, 1, BASE, BASE + BYTES - 1, INT64_MAX, UINT64_MAX};
	struct image m;
	(void)state;
	for (size_t l = 0; l < sizeof(layouts) / sizeof(layouts[0]); l++)
		for (size_t at = 0; at < BYTES; at += 8)
			for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
				make_of(&m, &layouts[l], "Hot", "()V");
				put(&m, at, values[i]);
				read_image(&m); /* note() looks at what it gives */
			}
	make(&m, "Hot", "()V");
	put(&m, 8, 0); /* the stride */
	assert_false(read_image(&m));
}

/* What is as it was is not passed on, and what is known keeps its name, of which the JVM says nothing more. */
static void later_readings(void **state)
{
	struct image m;
	struct hotspot *h = hotspot_create();
	(void)state;
	make(&m, "Hot", "()V");
	assert_int_equal(read_on(h, &m), JIT_LOOK_NEW);
	assert_string_equal(m.got, "1040 c0 Interpreter\n11c0 1c0 void Hot.run()\n");
	put(&m, OBJECTS, 0); /* the method */
	assert_int_equal(read_on(h, &m), JIT_LOOK_SAME);
	assert_string_equal(m.got, "");
	/* code is made between both */
	m.bytes[CODE + 2 * 128 + 8] = true;
	assert_int_equal(read_on(h, &m), JIT_LOOK_NEW);
	assert_string_equal(m.got, "1040 c0 Interpreter\n1140 40 freed\n11c0 1c0 void Hot.run()\n");
	assert_int_equal(read_on(h, &m), JIT_LOOK_SAME);
	/* the first goes, then the last, then all */
	m.bytes[CODE + 8] = false;
	assert_int_equal(read_on(h, &m), JIT_LOOK_NEW);
	assert_string_equal(m.got, "1140 40 freed\n11c0 1c0 void Hot.run()\n");
	m.bytes[CODE + 3 * 128 + 8] = false;
	assert_int_equal(read_on(h, &m), JIT_LOOK_NEW);
	assert_string_equal(m.got, "1140 40 freed\n");
	m.bytes[CODE + 2 * 128 + 8] = false;
	assert_int_equal(read_on(h, &m), JIT_LOOK_NEW);
	assert_string_equal(m.got, "");
	hotspot_destroy(h);
}

/* What has no name is tried again three times, and again when something is new. */
static void names_that_come_later(void **state)
{
	struct image m;
	struct hotspot *h = hotspot_create();
	(void)state;
	make(&m, "Hot", "()V");
	put(&m, OBJECTS, 0);
	assert_int_equal(read_on(h, &m), JIT_LOOK_NEW);
	assert_string_equal(m.got, "1040 c0 Interpreter\n");
	put(&m, OBJECTS, BASE + OBJECTS + 8);
	assert_int_equal(read_on(h, &m), JIT_LOOK_NEW);
	assert_string_equal(m.got, "1040 c0 Interpreter\n11c0 1c0 void Hot.run()\n");
	assert_int_equal(read_on(h, &m), JIT_LOOK_SAME);
	hotspot_forget(h);
	put(&m, OBJECTS, 0);
	assert_int_equal(read_on(h, &m), JIT_LOOK_NEW);
	for (int i = 0; i < 3; i++)
		assert_int_equal(read_on(h, &m), JIT_LOOK_NEW);
	assert_int_equal(read_on(h, &m), JIT_LOOK_SAME);
	m.bytes[CODE + 2 * 128 + 8] = true;
	for (int i = 0; i < 3; i++)
		assert_int_equal(read_on(h, &m), JIT_LOOK_NEW);
	hotspot_destroy(h);
}

/* A version whose tables lack the place of the code, or have another for the flag of a block. */
static void another_layout(void **state)
{
	static const struct layout odd = {"GrowableArrayBase", "nmethod", true, 2};
	struct image m;
	(void)state;
	make_of(&m, &odd, "Hot", "()V");
	assert_false(read_image(&m));
	make(&m, "Hot", "()V");
	char *field = memmem(m.bytes, sizeof(m.bytes), "_data_offset", 12);
	assert_non_null(field);
	field[0] = 'x';
	assert_false(read_image(&m));
	assert_string_equal(m.got, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_has_the_names_of_a_perf_map),
		cmocka_unit_test(what_does_not_fit_is_left_out),
		cmocka_unit_test(later_readings),
		cmocka_unit_test(names_that_come_later),
		cmocka_unit_test(another_layout),
		cmocka_unit_test(damaged_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
