/* The JVMs that the user had asked for the names of their code, and when each is asked again. */
#ifndef APP_JVMS_H
#define APP_JVMS_H

#include <cyctop/catalog.h>
#include <cyctop/resolve.h>

struct jvms;
/* `helper`: of jvm_helper_start(), closed by jvms_destroy(); -1: no JVM can be asked.  `again_ns`: the least time
 * between two questions to one JVM. */
struct jvms *jvms_create(int helper, uint64_t again_ns);
void jvms_destroy(struct jvms *j);
bool jvms_possible(const struct jvms *j);
/* Readable when an answer has come; -1: none will. */
int jvms_fd(const struct jvms *j);

/* All of the below write a sentence to the user into `text`, if there is something to say; true: they did. */

/* Asks the process, which the user was told of, and goes on asking it. */
bool jvms_ask(struct jvms *j, struct resolver *r, struct catalog_ref task, char *text, size_t cap);
bool jvms_answered(struct jvms *j, struct resolver *r, char *text, size_t cap);
/* Asks again those whose code has no name: call it with each refresh. */
bool jvms_tend(struct jvms *j, struct resolver *r, char *text, size_t cap);

#endif
