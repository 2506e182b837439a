/* Reads the source places of a function's instructions, in a child process. */
#include "code/places.h"

#include "base/alloc.h"
#include "base/intern.h"
#include "os/child.h"

#include <stdlib.h>
#include <string.h>

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
	uint32_t file, line, inlined; /* offsets in `strings`; 0: none */
};
struct handed {
	struct child_result result;
	size_t n, strings_n;
	char strings[STRINGS_BYTES]; /* offset 0 has "", which stands for none */
	struct handed_place v[];
};

/* Returns the offset of a string in h->strings, to which a new string is added; 0: `s` is NULL, or there is no room. */
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

struct task {
	const struct dw_library *lib;
	int fd;
	const struct instructions *in;
	struct handed *h;
};

/* Reads the places, and copies them to shared memory; runs in the child process. */
static const char *work(void *ctx)
{
	const struct task *t = ctx;
	size_t n = t->in->n;
	struct code_places places = {.v = mem_calloc(n, sizeof(*places.v)), .n = n, .private = intern_create()};
	const char *why = dw_read(t->lib, t->fd, t->in, &places);
	if (!why)
		hand_over(&places, t->h);
	return why;
}

static const char *string_of(const struct handed *h, uint32_t at, struct intern *to)
{
	return at && at < h->strings_n ? intern_string(to, h->strings + at) : NULL;
}

/* Checks and copies the child's answer.  Returns why the answer is not used; NULL: it is in *ret. */
static const char *take(struct handed *h, size_t n, struct code_places *ret)
{
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

/* Reads the places from a file, in a child process.  Returns why there are none; NULL: they are in *ret. */
static const char *read_file(const struct dw_library *lib, int fd, const struct instructions *in,
			     struct code_places *ret)
{
	size_t bytes = sizeof(struct handed) + in->n * sizeof(struct handed_place);
	struct handed *h = child_memory(bytes);
	*ret = (struct code_places){.private = intern_create()};
	if (!h)
		return "there is no memory to read its debug information";
	struct task task = {lib, fd, in, h};
	const struct child_job job = {"its debug information", PRIVILEGES_NONE, CPU_SECONDS, work, &task};
	const char *why = child_run(&h->result, &job);
	why = why ? intern_string(ret->private, why) : take(h, in->n, ret);
	child_free(h, bytes);
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
