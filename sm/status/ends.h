/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ends.h - finds end ports by the names that operators use, and shows ports and nodes as JSON.
 * Room: sm/status.  Pure.
 *
 * Trace and Paths use the same names and the same JSON for an end port, so both are here. A name is
 * resolved by the snapshot and the LIDs of the plan, as served; a description that several nodes
 * have resolves to none of them.
 */
#ifndef HEDDLE_SM_STATUS_ENDS_H
#define HEDDLE_SM_STATUS_ENDS_H

#include "sm/status/view.h"

/* Returns the index of the end port that a LID, a port or node GUID, or a node description names,
 * and stores the LID in '*lid': the one given, otherwise the base LID. Returns FAB_NONE if no port,
 * or more than one node, has that name. 'v' needs a plan. */
uint32_t ends_by_name(const struct served_view *v, const char *name, uint16_t *lid);
/* Returns an end port with LID 'lid' as {guid, port, port_guid, lid, description}. The caller owns
 * the values that this and the following functions return. */
json_t *ends_json(const struct served_view *v, uint32_t port, uint16_t lid);
json_t *ends_guid_json(uint64_t guid);
json_t *ends_description_json(const struct fab_node *n);
json_t *ends_path_json(const uint8_t *path, uint8_t hops);

#endif
