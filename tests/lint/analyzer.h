/* Tells the analyzer what it cannot see in a single file: error_set() always returns a negative
 * number, so the caller does not use its out-parameters afterwards. */
#ifndef TESTS_LINT_ANALYZER_H
#define TESTS_LINT_ANALYZER_H

#include <cyctop/base.h>

#define error_set(...) (error_set(__VA_ARGS__), -1)

#endif
