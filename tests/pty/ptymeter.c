/* Runs a command on a pseudo terminal and counts its output.
 *
 *   ptymeter [-r ROWS] [-c COLS] [-s SECONDS] [-t TEXT] [-k KEYS] [-o FILE] COMMAND [ARG...]
 *
 * Prints one line per second ("second 3 bytes 1532 writes 2"), then
 *   total_bytes N / first_output_s S / first_text_s S / cpu_s S / max_rss_kb N / status N
 * where first_text_s is the time at which TEXT first appeared in the output (escape
 * sequences between its letters are skipped).  After SECONDS it types KEYS (default "q"),
 * and if the command does not end, sends SIGTERM.  `writes` counts refreshes: reads that
 * returned data after a pause. */
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct options {
	int rows, cols;
	double seconds;
	const char *text, *keys, *file;
};

/* Looks for a text in a stream of terminal output. */
struct finder {
	const char *text;
	size_t at;  /* number of characters of the text found so far */
	int escape; /* 0: not in an escape sequence; 1: after ESC; 2: inside CSI */
	bool found;
};

struct meter {
	struct options options;
	struct finder finder;
	FILE *copy;
	double start, first_output, first_text, last_output;
	uint64_t total, bytes, writes; /* bytes and writes: in this second */
	int second;
};

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void finder_feed(struct finder *f, char c)
{
	if (f->found || !f->text)
		return;
	if (f->escape == 1) {
		f->escape = c == '[' ? 2 : 0;
		return;
	}
	if (f->escape == 2) {
		f->escape = (c >= 0x40 && c <= 0x7e) ? 0 : 2;
		return;
	}
	if (c == '\033') {
		f->escape = 1;
		return;
	}
	if (c != f->text[f->at])
		f->at = 0;
	if (c == f->text[f->at])
		f->at++;
	f->found = f->text[f->at] == '\0';
}

static void meter_output(struct meter *m, const char *data, size_t n)
{
	double t = now_s() - m->start;
	if (!m->total)
		m->first_output = t;
	if (t - m->last_output > 0.03)
		m->writes++;
	m->last_output = t;
	m->total += n;
	m->bytes += n;
	if (m->copy)
		fwrite(data, 1, n, m->copy);
	for (size_t i = 0; i < n && !m->finder.found; i++) {
		finder_feed(&m->finder, data[i]);
		if (m->finder.found)
			m->first_text = t;
	}
}

static void meter_second(struct meter *m)
{
	m->second++;
	printf("second %d bytes %llu writes %llu\n", m->second, (unsigned long long)m->bytes,
	       (unsigned long long)m->writes);
	m->bytes = m->writes = 0;
}

/* Reads until `until` (seconds since start); false: the command closed it. */
static bool meter_run(struct meter *m, int fd, double until)
{
	char buf[65536];
	for (;;) {
		double t = now_s() - m->start;
		while (t >= m->second + 1 && m->second + 1 <= m->options.seconds)
			meter_second(m);
		if (t >= until)
			return true;
		double next = m->second + 1 < until && m->second + 1 > t ? m->second + 1 : until;
		struct pollfd p = {.fd = fd, .events = POLLIN};
		if (poll(&p, 1, (int)((next - t) * 1000) + 1) <= 0)
			continue;
		ssize_t n = read(fd, buf, sizeof(buf));
		if (n <= 0 && errno != EINTR)
			return false;
		if (n > 0)
			meter_output(m, buf, (size_t)n);
	}
}

static void usage(void)
{
	fputs("usage: ptymeter [-r ROWS] [-c COLS] [-s SECONDS] [-t TEXT] [-k KEYS] [-o FILE] COMMAND [ARG...]\n",
	      stderr);
	exit(2);
}

/* Parses a number above 0 and up to `max`. */
static double number(const char *text, double max)
{
	char *end;
	double v = strtod(text, &end);
	if (end == text || *end || !(v > 0) || v > max)
		usage();
	return v;
}

static void options_read(struct options *o, int argc, char **argv)
{
	*o = (struct options){.rows = 35, .cols = 120, .seconds = 10, .keys = "q"};
	int c;
	while ((c = getopt(argc, argv, "+r:c:s:t:k:o:")) != -1) {
		switch (c) {
		case 'r':
			o->rows = (int)number(optarg, 1000);
			break;
		case 'c':
			o->cols = (int)number(optarg, 1000);
			break;
		case 's':
			o->seconds = number(optarg, 86400);
			break;
		case 't':
			o->text = optarg;
			break;
		case 'k':
			o->keys = optarg;
			break;
		case 'o':
			o->file = optarg;
			break;
		default:
			usage();
		}
	}
	if (optind >= argc || o->rows < 1 || o->cols < 1 || o->seconds <= 0)
		usage();
}

static int child_end(struct meter *m, int fd, pid_t child, bool open, struct rusage *usage_ret)
{
	int status = 0;
	if (open && *m->options.keys && write(fd, m->options.keys, strlen(m->options.keys)) < 0)
		open = false;
	if (open && meter_run(m, fd, m->options.seconds + 3))
		kill(child, SIGTERM);
	while (wait4(child, &status, 0, usage_ret) < 0 && errno == EINTR)
		;
	return status;
}

int main(int argc, char **argv)
{
	struct meter m = {.first_output = -1, .first_text = -1, .last_output = -1};
	options_read(&m.options, argc, argv);
	m.finder.text = m.options.text;
	m.copy = m.options.file ? fopen(m.options.file, "wb") : NULL;
	struct winsize size = {.ws_row = (unsigned short)m.options.rows, .ws_col = (unsigned short)m.options.cols};
	int fd;
	m.start = now_s();
	pid_t child = forkpty(&fd, NULL, NULL, &size);
	if (child < 0) {
		perror("ptymeter: forkpty");
		return 2;
	}
	if (child == 0) {
		execvp(argv[optind], argv + optind);
		perror(argv[optind]);
		_exit(127);
	}
	bool open = meter_run(&m, fd, m.options.seconds);
	while (open && m.second + 1 <= m.options.seconds)
		meter_second(&m);
	struct rusage use = {0};
	int status = child_end(&m, fd, child, open, &use);
	if (m.copy)
		fclose(m.copy);
	printf("total_bytes %llu\nfirst_output_s %.3f\nfirst_text_s %.3f\n", (unsigned long long)m.total,
	       m.first_output, m.first_text);
	printf("cpu_s %.3f\nmax_rss_kb %ld\n",
	       (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
		       (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6,
	       use.ru_maxrss);
	printf("status %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}
