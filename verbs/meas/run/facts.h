/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * facts.h - what an end reports about its device and port, so that a result says what was
 * measured.
 * Room: verbs/meas/run.
 *
 * Each end reads its own facts when it opens the device, sends them to the other end as JSON, and
 * keeps both.  They decide how the ends connect (GIDs, LID, P_Key), what a test may use (limits of
 * the device), and whether speeds mean anything ('emulated').  Facts of the other end are
 * untrusted input.
 */
#ifndef HEDDLE_VERBS_MEAS_RUN_FACTS_H
#define HEDDLE_VERBS_MEAS_RUN_FACTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "verbs/backend/backend.h"
#include "verbs/meas/run/gid.h"

struct meas_facts {
	char host[64], device[64], provider[32], firmware[64];
	char state[16], width[8], speed[8];     /* words; "" unknown */
	/* "" when its speeds are meaningful, otherwise the reason */
	char emulated[200];
	uint64_t node_guid;
	uint8_t port;
	uint16_t pkey;                  /* entry 0 of the port's table */
	uint16_t sm_lid;
	uint32_t mtu_bytes;             /* active */
	double rate_gbps;               /* 0: unknown */
	uint32_t max_wr, max_cqe, max_qps, rd_atomic_target, rd_atomic_initiator;
	bool atomic;
	bool connected_by_cm_only;      /* iWARP */
	struct meas_gids gids;
};

/* Queries the device.  0, or a negative errno with a sentence in 'why' (VERBS_WHY_BYTES). */
int meas_facts_read(struct verbs_dev *dev, struct meas_facts *f, char *why);
/* The facts as JSON; a new object. */
json_t *meas_facts_json(const struct meas_facts *f);
/* Fills 'f' from any JSON value.  Returns 0, or -EINVAL with a sentence in 'why'
 * (VERBS_WHY_BYTES). */
int meas_facts_from_json(const json_t *o, struct meas_facts *f, char *why);

#endif
