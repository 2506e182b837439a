/* Finds the functions to probe, and makes their events. */

#include "base/alloc.h"
#include "os/command.h"
#include "os/maps.h"

#include <cyctop/probe.h>
#include <cyctop/resolve.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_CAP = 4096 };

static const char kernel_word[] = "kernel:";

/* Makes the events of a function's entry and return.  `place`: "kprobe:NAME" or "uprobe:PATH:OFFSET"; `word`: the
 * function as the user named it. */
static int make_specs(const char *place, const char *word, const struct event_world *world, struct probe_function *ret,
		      struct error *err)
{
	char text[128];
	int rc = event_parse(place, world, &ret->begin, err);
	snprintf(text, sizeof(text), "%.100s%%return", place);
	if (rc == 0)
		rc = event_parse(text, world, &ret->end, err);
	snprintf(ret->begin.name, sizeof(ret->begin.name), "%s", word); /* name in messages */
	if (rc == 0)
		snprintf(ret->end.name, sizeof(ret->end.name), "%.80s%%return", word);
	return rc;
}

static int find_in_kernel(const char *name, const struct event_world *world, struct probe_function *ret,
			  struct error *err)
{
	char place[96];
	if (!*name || strlen(name) >= sizeof(place) - sizeof("kprobe:"))
		return error_set(err, EINVAL, "'%.60s' is no function of the kernel", name);
	snprintf(place, sizeof(place), "kprobe:%s", name);
	snprintf(ret->dso, sizeof(ret->dso), "[kernel]");
	ret->name = name;
	ret->kernel = true;
	return make_specs(place, name, world, ret, err);
}

/* ---- probing a function of a file ------------------------------------------------------------------------ */

/* Returns true if exceptions may pass through code of the file, judged by words in C++ and Rust files.  Unwinding an
 * exception follows the return addresses on the stack.  A probe on a return replaces that address, so that an exception
 * would end the program. */
static bool has_exceptions(int fd)
{
	static const char *const words[] = {"__gxx_personality_v0", "rust_eh_personality", "/rustc/"};
	enum { PIECE = 1 << 20, OVERLAP = 32 };
	char *bytes = mem_calloc(1, PIECE);
	bool found = false;
	ssize_t n = OVERLAP + 1;
	for (off_t at = 0; !found && n > OVERLAP; at += PIECE - OVERLAP) {
		n = pread(fd, bytes, PIECE, at);
		for (size_t w = 0; n > 0 && w < ARRAY_LEN(words); w++)
			found |= memmem(bytes, (size_t)n, words[w], strlen(words[w])) != NULL;
	}
	free(bytes);
	return found;
}

/* Returns why returns of the file's functions are not probed; NULL if they are.  `returns`: even despite exceptions. */
static const char *why_no_end(const char *path, int fd, bool returns)
{
	uint64_t go;
	if (function_offset(path, "runtime.gopanic", &go, NULL) == 0)
		return "of a Go program: Go moves stacks, so returns cannot be probed";
	if (!returns && has_exceptions(fd))
		return "of C++ or Rust, where an exception that passes a probed return ends the program; --returns "
		       "probes them all the same";
	return NULL;
}

/* Makes a probe at an offset in a file.  The file stays open, so that no other file can get its name. */
static int use_file(const char *path, const char *name, uint64_t offset, const struct probe_where *where,
		    struct probe_function *ret, struct error *err)
{
	char place[96];
	ret->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (ret->fd < 0)
		return error_set(err, errno, "%s: %s", path, strerror(errno));
	if (pread(ret->fd, ret->first, sizeof(ret->first), (off_t)offset) < 1)
		return error_set(err, EINVAL, "%s has no code at 0x%llx", path, (unsigned long long)offset);
	const char *slash = strrchr(path, '/');
	snprintf(ret->dso, sizeof(ret->dso), "%s", slash ? slash + 1 : path);
	snprintf(place, sizeof(place), "uprobe:/proc/self/fd/%d:0x%llx", ret->fd, (unsigned long long)offset);
	ret->name = name;
	int rc = make_specs(place, name, where->world, ret, err);
	ret->why_no_end = why_no_end(path, ret->fd, where->returns);
	if (ret->why_no_end)
		ret->end.name[0] = '\0';
	return rc;
}

static int find_in_file(const char *path, const char *name, const struct probe_where *where, struct probe_function *ret,
			struct error *err)
{
	uint64_t offset;
	if (!*name)
		return error_set(err, EINVAL, "%s: of which function? Name it behind the colon", path);
	int rc = function_offset(path, name, &offset, err);
	return rc < 0 ? rc : use_file(path, name, offset, where, ret, err);
}

/* ---- finding a name without a file in a process ---------------------------------------------------------- */

struct search {
	const char *name;
	uint32_t pid;
	uint64_t last; /* inode of the file that was searched last, as a file often has several mappings */
	size_t files;
	char path[PATH_CAP];
	uint64_t offset;
	struct error why; /* error for the program, which is the first file, or for a file that has a similar name */
};

static int look_at(void *ctx, const struct proc_map *map)
{
	struct search *s = ctx;
	struct stat st;
	struct error err = {0};
	if (map->path[0] != '/' || map->ino == s->last)
		return 0;
	s->last = map->ino;
	snprintf(s->path, sizeof(s->path), "%s", map->path);
	if (stat(s->path, &st) < 0 || st.st_ino != map->ino)
		snprintf(s->path, sizeof(s->path), "/proc/%u/root%s", s->pid, map->path);
	if (function_offset(s->path, s->name, &s->offset, &err) == 0)
		return 1;
	if (!s->files++ || strstr(err.text, "is one"))
		s->why = err;
	return 0;
}

static int find_in_process(const char *name, const struct probe_where *where, struct probe_function *ret,
			   struct error *err)
{
	const uint32_t pid = where->pid;
	struct search s = {.name = name, .pid = pid};
	int rc = maps_read((int32_t)pid, look_at, &s, NULL);
	if (rc == 1)
		return use_file(s.path, name, s.offset, where, ret, err);
	if (rc < 0 && rc != -ESRCH)
		return error_set(err, -rc, "process %u: %s", pid, strerror(-rc));
	if (!s.files)
		return error_set(err, ENOENT, "process %u has no program: it has ended, or is a thread of the kernel",
				 pid);
	return error_set(err, ENOENT, "%.400s; no library of process %u has it, either", s.why.text, pid);
}

int probe_find(const char *word, const struct probe_where *where, struct probe_function *ret, struct error *err)
{
	char path[PATH_CAP];
	const char *colon = strchr(word, '/') ? strchr(strrchr(word, '/'), ':') : NULL;
	*ret = (struct probe_function){.fd = -1};
	if (strncmp(word, kernel_word, sizeof(kernel_word) - 1) == 0)
		return find_in_kernel(word + sizeof(kernel_word) - 1, where->world, ret, err);
	if (strncmp(word, "kprobe:", 7) == 0)
		return find_in_kernel(word + 7, where->world, ret, err);
	if (strncmp(word, "uprobe:", 7) == 0)
		word += 7;
	bool alone = !colon && !strchr(word, ':');
	if (alone && where->program) {
		command_path(where->program, path);
		return find_in_file(path, word, where, ret, err);
	}
	if (!colon && where->pid)
		return find_in_process(word, where, ret, err);
	if (alone)
		return find_in_kernel(word, where->world, ret, err);
	colon = colon ? colon : strchr(word, ':');
	snprintf(path, sizeof(path), "%.*s", (int)(colon - word), word);
	if (where->pid && *word == '/' && access(path, F_OK) < 0) /* the path is one inside a container */
		snprintf(path, sizeof(path), "/proc/%u/root%.*s", where->pid, (int)(colon - word), word);
	return find_in_file(path, colon + 1, where, ret, err);
}
