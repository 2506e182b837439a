/* What the analyzer cannot see from one file alone: error_set() never returns
 * zero or more, so that after it an out-parameter is not looked at. */
#ifndef TESTS_LINT_ANALYZER_H
#define TESTS_LINT_ANALYZER_H

#include <cyctop/base.h>

#define error_set(...) (error_set(__VA_ARGS__), -1)

#endif
