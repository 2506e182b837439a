/* How fast cyctop answers keys while it reads a large symbol table:
 *   keys PROGRAM TEXT CYCTOP [OPTION...]
 * cyctop runs on a terminal of its own; after a second PROGRAM is started, and from then on
 * Tab is typed again and again, each time when the answer to the one before has come.
 * One loop does everything in cyctop, so that a key finds whatever holds it up.  Prints
 *   keys N longest_ms X named 0|1 ready_s S
 * where named says whether TEXT was shown in the end, and ready_s after how long. */
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 50, COLS = 120, BEFORE_MS = 1500, TYPE_MS = 6000, EACH_MS = 15, PATIENCE_MS = 5000 };

struct keys {
	int tty;
	char seen[1 << 16]; /* the last output, of which the text may be a part */
	size_t seen_n;
	const char *text;
	bool named;
};

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Reads what comes within that time at most; true: something came. */
static bool take(struct keys *k, double wait_ms)
{
	struct pollfd p = {.fd = k->tty, .events = POLLIN};
	if (poll(&p, 1, wait_ms > 0 ? (int)wait_ms : 0) <= 0)
		return false;
	if (k->seen_n > sizeof(k->seen) / 2) {
		size_t keep = sizeof(k->seen) / 4;
		memmove(k->seen, k->seen + k->seen_n - keep, keep);
		k->seen_n = keep;
	}
	ssize_t n = read(k->tty, k->seen + k->seen_n, sizeof(k->seen) - k->seen_n);
	if (n <= 0) {
		fprintf(stderr, "keys: cyctop ended\n");
		exit(1);
	}
	k->seen_n += (size_t)n;
	k->named |= memmem(k->seen, k->seen_n, k->text, strlen(k->text)) != NULL;
	return true;
}

static void look(struct keys *k, double ms)
{
	for (double end = now_ms() + ms; now_ms() < end;)
		take(k, end - now_ms());
}

static pid_t start(const char *program)
{
	pid_t pid = fork();
	if (pid)
		return pid;
	int null = open("/dev/null", O_RDWR);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	if (nice(5) == -1) /* it need not come before anybody */
		_exit(127);
	execl(program, program, (char *)NULL);
	_exit(127);
}

int main(int argc, char **argv)
{
	static struct keys k;
	struct winsize size = {.ws_row = ROWS, .ws_col = COLS};
	if (argc < 4)
		return 2;
	k.text = argv[2];
	pid_t cyctop = forkpty(&k.tty, NULL, NULL, &size);
	if (cyctop == 0) {
		setenv("TERM", "xterm-256color", 1);
		execv(argv[3], argv + 3);
		_exit(127);
	}
	if (cyctop < 0)
		return 2;
	look(&k, BEFORE_MS);
	k.named = false;
	pid_t program = start(argv[1]);
	double begin = now_ms(), longest = 0, ready = -1;
	unsigned n = 0;
	while (now_ms() - begin < TYPE_MS) {
		look(&k, EACH_MS);
		double typed = now_ms();
		if (write(k.tty, "\t", 1) != 1 || !take(&k, PATIENCE_MS))
			break;
		double took = now_ms() - typed;
		longest = took > longest ? took : longest;
		n++;
		if (k.named && ready < 0)
			ready = now_ms() - begin;
	}
	if (write(k.tty, "q", 1) != 1)
		longest = PATIENCE_MS;
	kill(program, SIGKILL);
	look(&k, 0);
	usleep(200000);
	kill(cyctop, SIGKILL);
	waitpid(program, NULL, 0);
	waitpid(cyctop, NULL, 0);
	printf("keys %u longest_ms %.1f named %d ready_s %.2f\n", n, longest, k.named, ready / 1e3);
	return 0;
}
