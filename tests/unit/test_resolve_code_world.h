/* Processes with JIT code, for the tests of its names. */
#ifndef TESTS_UNIT_TEST_RESOLVE_CODE_WORLD_H
#define TESTS_UNIT_TEST_RESOLVE_CODE_WORLD_H

#include "resolve/jit/jit.h"

static const uint64_t code_at = 0x7f0000000000;

/* A resolver that knows nothing of /proc, and reads files with `ops`. */
struct resolver *make(const struct jit_ops *ops);

void map_code(struct resolver *r, uint32_t pid); /* at code_at */
void apply_comm(struct resolver *r, uint32_t pid, const char *comm, bool exec);
void apply_task(struct resolver *r, uint32_t type, uint32_t pid, uint32_t ppid, uint64_t time_ns);

uint32_t at(struct resolver *r, uint32_t pid, uint64_t addr);
/* The current symbol for a sample that got the id `sym`. */
const struct sym_info *now(struct resolver *r, uint32_t sym);

#endif
