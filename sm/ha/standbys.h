/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * standbys.h - the standby SMs of this master: logs and lists those that are present or lost.
 * Room: sm/ha.  Pure.
 *
 * A master without a standby works as before, so a lost standby would be noticed only when the
 * master dies too.  Therefore the loss is logged when it happens.  Only an SM with our SM_Key can
 * take over, so only those are counted.
 */
#ifndef HEDDLE_SM_HA_STANDBYS_H
#define HEDDLE_SM_HA_STANDBYS_H

#include <jansson.h>
#include "sm/ha/ha.h"
#include "sm/subnet/subnet.h"

#define STANDBYS_MAX 64

struct standby {
	struct sm_info info;
	struct monotime since;          /* alive, or gone, since then */
	bool alive, seen;               /* seen: it responded to the present round of queries */
};
struct standbys {
	struct standby v[STANDBYS_MAX];
	unsigned n;
};

/* As master, after all SMs were queried: 'answers' are their SMInfos. */
void standbys_update(struct standbys *b, const struct subnet *n, const struct ha *h,
	const struct sm_info *answers, unsigned nanswers);
/* Clears the list. */
void standbys_reset(struct standbys *b);
/* The number of standby SMs that are alive. */
unsigned standbys_count_alive(const struct standbys *b);
json_t *standbys_json(const struct standbys *b, struct monotime now);

#endif
