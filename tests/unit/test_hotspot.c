/* The methods of a JVM, read from made memory: whole, and damaged at every word. */
#include "resolve/jit/hotspot.h"

#include "../lib/made_jvm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BASE = JVM_BASE, BYTES = 8192, VARIABLES = 11, HEAP = 2048, CODE = 4096, MAP = 6144, OBJECTS = 2560 };

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

static void make_tables(struct image *m)
{
	static const uint64_t values[VARIABLES] = {BASE + 128, 40, 0, 8, 16, 24, 32, BASE + 1200, 16, 0, 8};
	for (size_t i = 0; i < VARIABLES; i++)
		put(m, i * 8, values[i]);
	m->structs = 128;
	m->strings = 6400;
	field(m, "CodeCache", "_heap", 0, BASE + HEAP);
	field(m, "CodeHeap", "_memory", 0, 0);
	field(m, "CodeHeap", "_segmap", 16, 0);
	field(m, "CodeHeap", "_log2_segment_size", 32, 0);
	field(m, "VirtualSpace", "_low", 0, 0);
	field(m, "VirtualSpace", "_high", 8, 0);
	field(m, "HeapBlock", "_header", 0, 0);
	field(m, "HeapBlock::Header", "_length", 0, 0);
	field(m, "HeapBlock::Header", "_used", 8, 0);
	field(m, "CodeBlob", "_name", 0, 0);
	field(m, "CodeBlob", "_code_begin", 8, 0);
	field(m, "CodeBlob", "_code_end", 16, 0);
	field(m, "nmethod", "_method", 24, 0);
	field(m, "Method", "_constMethod", 0, 0);
	field(m, "ConstMethod", "_constants", 0, 0);
	field(m, "ConstMethod", "_name_index", 8, 0);
	field(m, "ConstMethod", "_signature_index", 10, 0);
	field(m, "ConstantPool", "_pool_holder", 0, 0);
	field(m, "Klass", "_name", 0, 0);
	field(m, "Symbol", "_length", 0, 0);
	field(m, "Symbol", "_body", 2, 0);
	put(m, 1200, string(m, "HeapBlock"));
	put(m, 1208, 16);
	put(m, 1216, string(m, "ConstantPool"));
	put(m, 1224, 8);
}

static uint64_t name(struct image *m, size_t at, const char *s)
{
	uint16_t n = (uint16_t)strlen(s);
	memcpy(m->bytes + at, &n, 2);
	memcpy(m->bytes + at + 2, s, n);
	return BASE + at;
}

/* A block of code at segment `at` (of 128 bytes), with its head of 64 bytes. */
static void block(struct image *m, size_t at, uint64_t length, bool used, const char *what)
{
	size_t p = CODE + at * 128;
	m->bytes[MAP + at] = 0;
	put(m, p, length);
	m->bytes[p + 8] = used;
	put(m, p + 16, string(m, what));
	put(m, p + 24, BASE + p + 64);
	put(m, p + 32, BASE + p + length * 128);
	put(m, p + 40, BASE + OBJECTS);
}

static void make(struct image *m, const char *holder, const char *signature)
{
	memset(m, 0, sizeof(*m));
	make_tables(m);
	put(m, HEAP, BASE + HEAP + 8);
	put(m, HEAP + 8, BASE + CODE);
	put(m, HEAP + 16, BASE + CODE + 1024);
	put(m, HEAP + 24, BASE + MAP);
	put(m, HEAP + 32, BASE + MAP + 8);
	put(m, HEAP + 40, 7);
	memset(m->bytes + MAP, 1, 8);
	block(m, 0, 2, true, "Interpreter");
	block(m, 2, 1, false, "freed");
	block(m, 3, 4, true, "nmethod");
	put(m, OBJECTS, BASE + OBJECTS + 8);
	put(m, OBJECTS + 8, BASE + OBJECTS + 32);
	m->bytes[OBJECTS + 16] = 1;
	m->bytes[OBJECTS + 18] = 2;
	put(m, OBJECTS + 32, BASE + OBJECTS + 80);
	put(m, OBJECTS + 48, name(m, OBJECTS + 100, "run"));
	put(m, OBJECTS + 56, name(m, OBJECTS + 110, signature));
	put(m, OBJECTS + 80, name(m, OBJECTS + 200, holder));
}

static void note(void *ctx, const struct jit_code *code)
{
	struct image *m = ctx;
	size_t n = strlen(m->got);
	assert_true(code->size && code->addr + code->size > code->addr && code->name_n);
	snprintf(m->got + n, sizeof(m->got) - n, "%x %x %.*s\n", (unsigned)(code->addr - BASE), (unsigned)code->size,
		 (int)code->name_n, code->name);
}

static bool read_image(struct image *m)
{
	struct limit_set reached = {0};
	struct made_jvm memory = {m->bytes, sizeof(m->bytes)};
	struct hotspot_process p = {
		.read = made_jvm_read, .read_each = made_jvm_read_each, .symbol = made_jvm_symbol, .ctx = &memory};
	struct hotspot *h = hotspot_create();
	char first[sizeof(m->got)];
	m->got[0] = '\0';
	bool ok = hotspot_read(h, &p, note, m, &reached);
	memcpy(first, m->got, sizeof(first));
	m->got[0] = '\0';
	assert_int_equal(hotspot_read(h, &p, note, m, &reached), ok); /* it knows the names now */
	assert_string_equal(m->got, first);
	hotspot_destroy(h);
	return ok;
}

static void code_has_the_names_of_a_perf_map(void **state)
{
	struct image m;
	(void)state;
	make(&m, "org/Hot", "(I[[Ljava/lang/String;J)[D");
	assert_true(read_image(&m));
	assert_string_equal(m.got, "1040 c0 Interpreter\n"
				   "11c0 1c0 double[] org.Hot.run(int, java.lang.String[][], long)\n");
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
	for (size_t at = 0; at < BYTES; at += 8)
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			make(&m, "Hot", "()V");
			put(&m, at, values[i]);
			read_image(&m); /* note() looks at what it gives */
		}
	make(&m, "Hot", "()V");
	put(&m, 8, 0); /* the stride */
	assert_false(read_image(&m));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_has_the_names_of_a_perf_map),
		cmocka_unit_test(what_does_not_fit_is_left_out),
		cmocka_unit_test(damaged_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
