/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * port_keys.h - which end ports hold our M_Key.
 * Room: sm/sweep.  Pure.
 */
#ifndef HEDDLE_SM_SWEEP_PORT_KEYS_H
#define HEDDLE_SM_SWEEP_PORT_KEYS_H

#include "sm/subnet/subnet.h"

/* End ports by the M_Key that they showed last. */
struct port_keys {
	/* Our key; none; protected by a key that is not ours; never read. */
	uint32_t ours, open, others, unknown;
};

/* Of the ports of the served snapshot. */
struct port_keys port_keys_count(const struct subnet *n);
/*
 * A sweep has been applied: logs how many ports do not hold our key, when that differs from
 * '*logged'.
 */
void port_keys_log(const struct subnet *n, struct port_keys *logged);

#endif
