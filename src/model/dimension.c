/* The table of dimensions: what tables can be grouped and filtered by.  A new dimension needs a row here, and a
 * function that computes its key. */
#include "base/index.h"
#include "model/parts.h"

#include <cyctop/model.h>

#include <string.h>

/* ---- computing the key of an id in each dimension -------------------------------------------- */

static const struct task_info *task_of(const struct model_names *names, uint32_t id)
{
	return id < names->cat->tasks_n ? &names->cat->tasks[id] : NULL;
}

static const struct sym_info *sym_of(const struct model_names *names, uint32_t id)
{
	uint32_t sym = context_row_sym(names->cat, id);
	return sym < names->cat->syms_n ? &names->cat->syms[sym] : NULL;
}

static const struct dso_info *dso_of(const struct model_names *names, uint32_t id)
{
	const struct sym_info *sym = sym_of(names, id);
	return sym && sym->dso < names->cat->dsos_n ? &names->cat->dsos[sym->dso] : NULL;
}

static const struct cpu_place *place_of(const struct model_names *names, uint32_t cpu)
{
	return names->places && cpu < names->cpus_n ? &names->places[cpu] : NULL;
}

static uint64_t id_key(uint32_t id, uint32_t generation)
{
	return (uint64_t)generation << 32 | id;
}

static uint64_t symbol_key(const struct model_names *names, uint32_t id)
{
	uint32_t sym = context_row_sym(names->cat, id);
	return sym < names->cat->syms_n ? id_key(sym, names->cat->syms[sym].generation) : KEY_NONE;
}

uint64_t frame_key(const struct model_names *names, uint32_t id)
{
	return symbol_key(names, catalog_ctx_frame(names->cat, id));
}

/* Returns the key of a call chain: a hash of the keys of all its functions. */
static uint64_t chain_key(const struct model_names *names, uint32_t id)
{
	uint64_t key = 0;
	for (; id != CATALOG_NONE; id = catalog_ctx_caller(names->cat, id))
		key = hash_u64(key + 1) + frame_key(names, id); /* + 1, because the hash of 0 is 0 */
	return key;
}

/* Returns the key of the function that a branch led to. */
static uint64_t symbol_to_key(const struct model_names *names, uint32_t id)
{
	return symbol_key(names, catalog_ctx_to(names->cat, id));
}

static uint64_t dso_key(const struct model_names *names, uint32_t id)
{
	const struct dso_info *dso = dso_of(names, id);
	return dso ? id_key(sym_of(names, id)->dso, dso->generation) : KEY_NONE;
}

static uint64_t tid_key(const struct model_names *names, uint32_t id)
{
	const struct task_info *task = task_of(names, id);
	return task ? id_key(id, task->generation) : KEY_NONE;
}

static uint64_t pid_key(const struct model_names *names, uint32_t id)
{
	const struct task_info *task = task_of(names, id);
	return tid_key(names, task && task_of(names, task->leader) ? task->leader : id);
}

/* ---- computing the value of an id in each dimension, as a number or text to show -------------- */

static struct key_value unknown_value(void)
{
	return (struct key_value){.kind = KEY_UNKNOWN};
}

static struct key_value text_value(const char *text)
{
	return text ? (struct key_value){.kind = KEY_TEXT, .text = text} : unknown_value();
}

/* Makes a value of a number; a negative number stands for an unknown value. */
static struct key_value number_value(int64_t number)
{
	return number >= 0 ? (struct key_value){.kind = KEY_NUMBER, .number = (uint64_t)number} : unknown_value();
}

static struct key_value symbol_value(const struct model_names *names, uint32_t id)
{
	const struct sym_info *sym = sym_of(names, id);
	return text_value(sym ? sym->name : NULL);
}

static struct key_value symbol_to_value(const struct model_names *names, uint32_t id)
{
	return symbol_value(names, catalog_ctx_to(names->cat, id));
}

static struct key_value dso_value(const struct model_names *names, uint32_t id)
{
	const struct dso_info *dso = dso_of(names, id);
	return text_value(dso ? dso->path : NULL);
}

/* Returns the value of a call chain: no text, but a hash of the names in it. */
static struct key_value chain_value(const struct model_names *names, uint32_t id)
{
	uint64_t key = 0, seed = names->cat->seed;
	for (; id != CATALOG_NONE; id = catalog_ctx_caller(names->cat, id)) {
		struct key_value symbol = symbol_value(names, catalog_ctx_frame(names->cat, id));
		struct key_value dso = dso_value(names, id);
		key = hash_u64(key + 1 + (symbol.text ? hash_bytes(symbol.text, strlen(symbol.text), seed) : 0));
		key = hash_u64(key + (dso.text ? hash_bytes(dso.text, strlen(dso.text), seed) : 0));
	}
	return (struct key_value){.kind = KEY_NUMBER, .number = key};
}

static struct key_value mode_value(const struct model_names *names, uint32_t id)
{
	const struct sym_info *sym = sym_of(names, id);
	return text_value(!sym ? NULL : sym->kernel ? "kernel" : "user");
}

static struct key_value origin_value(const struct model_names *names, uint32_t id)
{
	static const char *const ids[ORIGIN_COUNT] = {
		[ORIGIN_SYMTAB] = "symtab",
		[ORIGIN_DEBUG_FILE] = "debug-file",
		[ORIGIN_GO] = "go",
		[ORIGIN_MINIDEBUG] = "minidebug",
		[ORIGIN_DYNSYM] = "dynsym",
		[ORIGIN_PLT] = "plt",
		[ORIGIN_UNWIND] = "unwind",
		[ORIGIN_KALLSYMS] = "kallsyms",
		[ORIGIN_VMLINUX] = "vmlinux",
		[ORIGIN_MODULE] = "module",
		[ORIGIN_KSYMBOL] = "ksymbol",
		[ORIGIN_VDSO] = "vdso",
		[ORIGIN_PERF_MAP] = "perf-map",
		[ORIGIN_JITDUMP] = "jitdump",
		[ORIGIN_RECORDING] = "recording",
		[ORIGIN_SCRIPT] = "script",
		[ORIGIN_JVM] = "jvm",
	};
	const struct sym_info *sym = sym_of(names, id);
	return text_value(sym && (size_t)sym->origin < ARRAY_LEN(ids) ? ids[sym->origin] : NULL);
}

static struct key_value pid_value(const struct model_names *names, uint32_t id)
{
	const struct task_info *task = task_of(names, id);
	return number_value(task ? task->pid : -1);
}

static struct key_value tid_value(const struct model_names *names, uint32_t id)
{
	const struct task_info *task = task_of(names, id);
	return number_value(task ? task->tid : -1);
}

static struct key_value comm_value(const struct model_names *names, uint32_t id)
{
	const struct task_info *task = task_of(names, id);
	return text_value(task ? task->comm : NULL);
}

static struct key_value comm_nodigit_value(const struct model_names *names, uint32_t id)
{
	const struct task_info *task = task_of(names, id);
	return task && task->comm_nodigit ? text_value(task->comm_nodigit) : comm_value(names, id);
}

static struct key_value user_value(const struct model_names *names, uint32_t id)
{
	const struct task_info *task = task_of(names, id);
	return number_value(task && task->uid != CATALOG_NONE ? (int64_t)task->uid : -1);
}

static struct key_value parent_value(const struct model_names *names, uint32_t id)
{
	const struct task_info *task = task_of(names, id);
	return text_value(task ? task->parent : NULL);
}

static struct key_value cgroup_value(const struct model_names *names, uint32_t id)
{
	uint32_t cgroup = catalog_ctx_cgroup(names->cat, id);
	return text_value(cgroup < names->cat->cgroups_n ? names->cat->cgroups[cgroup].path : NULL);
}

static struct key_value parallelism_value(const struct model_names *names, uint32_t id)
{
	uint32_t n = catalog_ctx_parallelism(names->cat, id);
	return number_value(n ? (int64_t)n : -1);
}

static struct key_value address_value(const struct model_names *names, uint32_t id)
{
	return (struct key_value){.kind = KEY_NUMBER, .number = catalog_ctx_addr(names->cat, id)};
}

/* Returns the kind of kernel work (task, interrupt, softirq, ...) during which a context's code ran: from the innermost
 * function of its call chain that begins such work.  An exception belongs to the work that it interrupted. */
static enum sym_enters entered(const struct model_names *names, uint32_t id)
{
	enum sym_enters callee = ENTERS_NOTHING;
	const struct sym_info *sym = sym_of(names, id), *last = NULL;
	for (; sym; id = catalog_ctx_caller(names->cat, id), sym = sym_of(names, id)) {
		enum sym_enters enters = (enum sym_enters)sym->enters;
		if (enters == ENTERS_SOFTIRQ)
			return callee > ENTERS_SOFTIRQ ? callee : ENTERS_SOFTIRQ;
		if (!sym->kernel || (enters >= ENTERS_TASK && enters < ENTERS_SOFTIRQ))
			return sym->kernel ? enters : ENTERS_TASK;
		callee = enters;
		last = sym;
	}
	return last && (last->outermost || last->enters == ENTERS_EXCEPTION) ? ENTERS_TASK : ENTERS_NOTHING;
}

static struct key_value context_value(const struct model_names *names, uint32_t id)
{
	static const char *const ids[ENTERS_COUNT] = {
		[ENTERS_TASK] = "task",
		[ENTERS_INTERRUPT] = "interrupt",
		[ENTERS_NMI] = "NMI",
		[ENTERS_SOFTIRQ] = "softirq",
		[SOFTIRQ_HI] = "softirq HI",
		[SOFTIRQ_TIMER] = "softirq TIMER",
		[SOFTIRQ_NET_TX] = "softirq NET_TX",
		[SOFTIRQ_NET_RX] = "softirq NET_RX",
		[SOFTIRQ_BLOCK] = "softirq BLOCK",
		[SOFTIRQ_IRQ_POLL] = "softirq IRQ_POLL",
		[SOFTIRQ_TASKLET] = "softirq TASKLET",
		[SOFTIRQ_SCHED] = "softirq SCHED",
		[SOFTIRQ_HRTIMER] = "softirq HRTIMER",
		[SOFTIRQ_RCU] = "softirq RCU",
	};
	return text_value(ids[entered(names, id)]);
}

static struct key_value field_value(const struct model_names *names, uint32_t id, size_t field)
{
	return text_value(catalog_ctx_field(names->cat, id, field));
}

#define FIELD_FUNCTION(i)                                                                                              \
	static struct key_value field##i##_value(const struct model_names *names, uint32_t id)                         \
	{                                                                                                              \
		return field_value(names, id, (i)-1);                                                                  \
	}
FIELD_FUNCTION(1)
FIELD_FUNCTION(2)
FIELD_FUNCTION(3)
FIELD_FUNCTION(4)
#undef FIELD_FUNCTION

#define MEMORY_FUNCTION(name, part)                                                                                    \
	static struct key_value name##_value(const struct model_names *names, uint32_t id)                             \
	{                                                                                                              \
		return field_value(names, id, FIELDS_MAX + (part));                                                    \
	}
MEMORY_FUNCTION(mem_level, MEMORY_LEVEL)
MEMORY_FUNCTION(mem_op, MEMORY_OP)
MEMORY_FUNCTION(mem_snoop, MEMORY_SNOOP)
MEMORY_FUNCTION(mem_tlb, MEMORY_TLB)
MEMORY_FUNCTION(mem_locked, MEMORY_LOCKED)
MEMORY_FUNCTION(mem_blocked, MEMORY_BLOCKED)
MEMORY_FUNCTION(mem_page, MEMORY_PAGE)
MEMORY_FUNCTION(mem_phys_page, MEMORY_PHYS_PAGE)
#undef MEMORY_FUNCTION

static struct key_value cpu_value(const struct model_names *names, uint32_t id)
{
	(void)names;
	return number_value(id);
}

static struct key_value core_value(const struct model_names *names, uint32_t id)
{
	const struct cpu_place *place = place_of(names, id);
	return text_value(place && place->core[0] ? place->core : NULL);
}

static struct key_value socket_value(const struct model_names *names, uint32_t id)
{
	const struct cpu_place *place = place_of(names, id);
	return number_value(place ? place->socket : -1);
}

static struct key_value node_value(const struct model_names *names, uint32_t id)
{
	const struct cpu_place *place = place_of(names, id);
	return number_value(place ? place->node : -1);
}

static struct key_value pmu_value(const struct model_names *names, uint32_t id)
{
	return text_value(names->pmus && id < names->events_n ? names->pmus[id] : NULL);
}

/* ---- the table of dimensions --------------------------------------------------------------- */

#define COMM_BITS (DIM_BIT(DIM_COMM) | DIM_BIT(DIM_COMM_NODIGIT))

const struct dimension dimensions[DIM_COUNT] = {
	[DIM_SYMBOL] = {.id = "symbol",
			.title = "SYMBOL",
			.table = "symbols",
			.name = "Symbols",
			.help = "function",
			.one = "",
			.many = "functions",
			.part = PART_CONTEXT,
			.implies = DIM_BIT(DIM_DSO) | DIM_BIT(DIM_MODE) | DIM_BIT(DIM_ORIGIN),
			.key = symbol_key,
			.key_is_id = true,
			.value = symbol_value},
	[DIM_DSO] = {.id = "dso",
		     .title = "DSO",
		     .table = "dsos",
		     .name = "DSOs",
		     .help = "the program, library or module the code belongs to",
		     .one = "dso",
		     .many = "DSOs",
		     .part = PART_CONTEXT,
		     .implies = DIM_BIT(DIM_MODE),
		     .key = dso_key,
		     .value = dso_value},
	[DIM_MODE] = {.id = "mode",
		      .title = "MODE",
		      .table = "modes",
		      .name = "Modes",
		      .help = "kernel or user code",
		      .one = "mode",
		      .many = "modes",
		      .part = PART_CONTEXT,
		      .value = mode_value},
	[DIM_ORIGIN] = {.id = "origin",
			.title = "ORIGIN",
			.table = "origins",
			.name = "Origins",
			.help = "what the function's name was read from",
			.one = "names from",
			.many = "origins",
			.part = PART_CONTEXT,
			.value = origin_value},
	[DIM_CHAIN] = {.id = "chain",
		       .title = "CALL CHAIN",
		       .table = "chains",
		       .name = "Call chains",
		       .help = "function with all its callers",
		       .one = "under",
		       .many = "call chains",
		       .part = PART_CONTEXT,
		       .implies = DIM_BIT(DIM_SYMBOL) | DIM_BIT(DIM_DSO) | DIM_BIT(DIM_MODE) | DIM_BIT(DIM_ORIGIN),
		       .key = chain_key,
		       .value = chain_value},
	[DIM_CALLERS] = {.id = "callers",
			 .title = "CALLERS",
			 .table = "callers",
			 .name = "Callers",
			 .help = "function, and below it who calls it",
			 .one = "under",
			 .many = "callers",
			 .is_tree = true,
			 .part = PART_CONTEXT,
			 .implies = DIM_BIT(DIM_CHAIN) | DIM_BIT(DIM_SYMBOL) | DIM_BIT(DIM_DSO) | DIM_BIT(DIM_MODE) |
				    DIM_BIT(DIM_ORIGIN),
			 .key = chain_key,
			 .value = chain_value},
	[DIM_SYMBOL_TO] = {.id = "symbol_to",
			   .title = "TO",
			   .table = "targets",
			   .name = "Branch targets",
			   .help = "function that a taken branch led to (--branches)",
			   .one = "to",
			   .many = "functions",
			   .part = PART_CONTEXT,
			   .key = symbol_to_key,
			   .value = symbol_to_value},
	[DIM_PID] = {.id = "pid",
		     .title = "PID",
		     .table = "tasks",
		     .name = "Tasks",
		     .help = "process, with all its threads",
		     .one = "process",
		     .many = "processes",
		     .part = PART_TASK,
		     .implies = COMM_BITS | DIM_BIT(DIM_USER) | DIM_BIT(DIM_PARENT),
		     .key = pid_key,
		     .key_is_id = true,
		     .value = pid_value},
	[DIM_TID] = {.id = "tid",
		     .title = "TID",
		     .table = "tasks",
		     .name = "Threads",
		     .help = "thread",
		     .one = "thread",
		     .many = "threads",
		     .part = PART_TASK,
		     .implies = DIM_BIT(DIM_PID) | COMM_BITS | DIM_BIT(DIM_USER) | DIM_BIT(DIM_PARENT),
		     .key = tid_key,
		     .key_is_id = true,
		     .value = tid_value},
	[DIM_COMM] = {.id = "comm",
		      .title = "COMM",
		      .table = "commands",
		      .name = "Commands",
		      .help = "name of the program or thread, as it calls itself",
		      .one = "comm",
		      .many = "commands",
		      .part = PART_TASK,
		      .implies = DIM_BIT(DIM_COMM_NODIGIT),
		      .value = comm_value},
	[DIM_COMM_NODIGIT] = {.id = "comm_nodigit",
			      .title = "COMM <N>",
			      .table = "commands_nodigit",
			      .name = "Commands <N>",
			      .help = "command with <N> for each number: worker/0, worker/1, ... are one row",
			      .one = "comm",
			      .many = "kinds of commands",
			      .part = PART_TASK,
			      .value = comm_nodigit_value},
	[DIM_USER] = {.id = "user",
		      .title = "USER",
		      .table = "users",
		      .name = "Users",
		      .help = "owner of the process",
		      .one = "user",
		      .many = "users",
		      .part = PART_TASK,
		      .value = user_value},
	[DIM_PARENT] = {.id = "parent",
			.title = "PARENT",
			.table = "parents",
			.name = "Parents",
			.help = "process that started the process, as it was called then, and its pid",
			.one = "children of",
			.many = "parents",
			.part = PART_TASK,
			.value = parent_value},
	[DIM_CGROUP] = {.id = "cgroup",
			.title = "CGROUP",
			.table = "cgroups",
			.name = "Cgroups",
			.help = "control group the task was in: a service, a container",
			.one = "cgroup",
			.many = "cgroups",
			.part = PART_CONTEXT,
			.value = cgroup_value},
	[DIM_PARALLELISM] = {.id = "parallelism",
			     .title = "PARALLEL",
			     .table = "parallelism",
			     .name = "Parallelism",
			     .help = "threads of the target that ran at the same time (--parallelism)",
			     .one = "parallelism",
			     .many = "numbers of threads",
			     .part = PART_CONTEXT,
			     .value = parallelism_value},
	[DIM_CONTEXT] = {.id = "context",
			 .title = "CONTEXT",
			 .table = "contexts",
			 .name = "Contexts",
			 .help = "the task's own work, a softirq of a kind, or an interrupt, by call chains (-g)",
			 .one = "in",
			 .many = "contexts",
			 .part = PART_CONTEXT,
			 .value = context_value},
#define MEMORY_ROW(dim, function, key_id, heading, tables, words, sentence, row, rows)                                 \
	[dim] = {.id = (key_id),                                                                                       \
		 .title = (heading),                                                                                   \
		 .table = (tables),                                                                                    \
		 .name = (words),                                                                                      \
		 .help = (sentence),                                                                                   \
		 .one = (row),                                                                                         \
		 .many = (rows),                                                                                       \
		 .part = PART_CONTEXT,                                                                                 \
		 .value = (function)}
	MEMORY_ROW(DIM_MEM_LEVEL, mem_level_value, "mem_level", "MEM LEVEL", "mem_levels", "Memory levels",
		   "where the data of a memory access was found: a cache, memory, another node", "data from", "levels"),
	MEMORY_ROW(DIM_MEM_OP, mem_op_value, "mem_op", "ACCESS", "mem_ops", "Accesses",
		   "LOAD, STORE, prefetch (PFETCH) or EXEC: what the memory access was", "accesses",
		   "kinds of accesses"),
	MEMORY_ROW(DIM_SNOOP, mem_snoop_value, "snoop", "SNOOP", "snoops", "Snoops",
		   "what other caches said to a memory access; HitM: one had changed the data", "snoop", "snoops"),
	MEMORY_ROW(DIM_TLB, mem_tlb_value, "tlb", "TLB", "tlbs", "TLB",
		   "where the translation of a memory access's address was found", "TLB", "translations"),
	MEMORY_ROW(DIM_LOCKED, mem_locked_value, "locked", "LOCKED", "locked", "Locked",
		   "whether the memory access was a locked (atomic) one", "locked", "kinds of accesses"),
	MEMORY_ROW(DIM_BLOCKED, mem_blocked_value, "blocked", "BLOCKED", "blocked", "Blocked",
		   "what a load had to wait for: Data of a store, or its Addr", "blocked by", "reasons"),
	MEMORY_ROW(DIM_DATA_PAGE, mem_page_value, "data_page", "DATA PAGE", "data_pages", "Data pages",
		   "page (4 KiB) of the data of a memory access", "page", "pages"),
	MEMORY_ROW(DIM_PHYS_PAGE, mem_phys_page_value, "phys_page", "PHYS PAGE", "phys_pages", "Phys. pages",
		   "the same page in physical memory", "page", "physical pages"),
#undef MEMORY_ROW
	[DIM_CPU] = {.id = "cpu",
		     .title = "CPU",
		     .table = "cpus",
		     .name = "CPUs",
		     .help = "CPU",
		     .one = "CPU",
		     .many = "CPUs",
		     .part = PART_CPU,
		     .implies = DIM_BIT(DIM_CORE) | DIM_BIT(DIM_SOCKET) | DIM_BIT(DIM_NODE),
		     .value = cpu_value},
	[DIM_CORE] = {.id = "core",
		      .title = "CORE",
		      .table = "cores",
		      .name = "Cores",
		      .help = "socket and core, \"0:3\"",
		      .one = "core",
		      .many = "cores",
		      .part = PART_CPU,
		      .implies = DIM_BIT(DIM_SOCKET) | DIM_BIT(DIM_NODE),
		      .value = core_value},
	[DIM_SOCKET] = {.id = "socket",
			.title = "SOCKET",
			.table = "sockets",
			.name = "Sockets",
			.help = "number of the CPU's socket (package)",
			.one = "socket",
			.many = "sockets",
			.part = PART_CPU,
			.value = socket_value},
	[DIM_NODE] = {.id = "node",
		      .title = "NODE",
		      .table = "nodes",
		      .name = "NUMA nodes",
		      .help = "number of the CPU's NUMA node",
		      .one = "node",
		      .many = "nodes",
		      .part = PART_CPU,
		      .value = node_value},
	[DIM_PMU] = {.id = "pmu",
		     .title = "PMU",
		     .table = "pmus",
		     .name = "PMUs",
		     .help = "the hardware or software that counts the event",
		     .one = "pmu",
		     .many = "PMUs",
		     .part = PART_EVENT,
		     .value = pmu_value},
#define FIELD_ROW(i)                                                                                                   \
	[DIM_FIELD1 + (i)-1] = {.id = "field" #i,                                                                      \
				.title = "FIELD" #i,                                                                   \
				.table = "field" #i,                                                                   \
				.name = "Field " #i,                                                                   \
				.help = "field of a tracepoint (--fields)",                                            \
				.one = "",                                                                             \
				.many = "values",                                                                      \
				.part = PART_CONTEXT,                                                                  \
				.value = field##i##_value}
	FIELD_ROW(1),
	FIELD_ROW(2),
	FIELD_ROW(3),
	FIELD_ROW(4),
#undef FIELD_ROW
	[DIM_ADDRESS] = {.id = "address",
			 .title = "ADDRESS",
			 .table = "addresses",
			 .name = "Addresses",
			 .help = "address in the file",
			 .one = "address",
			 .many = "addresses",
			 .part = PART_CONTEXT,
			 .value = address_value},
};
_Static_assert(FIELDS_MAX == 4, "each field has a row");
_Static_assert((int)DIM_PHYS_PAGE - DIM_MEM_LEVEL == MEMORY_PARTS - 1, "each part of memory accesses has a row");
