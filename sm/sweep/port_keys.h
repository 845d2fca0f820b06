/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * port_keys.h - counts the end ports that have our M_Key, and those that have not.
 * Room: sm/sweep.  Pure.
 *
 * The counts are for the log and for the "keys" object of the status document.
 */
#ifndef HEDDLE_SM_SWEEP_PORT_KEYS_H
#define HEDDLE_SM_SWEEP_PORT_KEYS_H

#include "sm/subnet/subnet.h"

/* End ports by the M_Key that they reported last. */
struct port_keys {
	/* Our key; none; protected by a key that is not ours; never read. */
	uint32_t ours, open, others, unknown;
};

/* Counts the ports of the served snapshot. */
struct port_keys port_keys_count(const struct subnet *n);
/*
 * A sweep has been applied: logs how many ports do not have our M_Key, if that differs from
 * '*logged'.
 */
void port_keys_log(const struct subnet *n, struct port_keys *logged);

#endif
