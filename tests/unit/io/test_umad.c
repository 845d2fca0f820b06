/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_umad.c - the back end on libibumad, over a library of our own that plays the kernel: messages
 * that are too long. A message that does not fit stays the first of the device, as in the kernel, until
 * a read has room for all of it.
 */
#include <config.h>
#include <errno.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/io/io.h"
#include "tests/unit/test.h"

enum { MESSAGES_MAX = 8, AGENT = 3 };

/* The device: messages by their lengths. */
static struct {
	uint32_t bytes[MESSAGES_MAX];
	uint8_t method[MESSAGES_MAX];
	unsigned first, n, reads;
} device;

static unsigned long long peak_kib;     /* of memory of our own, while a message was read */

/* Pages of the same memory that are mapped several times are no memory of our own. */
static void
look_at_memory(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	unsigned long long kib;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "RssAnon: %llu", &kib) == 1 && kib > peak_kib)
			peak_kib = kib;
	if (f)
		fclose(f);
}

static umad_port_t the_port = { .ca_name = "fake0", .portnum = 1, .base_lid = 5, .state = 4, .link_layer = "InfiniBand" };

int umad_init(void) { return 0; }
int umad_get_cas_names(char cas[][UMAD_CA_NAME_LEN], int max) { (void)cas; (void)max; return 0; }
int umad_get_ca(const char *name, umad_ca_t *ca) { (void)name; (void)ca; return -ENODEV; }
int umad_release_ca(umad_ca_t *ca) { (void)ca; return 0; }
int umad_release_port(umad_port_t *p) { (void)p; return 0; }
int umad_get_issm_path(const char *ca, int port, char *path, int max) { (void)ca; (void)port; (void)path; (void)max; return -1; }
int umad_open_port(const char *ca, int port) { (void)ca; (void)port; return 7; }
int umad_close_port(int id) { (void)id; return 0; }
int umad_get_fd(int id) { return id; }
int umad_poll(int id, int timeout_ms) { (void)id; (void)timeout_ms; return 0; }
size_t umad_size(void) { return sizeof(struct ib_user_mad); }
void *umad_get_mad(void *umad) { return ((struct ib_user_mad *)umad)->data; }
#ifdef HAVE_UMAD_OPEN_SMI_PORT
int umad_open_smi_port(const char *ca, int port) { (void)ca; (void)port; return -1; }
#endif

int
umad_get_port(const char *ca, int port, umad_port_t *p)
{
	(void)ca;
	(void)port;
	*p = the_port;
	return 0;
}

int
umad_register(int id, int mgmt_class, int version, uint8_t rmpp, long mask[16 / sizeof(long)])
{
	(void)id; (void)mgmt_class; (void)version; (void)rmpp; (void)mask;
	return AGENT;
}

int
umad_register_oui(int id, int mgmt_class, uint8_t rmpp, uint8_t oui[3], long mask[16 / sizeof(long)])
{
	(void)id; (void)mgmt_class; (void)rmpp; (void)oui; (void)mask;
	return AGENT;
}

int
umad_send(int id, int agent, void *umad, int length, int timeout_ms, int retries)
{
	(void)id; (void)agent; (void)umad; (void)length; (void)timeout_ms; (void)retries;
	return 0;
}

int
umad_recv(int id, void *umad, int *length, int timeout_ms)
{
	struct ib_user_mad *u = umad;
	uint32_t bytes = device.bytes[device.first];
	uint8_t *mad = u->data;

	(void)id;
	(void)timeout_ms;
	if (!device.n)
		return -EAGAIN;
	device.reads++;
	memset(u, 0, sizeof(*u));
	u->agent_id = AGENT;
	u->addr.lid = htons((uint16_t)(100 + device.first));
	memset(mad, 0, 256);
	mad[0] = 1;
	mad[1] = CLASS_SA;
	mad[3] = device.method[device.first];
	if ((uint32_t)*length < bytes) {
		*length = (int)bytes;
		return -ENOSPC;
	}
	memset(mad + 256, 0x5a, bytes > 256 ? bytes - 256 : 0);
	look_at_memory();
	*length = (int)bytes;
	device.first++;
	device.n--;
	return AGENT;
}

static struct io *
open_with(struct io_class c)
{
	struct io *io;

	assert_int_equal(io_umad_open("fake0", 1, &io, NULL), 0);
	assert_int_equal(io_add_class(io, &c, NULL), 0);
	return io;
}

static void
device_dgram_put(uint8_t method, uint32_t bytes)
{
	device.method[device.first + device.n] = method;
	device.bytes[device.first + device.n++] = bytes;
}

static int
empty(void **state)
{
	(void)state;
	memset(&device, 0, sizeof(device));
	return 0;
}

/* At the limit it is taken, a byte above it is dropped; what stands behind it comes all the same. */
static void
at_the_limit(void **state)
{
	struct io *io = open_with(io_class_sa());
	struct dgram d;

	(void)state;
	device_dgram_put(METHOD_GET_MULTI, IO_REQUEST_MAX);
	device_dgram_put(METHOD_GET_MULTI, IO_REQUEST_MAX + 1);
	device_dgram_put(METHOD_GET, 256);
	assert_int_equal(io_recv(io, &d), 1);
	assert_int_equal(d.status, 0);
	assert_int_equal(d.bytes, IO_REQUEST_MAX);
	assert_non_null(d.more);
	assert_int_equal(d.more[IO_REQUEST_MAX - 1], 0x5a);
	free(d.more);
	assert_int_equal(io_recv(io, &d), 1);
	assert_int_equal(d.status, EMSGSIZE);
	assert_int_equal(d.bytes, IO_REQUEST_MAX + 1);
	assert_null(d.more);
	assert_int_equal(d.addr.lid, 101);
	assert_int_equal(dgram_method(d.mad), METHOD_GET_MULTI);
	assert_int_equal(io_recv(io, &d), 1);
	assert_int_equal(d.status, 0);
	assert_int_equal(d.addr.lid, 102);
	assert_null(d.more);
	assert_int_equal(io_recv(io, &d), 0);
	io_close(io);
}

/* A gigabyte ends that transfer, not the device, and takes next to no memory. */
static void
a_gigabyte(void **state)
{
	struct io *io = open_with(io_class_sa());
	struct dgram d;
	unsigned long long before;

	(void)state;
	look_at_memory();
	before = peak_kib;
	device_dgram_put(METHOD_GET, 256);
	device_dgram_put(METHOD_GET_MULTI, 1u << 30);
	device_dgram_put(METHOD_GET_MULTI, 300u << 20);
	device_dgram_put(METHOD_GET, 256);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(io_recv(io, &d), 1);
		assert_int_equal(d.status, i == 1 || i == 2 ? EMSGSIZE : 0);
		assert_int_equal(d.addr.lid, 100 + i);
		assert_null(d.more);
	}
	assert_int_equal(device.n, 0);
	assert_true(peak_kib >= before);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	assert_in_range(peak_kib - before, 0, 16 << 10);
#endif
	io_close(io);
}

/* A tool takes tables of large fabrics. */
static void
a_tool(void **state)
{
	struct io *io = open_with(io_class_client(CLASS_SA));
	struct dgram d;

	(void)state;
	device_dgram_put(METHOD_GET_TABLE_RESP, 40u << 20);
	device_dgram_put(METHOD_GET_TABLE_RESP, IO_ANSWER_MAX + 1);
	assert_int_equal(io_recv(io, &d), 1);
	assert_int_equal(d.status, 0);
	assert_int_equal(d.bytes, 40u << 20);
	free(d.more);
	assert_int_equal(io_recv(io, &d), 1);
	assert_int_equal(d.status, EMSGSIZE);
	io_close(io);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(at_the_limit, empty), cmocka_unit_test_setup(a_gigabyte, empty),
		cmocka_unit_test_setup(a_tool, empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
