/* Finds out from the file of a program why none of its calls was counted. */
#include <cyctop/counted.h>

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_CAP = 4096, SEGMENTS_MAX = 64, INTERPRETER_CAP = 256 };

/* Opens the executable of a command, which it finds like execvp(); returns -1 if there is none. */
static int open_program(const char *name)
{
	const char *dirs = getenv("PATH");
	char path[PATH_CAP];
	if (strchr(name, '/'))
		return open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	for (dirs = dirs ? dirs : ""; *dirs; dirs += strspn(dirs, ":")) {
		size_t n = strcspn(dirs, ":");
		snprintf(path, sizeof(path), "%.*s/%s", (int)n, dirs, name);
		dirs += n;
		if (access(path, X_OK) == 0)
			return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	return -1;
}

static bool read_at(int fd, uint64_t at, void *ret, size_t n)
{
	return at < INT64_MAX && pread(fd, ret, n, (off_t)at) == (ssize_t)n;
}

/* Reads the path of a program's dynamic loader; "" if it has none.  Returns false on failure. */
static bool find_loader(int fd, const Elf64_Ehdr *h, char ret[static INTERPRETER_CAP])
{
	Elf64_Phdr p = {.p_type = PT_NULL};
	memset(ret, 0, INTERPRETER_CAP);
	for (size_t i = 0; i < h->e_phnum && i < SEGMENTS_MAX && p.p_type != PT_INTERP; i++)
		if (!read_at(fd, h->e_phoff + i * sizeof(p), &p, sizeof(p)))
			return false;
	size_t n = p.p_filesz < INTERPRETER_CAP ? p.p_filesz : INTERPRETER_CAP - 1;
	return p.p_type != PT_INTERP || read_at(fd, p.p_offset, ret, n);
}

/* Returns why the calls of this executable cannot be counted; NULL if no reason is known.  `loaded`: the library was
 * loaded. */
static const char *look_at(int fd, bool loaded)
{
	Elf64_Ehdr own, h;
	struct stat st;
	char loader[INTERPRETER_CAP];
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	bool known = self >= 0 && read_at(self, 0, &own, sizeof(own)) && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		     read_at(fd, 0, &h, sizeof(h)) && memcmp(h.e_ident, ELFMAG, SELFMAG) == 0;
	if (self >= 0)
		close(self);
	if (!known)
		return NULL;
	if (memcmp(h.e_ident, own.e_ident, EI_VERSION) != 0 || h.e_machine != own.e_machine)
		return "is built for another architecture than the library that counts calls: build it, or cyctop, for "
		       "the same";
	if (h.e_phentsize != sizeof(Elf64_Phdr) || !find_loader(fd, &h, loader))
		return NULL;
	if (strstr(loader, "musl"))
		return "uses musl, which lacks what -finstrument-functions needs: build it, with that option, for the "
		       "C library of this cyctop";
	if (loaded)
		return NULL;
	if (!*loader)
		return "is static, so the library that counts calls cannot be loaded into it: link it dynamically";
	if ((st.st_mode & S_ISUID && st.st_uid != getuid()) || (st.st_mode & S_ISGID && st.st_gid != getgid()))
		return "is setuid or setgid, and so loads no library that its user chooses: count the calls of a copy "
		       "without that bit";
	return NULL;
}

const char *calls_why_uncounted(const char *program, bool loaded)
{
	int fd = open_program(program);
	const char *why = fd >= 0 ? look_at(fd, loaded) : NULL;
	if (fd >= 0)
		close(fd);
	if (why)
		return why;
	return loaded ? "made no call of a function built with -finstrument-functions: build it, and its libraries, "
			"with that option of gcc and clang"
		      : "did not load the library that counts calls: programs that are static, setuid, or of another "
			"architecture or C library do not";
}
