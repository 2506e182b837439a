/* Demangling: names of all schemes, and hostile names. */
#include <cyctop/resolve.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static void names_of_four_manglings(void **state)
{
	(void)state;
	static const char *const none[] = {"",	   "_",	     "main",	 "_start", "__libc_start_main",
					   "_Z",   "_R",     "_D",	 "_Zzzz",  "_ZN3foo",
					   "_RNv", "Z3foov", "_Dynamic", "_R4nope"};
	for (size_t i = 0; i < ARRAY_LEN(none); i++)
		assert_null(demangle(none[i]));
	if (!demangle_available())
		skip();
	static const struct {
		const char *mangled, *want;
	} cases[] = {
		{"_Z3fooi", "foo(int)"},
		{"_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int> >::push_back(int&&)"},
		{"_ZNK3Bar3getEv", "Bar::get() const"},
		{"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"},
		{"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
		 "<Test + 'static as foo::Bar<Test>>::bar"},
		{"_RNvCs1234_7mycrate3foo", "mycrate::foo"},
		{"_RNvNtCs1234_7mycrate3mod3bar", "mycrate::mod::bar"},
		{"_D8demangle4testFZv", "demangle.test()"},
		{"_Dmain", "D main"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *got = demangle(cases[i].mangled);
		assert_non_null(got);
		assert_string_equal(got, cases[i].want);
		free(got);
	}
}

static void hostile_names_are_survived(void **state)
{
	(void)state;
	char name[8192];
	static const char *const heads[] = {"_Z", "_ZN", "_R", "_RNv", "_D", "_D4", "_ZN1aI", "_RIC0"};
	uint64_t seed = 7;
	for (size_t h = 0; h < ARRAY_LEN(heads); h++) {
		for (int round = 0; round < 200; round++) {
			size_t n = strlen(heads[h]), len = n + (size_t)round;
			memcpy(name, heads[h], n);
			for (size_t i = n; i < len; i++) {
				seed = seed * 6364136223846793005ull + 1442695040888963407ull;
				name[i] = "0123456789EISNKPRFvilLTXZ_$.ab"[(seed >> 40) % 30];
			}
			name[len] = '\0';
			free(demangle(name));
		}
	}
	/* nested too deep, too long, and a name whose text doubles with each level */
	memset(name, 'P', 4000);
	memcpy(name, "_Z1f", 4);
	memcpy(name + 4000, "i", 2);
	free(demangle(name));
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memcpy(name, "_Z8000", 6);
	assert_null(demangle(name));
	size_t n = (size_t)snprintf(name, sizeof(name), "_Z1f1AIiiE");
	for (int i = 0; i < 40; i++)
		n += (size_t)snprintf(name + n, sizeof(name) - n, "S%c_IS%d_S%d_E", i ? 'A' : '0', i % 10, i % 10);
	free(demangle(name));
}

static double cpu_seconds(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* Names of ordinary templates contain many references and pack expansions; these are demangled. */
static void long_names_of_templates(void **state)
{
	(void)state;
	if (!demangle_available())
		skip();
	char *got = demangle(
		"_ZNSt8_Rb_treeIN4shop3KeyESt4pairIKS1_St3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
		"NS0_4ItemESt4lessISA_ESaIS2_IKSA_SB_EEEESt10_Select1stISI_ESC_IS1_ESaISI_EE22_M_emplace_hint_"
		"uniqueIJRKSt21piecewise_construct_tSt5tupleIJOS1_EESS_IJEEEEESt17_Rb_tree_iteratorISI_ESt23_"
		"Rb_tree_const_iteratorISI_EDpOT_");
	assert_non_null(got);
	assert_non_null(strstr(got, "_M_emplace_hint_unique<std::piecewise_construct_t const&"));
	free(got);
}

/* Adds a D reference, "Qc", to the text `back` bytes before it. */
static size_t add_d_reference(char *at, size_t back)
{
	char digits[8];
	size_t n = 0, len = 0;
	digits[n++] = (char)('a' + back % 26);
	for (back /= 26; back; back /= 26)
		digits[n++] = (char)('A' + back % 26);
	at[len++] = 'Q';
	while (n)
		at[len++] = digits[--n];
	at[len] = '\0';
	return len;
}

/* Makes a D name in which each pair of references doubles the text: 2^30 types. */
static void d_doubling(char *name)
{
	size_t n = (size_t)sprintf(name, "_D1fF"), type = n;
	n += (size_t)sprintf(name + n, "HiAi");
	for (int i = 0; i < 30; i++) {
		size_t next = n;
		name[n++] = 'H';
		n += add_d_reference(name + n, n - type);
		n += add_d_reference(name + n, n - type);
		type = next;
	}
	strcpy(name + n, "Zv");
}

/* A template whose argument refers twice to the argument before it, inside a pack expansion:
 * libiberty walks 2^30 components and prints nothing. */
static void cxx_silent_walk(char *name)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t n = (size_t)sprintf(name, "_Z1fDp1AI");
	for (int i = 0; i < 28; i++)
		n += (size_t)sprintf(name + n, "S_I");
	n += (size_t)sprintf(name + n, "S_IiiE");
	for (int i = 0; i < 29; i++)
		n += (size_t)sprintf(name + n, "S%c_E", digits[i]);
}

static void repeated(char *name, const char *head, const char *part, int times, const char *tail)
{
	size_t n = (size_t)sprintf(name, "%s", head);
	for (int i = 0; i < times; i++)
		n += (size_t)sprintf(name + n, "%s", part);
	strcpy(name + n, tail);
}

enum { ENDLESS_SECONDS = 20 }; /* of CPU time, of which a name takes some milliseconds */

#if !defined(__SANITIZE_ADDRESS__)
/* The most memory that this program had.  getrusage() has that of the program before exec(), if it was more. */
static unsigned long most_memory_kib(void)
{
	static char text[65536];
	FILE *f = fopen("/proc/self/status", "re");
	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	const char *line = strstr(text, "\nVmHWM:");
	assert_non_null(line);
	return strtoul(line + strlen("\nVmHWM:"), NULL, 10);
}
#endif

/* Short names that once took minutes, or all memory. */
static void names_that_stand_for_endless_work(void **state)
{
	(void)state;
	if (!demangle_available())
		skip();
	char names[6][1024];
	d_doubling(names[0]);
	repeated(names[1], "_D1f", "FC1a", 30, "Zv"); /* each level is parsed twice */
	repeated(names[2], "_D1f", "__T1aS1234567", 12, "1bZ");
	cxx_silent_walk(names[3]);
	strcpy(names[4], "_RNvMIC1aFGzzzzzzzzz_EuEu3foo"); /* 62^9 lifetimes, which are counted but not printed */
	strcpy(names[5], "_RNvMC1aFGzzzzzzzzz_Eu3foo");	   /* the same, printed */
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		double begin = cpu_seconds();
		char *text = demangle(names[i]);
		assert_true(!text || strlen(text) <= 16 * 1024);
		free(text);
		assert_true(cpu_seconds() - begin < ENDLESS_SECONDS);
	}
#if !defined(__SANITIZE_ADDRESS__)
	assert_in_range(most_memory_kib(), 1, 200 * 1024);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_four_manglings),
		cmocka_unit_test(long_names_of_templates),
		cmocka_unit_test(hostile_names_are_survived),
		cmocka_unit_test(names_that_stand_for_endless_work),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
