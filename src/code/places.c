/* Has a process of its own read the debug information of a function, which may be made to do harm: libdw 0.188 reads
 * beyond the end of strings then.  What that process hands over, in shared memory, is checked. */
#include "code/places.h"

#include "base/alloc.h"
#include "base/intern.h"
#include "os/privileges.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void code_places_deinit(struct code_places *places)
{
	free(places->v);
	if (places->private)
		intern_destroy(places->private);
	*places = (struct code_places){.v = NULL};
}

#if HAVE_DW

enum { CPU_SECONDS = 10, STRINGS_BYTES = 4 << 20 };

struct handed_place {
	uint32_t file, line, inlined; /* offsets of strings; 0: none */
};
struct handed {
	bool done;     /* the process has finished its work */
	char why[160]; /* why there are no places; "": there are */
	size_t n, strings_n;
	char strings[STRINGS_BYTES]; /* the first is "", which no place refers to */
	struct handed_place v[];
};

/* Returns the offset of a string among those that are handed over; 0: there is no room. */
static uint32_t hand_string(struct handed *h, const char *s)
{
	size_t at = 1, n = s ? strlen(s) + 1 : 0;
	while (n && at < h->strings_n && strcmp(h->strings + at, s) != 0)
		at += strlen(h->strings + at) + 1;
	if (!n || at + n > sizeof(h->strings))
		return 0;
	memcpy(h->strings + at, s, n);
	h->strings_n = at + n > h->strings_n ? at + n : h->strings_n;
	return (uint32_t)at;
}

static void hand_over(const struct code_places *places, struct handed *h)
{
	const struct code_place *last = NULL;
	h->strings_n = 1;
	for (size_t i = 0; i < places->n; i++) {
		const struct code_place *p = &places->v[i];
		bool file = last && p->file == last->file, inlined = last && p->inlined == last->inlined;
		h->v[i] = (struct handed_place){
			.file = file ? h->v[i - 1].file : hand_string(h, p->file),
			.line = p->line,
			.inlined = inlined ? h->v[i - 1].inlined : hand_string(h, p->inlined),
		};
		last = p;
	}
	h->n = places->n;
}

/* The process: reads the lines and hands them over. */
static void __attribute__((noreturn))
work(const struct dw_library *lib, int fd, const struct instructions *in, struct handed *h)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU};
	const struct rlimit cpu = {CPU_SECONDS, CPU_SECONDS}, none = {0, 0};
	struct code_places places = {.v = mem_calloc(in->n, sizeof(*places.v)), .n = in->n, .private = intern_create()};
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	privileges_drop(PRIVILEGES_NONE);
	for (size_t i = 0; i < ARRAY_LEN(crashes); i++)
		signal(crashes[i], SIG_DFL); /* the terminal is not this process's */
	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &none);
	const char *why = dw_read(lib, fd, in, &places);
	if (why)
		snprintf(h->why, sizeof(h->why), "%s", why);
	else
		hand_over(&places, h);
	h->done = true;
	_exit(0);
}

/* Waits for the process.  Returns why it has nothing to hand over; NULL: it has. */
static const char *await(pid_t pid, const struct handed *h)
{
	int status = 0;
	pid_t ended;
	do
		ended = waitpid(pid, &status, 0);
	while (ended < 0 && errno == EINTR); /* ECHILD: whoever started cyctop has SIGCHLD ignored */
	bool late = ended == pid && WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
	return h->done ? NULL
	       : late  ? "reading its debug information took more than 10 s of CPU time"
		       : "its debug information is damaged";
}

static const char *string_of(const struct handed *h, uint32_t at, struct intern *to)
{
	return at && at < h->strings_n ? intern_string(to, h->strings + at) : NULL;
}

/* Takes what was handed over.  Returns why there are no places; NULL: there are. */
static const char *take(struct handed *h, size_t n, struct code_places *ret)
{
	h->why[sizeof(h->why) - 1] = '\0';
	*ret = (struct code_places){.private = intern_create()};
	if (h->why[0])
		return intern_string(ret->private, h->why);
	if (h->n != n || !h->strings_n || h->strings_n > sizeof(h->strings))
		return "its debug information is damaged";
	h->strings[h->strings_n - 1] = '\0';
	ret->v = mem_calloc(n, sizeof(*ret->v));
	ret->n = n;
	for (size_t i = 0; i < n; i++)
		ret->v[i] = (struct code_place){
			.file = string_of(h, h->v[i].file, ret->private),
			.line = h->v[i].line,
			.inlined = string_of(h, h->v[i].inlined, ret->private),
		};
	return NULL;
}

/* Has a process read the lines of a file.  Returns why there are none; NULL: there are. */
static const char *read_file(const struct dw_library *lib, int fd, const struct instructions *in,
			     struct code_places *ret)
{
	size_t bytes = sizeof(struct handed) + in->n * sizeof(struct handed_place);
	struct handed *h = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (h == MAP_FAILED)
		return "there is no memory to read its debug information";
	pid_t pid = fork();
	if (pid == 0)
		work(lib, fd, in, h);
	const char *why = pid < 0 ? "no process can be started to read its debug information" : await(pid, h);
	if (!why)
		why = take(h, in->n, ret);
	munmap(h, bytes);
	return why;
}

static const char *read_places(const struct function_code *code, const struct instructions *in, struct code_places *ret)
{
	struct dw_library lib;
	int fd = code->debug_fd >= 0 ? code->debug_fd : code->fd;
	if (!in->n)
		return "there is no code";
	if (fd < 0)
		return "its code is in no file that has lines of the source";
	if (!dw_library_open(&lib))
		return "there are no lines of the source, because libdw is not installed here";
	const char *why = read_file(&lib, fd, in, ret);
	dw_library_close(&lib);
	return why;
}

#else

static const char *read_places(const struct function_code *code, const struct instructions *in, struct code_places *ret)
{
	(void)code, (void)in, (void)ret;
	return "there are no lines of the source, because this cyctop is built without libdw";
}

#endif

void code_places_read(const struct function_code *code, const struct instructions *in, struct code_places *ret)
{
	*ret = (struct code_places){.v = NULL};
	const char *why = read_places(code, in, ret);
	ret->why = why;
}
