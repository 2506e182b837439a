#include "server_world.h"
#include "random_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Weight of one sample of each event. */
static const double units[SERVER_EVENTS] = {4e6, 4e6, 9e4, 9e3};

enum dso { KERNEL, NGINX, LIBC, LIBSSL, LIBZ, POSTGRES, CC1PLUS, RUSTAPP, EXT4, VDSO, UNKNOWN, JIT, DSOS };
static const struct dso_info dsos[DSOS] = {
	[KERNEL] = {.path = "[kernel]", .name = "[kernel]", .kernel = true},
	[NGINX] = {.path = "/usr/sbin/nginx", .name = "nginx", .build_id = true},
	[LIBC] = {.path = "/usr/lib/libc.so.6", .name = "libc.so.6", .build_id = true},
	[LIBSSL] = {.path = "/usr/lib/libcrypto.so.3", .name = "libcrypto.so.3", .build_id = true},
	[LIBZ] = {.path = "/usr/lib/libz.so.1.2.13", .name = "libz.so.1.2.13", .build_id = true},
	[POSTGRES] = {.path = "/usr/lib/postgresql/15/bin/postgres", .name = "postgres", .build_id = true},
	[CC1PLUS] = {.path = "/usr/lib/gcc/cc1plus", .name = "cc1plus", .build_id = true},
	[RUSTAPP] = {.path = "/opt/vector/bin/vector", .name = "vector", .build_id = true},
	[EXT4] = {.path = "[ext4]", .name = "[ext4]", .kernel = true},
	[VDSO] = {.path = "[vdso]", .name = "[vdso]"},
	[UNKNOWN] = {.path = "[unknown]", .name = "[unknown]", .why = "no mapping covers the address"},
	[JIT] = {.path = "[anon]", .name = "[anon]", .why = "made at run time"},
};

/* Indices in the table of tasks below. */
enum { T_IDLE, T_NGINX, T_PG1, T_CC1, T_VECTOR, T_PG2, T_NODE, T_ANY = 255 };

/* For each symbol its samples of cycles, and the ratios that determine its other events. */
static const struct {
	const char *name;
	uint16_t cycles;
	uint8_t dso, task;
	double ipc, refs_per_kinsn, miss;
	enum sym_state state;
} symbols[SERVER_SYMS] = {
	{"ngx_http_parse_request_line", 612, NGINX, T_NGINX, 2.41, 12, 0.021, SYM_NAMED},
	{"aes_gcm_enc_128_kernel", 540, LIBSSL, T_NGINX, 3.12, 8, 0.105, SYM_NAMED},
	{"copy_user_generic_string", 433, KERNEL, T_ANY, 0.34, 88, 0.412, SYM_NAMED},
	{"heap_getnextslot", 318, POSTGRES, T_PG1, 0.71, 61, 0.334, SYM_NAMED},
	{"deflate_slow", 297, LIBZ, T_NGINX, 1.44, 35, 0.072, SYM_NAMED},
	{"void std::__introsort_loop<__gnu_cxx::__normal_iterator<unsigned long*, std::vector<unsigned long, "
	 "std::allocator<unsigned long> > >, long, __gnu_cxx::__ops::_Iter_less_iter>(unsigned long*, long)",
	 241, CC1PLUS, T_CC1, 1.02, 22, 0.051, SYM_NAMED},
	{"hash_search_with_hash_value", 236, POSTGRES, T_PG1, 0.44, 95, 0.521, SYM_NAMED},
	{"__memmove_avx_unaligned_erms", 203, LIBC, T_NGINX, 0.62, 120, 0.388, SYM_NAMED},
	{"<alloc::vec::Vec<T,A> as core::iter::traits::collect::Extend<T>>::extend", 188, RUSTAPP, T_VECTOR, 1.71, 19,
	 0.044, SYM_NAMED},
	{"ExecInterpExpr", 171, POSTGRES, T_PG2, 1.88, 14, 0.019, SYM_NAMED},
	{"ext4_file_read_iter", 140, EXT4, T_ANY, 0.83, 40, 0.207, SYM_NAMED},
	{"tcp_sendmsg_locked", 122, KERNEL, T_NGINX, 0.91, 44, 0.181, SYM_NAMED},
	{"[unknown]", 118, JIT, T_NODE, 1.13, 30, 0.11, SYM_UNRESOLVED},
	{"__schedule", 101, KERNEL, T_ANY, 0.52, 71, 0.291, SYM_NAMED},
	{"[vector]", 90, RUSTAPP, T_VECTOR, 1.22, 25, 0.12, SYM_PENDING},
	{"cpp_get_token_1", 86, CC1PLUS, T_CC1, 1.31, 21, 0.041, SYM_NAMED},
	{"ggc_internal_alloc", 77, CC1PLUS, T_CC1, 0.68, 55, 0.233, SYM_NAMED},
	{"inflate_fast", 70, LIBZ, T_NGINX, 1.92, 18, 0.038, SYM_NAMED},
	{"malloc", 66, LIBC, T_CC1, 1.51, 15, 0.029, SYM_NAMED},
	{"_int_free", 61, LIBC, T_CC1, 1.12, 33, 0.092, SYM_NAMED},
	{"LWLockAcquire", 58, POSTGRES, T_PG2, 0.39, 81, 0.477, SYM_NAMED},
	{"shop::Cart::total(std::vector<shop::Item, std::allocator<shop::Item>> const&) const", 52, CC1PLUS, T_CC1,
	 1.42, 20, 0.05, SYM_NAMED},
	{"skb_copy_datagram_iter", 49, KERNEL, T_NGINX, 0.77, 50, 0.266, SYM_NAMED},
	{"nft_do_chain", 41, KERNEL, T_ANY, 1.05, 27, 0.099, SYM_NAMED},
	{"SHA256_Transform", 37, LIBSSL, T_NGINX, 2.87, 4, 0.011, SYM_NAMED},
	{"tokio::runtime::task::harness::poll_future", 33, RUSTAPP, T_VECTOR, 1.04, 29, 0.131, SYM_NAMED},
	{"_bt_compare", 30, POSTGRES, T_PG1, 0.95, 43, 0.244, SYM_NAMED},
	{"clear_page_erms", 28, KERNEL, T_CC1, 0.21, 130, 0.551, SYM_NAMED},
	{"strlen", 24, LIBC, T_NGINX, 1.77, 10, 0.02, SYM_NAMED},
	{"do_syscall_64", 22, KERNEL, T_ANY, 0.66, 38, 0.144, SYM_NAMED},
	{"palloc", 19, POSTGRES, T_PG2, 1.33, 16, 0.037, SYM_NAMED},
	{"clock_gettime", 16, VDSO, T_NODE, 1.61, 6, 0.01, SYM_NAMED},
	{"[unknown]", 15, UNKNOWN, T_NODE, 0.8, 20, 0.1, SYM_NO_DSO},
	{"ngx_hash_find", 13, NGINX, T_NGINX, 1.24, 24, 0.07, SYM_NAMED},
	{"page_fault_oops", 11, KERNEL, T_CC1, 0.3, 70, 0.3, SYM_NAMED},
	{"x64_sys_call", 9, KERNEL, T_ANY, 0.7, 33, 0.12, SYM_NAMED},
	{"ngx_epoll_process_events", 8, NGINX, T_NGINX, 0.88, 37, 0.1, SYM_NAMED},
	{"operator new(unsigned long)", 6, LIBC, T_CC1, 1.2, 12, 0.03, SYM_NAMED},
	{"futex_wake", 5, KERNEL, T_VECTOR, 0.5, 60, 0.2, SYM_NAMED},
	{"update_load_avg", 4, KERNEL, T_ANY, 0.9, 41, 0.17, SYM_NAMED},
	{"rcu_core", 3, KERNEL, T_ANY, 0.6, 50, 0.2, SYM_NAMED},
	{"ngx_time_update", 2, NGINX, T_NGINX, 1.1, 11, 0.03, SYM_NAMED},
	{"getpid", 2, LIBC, T_PG2, 1.0, 10, 0.02, SYM_NAMED},
	{"memchr", 1, LIBC, T_NGINX, 2.0, 9, 0.02, SYM_NAMED},
};

static const struct {
	const char *comm;
	int32_t pid;
	uint32_t uid, threads, top;
	uint16_t cycles;
	double ipc, refs_per_kinsn, miss;
	bool kernel, exited;
} tasks[SERVER_TASKS] = {
	[T_IDLE] = {"swapper", 0, 0, 1, 2, 900, 0.8, 20, 0.1, true, false},
	[T_NGINX] = {"nginx", 1412, 33, 4, 0, 1804, 1.93, 24, 0.117, false, false},
	[T_PG1] = {"postgres", 20731, 110, 1, 3, 702, 0.63, 70, 0.402, false, false},
	[T_CC1] = {"cc1plus", 31877, 1000, 1, 5, 611, 1.08, 27, 0.088, false, false},
	[T_VECTOR] = {"vector", 988, 997, 17, 8, 340, 1.44, 24, 0.081, false, false},
	[T_PG2] = {"postgres", 20802, 110, 1, 9, 271, 1.42, 26, 0.132, false, false},
	[T_NODE] = {"node", 2750, 1000, 11, 12, 149, 1.13, 29, 0.105, false, false},
	{"ld", 31902, 1000, 1, 18, 92, 0.94, 40, 0.151, false, true},
	{"kworker/u16:3", 812, 0, 1, 13, 61, 0.55, 66, 0.281, true, false},
	{"ksoftirqd/2", 24, 0, 1, 23, 44, 0.81, 41, 0.19, true, false},
	{"sshd", 30112, 0, 1, 24, 31, 1.91, 12, 0.04, false, false},
	{"prometheus", 1533, 996, 14, 19, 28, 1.2, 22, 0.09, false, false},
	{"redis-server", 1204, 112, 5, 7, 26, 1.61, 18, 0.061, false, false},
	{"systemd-journal", 411, 0, 1, 28, 19, 1.02, 24, 0.08, false, false},
	{"dockerd", 1377, 0, 19, 19, 15, 0.97, 30, 0.11, false, false},
	{"containerd", 1102, 0, 22, 25, 12, 0.99, 31, 0.12, false, false},
	{"rcu_preempt", 17, 0, 1, 40, 9, 0.6, 55, 0.24, true, false},
	{"bash", 30140, 1000, 1, 28, 7, 1.3, 20, 0.05, false, false},
	{"tmux: server", 2201, 1000, 1, 28, 6, 1.4, 19, 0.05, false, false},
	{"chronyd", 702, 105, 1, 31, 4, 0.9, 25, 0.1, false, false},
	{"cron", 690, 0, 1, 29, 3, 0.8, 28, 0.1, false, false},
	{"irqbalance", 655, 0, 2, 29, 3, 0.8, 28, 0.1, false, false},
	{"dbus-daemon", 640, 104, 1, 29, 2, 0.8, 28, 0.1, false, false},
	{"systemd", 1, 0, 1, 29, 2, 0.8, 28, 0.1, false, false},
	{"agetty", 744, 0, 1, 29, 1, 0.7, 28, 0.1, false, false},
	{"migration/3", 31, 0, 1, 13, 1, 0.5, 50, 0.2, true, false},
};

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

/* A pseudo-random number from 0 to 1 that depends on a and b only. */
static double noise(unsigned a, unsigned b)
{
	return (double)(mix(a * 1000003ull + b + 1) >> 11) / 9007199254740992.0;
}

static struct sum sum_of(int event, double samples)
{
	uint64_t n = (uint64_t)(samples + 0.5);
	return random_sum(n, units[event]);
}

/* Sets the sums of the four events from the samples of cycles and the ratios. */
static void set_sums(struct sum *sums, double cycles, double ipc, double refs_per_kinsn, double miss)
{
	double insn = cycles * ipc * units[0] / units[1];
	double refs = insn * units[1] * refs_per_kinsn / 1000 / units[2];
	sums[0] = sum_of(0, cycles);
	sums[1] = sum_of(1, insn);
	sums[2] = sum_of(2, refs);
	sums[3] = sum_of(3, refs * units[2] * miss / units[3]);
}

static const char *pretty(void *ctx, uint32_t sym)
{
	struct server_world *w = ctx;
	w->pretty_calls++;
	return w->syms[sym].name;
}

static const char *user(void *ctx, uint32_t uid)
{
	static const struct {
		uint32_t uid;
		const char *name;
	} users[] = {{0, "root"}, {33, "www-data"}, {110, "postgres"}, {112, "redis"}, {1000, "anna"}, {997, "vector"}};
	(void)ctx;
	for (size_t i = 0; i < ARRAY_LEN(users); i++) {
		if (users[i].uid == uid)
			return users[i].name;
	}
	return NULL;
}

static void make_source(struct server_world *w, unsigned cpus)
{
	static const struct {
		const char *name;
		enum event_role role;
	} events[SERVER_EVENTS] = {{"cycles", ROLE_CYCLES},
				   {"instructions", ROLE_INSTRUCTIONS},
				   {"cache-references", ROLE_CACHE_REFERENCES},
				   {"cache-misses", ROLE_CACHE_MISSES}};
	struct source_info *info = &w->info;
	info->kind = "live";
	info->live = info->has_counters = info->has_files = info->has_owners = info->stays_at_end = true;
	info->scope = SCOPE_SYSTEM;
	strcpy(info->host, "web3");
	strcpy(info->kernel, "6.1.0-18 x86_64");
	strcpy(info->pmu, "cpu");
	info->cpus_n = cpus;
	info->rate_hz = 809;
	info->events_n = SERVER_EVENTS;
	for (int e = 0; e < SERVER_EVENTS; e++) {
		strcpy(info->events[e].spec.name, events[e].name);
		info->events[e].spec.role = w->roles[e] = events[e].role;
		info->events[e].available = true;
		info->events[e].group = 1; /* all are scheduled together */
	}
}

static void make_catalog(struct server_world *w)
{
	memcpy(w->dsos, dsos, sizeof(dsos));
	for (uint32_t i = 0; i < SERVER_SYMS; i++)
		w->syms[i] = (struct sym_info){.dso = symbols[i].dso,
					       .resolved = i,
					       .row_sym = i,
					       .name = symbols[i].name,
					       .state = symbols[i].state,
					       .kernel = dsos[symbols[i].dso].kernel};
	for (uint32_t i = 0; i < SERVER_TASKS; i++)
		w->tasks[i] = (struct task_info){.pid = tasks[i].pid,
						 .tid = tasks[i].pid,
						 .leader = i,
						 .uid = tasks[i].uid,
						 .comm = tasks[i].comm,
						 .threads = tasks[i].threads,
						 .exit_ns = tasks[i].exited ? 1 : 0,
						 .idle = i == T_IDLE,
						 .kernel = tasks[i].kernel};
	w->cat = (struct catalog){.tasks = w->tasks,
				  .syms = w->syms,
				  .dsos = w->dsos,
				  .tasks_n = SERVER_TASKS,
				  .syms_n = SERVER_SYMS,
				  .dsos_n = DSOS};
}

static void make_rows(struct server_world *w, unsigned seed)
{
	struct sum(*sums)[SERVER_EVENTS] = w->sums;
	for (uint32_t i = 0; i <= SERVER_SYMS; i++, sums++) {
		bool idle = i == SERVER_SYMS;
		double cycles = idle ? 900 : symbols[i].cycles * (1 + (noise(seed, i) - 0.5) * (seed ? 0.1 : 0));
		w->symbol_rows[i] = (struct row){.id = idle ? KEY_NONE : i + 1,
						 .ctx = idle ? CATALOG_NONE : i,
						 .sym = idle ? CATALOG_NONE : i,
						 .task = CATALOG_NONE,
						 .cpu = CATALOG_NONE,
						 .top = CATALOG_NONE,
						 .idle = idle,
						 .sums = *sums};
		struct row *row = &w->symbol_rows[i];
		if (idle) {
			set_sums(row->sums, cycles, 0.8, 20, 0.1);
			continue;
		}
		set_sums(row->sums, cycles, symbols[i].ipc, symbols[i].refs_per_kinsn, symbols[i].miss);
		row->kernel = w->syms[i].kernel;
		row->pending = symbols[i].state == SYM_PENDING;
		row->unresolved = symbols[i].state == SYM_UNRESOLVED || symbols[i].state == SYM_NO_DSO;
	}
	for (uint32_t i = 0; i < SERVER_TASKS; i++, sums++) {
		double cycles = tasks[i].cycles * (1 + (noise(seed, 100 + i) - 0.5) * (seed ? 0.1 : 0));
		w->task_rows[i] = (struct row){.id = i + 1,
					       .ctx = CATALOG_NONE,
					       .sym = CATALOG_NONE,
					       .task = i,
					       .cpu = CATALOG_NONE,
					       .top = i == T_IDLE ? CATALOG_NONE : tasks[i].top,
					       .idle = i == T_IDLE,
					       .kernel = tasks[i].kernel,
					       .cpu_ns = cycles * 1.67e6 * 2,
					       .cpu_valid = true,
					       .sums = *sums};
		set_sums(*sums, cycles, tasks[i].ipc, tasks[i].refs_per_kinsn, tasks[i].miss);
	}
	for (uint32_t c = 0; c < w->snap.cpus_n; c++, sums++) {
		struct cpu_total *ct = &w->cpus[c];
		double phase = noise(7, c);
		ct->sums = *sums;
		ct->online = true;
		ct->busy_known = true;
		ct->busy = phase * phase * (1 - 0.04 * noise(seed + 1, 300 + c));
		double ipc = 0.3 + 2 * noise(9, c) + 0.05 * noise(seed + 1, 600 + c);
		set_sums(*sums, ct->busy * 1000, ipc, 30, 0.15);
		w->cpu_rows[c] = (struct row){.id = c + 1,
					      .ctx = CATALOG_NONE,
					      .sym = CATALOG_NONE,
					      .task = CATALOG_NONE,
					      .cpu = c,
					      .top = CATALOG_NONE,
					      .sums = *sums};
		for (int e = 0; e < SERVER_EVENTS; e++) {
			ct->counts[e] = (*sums)[e].weight * 3;
			ct->running[e] = 1;
			ct->states[e] = COUNT_OK;
		}
	}
}

static void total_up(struct server_world *w)
{
	struct snapshot *s = &w->snap;
	double busy = 0, wall = (double)(s->end_ns - s->start_ns), cpus_weight = 0;
	for (uint32_t i = 0; i < SERVER_SYMS; i++)
		busy += w->symbol_rows[i].sums[0].weight;
	s->busy_weight = busy;
	s->busy_ns = 0;
	for (uint32_t c = 0; c < s->cpus_n; c++) {
		s->busy_ns += w->cpus[c].busy_ns = w->cpus[c].busy * wall;
		cpus_weight += w->cpu_rows[c].sums[0].weight;
	}
	for (size_t e = 0; e < s->events_n; e++) {
		struct event_total *t = &s->events[e];
		*t = (struct event_total){
			.state = COUNT_OK, .running = e < 2 ? 1 : 0.62, .throttled = e == 0 ? 0.002 : 0};
		for (uint32_t c = 0; c < s->cpus_n; c++) {
			t->samples += w->cpu_rows[c].sums[e].samples;
			t->weight += w->cpu_rows[c].sums[e].weight;
			t->count += w->cpus[c].counts[e];
		}
		s->units[e] = units[e];
	}
	for (uint32_t i = 0; i < SERVER_SYMS; i++) {
		w->symbol_rows[i].share = w->symbol_rows[i].sums[0].weight / busy;
		w->symbol_rows[i].share_error =
			sqrt(w->symbol_rows[i].sums[0].var * (1 - w->symbol_rows[i].share)) / busy;
		w->symbol_rows[i].share_valid = true;
	}
	for (uint32_t i = 0; i < SERVER_TASKS; i++) {
		w->task_rows[i].share = i == T_IDLE ? 0 : w->task_rows[i].sums[0].weight / busy;
		w->task_rows[i].share_error =
			i == T_IDLE ? 0 : sqrt(w->task_rows[i].sums[0].var * (1 - w->task_rows[i].share)) / busy;
		w->task_rows[i].share_valid = i != T_IDLE;
	}
	for (uint32_t c = 0; c < s->cpus_n; c++) {
		w->cpu_rows[c].share = cpus_weight > 0 ? w->cpu_rows[c].sums[0].weight / cpus_weight : 0;
		w->cpu_rows[c].share_error =
			cpus_weight > 0 ? sqrt(w->cpu_rows[c].sums[0].var * (1 - w->cpu_rows[c].share)) / cpus_weight
					: 0;
		w->cpu_rows[c].share_valid = cpus_weight > 0;
	}
	snapshot_find_parts(s, &(struct query){.roles = w->roles});
}

struct server_world *server_world_create(unsigned cpus)
{
	struct server_world *w = calloc(1, sizeof(*w));
	double *numbers = calloc(cpus, 2 * SERVER_EVENTS * sizeof(double));
	enum count_state *states = calloc(cpus, SERVER_EVENTS * sizeof(*states));
	w->cpus = calloc(cpus, sizeof(*w->cpus));
	w->cpu_rows = calloc(cpus, sizeof(*w->cpu_rows));
	w->sums = calloc(SERVER_SYMS + 1 + SERVER_TASKS + cpus, sizeof(*w->sums));
	for (unsigned c = 0; c < cpus; c++) {
		w->cpus[c].counts = numbers + (size_t)c * 2 * SERVER_EVENTS;
		w->cpus[c].running = w->cpus[c].counts + SERVER_EVENTS;
		w->cpus[c].states = states + (size_t)c * SERVER_EVENTS;
	}
	w->snap = (struct snapshot){.start_ns = 100000000000u,
				    .end_ns = 105020000000u,
				    .events_n = SERVER_EVENTS,
				    .cpus_n = cpus,
				    .busy_known = true,
				    .cpus = w->cpus,
				    .pivots = w->pivots,
				    .pivots_n = USUAL_PIVOTS,
				    .trust = {.explained_valid = true,
					      .explained = 0.97,
					      .running = 0.62,
					      .lost = 31,
					      .lost_share = 0.0031,
					      .throttles = 2,
					      .unresolved = 0.029,
					      .pending = 0.02,
					      .self = 0.006,
					      .samples = 20119}};
	const struct pivot pivots[USUAL_PIVOTS] = {
		[BY_SYMBOL] = {.query = usual_pivots[BY_SYMBOL], .rows = w->symbol_rows, .n = SERVER_SYMS + 1},
		[BY_PID] = {.query = usual_pivots[BY_PID], .rows = w->task_rows, .n = SERVER_TASKS},
		[BY_CPU] = {.query = usual_pivots[BY_CPU], .rows = w->cpu_rows, .n = cpus},
	};
	memcpy(w->pivots, pivots, sizeof(pivots));
	w->names = (struct model_names){.cat = &w->cat, .cpus_n = cpus, .events_n = SERVER_EVENTS};
	make_source(w, cpus);
	make_catalog(w);
	make_rows(w, 0);
	total_up(w);
	w->in = (struct view_input){.snap = &w->snap,
				    .cat = &w->cat,
				    .names = &w->names,
				    .info = &w->info,
				    .roles = w->roles,
				    .pretty = pretty,
				    .user = user,
				    .ctx = w,
				    .uptime_ns = 102000000000u,
				    .delay_ns = 2000000000u};
	return w;
}

void server_world_destroy(struct server_world *w)
{
	if (!w)
		return;
	if (w->snap.cpus_n) {
		free(w->cpus[0].counts);
		free(w->cpus[0].states);
	}
	free(w->cpus);
	free(w->cpu_rows);
	free(w->sums);
	for (size_t i = 0; i < w->comparison.tables_n; i++) {
		free(w->compared[i].rows);
		free(w->diffs[i].rows);
	}
	free(w);
}

void server_world_jitter(struct server_world *w, unsigned seed)
{
	make_rows(w, seed);
	total_up(w);
	w->in.uptime_ns += 2000000000u;
}

/* ---- a comparison ---------------------------------------------------------------------------------- */

static const struct compare_change same_ratio = {.state = CHANGE_OK,
						 .change = 1,
						 .low = 0.95,
						 .high = 1.05,
						 .smallest = 1.07,
						 .p = 0.9,
						 .effective = 18,
						 .tested = true};

static struct diff_row *add_compared(struct compared *t, struct diff *d, size_t at, const struct row *row,
				     struct compare_change change)
{
	struct diff_row *r = &d->rows[d->n++];
	double after = row->share_valid ? row->share : 0,
	       before = change.state == CHANGE_NEW ? 0 : after / change.change;
	*r = (struct diff_row){.value = {.known = {true, true}, .value = {before, after}, .change = change}};
	r->value.change.low = change.change * 0.9;
	r->value.change.high = change.change * 1.1;
	r->value.change.tested = true;
	r->value.change.effective = 21.5;
	r->value.change.p = change.real ? 0.0004 : 0.6;
	r->metrics[0] = (struct diff_value){.known = {true, true}, .value = {1.4, 1.4}, .change = same_ratio};
	d->summary.tested++;
	d->summary.real += change.real;
	t->rows[at] = r;
	return r;
}

static void compare_with(struct server_world *w, size_t i, struct pivot *pivot, size_t slower)
{
	static const struct compare_change same = {.state = CHANGE_OK, .change = 1, .smallest = 1.09};
	struct compare_change more = {.state = CHANGE_OK, .change = 1.2, .smallest = 1.07, .real = true};
	struct compared *t = &w->compared[i];
	struct diff *d = &w->diffs[i];
	*d = (struct diff){.reference_rows = 17,
			   .reference = {.bundles = 17, .change = 1.02, .share = {0.81, 0.79}},
			   .summary = {.effective = 21.5}};
	*t = (struct compared){.pivot = pivot, .diff = d, .gone = &w->gone};
	d->rows = calloc(pivot->n + 1, sizeof(*d->rows));
	t->rows = calloc(pivot->n + 1, sizeof(*t->rows));
	d->set = &metrics_builtin;
	d->has_metric[0] = true;
	add_compared(t, d, slower, &pivot->rows[slower], more);
	if (i == BY_SYMBOL) {
		struct compare_change less = more, is_new = more, gone = more;
		less.change = 0.65;
		is_new.state = CHANGE_NEW;
		is_new.change = INFINITY;
		gone.state = CHANGE_VANISHED;
		gone.change = 0.5; /* for what was before: it is 0 */
		add_compared(t, d, 3, &pivot->rows[3], less);
		add_compared(t, d, 4, &pivot->rows[4], is_new);
		struct diff_row *r = add_compared(t, d, pivot->n, &w->gone, gone);
		r->value.value[DIFF_BEFORE] = 0.004;
		r->value.change.change = 0;
		t->gone_n = 1;
	}
	for (size_t k = 0; k < pivot->n; k++)
		if (!t->rows[k] && !pivot->rows[k].idle)
			add_compared(t, d, k, &pivot->rows[k], same);
}

void server_world_compare(struct server_world *w)
{
	struct pivot *symbols_pivot = &w->pivots[BY_SYMBOL];
	size_t last = symbols_pivot->n - 2; /* the idle time is behind it */
	w->gone = symbols_pivot->rows[last];
	w->gone.share = w->gone.share_error = 0;
	w->gone.sums = w->no_sums;
	w->gone.share_valid = w->gone.cpu_valid = false;
	symbols_pivot->rows[last] = symbols_pivot->rows[last + 1];
	symbols_pivot->n--;
	compare_with(w, BY_SYMBOL, symbols_pivot, 0);
	compare_with(w, BY_PID, &w->pivots[BY_PID], 1);
	struct diff_row *third = (struct diff_row *)(uintptr_t)w->compared[BY_SYMBOL].rows[2];
	third->metrics[0] = (struct diff_value){.known = {true, true},
						.value = {0.68, 0.34},
						.change = {.state = CHANGE_OK,
							   .change = 0.5,
							   .low = 0.45,
							   .high = 0.56,
							   .smallest = 1.1,
							   .p = 1e-6,
							   .effective = 21.5,
							   .tested = true,
							   .real = true}};
	w->diffs[BY_SYMBOL].metrics[0] = (struct compare_summary){.tested = symbols_pivot->n, .real = 1};
	w->comparison = (struct comparison){.before = "12:01:10 to 12:02:10",
					    .before_intervals = 60,
					    .by_cpu_before = {w->snap.end_ns - 8000000000, w->snap.end_ns},
					    .by_cpu_intervals = 8,
					    .tables = w->compared,
					    .tables_n = 2};
	w->in.comparison = &w->comparison;
}

void server_world_clock_only(struct server_world *w)
{
	struct source_info *info = &w->info;
	strcpy(info->events[0].spec.name, "cpu-clock");
	info->events[0].spec.role = w->roles[0] = ROLE_CLOCK;
	info->events_n = w->snap.events_n = 1;
	snapshot_find_parts(&w->snap, &(struct query){.roles = w->roles});
	info->pmu[0] = '\0';
	w->snap.events[0].count = w->snap.busy_ns;
	w->snap.trust.running = 1;
	strcpy(info->notice, "This machine has no hardware counters (most virtual machines have none): a timer samples "
			     "instead, so there are no ratios. Run cyctop on the host, or give the guest a PMU.");
	strcpy(info->short_notice, "no ratios");
}

void server_world_zoom_task(struct server_world *w, uint32_t task)
{
	size_t n = 0;
	for (size_t i = 0; i < w->snap.pivots[BY_SYMBOL].n; i++) {
		struct row *row = &w->symbol_rows[i];
		if (row->idle || (symbols[row->sym].task != task && symbols[row->sym].task != T_ANY))
			continue;
		w->symbol_rows[n++] = *row;
	}
	w->snap.pivots[BY_SYMBOL].n = n;
}

void server_world_zoom_sym(struct server_world *w, uint32_t sym)
{
	size_t n = 0;
	for (size_t i = 0; i < w->snap.pivots[BY_PID].n; i++) {
		struct row *row = &w->task_rows[i];
		if (symbols[sym].task == row->task || (symbols[sym].task == T_ANY && !row->idle))
			w->task_rows[n++] = *row;
	}
	w->snap.pivots[BY_PID].n = n;
}

void server_world_answer(struct server_world *w, const struct view_state *st)
{
	struct pivot_query asked[VIEWS_MAX];
	size_t n = view_pivots(st, asked);
	for (size_t i = 0; i < n; i++) {
		enum dimension_id dim = asked[i].dims[0] == DIM_TID ? DIM_PID : asked[i].dims[0];
		for (int p = 0; p < USUAL_PIVOTS; p++)
			if (usual_pivots[p].dims[0] == dim)
				w->pivots[p].query = asked[i];
	}
}
