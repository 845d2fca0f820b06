/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * snapshot_json.h - a snapshot as a JSON value and back: what a file or another process hands on.
 * Room: fabric/snapshot.  Pure.  docs/discovery.md has the members.
 *
 * Images go as hexadecimal text, so nothing is lost but P_Key blocks, forwarding tables, and
 * M_Keys, which go as 0.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_SNAPSHOT_JSON_H
#define HEDDLE_FABRIC_SNAPSHOT_SNAPSHOT_JSON_H

#include <jansson.h>
#include "fabric/snapshot/snapshot.h"

/* {"format": 1, "from": {"node", "port"}, "nodes": [...], "troubles": [...]}; owned by the
 * caller. */
json_t *snapshot_to_json(const struct snapshot *s);
/* The same as compact text, handed to 'put' piece by piece and never held.  0, or -EIO once
 * 'put' does not return 0. */
int snapshot_put_json(const struct snapshot *s, json_dump_callback_t put, void *arg);
#define SNAPSHOT_WHY_BYTES 200
/*
 * Total: any JSON value is read or refused.  0; -EINVAL with a sentence in 'why': no such format, a
 * member is missing or out of range, a GUID twice, a cable whose ends disagree.
 */
int snapshot_from_json(const json_t *o, struct snapshot **out, char why[static SNAPSHOT_WHY_BYTES]);

#endif
