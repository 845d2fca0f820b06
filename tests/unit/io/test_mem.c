/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_mem.c - the back end in memory.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "libmad/io/io.h"

struct pair {
	struct io *a, *b;
};

static int
mem_setup(void **state)
{
	static const struct io_port pa = { .ca_name = "a_0", .port = 1, .lid = 5, .infiniband = true };
	static const struct io_port pb = { .ca_name = "b_0", .port = 2, .lid = 6, .infiniband = true };
	struct pair *p = calloc(1, sizeof *p);

	assert_non_null(p);
	io_mem_pair(&p->a, &pa, &p->b, &pb);
	*state = p;
	return 0;
}

static int
mem_teardown(void **state)
{
	struct pair *p = *state;

	io_close(p->a);
	io_close(p->b);
	free(p);
	return 0;
}

static void
class_add(struct io *io, struct io_class c)
{
	assert_int_equal(io_add_class(io, &c, NULL), 0);
}

static struct dgram
dgram_make(uint8_t mgmt_class, uint8_t method, uint16_t lid, uint64_t tid)
{
	struct dgram d = { .addr = { .lid = lid, .qpn = mgmt_class == CLASS_SA }, .bytes = 256 };

	dgram_head_encode(d.mad, &(struct dgram_head){
		.base_version = 1, .mgmt_class = mgmt_class, .class_version = 1, .method = method, .tid = tid,
		.attr_id = 0x11,
	});
	return d;
}

static void
request_and_answer(void **state)
{
	struct pair *p = *state;
	struct dgram d = dgram_make(CLASS_SM_DR, METHOD_GET, LID_PERMISSIVE, 0x00000000cafe0001), r;

	assert_int_equal(io_send(p->a, &d, 100), -EINVAL);      /* the class was not added */
	class_add(p->a, io_class_client(CLASS_SM_DR));
	class_add(p->b, io_class_sm(CLASS_SM_DR));
	assert_int_equal(io_send(p->a, &d, 100), 0);
	assert_int_equal(io_mem_waiting(p->b), 1);
	assert_int_equal(io_recv(p->b, &r), 1);
	assert_int_equal(io_recv(p->b, &r), 0);
	assert_int_equal(r.addr.lid, LID_PERMISSIVE);
	assert_int_equal((uint32_t)dgram_tid(r.mad), 0xcafe0001);
	assert_int_not_equal(dgram_tid(r.mad) >> 32, 0);        /* the kernel's half */
	dgram_smp_respond(r.mad, 0);
	assert_int_equal(io_send(p->b, &r, 0), 0);
	assert_int_equal(io_recv(p->a, &d), 1);
	assert_memory_equal(d.mad, r.mad, 256);                 /* an answer is passed unchanged */
}

static void
only_what_was_registered(void **state)
{
	struct pair *p = *state;
	struct dgram d = dgram_make(CLASS_SM_LID, METHOD_GET, 6, 1), r;

	class_add(p->a, io_class_sm(CLASS_SM_LID));
	assert_int_equal(io_send(p->a, &d, 100), 0);
	assert_int_equal(io_mem_waiting(p->b), 0);              /* b has no such class */
	class_add(p->b, io_class_client(CLASS_SM_LID));
	assert_int_equal(io_send(p->a, &d, 100), 0);
	assert_int_equal(io_mem_waiting(p->b), 0);              /* it takes answers only */
	assert_int_equal(io_send(p->b, &d, 100), 0);
	assert_int_equal(io_recv(p->a, &r), 1);                 /* an SM is asked */
	assert_int_equal(r.addr.lid, 6);                        /* and sees by whom */
	assert_int_equal(io_add_class(p->b, &(struct io_class){ .mgmt_class = CLASS_SM_LID }, NULL), -EEXIST);
}

static void
long_messages_are_copied(void **state)
{
	struct pair *p = *state;
	struct dgram d = dgram_make(CLASS_SA, METHOD_GET_TABLE_RESP, 6, 77), r;
	uint8_t more[1000];

	class_add(p->a, io_class_sa());
	class_add(p->b, io_class_client(CLASS_SA));
	memset(more, 7, sizeof more);
	memcpy(more, d.mad, 256);
	d.bytes = sizeof more;
	assert_int_equal(io_send(p->a, &d, 0), -EINVAL);        /* long, but nothing there */
	d.more = more;
	assert_int_equal(io_send(p->a, &d, 0), 0);
	memset(more, 0, sizeof more);
	assert_int_equal(io_recv(p->b, &r), 1);
	assert_int_equal(r.bytes, 1000);
	assert_int_equal(r.more[999], 7);
	assert_ptr_not_equal(r.more, more);
	free(r.more);
	d.more = more;
	assert_int_equal(io_send(p->a, &d, 0), 0);              /* left unread: close frees it */
}

/* A server takes no request above its limit; its end goes on. */
static void
too_long(void **state)
{
	struct pair *p = *state;
	struct dgram d = dgram_make(CLASS_SA, METHOD_GET_MULTI, 6, 77), r;
	uint8_t *more = calloc(1, IO_REQUEST_MAX + 1);

	assert_non_null(more);
	class_add(p->a, io_class_client(CLASS_SA));
	class_add(p->b, io_class_sa());
	memcpy(more, d.mad, 256);
	d.more = more;
	for (uint32_t over = 0; over < 2; over++) {
		d.bytes = IO_REQUEST_MAX + over;
		assert_int_equal(io_send(p->a, &d, 0), 0);
		assert_int_equal(io_recv(p->b, &r), 1);
		assert_int_equal(r.bytes, IO_REQUEST_MAX + over);
		assert_int_equal(r.status, over ? EMSGSIZE : 0);
		assert_int_equal(r.more != NULL, !over);
		free(r.more);
	}
	free(more);
}

static void
port_and_issm(void **state)
{
	struct pair *p = *state;
	struct io_port id;

	assert_int_equal(io_port(p->b, &id), 0);
	assert_string_equal(id.ca_name, "b_0");
	id.lid = 99;
	io_mem_set_port(p->b, &id);
	assert_int_equal(io_port(p->b, &id), 0);
	assert_int_equal(id.lid, 99);
	assert_false(io_mem_is_sm(p->a));
	assert_int_equal(io_issm(p->a, true, NULL), 0);
	assert_true(io_mem_is_sm(p->a));
	assert_int_equal(io_fd(p->a), -1);
}

static void
closed_peer(void **state)
{
	struct pair *p = *state;
	struct dgram d = dgram_make(CLASS_SM_DR, METHOD_GET, LID_PERMISSIVE, 1);

	class_add(p->a, io_class_client(CLASS_SM_DR));
	io_close(p->b);
	p->b = NULL;
	assert_int_equal(io_send(p->a, &d, 100), 0);
	assert_int_equal(io_recv(p->a, &d), 0);
}

static void
usual_classes(void **state)
{
	struct io_class sa = io_class_sa(), sm = io_class_sm(CLASS_SM_LID), ping = io_class_client(CLASS_PING);

	assert_int_equal(sa.class_version, 2);
	assert_int_equal(sa.rmpp_version, 1);
	assert_true(sa.methods[0] == (1ull << 1 | 1ull << 2 | 1ull << 0x12 | 1ull << 0x13 | 1ull << 0x14 |
		1ull << 0x15 | 1ull << 6));
	assert_true(sm.methods[0] == (1ull << 1 | 1ull << 2 | 1ull << 5 | 1ull << 7));
	assert_int_equal(sm.rmpp_version, 0);
	assert_int_equal(ping.oui, 0x001405);
	assert_true(!ping.methods[0] && !ping.methods[1]);
	(void)state;
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, mem_setup, mem_teardown)
	const struct CMUnitTest tests[] = {
		T(request_and_answer), T(only_what_was_registered), T(long_messages_are_copied), T(too_long),
		T(port_and_issm),
		T(closed_peer), cmocka_unit_test(usual_classes),
	};

	return cmocka_run_group_tests_name("mem", tests, NULL, NULL);
}
