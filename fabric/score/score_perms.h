/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * score_perms.h - patterns in which each host sends to one other.
 * Room: fabric/score.  Private to the room.
 */
#ifndef HEDDLE_FABRIC_SCORE_SCORE_PERMS_H
#define HEDDLE_FABRIC_SCORE_SCORE_PERMS_H

#include "fabric/score/score.h"
#include "fabric/score/score_net.h"

/* Fills r->shift, r->rp and what concerns EBB.  'whole': every host reaches every other. */
void score_perms_run(
	const struct score_in *in, const struct score_net *n, bool whole, struct score_result *r);

#endif
