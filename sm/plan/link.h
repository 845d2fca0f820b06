/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * link.h - the wanted PortInfo of every port.
 * Room: sm/plan.  Pure.  In: the snapshot, the LIDs, the configuration.  Out: a wanted struct
 * port_info per port.
 *
 * The wanted struct starts from the image that was received, so fields that heddled does not manage
 * keep their values.  Fields for which 0 means "no change" (state, widths, speeds) are 0 unless a
 * change is wanted.  The port state is not set here: the kinds "arm" and "activate" of sm/diff
 * command it.
 */
#ifndef HEDDLE_SM_PLAN_LINK_H
#define HEDDLE_SM_PLAN_LINK_H

#include "fabric/snapshot/mkeys.h"
#include "fabric/snapshot/tables.h"

struct link_conf {
	uint64_t subnet_prefix;
	struct mkeys mkeys;
	uint16_t mkey_lease_period_s;
	uint8_t mkey_protect;           /* 0..3 */
	uint8_t max_op_vls;             /* code 1..5 of the number of VLs */
	uint8_t subnet_timeout;         /* 4.096 us * 2^n */
	/* for switch ports that face switches, and for those that face hosts */
	uint8_t hoq_life, leaf_hoq_life;
	uint8_t vl_stall_count, leaf_vl_stall_count;
	uint8_t local_phy_errors, overrun_errors;
	uint8_t sm_sl;
	uint8_t force_width;            /* LinkWidthEnabled; 255: all supported; 0: leave it */
	uint8_t force_speed;            /* LinkSpeedEnabled; 15: all supported; 0: leave it */
	/* LinkSpeedExtEnabled; 31: all supported; 30: none; 0: leave it */
	uint8_t force_speed_ext;
};

/* OpenSM's defaults. */
#define LINK_CONF_DEFAULTS { .subnet_prefix = 0xfe80000000000000ULL, .max_op_vls = 5, .subnet_timeout = 18, \
	.hoq_life = 0x12, .leaf_hoq_life = 0x10, .vl_stall_count = 7, .leaf_vl_stall_count = 7, \
	.local_phy_errors = 8, .overrun_errors = 8, .force_width = LINK_WIDTH_ALL, \
	.force_speed = LINK_SPEED_ALL, .force_speed_ext = LINK_SPEED_EXT_ALL }

struct link_plan {
	const struct snapshot *snapshot;
	const struct lid_map *lids;
	const struct link_conf *conf;
	uint16_t sm_lid;                /* the master's */
	struct mkeys_last *last;        /* for several ports in a row; NULL: none */
};

/* The highest MTU code and VL code that both ends of the link at 'port' support; 0 without a
 * peer or PortInfo. */
uint8_t plan_link_mtu(const struct snapshot *s, uint32_t port);
uint8_t plan_link_vls(const struct snapshot *s, const struct link_conf *c, uint32_t port);
/*
 * Writes the wanted PortInfo of the port with snapshot index 'port' to '*want'.  False: nothing may
 * or need be set there (no PortInfo was received; the port has no link; port 0 of a router or
 * host).
 */
bool plan_port(const struct link_plan *p, uint32_t port, struct port_info *want);

#endif
