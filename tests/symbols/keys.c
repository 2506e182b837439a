/* Measures how fast cyctop answers keys while it reads a large symbol table:
 *   keys PROGRAM TEXT CYCTOP [OPTION...]
 * Starts cyctop on a pseudo terminal and, a second later, PROGRAM.  From then on it types Tab
 * repeatedly, each time after the answer to the previous one.  cyctop has a single loop, so a
 * key waits for whatever blocks that loop.  Prints
 *   keys N longest_ms X named 0|1 ready_s S
 * longest_ms: the longest time to an answer, without the time in which cyctop's main thread or
 * this program waited for a CPU; named: was TEXT on the screen in the end; ready_s: seconds until
 * then.  Ends when TEXT was on the screen and enough keys were typed. */
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

enum { ROWS = 50, COLS = 120, KEYS = 200, EACH_MS = 15, TYPE_MS = 300000, PATIENCE_MS = 60000 };

struct keys {
	int tty;
	char seen[1 << 16]; /* the end of the output, which may contain a part of the text */
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

/* The time in ms that a process's main thread was ready to run but waited for a CPU. */
static double waited_ms(pid_t pid)
{
	char path[64];
	unsigned long long ran = 0, waited = 0;
	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	FILE *f = fopen(path, "re");
	if (f && fscanf(f, "%llu %llu", &ran, &waited) != 2)
		waited = 0;
	if (f)
		fclose(f);
	return (double)waited / 1e6;
}

/* Reads output for at most that time; true: there was some. */
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
	if (nice(5) == -1) /* lower priority, so that it does not slow down others */
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
	while (!take(&k, PATIENCE_MS)) /* wait for the first screen */
		;
	look(&k, EACH_MS);
	k.named = false;
	pid_t program = start(argv[1]);
	double begin = now_ms(), longest = 0, ready = -1;
	unsigned n = 0;
	while (now_ms() - begin < TYPE_MS && (n < KEYS || !k.named)) {
		look(&k, EACH_MS);
		double typed = now_ms() - waited_ms(cyctop) - waited_ms(getpid());
		if (write(k.tty, "\t", 1) != 1 || !take(&k, PATIENCE_MS))
			break;
		double took = now_ms() - waited_ms(cyctop) - waited_ms(getpid()) - typed;
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
