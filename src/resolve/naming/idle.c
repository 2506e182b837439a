#include "resolve/naming/idle.h"

#include <cyctop/base.h>

/* Functions that the idle task runs while there is nothing to do: the idle loop, the governors that choose an idle
 * state, and the states themselves.  "*" stands for any characters. */
static const char *const idle_functions[] = {
	/* the idle loop, and what it calls to stop and restart the tick */
	"do_idle",
	"cpu_startup_entry",
	"cpu_idle_*",
	"cpu_idle",
	"cpuidle_*",
	"call_cpuidle",
	"default_idle*",
	"arch_cpu_idle*",
	"default_enter_idle",
	"sched_idle_set_state",
	"tick_nohz_idle_*",
	"tick_nohz_get_sleep_length",
	"tick_nohz_next_event",
	"tick_nohz_stop_idle",
	"tick_nohz_start_idle",
	"ct_idle_*",
	"ct_cpuidle_*",
	"rcu_idle_*",
	"rcu_eqs_*",
	"ct_kernel_*",
	"poll_idle",
	/* governors, which choose an idle state */
	"menu_select",
	"menu_reflect",
	"menu_update",
	"teo_select",
	"teo_reflect",
	"teo_update",
	"ladder_select_state",
	"haltpoll_select",
	"haltpoll_reflect",
	"get_typical_interval",
	/* idle states of x86 */
	"intel_idle*",
	"acpi_idle_*",
	"acpi_processor_ffh_cstate_enter",
	"amd_e400_idle",
	"mwait_idle*",
	"mwait_play_dead",
	"native_safe_halt",
	"native_halt",
	"pv_native_safe_halt",
	"xen_safe_halt",
	"acpi_safe_halt",
	"tdx_safe_halt",
	"tdx_halt",
	"hv_safe_halt",
	"vmware_safe_halt",
	"safe_halt",
	/* idle states of arm, riscv, ppc, s390, loongarch, mips */
	"cpu_do_idle",
	"arm_cpuidle_*",
	"psci_cpu_suspend_enter",
	"psci_enter_*",
	"__psci_enter_*",
	"psci_cpu_do_idle*",
	"cpu_v7_do_idle",
	"cpu_v6_do_idle",
	"cpu_arm*_do_idle",
	"armada_370_xp_*idle*",
	"imx*_enter_wait",
	"omap*_enter_idle*",
	"sbi_cpuidle_*",
	"sbi_suspend*",
	"__sbi_enter_*",
	"riscv_wfi*",
	"wait_for_interrupt",
	"snooze_loop",
	"shared_cede_loop",
	"dedicated_cede_loop",
	"cede_processor",
	"power9_idle_*",
	"power7_idle_*",
	"arch300_idle_type",
	"stop_loop",
	"nap_loop",
	"pseries_lpar_idle",
	"isa300_idle_stop_*",
	"isa206_idle_insn_*",
	"enabled_wait",
	"psw_idle",
	"__arch_cpu_idle",
	"__cpu_idle",
	"r4k_wait*",
	"__r4k_wait",
};

/* Functions in which threads begin. */
static const char *const outermost_functions[] = {
	/* in programs (libraries without frame pointers cut call chains before these) */
	"_start",
	"__libc_start_main*",
	"__libc_start_call_main",
	"_start_c",
	"_dl_start_user",
	"main", /* its caller, in the C library, often keeps no frame pointer */
	/* in threads */
	"start_thread",
	"clone",
	"clone3",
	"__clone",
	"__clone3",
	"thread_start",
	"__start_context", /* makecontext() */
	"runtime.goexit*",
	"runtime.rt0_go*",
	"_rt0_*",
	/* in kernel threads and CPUs */
	"ret_from_fork*",
	"common_startup_64",
	"secondary_startup_64*",
	"x86_64_start_reservations",
	"__primary_switched",
	"__secondary_switched",
	"secondary_start_kernel",
	"smp_callin",
};

/* Kernel functions that begin an interrupt, system call or other context. */
static const struct {
	const char *pattern;
	enum sym_enters enters;
} entries[] = {
	/* softirqs: their dispatcher, and the handlers */
	{"handle_softirqs", ENTERS_SOFTIRQ},
	{"__do_softirq", ENTERS_SOFTIRQ},
	{"tasklet_hi_action", SOFTIRQ_HI},
	{"run_timer_softirq", SOFTIRQ_TIMER},
	{"net_tx_action", SOFTIRQ_NET_TX},
	{"net_rx_action", SOFTIRQ_NET_RX},
	{"blk_done_softirq", SOFTIRQ_BLOCK},
	{"irq_poll_softirq", SOFTIRQ_IRQ_POLL},
	{"blk_iopoll_softirq", SOFTIRQ_IRQ_POLL},
	{"tasklet_action", SOFTIRQ_TASKLET},
	{"sched_balance_softirq", SOFTIRQ_SCHED},
	{"run_rebalance_domains", SOFTIRQ_SCHED},
	{"hrtimer_run_softirq", SOFTIRQ_HRTIMER},
	{"rcu_core_si", SOFTIRQ_RCU},
	{"rcu_core", SOFTIRQ_RCU},
	{"rcu_process_callbacks", SOFTIRQ_RCU},
	{"rcu_sched_clock_softirq", SOFTIRQ_RCU},
	/* interrupts of x86 */
	{"asm_sysvec_*", ENTERS_INTERRUPT},
	{"sysvec_*", ENTERS_INTERRUPT},
	{"__sysvec_*", ENTERS_INTERRUPT},
	{"asm_common_interrupt", ENTERS_INTERRUPT},
	{"common_interrupt", ENTERS_INTERRUPT},
	{"do_IRQ", ENTERS_INTERRUPT},
	{"smp_*_interrupt", ENTERS_INTERRUPT},
	{"fred_extint", ENTERS_INTERRUPT},
	{"*exc_xen_hypervisor_callback", ENTERS_INTERRUPT},
	{"xen_*evtchn_do_upcall", ENTERS_INTERRUPT},
	{"asm_exc_nmi*", ENTERS_NMI},
	{"exc_nmi*", ENTERS_NMI},
	{"default_do_nmi", ENTERS_NMI},
	{"end_repeat_nmi", ENTERS_NMI},
	/* interrupts of other architectures */
	{"el0*_irq*", ENTERS_INTERRUPT},
	{"el1*_irq*", ENTERS_INTERRUPT},
	{"el0*_fiq*", ENTERS_INTERRUPT},
	{"el1*_fiq*", ENTERS_INTERRUPT},
	{"gic_handle_irq", ENTERS_INTERRUPT},
	{"handle_riscv_irq", ENTERS_INTERRUPT},
	{"riscv_intc_irq", ENTERS_INTERRUPT},
	{"generic_handle_arch_irq", ENTERS_INTERRUPT},
	{"generic_handle_domain_irq", ENTERS_INTERRUPT},
	{"handle_irq_event", ENTERS_INTERRUPT},
	{"__do_irq", ENTERS_INTERRUPT},
	{"timer_interrupt", ENTERS_INTERRUPT},
	{"do_irq_async", ENTERS_INTERRUPT},
	{"do_io_irq", ENTERS_INTERRUPT},
	{"do_ext_irq", ENTERS_INTERRUPT},
	/* system calls and exceptions */
	{"entry_SYSCALL_64*", ENTERS_TASK},
	{"entry_SYSCALL_compat*", ENTERS_TASK},
	{"entry_SYSENTER_*", ENTERS_TASK},
	{"entry_INT80_*", ENTERS_TASK},
	{"do_syscall_*", ENTERS_TASK},
	{"do_int80_*", ENTERS_TASK},
	{"asm_exc_*", ENTERS_EXCEPTION},
	{"exc_page_fault", ENTERS_EXCEPTION},
	{"el0_svc*", ENTERS_TASK},
	{"el0_da", ENTERS_EXCEPTION},
	{"el0_ia", ENTERS_EXCEPTION},
	{"el0t_*_sync*", ENTERS_EXCEPTION},
	{"system_call_exception", ENTERS_TASK},
	{"do_trap_ecall_u", ENTERS_TASK},
	{"handle_exception", ENTERS_EXCEPTION},
	{"__do_syscall", ENTERS_TASK},
	/* functions that run for the task at the end of an interrupt, before the interrupt's functions return */
	{"__schedule", ENTERS_TASK},
	{"preempt_schedule*", ENTERS_TASK},
	{"irqentry_exit_to_user_mode", ENTERS_TASK},
	{"exit_to_user_mode_*", ENTERS_TASK},
	{"do_notify_resume", ENTERS_TASK},
};

static bool matches(const char *pattern, const char *name)
{
	for (; *pattern; pattern++, name++) {
		if (*pattern == '*') {
			do
				if (matches(pattern + 1, name))
					return true;
			while (*name++);
			return false;
		}
		if (*pattern != *name)
			return false;
	}
	/* a suffix marks a compiler's copy: "do_idle.constprop.0" */
	return !*name || *name == '.';
}

static bool is_one_of(const char *const *patterns, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (matches(patterns[i], name))
			return true;
	return false;
}

bool idle_function(const char *name)
{
	return is_one_of(idle_functions, ARRAY_LEN(idle_functions), name);
}

enum sym_enters entered_context(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(entries); i++)
		if (matches(entries[i].pattern, name))
			return entries[i].enters;
	return ENTERS_NOTHING;
}

bool outermost_function(const char *name)
{
	return is_one_of(outermost_functions, ARRAY_LEN(outermost_functions), name);
}
