/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * server.c - a server of the test, in the place of conn.c, device.c and real.c of the shim.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "tests/unit/shim/server.h"

struct shim_server shim_server;

void
shim_server_reset(void)
{
	struct shim_server *s = &shim_server;

	*s = (struct shim_server){
		.there = true, .has = { false, true, true }, .device = 77, .device_asked = -1
	};
	s->ca = (struct shim_ca){ .node_type = 1,
		.nports = 2,
		.node_guid = 0x1122334455667788,
		.sys_guid = 0x99,
		.revision = 0xa1 };
	s->ports[1].guid = 0x1122334455667789;
	s->ports[1].npkeys = 2;
	s->ports[1].pkeys[0] = 0xffff;
	s->ports[1].pkeys[1] = 0x8001;
	SHIM_SET(1, state, PORT_STATE_ACTIVE);
	SHIM_SET(1, phys_state, 5);
	SHIM_SET(1, width_active, LINK_WIDTH_4X);
	SHIM_SET(2, state, 1);
	SHIM_SET(2, phys_state, 2);
}

bool
conn_node(uint32_t *node, unsigned *port)
{
	*node = 4;
	*port = shim_server.wanted;
	return shim_server.there;
}

int
conn_ask(const struct shim_request *q, struct shim_reply *a)
{
	shim_server.asked++;
	assert_int_equal(q->node, 4);
	*a = (struct shim_reply){ .magic = SHIM_MAGIC };
	switch (q->op) {
	case SHIM_CA:
		a->ca = shim_server.ca;
		return 0;
	case SHIM_PORT:
		assert_in_range(q->port, 0, SHIM_PORTS - 1);
		a->port = shim_server.ports[q->port];
		return shim_server.has[q->port] ? 0 : -ENODEV;
	}
	fail();
	return -EIO;
}

int
conn_open(void)
{
	return shim_server.there ? open("/dev/null", O_RDWR | O_CLOEXEC) : -EIO;
}

int
conn_request(int conn, const struct shim_request *q, struct shim_reply *a, int fds[2])
{
	assert_true(conn >= 0);
	assert_int_equal(q->op, SHIM_ISSM);
	assert_null(fds);
	*a = (struct shim_reply){ .magic = SHIM_MAGIC };
	shim_server.asked++;
	if (shim_server.issm_busy) {
		shim_server.issm_busy--;
		return -EAGAIN;
	}
	return shim_server.issm_error;
}

int
device_open(uint8_t port)
{
	shim_server.device_asked = port;
	return shim_server.device;
}

const struct real *
real_libc(void)
{
	static const struct real table = { .write = write, .close = close };

	return &table;
}
