/* Writes the initial corpus of fuzz_record: every record type alone and in a stream,
 * in several layouts.
 *   seeds_record DIRECTORY */
#include <cyctop/record.h>

#include "../lib/records.h"

#include <stdio.h>
#include <string.h>

struct shape {
	uint32_t sample_type;
	uint8_t read_format, branch, id_all;
};

/* Writes the start of an input, as fuzz_record.c reads it. */
static size_t put_head(const struct shape *s, uint16_t cut, uint8_t *buf)
{
	const uint16_t rest[4] = {cut, 0x0101, 0x0030, 1005};
	const uint8_t bytes[4] = {s->read_format, s->branch, s->id_all, 0};
	memcpy(buf, &s->sample_type, 4);
	memcpy(buf + 4, bytes, 4);
	memcpy(buf + 8, rest, 8);
	return 16;
}

static int write_file(const char *dir, const char *name, const uint8_t *bytes, size_t n)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0) {
		perror(path);
		return 1;
	}
	return 0;
}

static int layout_of(const struct shape *s, struct record_layout *ret)
{
	struct perf_attr attr =
		lib_attr(s->sample_type, s->read_format,
			 (s->branch & 1 ? BRANCH_HW_INDEX : 0) | (s->branch & 2 ? BRANCH_COUNTERS : 0), s->id_all);
	attr.sample_regs_user = 0x0101;
	attr.sample_regs_intr = 0x0030;
	return record_layout_init(ret, &attr);
}

int main(int argc, char **argv)
{
	static const struct shape shapes[] = {
		{SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD, READ_LOST, 0,
		 1},
		{SAMPLE_KNOWN & ~SAMPLE_WEIGHT, READ_KNOWN, 3, 1},
		{SAMPLE_KNOWN & ~SAMPLE_WEIGHT_STRUCT, READ_ID | READ_TIME_RUNNING, 0, 1},
		{SAMPLE_IP | SAMPLE_CALLCHAIN, READ_GROUP, 1, 0},
	};
	int status = 0;
	if (argc != 2) {
		fprintf(stderr, "usage: seeds_record DIRECTORY\n");
		return 2;
	}
	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		struct record_layout layout;
		uint8_t buf[16384];
		char name[64];
		if (layout_of(&shapes[i], &layout) < 0)
			return 1;
		size_t head = put_head(&shapes[i], 200, buf);
		size_t n = lib_stream(&layout, 1000, buf + head, sizeof(buf) - head);
		snprintf(name, sizeof(name), "stream-%zu", i);
		status |= write_file(argv[1], name, buf, head + n);
		if (i > 1)
			continue;
		for (uint32_t type = RECORD_MMAP; type <= RECORD_CALLCHAIN_DEFERRED; type++) {
			struct lib_store store;
			struct record rec;
			lib_record(&layout, type, type, &store, &rec);
			rec.id.time_ns = 1000 + type;
			n = record_encode(&layout, &rec, buf + head, sizeof(buf) - head);
			snprintf(name, sizeof(name), "record-%zu-%u", i, type);
			status |= write_file(argv[1], name, buf, head + n);
		}
	}
	return status;
}
