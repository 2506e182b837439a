/* /proc/modules: "fuse 176128 3 - Live 0xffffffffc0400000" */
#include "resolve/kernel/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIST_MAX = 1024 * 1024 };

/* The whole file, or as much of it as makes sense; NULL: there is none. */
static char *read_list(const char *path, size_t *n_ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	size_t cap = 16 * 1024, n = 0;
	char *buf = mem_calloc(cap, 1);
	for (;;) {
		if (n == cap && cap < LIST_MAX)
			buf = mem_realloc(buf, cap *= 2, 1);
		ssize_t got = n < cap ? read(fd, buf + n, cap - n) : 0;
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	close(fd);
	*n_ret = n;
	return buf;
}

/* The n-th word of a line; its length. */
static size_t word_at(const char *line, size_t line_n, unsigned nth, const char **ret)
{
	size_t at = 0;
	for (unsigned i = 0;; i++) {
		while (at < line_n && line[at] == ' ')
			at++;
		size_t from = at;
		while (at < line_n && line[at] != ' ')
			at++;
		if (i == nth || at == line_n) {
			*ret = line + from;
			return i == nth ? at - from : 0;
		}
	}
}

uint64_t modules_fingerprint(const char *path)
{
	static const unsigned words[] = {0, 1, 5}; /* name, size, address */
	size_t n = 0;
	char *list = read_list(path, &n);
	uint64_t print = 0;
	for (size_t at = 0; list && at < n;) {
		const char *nl = memchr(list + at, '\n', n - at);
		size_t line_n = nl ? (size_t)(nl - list) - at : n - at;
		for (size_t i = 0; i < ARRAY_LEN(words); i++) {
			const char *word;
			size_t word_n = word_at(list + at, line_n, words[i], &word);
			print = hash_u64(print ^ hash_bytes(word, word_n));
		}
		at += line_n + 1;
	}
	free(list);
	return print;
}
