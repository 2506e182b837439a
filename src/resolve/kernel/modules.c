/* Reads /proc/modules, whose lines are like "fuse 176128 3 - Live 0xffffffffc0400000". */
#include "base/index.h"
#include "base/limits.h"
#include "os/file.h"
#include "resolve/kernel/modules.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads the whole file into *ret, malloc'ed.  Returns the number of bytes; 0, with *ret NULL: it is unreadable. */
static size_t read_list(const char *path, struct limit_set *limits, char **ret)
{
	*ret = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : os_load(fd, LIMIT_MODULES_BYTES, ret);
	if (fd >= 0)
		close(fd);
	if (n >= LIMIT_MODULES_BYTES)
		limit_reached(limits, REACHED_MODULES_BYTES);
	return n < 0 ? 0 : (size_t)n;
}

/* Finds word `nth`, from 0 on, of a line, and sets *ret to it.  Returns its length; 0: there is none. */
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

uint64_t modules_fingerprint(const char *path, struct limit_set *limits)
{
	static const unsigned words[] = {0, 1, 5}; /* name, size, address */
	char *list;
	size_t n = read_list(path, limits, &list);
	uint64_t print = 0;
	for (size_t at = 0; list && at < n;) {
		const char *nl = memchr(list + at, '\n', n - at);
		size_t line_n = nl ? (size_t)(nl - list) - at : n - at;
		for (size_t i = 0; i < ARRAY_LEN(words); i++) {
			const char *word;
			size_t word_n = word_at(list + at, line_n, words[i], &word);
			print = hash_u64(print ^ hash_bytes(word, word_n, 0));
		}
		at += line_n + 1;
	}
	free(list);
	return print;
}
