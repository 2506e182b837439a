#include "test_resolve_code_world.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct resolver *make(const struct jit_ops *ops)
{
	struct resolver_config config = {.proc = proc_none, .jit = ops};
	struct resolver *r;
	struct error err;
	assert_int_equal(resolver_create(&config, &r, &err), 0);
	return r;
}

void map_code(struct resolver *r, uint32_t pid)
{
	struct record rec = {.type = RECORD_MMAP2, .misc = MISC_USER};
	rec.u.mmap = (struct record_mmap){
		.pid = pid, .start = code_at, .len = 0x100000, .pgoff = code_at, .prot = 7, .filename = "//anon"};
	resolver_apply(r, &rec);
}

void apply_comm(struct resolver *r, uint32_t pid, const char *comm, bool exec)
{
	struct record rec = {.type = RECORD_COMM, .misc = exec ? MISC_COMM_EXEC : 0};
	rec.u.comm.pid = rec.u.comm.tid = pid;
	rec.u.comm.comm = comm;
	resolver_apply(r, &rec);
}

void apply_task(struct resolver *r, uint32_t type, uint32_t pid, uint32_t ppid, uint64_t time_ns)
{
	struct record rec = {.type = type};
	rec.u.task.pid = rec.u.task.tid = pid;
	rec.u.task.ppid = rec.u.task.ptid = ppid;
	rec.u.task.time_ns = time_ns;
	resolver_apply(r, &rec);
}

uint32_t at(struct resolver *r, uint32_t pid, uint64_t addr)
{
	return resolver_symbol(r, resolver_task(r, pid, pid, 1), MISC_USER, addr, 0);
}

const struct sym_info *now(struct resolver *r, uint32_t sym)
{
	const struct catalog *cat = resolver_catalog(r);
	return &cat->syms[cat->syms[sym].resolved];
}
