/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * info.c - the simulated CA of the node: its name, its ports, and the choice of a port.
 * Room: sim/shim.
 *
 * The node is the one on which `heddle-sim exec` runs the program (conn.c).  Its CA has a name that
 * no device of the machine has, so a program cannot confuse them.  All data come from the server
 * with each call; only the name is cached.  info_resolve() chooses a port as libibumad does if the
 * program names none; the default port of `heddle-sim exec` takes precedence.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"
#include "sim/shim/shim.h"

/* Returns "hsim0", or the first name of this form that no device of the machine has. */
const char *
info_ca_name(void)
{
	static char name[UMAD_CA_NAME_LEN];
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	char path[64];

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; !name[0]; i++) {
		snprintf(path, sizeof(path), SYS_INFINIBAND "/hsim%u", i);
		if (access(path, F_OK))
			snprintf(name, sizeof(name), "hsim%u", i);
	}
	pthread_mutex_unlock(&lock);
	return name;
}

int
info_ca(struct shim_ca *ca)
{
	struct shim_request q = { .op = SHIM_CA };
	struct shim_reply a;
	unsigned port;
	int r;

	if (!conn_node(&q.node, &port))
		return -EIO;
	r = conn_ask(&q, &a);
	if (!r)
		*ca = a.ca;
	return r;
}

int
info_port(uint8_t port, struct shim_port *p)
{
	struct shim_request q = { .op = SHIM_PORT, .port = port };
	struct shim_reply a;
	unsigned unused;
	int r;

	if (!conn_node(&q.node, &unused))
		return -EIO;
	r = conn_ask(&q, &a);
	if (!r)
		*p = a.port;
	return r;
}

static unsigned
state_of(const struct shim_port *p)
{
	return (unsigned)ATTR_GET(port_info, state, p->info);
}

static unsigned
phys_of(const struct shim_port *p)
{
	return (unsigned)ATTR_GET(port_info, phys_state, p->info);
}

/* Chooses the port that libibumad uses if none is named: the first that is ACTIVE, otherwise the
 * first with a link, otherwise the first that is not disabled. */
static int
choose(unsigned nports, int *port)
{
	int up = -1, enabled = -1;
	struct shim_port p;

	for (unsigned i = 1; i <= nports && i < SHIM_PORTS; i++) {
		if (info_port((uint8_t)i, &p))
			continue;
		if (state_of(&p) == PORT_STATE_ACTIVE) {
			*port = (int)i;
			return 0;
		}
		if (up < 0 && phys_of(&p) == PHYS_STATE_LINK_UP)
			up = (int)i;
		if (enabled < 0 && phys_of(&p) != PHYS_STATE_DISABLED)
			enabled = (int)i;
	}
	*port = up >= 0 ? up : enabled;
	return *port >= 0 ? 0 : -ENODEV;
}

int
info_resolve(const char *ca_name, int *port)
{
	struct shim_ca ca;
	uint32_t node;
	unsigned wanted;
	struct shim_port p;

	if (ca_name && *port)
		return 0;
	if ((ca_name && strcmp(ca_name, info_ca_name())) || !conn_node(&node, &wanted) ||
	    info_ca(&ca))
		return -ENODEV;
	if (ca.node_type == 2) {
		*port = 0;
		return 0;
	}
	if (*port)
		return *port > 0 && (unsigned)*port <= ca.nports && !info_port((uint8_t)*port, &p) ?
			0 : -ENODEV;
	if (wanted && wanted <= ca.nports && wanted < SHIM_PORTS) {
		*port = (int)wanted;
		return 0;
	}
	return choose(ca.nports, port);
}

bool
info_has_port(const char *ca_name, int port)
{
	struct shim_port p;

	return (!ca_name || !strcmp(ca_name, info_ca_name())) && port >= 0 && port < SHIM_PORTS &&
		!info_port((uint8_t)port, &p);
}

static unsigned
lanes_of(unsigned width)
{
	switch (width) {
	case LINK_WIDTH_1X:
		return 1;
	case LINK_WIDTH_2X:
		return 2;
	case LINK_WIDTH_8X:
		return 8;
	case LINK_WIDTH_12X:
		return 12;
	default:
		return 4;
	}
}

void
info_rate_text(const uint8_t info[64], char *text, size_t room)
{
	static const struct {
		const char *name;
		unsigned tenths;        /* of Gb/s, per lane */
	} ext[] = { { " FDR", 140 }, { " EDR", 250 }, { " HDR", 500 }, { " NDR", 1000 } };
	unsigned lanes = lanes_of((unsigned)ATTR_GET(port_info, width_active, info)), tenths = 25;
	unsigned speed = (unsigned)ATTR_GET(port_info, speed_active, info);
	unsigned e = (unsigned)ATTR_GET(port_info, speed_ext_active, info);
	const char *name = "";

	if (speed == LINK_SPEED_DDR) {
		tenths = 50;
		name = " DDR";
	} else if (speed == LINK_SPEED_QDR) {
		tenths = 100;
		name = " QDR";
	}
	for (unsigned i = 0; i < 4; i++)
		if (e >> i & 1) {
			tenths = ext[i].tenths;
			name = ext[i].name;
		}
	if (ATTR_GET(port_info, speed_ext_active2, info) == LINK_SPEED_EXT2_XDR) {
		tenths = 2000;
		name = " XDR";
	}
	tenths *= lanes;
	snprintf(text, room, "%u%s Gb/sec (%uX%s)", tenths / 10, tenths % 10 ? ".5" : "", lanes,
		name);
}
