/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * family_keys.c - maps configuration keys to families of ports.
 * Room: conf.  Pure.  qos_family.h explains families and inheritance.
 */
#include <config.h>
#include "sm/conf/conf.h"

#define FAMILY_KEYS(c, prefix) { \
	(c)->prefix##max_vls, (c)->prefix##high_limit, &(c)->prefix##vlarb_high, \
	&(c)->prefix##vlarb_low, &(c)->prefix##sl2vl }

struct qos_family
conf_qos_family(const struct conf *c, enum qos_kind kind)
{
	const struct qos_family_keys all = FAMILY_KEYS(c, qos_);
	const struct qos_family_keys of[QOS_KINDS] = {
		[QOS_CA] = FAMILY_KEYS(c, qos_ca_),
		[QOS_ROUTER] = FAMILY_KEYS(c, qos_rtr_),
		[QOS_SW0] = FAMILY_KEYS(c, qos_sw0_),
		[QOS_SWE] = FAMILY_KEYS(c, qos_swe_),
	};

	return qos_family_make(&all, &of[kind]);
}
