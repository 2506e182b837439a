/* Runs a program under attack, and checks that it stays within its bounds.
 *
 *   bounded [-s SIGNAL] [-a SECONDS] [-t SECONDS] COMMAND...
 *
 * After -a SECONDS the program gets SIGNAL (default SIGINT) and must then end within two seconds.
 * Without -a it must end by itself within -t seconds (default 60).  It may use 200 MB of memory.
 * Prints one line and exits with 1 if the program exceeds a bound; otherwise prints its exit
 * status.  Exits with 3 if the program was late; a test then tries again, because the machine may
 * be busy. */
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { END_MS = 2000, RSS_KB = 200 * 1024, BOUND = 1, USAGE = 2, LATE = 3 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool sanitized = true; /* AddressSanitizer's shadow memory would count as memory */
#else
static const bool sanitized = false;
#endif

struct run {
	int signal;
	double after_s, limit_s;
	char **argv;
};

static int parse(int argc, char **argv, struct run *ret)
{
	int c;
	*ret = (struct run){.signal = SIGINT, .limit_s = 60};
	while ((c = getopt(argc, argv, "+s:a:t:")) != -1) {
		if (c == 's')
			ret->signal = strcmp(optarg, "TERM") == 0  ? SIGTERM
				      : strcmp(optarg, "HUP") == 0 ? SIGHUP
								   : SIGINT;
		else if (c == 'a')
			ret->after_s = atof(optarg);
		else if (c == 't')
			ret->limit_s = atof(optarg);
		else
			return -1;
	}
	ret->argv = argv + optind;
	return argv[optind] ? 0 : -1;
}

/* A shell lets its background processes ignore SIGINT; the program must not inherit that. */
static pid_t start(char **argv)
{
	pid_t pid = fork();
	if (pid)
		return pid;
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_DFL);
	execv(argv[0], argv);
	_exit(127);
}

/* Does the process end within that time? */
static bool ends(pid_t pid, double seconds, int *status_ret, struct rusage *usage_ret)
{
	for (int ms = 0;; ms += 10) {
		if (wait4(pid, status_ret, WNOHANG, usage_ret) == pid)
			return true;
		if (ms >= (int)(seconds * 1000))
			return false;
		poll(NULL, 0, 10);
	}
}

int main(int argc, char **argv)
{
	struct run r;
	struct rusage usage;
	int status;
	if (parse(argc, argv, &r) < 0) {
		fprintf(stderr, "usage: bounded [-s SIGNAL] [-a SECONDS] [-t SECONDS] COMMAND...\n");
		return USAGE;
	}
	pid_t pid = start(r.argv);
	bool ended = ends(pid, r.after_s > 0 ? r.after_s : r.limit_s, &status, &usage);
	if (!ended && r.after_s > 0) {
		kill(pid, r.signal);
		ended = ends(pid, END_MS / 1000.0, &status, &usage);
	}
	if (!ended) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		printf("did not end within %.0f s\n", r.after_s > 0 ? END_MS / 1000.0 : r.limit_s);
		return LATE;
	}
	if (!sanitized && usage.ru_maxrss > RSS_KB) {
		printf("took %ld MB\n", usage.ru_maxrss / 1024);
		return BOUND;
	}
	printf("%d\n", WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
	return 0;
}
