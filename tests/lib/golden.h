/* Expected outputs, in files below tests/golden. */
#ifndef TESTS_LIB_GOLDEN_H
#define TESTS_LIB_GOLDEN_H

/* Fails the test if the text differs from the file (below tests/golden).  With CYCTOP_UPDATE_GOLDEN in the environment
 * (./dev golden) the file is written anew first. */
void assert_golden(const char *file, const char *text);

#endif
