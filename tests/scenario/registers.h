/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * registers.h - where fields of a simulated port's PortInfo are, for tests that look into the hardware.
 */
#ifndef HEDDLE_TESTS_SCENARIO_REGISTERS_H
#define HEDDLE_TESTS_SCENARIO_REGISTERS_H

#include "libmad/attr/sm_attr.h"

enum {
	PI_MKEY = ATTR_AT(port_info, mkey), PI_LID = ATTR_AT(port_info, lid), PI_SMLID = ATTR_AT(port_info, master_sm_lid),
	PI_CAPMASK = ATTR_AT(port_info, capability_mask), PI_LEASE = ATTR_AT(port_info, mkey_lease_period_s),
	PI_STATE = ATTR_AT(port_info, state), PI_PHYS = ATTR_AT(port_info, phys_state), PI_LMC = ATTR_AT(port_info, lmc),
	PI_VLS = ATTR_AT(port_info, operational_vls), PI_REREG = ATTR_AT(port_info, client_reregister),
};

#endif
