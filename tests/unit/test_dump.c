/* Dumps of a recording as lines of text and of JSON. */
#include "../lib/scratch.h"

#include "app/dump.h"

#include <cyctop/perfdata.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Makes a stream: header, attr, COMM, a record of an unknown type, and half a record. */
static size_t make(uint8_t *p, uint64_t unknown_bits)
{
	const struct perf_attr known = {
		.size = 64, .sample_type = SAMPLE_IP | SAMPLE_TID, .sample_period = 1000, .flags = ATTR_SAMPLE_ID_ALL};
	struct perf_attr attr = known;
	attr.sample_type |= unknown_bits;
	const uint64_t head[] = {PD_MAGIC, 16}, ids[] = {5}, odd[] = {0x1122};
	struct record_layout layout;
	struct record comm = {.type = RECORD_COMM, .id = {.pid = 7, .tid = 8}};
	size_t n = sizeof(head);
	memcpy(p, head, n);
	memcpy(p + n, &(struct record_header){PD_RECORD_ATTR, 0, 8 + 64 + 8}, 8);
	memcpy(p + n + 8, &attr, 64);
	memcpy(p + n + 72, ids, 8);
	n += 80;
	assert_int_equal(record_layout_init(&layout, &known), 0);
	comm.u.comm.pid = 7;
	comm.u.comm.tid = 8;
	comm.u.comm.comm = "a \"b\"\n";
	for (int i = 0; i < (unknown_bits ? 2 : 1); i++)
		n += record_encode(&layout, &comm, p + n, 256);
	memcpy(p + n, &(struct record_header){40000, 0, 16}, 8);
	memcpy(p + n + 8, odd, 8);
	n += 16;
	memcpy(p + n, &(struct record_header){RECORD_COMM, 0, 64}, 8);
	return n + 8;
}

static char *dumped(bool json, uint64_t unknown_bits)
{
	char path[SCRATCH_PATH], *text = NULL;
	uint8_t bytes[1024];
	size_t n = make(bytes, unknown_bits), size = 0;
	struct error err;
	int fd = scratch_file(path);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	assert_int_equal(dump_file(path, json, out, &err), 0);
	fclose(out);
	unlink(path);
	return text;
}

static const char *line(const char *text, unsigned i)
{
	while (i-- && text)
		text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
	return text;
}

static void starts(const char *text, const char *with)
{
	assert_non_null(text);
	if (strncmp(text, with, strlen(with)) != 0)
		assert_string_equal(text, with);
}

static void text_has_a_line_per_part(void **state)
{
	(void)state;
	char *text = dumped(false, 0);
	starts(line(text, 0), "header offset=0x0 mode=pipe other_byte_order=0\n");
	starts(line(text, 1), "record offset=0x10 type=ATTR misc=0x0 size=80 fields={attr={type=0 size=64 config=0x0 "
			      "sample_period=1000 sample_type=[IP TID] read_format=[] flags=[sample_id_all]");
	starts(line(text, 2), "record offset=0x60 type=COMM misc=0x0 size=32 fields={pid=7 tid=8 comm=\"a \\\"b\\\"?\" "
			      "sample_id={pid=7 tid=8}}\n");
	starts(line(text, 3), "record offset=0x80 type=40000 misc=0x0 size=16 fields={bytes=8:2211000000000000}\n");
	starts(line(text, 4),
	       "damage offset=0x90 what=\"The recording ends in the middle of a record, after 144 bytes.\"\n");
	assert_string_equal(line(text, 5), "");
	free(text);
}

static void json_has_an_object_per_part(void **state)
{
	(void)state;
	char *text = dumped(true, 0);
	starts(line(text, 0), "{\"kind\":\"header\",\"offset\":\"0x0\",\"mode\":\"pipe\",\"other_byte_order\":0}\n");
	starts(line(text, 2), "{\"kind\":\"record\",\"offset\":\"0x60\",\"type\":\"COMM\",\"misc\":\"0x0\",\"size\":32,"
			      "\"fields\":{\"pid\":7,\"tid\":8,\"comm\":\"a \\\"b\\\"\\u000a\","
			      "\"sample_id\":{\"pid\":7,\"tid\":8}}}\n");
	starts(line(text, 3), "{\"kind\":\"record\",\"offset\":\"0x80\",\"type\":40000,\"misc\":\"0x0\",\"size\":16,"
			      "\"fields\":{\"bytes\":\"2211000000000000\"}}\n");
	starts(line(text, 4), "{\"kind\":\"damage\",\"offset\":\"0x90\",");
	free(text);
}

/* Records of an unknown layout are shown without their fields. */
static void unknown_sample_type_bits_are_damage(void **state)
{
	(void)state;
	char *text = dumped(false, 1ull << 60);
	starts(line(text, 2),
	       "damage offset=0x60 what=\"Its records have fields that this version of cyctop does not know "
	       "(sample_type 0x1000000000000003).\"\n");
	starts(line(text, 3), "record offset=0x60 type=COMM misc=0x0 size=32 fields={}\n");
	starts(line(text, 4), "record offset=0x80 type=COMM misc=0x0 size=32 fields={}\n");
	starts(line(text, 5), "record offset=0xa0 type=40000 misc=0x0 size=16 fields={bytes=8:2211000000000000}\n");
	free(text);
}

static void other_files_are_refused(void **state)
{
	(void)state;
	struct error err = {0};
	assert_true(dump_file("/nonexistent", false, stdout, &err) < 0);
	assert_true(*err.text);
	assert_int_equal(dump_file("/proc/self/exe", false, stdout, &err), -EINVAL);
	assert_non_null(strstr(err.text, "not a perf.data file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_has_a_line_per_part),
		cmocka_unit_test(json_has_an_object_per_part),
		cmocka_unit_test(unknown_sample_type_bits_are_damage),
		cmocka_unit_test(other_files_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
