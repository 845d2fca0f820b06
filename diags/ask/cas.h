/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cas.h - the adapters of this machine, as libibumad and sysfs describe them.
 * Room: diags/ask.
 *
 * For ibstat and ibstatus, which need no MADs. Each call reads the present state; nothing is
 * cached.
 */
#ifndef HEDDLE_DIAGS_ASK_CAS_H
#define HEDDLE_DIAGS_ASK_CAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CA_NAME_BYTES 64
#define CA_TEXT_BYTES 64

struct ca_port {
	bool present;
	unsigned state, phys_state;
	unsigned rate_gbps;             /* the integer that libibumad reports; 2 means 2.5 */
	bool fdr10;
	unsigned lid, lmc, sm_lid;
	uint32_t cap_mask;
	uint64_t guid, gid_prefix;
	char link_layer[CA_TEXT_BYTES];
};

struct ca {
	char name[CA_NAME_BYTES];
	int error; /* 0 or a positive errno; then the members below are not set */
	unsigned node_type; /* 1 CA, 2 switch, 3 router, 4 iWARP; 0: has no management device */
	char type[CA_TEXT_BYTES], firmware[CA_TEXT_BYTES], hardware[CA_TEXT_BYTES];
	uint64_t node_guid, sys_guid;
	unsigned nports;
	struct ca_port *ports;          /* [0..nports] */
};

/* Stores an array of all adapters, sorted by name, in '*cas' and returns its length. The caller
 * frees it by cas_free(). */
size_t cas_list(struct ca **cas);
/* Frees the array of cas_list(). */
void cas_free(struct ca *cas, size_t n);
/* Reads the first line of /sys/class/infiniband/DEVICE/FILE into 'text'. Returns false if it cannot
 * be read. */
bool cas_sysfs(const char *device, const char *file, char *text, size_t room);

#endif
