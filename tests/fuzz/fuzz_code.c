/* Fuzzes what is made of the code of functions.  The first byte gives the kind of processor; with its highest bit set,
 * the next eight bytes are an address, and the rest is a file with debug information; else the rest is code. */
#include "base/load.h"

#include <cyctop/code.h>

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PIECES = 64, PIECE = 4, EVENTS = 2, KIND = 0x7f, CODE_MAX = 65536 };

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void see_listing(const struct instructions *in, const struct code_places *places)
{
	struct code_sample samples[16];
	struct code_listing l;
	uint64_t seen = 0;
	for (uint32_t i = 0; i < ARRAY_LEN(samples); i++)
		samples[i] = (struct code_sample){
			.addr = (in->n ? in->v[0].addr : 0) + i * 5u, .event = i % EVENTS, .count = {1, i}};
	code_listing_create(in, places, NULL, samples, ARRAY_LEN(samples), EVENTS, &l);
	for (size_t i = 0; i < in->n * EVENTS; i++)
		seen += l.counts[i].samples;
	check(seen + l.outside[0].samples + l.outside[1].samples == ARRAY_LEN(samples));
	check(l.lines_n == in->n && l.hottest <= in->n);
	for (size_t i = 0; i < in->n; i++)
		check(strlen(l.arrows.rows[i]) == l.arrows.width);
	code_listing_deinit(&l);
}

static void see_code(const struct function_code *code)
{
	struct instructions in;
	struct code_places places = {.n = 0};
	uint64_t addr = code->addr;
	instructions_read(code, NULL, &in);
	for (size_t i = 0; i < in.n; i++) {
		check(in.v[i].addr == addr && in.v[i].size && in.v[i].text);
		addr += in.v[i].size;
	}
	check(addr == code->addr + code->n);
	see_listing(&in, &places);
	instructions_deinit(&in);
}

static void see_places(uint64_t addr, const uint8_t *file, size_t n)
{
	struct instruction v[PIECES];
	const struct instructions in = {.v = v, .n = PIECES};
	struct function_code code = {.fd = memfd_create("fuzz", MFD_CLOEXEC), .debug_fd = -1};
	struct code_places places;
	for (size_t i = 0; i < PIECES; i++)
		v[i] = (struct instruction){.addr = addr + i * PIECE, .size = PIECE, .text = ""};
	if (code.fd < 0 || write(code.fd, file, n) != (ssize_t)n)
		exit(1);
	code_places_read(&code, &in, &places);
	check(places.why ? !places.n : places.n == PIECES);
	for (size_t i = 0; i < places.n; i++)
		check((!places.v[i].file || strlen(places.v[i].file)) &&
		      (!places.v[i].inlined || *places.v[i].inlined));
	code_places_deinit(&places);
	close(code.fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t machines[] = {EM_X86_64, EM_AARCH64, EM_386, EM_RISCV, EM_ARM};
	if (size && data[0] & ~KIND && size > 9)
		see_places(load_number(data + 1, 8, false) & INT64_MAX, data + 9, size - 9);
	if (!size || data[0] & ~KIND)
		return 0;
	struct function_code code = {
		.addr = 0x1000,
		.bytes = (uint8_t *)(uintptr_t)(data + 1),
		.n = size - 1 < CODE_MAX ? size - 1 : CODE_MAX,
		.machine = machines[data[0] % ARRAY_LEN(machines)],
		.wide = true,
	};
	see_code(&code);
	return 0;
}
