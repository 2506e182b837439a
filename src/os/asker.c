#include "os/asker.h"

#include "base/alloc.h"
#include "os/clock.h"

#include <pthread.h>
#include <stdlib.h>

struct answer {
	uint64_t question;
	char *text;
};

/* Questions and answers, shared by the asking thread and the asker's owner; freed by the one that releases them
 * last. */
struct asking {
	pthread_mutex_t lock;
	pthread_cond_t wake, answered;
	asker_fn *fn;
	VEC(uint64_t) questions;
	size_t asked; /* questions[0..asked) were taken by the thread */
	VEC(struct answer) answers;
	size_t taken; /* answers[0..taken) were taken by asker_take() */
	bool busy, stop;
	int refs;
};
struct asker {
	struct asking *asking;
	bool has_thread;
};

struct asker *asker_create(asker_fn *fn)
{
	struct asker *a = mem_calloc(1, sizeof(*a));
	a->asking = mem_calloc(1, sizeof(*a->asking));
	a->asking->fn = fn;
	a->asking->refs = 1;
	pthread_mutex_init(&a->asking->lock, NULL);
	pthread_cond_init(&a->asking->wake, NULL);
	pthread_cond_init(&a->asking->answered, NULL);
	return a;
}

/* Drops one of the two references to *a, whose lock the caller holds.  Unlocks it, and frees *a after the last
 * reference. */
static void release(struct asking *a)
{
	bool last = --a->refs == 0;
	pthread_mutex_unlock(&a->lock);
	if (!last)
		return;
	for (size_t i = a->taken; i < a->answers.n; i++)
		free(a->answers.data[i].text);
	vec_free(&a->questions);
	vec_free(&a->answers);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->wake);
	pthread_cond_destroy(&a->answered);
	free(a);
}

static void *answer(void *ctx)
{
	struct asking *a = ctx;
	pthread_mutex_lock(&a->lock);
	while (!a->stop) {
		if (a->asked == a->questions.n) {
			a->asked = a->questions.n = 0;
			pthread_cond_wait(&a->wake, &a->lock);
			continue;
		}
		struct answer now = {.question = a->questions.data[a->asked++]};
		a->busy = true;
		pthread_mutex_unlock(&a->lock);
		now.text = a->fn(now.question);
		pthread_mutex_lock(&a->lock);
		a->busy = false;
		vec_push(&a->answers) = now;
		pthread_cond_signal(&a->answered);
	}
	release(a);
	return NULL;
}

static bool start(struct asker *a)
{
	pthread_t thread;
	if (a->has_thread)
		return true;
	a->asking->refs++;
	a->has_thread = pthread_create(&thread, NULL, answer, a->asking) == 0;
	if (a->has_thread)
		pthread_detach(thread);
	else
		a->asking->refs--;
	return a->has_thread;
}

bool asker_ask(struct asker *a, uint64_t question)
{
	pthread_mutex_lock(&a->asking->lock);
	bool asks = start(a);
	if (asks)
		vec_push(&a->asking->questions) = question;
	pthread_cond_signal(&a->asking->wake);
	pthread_mutex_unlock(&a->asking->lock);
	return asks;
}

void asker_wait(struct asker *asker, int64_t *wait_ms)
{
	struct asking *a = asker->asking;
	if (*wait_ms <= 0)
		return;
	uint64_t start_ms = clock_ms(CLOCK_MONOTONIC);
	struct timespec end = clock_deadline(CLOCK_REALTIME, (unsigned)((*wait_ms + 999) / 1000));
	pthread_mutex_lock(&a->lock);
	while ((a->asked < a->questions.n || a->busy) && pthread_cond_timedwait(&a->answered, &a->lock, &end) == 0)
		continue;
	pthread_mutex_unlock(&a->lock);
	*wait_ms -= (int64_t)(clock_ms(CLOCK_MONOTONIC) - start_ms);
}

bool asker_take(struct asker *asker, uint64_t *question_ret, char **answer_ret)
{
	struct asking *a = asker->asking;
	pthread_mutex_lock(&a->lock);
	bool any = a->taken < a->answers.n;
	if (any) {
		*question_ret = a->answers.data[a->taken].question;
		*answer_ret = a->answers.data[a->taken++].text;
	}
	if (a->taken == a->answers.n)
		a->taken = a->answers.n = 0;
	pthread_mutex_unlock(&a->lock);
	return any;
}

void asker_destroy(struct asker *a)
{
	pthread_mutex_lock(&a->asking->lock);
	a->asking->stop = true;
	pthread_cond_signal(&a->asking->wake);
	release(a->asking);
	free(a);
}
