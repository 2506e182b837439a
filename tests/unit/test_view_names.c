/* Shortening of names as compilers and demanglers make them. */
#include "view/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct name_case {
	const char *name;
	const char *own; /* the function's own name, which is never cut off */
	struct {
		int width;
		const char *want;
	} in[3];
} cases[] = {
	{"std::vector<std::pair<int, std::string>, std::allocator<std::pair<int, std::string> > "
	 ">::push_back(std::pair<int, "
	 "std::string>&&)",
	 "push_back",
	 {{60, "std::vector<…>::push_back(std::pair<…>&&)"},
	  {36, "std::vector<…>::push_back(…)"},
	  {20, "…push_back(…)"}}},
	{"std::map<std::string, int, std::less<std::string>, std::allocator<std::pair<std::string const, int> "
	 "> >::find(std::string const&)",
	 "find",
	 {{60, "std::map<…>::find(std::string const&)"}, {36, "std::map<…>::find(…)"}}},
	{"void std::__introsort_loop<__gnu_cxx::__normal_iterator<unsigned long*, std::vector<unsigned long, "
	 "std::allocator<unsigned long> > >, long, "
	 "__gnu_cxx::__ops::_Iter_less_iter>(__gnu_cxx::__normal_iterator<unsigned "
	 "long*, std::vector<unsigned long, std::allocator<unsigned long> > >, long, "
	 "__gnu_cxx::__ops::_Iter_less_iter)",
	 "__introsort_loop",
	 {{60, "std::__introsort_loop<…>(…)"}, {20, "…__introsort_loop<…>(…)"}}},
	{"std::basic_ostream<char, std::char_traits<char> >& std::operator<< <std::char_traits<char> "
	 ">(std::basic_ostream<char, "
	 "std::char_traits<char> >&, char const*)",
	 "operator<<",
	 {{60, "std::operator<< <…>(std::basic_ostream<…>&, char const*)"},
	  {36, "std::operator<< <…>(…)"},
	  {20, "…operator<< <…>(…)"}}},
	{"bool std::operator< <int, std::allocator<int> >(std::vector<int, std::allocator<int> > const&, "
	 "std::vector<int, "
	 "std::allocator<int> > const&)",
	 "operator<",
	 {{60, "std::operator< <…>(…)"}, {20, "…operator< <…>(…)"}}},
	{"bool ns::operator<<int>(ns::Box<int> const&)",
	 "operator<",
	 {{36, "ns::operator< <…>(ns::Box<…> const&)"}, {20, "ns::operator< <…>(…)"}}},
	{"bool ns::operator> <ns::Wide<int> >(ns::Wide<int> const&, ns::Wide<int> const&)",
	 "operator>",
	 {{60, "ns::operator> <…>(ns::Wide<…> const&, ns::Wide<…> const&)"}, {36, "ns::operator> <…>(…)"}}},
	{"ns::operator>>(ns::stream&, std::vector<int, std::allocator<int> >&)",
	 "operator>>",
	 {{60, "ns::operator>>(ns::stream&, std::vector<…>&)"}, {36, "ns::operator>>(…)"}}},
	{"std::shared_ptr<ns::Connection<ns::Tcp> >::operator->() const",
	 "operator->",
	 {{60, "std::shared_ptr<ns::Connection<…> >::operator->() const"},
	  {36, "…shared_ptr<…>::operator->() const"},
	  {20, "…operator->() const"}}},
	{"ns::Pointer<int ns::Thing::*>::operator->*(ns::Thing&) const",
	 "operator->*",
	 {{36, "ns::Pointer<…>::operator->*(…) const"}, {20, "…operator->*(…) const"}}},
	{"std::strong_ordering ns::operator<=> <int>(ns::Box<int> const&, ns::Box<int> const&)",
	 "operator<=>",
	 {{60, "ns::operator<=> <int>(ns::Box<…> const&, ns::Box<…> const&)"},
	  {36, "ns::operator<=> <…>(…)"},
	  {20, "…operator<=> <…>(…)"}}},
	{"std::function<void (int, std::string const&)>::operator()(int, std::string const&) const",
	 "operator()",
	 {{60, "std::function<…>::operator()(int, std::string const&) const"},
	  {36, "…function<…>::operator()(…) const"},
	  {20, "…operator()(…) const"}}},
	{"ns::Matrix<double, 4ul, 4ul>::operator[](unsigned long) const",
	 "operator[]",
	 {{60, "ns::Matrix<…>::operator[](unsigned long) const"},
	  {36, "ns::Matrix<…>::operator[](…) const"},
	  {20, "…operator[](…) const"}}},
	{"ns::Text::operator std::basic_string<char, std::char_traits<char>, std::allocator<char> >() const",
	 "operator",
	 {{60, "ns::Text::operator std::basic_string<…>() const"}}},
	{"ns::Number<long double>::operator bool() const",
	 "operator bool",
	 {{36, "ns::Number<…>::operator bool() const"}, {20, "…operator bool() const"}}},
	{"operator new[](unsigned long, std::align_val_t, std::nothrow_t const&)",
	 "operator new[]",
	 {{60, "operator new[](…)"}}},
	{"ns::literals::operator\"\" _km(long double)",
	 "operator\"\" _km",
	 {{36, "ns::literals::operator\"\" _km(…)"}, {20, "…operator\"\" _km(…)"}}},
	{"my_operator<std::vector<int> >::apply(std::vector<int> const&)",
	 "apply",
	 {{60, "my_operator<std::vector<…> >::apply(std::vector<…> const&)"},
	  {36, "my_operator<…>::apply(…)"},
	  {20, "…apply(…)"}}},
	{"server::run(server::Options const&)::{lambda(server::Request const&)#2}::operator()(server::Request "
	 "const&) const",
	 "run",
	 {{60, "server::run(…)::{lambda(…)#2}::operator()(…) const"},
	  {36, "…run(…)::{lambda(…)#2}::operator()(…) const"}}},
	{"auto main::{lambda(auto:1)#1}::operator()<std::vector<int, std::allocator<int> > >(std::vector<int, "
	 "std::allocator<int> >) const",
	 "main",
	 {{60, "main::{lambda(…)#1}::operator()<…>(std::vector<…>) const"},
	  {36, "main::{lambda(…)#1}::operator()<…>(…) const"}}},
	{"std::_Function_handler<void (int), run()::{lambda(int)#1}>::_M_invoke(std::_Any_data const&, int&&)",
	 "_M_invoke",
	 {{60, "std::_Function_handler<…>::_M_invoke(…)"},
	  {36, "…_Function_handler<…>::_M_invoke(…)"},
	  {20, "…_M_invoke(…)"}}},
	{"std::thread::_State_impl<std::thread::_Invoker<std::tuple<main::{lambda()#1}> > >::_M_run()",
	 "_M_run",
	 {{60, "std::thread::_State_impl<…>::_M_run()"}, {20, "…_M_run()"}}},
	{"run(int)::'lambda0'(std::string const&)::operator()(std::string const&) const",
	 "run",
	 {{60, "run(…)::'lambda0'(…)::operator()(…) const"}}},
	{"(anonymous namespace)::Parser::parseExpression(std::vector<(anonymous namespace)::Token> const&)",
	 "parseExpression",
	 {{60, "(anonymous namespace)::Parser::parseExpression(…)"},
	  {36, "…Parser::parseExpression(…)"},
	  {20, "…parseExpression(…)"}}},
	{"llvm::(anonymous namespace)::DAGCombiner::visitADD(llvm::SDNode*)",
	 "visitADD",
	 {{60, "llvm::(anonymous namespace)::DAGCombiner::visitADD(…)"},
	  {36, "…DAGCombiner::visitADD(…)"},
	  {20, "…visitADD(…)"}}},
	{"llvm::DenseMapBase<llvm::DenseMap<llvm::Value*, unsigned int, llvm::DenseMapInfo<llvm::Value*, void>, "
	 "llvm::detail::DenseMapPair<llvm::Value*, unsigned int> >, llvm::Value*, unsigned int, "
	 "llvm::DenseMapInfo<llvm::Value*, "
	 "void>, llvm::detail::DenseMapPair<llvm::Value*, unsigned int> >::grow(unsigned int)",
	 "grow",
	 {{60, "llvm::DenseMapBase<…>::grow(unsigned int)"}, {20, "…grow(…)"}}},
	{"std::enable_if<((sizeof (int))>(2)), bool>::type ns::check<int>(int)",
	 "check",
	 {{60, "ns::check<int>(int)"}}},
	{"decltype (((declval<int>)())+((declval<long>)())) ns::plus<int, long>(int, long)",
	 "plus",
	 {{60, "ns::plus<int, long>(int, long)"}, {20, "ns::plus<…>(…)"}}},
	{"ns::Shift<(1<<3), (8>>1)>::value(int)",
	 "value",
	 {{36, "ns::Shift<…>::value(int)"}, {20, "…Shift<…>::value(…)"}}},
	{"ns::Cmp<(3<4)>::less(std::vector<int>)",
	 "less",
	 {{36, "ns::Cmp<(3<4)>::less(std::vector<…>)"}, {20, "ns::Cmp<…>::less(…)"}}},
	{"void (*ns::pick<int>(std::vector<int, std::allocator<int> > const&))(char)",
	 "pick",
	 {{60, "void (*ns::pick<int>(std::vector<…> const&))(char)"},
	  {36, "void (*ns::pick<…>(…))(char)"},
	  {20, "void (*ns::pick<…>(…))(…)"}}},
	{"vtable for std::__detail::_Executor<__gnu_cxx::__normal_iterator<char const*, std::string>, true>",
	 "_Executor",
	 {{60, "vtable for std::__detail::_Executor<…>"},
	  {36, "vtable for …__detail::_Executor<…>"},
	  {20, "vtable for …_Executor<…>"}}},
	{"non-virtual thunk to ns::Impl<ns::Policy>::close(std::error_code&)",
	 "close",
	 {{60, "non-virtual thunk to ns::Impl<…>::close(std::error_code&)"}}},
	{"guard variable for std::string ns::names<int>(int)::table", "table", {{36, "guard variable for …table"}}},
	{"std::string::_M_append[abi:cxx11](char const*, unsigned long) [clone .cold]",
	 "_M_append",
	 {{60, "std::string::_M_append[abi:cxx11](…) [clone .cold]"}}},
	{"boost::asio::detail::executor_op<boost::asio::detail::work_dispatcher<boost::asio::ssl::detail::io_op<boost::"
	 "asio::basic_stream_socket<boost::asio::ip::tcp, "
	 "boost::asio::any_io_executor> > >, std::allocator<void>, "
	 "boost::asio::detail::scheduler_operation>::do_complete(void*, "
	 "boost::asio::detail::scheduler_operation*, boost::system::error_code const&, unsigned long)",
	 "do_complete",
	 {{60, "boost::asio::detail::executor_op<…>::do_complete(…)"},
	  {36, "…executor_op<…>::do_complete(…)"},
	  {20, "…do_complete(…)"}}},
	{"<alloc::vec::Vec<T,A> as core::iter::traits::collect::Extend<T>>::extend",
	 "extend",
	 {{60, "<Vec<…> as Extend<T>>::extend"}, {20, "<…>::extend"}}},
	{"<core::iter::adapters::map::Map<I,F> as core::iter::traits::iterator::Iterator>::fold",
	 "fold",
	 {{60, "<Map<…> as Iterator>::fold"}, {20, "<…>::fold"}}},
	{"JS:*parseExpression file:///srv/shop/node_modules/template-engine/lib/parser.js:1204:17",
	 "parseExpression",
	 {{60, "JS:*parseExpression …parser.js:1204:17"},
	  {36, "JS:*parseExpression …"},
	  {22, "JS:*parseExpression …"}}},
	{"LazyCompile:~processTicksAndRejections node:internal/process/task_queues:68:35",
	 "processTicksAndRejections",
	 {{60, "LazyCompile:~processTicksAndRejections …task_queues:68:35"},
	  {40, "LazyCompile:~processTicksAndRejections …"}}},
	{"<&'a str as core::fmt::Display>::fmt", "fmt", {{20, "<…>::fmt"}}},
	{"<hashbrown::raw::RawTable<(alloc::string::String, serde_json::value::Value)> as core::ops::drop::Drop>::drop",
	 "drop",
	 {{60, "<hashbrown::raw::RawTable<…> as core::ops::drop::Drop>::drop"},
	  {36, "<RawTable<…> as Drop>::drop"},
	  {20, "<…>::drop"}}},
	{"<tokio::runtime::task::harness::Harness<T,S>>::poll", "poll", {{36, "<Harness<…>>::poll"}}},
	{"core::ptr::drop_in_place<alloc::boxed::Box<dyn core::ops::function::Fn(&str) -> bool + core::marker::Send>>",
	 "drop_in_place",
	 {{60, "core::ptr::drop_in_place<alloc::boxed::Box<…>>"},
	  {36, "core::ptr::drop_in_place<…>"},
	  {20, "…drop_in_place<…>"}}},
	{"core::ops::function::FnOnce::call_once{{vtable.shim}}",
	 "call_once",
	 {{36, "…FnOnce::call_once{{vtable.shim}}"}, {20, "…call_once{{vtable.shim}}"}}},
	{"<regex_automata::Parser<'>', \"a>b\"> as core::clone::Clone>::clone",
	 "clone",
	 {{60, "<regex_automata::Parser<…> as core::clone::Clone>::clone"},
	  {36, "<Parser<…> as Clone>::clone"},
	  {20, "<…>::clone"}}},
	{"lexer::scan::<'\\'', {closure#0}>::{closure#1}",
	 "scan",
	 {{36, "lexer::scan::<…>::{closure#1}"}, {20, "…scan::<…>::{closure#1}"}}},
	{"std::rt::lang_start::<()>::{closure#0}",
	 "lang_start",
	 {{36, "…rt::lang_start::<…>::{closure#0}"}, {20, "…lang_start::<…>::{closure#0}"}}},
	{"<rustc_middle::ty::Ty as "
	 "rustc_type_ir::fold::TypeFoldable<rustc_middle::ty::context::TyCtxt>>::try_fold_with::<rustc_infer::infer::"
	 "resolve::OpportunisticVarResolver>",
	 "try_fold_with",
	 {{60, "<Ty as TypeFoldable<…>>::try_fold_with::<…>"},
	  {36, "<…>::try_fold_with::<…>"},
	  {20, "…try_fold_with::<…>"}}},
	{"std.algorithm.sorting.sort!(\"a < b\", cast(std.typecons.Flag!(\"unstable\"))0, int[]).sort(int[])",
	 "sort",
	 {{60, "std.algorithm.sorting.sort!(…).sort(…)"},
	  {36, "…algorithm.sorting.sort!(…).sort(…)"},
	  {20, "…sort!(…).sort(…)"}}},
	{"github.com/junegunn/fzf/src/algo.FuzzyMatchV2",
	 "FuzzyMatchV2",
	 {{60, "github.com/junegunn/fzf/src/algo.FuzzyMatchV2"},
	  {36, "…junegunn/fzf/src/algo.FuzzyMatchV2"},
	  {20, "…algo.FuzzyMatchV2"}}},
	{"github.com/junegunn/fzf/src.(*ChunkList).Push",
	 "Push",
	 {{36, "…junegunn/fzf/src.(*ChunkList).Push"}, {20, "…(*ChunkList).Push"}}},
	{"golang.org/x/exp/slices.Insert[...]", "Insert", {{24, "…exp/slices.Insert[...]"}}},
	{"main.(*worker).mix", "mix", {{16, "…(*worker).mix"}}},
	{"demangle.test(char, int[])", "test", {{20, "demangle.test(…)"}}},
	{"shop::Käse<std::vector<日本::語> >::schneiden(日本::語 const&)",
	 "schneiden",
	 {{60, "shop::Käse<std::vector<…> >::schneiden(日本::語 const&)"},
	  {36, "shop::Käse<…>::schneiden(…)"},
	  {20, "…schneiden(…)"}}},
	{"v8::internal::compiler::turboshaft::GraphVisitor<v8::internal::compiler::turboshaft::Assembler<v8::base::tmp:"
	 ":list<v8::internal::compiler::turboshaft::MachineOptimizationReducer>>>::VisitBlock(v8::internal::compiler::"
	 "turboshaft::Block "
	 "const*)",
	 "VisitBlock",
	 {{60, "…compiler::turboshaft::GraphVisitor<…>::VisitBlock(…)"},
	  {36, "…GraphVisitor<…>::VisitBlock(…)"},
	  {20, "…VisitBlock(…)"}}},
	{"ns::Pool<ns::Item>::~Pool()", "~Pool", {{20, "ns::Pool<…>::~Pool()"}}},
	{"int ns::sum<int, 1, 2, 3>(std::integer_sequence<int, 1, 2, 3>)::{lambda(auto:1&&)#1}::operator()<int&>(int&) "
	 "const [clone .isra.0]",
	 "sum",
	 {{60, "…sum<…>(…)::{lambda(…)#1}::operator()<…>(…) const [clone .isra.0]"}}},
	{"std::_Hashtable<std::string, std::pair<std::string const, std::vector<int> >, "
	 "std::allocator<std::pair<std::string "
	 "const, std::vector<int> > >, std::__detail::_Select1st, std::equal_to<std::string>, std::hash<std::string>, "
	 "std::__detail::_Mod_range_hashing, std::__detail::_Default_ranged_hash, std::__detail::_Prime_rehash_policy, "
	 "std::__detail::_Hashtable_traits<true, false, true> >::_M_rehash(unsigned long, unsigned long const&)",
	 "_M_rehash",
	 {{60, "std::_Hashtable<…>::_M_rehash(…)"}, {20, "…_M_rehash(…)"}}},
	{"duckdb::AggregateExecutor::UnaryScatterLoop<duckdb::MinMaxState<long>, long, duckdb::MaxOperation>(long "
	 "const*, duckdb::AggregateInputData&, duckdb::MinMaxState<long>**, duckdb::SelectionVector const&)",
	 "UnaryScatterLoop",
	 {{60, "duckdb::AggregateExecutor::UnaryScatterLoop<…>(…)"}, {36, "…UnaryScatterLoop<…>(…)"}}},
};

static void each_width_has_its_form(void **state)
{
	(void)state;
	char buf[4096];
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (size_t k = 0; k < ARRAY_LEN(cases[i].in) && cases[i].in[k].width; k++) {
			const char *got = text_shorten(cases[i].name, cases[i].in[k].width, buf, sizeof(buf));
			if (strcmp(got, cases[i].in[k].want) != 0)
				fail_msg("%s\nin %d cells: %s\nnot: %s", cases[i].name, cases[i].in[k].width, got,
					 cases[i].in[k].want);
		}
}

static int count(const char *s, char c)
{
	int n = 0;
	for (; *s; s++)
		n += *s == c;
	return n;
}

/* Checks that brackets are balanced; '<' and '>' in operators, arrows and comparisons are not
 * brackets. */
static void assert_pairs(const char *name, const char *got)
{
	bool angles = !strstr(name, "operator") && !strstr(name, "->") && !strstr(name, "'>'") &&
		      !strstr(name, ")>(") && !strstr(name, "a < b") && !strstr(name, "3<4");
	bool ok = count(got, '(') == count(got, ')') && count(got, '{') == count(got, '}') &&
		  count(got, '[') == count(got, ']') && (!angles || count(got, '<') == count(got, '>'));
	if (!ok)
		fail_msg("%s: brackets without a partner: %s", name, got);
}

static void whatever_the_width_the_function_is_named(void **state)
{
	(void)state;
	char buf[4096], least[4096];
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *name = cases[i].name;
		int before = text_width(name);
		snprintf(least, sizeof(least), "%s", text_shorten(name, 1, buf, sizeof(buf)));
		for (int width = before; width > 0; width--) {
			const char *got = text_shorten(name, width, buf, sizeof(buf));
			int now = text_width(got);
			if (now > before || (now > width && strcmp(got, least) != 0))
				fail_msg("%s in %d cells: %s is %d wide", name, width, got, now);
			if (!strstr(got, cases[i].own))
				fail_msg("%s in %d cells: %s, without %s", name, width, got, cases[i].own);
			assert_pairs(name, got);
			before = now;
		}
	}
}

static void what_is_no_name_of_that_kind_stays(void **state)
{
	(void)state;
	static const char *const names[] = {
		"memcpy",
		"a_function_in_c.part.0.cold",
		"[libfoo.so.5+0x159e0]",
		"Interpreter::(unclosed",
		"Array<int",
		">>>)))",
		"_ZNSt6vectorIiE9push_back",
		"reading symbols …",
		"name with )( brackets",
		"\"never closed <(",
	};
	char buf[256];
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		for (int width = -1; width < 12; width++)
			assert_string_equal(text_shorten(names[i], width, buf, sizeof(buf)), names[i]);
}

static void names_of_any_size_and_depth_are_borne(void **state)
{
	(void)state;
	static const char part[] = "<a::b(";
	enum { N = 3000 };
	char *deep = calloc(1, N * (sizeof(part) + 2) + 8), buf[128];
	for (int i = 0; i < N; i++)
		strcat(deep + (i > 20 ? (size_t)(i - 20) * 6 : 0), part);
	assert_string_equal(text_shorten(deep, 20, buf, sizeof(buf)), deep);
	size_t n = strlen(deep);
	for (int i = 0; i < N; i++) {
		deep[n++] = ')';
		deep[n++] = '>';
	}
	assert_string_equal(text_shorten(deep, 20, buf, sizeof(buf)), deep); /* more nested brackets than are parsed */
	free(deep);
	/* the short form fits; if neither form fits, the name is unchanged */
	char small[8];
	static const char name[] = "ns::find<std::vector<int, std::allocator<int> > >(int)";
	assert_string_equal(text_shorten(name, 10, small, sizeof(small)), name);
	assert_string_equal(text_shorten(name, 12, buf, 16), name);
	assert_string_equal(text_shorten(name, 13, buf, 32), "…find<…>(…)");
}

/* Shortens every prefix of every name, and every name with one byte changed, to several widths. */
static void damaged_names_are_borne(void **state)
{
	(void)state;
	static const char bytes[] = "<>()[]{}'\":. \\\xc3\x80";
	char name[1024], buf[512];
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t n = strlen(cases[i].name);
		for (size_t at = 0; at < n && n < sizeof(name); at++) {
			memcpy(name, cases[i].name, n + 1);
			name[at] = bytes[(at + i) % (sizeof(bytes) - 1)];
			for (int width = 1; width < 64; width += 21)
				assert_non_null(text_shorten(name, width, buf, sizeof(buf)));
			name[at] = '\0';
			assert_non_null(text_shorten(name, 9, buf, sizeof(buf)));
		}
	}
}

/* Of texts that begin alike, what differs stays in sight. */
static void what_differs_is_not_cut(void **state)
{
	(void)state;
	static const char select[] = "postgres: postgres postgres [local] SELECT",
			  update[] = "postgres: postgres postgres [local] UPDATE waiting for a lock of another",
			  java[] = "/usr/lib/jvm/bin/java -Xmx4g -jar /srv/shop/orders.jar";
	static const struct {
		const char *text;
		size_t at;
		int width;
		const char *want;
	} rows[] = {
		{select, 36, 34, "postgres: postgres postgres…SELECT"},
		{select, 36, 24, "postgres: postgre…SELECT"},
		{select, 0, 24, select},  /* alone: its end is cut */
		{select, 36, 12, select}, /* too narrow for two parts */
		{select, 36, 80, select},
		{update, 36, 30, "postgres:…UPDATE waiting for a lock of another"},
		{java, 48, 30, "/usr/lib/jvm/bin/ja…orders.jar"},
		{java, 40, 30, "/usr/lib/jvm/b…shop/orders.jar"},
		{"abcdefghijklmnopqrstuvwxyz", 20, 20, "abcdefghijklmnopqrstuvwxyz"},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char buf[256];
		const char *is = text_apart(rows[i].text, rows[i].at, rows[i].width, buf, sizeof(buf));
		if (strcmp(is, rows[i].want) != 0)
			fail_msg("row %zu: %s", i, is);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_differs_is_not_cut),
		cmocka_unit_test(each_width_has_its_form),
		cmocka_unit_test(whatever_the_width_the_function_is_named),
		cmocka_unit_test(what_is_no_name_of_that_kind_stays),
		cmocka_unit_test(names_of_any_size_and_depth_are_borne),
		cmocka_unit_test(damaged_names_are_borne),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
