/* Samples of a recording have their addresses in a function, whose code is that of its file. */
#include "../lib/scratch.h"
#include "resolve/elf/image.h"

#include <cyctop/perfdata.h>
#include <cyctop/session.h>

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const uint64_t mapped = 0x10000000, period = 500;
enum { FIELDS = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD };

struct place {
	uint64_t addr, offset, size;
};

static struct place find_function(const char *path, const char *name)
{
	struct place p = {0};
	struct dso_image image = {0};
	struct symtab_hit hit;
	int fd = open(path, O_RDONLY);
	assert_int_equal(elf_read_program(fd, (uint64_t)lseek(fd, 0, SEEK_END), NULL, &image), 0);
	for (uint32_t i = 0; i < symtab_count(image.symtab); i++) {
		symtab_get(image.symtab, i, &hit);
		if (strcmp(hit.name, name) == 0)
			p = (struct place){.addr = hit.addr, .size = hit.size};
	}
	for (size_t i = 0; i < image.segments_n; i++)
		if (p.addr >= image.segments[i].vaddr)
			p.offset = p.addr - image.segments[i].vaddr + image.segments[i].offset;
	assert_true(p.addr && p.offset && p.size > 4);
	dso_image_deinit(&image);
	close(fd);
	return p;
}

static void write_record(FILE *f, const struct record_layout *layout, struct record *rec, uint64_t time_ns)
{
	uint8_t buf[512];
	rec->id = (struct sample_id){
		.has = FIELDS & ~(SAMPLE_IP | SAMPLE_PERIOD), .pid = 7, .tid = 7, .time_ns = time_ns, .id = 11};
	size_t n = record_encode(layout, rec, buf, sizeof(buf));
	assert_true(n > 0);
	fwrite(buf, n, 1, f);
}

/* Writes a recording with samples at these offsets in the file that process 7 maps.  `stack`: the branch stack of each,
 * of two entries; NULL: they have none. */
static void write_recording(const char *path, const uint64_t *offsets, size_t n, const struct branch_entry *stack)
{
	struct {
		struct record_header header;
		struct perf_attr attr;
		uint64_t id;
	} own = {.header = {.type = PD_RECORD_ATTR, .size = sizeof(own)}, .id = 11};
	own.attr = (struct perf_attr){
		.size = sizeof(own.attr), .sample_period = period, .sample_type = FIELDS, .flags = ATTR_SAMPLE_ID_ALL};
	own.attr.sample_type |= stack ? SAMPLE_BRANCH_STACK : 0;
	const uint64_t header[2] = {PD_MAGIC, PD_PIPE_HEADER_SIZE};
	struct record_layout layout;
	assert_int_equal(record_layout_init(&layout, &own.attr), 0);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fwrite(header, sizeof(header), 1, f);
	fwrite(&own, sizeof(own), 1, f);
	struct record map = {.type = RECORD_MMAP, .misc = MISC_USER};
	map.u.mmap =
		(struct record_mmap){.pid = 7, .tid = 7, .start = mapped, .len = 1 << 20, .filename = "/libinlined.so"};
	write_record(f, &layout, &map, 1);
	for (size_t i = 0; i < n; i++) {
		struct record sample = {.type = RECORD_SAMPLE, .misc = MISC_USER};
		sample.u.sample = (struct record_sample){.ip = mapped + offsets[i], .period = period};
		sample.u.sample.branch.nr = stack ? 2 : 0;
		sample.u.sample.branch.entries = stack;
		write_record(f, &layout, &sample, 1000 + i);
	}
	assert_int_equal(fclose(f), 0);
}

struct seen {
	uint64_t at[4], elsewhere, limit;
	uint64_t branches[3], cycles; /* of branches, at these addresses, and elsewhere */
	uint64_t mispredicted;	      /* at address 1 */
	double weight;
	const struct place *place;
};

static bool see(void *ctx, uint32_t event, double weight, uint64_t cost, const uint64_t *addr)
{
	struct seen *s = ctx;
	if (event) {
		assert_true(weight == 1);
		s->cycles += cost;
		*(event == 2 ? &s->mispredicted : &s->branches[addr ? *addr - s->place->addr : 2]) += 1;
		return true;
	}
	assert_int_equal(cost, 0);
	s->weight += weight;
	if (addr)
		s->at[*addr - s->place->addr]++;
	else
		s->elsewhere++;
	return --s->limit;
}

static uint32_t find_symbol(struct session *s, const char *name)
{
	const struct catalog *cat = session_catalog(s);
	for (uint32_t i = 0; i < cat->syms_n; i++)
		if (cat->syms[i].resolved == i && strcmp(cat->syms[i].name, name) == 0)
			return i;
	fail_msg("there is no symbol %s", name);
	return CATALOG_NONE;
}

static void check_code(struct session *s, uint32_t sym, const struct place *p)
{
	struct function_code code;
	size_t n;
	uint8_t *file = scratch_read(FIXTURE_DIR "/libinlined.so", &n);
	while (!resolver_function(session_resolver(s), sym, &code)) {
		struct pollfd ready = {.fd = session_resolver_fd(s), .events = POLLIN};
		poll(&ready, 1, -1);
		session_collect(s);
	}
	assert_string_equal(code.why, "");
	assert_int_equal(code.n, p->size);
	assert_memory_equal(code.bytes, file + p->offset, code.n);
	function_code_deinit(&code);
	free(file);
}

static struct session *read_all(const char *path)
{
	struct session *s = NULL;
	struct error err = {.text = ""};
	const struct file_config config = {.path = path, .symfs = FIXTURE_DIR, .branches = true};
	if (session_open_file(&config, &s, &err) < 0)
		fail_msg("%s", err.text);
	do
		session_tick(s);
	while (!session_finished(s));
	assert_true(resolver_settle(session_resolver(s), 20000));
	session_collect(s);
	return s;
}

static void samples_have_addresses(void **state)
{
	(void)state;
	char path[SCRATCH_PATH];
	struct place p = find_function(FIXTURE_DIR "/libinlined.so", "outer_function");
	const uint64_t offsets[] = {p.offset, p.offset + 2, p.offset + 2, 0x8000000, p.offset + 3};
	close(scratch_file(path));
	write_recording(path, offsets, ARRAY_LEN(offsets), NULL);
	struct session *s = read_all(path);
	uint32_t sym = find_symbol(s, "outer_function");
	for (int again = 0; again < 2; again++) {
		struct seen seen = {.place = &p, .limit = 1000};
		assert_int_equal(session_addresses(s, sym, see, &seen), 0);
		assert_int_equal(seen.at[0], 1);
		assert_int_equal(seen.at[2], 2);
		assert_int_equal(seen.at[3], 1);
		assert_int_equal(seen.elsewhere, 1);
		assert_true(seen.weight == 5.0 * (double)period);
	}
	check_code(s, sym, &p);
	session_destroy(s);
	unlink(path);
}

/* Branches are at the instructions that they led from. */
static void branches_have_addresses(void **state)
{
	enum { MISPREDICTED = 1, PREDICTED = 2, CYCLES = 1 << 4 };
	(void)state;
	char path[SCRATCH_PATH];
	struct place p = find_function(FIXTURE_DIR "/libinlined.so", "outer_function");
	const uint64_t offsets[] = {p.offset, p.offset + 2};
	const struct branch_entry stack[] = {{mapped + p.offset + 1, mapped + p.offset, MISPREDICTED | 9 * CYCLES},
					     {mapped + 0x8000000, mapped + p.offset, PREDICTED}};
	close(scratch_file(path));
	write_recording(path, offsets, ARRAY_LEN(offsets), stack);
	struct session *s = read_all(path);
	struct seen seen = {.place = &p, .limit = 1000};
	assert_int_equal(session_addresses(s, find_symbol(s, "outer_function"), see, &seen), 0);
	assert_int_equal(seen.branches[1], 2);
	assert_int_equal(seen.branches[2], 2);
	assert_int_equal(seen.branches[0], 0);
	assert_int_equal(seen.mispredicted, 2);
	assert_int_equal(seen.cycles, 2 * 9);
	assert_true(seen.weight == 2.0 * (double)period);
	session_destroy(s);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_have_addresses),
		cmocka_unit_test(branches_have_addresses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
