/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_engine.c - the loop: requests that are queued and sent, answers in the order of arrival, the
 * devices that fail, and signals.
 */
#include <config.h>
#include <errno.h>
#include <signal.h>
#include "diags/core/signals.h"
#include "libmad/attr/sm_attr.h"
#include "tests/unit/diags/ask/wire.h"

struct told {
	enum diag_end end[16];
	uint32_t modifier[16];
	unsigned n, again;
};

static void
on_done(struct diag *d, void *arg, const struct diag_request *q, const struct diag_reply *r)
{
	struct told *t = arg;

	assert_true(t->n < 16);
	t->end[t->n] = r->end;
	t->modifier[t->n++] = q->modifier;
	if (t->again) {
		struct diag_addr to = diag_addr_lid(50);
		struct diag_request more = { .to = &to,
			.attr_id = NODE_INFO_ID,
			.quiet = true,
			.modifier = 100 + t->again-- };

		diag_submit(d, &more, on_done, t);
	}
}

static void
submit(struct wire *w, unsigned n, struct told *t)
{
	for (unsigned i = 0; i < n; i++) {
		struct diag_addr to = diag_addr_lid((uint16_t)(20 + i));
		struct diag_request q = { .to = &to, .attr_id = NODE_INFO_ID, .modifier = i };

		diag_submit(&w->d, &q, on_done, t);
	}
}

static int
answers(struct wire *w, const struct dgram *g, int timeout_ms)
{
	assert_true(timeout_ms > 0);
	wire_answer(w, g, STATUS_OK, NULL);
	return 0;
}

static int
returns(struct wire *w, const struct dgram *g, int timeout_ms)
{
	(void)timeout_ms;
	wire_return(w, g);
	return 0;
}

static void
nothing_to_do(void **state)
{
	struct wire *w = *state;
	struct diag d;
	static const struct diag_tool tool = { .name = "test" };

	assert_int_equal(diag_run(&w->d), 0);
	assert_int_equal(diag_run_many(&w->d), 0);
	assert_int_equal(engine_turn(&w->d, NULL, NULL, NULL), 0);
	assert_int_equal(w->nsent, 0);
	diag_begin(&d, &tool, &diag_asking_ports, "test"); /* no port */
	assert_int_equal(diag_run(&d), 0);
	assert_int_equal(diag_run_many(&d), 0);
	diag_clear(&d);
}

static void
many_requests(void **state)
{
	struct wire *w = *state;
	struct told t = { 0 };

	w->on_send = answers;
	submit(w, 6, &t);
	assert_int_equal(w->nsent, 0); /* not before diag_run() */
	assert_int_equal(diag_run(&w->d), 0);
	assert_int_equal(t.n, 6);
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(t.end[i], DIAG_OK);
		assert_int_equal(t.modifier[i], i);
	}
	assert_int_equal(w->nsent, 6);
	assert_int_equal(diag_status(&w->d), EXIT_OK);
}

/* The answers come when all is sent, the last one first. */
static void
answer_backwards(struct wire *w)
{
	for (unsigned i = w->nsent; i-- > 0;)
		wire_answer(w, &w->sent[i], STATUS_OK, NULL);
}

static void
answers_in_order_of_arrival(void **state)
{
	struct wire *w = *state;
	struct told t = { 0 };

	w->idle = answer_backwards;
	submit(w, 4, &t);
	assert_int_equal(diag_run_many(&w->d), 0);
	assert_int_equal(t.n, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(t.modifier[i], 3 - i);
}

static void
an_answer_may_ask_more(void **state)
{
	struct wire *w = *state;
	struct told t = { .again = 5 };

	w->on_send = answers;
	submit(w, 1, &t);
	assert_int_equal(diag_run(&w->d), 0);
	assert_int_equal(t.n, 6);
	assert_int_equal(t.modifier[1], 105);
	assert_int_equal(t.modifier[5], 101);
}

static void
an_unresponsive_node(void **state)
{
	struct wire *w = *state;
	struct told t = { 0 };
	unsigned tries = retry_tool_conf(RETRY_TOOL_SINGLE, 0, 0, false).tries;

	wire_hasten(w);
	w->on_send = returns;
	submit(w, 1, &t);
	assert_int_equal(diag_run(&w->d), 0); /* the device is fine */
	assert_int_equal(t.n, 1);
	assert_int_equal(t.end[0], DIAG_TIMEOUT);
	assert_int_equal(w->nsent, tries);
	assert_int_equal(json_array_size(w->d.errors), 1);
	assert_int_equal(diag_status(&w->d), EXIT_PARTIAL);
}

static void
a_window_limits_them(void **state)
{
	struct wire *w = *state;
	struct told t = { 0 };

	engine_conf(&w->d, 2, RETRY_TOOL_SINGLE);
	w->on_send = NULL;
	submit(w, 5, &t);
	w->idle = answer_backwards;
	assert_int_equal(engine_turn(&w->d, NULL, NULL, NULL), 0);
	assert_int_equal(w->nsent, 2);
	w->idle = NULL;
	w->on_send = answers;
	assert_int_equal(diag_run(&w->d), 0);
	assert_int_equal(t.n, 5);
}

static void
a_device_is_gone(void **state)
{
	struct wire *w = *state;
	struct told t = { 0 };

	w->gone = true;
	submit(w, 3, &t);
	assert_int_equal(diag_run(&w->d), -EIO);
	assert_int_equal(t.n, 3); /* every request has ended */
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(t.end[i], DIAG_FAILED);
	assert_int_equal(json_array_size(w->d.errors), 1); /* reported once */
	assert_int_equal(diag_status(&w->d), EXIT_FATAL);
	assert_int_equal(diag_run(&w->d), 0); /* nothing is left of them */
}

struct own {
	unsigned taken, given, status;
	struct diag *d;
};

static void
own_take(void *arg, const struct txn_end *e)
{
	struct own *o = arg;

	o->taken++;
	assert_true(e->cookie == (UINT64_C(7) << 56 | 42));
	o->status = e->status;
}

static void
give(void *arg)
{
	struct own *o = arg;
	struct txn_req r = { .cookie = UINT64_C(7) << 56 | 42,
		.mgmt_class = CLASS_SM_DR,
		.method = METHOD_GET,
		.attr_id = NODE_INFO_ID,
		.path = (const uint8_t[64]){ 0 },
		.target = engine_target_base(o->d) };

	if (!o->given++)
		txn_submit(engine_txn(o->d), &r, (struct monotime){ 0 });
}

/* Discovery puts its own transactions in; they end where it says, requests at their callback. */
static void
transactions_of_others(void **state)
{
	struct wire *w = *state;
	struct own o = { .d = &w->d };
	struct told t = { 0 };
	struct io_class c = io_class_client(CLASS_SM_DR);

	assert_int_equal(diag_class(&w->d, &c), 0);
	w->on_send = answers;
	submit(w, 1, &t);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(engine_turn(&w->d, own_take, give, &o), 0);
	assert_int_equal(o.taken, 1);
	assert_int_equal(t.n, 1);
	assert_int_equal(w->nsent, 2);
}

/* The last test: a signal stays. */
static void
a_signal_ends_them(void **state)
{
	struct wire *w = *state;
	struct told t = { 0 };

	submit(w, 3, &t);
	diag_catch_signals();
	raise(SIGINT);
	assert_int_equal(engine_turn(&w->d, NULL, NULL, NULL), -EINTR);
	assert_int_equal(diag_run(&w->d), -EINTR);
	assert_int_equal(t.n, 3);
	assert_int_equal(t.end[2], DIAG_FAILED);
	assert_int_equal(w->nsent, 0);
	assert_int_equal(json_array_size(w->d.errors), 1);
	assert_int_equal(diag_status(&w->d), EXIT_PARTIAL);
	submit(w, 1, &t);
	assert_int_equal(diag_run(&w->d), -EINTR); /* and is not reported twice */
	assert_int_equal(json_array_size(w->d.errors), 1);
	assert_int_equal(engine_failed(&w->d, -EINTR), EXIT_PARTIAL);
	diag_signals_end(&w->d);
	assert_int_equal(engine_failed(&w->d, -EINTR), EXIT_OK); /* a server ends so */
}

#define T(f) cmocka_unit_test_setup_teardown(f, wire_begin, wire_end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(nothing_to_do),
		T(many_requests),
		T(answers_in_order_of_arrival),
		T(an_answer_may_ask_more),
		T(an_unresponsive_node),
		T(a_window_limits_them),
		T(a_device_is_gone),
		T(transactions_of_others),
		T(a_signal_ends_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
