/* A simple JIT compiler: copies machine code into anonymous memory and lists it in
 *   jit map            /tmp/perf-PID.map, which grows while it runs
 *   jit dump DIR       DIR/jit-PID.dump, with code that moves
 *   jit dump DIR reuse the same, with addresses that are used again */
#include "burn.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__i386__)
#define MACHINE EM_386
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#elif defined(__riscv)
#define MACHINE EM_RISCV
#else
#define MACHINE EM_NONE
#endif

typedef uint64_t code_fn(uint64_t x, uint64_t rounds);
enum { SLOT = 256, SLOTS = 16, DUMP_SLOTS = 8192 };

/* In its own section, so that its bounds are known; it refers to nothing outside. */
__attribute__((section("jit_code"), noinline)) uint64_t template_code(uint64_t x, uint64_t rounds);
__attribute__((section("jit_code"), noinline)) uint64_t template_code(uint64_t x, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		x = (x ^ x >> 29) * 0x9e3779b1u;
	return x;
}
extern const uint8_t __start_jit_code[], __stop_jit_code[];

struct jit {
	uint8_t *memory;
	size_t code_size;
	FILE *out;
	uint64_t index; /* index of the next function in the dump */
	volatile uint64_t x;
};

static uint64_t address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static uint8_t *place(struct jit *j, unsigned slot)
{
	uint8_t *code = j->memory + (size_t)slot * SLOT;
	memcpy(code, __start_jit_code, j->code_size);
	__builtin___clear_cache((char *)code, (char *)code + j->code_size);
	return code;
}

/* Runs the code in a slot, and prints its "run" line. */
static void run(struct jit *j, unsigned slot, const char *name, uint64_t ms)
{
	code_fn *fn = (code_fn *)(uintptr_t)(j->memory + (size_t)slot * SLOT);
	uint64_t from = zoo_now_ns(), to = from;
	while (to - from < ms * 1000000) {
		j->x = fn(j->x, ROUNDS);
		to = zoo_now_ns();
	}
	printf("run %s 0x%" PRIx64 " %zu %" PRIu64 " %" PRIu64 "\n", name, address((const void *)(uintptr_t)fn),
	       j->code_size, from, to);
}

/* ---- a perf map ---------------------------------------------------------------- */

static void map_line(struct jit *j, unsigned slot, const char *name)
{
	fprintf(j->out, "%" PRIx64 " %zx %s\n", address(j->memory) + slot * SLOT, j->code_size, name);
	fflush(j->out);
}

/* Adds one function in every round; before its line there is an outdated one.  The share of the
 * first function is about constant, so that the time of reading the map hardly matters. */
static void play_map(struct jit *j)
{
	char path[64], name[64];
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	j->out = fopen(path, "wx");
	if (!j->out) {
		perror(path);
		exit(1);
	}
	for (unsigned n = 0;; n++, zoo_rest()) {
		if (n < SLOTS) {
			place(j, n);
			map_line(j, n, "out_of_date");
			snprintf(name, sizeof(name), "jit_function_%u", n);
			map_line(j, n, name);
		}
		if (n == 1)
			zoo_ready();
		for (unsigned k = 0; k < 16; k++) {
			unsigned i = k % 4, slot = i == 1 && n < SLOTS ? n : i * n % SLOTS % (n + 1);
			snprintf(name, sizeof(name), "jit_function_%u", slot);
			run(j, slot, name, 1);
		}
	}
}

/* ---- a jitdump ------------------------------------------------------------------- */

enum { CODE_LOAD = 0, CODE_MOVE = 1 };

struct dump_header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time_ns, flags;
};

struct dump_record {
	uint32_t id, size;
	uint64_t time_ns;
	uint32_t pid, tid;
	uint64_t vma;
};

static struct dump_record record_of(uint32_t id, size_t size, uint64_t vma)
{
	return (struct dump_record){
		.id = id,
		.size = (uint32_t)(sizeof(struct dump_record) + size),
		.time_ns = zoo_now_ns(),
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)syscall(SYS_gettid),
		.vma = vma,
	};
}

static void dump_load(struct jit *j, unsigned slot, const char *name)
{
	const uint8_t *code = place(j, slot);
	uint64_t body[3] = {address(code), j->code_size, j->index++};
	struct dump_record r = record_of(CODE_LOAD, sizeof(body) + strlen(name) + 1 + j->code_size, address(code));
	fwrite(&r, sizeof(r), 1, j->out);
	fwrite(body, sizeof(body), 1, j->out);
	fwrite(name, strlen(name) + 1, 1, j->out);
	fwrite(code, j->code_size, 1, j->out);
	fflush(j->out);
}

/* Moves the function that was loaded last from one slot to another. */
static void dump_move(struct jit *j, unsigned from, unsigned to)
{
	const uint8_t *code = place(j, to);
	uint64_t body[4] = {address(j->memory) + from * SLOT, address(code), j->code_size, j->index - 1};
	struct dump_record r = record_of(CODE_MOVE, sizeof(body), address(code));
	fwrite(&r, sizeof(r), 1, j->out);
	fwrite(body, sizeof(body), 1, j->out);
	fflush(j->out);
}

static void dump_open(struct jit *j, const char *dir)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, (int)getpid());
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	j->out = fd < 0 ? NULL : fdopen(fd, "w");
	struct dump_header h = {
		.magic = 0x4A695444,
		.version = 1,
		.size = sizeof(h),
		.machine = MACHINE,
		.pid = (uint32_t)getpid(),
		.time_ns = zoo_now_ns(),
	};
	if (!j->out || fwrite(&h, sizeof(h), 1, j->out) != 1 || fflush(j->out) != 0) {
		perror(path);
		exit(1);
	}
	/* this mapping shows a profiler that the file exists */
	if (mmap(NULL, (size_t)getpagesize(), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED) {
		perror("jit: mmap");
		exit(1);
	}
}

/* Loads one function after the other: each runs, is moved, and runs at its new address.  When the memory is
 * full, the last one goes on. */
static void play_dump(struct jit *j, const char *dir, bool reuse)
{
	static const char *const names[] = {"jit_dumped_one", "jit_dumped_two", "jit_dumped_three"};
	dump_open(j, dir);
	for (unsigned n = 0;; n++) {
		unsigned last = n < DUMP_SLOTS / 2 ? n : DUMP_SLOTS / 2 - 1;
		const char *name = names[last % 3];
		unsigned from = reuse ? 0 : 2 * last, to = reuse ? 1 + last % 2 : from + 1;
		if (n == last) {
			dump_load(j, from, name);
			run(j, from, name, 1);
			dump_move(j, from, to);
		}
		run(j, to, name, 1);
		if (n == 0)
			zoo_ready();
		if (n % 4 == 0)
			zoo_rest();
	}
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	zoo_begin();
	struct jit j = {
		.memory = mmap(NULL, SLOT * DUMP_SLOTS, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			       -1, 0),
		.code_size = (size_t)(__stop_jit_code - __start_jit_code),
		.x = 1,
	};
	if (j.memory == MAP_FAILED || j.code_size > SLOT) {
		fprintf(stderr, "jit: no place for code\n");
		return 1;
	}
	if (argc > 2)
		play_dump(&j, argv[2], argc > 3);
	else
		play_map(&j);
}
