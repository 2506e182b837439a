/* A scripted world for the resolver: files, processes and records made to order. */
#ifndef TESTS_UNIT_TEST_RESOLVE_WORLD_H
#define TESTS_UNIT_TEST_RESOLVE_WORLD_H

#include <cyctop/resolve.h>

#include <stdatomic.h>

/* A file "/f" has a symbol "fN" per 0x1000 bytes, N from 0 to 15; "/none" has none,
 * "/huge..." 100000 of them; "/slow" waits until it is let go. */
struct world {
	atomic_bool go;
	int identities, maps; /* calls */
	int32_t deny_pid;     /* 0: none */
	bool keep_comms;
};

struct symtab *world_table(const char *prefix);
int world_load(void *ctx, const struct dso_key *key, struct dso_image *ret);
struct resolver *make(struct world *w, bool background);
void apply_mmap(struct resolver *r, uint32_t pid, uint64_t start, uint64_t len, uint64_t off, const char *path);
void apply_task(struct resolver *r, uint32_t type, uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid,
		uint64_t time_ns);
void apply_comm(struct resolver *r, uint32_t pid, uint32_t tid, const char *comm, bool exec);
void apply_ksymbol(struct resolver *r, uint64_t addr, uint32_t len, const char *name, bool gone);
const struct sym_info *sym_at(struct resolver *r, uint32_t task, uint16_t mode, uint64_t ip);
const char *name_at(struct resolver *r, uint32_t task, uint64_t ip);
const struct task_info *task_of(struct resolver *r, uint32_t id);
const char *dso_name(struct resolver *r, const struct sym_info *s);

#endif
