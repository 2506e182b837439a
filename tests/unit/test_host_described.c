/* What the recorder says of all processes of this machine, and of its kernel. */
#include "../lib/described.h"

#include "recorder/describe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void all_processes_are_described(void **state)
{
	(void)state;
	assert_describes_this_process(&(struct target){.kind = TARGET_ALL});
}

static void the_vdso_has_a_build_id(void **state)
{
	(void)state;
	struct pd_build_id id;
	if (!build_id_of_vdso(&id))
		skip();
	assert_true(id.size >= 8);
	assert_string_equal(id.path, "[vdso]");
	free(id.path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_processes_are_described),
		cmocka_unit_test(the_vdso_has_a_build_id),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
