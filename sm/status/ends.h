/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ends.h - end ports by the names that people give them, and nodes as JSON.
 * Room: sm/status.  Pure.
 */
#ifndef HEDDLE_SM_STATUS_ENDS_H
#define HEDDLE_SM_STATUS_ENDS_H

#include "sm/status/view.h"

/*
 * The end port that a LID, a node or port GUID, or a description names, and the LID meant;
 * FAB_NONE: none, or several.
 */
uint32_t ends_by_name(const struct served_view *v, const char *name, uint16_t *lid);
/* Its JSON; owned by the caller, as is all that follows. */
json_t *ends_json(const struct served_view *v, uint32_t port, uint16_t lid);
json_t *ends_guid_json(uint64_t guid);
json_t *ends_description_json(const struct fab_node *n);
json_t *ends_path_json(const uint8_t *path, uint8_t hops);

#endif
