/* A thread that asks questions whose answers may take long, so that the screen never waits. */
#ifndef OS_ASKER_H
#define OS_ASKER_H

#include <cyctop/base.h>

/* Runs on the thread.  Returns a malloc'ed answer, or NULL: there is none. */
typedef char *asker_fn(uint64_t question);

struct asker;
struct asker *asker_create(asker_fn *fn);
/* Waits for nothing: the thread may hang in a question when the program ends. */
void asker_destroy(struct asker *a);
/* The thread asks in this order.  false: there is no thread, and no answer will come. */
bool asker_ask(struct asker *a, uint64_t question);
/* Waits until all questions are answered, at most *wait_ms, from which the time is taken. */
void asker_wait(struct asker *a, int64_t *wait_ms);
/* The next answer, which the caller frees; NULL: there was none to that question.  false: no
 * question was answered since. */
bool asker_take(struct asker *a, uint64_t *question_ret, char **answer_ret);

#endif
