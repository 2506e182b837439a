/* A scripted world for the resolver: hand-made files, processes and records. */
#ifndef TESTS_UNIT_TEST_RESOLVE_WORLD_H
#define TESTS_UNIT_TEST_RESOLVE_WORLD_H

#include <cyctop/resolve.h>

#include <stdatomic.h>

/* A file "/f" has a symbol "fN" for every 0x1000 bytes, N from 0 to 15; "/none" has no symbols,
 * "/huge..." 100000; "/slow" waits until `go` is set. */
struct world {
	atomic_bool go;
	int identities, maps;	  /* numbers of calls */
	atomic_int loads, loaded; /* loads of "/slow" that began, and that ended */
	atomic_int places;	  /* questions for places in the source */
	int32_t deny_pid;	  /* pid whose /proc files cannot be read; 0: none */
	int shortages;		  /* number of calls of load and maps that will fail with EMFILE */
	bool keep_comms;
	uint32_t parent;    /* of each process, as /proc has it; 0: none */
	int32_t gone_below; /* processes with smaller pids have ended */
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
/* Flags for all ids, none of them set; free_used() frees them. */
struct catalog_used nothing_used(const struct resolver *r);
void free_used(struct catalog_used *used);
/* The same for samples, of which no id has any. */
struct catalog_weights no_weights(const struct resolver *r);
void free_weights(struct catalog_weights *weights);
void free_fold(struct catalog_fold *fold);
/* resolver_retire() when there are no facts. */
void retire_unused(struct resolver *r);
const char *dso_name(struct resolver *r, const struct sym_info *s);

#endif
