/* CPU times: what facts get when an interval is closed, and what rows make of it. */
#include "../lib/model_world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const uint64_t ms = 1000000;

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-5 * fabs(b) + 1;
}

static void set_busy(struct world *w, uint64_t cpu0_ms, uint64_t cpu1_ms)
{
	w->cpus[0].busy_ns = cpu0_ms * ms;
	w->cpus[1].busy_ns = cpu1_ms * ms;
	w->cpus[0].idle_ns = (1000 - cpu0_ms) * ms;
	w->cpus[1].idle_ns = (1000 - cpu1_ms) * ms;
}

static void know(struct world *w, uint32_t process, uint64_t ns)
{
	w->processes[w->processes_n++] = (struct task_cpu){process, ns};
}

static void know_thread(struct world *w, uint32_t thread, uint64_t ns)
{
	w->threads[w->threads_n++] = (struct task_cpu){thread, ns};
}

static void setup(struct world *w, enum time_basis basis)
{
	world_init(w);
	w->config.time.basis = basis;
	world_model(w, &w->config);
	set_busy(w, 500, 500);
}

static const struct pivot_query threads_query = {.dims = {DIM_TID}, .dims_n = 1};
static const struct pivot_query dsos_query = {.dims = {DIM_DSO}, .dims_n = 1};

static struct snapshot *total(struct world *w)
{
	struct query q = query();
	q.window = WINDOW_TOTAL;
	return look(w, q);
}

static const struct row *task_row(const struct snapshot *s, uint32_t task)
{
	return find(&s->pivots[BY_PID], CATALOG_NONE, task);
}

static const struct row *code_row(const struct snapshot *s, uint32_t sym)
{
	return find(&s->pivots[BY_SYMBOL], sym, CATALOG_NONE);
}

/* 5 s at 1 GHz, then 5 s at 4 GHz: each interval has its own nanoseconds per cycle. */
static void intervals_have_their_own_frequency(void **state)
{
	(void)state;
	struct world w;
	setup(&w, TIME_BASIS_CYCLES);
	set_busy(&w, 1000, 0);
	for (int i = 0; i < 10; i++) {
		add(&w, i < 5 ? APP : SELF, HOT, 0, CYCLES, 1000, i < 5 ? 1000000 : 4000000);
		tick(&w);
	}
	struct snapshot *s = total(&w);
	assert_true(near(task_row(s, APP)->cpu_ns, 5000e6) && near(task_row(s, SELF)->cpu_ns, 5000e6));
	assert_true(task_row(s, APP)->cpu_estimated && task_row(s, SELF)->cpu_estimated);
	assert_true(fabs(task_row(s, APP)->share - 0.2) < 1e-9);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* Misses are split 99 to 1 where time is split 10 to 90. */
static void time_does_not_follow_the_first_event(void **state)
{
	(void)state;
	struct world w;
	setup(&w, TIME_BASIS_CYCLES);
	set_busy(&w, 1000, 0);
	add(&w, APP, HOT, 0, CYCLES, 90, 1000);
	add(&w, SELF, COLD, 0, CYCLES, 10, 1000);
	add(&w, APP, HOT, 0, MISSES, 1, 1000);
	add(&w, SELF, COLD, 0, MISSES, 99, 1000);
	tick(&w);
	struct query q = query();
	q.primary = MISSES;
	struct snapshot *s = look(&w, q);
	assert_true(near(task_row(s, APP)->cpu_ns, 900e6) && near(task_row(s, SELF)->cpu_ns, 100e6));
	assert_true(near(code_row(s, COLD)->cpu_ns, 100e6));
	assert_true(task_row(s, SELF)->share == 0.99);
	snapshot_destroy(s);
	model_destroy(w.model);
}

static void known_times_are_exact_for_processes(void **state)
{
	(void)state;
	struct world w;
	setup(&w, TIME_BASIS_CLOCK);
	/* samples say 300 and 100; the scheduler 350 for the process */
	add(&w, APP, HOT, 0, CYCLES, 200, ms);
	add(&w, APP, KERNEL, 1, CYCLES, 100, ms);
	add(&w, APP_THREAD, HOT, 1, CYCLES, 100, ms);
	add(&w, SELF, COLD, 0, CYCLES, 50, ms);
	know(&w, APP, 350 * ms);
	w.tasks[APP].threads = 2;
	tick(&w);
	const struct pivot_query pivots[] = {usual_pivots[BY_SYMBOL], usual_pivots[BY_PID], threads_query, dsos_query};
	struct query q = query();
	q.pivots = pivots;
	q.pivots_n = ARRAY_LEN(pivots);
	struct snapshot *s = look(&w, q);
	const struct row *app = task_row(s, APP), *self = task_row(s, SELF);
	assert_true(near(app->cpu_ns, 350e6) && !app->cpu_estimated);
	assert_true(near(self->cpu_ns, 50e6) && self->cpu_estimated); /* its time is not known */
	const struct row *thread = find(&s->pivots[2], CATALOG_NONE, APP_THREAD);
	assert_true(near(thread->cpu_ns, 350e6 / 4) && thread->cpu_estimated); /* divided by samples */
	const struct row *hot = code_row(s, HOT);
	assert_true(near(hot->cpu_ns, 350e6 * 3 / 4) && hot->cpu_estimated); /* code always is an estimate */
	assert_true(s->pivots[3].rows[0].cpu_estimated);
	snapshot_destroy(s);

	/* the scheduler's times of the threads: what is left is of threads without samples */
	add(&w, APP, HOT, 0, CYCLES, 300, ms);
	add(&w, APP_THREAD, HOT, 1, CYCLES, 100, ms);
	know(&w, APP, 400 * ms);
	know_thread(&w, APP, 200 * ms);
	know_thread(&w, APP_THREAD, 80 * ms);
	tick(&w);
	s = look(&w, q);
	assert_true(near(task_row(s, APP)->cpu_ns, 400e6) && !task_row(s, APP)->cpu_estimated);
	thread = find(&s->pivots[2], CATALOG_NONE, APP_THREAD);
	assert_true(near(thread->cpu_ns, 80e6) && !thread->cpu_estimated);
	const struct row *leader = find(&s->pivots[2], CATALOG_NONE, APP);
	assert_true(near(leader->cpu_ns, 320e6) && leader->cpu_estimated);
	snapshot_destroy(s);

	/* readings of threads that are a little behind are brought up to the process's */
	add(&w, APP, HOT, 0, CYCLES, 300, ms);
	add(&w, APP_THREAD, HOT, 1, CYCLES, 100, ms);
	know(&w, APP, 400 * ms);
	know_thread(&w, APP, 296 * ms);
	know_thread(&w, APP_THREAD, 99 * ms);
	tick(&w);
	s = look(&w, q);
	leader = find(&s->pivots[2], CATALOG_NONE, APP);
	assert_true(near(leader->cpu_ns, 400e6 * 296 / 395) && !leader->cpu_estimated);
	snapshot_destroy(s);

	/* single threads are measured, not their process */
	add(&w, APP_THREAD, HOT, 1, CYCLES, 100, ms);
	know_thread(&w, APP_THREAD, 130 * ms);
	tick(&w);
	s = look(&w, q);
	assert_true(near(task_row(s, APP)->cpu_ns, 130e6) && !task_row(s, APP)->cpu_estimated);
	snapshot_destroy(s);
	model_destroy(w.model);
}

static void time_without_samples_is_kept(void **state)
{
	(void)state;
	struct world w;
	setup(&w, TIME_BASIS_CYCLES);
	add(&w, APP, HOT, 0, CYCLES, 10, 1000);
	add(&w, SELF, COLD, 0, INSTRUCTIONS, 10, 1000); /* none of the time event */
	know(&w, APP, 20 * ms);
	know(&w, SELF, 3 * ms);
	tick(&w);
	know(&w, APP, 5 * ms);
	tick(&w);
	struct snapshot *s = total(&w);
	assert_true(near(task_row(s, APP)->cpu_ns, 25e6) && !task_row(s, APP)->cpu_estimated);
	assert_true(near(task_row(s, SELF)->cpu_ns, 3e6) && !task_row(s, SELF)->cpu_estimated);
	assert_int_equal(task_row(s, APP)->sums[CYCLES].samples, 10);
	assert_int_equal(s->pivots[BY_SYMBOL].n, 2); /* no row of no code */
	assert_true(near(code_row(s, HOT)->cpu_ns, 20e6));
	snapshot_destroy(s);
	struct query q = query();
	s = look(&w, q);
	assert_true(near(task_row(s, APP)->cpu_ns, 5e6) && s->pivots[BY_SYMBOL].n == 0);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* 59 % of interrupts on an idle CPU, and a daemon of 1 %. */
static void interrupts_on_idle_cpus_are_a_row(void **state)
{
	(void)state;
	struct world w;
	setup(&w, TIME_BASIS_CYCLES);
	set_busy(&w, 600, 0);
	add(&w, IDLE, IRQ, 0, CYCLES, 590, 1000);
	add(&w, IDLE, KERNEL, 0, CYCLES, 400, 1000); /* polls */
	add(&w, APP, HOT, 0, CYCLES, 10, 1000);
	tick(&w);
	for (int known = 0; known < 2; known++) {
		struct snapshot *s = total(&w);
		const struct row *app = task_row(s, APP), *irq = task_row(s, IDLE), *code = code_row(s, IRQ);
		assert_true(near(app->cpu_ns, (known + 1) * 10e6));
		assert_true(irq->interrupts && !irq->idle && irq->cpu_estimated && irq->share_valid);
		assert_true(near(irq->cpu_ns, (known + 1) * 590e6) && near(code->cpu_ns, irq->cpu_ns));
		assert_true(fabs(irq->share - 59 / 60.0) < 1e-9 && fabs(code->share - 59 / 60.0) < 1e-9);
		assert_true(fabs(app->share - 1 / 60.0) < 1e-9);
		assert_int_equal(s->pivots[BY_PID].n, 3); /* app, interrupts, idle */
		assert_int_equal(s->pivots[BY_SYMBOL].n, 3);
		for (size_t i = 0; i < 3; i++) {
			const struct row *r = &s->pivots[BY_PID].rows[i];
			assert_true(!r->idle || (!r->share_valid && r->sums[CYCLES].samples == 400u * (known + 1u)));
			for (size_t k = 0; k < i; k++)
				assert_true(r->id != s->pivots[BY_PID].rows[k].id);
		}
		snapshot_destroy(s);
		/* again, and now the scheduler's time of the daemon is known */
		add(&w, IDLE, IRQ, 0, CYCLES, 590, 1000);
		add(&w, IDLE, KERNEL, 0, CYCLES, 400, 1000);
		add(&w, APP, HOT, 0, CYCLES, 10, 1000);
		know(&w, APP, 10 * ms);
		tick(&w);
	}
	model_destroy(w.model);
}

/* A clock does not sample the idle task: interrupts there are what is left of the busy time. */
static void interrupts_without_samples_are_what_is_left(void **state)
{
	(void)state;
	struct world w;
	setup(&w, TIME_BASIS_CLOCK);
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		w.cpus[cpu].step_ns = 10 * ms;
	set_busy(&w, 600, 0);
	add(&w, APP, HOT, 0, CYCLES, 10, ms);
	know(&w, APP, 10 * ms);
	w.unlisted_cpu_ns = 5 * ms;
	tick(&w);
	struct query q = query();
	struct snapshot *s = look(&w, q);
	const struct row *irq = task_row(s, IDLE);
	assert_true(irq && irq->interrupts && irq->cpu_estimated && near(irq->cpu_ns, 585e6));
	assert_false(irq->share_valid); /* no sample has it */
	snapshot_destroy(s);
	q.only = &(struct filter){.dim = DIM_PID};
	q.only_n = 1;
	s = look(&w, q);
	assert_null(task_row(s, IDLE)); /* it belongs to no process that is asked for */
	snapshot_destroy(s);
	q.only_n = 0;
	/* as much as readings of 10 ms cannot tell from nothing */
	set_busy(&w, 20, 0);
	add(&w, APP, HOT, 0, CYCLES, 10, ms);
	tick(&w);
	s = look(&w, q);
	assert_null(task_row(s, IDLE));
	snapshot_destroy(s);
	model_destroy(w.model);
}

static void scopes_of_tasks_use_their_counters(void **state)
{
	(void)state;
	struct world w;
	setup(&w, TIME_BASIS_CYCLES);
	w.config.time.all_tasks = false;
	world_model(&w, &w.config);
	add(&w, APP, HOT, 0, CYCLES, 7, 1000);
	tick(&w);
	struct snapshot *s = look(&w, query());
	assert_false(task_row(s, APP)->cpu_valid); /* others kept the CPU busy */
	snapshot_destroy(s);
	w.config.time.counted_on_task = true;
	world_model(&w, &w.config);
	w.counters[CYCLES * CPUS] =
		(struct counter_delta){.value = 7000, .enabled_ns = 14 * ms, .running_ns = 7 * ms, .opened = true};
	add(&w, APP, HOT, 0, CYCLES, 7, 500);
	tick(&w);
	s = look(&w, query());
	assert_true(near(task_row(s, APP)->cpu_ns, 7e6) && task_row(s, APP)->cpu_estimated);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* Where only user space is sampled, a task's time is of the kernel, too; that of its code is not. */
static void code_does_not_claim_time_of_other_modes(void **state)
{
	(void)state;
	for (int clock = 0; clock < 2; clock++) {
		struct world w;
		setup(&w, clock ? TIME_BASIS_CLOCK : TIME_BASIS_CYCLES);
		w.config.time.modes_differ = true;
		world_model(&w, &w.config);
		add(&w, APP, HOT, 0, CYCLES, 100, ms);
		know(&w, APP, 400 * ms);
		tick(&w);
		struct snapshot *s = look(&w, query());
		assert_true(near(task_row(s, APP)->cpu_ns, 400e6) && !task_row(s, APP)->cpu_estimated);
		const struct row *hot = code_row(s, HOT);
		assert_true(clock ? near(hot->cpu_ns, 100e6) && hot->cpu_estimated : !hot->cpu_valid);
		snapshot_destroy(s);
		model_destroy(w.model);
	}
}

/* Cycles of user code say nothing of the time that others spent in the kernel, which is a part of all that is known: of
 * the time of a CPU, and of the times of tasks that live. */
static void user_code_does_not_tell_the_time_of_a_task_that_ended(void **state)
{
	(void)state;
	struct world w;
	setup(&w, TIME_BASIS_CYCLES);
	w.config.time.modes_differ = true;
	world_model(&w, &w.config);
	set_busy(&w, 1000, 0);
	add(&w, APP, HOT, 0, CYCLES, 100, ms); /* 100 ms, among 900 ms of the kernel's threads */
	tick(&w);
	struct snapshot *s = look(&w, query());
	assert_false(task_row(s, APP)->cpu_valid);
	snapshot_destroy(s);
	/* beside a task that lives, and spends nearly all of its time in the kernel */
	add(&w, APP, HOT, 0, CYCLES, 100, ms);
	add(&w, SELF, COLD, 0, CYCLES, 10, ms);
	know(&w, SELF, 900 * ms);
	tick(&w);
	s = look(&w, query());
	assert_false(task_row(s, APP)->cpu_valid);
	assert_true(near(task_row(s, SELF)->cpu_ns, 900e6) && !task_row(s, SELF)->cpu_estimated);
	snapshot_destroy(s);
	/* where the counter runs with the tasks, its time counts */
	w.config.time.all_tasks = false;
	w.config.time.counted_on_task = true;
	world_model(&w, &w.config);
	w.counters[CYCLES * CPUS] = (struct counter_delta){
		.value = 100 * ms, .enabled_ns = 100 * ms, .running_ns = 100 * ms, .opened = true};
	add(&w, APP, HOT, 0, CYCLES, 100, ms);
	tick(&w);
	s = look(&w, query());
	assert_true(near(task_row(s, APP)->cpu_ns, 100e6) && task_row(s, APP)->cpu_estimated);
	snapshot_destroy(s);
	model_destroy(w.model);
}

static void set_running(struct world *w, bool runs)
{
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		w->counters[CYCLES * CPUS + cpu].running_ns = runs ? w->counters[CYCLES * CPUS + cpu].enabled_ns : 0;
}

/* A CPU 90 % busy.  In some of the intervals the cycles had no counter, and instructions alone have samples. */
static void an_interval_without_a_counter_does_not_count_as_idle(void **state)
{
	(void)state;
	for (int known = 0; known < 2; known++) {
		struct world w;
		setup(&w, TIME_BASIS_CYCLES);
		for (int i = 0; i < 5; i++) {
			set_busy(&w, 900, 0);
			set_running(&w, i % 2 == 0 && i < 4);
			if (i % 2 == 0 && i < 4)
				add(&w, APP, HOT, 0, CYCLES, 900, ms);
			add(&w, APP, HOT, 0, INSTRUCTIONS, 900, ms);
			if (known)
				know(&w, APP, 900 * ms);
			tick(&w);
		}
		struct query q = query(); /* the last interval, which had none */
		struct snapshot *s = look(&w, q);
		assert_int_equal(task_row(s, APP)->cpu_valid, known);
		assert_true(!known || near(task_row(s, APP)->cpu_ns, 900e6));
		assert_false(code_row(s, HOT)->cpu_valid);
		snapshot_destroy(s);
		s = total(&w); /* by those that had one */
		assert_true(task_row(s, APP)->cpu_valid && near(task_row(s, APP)->cpu_ns, 4500e6));
		assert_int_equal(task_row(s, APP)->cpu_estimated, !known);
		assert_true(code_row(s, HOT)->cpu_valid && near(code_row(s, HOT)->cpu_ns, 4500e6));
		snapshot_destroy(s);
		model_destroy(w.model);
	}
}

static void no_time_event_leaves_the_times_of_tasks(void **state)
{
	(void)state;
	struct world w;
	setup(&w, TIME_BASIS_NONE);
	w.config.time.events = 1 << CYCLES; /* stands for any event */
	world_model(&w, &w.config);
	add(&w, APP, HOT, 0, CYCLES, 1, 1000);
	add(&w, SELF, COLD, 0, CYCLES, 99, 1000);
	know(&w, APP, 400 * ms);
	tick(&w);
	struct snapshot *s = look(&w, query());
	assert_true(near(task_row(s, APP)->cpu_ns, 400e6) && !task_row(s, APP)->cpu_estimated);
	assert_false(task_row(s, SELF)->cpu_valid);
	assert_false(code_row(s, HOT)->cpu_valid);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* A sample may stand for more time than a short window has: the first interval of a recording can be a microsecond. */
static void an_estimate_beyond_the_time_of_all_cpus_is_none(void **state)
{
	(void)state;
	static const struct {
		uint64_t sample_ms; /* in a second of two CPUs */
		bool known, valid;
	} rows[] = {{3500, false, true}, {5000, false, false}, {5000, true, true}};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct world w;
		setup(&w, TIME_BASIS_CLOCK);
		add(&w, APP, HOT, 0, CYCLES, 1, rows[i].sample_ms * ms);
		if (rows[i].known)
			know(&w, APP, 900 * ms);
		tick(&w);
		struct snapshot *s = look(&w, query());
		assert_int_equal(task_row(s, APP)->cpu_valid, rows[i].valid);
		assert_int_equal(task_row(s, APP)->cpu_estimated, rows[i].valid && !rows[i].known);
		assert_int_equal(code_row(s, HOT)->cpu_valid, rows[i].valid);
		snapshot_destroy(s);
		model_destroy(w.model);
	}
}

static void weights_of_the_scheduler_are_exact(void **state)
{
	(void)state;
	struct world w;
	setup(&w, TIME_BASIS_TASKS);
	add(&w, APP, HOT, 0, CYCLES, 1, 30 * ms);
	tick(&w);
	struct snapshot *s = look(&w, query());
	assert_true(near(task_row(s, APP)->cpu_ns, 30e6) && !task_row(s, APP)->cpu_estimated);
	snapshot_destroy(s);
	model_destroy(w.model);
}

static void no_weight_overflows(void **state)
{
	(void)state;
	struct world w;
	setup(&w, TIME_BASIS_CLOCK);
	add(&w, APP, HOT, 0, CYCLES, 3, UINT64_MAX);
	add(&w, SELF, HOT, 0, CYCLES, 3, 0);
	know(&w, SELF, 5 * ms);
	tick(&w);
	add(&w, APP, HOT, 0, CYCLES, 3, UINT64_MAX);
	tick(&w);
	struct snapshot *s = total(&w);
	for (size_t i = 0; i < s->pivots[BY_PID].n; i++) {
		const struct row *r = &s->pivots[BY_PID].rows[i];
		assert_true(isfinite(r->cpu_ns) && isfinite(r->sums[CYCLES].var) && isfinite(r->share));
	}
	assert_true(near(task_row(s, SELF)->cpu_ns, 5e6)); /* its samples weigh nothing */
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* Old intervals are joined, and the facts of a task that ended move: no time is lost. */
static void joining_keeps_times(void **state)
{
	(void)state;
	struct world w;
	setup(&w, TIME_BASIS_CLOCK);
	w.config.keep_bytes = 1 << 13;
	world_model(&w, &w.config);
	for (int i = 0; i < 50; i++) {
		add(&w, APP_THREAD, PENDING, 0, CYCLES, 1, ms);
		add(&w, APP, HOT, 0, CYCLES, 1, ms);
		know(&w, APP, 3 * ms);
		tick(&w);
	}
	model_rekey(w.model, &w.cat, NULL);
	struct model_stats stats;
	model_stats_get(w.model, &stats);
	assert_in_range(stats.intervals, 9, 20);
	struct query q = query();
	q.window = WINDOW_SLIDING;
	q.sliding_ns = 60000000000ull;
	struct snapshot *s = look(&w, q);
	assert_true(near(task_row(s, APP)->cpu_ns, 150e6) && !task_row(s, APP)->cpu_estimated);
	snapshot_destroy(s);
	s = total(&w);
	assert_true(near(task_row(s, APP)->cpu_ns, 150e6) && !task_row(s, APP)->cpu_estimated);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* 3 % busy at 1 GHz with an IPC of 2, and the idle loop polls at an IPC of 0.2 for the rest. */
static void idle_polling_is_not_speed(void **state)
{
	(void)state;
	struct world w;
	setup(&w, TIME_BASIS_CYCLES);
	set_busy(&w, 30, 0);
	w.cpus[0].step_ns = 10 * ms;
	w.counters[CYCLES * CPUS].value = 1000000000;
	w.counters[INSTRUCTIONS * CPUS].value = 254000000;
	w.counters[CYCLES * CPUS + 1].value = w.counters[INSTRUCTIONS * CPUS + 1].value = 0;
	add(&w, APP, HOT, 0, CYCLES, 30, 1000000);
	add(&w, IDLE, KERNEL, 0, CYCLES, 970, 1000000);
	add(&w, APP, HOT, 0, INSTRUCTIONS, 60, 1000000);
	add(&w, IDLE, KERNEL, 0, INSTRUCTIONS, 194, 1000000);
	tick(&w);
	struct snapshot *s = look(&w, query());
	struct ratio ghz = snapshot_ghz(s, CYCLES), ipc = total_metric(s, metric("ipc"));
	assert_true(ghz.valid && fabs(ghz.value - 1) < 1e-9);
	/* 30 of 1000 samples, and 30 ms +- 10 ms / sqrt(6) */
	double samples = sqrt(0.97 * 0.03 * 1000) / 30, busy = 10 / sqrt(6) / 30;
	assert_true(fabs(ghz.error - sqrt(samples * samples + busy * busy)) < 1e-3);
	assert_true(fabs(snapshot_cpu_ghz(s, 0, CYCLES).value - 1) < 1e-9);
	assert_true(ipc.valid && fabs(ipc.value - 2) < 1e-9 && ipc.error > 0);
	snapshot_destroy(s);

	/* offline for most of the time: GHz and busy are of the time in which it was online */
	set_busy(&w, 100, 0);
	w.cpus[0].idle_ns = 100 * ms;
	w.counters[CYCLES * CPUS].value = 200000000;
	add(&w, APP, HOT, 0, CYCLES, 200, 1000000);
	tick(&w);
	s = look(&w, query());
	assert_true(fabs(snapshot_cpu_ghz(s, 0, CYCLES).value - 2) < 1e-9 && fabs(s->cpus[0].busy - 0.5) < 1e-9);
	snapshot_destroy(s);
	model_destroy(w.model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_have_their_own_frequency),
		cmocka_unit_test(time_does_not_follow_the_first_event),
		cmocka_unit_test(known_times_are_exact_for_processes),
		cmocka_unit_test(time_without_samples_is_kept),
		cmocka_unit_test(interrupts_on_idle_cpus_are_a_row),
		cmocka_unit_test(interrupts_without_samples_are_what_is_left),
		cmocka_unit_test(scopes_of_tasks_use_their_counters),
		cmocka_unit_test(code_does_not_claim_time_of_other_modes),
		cmocka_unit_test(user_code_does_not_tell_the_time_of_a_task_that_ended),
		cmocka_unit_test(an_interval_without_a_counter_does_not_count_as_idle),
		cmocka_unit_test(no_time_event_leaves_the_times_of_tasks),
		cmocka_unit_test(an_estimate_beyond_the_time_of_all_cpus_is_none),
		cmocka_unit_test(weights_of_the_scheduler_are_exact),
		cmocka_unit_test(no_weight_overflows),
		cmocka_unit_test(joining_keeps_times),
		cmocka_unit_test(idle_polling_is_not_speed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
