/* The command cyctop probe FUNCTION...: counts each call of some functions of programs that run, or of the kernel. */
#ifndef APP_PROBE_H
#define APP_PROBE_H

#include <cyctop/options.h>

/* Runs the command `probe`; argv[0] is "probe".  Returns the exit status. */
int probe_main(int argc, char **argv);

#endif
