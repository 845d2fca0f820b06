/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cas.h - the adapters of this machine, as libibumad and sysfs describe them.
 * Room: diags/ask.
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
	unsigned rate_gbps;             /* 2 stands for 2.5 */
	bool fdr10;
	unsigned lid, lmc, sm_lid;
	uint32_t cap_mask;
	uint64_t guid, gid_prefix;
	char link_layer[CA_TEXT_BYTES];
};

struct ca {
	char name[CA_NAME_BYTES];
	int error;                      /* 0; else a positive errno: nothing below is known */
	unsigned node_type; /* 1 CA, 2 switch, 3 router, 4 iWARP; 0: no device for management */
	char type[CA_TEXT_BYTES], firmware[CA_TEXT_BYTES], hardware[CA_TEXT_BYTES];
	uint64_t node_guid, sys_guid;
	unsigned nports;
	struct ca_port *ports;          /* [0..nports] */
};

/* All of them by name, at '*cas' (cas_free()); returns how many. */
size_t cas_list(struct ca **cas);
void cas_free(struct ca *cas, size_t n);
/* The first line of /sys/class/infiniband/DEVICE/FILE; false when it cannot be read. */
bool cas_sysfs(const char *device, const char *file, char *text, size_t room);

#endif
