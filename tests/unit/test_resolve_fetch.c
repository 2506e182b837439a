/* Names from a debuginfod server (here a directory): how they change samples that were counted
 * before. */
#include "test_resolve_program.h"

#include <ctype.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t sym_at(struct stage *s, uint64_t ip)
{
	resolver_symbol(s->r, s->task, MISC_USER, ip, 1);
	resolver_settle(s->r, -1);
	return resolver_symbol(s->r, s->task, MISC_USER, ip, 1);
}

/* The current symbol for a sample that got the id `sym`. */
static const struct sym_info *now(struct stage *s, uint32_t sym)
{
	const struct catalog *cat = resolver_catalog(s->r);
	return &cat->syms[cat->syms[sym].resolved];
}

/* The symbol in whose row the sample is shown. */
static uint32_t row_of(struct stage *s, uint32_t sym)
{
	return catalog_sym_row(resolver_catalog(s->r), sym);
}

/* The server is a directory.  Its URL has no blank, because blanks separate URLs. */
static void set_server(const char *dir)
{
	char url[3 * SCRATCH_PATH + 8] = "file://";
	size_t n = strlen(url);
	for (; *dir; dir++)
		n += (size_t)sprintf(url + n, isalnum((unsigned char)*dir) || strchr("/._-", *dir) ? "%c" : "%%%02X",
				     (unsigned char)*dir);
	setenv("DEBUGINFOD_URLS", url, 1);
}

/* Maps a program that was stripped by strip(), and if `served`, puts its debug file on the
 * server. Both are the program `p`. */
static void serve(struct stage *s, struct program *p, void (*strip)(struct program *p), bool served)
{
	char path[SCRATCH_PATH];
	program_load(p);
	int n = snprintf(path, sizeof(path), "%s", "/served/buildid/");
	for (size_t i = 0; i < p->id.size; i++)
		n += snprintf(path + n, sizeof(path) - (size_t)n, "%02x", p->id.bytes[i]);
	snprintf(path + n, sizeof(path) - (size_t)n, "/debuginfo");
	stage_write(s, served ? path : "/served/none", p->bytes, p->n);
	strip(p);
	stage_write(s, "/prog", p->bytes, p->n);
	set_server(stage_path(s, "/served"));
	setenv("DEBUGINFOD_CACHE_PATH", stage_path(s, "/cache"), 1);
	s->background = true;
	stage_open(s);
	stage_maps(s, stage_path(s, "/prog"), &p->id);
}

static void fetch(struct stage *s, uint32_t sym)
{
	struct error err;
	struct fetch_status status = {0};
	if (resolver_fetch(s->r, resolver_catalog(s->r)->syms[sym].dso, &err) < 0) {
		print_message("%s\n", err.text);
		skip();
	}
	do {
		poll(&(struct pollfd){.fd = resolver_fd(s->r), .events = POLLIN}, 1, 1000);
		resolver_collect(s->r);
		resolver_fetch_status(s->r, &status);
	} while (status.running);
	print_message("%s\n", status.text);
	if (strstr(status.text, "not installed"))
		skip();
}

static void a_group_that_was_counted(void **state)
{
	struct stage *s = *state;
	struct program p;
	serve(s, &p, program_strip, true);
	uint32_t sym = sym_at(s, p.ip);
	assert_int_equal(now(s, sym)->state, SYM_GROUP);
	fetch(s, sym);
	assert_string_equal(now(s, sym)->name, "fixture_function");
	assert_int_equal(now(s, sym_at(s, p.ip))->resolved, now(s, sym)->resolved);
	free(p.bytes);
}

/* Without names, all addresses are one row; an address that gets a name leaves this row. */
static void addresses_that_were_counted(void **state)
{
	struct stage *s = *state;
	struct program p;
	serve(s, &p, program_forget, true);
	uint32_t in = sym_at(s, p.ip), next = sym_at(s, p.ip + 1), out = sym_at(s, STAGE_AT + p.n + 0x100);
	assert_string_equal(now(s, in)->name, "[no symbol]");
	assert_int_not_equal(in, next);
	assert_int_equal(in, sym_at(s, p.ip));
	assert_int_equal(row_of(s, in), row_of(s, out));
	assert_int_equal(row_of(s, in), row_of(s, next));
	fetch(s, in);
	assert_string_equal(now(s, in)->name, "fixture_function");
	assert_int_equal(row_of(s, in), row_of(s, next));
	assert_string_equal(now(s, out)->name, "[no symbol]");
	assert_int_not_equal(row_of(s, in), row_of(s, out));
	/* later samples get the same symbols */
	assert_int_equal(sym_at(s, p.ip), row_of(s, in));
	assert_int_equal(sym_at(s, STAGE_AT + p.n + 0x104), row_of(s, out));
	free(p.bytes);
}

/* If no server has the debug file, the addresses become one entry again, and stay one. */
static void addresses_without_a_debug_file(void **state)
{
	struct stage *s = *state;
	struct program p;
	serve(s, &p, program_forget, false);
	uint32_t in = sym_at(s, p.ip), next = sym_at(s, p.ip + 1);
	fetch(s, in);
	assert_int_equal(now(s, in)->state, SYM_UNRESOLVED);
	assert_int_equal(now(s, in)->resolved, now(s, next)->resolved);
	assert_int_equal(sym_at(s, p.ip + 2), now(s, in)->resolved);
	free(p.bytes);
}

/* The number of addresses with their own entries is limited. */
static void addresses_are_bounded(void **state)
{
	enum { TRIED = 20000, KEPT = 4096 };
	struct stage *s = *state;
	struct program p;
	serve(s, &p, program_forget, true);
	uint32_t row = row_of(s, sym_at(s, p.ip)), before = resolver_catalog(s->r)->syms_n;
	for (uint64_t i = 1; i < TRIED; i++)
		assert_int_equal(row_of(s, resolver_symbol(s->r, s->task, MISC_USER, STAGE_AT + i, 1)), row);
	assert_true(resolver_catalog(s->r)->syms_n - before < KEPT);
	free(p.bytes);
}

/* Without servers, no address gets its own entry. */
static void addresses_without_servers(void **state)
{
	struct stage *s = *state;
	struct program p;
	serve(s, &p, program_forget, true);
	stage_close(s);
	unsetenv("DEBUGINFOD_URLS");
	stage_open(s);
	stage_maps(s, stage_path(s, "/prog"), &p.id);
	assert_int_equal(sym_at(s, p.ip), sym_at(s, p.ip + 1));
	free(p.bytes);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, stage_setup, stage_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_group_that_was_counted), TEST(addresses_that_were_counted), TEST(addresses_without_a_debug_file),
		TEST(addresses_are_bounded),	TEST(addresses_without_servers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
