/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * capture_json.h - a capture as a JSON value and back.
 * Room: fabric/snapshot.  Pure.  docs/discovery.md has the members.
 *
 * One element of the array holds what one port answered, as runs: answers whose keys go in equal
 * steps share one run.  The whole array may be larger than memory allows, so both directions also
 * work element by element.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_CAPTURE_JSON_H
#define HEDDLE_FABRIC_SNAPSHOT_CAPTURE_JSON_H

#include <jansson.h>
#include "fabric/snapshot/capture.h"

#define CAPTURE_WHY_BYTES 200

/* [{"node", "port", "runs": [...]}, ...]; owned by the caller. */
json_t *capture_to_json(struct capture *c, const struct snapshot *s);
/* Accepts or refuses any JSON value.  Returns 0, or -EINVAL with a sentence in 'why'. */
int capture_from_json(const json_t *o, const struct snapshot *s, struct capture **out,
	char why[static CAPTURE_WHY_BYTES]);

/*
 * Passes the elements to 'take' one by one; 'take' owns each.  A return value other than 0 ends the
 * walk and is the result.
 */
int capture_each_json(struct capture *c, const struct snapshot *s,
	int (*take)(void *arg, size_t i, json_t *entry), void *arg);
/* Adds what one element holds; 'number_of' is its number, for the sentence in 'why'. */
int capture_entry_from_json(struct capture *c, const struct snapshot *s, size_t number_of,
	const json_t *o, char why[static CAPTURE_WHY_BYTES]);

#endif
