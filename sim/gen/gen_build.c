/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * gen_build.c - common functions of the families: checks, switches, hosts, cables.
 * Room: sim/gen.  Pure.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include "sim/gen/family.h"
#include "util/xalloc.h"

#define GUID_BASE 0x00fe1d0000000000u
#define VENDOR_ID 0x00fe1du             /* the company part of the GUIDs */
#define DEVICE_SWITCH 1
#define DEVICE_HOST 2

int
gen_refuse(struct gen *g, const char *fmt, ...)
{
	int used = snprintf(g->e->text, sizeof(g->e->text), "%s: ", g->family);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(g->e->text + used, sizeof(g->e->text) - (size_t)used, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

int
gen_check_radix(struct gen *g, uint64_t need, const char *what)
{
	if (need <= g->radix)
		return 0;
	return gen_refuse(g, "radix=%u is too small: a switch needs %" PRIu64 " ports (%s)",
		g->radix, need, what);
}

int
gen_check_lids(struct gen *g, uint64_t switches, uint64_t host_ports)
{
	if (switches <= GEN_LIDS_MAX && host_ports <= GEN_LIDS_MAX &&
	    switches + host_ports <= GEN_LIDS_MAX)
		return 0;
	return gen_refuse(g,
		"%" PRIu64 " switches and %" PRIu64
		" host ports need more LIDs than the %u of a subnet",
		switches, host_ports, GEN_LIDS_MAX);
}

static uint32_t
add_node(struct gen *g, enum topo_node_type type, uint8_t nports, const char *desc)
{
	uint64_t guid = GUID_BASE + (uint64_t)0x100 * topo_builder_count(g->b);
	uint32_t node = topo_builder_node(g->b, type, nports, guid, desc);
	struct topo_node *n = topo_builder_at(g->b, node);

	n->sys_guid = guid;
	n->vendor_id = VENDOR_ID;
	n->device_id = type == TOPO_SWITCH ? DEVICE_SWITCH : DEVICE_HOST;
	return node;
}

uint32_t
gen_switch(struct gen *g, const char *desc_fmt, ...)
{
	char desc[65];
	va_list ap;

	va_start(ap, desc_fmt);
	vsnprintf(desc, sizeof(desc), desc_fmt, ap);
	va_end(ap);
	return add_node(g, TOPO_SWITCH, g->radix, desc);
}

uint32_t
gen_host(struct gen *g, uint8_t nports)
{
	char desc[32];

	snprintf(desc, sizeof(desc), "host-%" PRIu32, g->hosts++);
	return add_node(g, TOPO_CA, nports, desc);
}

void
gen_hosts(struct gen *g, uint32_t first, uint32_t count, uint32_t per_switch)
{
	for (uint32_t s = first; s < first + count; s++)
		for (uint32_t i = 1; i <= per_switch; i++)
			gen_cable(g, s, i, gen_host(g, 1), 1);
}

void
gen_cable(struct gen *g, uint32_t a, uint32_t port_a, uint32_t b, uint32_t port_b)
{
	if (port_a > 254 || port_b > 254 || topo_builder_cable(g->b, a, (uint8_t)port_a, b,
	    (uint8_t)port_b))
		bug("%s: no cable from node %" PRIu32 " port %" PRIu32 " to node %" PRIu32
		    " port %" PRIu32,
			g->family, a, port_a, b, port_b);
}
