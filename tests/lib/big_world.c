#include "big_world.h"

static const enum event_role big_roles[BIG_EVENTS] = {ROLE_CYCLES, ROLE_INSTRUCTIONS};

void big_init(struct big *b, size_t bound, bool has_cat)
{
	const struct model_config config = {
		.events_n = BIG_EVENTS,
		.cpus_n = BIG_CPUS,
		.keep_ns = 120 * second_ns,
		.time = {.basis = TIME_BASIS_CYCLES, .events = 1},
	};
	*b = (struct big){.now_ns = second_ns, .random = 1, .has_cat = has_cat};
	b->cat = (struct catalog){b->tasks, b->syms, b->dsos, BIG_TASKS, BIG_FUNCTIONS, 1};
	b->names = (struct model_names){.cat = &b->cat, .cpus_n = BIG_CPUS, .events_n = BIG_EVENTS};
	for (uint32_t i = 0; i < BIG_TASKS; i++)
		b->tasks[i] = (struct task_info){.pid = (int32_t)i + 1,
						 .tid = (int32_t)i + 1,
						 .comm = "app",
						 .leader = i,
						 .idle = i == BIG_IDLE,
						 .self = i == BIG_SELF,
						 .kernel = i == BIG_IDLE || i == BIG_KERNEL_TASK};
	for (uint32_t i = 0; i < BIG_FUNCTIONS; i++)
		b->syms[i] = (struct sym_info){.resolved = i,
					       .row_sym = i,
					       .name = "function",
					       .state = SYM_NAMED,
					       .kernel = i <= BIG_KERNEL_CODE,
					       .idles = i == BIG_IDLE_LOOP};
	for (size_t i = 0; i < ARRAY_LEN(b->counters); i++)
		b->counters[i] =
			(struct counter_delta){.value = 3000, .enabled_ns = 1, .running_ns = 1, .opened = true};
	for (size_t i = 0; i < BIG_CPUS; i++)
		b->cpus[i] = (struct cpu_delta){.busy_ns = 900000000, .idle_ns = 1, .known = true, .online = true};
	b->model = model_create(&config);
	model_keep(b->model, bound);
}

static uint32_t big_random(struct big *b)
{
	b->random = b->random * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(b->random >> 33);
}

void big_tick(struct big *b, uint32_t functions, int samples_n)
{
	for (int k = 0; k < samples_n; k++) {
		uint32_t r = big_random(b), function = (r % functions) * (r >> 16 & 255) / 255; /* some are hotter */
		uint32_t task = function <= BIG_INTERRUPTS ? BIG_IDLE : 1 + function % (BIG_TASKS - 1);
		uint16_t cpu = r >> 8 & (BIG_CPUS - 1), event = k & 1;
		model_add(b->model, task, function, cpu, event, 1000 + r % 100);
		if (b->has_costs && r % 3 == 0)
			model_add_cost(b->model, &(struct model_sample){task, function, cpu, event}, r % 500);
	}
	b->samples += (uint64_t)samples_n;
	struct interval_bounds bounds = {.start_ns = b->now_ns,
					 .end_ns = b->now_ns + second_ns,
					 .counters = b->counters,
					 .cpus = b->cpus,
					 .cat = b->has_cat ? &b->cat : NULL};
	model_close(b->model, &bounds);
	b->now_ns = bounds.end_ns;
}

struct snapshot *big_look(struct big *b, struct query q, const struct pivot_query *pivots, size_t n)
{
	q.roles = big_roles;
	q.pivots = pivots;
	q.pivots_n = n;
	q.series = true;
	return snapshot_create(b->model, &b->names, &q);
}
