/* CPU times of tasks against /proc/PID/task/TID/schedstat, over the same ten seconds:
 *   test_times system|tasks|own|proc
 * as root in the whole machine; of some processes (-p); as an ordinary user, of the user's own; and without
 * perf events.  The loads are hard to sample: threads that sleep and wake at 1 kHz, a process whose children
 * live for half a millisecond, traffic on the loopback interface with its softirqs, and a loop.  Whatever
 * else runs meanwhile, each process must be within 1 point of the scheduler's own numbers. */
#include <cyctop/session.h>

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SKIPPED = 77, LOADS = 4, TICKS = 10 };

static void spin_us(long us)
{
	struct timespec a, b;
	clock_gettime(CLOCK_MONOTONIC, &a);
	do
		clock_gettime(CLOCK_MONOTONIC, &b);
	while ((b.tv_sec - a.tv_sec) * 1000000 + (b.tv_nsec - a.tv_nsec) / 1000 < us);
}

static void *wakes(void *arg)
{
	(void)arg;
	for (;;) {
		spin_us(200);
		nanosleep(&(struct timespec){.tv_nsec = 800000}, NULL);
	}
	return NULL;
}

static void load_threads(void)
{
	pthread_t t;
	for (int i = 0; i < 3; i++)
		if (pthread_create(&t, NULL, wakes, NULL))
			_exit(1);
	wakes(NULL);
}

/* Its own work is for samples: a process without any has no row, and of the user's own processes only user space is
 * sampled. */
static void load_children(void)
{
	for (;;) {
		spin_us(100);
		pid_t pid = fork();
		if (pid == 0) {
			spin_us(500);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
	}
}

static void load_traffic(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof(at);
	char buf[1000] = {0};
	int in = socket(AF_INET, SOCK_DGRAM, 0), out = socket(AF_INET, SOCK_DGRAM, 0);
	if (in < 0 || out < 0 || bind(in, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    getsockname(in, (struct sockaddr *)&at, &n) < 0)
		_exit(1);
	for (unsigned i = 0;; i++) {
		if (sendto(out, buf, sizeof(buf), 0, (struct sockaddr *)&at, sizeof(at)) < 0)
			_exit(1);
		(void)!recv(in, buf, sizeof(buf), MSG_DONTWAIT);
		if (i % 500 == 0)
			nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
	}
}

static void load_loop(void)
{
	for (;;)
		spin_us(1000);
}

static const struct {
	const char *name;
	void (*run)(void);
} loads[LOADS] = {
	{"threads", load_threads}, {"children", load_children}, {"traffic", load_traffic}, {"loop", load_loop}};

static pid_t pids[LOADS];

static void end_loads(void)
{
	for (int i = 0; i < LOADS; i++)
		if (pids[i] > 0 && kill(pids[i], SIGKILL) == 0)
			waitpid(pids[i], NULL, 0);
}

static void start_loads(void)
{
	for (int i = 0; i < LOADS; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			loads[i].run();
			_exit(1);
		}
	}
	nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
}

static double schedstat_ns(pid_t pid)
{
	char path[80];
	double sum = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *dir = opendir(path);
	for (struct dirent *d; dir && (d = readdir(dir));) {
		uint64_t ns;
		snprintf(path, sizeof(path), "/proc/%d/task/%.20s/schedstat", pid, d->d_name);
		FILE *f = d->d_name[0] != '.' ? fopen(path, "r") : NULL;
		if (f && fscanf(f, "%" SCNu64, &ns) == 1)
			sum += (double)ns;
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	return sum;
}

/* As in a container: perf_event_open() is not permitted. */
static void refuse_perf(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = sizeof(code) / sizeof(code[0]), .filter = code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0)
		exit(SKIPPED);
}

static const struct row *row_of(const struct snapshot *snap, const struct catalog *cat, pid_t pid)
{
	for (size_t i = 0; i < snap->pivots[0].n; i++)
		if (cat->tasks[snap->pivots[0].rows[i].task].pid == pid)
			return &snap->pivots[0].rows[i];
	return NULL;
}

static int compare(struct session *s, const double *before, const double *after)
{
	static const struct pivot_query by_pid = {.dims = {DIM_PID}, .dims_n = 1};
	struct query q = {.window = WINDOW_TOTAL, .pivots = &by_pid, .pivots_n = 1};
	struct snapshot *snap = session_snapshot(s, &q);
	double window_ns = (double)(snap->end_ns - snap->start_ns);
	int failed = 0;
	for (int i = 0; i < LOADS; i++) {
		const struct row *row = row_of(snap, session_catalog(s), pids[i]);
		double want = (after[i] - before[i]) / window_ns * 100, got = row ? row->cpu_ns / window_ns * 100 : -1;
		bool ok = row && row->cpu_valid && fabs(got - want) <= 1 && !row->cpu_estimated;
		printf("%-9s %6.2f %% of the scheduler, %6.2f %% of cyctop%s%s\n", loads[i].name, want, got,
		       row && row->cpu_estimated ? " (estimated)" : "", ok ? "" : "  WRONG");
		failed += !ok;
	}
	printf("busy %.2f CPUs\n", snap->busy_ns / window_ns);
	snapshot_destroy(snap);
	return failed;
}

int main(int argc, char **argv)
{
	const char *scope = argc > 1 ? argv[1] : "system";
	bool own = strcmp(scope, "own") == 0;
	if (geteuid() != 0 && !own)
		return SKIPPED;
	/* an ordinary user whom nobody else uses */
	if (own && geteuid() == 0 && (setgid(54321) < 0 || setuid(54321) < 0))
		return SKIPPED;
	prctl(PR_SET_DUMPABLE, 1); /* setuid() cleared it, and /proc/PID would belong to root */
	start_loads();
	atexit(end_loads);
	struct live_config config = {.freq = 999};
	if (strcmp(scope, "tasks") == 0) {
		config.target.kind = TARGET_PROCESSES;
		for (int i = 0; i < LOADS; i++)
			config.target.ids[config.target.ids_n++] = (uint32_t)pids[i];
	}
	if (strcmp(scope, "proc") == 0)
		refuse_perf();
	struct source *source;
	struct session *s;
	struct error err;
	double before[LOADS], after[LOADS];
	if (live_open(&config, &source, &err) < 0 || session_open_live(source, &config, &s, &err) < 0) {
		printf("skipped: %s\n", err.text);
		return SKIPPED;
	}
	session_reset(s);
	for (int i = 0; i < LOADS; i++)
		before[i] = schedstat_ns(pids[i]);
	for (int t = 0; t < TICKS; t++) {
		sleep(1);
		session_tick(s);
	}
	for (int i = 0; i < LOADS; i++)
		after[i] = schedstat_ns(pids[i]);
	int failed = compare(s, before, after);
	session_destroy(s);
	return failed ? 1 : 0;
}
