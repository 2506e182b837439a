/* Answers questions on a thread, because an answer may take long, and the screen must not wait. */
#ifndef OS_ASKER_H
#define OS_ASKER_H

#include <cyctop/base.h>

/* Answers a question; called on the asker's thread.  Returns malloc'ed text, or NULL if there is no answer. */
typedef char *asker_fn(uint64_t question);

struct asker;
struct asker *asker_create(asker_fn *fn);
/* Frees the asker without waiting for the thread, which may hang in a question. */
void asker_destroy(struct asker *a);
/* Adds a question; the thread answers questions in order.  Returns false if the thread cannot be created: no answer
 * will come. */
bool asker_ask(struct asker *a, uint64_t question);
/* Waits until all questions are answered, but at most *wait_ms; subtracts the time waited from *wait_ms. */
void asker_wait(struct asker *a, int64_t *wait_ms);
/* Takes the next answer and its question.  *answer_ret is freed by the caller; it is NULL if the question has no
 * answer.  Returns false if no further question was answered. */
bool asker_take(struct asker *a, uint64_t *question_ret, char **answer_ret);

#endif
