#include "base/alloc.h"

#include <cyctop/code.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

struct shared_code *shared_code_ref(struct shared_code *c)
{
	__atomic_add_fetch(&c->users, 1, __ATOMIC_RELAXED);
	return c;
}

void shared_code_unref(struct shared_code *c)
{
	if (!c || __atomic_sub_fetch(&c->users, 1, __ATOMIC_ACQ_REL))
		return;
	function_code_deinit(&c->code);
	free(c);
}

void listing_job_release(struct listing_job *j)
{
	if (__atomic_sub_fetch(&j->users, 1, __ATOMIC_ACQ_REL))
		return;
	for (size_t i = 0; i < LISTINGS; i++) {
		code_listing_deinit(&j->listings[i]);
		code_places_deinit(&j->places[i]);
	}
	if (j->texts)
		source_texts_destroy(j->texts);
	code_pairs_deinit(&j->pairs);
	for (enum code_side side = 0; side < CODE_BUILDS; side++) {
		instructions_deinit(&j->in[side]);
		shared_code_unref(j->code[side]);
	}
	for (size_t i = 0; i < ARRAY_LEN(j->made); i++)
		if (j->made[i] >= 0)
			close(j->made[i]);
	free(j);
}

static bool is_wanted(const struct listing_job *j)
{
	return __atomic_load_n(&j->users, __ATOMIC_ACQUIRE) > 1;
}

static void disassemble(struct listing_job *j, enum code_side side)
{
	const struct function_code *code = &j->code[side]->code;
	instructions_read(code, code->names, &j->in[side]);
}

/* The thread: makes one listing after the other, and stops when its caller has released the job. */
static void *make(void *ctx)
{
	struct listing_job *j = ctx;
	const struct instructions *in = &j->in[CODE_AFTER];
	disassemble(j, CODE_AFTER);
	if (j->code[CODE_BEFORE]) {
		disassemble(j, CODE_BEFORE);
		code_pairs_create(j->builds, &j->pairs);
	}
	for (size_t i = 0; i < LISTINGS && is_wanted(j); i++) {
		if (i > 0) {
			code_places_read(&j->code[CODE_AFTER]->code, in, &j->places[i]);
			j->texts = source_texts_create();
		}
		code_listing_create(in, &j->places[i], j->texts, NULL, 0, 0, &j->listings[i]);
		if (j->code[CODE_BEFORE])
			code_listing_add_gone(&j->listings[i], &j->pairs, &j->in[CODE_BEFORE]);
		(void)!write(j->made[1], "", 1);
	}
	listing_job_release(j);
	return NULL;
}

int listing_job_start(struct shared_code *code, struct shared_code *before, struct listing_job **ret)
{
	struct listing_job *j = mem_calloc(1, sizeof(*j));
	pthread_t thread;
	*j = (struct listing_job){
		.code = {before ? shared_code_ref(before) : NULL, shared_code_ref(code)}, .made = {-1, -1}, .users = 2};
	for (enum code_side side = 0; side < CODE_BUILDS; side++)
		if (j->code[side])
			j->builds[side] = (struct code_build){&j->code[side]->code, &j->in[side]};
	int rc = pipe2(j->made, O_CLOEXEC | O_NONBLOCK) < 0 ? errno : 0;
	if (!rc)
		rc = pthread_create(&thread, NULL, make, j);
	if (rc) {
		j->users = 1;
		listing_job_release(j);
		return -rc;
	}
	pthread_detach(thread);
	*ret = j;
	return 0;
}

bool listing_job_take(struct listing_job *j)
{
	size_t had = j->n;
	char byte;
	while (j->n < LISTINGS && read(j->made[0], &byte, 1) == 1)
		j->n++;
	return j->n > had;
}
