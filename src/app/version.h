/* Prints the text of -V. */
#ifndef APP_VERSION_H
#define APP_VERSION_H

#include <stdio.h>

/* Prints the version, whether the executable is static, and which features it was built with. */
void version_print(FILE *out);

#endif
