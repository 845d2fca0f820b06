/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * release.h - removes the M_Keys of all ports before another SM takes over: M_Key 0, no protection,
 * no lease.
 * Room: sm/sweep.  Pure.
 *
 * After a release request a master plans its next sweep without M_Keys.  When that sweep is applied
 * the SM becomes NOTACTIVE: it neither polls nor manages the subnet, so any other SM can take over.
 * A standby becomes NOTACTIVE at once, and writes nothing.
 */
#ifndef HEDDLE_SM_SWEEP_RELEASE_H
#define HEDDLE_SM_SWEEP_RELEASE_H

#include "sm/sweep/sweep_parts.h"

void release_ask(struct sweep *w);
void release_resume(struct sweep *w);
/* An SM that is not master needs no sweep for a release; true: it is done. */
bool release_without_sweep(struct sweep *w);
/* The sweep that removed the keys has been applied. */
void release_end(struct sweep *w);
/* The "keys" object of the status document; the caller owns it. */
json_t *release_keys_json(const struct sweep *w);

#endif
