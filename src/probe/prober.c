#include <cyctop/probe.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT_MAX = 16384 };

/* A request of the screen process to the helper process.  The descriptor sent with it gets the output of cyctop probe;
 * a request without a descriptor ends the probing. */
struct request {
	struct view_probe_wish wish;
	uint64_t delay_ns;
};
union rights {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

/* ---- the helper, which keeps privileges ---------------------------------------------------------------- */

/* Executes cyctop probe, which prints to `out`.  When it ends, the kernel removes its probes. */
static void become(const struct request *r, int out)
{
	char function[sizeof(r->wish.function)], events[sizeof(r->wish.events)], pid[16], delay[32];
	const char *argv[14] = {"cyctop", "probe", "--histogram"};
	size_t n = 3;
	snprintf(function, sizeof(function), "%s", r->wish.function);
	snprintf(pid, sizeof(pid), "%u", r->wish.pid);
	snprintf(delay, sizeof(delay), "%.1f", r->delay_ns > 100000000 ? (double)r->delay_ns / 1e9 : 0.1);
	snprintf(events, sizeof(events), "%s", r->wish.events);
	if (*events) {
		argv[n++] = "-e";
		argv[n++] = events;
	}
	argv[n++] = "-d";
	argv[n++] = delay;
	if (r->wish.pid) {
		argv[n++] = "-p";
		argv[n++] = pid;
	}
	if (r->wish.stage == PROBE_FORCED)
		argv[n++] = "--max-overhead=0";
	argv[n] = function; /* begins with "/" or "kernel:" */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(out, STDOUT_FILENO) >= 0 && dup2(out, STDERR_FILENO) >= 0)
		execv("/proc/self/exe", (char *const *)argv);
	_exit(1);
}

/* Receives a request.  *out_ret: its descriptor, or -1.  Returns false if the screen has ended. */
static bool receive(int fd, struct request *ret, int *out_ret)
{
	union rights rights = {.bytes = {0}};
	struct iovec part = {ret, sizeof(*ret)};
	struct msghdr msg = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = rights.bytes, .msg_controllen = sizeof(rights.bytes)};
	*out_ret = -1;
	ssize_t n;
	do
		n = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	const struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	if (n == sizeof(*ret) && c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(out_ret, CMSG_DATA(c), sizeof(int));
	return n == sizeof(*ret);
}

static void serve(int fd)
{
	struct request r;
	pid_t child = 0;
	int out = -1;
	for (bool more = true; more;) {
		more = receive(fd, &r, &out);
		if (child > 0) {
			kill(child, SIGKILL);
			while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
				;
		}
		bool asks = more && out >= 0 && (r.wish.function[0] == '/' || r.wish.function[0] == 'k');
		child = asks ? fork() : 0;
		if (asks && child == 0)
			become(&r, out);
		if (out >= 0)
			close(out);
	}
	_exit(0);
}

int prober_launch(void)
{
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);
		close(ends[0]);
		setsid(); /* signals of the terminal go to the screen process only */
		for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
			dup2(null, fd);
		prctl(PR_SET_NAME, "cyctop-probes", 0, 0, 0);
		serve(ends[1]);
	}
	close(ends[1]);
	if (pid > 0)
		return ends[0];
	close(ends[0]);
	return -1;
}

/* ---- the screen process, which sends requests to the helper ---------------------------------------------- */

void prober_init(struct prober *p, int helper)
{
	*p = (struct prober){.helper = helper, .fd = -1};
}

/* Sends a request to the helper, with the descriptor `out` unless that is -1. */
static void ask(const struct prober *p, const struct request *r, int out)
{
	union rights rights = {.bytes = {0}};
	struct iovec part = {(void *)r, sizeof(*r)};
	struct msghdr msg = {.msg_iov = &part, .msg_iovlen = 1};
	if (out >= 0) {
		msg.msg_control = rights.bytes;
		msg.msg_controllen = sizeof(rights.bytes);
		struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &out, sizeof(int));
	}
	(void)!sendmsg(p->helper, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void prober_stop(struct prober *p)
{
	if (p->stage != PROBE_EXPLAINED)
		ask(p, &(struct request){.delay_ns = 0}, -1);
	if (p->fd >= 0)
		close(p->fd);
	strbuf_deinit(&p->text);
	prober_init(p, p->helper);
}

void prober_follow(struct prober *p, const struct view_probe_wish *wish, uint64_t delay_ns)
{
	int ends[2];
	if (p->stage != PROBE_EXPLAINED && (!wish || p->stage != wish->stage))
		prober_stop(p);
	if (!wish || p->stage != PROBE_EXPLAINED || pipe2(ends, O_CLOEXEC) < 0)
		return;
	p->stage = wish->stage;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	ask(p, &(struct request){.wish = *wish, .delay_ns = delay_ns}, ends[1]);
	close(ends[1]);
	p->fd = ends[0];
}

/* Drops all tables but the last.  Each table begins with the same heading, after an empty line. */
static void keep_last_table(struct strbuf *b)
{
	char *first = b->n ? strstr(b->data, "SELF%") : NULL, *last = first;
	for (char *next = first; next && (next = strstr(next, "\n\nSELF%")); next += 2)
		last = next + 2;
	if (last == first)
		return;
	size_t n = strlen(last);
	memmove(first, last, n + 1);
	b->n = (size_t)(first - b->data) + n;
}

bool prober_read(struct prober *p)
{
	char piece[4096];
	ssize_t n = -1;
	bool any = false;
	while (p->fd >= 0 && p->text.n < TEXT_MAX && (n = read(p->fd, piece, sizeof(piece))) > 0) {
		strbuf_add_bytes(&p->text, piece, (size_t)n);
		keep_last_table(&p->text);
		any = true;
	}
	if (p->fd < 0 || (n != 0 && p->text.n < TEXT_MAX))
		return any;
	close(p->fd);
	p->fd = -1;
	if (!p->text.n)
		strbuf_add(&p->text, "cyctop probe could not be run.\n");
	p->refused = p->text.n && strstr(p->text.data, "more than --max-overhead");
	return true;
}
