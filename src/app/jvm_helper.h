/* A process that asks JVMs, so that no thread of cyctop keeps the privilege of becoming another user, and none waits
 * for a file system or a process that never answers.  It is forked before privileges are dropped, opens nothing until
 * it is asked, and ends with cyctop. */
#ifndef APP_JVM_HELPER_H
#define APP_JVM_HELPER_H

#include "app/attach.h"

enum {
	JVM_OPEN_SECONDS = 10,	 /* for the socket of a JVM to appear, */
	JVM_ANSWER_SECONDS = 20, /* and for its whole answer */
	JVM_HARD_SECONDS = 35,	 /* after which there is no answer any more */
};

/* Returns a socket: each attach_question that is sent gets one attach_answer, or none, as its process may be killed;
 * -1: there is no helper. */
int jvm_helper_start(void);

#endif
