/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * server.h - a server of the test, in the place of conn.c, device.c and real.c of the shim.
 */
#ifndef HEDDLE_TESTS_UNIT_SHIM_SERVER_H
#define HEDDLE_TESTS_UNIT_SHIM_SERVER_H

#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"
#include "tests/unit/test.h"
#include "sim/shim/shim.h"

/* What the server has; 'there' false: no server, or no node. */
struct shim_server {
	bool there;
	unsigned wanted; /* the default port of the program */
	struct shim_ca ca;
	struct shim_port ports[SHIM_PORTS];
	bool has[SHIM_PORTS];
	int issm_busy; /* so many requests for the issm device are told to wait */
	int issm_error;
	unsigned asked; /* requests */
	int device; /* what device_open() returns */
	int device_asked; /* the port of the last device_open() */
};
extern struct shim_server shim_server;

/* An adapter with two ports: the first ACTIVE, the second with nothing plugged in. */
void shim_server_reset(void);
/* Sets a field of a port's PortInfo, by its row. */
#define SHIM_SET(port, row, v) \
	wire_bits_put(shim_server.ports[port].info, port_info_at_##row, port_info_bits_##row, (v))

#endif
