/* To be preloaded: a machine with two kinds of CPU, whose PMUs cpu_core (4) and cpu_atom (10) count there alone.
 * CPU 0 is a core, the others are atoms.  Cycles are the CPU clock, and all other events the task clock. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CORE = 4, ATOM = 10 };

union attr {
	struct perf_event_attr of;
	char bytes[512]; /* newer ones are longer than this header's */
};

/* Makes an event of these PMUs one of software; returns the errno with which the CPU refuses it. */
static int translate(union attr *a, int cpu, int leader)
{
	unsigned here = cpu == 0 ? CORE : ATOM, pmu = a->of.type;
	if (a->of.type == PERF_TYPE_HARDWARE)
		pmu = a->of.config >> 32 ? (unsigned)(a->of.config >> 32) : here;
	if (a->of.type != PERF_TYPE_HARDWARE && pmu != CORE && pmu != ATOM)
		return 0;
	if (cpu >= 0 && pmu != here)
		return ENOENT;
	if (leader >= 0) /* the kernel would not schedule a member of software that comes later */
		return EINVAL;
	a->of.config = (unsigned)a->of.config ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_CPU_CLOCK;
	a->of.type = PERF_TYPE_SOFTWARE;
	a->of.precise_ip = 0;
	return 0;
}

long syscall(long number, ...)
{
	long args[6], (*real)(long, ...);
	union attr a = {0};
	void *found = dlsym(RTLD_NEXT, "syscall");
	memcpy(&real, &found, sizeof(real));
	va_list ap;
	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		args[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_perf_event_open) {
		const struct perf_event_attr *given;
		memcpy(&given, &args[0], sizeof(given));
		memcpy(&a, given, given->size < sizeof(a) ? given->size : sizeof(a));
		int code = translate(&a, (int)args[2], (int)args[3]);
		if (code) {
			errno = code;
			return -1;
		}
		void *made = &a;
		memcpy(&args[0], &made, sizeof(made));
	}
	return real(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}
