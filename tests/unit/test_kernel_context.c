/* Kernel contexts: what a sample is within, from a script's call chains to the rows of a table. */
#include <cyctop/session.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Adds the functions of the kernel that a list names, apart by 0x100. */
static void add_functions(char *script, size_t cap, const char *list)
{
	char *copy = strdup(list), *rest = copy;
	unsigned long address = 0xffffffff81000000;
	for (char *name; (name = strsep(&rest, " ")); address += 0x100) {
		size_t n = strlen(script);
		snprintf(script + n, cap - n, "sym kernel:%s 0x%lx 0x100\n", name, address);
	}
	free(copy);
}

static char *script_of(const char *samples)
{
	enum { CAP = 8192 };
	char *script = calloc(1, CAP);
	assert_non_null(script);
	snprintf(script, CAP,
		 "cpus 1\nevent cycles period=1000\ndso app /usr/bin/app\ndso kernel [kernel]\n"
		 "sym app:main 0x1000 0x100\n");
	add_functions(script, CAP,
		      "entry_SYSCALL_64_after_hwframe do_syscall_64 vfs_read asm_exc_page_fault handle_mm_fault "
		      "asm_sysvec_apic_timer_interrupt sysvec_apic_timer_interrupt irq_exit_rcu handle_softirqs "
		      "net_rx_action run_timer_softirq.part.0 rcu_core tcp_v4_rcv ret_from_fork_asm kthread "
		      "run_ksoftirqd asm_common_interrupt handle_irq_event nvme_irq asm_exc_nmi nmi_handle spin_lock "
		      "__schedule preempt_schedule_irq irqentry_exit");
	strcat(script, "task 100 app maps=app\ntick\n");
	strcat(script, samples);
	return script;
}

/* Are the rows of the table of contexts these: "NAME SHARE%, ...", in the order of shares? */
static void check(const char *samples, const char *should)
{
	const struct pivot_query by = {.dims = {DIM_CONTEXT}, .dims_n = 1, .by_name = true};
	struct query q = {.window = WINDOW_TOTAL, .pivots = &by, .pivots_n = 1};
	struct session *s = NULL;
	struct error err;
	char *script = script_of(samples), got[400] = "";
	if (session_open_synth(script, strlen(script), "test", false, &s, &err) < 0 || session_use_chains(s, &err) < 0)
		fail_msg("%s", err.text);
	session_tick(s);
	struct snapshot *snap = session_snapshot(s, &q);
	const struct pivot *p = &snap->pivots[0];
	for (size_t k = 100; k > 0; k--)
		for (size_t i = 0; i < p->n; i++) {
			if (p->rows[i].sums[0].samples != k)
				continue;
			struct key_value v = dimension_value(session_names(s), DIM_CONTEXT, p->rows[i].ctx);
			size_t n = strlen(got);
			snprintf(got + n, sizeof(got) - n, "%s %zu, ", v.kind == KEY_TEXT ? v.text : "?", k);
		}
	assert_string_equal(got, should);
	snapshot_destroy(snap);
	session_destroy(s);
	free(script);
}

#define SAMPLE(n, sym, callers) "sample cpu=0 task=100 event=cycles sym=" sym " n=" #n " callers=" callers "\n"
#define ALONE(n, sym) "sample cpu=0 task=100 event=cycles sym=" sym " n=" #n "\n"
#define SYSCALL "kernel:do_syscall_64,kernel:entry_SYSCALL_64_after_hwframe"
#define TIMER "kernel:irq_exit_rcu,kernel:sysvec_apic_timer_interrupt,kernel:asm_sysvec_apic_timer_interrupt"

static void work_of_a_task(void **state)
{
	(void)state;
	check(SAMPLE(1, "kernel:vfs_read", SYSCALL ",app:main") /* a system call */
	      SAMPLE(2, "kernel:vfs_read", SYSCALL)		/* without the user's part of the chain */
	      SAMPLE(4, "kernel:handle_mm_fault", "kernel:asm_exc_page_fault,app:main")
		      SAMPLE(8, "kernel:vfs_read", "kernel:kthread,kernel:ret_from_fork_asm") ALONE(16, "app:main")
	      /* preempted behind an interrupt */
	      SAMPLE(32, "kernel:spin_lock",
		     "kernel:__schedule,kernel:preempt_schedule_irq,kernel:irqentry_exit,"
		     "kernel:sysvec_apic_timer_interrupt,kernel:asm_sysvec_apic_timer_interrupt"),
	      "task 63, ");
}

static void softirqs_by_kind(void **state)
{
	(void)state;
	check(SAMPLE(1, "kernel:tcp_v4_rcv", "kernel:net_rx_action,kernel:handle_softirqs," TIMER ",app:main")
		      SAMPLE(2, "kernel:run_timer_softirq.part.0", "kernel:handle_softirqs," TIMER ",app:main") SAMPLE(
			      4, "kernel:rcu_core",
			      "kernel:handle_softirqs,kernel:run_ksoftirqd,kernel:kthread,kernel:ret_from_fork_asm")
			      SAMPLE(8, "kernel:handle_softirqs", TIMER ",app:main")
				      SAMPLE(16, "kernel:spin_lock", "kernel:handle_softirqs," TIMER),
	      "softirq 24, softirq RCU 4, softirq TIMER 2, softirq NET_RX 1, ");
}

static void interrupts(void **state)
{
	(void)state;
	check(SAMPLE(1, "kernel:spin_lock", TIMER "," SYSCALL ",app:main")
		      SAMPLE(2, "kernel:nvme_irq", "kernel:handle_irq_event,kernel:asm_common_interrupt,app:main")
	      /* an interrupt of a softirq, and an exception in an interrupt */
	      SAMPLE(4, "kernel:nvme_irq",
		     "kernel:asm_common_interrupt,kernel:net_rx_action,kernel:handle_softirqs," TIMER
		     ",app:main") SAMPLE(8, "kernel:handle_mm_fault",
					 "kernel:asm_exc_page_fault,kernel:nvme_irq,kernel:asm_common_interrupt")
		      SAMPLE(16, "kernel:nmi_handle", "kernel:asm_exc_nmi,kernel:vfs_read," SYSCALL ",app:main"),
	      "NMI 16, interrupt 15, ");
}

/* What a chain does not tell is not guessed; RCU's callbacks in a thread are no softirq. */
static void unknown_is_absent(void **state)
{
	(void)state;
	check(ALONE(1, "kernel:vfs_read") SAMPLE(2, "kernel:spin_lock", "kernel:vfs_read")
		      ALONE(4, "kernel:net_rx_action") ALONE(8, "kernel:asm_common_interrupt")
			      SAMPLE(16, "kernel:rcu_core", "kernel:kthread,kernel:ret_from_fork_asm"),
	      "task 16, interrupt 8, ? 7, ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_of_a_task),
		cmocka_unit_test(softirqs_by_kind),
		cmocka_unit_test(interrupts),
		cmocka_unit_test(unknown_is_absent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
