/* Asks questions on a thread, because answers may take long, and the screen must not wait. */
#ifndef OS_ASKER_H
#define OS_ASKER_H

#include <cyctop/base.h>

/* Answers a question, on the thread.  Returns malloc'ed text, or NULL if there is no answer. */
typedef char *asker_fn(uint64_t question);

struct asker;
struct asker *asker_create(asker_fn *fn);
/* Frees the asker without waiting: the thread may hang in a question when the program ends. */
void asker_destroy(struct asker *a);
/* Adds a question; the thread asks them in this order.  Returns false if there is no thread, so that no answer will
 * come. */
bool asker_ask(struct asker *a, uint64_t question);
/* Waits until all questions are answered, at most *wait_ms, and subtracts the time that this took from *wait_ms. */
void asker_wait(struct asker *a, int64_t *wait_ms);
/* Takes the next question that was answered, with its answer, which the caller frees; NULL: it has none.  Returns
 * false if no further question was answered. */
bool asker_take(struct asker *a, uint64_t *question_ret, char **answer_ret);

#endif
