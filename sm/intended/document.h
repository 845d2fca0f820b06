/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * document.h - the intended topology as a JSON document: in the store, in files, on the control
 * socket.
 * Room: sm/intended (prefix intended_).  Pure.
 *
 * The document names switches and ports by GUID, so it can be read and edited by people:
 *
 *	{"format": 1, "root_rule": "tree",
 *	 "switches": [{"guid": "0x...", "system_guid": "0x...", "ports": 36, "rank": 1, "plane": 0,
 *	               "divider": 1, "leaf": 0}],
 *	 "links": [{"a": "0x...", "aport": 1, "b": "0x...", "bport": 7}],
 *	 "hosts": [{"guid": "0x...", "switch": "0x...", "port": 3, "kind": "compute", "id": 0}]}
 *
 * "leaf" is null at a switch without hosts.  The order of rows does not matter.
 *
 * Invariant: a topology that was read is valid: sorted as intended.h says, each GUID, plane, leaf
 * position and id once, no port used twice, everything within bounds.  Reading what was written
 * gives the same topology, and writing that gives the same bytes.
 * Where to look next: compare.h (with the fabric as it is), adopt.h (how a topology changes).
 */
#ifndef HEDDLE_SM_INTENDED_DOCUMENT_H
#define HEDDLE_SM_INTENDED_DOCUMENT_H

#include <jansson.h>
#include <stddef.h>
#include "sm/intended/intended.h"

#define INTENDED_FORMAT 1
#define INTENDED_SWITCHES_MAX 65535
#define INTENDED_HOSTS_MAX (1u << 17)
#define INTENDED_LINKS_MAX (1u << 22)
/* Bounds of the numbers that engines compute with. */
#define INTENDED_ID_MAX ((1u << 20) - 1)
#define INTENDED_DIVIDER_MAX (1u << 30)
#define INTENDED_WHY_BYTES 256

json_t *intended_to_json(const struct intended *t);
/* NULL: the document is not valid; 'why' names the row and what is wrong there. */
struct intended *intended_from_json(const json_t *o, char why[static INTENDED_WHY_BYTES]);
/* The document on one line; malloc'ed, not terminated. */
char *intended_text_write(const struct intended *t, size_t *len);
/* The same for bytes; text that is not JSON is named by line and column. */
struct intended *intended_text_read(
	const char *text, size_t len, char why[static INTENDED_WHY_BYTES]);
/* "compute", "io", "other" */
const char *intended_kind_text(enum intended_kind k);

#endif
