/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover.h - the directed-route sweep as a state machine.
 * Room: fabric.  Pure: it hands out questions and takes in answers; txn sends them.
 *
 * Asks each node NodeInfo once per cable end that leads to it (E + 1 in all), then NodeDescription, SwitchInfo,
 * PortInfo of all ports, P_Key block 0 of every host port and switch port 0, and the LFT blocks of switches whose
 * LinearFDBTop is not 0 and whose table the caller does not remember.  Everything in flight at once.
 */
#ifndef HEDDLE_FABRIC_DISCOVER_H
#define HEDDLE_FABRIC_DISCOVER_H

#include "fabric/snapshot.h"
#include "libmad/txn/txn.h"
#include "util/log.h"

struct discover_conf {
	bool want_desc, want_pkeys, want_ports, want_lft;
	uint64_t mkey;                  /* for reading protected ports; 0 none */
	/* Remembers the LFT of a switch from an earlier sweep: returns blocks * 64 bytes or NULL. May be NULL. */
	const uint8_t *(*remembered_lft)(void *arg, uint64_t node_guid, uint16_t lft_top, uint32_t *blocks);
	void *arg;
};

struct discover;

struct discover *discover_new(const struct discover_conf *c, const struct log *l);
void discover_free(struct discover *d);
/* The next question, for txn_submit(): false when there is none right now. 'cookie' identifies it. */
bool discover_next(struct discover *d, struct txn_req *r);
/* An ended transaction with one of our cookies. */
void discover_end(struct discover *d, const struct txn_end *e);
/* True when nothing is open any more. */
bool discover_done(const struct discover *d);
/* Seals the snapshot (sorted, linked, counted) and moves it out. -ENODEV when not even the own node answered. */
int discover_take(struct discover *d, struct snapshot **out);
/* For progress: nodes found so far, questions answered, questions open. */
void discover_progress(const struct discover *d, uint32_t *nodes, uint64_t *answered, uint64_t *open);

#endif
