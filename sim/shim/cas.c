/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cas.c - libibumad's functions for CAs and their ports.
 * Room: sim/shim.
 *
 * A program sees exactly one CA: the node on which `heddle-sim exec` runs it.  If the node is a
 * switch, the CA has only port 0.  The functions ask the server each time (info.c), so they return
 * the current state.  Memory that they return is the caller's, released by umad_release_port(),
 * umad_release_ca() and umad_free_ca_device_list().
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/attr/sm_attr.h"
#include "sim/shim/shim.h"

/* ---- one port ---- */

static int
fill_port(uint8_t num, umad_port_t *port)
{
	char rate[64];
	struct shim_port p;

	port->pkeys = NULL;
	if (info_port(num, &p) || !p.npkeys)
		return -EIO;
	snprintf(port->ca_name, sizeof(port->ca_name), "%s", info_ca_name());
	port->portnum = num;
	port->base_lid = (unsigned)ATTR_GET(port_info, lid, p.info);
	port->lmc = (unsigned)ATTR_GET(port_info, lmc, p.info);
	port->sm_lid = (unsigned)ATTR_GET(port_info, master_sm_lid, p.info);
	port->sm_sl = (unsigned)ATTR_GET(port_info, master_sm_sl, p.info);
	port->state = (unsigned)ATTR_GET(port_info, state, p.info);
	port->phys_state = (unsigned)ATTR_GET(port_info, phys_state, p.info);
	info_rate_text(p.info, rate, sizeof(rate));
	port->rate = (unsigned)strtoul(rate, NULL, 10);
	memcpy(&port->capmask, p.info + ATTR_AT(port_info, capability_mask), sizeof(port->capmask));
	memcpy(&port->gid_prefix, p.info + ATTR_AT(port_info, gid_prefix),
		sizeof(port->gid_prefix));
	port->port_guid = wire_order64(p.guid);
	snprintf(port->link_layer, sizeof(port->link_layer), "InfiniBand");
	port->pkeys = calloc(p.npkeys, sizeof(port->pkeys[0]));
	if (!port->pkeys)
		return -EIO;
	memcpy(port->pkeys, p.pkeys, p.npkeys * sizeof(port->pkeys[0]));
	port->pkeys_size = p.npkeys;
	return 0;
}

EXPORT int
umad_get_port(const char *ca_name, int portnum, umad_port_t *port)
{
	if (info_resolve(ca_name, &portnum))
		return -ENODEV;
	if ((ca_name && strcmp(ca_name, info_ca_name())) || portnum < 0 || portnum >= SHIM_PORTS)
		return -EIO;
	return fill_port((uint8_t)portnum, port);
}

EXPORT int
umad_release_port(umad_port_t *port)
{
	if (!port)
		return -ENODEV;
	free(port->pkeys);
	port->pkeys = NULL;
	port->pkeys_size = 0;
	return 0;
}

/* ---- the CA ---- */

EXPORT int
umad_release_ca(umad_ca_t *ca)
{
	if (!ca)
		return -ENODEV;
	for (int i = 0; i <= ca->numports; i++) {
		if (!ca->ports[i])
			continue;
		umad_release_port(ca->ports[i]);
		free(ca->ports[i]);
		ca->ports[i] = NULL;
	}
	return 0;
}

static int
fill_ca_ports(umad_ca_t *ca, unsigned first, unsigned last)
{
	for (unsigned i = first; i <= last; i++) {
		ca->numports = (int)i;
		ca->ports[i] = calloc(1, sizeof(*ca->ports[i]));
		if (!ca->ports[i])
			return -ENOMEM;
		if (fill_port((uint8_t)i, ca->ports[i]))
			return -EIO;
	}
	return 0;
}

EXPORT int
umad_get_ca(const char *ca_name, umad_ca_t *ca)
{
	struct shim_ca s;
	bool is_switch;
	int r;

	if (ca_name && strcmp(ca_name, info_ca_name()))
		return -ENOENT;
	if (info_ca(&s))
		return ca_name ? -ENOENT : -ENODEV;
	is_switch = s.node_type == 2;
	memset(ca, 0, sizeof(*ca));
	snprintf(ca->ca_name, sizeof(ca->ca_name), "%s", info_ca_name());
	ca->node_type = s.node_type;
	snprintf(ca->fw_ver, sizeof(ca->fw_ver), "%s", PACKAGE_VERSION);
	snprintf(ca->ca_type, sizeof(ca->ca_type), "heddle-sim");
	snprintf(ca->hw_ver, sizeof(ca->hw_ver), "%x", s.revision);
	ca->node_guid = wire_order64(s.node_guid);
	ca->system_guid = wire_order64(s.sys_guid);
	r = fill_ca_ports(ca, is_switch ? 0 : 1, is_switch ? 0 : s.nports < SHIM_PORTS ? s.nports :
		SHIM_PORTS - 1);
	if (r)
		umad_release_ca(ca);
	return r;
}

EXPORT int
umad_get_ca_portguids(const char *ca_name, __be64 *portguids, int max)
{
	umad_ca_t ca;
	int n = 0;

	if (umad_get_ca(ca_name, &ca))
		return -1;
	if (portguids && ca.numports + 1 > max)
		n = -ENOMEM;
	for (int i = 0; portguids && n >= 0 && i <= ca.numports; i++)
		portguids[n++] = ca.ports[i] ? ca.ports[i]->port_guid : 0;
	umad_release_ca(&ca);
	return n;
}

/* ---- lists ---- */

EXPORT int
umad_get_cas_names(char cas[][UMAD_CA_NAME_LEN], int max)
{
	struct shim_ca ca;

	if (max < 1 || info_ca(&ca))
		return 0;
	snprintf(cas[0], UMAD_CA_NAME_LEN, "%s", info_ca_name());
	return 1;
}

EXPORT struct umad_device_node *
umad_get_ca_device_list(void)
{
	struct umad_device_node *node;
	struct shim_ca ca;
	const char *name = info_ca_name();

	errno = 0;
	if (info_ca(&ca)) {
		errno = EIO;
		return NULL;
	}
	node = calloc(1, sizeof(*node) + strlen(name) + 1);
	if (!node)
		return NULL;
	node->ca_name = strcpy((char *)(node + 1), name);
	return node;
}

EXPORT void
umad_free_ca_device_list(struct umad_device_node *head)
{
	while (head) {
		struct umad_device_node *next = head->next;

		free(head);
		head = next;
	}
}

static int
compare(const void *a, const void *b)
{
	const struct umad_device_node *const *x = a, *const *y = b;

	return strcmp((*x)->ca_name, (*y)->ca_name);
}

/* Sorts a list by name; the caller may have made it.  'size' 0: the function counts the nodes. */
EXPORT int
umad_sort_ca_device_list(struct umad_device_node **head, size_t size)
{
	struct umad_device_node **all, *node;
	size_t n = 0;

	if (!size)
		for (node = *head; node; node = node->next)
			size++;
	if (size < 2)
		return 0;
	all = calloc(size, sizeof(struct umad_device_node *));
	if (!all)
		return ENOMEM;
	for (node = *head; node && n < size; node = node->next)
		all[n++] = node;
	if (n < size || node) {
		free(all);
		return EINVAL;
	}
	qsort(all, n, sizeof(struct umad_device_node *), compare);
	for (size_t i = 0; i < n; i++)
		all[i]->next = i + 1 < n ? all[i + 1] : NULL;
	*head = all[0];
	free(all);
	return 0;
}
