/* Fuzzes the readers of unwind tables and PLT stubs.  The first byte gives class and byte
 * order, the second the size of the index in bytes; the rest is the index and the table. */
#include "resolve/elf/stub.h"

#include <cyctop/unwind.h>

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	size_t n;
	bool wide;
};

static void see(void *ctx, const struct frames_function *f)
{
	struct seen *s = ctx;
	uint64_t start = f->start, size = f->size;
	s->n++;
	if (!start || !size || start + size < start || (!s->wide && start > UINT32_MAX))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	size_t index_n = data[1] < size - 2 ? data[1] : size - 2, n = size - 2 - index_n;
	struct frames f = {
		.index = {data + 2, index_n, 0x4000},
		.table = {data + 2 + index_n, n, 0x5000},
		.wide = data[0] & 1,
		.big = data[0] & 2,
		.to_terminator = data[0] & 4,
	};
	struct seen seen = {.wide = f.wide};
	frames_read(&f, see, &seen);
	/* an entry has at least one byte, and is read at most twice: with the index and without */
	if (seen.n > size * 2)
		abort();
	uint64_t addr;
	if (index_n && frames_table_addr(&f, &addr) && !f.wide && addr > UINT32_MAX)
		abort();
	static const uint16_t machines[] = {EM_X86_64, EM_386, EM_AARCH64, EM_RISCV};
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct stub_code code = {
			.machine = machines[i], .wide = f.wide, .bytes = data + 2, .n = size - 2, .addr = 0x1000};
		for (size_t at = 0; at < code.n; at += stub_step(&code)) {
			struct stub stub;
			if (stub_decode(&code, at, &stub) && (!stub.n || stub.n > code.n - at))
				abort();
		}
	}
	return 0;
}
