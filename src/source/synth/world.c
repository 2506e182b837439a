/* Writes sideband records of tasks and mappings, and computes addresses of symbols in processes. */
#include "source/synth/synth.h"

#include <stdio.h>

enum { PROT_READ_EXEC = 5, MAP_PRIVATE_FLAG = 2, DEVICE_MAJOR = 8, DEVICE_MINOR = 1 };

/* Makes the sample_id of a sideband record.  Its id is that of the CPU's tracking event, which takes no samples. */
static struct sample_id trailer(const struct synth *sy, uint32_t cpu, uint32_t pid, uint32_t tid, uint64_t time)
{
	return (struct sample_id){
		.pid = pid,
		.tid = tid,
		.time_ns = time,
		.cpu = cpu,
		.id = synth_id(sy, (uint32_t)sy->info.events_n, cpu),
	};
}

static void put_comm(struct synth *sy, uint32_t cpu, uint32_t pid, uint32_t tid, const char *comm, bool exec,
		     uint64_t time)
{
	char name[16]; /* the kernel's TASK_COMM_LEN */
	snprintf(name, sizeof(name), "%s", comm);
	struct record rec = {
		.type = RECORD_COMM,
		.misc = exec ? MISC_COMM_EXEC : 0,
		.id = trailer(sy, cpu, pid, tid, time),
		.u.comm = {.pid = pid, .tid = tid, .comm = name},
	};
	generate_record(sy, &sy->side[cpu], &rec);
}

static void put_map(struct synth *sy, uint32_t cpu, const struct script_map *map, uint64_t time)
{
	const struct script_dso *dso = &sy->script.dsos.data[map->dso];
	if (dso->kernel) /* the kernel needs no MMAP record: it is part of every address space */
		return;
	struct record rec = {
		.type = RECORD_MMAP2,
		.misc = MISC_USER,
		.id = trailer(sy, cpu, map->pid, map->pid, time),
		.u.mmap =
			{
				.pid = map->pid,
				.tid = map->pid,
				.start = map->addr,
				.len = script_dso_size(&sy->script, map->dso),
				.maj = DEVICE_MAJOR,
				.min = DEVICE_MINOR,
				.ino = 1000 + map->dso,
				.prot = PROT_READ_EXEC,
				.flags = MAP_PRIVATE_FLAG,
				.filename = dso->path,
			},
	};
	generate_record(sy, &sy->side[cpu], &rec);
}

static void put_task(struct synth *sy, uint32_t type, uint32_t cpu, const uint32_t ids[4], uint64_t time)
{
	struct record rec = {
		.type = type,
		.id = trailer(sy, cpu, ids[0], ids[2], time),
		.u.task = {.pid = ids[0], .ppid = ids[1], .tid = ids[2], .ptid = ids[3], .time_ns = time},
	};
	generate_record(sy, &sy->side[cpu], &rec);
}

static void put_ksymbol(struct synth *sy, const struct stmt *st, uint64_t time)
{
	struct record rec = {
		.type = RECORD_KSYMBOL,
		.id = trailer(sy, st->cpu_first, 0, 0, time),
		.u.ksymbol =
			{
				.addr = st->addr,
				.len = (uint32_t)st->size,
				.ksym_type = 1, /* PERF_RECORD_KSYMBOL_TYPE_BPF */
				.flags = st->unregister ? 1 : 0,
				.name = st->name,
			},
	};
	generate_record(sy, &sy->side[st->cpu_first], &rec);
}

static void put_cgroup(struct synth *sy, uint32_t cpu, uint64_t id, const char *path, uint64_t time)
{
	struct record rec = {
		.type = RECORD_CGROUP,
		.id = trailer(sy, cpu, 0, 0, time),
		.u.cgroup = {.id = id, .path = path},
	};
	generate_record(sy, &sy->side[cpu], &rec);
}

static void put_switch(struct synth *sy, const struct stmt *st, uint64_t time)
{
	struct record rec = {
		.type = RECORD_SWITCH_CPU_WIDE,
		.misc = st->out ? MISC_SWITCH_OUT : 0,
		.id = trailer(sy, st->cpu_first, st->pid, st->tid, time),
	};
	generate_record(sy, &sy->side[st->cpu_first], &rec);
}

/* Returns the CPU whose ring gets the first records of a process.  *at: the task at which the search begins; set to the
 * task at which it ended, because mappings mostly come in the order of their tasks. */
static uint32_t cpu_of(const struct script *s, uint32_t pid, size_t *at)
{
	for (size_t i = 0; i < s->tasks.n; i++, *at = (*at + 1) % s->tasks.n)
		if (s->tasks.data[*at].pid == pid)
			return s->tasks.data[*at].cpu;
	return 0;
}

void world_begin(struct synth *sy)
{
	const struct script *s = &sy->script;
	for (size_t i = 0; i < s->cgroups.n; i++)
		put_cgroup(sy, 0, s->cgroups.data[i].id, s->cgroups.data[i].path, s->start_ns);
	for (size_t i = 0; i < s->tasks.n; i++) {
		const struct script_task *t = &s->tasks.data[i];
		if (t->tid != t->pid)
			put_task(sy, RECORD_FORK, t->cpu, (uint32_t[]){t->pid, t->pid, t->tid, t->pid}, s->start_ns);
		put_comm(sy, t->cpu, t->pid, t->tid, t->comm, false, s->start_ns);
	}
	for (size_t i = 0, at = 0; i < s->maps.n; i++) {
		vec_push(&sy->maps) = s->maps.data[i];
		put_map(sy, cpu_of(s, s->maps.data[i].pid, &at), &s->maps.data[i], s->start_ns);
	}
}

/* ---- changing address spaces -------------------------------------------------------- */

static void forget_maps(struct synth *sy, uint32_t pid)
{
	size_t kept = 0;
	for (size_t i = 0; i < sy->maps.n; i++)
		if (sy->maps.data[i].pid != pid)
			sy->maps.data[kept++] = sy->maps.data[i];
	sy->maps.n = kept;
}

static void copy_maps(struct synth *sy, uint32_t from, uint32_t to)
{
	if (from == to)
		return;
	forget_maps(sy, to);
	size_t n = sy->maps.n;
	for (size_t i = 0; i < n; i++) {
		struct script_map map = sy->maps.data[i];
		if (map.pid != from)
			continue;
		map.pid = to;
		vec_push(&sy->maps) = map;
	}
}

/* Adds a mapping.  If the process has one of this DSO, it is moved: a process has at most one mapping of a DSO. */
static void add_map(struct synth *sy, uint32_t pid, uint32_t dso, uint64_t addr)
{
	for (size_t i = 0; i < sy->maps.n; i++) {
		struct script_map *map = &sy->maps.data[i];
		if (map->pid == pid && map->dso == dso) {
			map->addr = addr;
			return;
		}
	}
	vec_push(&sy->maps) = (struct script_map){pid, dso, addr};
}

void world_enter(struct synth *sy, const struct script_tick *tick)
{
	const struct script *s = &sy->script;
	for (uint32_t i = tick->first; i < tick->first + tick->n; i++) {
		const struct stmt *st = &s->stmts.data[i];
		if (st->kind == STMT_FORK)
			copy_maps(sy, st->pid, st->child_pid);
		if (st->kind == STMT_MAP)
			add_map(sy, st->pid, st->dso, st->addr);
		if (st->kind != STMT_EXEC)
			continue;
		forget_maps(sy, st->pid);
		for (uint32_t k = 0; k < st->maps_n; k++) {
			uint32_t dso = s->lists.data[st->maps_first + k];
			add_map(sy, st->pid, dso, s->dsos.data[dso].base);
		}
	}
}

void world_leave(struct synth *sy, const struct script_tick *tick)
{
	for (uint32_t i = tick->first; i < tick->first + tick->n; i++) {
		const struct stmt *st = &sy->script.stmts.data[i];
		if (st->kind == STMT_EXIT && st->pid == st->tid)
			forget_maps(sy, st->pid);
	}
}

uint64_t world_address(const struct synth *sy, uint32_t pid, uint32_t sym, uint16_t *misc_ret)
{
	const struct script_sym *symbol = &sy->script.syms.data[sym];
	const struct script_dso *dso = &sy->script.dsos.data[symbol->dso];
	*misc_ret = dso->kernel ? MISC_KERNEL : MISC_USER;
	if (dso->kernel)
		return symbol->addr;
	for (size_t i = 0; i < sy->maps.n; i++)
		if (sy->maps.data[i].pid == pid && sy->maps.data[i].dso == symbol->dso)
			return sy->maps.data[i].addr + symbol->addr;
	return dso->base + symbol->addr; /* the DSO is not mapped, so the session will find no name for the address */
}

void world_record(struct synth *sy, const struct stmt *st, uint64_t time)
{
	const struct script *s = &sy->script;
	uint32_t cpu = st->cpu_first;
	switch (st->kind) {
	case STMT_FORK:
		put_task(sy, RECORD_FORK, cpu, (uint32_t[]){st->child_pid, st->pid, st->child_tid, st->tid}, time);
		break;
	case STMT_EXIT:
		put_task(sy, RECORD_EXIT, cpu,
			 (uint32_t[]){st->pid, st->tid == st->pid ? 1 : st->pid, st->tid, st->pid}, time);
		break;
	case STMT_COMM:
		put_comm(sy, cpu, st->pid, st->tid, st->name, false, time);
		break;
	case STMT_EXEC:
		put_comm(sy, cpu, st->pid, st->tid, st->name, true, time);
		for (uint32_t k = 0; k < st->maps_n; k++) {
			uint32_t dso = s->lists.data[st->maps_first + k];
			put_map(sy, cpu, &(struct script_map){st->pid, dso, s->dsos.data[dso].base}, time);
		}
		break;
	case STMT_MAP:
		put_map(sy, cpu, &(struct script_map){st->pid, st->dso, st->addr}, time);
		break;
	case STMT_KSYMBOL:
		put_ksymbol(sy, st, time);
		break;
	case STMT_CGROUP:
		put_cgroup(sy, cpu, st->cgroup, st->name, time);
		break;
	case STMT_SWITCH:
		put_switch(sy, st, time);
		break;
	default:
		break;
	}
}
