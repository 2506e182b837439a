#include "app/annotator.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The listing without lines of the source comes first, since debug information takes long. */
enum { LISTINGS = 2 };

/* A function's listings, made by a thread.  The last user, thread or screen, frees them. */
struct listing_job {
	struct function_code code;
	struct instructions in;
	struct code_places places[LISTINGS];
	struct source_texts *texts;
	struct code_listing listings[LISTINGS];
	int made[2]; /* pipe: a byte for each listing that is finished; -1: none */
	size_t n;    /* number of listings that the screen has taken */
	int users;   /* reference count, atomic */
};

static void release(struct listing_job *j)
{
	if (__atomic_sub_fetch(&j->users, 1, __ATOMIC_ACQ_REL))
		return;
	for (size_t i = 0; i < LISTINGS; i++) {
		code_listing_deinit(&j->listings[i]);
		code_places_deinit(&j->places[i]);
	}
	if (j->texts)
		source_texts_destroy(j->texts);
	instructions_deinit(&j->in);
	function_code_deinit(&j->code);
	for (size_t i = 0; i < ARRAY_LEN(j->made); i++)
		if (j->made[i] >= 0)
			close(j->made[i]);
	free(j);
}

static bool is_wanted(const struct listing_job *j)
{
	return __atomic_load_n(&j->users, __ATOMIC_ACQUIRE) > 1;
}

/* The thread's work.  It stops between listings when the screen does not want them any more. */
static void *make(void *ctx)
{
	struct listing_job *j = ctx;
	instructions_read(&j->code, j->code.names, &j->in);
	for (size_t i = 0; i < LISTINGS && is_wanted(j); i++) {
		if (i > 0) {
			code_places_read(&j->code, &j->in, &j->places[i]);
			j->texts = source_texts_create();
		}
		code_listing_create(&j->in, &j->places[i], j->texts, NULL, 0, 0, &j->listings[i]);
		(void)!write(j->made[1], "", 1);
	}
	release(j);
	return NULL;
}

/* Starts the thread, which then owns *code.  Returns the reason why not; NULL: it runs. */
static const char *start(struct annotator *a, const struct function_code *code)
{
	struct listing_job *j = mem_calloc(1, sizeof(*j));
	pthread_t thread;
	*j = (struct listing_job){.code = *code, .made = {-1, -1}, .users = 2};
	int rc = pipe2(j->made, O_CLOEXEC | O_NONBLOCK) < 0 ? errno : 0;
	if (!rc)
		rc = pthread_create(&thread, NULL, make, j);
	if (rc) {
		j->users = 1;
		release(j);
		return strerror(rc);
	}
	pthread_detach(thread);
	a->job = j;
	a->fd = j->made[0];
	return NULL;
}

void annotator_init(struct annotator *a)
{
	*a = (struct annotator){.sym = CATALOG_REF_NONE, .fd = -1};
}

void annotator_deinit(struct annotator *a)
{
	if (a->job)
		release(a->job);
	annotator_init(a);
}

/* Sets the reason why there is no code. */
static bool fail(struct annotator *a, const char *why)
{
	snprintf(a->why, sizeof(a->why), "The instructions of the function cannot be shown: %.140s.", why);
	a->said.why = a->why;
	return true;
}

/* Takes a function's code from the session once it was read, and starts the thread. */
static bool take_code(struct annotator *a, struct session *s)
{
	struct function_code code = {.fd = -1, .debug_fd = -1};
	if (!catalog_sym_valid(session_catalog(s), a->sym))
		return fail(a, "it has not run for a long time");
	if (!resolver_function(session_resolver(s), a->sym.id, &code))
		return false;
	if (code.bytes) {
		const char *why = start(a, &code);
		return why ? fail(a, why) : true;
	}
	fail(a, code.why);
	function_code_deinit(&code);
	return true;
}

void annotator_follow(struct annotator *a, struct session *s, struct catalog_ref sym)
{
	annotator_deinit(a);
	a->sym = sym;
	session_annotate(s, sym.id);
	if (sym.id != CATALOG_NONE)
		take_code(a, s);
}

/* Sets said.why to what a listing lacks. */
static void say_missing(struct annotator *a)
{
	const struct listing_job *j = a->job;
	const char *places = j->places[j->n - 1].why;
	const char *why = j->code.why[0] ? j->code.why : j->in.why ? j->in.why : places;
	snprintf(a->why, sizeof(a->why), "%.180s.", why ? why : "");
	a->said.why = why ? a->why : NULL;
}

bool annotator_step(struct annotator *a, struct session *s)
{
	struct listing_job *j = a->job;
	char byte;
	if (a->sym.id == CATALOG_NONE || (!j && a->said.why))
		return false;
	if (!j)
		return take_code(a, s);
	bool more = false;
	while (j->n < LISTINGS && read(j->made[0], &byte, 1) == 1) {
		j->n++;
		more = true;
	}
	if (j->n == LISTINGS)
		a->fd = -1;
	if (!more)
		return false;
	a->said = (struct view_code){.listing = &j->listings[j->n - 1], .code = &j->code};
	say_missing(a);
	return true;
}
