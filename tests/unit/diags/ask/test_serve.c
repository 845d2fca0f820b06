/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_serve.c - a tool that answers: which requests, with which bytes, and how it ends.
 */
#include <config.h>
#include <errno.h>
#include <signal.h>
#include <unistd.h>
#include "diags/ask/serve.h"
#include "tests/unit/diags/ask/wire.h"

#define OUI 0x001405
#define VENDOR (CLASS_VENDOR2_FIRST + 2)

static size_t answer_bytes; /* what answer() writes, if there is room */
static size_t room_seen;

static size_t
answer(struct diag *d, const uint8_t *request, uint8_t *data, size_t room)
{
	size_t n = answer_bytes < room ? answer_bytes : room;

	(void)d;
	room_seen = room;
	for (size_t i = 0; i < n; i++)
		data[i] = (uint8_t)(dgram_vendor2_image(request)[0] + i);
	return n;
}

static struct dgram
request(uint8_t mgmt_class, uint8_t method, uint64_t tid)
{
	struct dgram g = { .bytes = DGRAM_BYTES, .addr = { .lid = 5, .qpn = 1, .sl = 3 } };

	dgram_head_encode(g.mad,
		&(struct dgram_head){ .base_version = 1,
			.mgmt_class = mgmt_class,
			.class_version = 1,
			.method = method,
			.attr_id = 0x44,
			.modifier = 9,
			.tid = tid,
			.status = 0x1c });
	dgram_set_oui(g.mad, OUI);
	dgram_vendor2_data(g.mad)[0] = 0x60;
	return g;
}

static json_int_t
serve(struct wire *w, uint8_t rmpp_version, int status)
{
	struct io_class c = {
		.mgmt_class = VENDOR, .class_version = 1, .oui = OUI, .rmpp_version = rmpp_version
	};

	assert_int_equal(diag_serve(&w->d, c, answer), status);
	return json_integer_value(json_object_get(w->d.summary, "requests"));
}

static int
measure(struct wire *w, const struct dgram *g, int timeout_ms)
{
	size_t *bytes = w->arg;

	assert_int_equal(timeout_ms, 0); /* an answer has no answer */
	if (g->bytes > DGRAM_BYTES) {
		assert_non_null(g->more);
		assert_memory_equal(g->more, g->mad, DGRAM_BYTES);
		assert_int_equal(
			g->more[g->bytes - 1], (uint8_t)(0x60 + g->bytes - 1 - DGRAM_VENDOR2_AT));
	} else {
		assert_null(g->more);
	}
	*bytes = g->bytes;
	return 0;
}

/* Serves what is in the queue; then the device is gone, which is the end. */
static void
one_answer_for_one_request(void **state)
{
	struct wire *w = *state;
	struct dgram g = request(VENDOR, METHOD_GET, 0x1234);
	struct dgram_head h;
	size_t bytes;

	w->gone = true;
	w->arg = &bytes;
	w->on_send = measure;
	answer_bytes = 4;
	wire_arrive(w, &g);
	assert_int_equal(serve(w, 0, EXIT_FATAL), 1);
	assert_int_equal(w->nsent, 1);
	assert_int_equal(bytes, DGRAM_BYTES);
	assert_int_equal(room_seen, DGRAM_VENDOR2_DATA_BYTES);
	h = dgram_head_decode(w->sent[0].mad);
	assert_int_equal(h.method, METHOD_GET_RESP);
	assert_int_equal(h.mgmt_class, VENDOR);
	assert_int_equal(h.status, STATUS_OK); /* not that of the request */
	assert_int_equal(h.tid, 0x1234);
	assert_int_equal(h.attr_id, 0x44);
	assert_int_equal(h.modifier, 9);
	assert_int_equal(dgram_oui(w->sent[0].mad), OUI);
	assert_int_equal(w->sent[0].addr.lid, 5);
	assert_int_equal(w->sent[0].addr.sl, 3);
	assert_memory_equal(dgram_vendor2_image(w->sent[0].mad), "\x60\x61\x62\x63\0", 5);
	/* What is longer than a MAD is cut without RMPP. */
	answer_bytes = 5000;
	wire_arrive(w, &g);
	serve(w, 0, EXIT_FATAL);
	assert_int_equal(bytes, DGRAM_BYTES);
}

static void
nothing_else_is_answered(void **state)
{
	struct wire *w = *state;
	struct dgram g;

	w->gone = true;
	answer_bytes = 4;
	for (unsigned method = 0; method < 256; method++)
		if (method != METHOD_GET && method < 200) {
			g = request(VENDOR, (uint8_t)method, method);
			wire_arrive(w, &g);
		}
	g = request(VENDOR + 1, METHOD_GET, 1); /* another class */
	wire_arrive(w, &g);
	g = request(VENDOR, METHOD_GET, 2); /* an answer of ours that came back */
	g.status = ETIMEDOUT;
	wire_arrive(w, &g);
	g.status = EMSGSIZE; /* a request that was too long */
	wire_arrive(w, &g);
	assert_int_equal(serve(w, 1, EXIT_FATAL), 0);
	assert_int_equal(w->nsent, 0);
}

static void
long_answers(void **state)
{
	struct wire *w = *state;
	struct dgram g = request(VENDOR, METHOD_GET, 1);
	size_t bytes;

	w->gone = true;
	w->arg = &bytes;
	w->on_send = measure;
	answer_bytes = 3000;
	g.bytes = 700; /* and a long request, whose rest is freed */
	g.more = calloc(1, g.bytes);
	wire_arrive(w, &g);
	serve(w, 1, EXIT_FATAL);
	assert_int_equal(bytes, DGRAM_VENDOR2_AT + 3000);
	assert_true(dgram_rmpp_active(w->sent[0].mad));
	assert_int_equal(dgram_rmpp_head_decode(w->sent[0].mad).type, RMPP_DATA);
	/* The most that fits, and exactly one MAD. */
	g = request(VENDOR, METHOD_GET, 1);
	answer_bytes = SIZE_MAX;
	wire_arrive(w, &g);
	serve(w, 1, EXIT_FATAL);
	assert_int_equal(bytes, 65536);
	answer_bytes = DGRAM_VENDOR2_DATA_BYTES;
	wire_arrive(w, &g);
	serve(w, 1, EXIT_FATAL);
	assert_int_equal(bytes, DGRAM_BYTES);
	assert_false(dgram_rmpp_active(w->sent[2].mad));
}

static int
cannot_send(struct wire *w, const struct dgram *g, int timeout_ms)
{
	(void)w;
	(void)g;
	(void)timeout_ms;
	return -EIO;
}

static void
an_answer_that_is_not_sent(void **state)
{
	struct wire *w = *state;
	struct dgram g = request(VENDOR, METHOD_GET, 1);

	w->gone = true;
	w->on_send = cannot_send;
	wire_arrive(w, &g);
	wire_arrive(w, &g);
	assert_int_equal(serve(w, 0, EXIT_FATAL), 2); /* it goes on */
	assert_int_equal(json_array_size(w->d.errors), 3);
}

static void
a_class_of_others(void **state)
{
	struct wire *w = *state;

	w->refuses = true;
	serve(w, 0, EXIT_FATAL);
	assert_int_equal(w->classes, 1);
}

static void
host_name(void **state)
{
	char name[300], few[4];

	(void)state;
	memset(name, 'x', sizeof(name));
	diag_host_name(name, sizeof(name));
	assert_true(strlen(name) > 0 && strlen(name) < sizeof(name));
	memset(few, 'x', sizeof(few));
	diag_host_name(few, sizeof(few));
	assert_true(strlen(few) < sizeof(few));
}

static void
interrupt(struct wire *w)
{
	(void)w;
	raise(SIGTERM);
}

/* The last test: a signal stays. */
static void
a_signal_is_the_end(void **state)
{
	struct wire *w = *state;
	struct dgram g = request(VENDOR, METHOD_GET, 1);

	w->idle = interrupt;
	answer_bytes = 1;
	wire_arrive(w, &g);
	assert_int_equal(serve(w, 0, EXIT_OK), 1);
	assert_int_equal(json_array_size(w->d.errors), 0);
	assert_int_equal(diag_status(&w->d), EXIT_OK);
}

#define T(f) cmocka_unit_test_setup_teardown(f, wire_begin, wire_end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(one_answer_for_one_request),
		T(nothing_else_is_answered),
		T(long_answers),
		T(an_answer_that_is_not_sent),
		T(a_class_of_others),
		cmocka_unit_test(host_name),
		T(a_signal_is_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
