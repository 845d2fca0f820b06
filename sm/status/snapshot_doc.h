/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * snapshot_doc.h - io.heddle.Manager.Snapshot: nodes and ports of the served snapshot.
 * Room: sm/status.  Pure.
 *
 * This is the compact form for people and scripts. The complete images of the attributes are
 * DOCUMENT_IMAGES (documents.h), from which diagnostics tools make a fabric. A job makes both,
 * because a large subnet has megabytes of them.
 */
#ifndef HEDDLE_SM_STATUS_SNAPSHOT_DOC_H
#define HEDDLE_SM_STATUS_SNAPSHOT_DOC_H

#include "sm/status/view.h"

/* Returns the document, which the caller owns; NULL if nothing is served. */
json_t *snapshot_doc_json(const struct served_view *v);

#endif
