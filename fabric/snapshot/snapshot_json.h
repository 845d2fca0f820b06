/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * snapshot_json.h - a snapshot as a JSON value and back, for files and other processes.
 * Room: fabric/snapshot.  Pure.  docs/discovery.md has the members.
 *
 * Images are hexadecimal text.  Everything is included except P_Key blocks, forwarding tables, and
 * M_Keys, which are written as 0.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_SNAPSHOT_JSON_H
#define HEDDLE_FABRIC_SNAPSHOT_SNAPSHOT_JSON_H

#include <jansson.h>
#include "fabric/snapshot/snapshot.h"

/* {"format": 1, "from": {"node", "port"}, "nodes": [...], "troubles": [...]}; owned by the
 * caller. */
json_t *snapshot_to_json(const struct snapshot *s);
/* The same as compact text, passed to 'put' piece by piece and never held in memory.  0, or -EIO if
 * 'put' does not return 0. */
int snapshot_put_json(const struct snapshot *s, json_dump_callback_t put, void *arg);
#define SNAPSHOT_WHY_BYTES 200
/*
 * Accepts or refuses any JSON value.  Returns 0, or -EINVAL with a sentence in 'why': unknown
 * format, a member missing or out of range, a duplicate GUID, a link whose ends disagree.
 */
int snapshot_from_json(const json_t *o, struct snapshot **out, char why[static SNAPSHOT_WHY_BYTES]);

#endif
