/* A process that asks other processes for the names of their code, so that no thread of cyctop keeps the privilege of
 * becoming another user, and none waits for a file system or a process that never answers.  It is forked before
 * privileges are dropped, opens nothing until it is asked, and ends with cyctop. */
#ifndef APP_ATTACH_HELPER_H
#define APP_ATTACH_HELPER_H

#include "app/attach.h"

enum {
	ATTACH_OPEN_SECONDS = 10,   /* for a socket to appear, */
	ATTACH_ANSWER_SECONDS = 20, /* and for the whole answer */
	ATTACH_HARD_SECONDS = 35,   /* after which there is no answer any more */
};

/* Returns a socket: each attach_question that is sent gets one attach_answer, or none, as its process may be killed;
 * -1: there is no helper. */
int attach_helper_start(void);

#endif
