/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * capture.h - recorded answers of a fabric's agents, tables and counters, for replay offline.
 * Room: fabric/snapshot.  Pure.  docs/discovery.md has the members of its JSON.
 *
 * A capture belongs to a snapshot.  Answers are found by key: node, port, class, attribute and
 * modifier.  NodeInfo, descriptions, SwitchInfo and PortInfo are in the snapshot, not here.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_CAPTURE_H
#define HEDDLE_FABRIC_SNAPSHOT_CAPTURE_H

#include "fabric/snapshot/snapshot.h"

#define CAPTURE_DATA_BYTES 192

struct capture_key {
	uint32_t node;                  /* index in the snapshot */
	uint8_t port;                   /* of an adapter: the port that was asked; 0 for a switch */
	uint8_t mgmt_class;             /* SMPs of both kinds: 0x01 */
	uint16_t attr_id;
	uint32_t modifier;
	uint8_t select;                 /* PMA: PortSelect; else 0 */
};

struct capture_answer {
	struct capture_key key;
	uint16_t status;                /* 0, or why there are no data */
	uint16_t bytes;                 /* up to the last that is not 0 */
	const uint8_t *data;
};

struct capture;

struct capture *capture_new(void);
void capture_free(struct capture *c);   /* NULL is fine */
/* Copies the data; at most CAPTURE_DATA_BYTES.  The same key again: the first one stays. */
void capture_add(struct capture *c, const struct capture_key *k, uint16_t status,
	const uint8_t *data, size_t bytes);
/* The recorded answer; NULL: it was not requested, or not answered. */
const struct capture_answer *capture_find(struct capture *c, const struct capture_key *k);
/* Copies recorded LFTs and P_Key blocks into the snapshot, as discovery would have. */
void capture_fill(struct capture *c, struct snapshot *s);
size_t capture_count(struct capture *c);

#endif
