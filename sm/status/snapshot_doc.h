/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * snapshot_doc.h - io.heddle.Manager.Snapshot: nodes and ports of what is served.
 * Room: sm/status.  Pure.
 */
#ifndef HEDDLE_SM_STATUS_SNAPSHOT_DOC_H
#define HEDDLE_SM_STATUS_SNAPSHOT_DOC_H

#include "sm/status/view.h"

/* Owned by the caller; NULL: nothing is served. */
json_t *snapshot_doc_json(const struct served_view *v);

#endif
