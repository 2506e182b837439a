/* Whom the screen has asked for names, and what it says of the answers; the test is the helper, and the resolver. */
#include "attach/ask.h"

#include <cyctop/attach.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- a resolver of two processes: this one, and one that cannot be -------------------------------- */

struct resolver {
	struct catalog cat;
	struct task_info tasks[2];
	bool lacks;
	int written; /* how often it was told that the map is there */
};

const struct catalog *resolver_catalog(const struct resolver *r)
{
	return &r->cat;
}

bool resolver_lacks_code(const struct resolver *r, uint32_t task, uint64_t since_ns)
{
	(void)since_ns;
	return r->lacks && task == 0;
}

void resolver_code_written(struct resolver *r, uint32_t task)
{
	assert_int_equal(task, 0);
	r->written++;
}

struct fixture {
	struct resolver r;
	struct asked *asked;
	int helper;
	uint32_t asked_n; /* of the last question */
	char text[320];
};

static const uint64_t never_ns = 1000000000000000;

static void begin(struct fixture *f, uint64_t again_ns)
{
	int fds[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
	*f = (struct fixture){.helper = fds[1], .asked = asked_create(fds[0], again_ns)};
	f->r.tasks[0] =
		(struct task_info){.pid = (int32_t)getpid(), .leader = 0, .comm = "java", .runtime = RUNTIME_JVM};
	f->r.tasks[1] = (struct task_info){.pid = INT32_MAX, .leader = 1, .comm = "java", .runtime = RUNTIME_JVM};
	f->r.cat = (struct catalog){.tasks = f->r.tasks, .tasks_n = 2};
}

static void end(struct fixture *f)
{
	asked_destroy(f->asked);
	if (f->helper >= 0)
		close(f->helper);
}

static bool ask(struct fixture *f, uint32_t task)
{
	return asked_ask(f->asked, &f->r, (struct catalog_ref){task, 0}, f->text, sizeof(f->text));
}

/* Is there a question at the helper? */
static bool question(struct fixture *f, struct attach_question *ret)
{
	if (recv(f->helper, ret, sizeof(*ret), MSG_DONTWAIT) != (ssize_t)sizeof(*ret))
		return false;
	f->asked_n = ret->number;
	return true;
}

static bool answer_number(struct fixture *f, uint32_t number, int code, const char *text)
{
	struct attach_answer a = {.number = number, .code = code};
	snprintf(a.text, sizeof(a.text), "%s", text);
	assert_int_equal(send(f->helper, &a, sizeof(a), 0), sizeof(a));
	f->text[0] = '\0';
	return asked_answered(f->asked, &f->r, f->text, sizeof(f->text));
}

static bool answer(struct fixture *f, int code, const char *text)
{
	return answer_number(f, f->asked_n, code, text);
}

static bool tend(struct fixture *f)
{
	f->text[0] = '\0';
	return asked_tend(f->asked, &f->r, f->text, sizeof(f->text));
}

static void assert_said(const struct fixture *f, const char *wanted)
{
	if (!strstr(f->text, wanted))
		fail_msg("no '%s' in: %s", wanted, f->text);
}

/* ---- tests ---------------------------------------------------------------------------------------- */

static void a_question_and_its_answer(void **state)
{
	(void)state;
	struct fixture f;
	struct attach_question q;
	uint64_t ticks;
	begin(&f, never_ns);
	assert_true(asked_possible(f.asked));
	assert_true(ask(&f, 0));
	assert_said(&f, "was asked for the names of its code");
	assert_true(question(&f, &q));
	assert_int_equal(q.pid, getpid());
	assert_true(q.may_signal);
	assert_true(attach_start_ticks(q.pid, &ticks));
	assert_int_equal(q.start_ticks, ticks);
	assert_false(asked_answered(f.asked, &f.r, f.text, sizeof(f.text)));
	ask(&f, 0); /* one at a time */
	assert_said(&f, "has not answered yet");
	assert_false(question(&f, &q));
	assert_true(answer(&f, 0, ""));
	assert_said(&f, "wrote the names of its code");
	assert_int_equal(f.r.written, 1);
	f.r.lacks = true;
	assert_false(tend(&f)); /* it was asked just now */
	assert_false(question(&f, &q));
	end(&f);
}

static void those_asked_are_asked_again(void **state)
{
	(void)state;
	struct fixture f;
	struct attach_question q;
	begin(&f, 0);
	f.r.lacks = true;
	assert_false(tend(&f));
	assert_false(question(&f, &q)); /* nobody pressed the key */
	ask(&f, 0);
	assert_true(question(&f, &q));
	assert_true(answer(&f, 0, ""));
	f.r.lacks = false;
	tend(&f);
	assert_false(question(&f, &q));
	f.r.lacks = true;
	for (int i = 0; i < 3; i++) {
		assert_false(tend(&f));
		assert_true(question(&f, &q));
		assert_int_equal(q.pid, getpid());
		assert_false(q.may_signal); /* the user was told of one signal */
		tend(&f);
		assert_false(question(&f, &q));	 /* one at a time */
		assert_false(answer(&f, 0, "")); /* nothing new to say */
	}
	assert_int_equal(f.r.written, 4);
	tend(&f);
	assert_true(question(&f, &q));
	assert_true(answer(&f, -ETIMEDOUT, "it did not answer in time"));
	assert_said(&f, "gave no further names: it did not answer in time.");
	tend(&f);
	assert_false(question(&f, &q)); /* no more */
	end(&f);
}

static void refusals_are_said_once(void **state)
{
	(void)state;
	struct fixture f;
	struct attach_question q;
	begin(&f, 0);
	f.r.lacks = true;
	ask(&f, 0);
	assert_true(question(&f, &q));
	assert_true(answer(&f, -EPERM, "it belongs to another user"));
	assert_said(&f, "gave no names: it belongs to another user.");
	assert_int_equal(f.r.written, 0);
	tend(&f);
	assert_false(question(&f, &q));
	end(&f);
}

/* .NET goes on by itself: it is asked once, until it executes another program. */
static void those_that_go_on_are_asked_once(void **state)
{
	(void)state;
	struct fixture f;
	struct attach_question q;
	begin(&f, 0);
	f.r.tasks[0].runtime = RUNTIME_DOTNET;
	f.r.lacks = true;
	ask(&f, 0);
	assert_true(question(&f, &q));
	assert_int_equal(q.runtime, RUNTIME_DOTNET);
	assert_false(asked_writes_names(f.asked, (struct catalog_ref){0, 0}));
	assert_true(answer(&f, 0, ""));
	assert_said(&f, "wrote the names of its code, and goes on writing those of new code.");
	assert_true(asked_writes_names(f.asked, (struct catalog_ref){0, 0}));
	assert_false(asked_writes_names(f.asked, (struct catalog_ref){0, 1}));
	assert_false(asked_writes_names(f.asked, (struct catalog_ref){1, 0}));
	assert_false(tend(&f));
	assert_false(question(&f, &q));
	ask(&f, 0);
	assert_said(&f, "goes on writing the names of its code.");
	assert_false(question(&f, &q));
	f.r.tasks[0].exec_ns = 7;
	assert_false(tend(&f));
	assert_false(asked_writes_names(f.asked, (struct catalog_ref){0, 0}));
	ask(&f, 0);
	assert_true(question(&f, &q));
	/* one that does not know the question may be asked again, by the key */
	assert_true(answer(&f, -ENOTSUP, "it does not know the command"));
	assert_false(asked_writes_names(f.asked, (struct catalog_ref){0, 0}));
	end(&f);
}

static void those_that_ended_are_not_asked(void **state)
{
	(void)state;
	struct fixture f;
	struct attach_question q;
	begin(&f, 0);
	f.r.lacks = true;
	ask(&f, 1); /* there is no such pid */
	assert_said(&f, "Not asked: the process has ended.");
	f.r.tasks[0].exit_ns = 5;
	ask(&f, 0);
	assert_said(&f, "Not asked: the process has ended.");
	f.r.tasks[0].exit_ns = 0;
	ask(&f, 0);
	assert_true(question(&f, &q));
	answer(&f, 0, "");
	f.r.tasks[0].generation++; /* another process has its entry */
	tend(&f);
	assert_false(question(&f, &q));
	end(&f);
}

static void answers_to_nothing(void **state)
{
	(void)state;
	struct fixture f;
	struct attach_question q;
	begin(&f, 0);
	assert_false(answer(&f, 0, "unasked"));
	assert_string_equal(f.text, "");
	ask(&f, 0);
	assert_true(question(&f, &q));
	assert_int_equal(send(f.helper, "?", 1, 0), 1); /* of another size */
	assert_false(asked_answered(f.asked, &f.r, f.text, sizeof(f.text)));
	assert_int_equal(f.r.written, 0);
	end(&f);
}

static void late_answers_are_not_of_the_next_question(void **state)
{
	(void)state;
	struct fixture f;
	struct attach_question first, second;
	begin(&f, 0);
	f.r.lacks = true;
	ask(&f, 0);
	assert_true(question(&f, &first));
	assert_true(answer(&f, 0, ""));
	tend(&f);
	assert_true(question(&f, &second));
	assert_int_not_equal(first.number, second.number);
	assert_false(answer_number(&f, first.number, -ETIMEDOUT, "late"));
	assert_string_equal(f.text, "");
	assert_false(answer_number(&f, second.number, 0, ""));
	assert_int_equal(f.r.written, 2);
	end(&f);
}

static void a_helper_that_is_gone(void **state)
{
	(void)state;
	struct fixture f;
	begin(&f, 0);
	ask(&f, 0);
	close(f.helper);
	f.helper = -1;
	/* the question is read from the socket's other side, which is closed: an end, or a reset */
	bool said = false;
	for (int i = 0; i < 3 && asked_possible(f.asked); i++)
		said |= asked_answered(f.asked, &f.r, f.text, sizeof(f.text));
	assert_true(said);
	assert_said(&f, "gave no names: it did not answer in time.");
	assert_false(asked_possible(f.asked));
	assert_int_equal(asked_fd(f.asked), -1);
	ask(&f, 0);
	assert_said(&f, "Nobody can be asked");
	assert_false(tend(&f));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_question_and_its_answer),
		cmocka_unit_test(those_asked_are_asked_again),
		cmocka_unit_test(refusals_are_said_once),
		cmocka_unit_test(those_that_ended_are_not_asked),
		cmocka_unit_test(those_that_go_on_are_asked_once),
		cmocka_unit_test(answers_to_nothing),
		cmocka_unit_test(late_answers_are_not_of_the_next_question),
		cmocka_unit_test(a_helper_that_is_gone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
