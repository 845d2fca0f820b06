/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * topology_doc.h - the document about the intended topology: what is missing and what is pending.
 * Room: sm/status.  Pure.
 */
#ifndef HEDDLE_SM_STATUS_TOPOLOGY_DOC_H
#define HEDDLE_SM_STATUS_TOPOLOGY_DOC_H

#include <jansson.h>
#include "sm/status/view.h"

/* Listed entries of a kind; further ones are only counted. */
#define TOPOLOGY_LISTED 100

/* As io.heddle.Manager.Topology describes it. */
json_t *topology_doc_json(const struct subnet *n, const struct sweep *w);

#endif
