/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * standbys.h - the managers that stand by for us: that they are there, and that one is gone.
 * Room: sm/ha.  Pure.
 *
 * A master that has lost its standby works as before, until it dies itself: so the loss must be
 * seen when it happens.  Only a manager with our SM_Key can take over, so only those are counted.
 */
#ifndef HEDDLE_SM_HA_STANDBYS_H
#define HEDDLE_SM_HA_STANDBYS_H

#include <jansson.h>
#include "sm/ha/ha.h"
#include "sm/subnet/subnet.h"

#define STANDBYS_MAX 64

struct standby {
	struct sm_info info;
	struct monotime since;          /* it is there, or is gone, since then */
	bool alive, seen;               /* seen: by the present round of questions */
};
struct standbys {
	struct standby v[STANDBYS_MAX];
	unsigned n;
};

/* As master, all managers have been asked: 'answers' is what they said. */
void standbys_update(struct standbys *b, const struct subnet *n, const struct ha *h,
	const struct sm_info *answers, unsigned nanswers);
/* The list starts anew. */
void standbys_reset(struct standbys *b);
/* How many stand by for us now. */
unsigned standbys_count_alive(const struct standbys *b);
json_t *standbys_json(const struct standbys *b, struct monotime now);

#endif
