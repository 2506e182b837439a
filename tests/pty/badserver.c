/* An HTTP server that is slow, silent or wrong, depending on the first component of the path:
 *   badserver RIGHT WRONG
 *   badserver                prints a free port for another server
 * /slow: sends the file RIGHT in ten pieces over three seconds; /wrong: sends the file WRONG;
 * /silent: never sends anything.  Prints its port on 127.0.0.1; forks for each connection. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LIFE_SECONDS = 1700, PIECES = 10, PIECE_US = 300000, FILE_MAX = 1 << 20 };

static void send_file(int fd, const char *path, bool slowly)
{
	static char body[FILE_MAX];
	char head[128];
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(body, 1, sizeof(body), f) : 0;
	int m = snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", n);
	if (send(fd, head, (size_t)m, MSG_NOSIGNAL) != m)
		return;
	size_t piece = slowly ? n / PIECES + 1 : n + 1;
	for (size_t at = 0; at < n; at += piece) {
		size_t now = n - at < piece ? n - at : piece;
		if (slowly)
			usleep(PIECE_US);
		if (send(fd, body + at, now, MSG_NOSIGNAL) < 0)
			return;
	}
}

static void serve(int fd, char **argv)
{
	char request[4096] = "";
	for (size_t n = 0; !strstr(request, "\r\n\r\n") && n < sizeof(request) - 1;) {
		ssize_t got = recv(fd, request + n, sizeof(request) - 1 - n, 0);
		if (got <= 0)
			return;
		n += (size_t)got;
	}
	if (strncmp(request, "GET /slow/", 10) == 0)
		send_file(fd, argv[1], true);
	else if (strncmp(request, "GET /wrong/", 11) == 0)
		send_file(fd, argv[2], false);
	else
		pause();
}

int main(int argc, char **argv)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if ((argc != 3 && argc != 1) || fd < 0 || bind(fd, (struct sockaddr *)&addr, len) != 0 || listen(fd, 8) != 0 ||
	    getsockname(fd, (struct sockaddr *)&addr, &len) != 0)
		return 1;
	printf("%d\n", ntohs(addr.sin_port));
	fflush(stdout);
	if (argc == 1)
		return 0;
	signal(SIGCHLD, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	alarm(LIFE_SECONDS);
	for (int client; (client = accept(fd, NULL, NULL)) >= 0; close(client)) {
		if (fork() != 0)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		alarm(LIFE_SECONDS);
		serve(client, argv);
		return 0;
	}
	return 0;
}
