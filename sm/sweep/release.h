/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * release.h - gives the ports back before another manager takes over: M_Key 0, no protection, no
 * lease.
 * Room: sm/sweep.  Pure.
 *
 * A master that is asked to release plans its next sweep without keys.  When that is applied it
 * stops leading: it neither polls nor answers for the subnet, so that a standby of whatever kind
 * takes over.  A standby stops standing by at once, and writes nothing.
 */
#ifndef HEDDLE_SM_SWEEP_RELEASE_H
#define HEDDLE_SM_SWEEP_RELEASE_H

#include "sm/sweep/sweep_parts.h"

void release_ask(struct sweep *w);
void release_resume(struct sweep *w);
/* Whoever does not lead needs no sweep to be released; true: it is done. */
bool release_without_sweep(struct sweep *w);
/* The sweep that took the keys away has been applied. */
void release_end(struct sweep *w);
/* The "keys" object of the status document; the caller owns it. */
json_t *release_keys_json(const struct sweep *w);

#endif
