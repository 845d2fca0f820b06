/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sa_components.c - component masks as tables; the places of the rows come from their .def lists.
 * Room: libmad/attr.  Pure.
 */
#include <config.h>
#include <string.h>
#include "libmad/attr/sa_components.h"
#include "libmad/wire/wire.h"

/* A row; a row of an embedded attribute; element i of an array; the same, embedded; part of a row. */
#define C(bit, rec, row) { bit, rec##_at_##row, rec##_bits_##row, #row },
#define E(bit, rec, member, sub, row) \
	{ bit, rec##_at_##member + sub##_at_##row, sub##_bits_##row, #member "." #row },
#define A(bit, rec, row, i, bits) { bit, rec##_at_##row + (i) * (bits), bits, #row "[" #i "]" },
#define EA(bit, rec, member, sub, row, i, bits) \
	{ bit, rec##_at_##member + sub##_at_##row + (i) * (bits), bits, #member "." #row "[" #i "]" },
#define P(bit, rec, row, from, bits, name) { bit, rec##_at_##row + (from), bits, name },

static const struct sa_component node_record_components[] = {
	C(0, node_record, lid)
	E(2, node_record, info, node_info, base_version)
	E(3, node_record, info, node_info, class_version)
	E(4, node_record, info, node_info, node_type)
	E(5, node_record, info, node_info, num_ports)
	E(6, node_record, info, node_info, sys_guid)
	E(7, node_record, info, node_info, node_guid)
	E(8, node_record, info, node_info, port_guid)
	E(9, node_record, info, node_info, partition_cap)
	E(10, node_record, info, node_info, device_id)
	E(11, node_record, info, node_info, revision)
	E(12, node_record, info, node_info, local_port)
	E(13, node_record, info, node_info, vendor_id)
	E(14, node_record, desc, node_desc, text)
};

static const struct sa_component port_info_record_components[] = {
	C(0, port_info_record, lid)
	C(1, port_info_record, port)
	C(2, port_info_record, options)
	E(3, port_info_record, info, port_info, mkey)
	E(4, port_info_record, info, port_info, gid_prefix)
	E(5, port_info_record, info, port_info, lid)
	E(6, port_info_record, info, port_info, master_sm_lid)
	E(7, port_info_record, info, port_info, capability_mask)
	E(8, port_info_record, info, port_info, diag_code)
	E(9, port_info_record, info, port_info, mkey_lease_period_s)
	E(10, port_info_record, info, port_info, local_port)
	E(11, port_info_record, info, port_info, width_enabled)
	E(12, port_info_record, info, port_info, width_supported)
	E(13, port_info_record, info, port_info, width_active)
	E(14, port_info_record, info, port_info, speed_supported)
	E(15, port_info_record, info, port_info, state)
	E(16, port_info_record, info, port_info, phys_state)
	E(17, port_info_record, info, port_info, link_down_default)
	E(18, port_info_record, info, port_info, mkey_protect)
	E(20, port_info_record, info, port_info, lmc)
	E(21, port_info_record, info, port_info, speed_active)
	E(22, port_info_record, info, port_info, speed_enabled)
	E(23, port_info_record, info, port_info, neighbor_mtu)
	E(24, port_info_record, info, port_info, master_sm_sl)
	E(25, port_info_record, info, port_info, vl_cap)
	E(26, port_info_record, info, port_info, init_type)
	E(27, port_info_record, info, port_info, vl_high_limit)
	E(28, port_info_record, info, port_info, vlarb_high_cap)
	E(29, port_info_record, info, port_info, vlarb_low_cap)
	E(30, port_info_record, info, port_info, init_type_reply)
	E(31, port_info_record, info, port_info, mtu_cap)
	E(32, port_info_record, info, port_info, vl_stall_count)
	E(33, port_info_record, info, port_info, hoq_life)
	E(34, port_info_record, info, port_info, operational_vls)
	E(35, port_info_record, info, port_info, partition_enforce_in)
	E(36, port_info_record, info, port_info, partition_enforce_out)
	E(37, port_info_record, info, port_info, filter_raw_in)
	E(38, port_info_record, info, port_info, filter_raw_out)
	E(39, port_info_record, info, port_info, mkey_violations)
	E(40, port_info_record, info, port_info, pkey_violations)
	E(41, port_info_record, info, port_info, qkey_violations)
	E(42, port_info_record, info, port_info, guid_cap)
	E(43, port_info_record, info, port_info, client_reregister)
	E(44, port_info_record, info, port_info, mcast_pkey_trap_suppression)
	E(45, port_info_record, info, port_info, subnet_timeout)
	E(47, port_info_record, info, port_info, resp_time)
	E(48, port_info_record, info, port_info, local_phy_errors)
	E(49, port_info_record, info, port_info, overrun_errors)
	E(50, port_info_record, info, port_info, max_credit_hint)
	E(52, port_info_record, info, port_info, link_round_trip_latency)
	E(53, port_info_record, info, port_info, capability_mask2)
	E(54, port_info_record, info, port_info, speed_ext_active)
	E(55, port_info_record, info, port_info, speed_ext_supported)
	E(57, port_info_record, info, port_info, speed_ext_enabled)
};

static const struct sa_component slvl_record_components[] = {
	C(0, slvl_record, lid)
	C(1, slvl_record, in_port)
	C(2, slvl_record, out_port)
};

static const struct sa_component switch_info_record_components[] = {
	C(0, switch_info_record, lid)
	E(2, switch_info_record, info, switch_info, lft_cap)
	E(3, switch_info_record, info, switch_info, rft_cap)
	E(4, switch_info_record, info, switch_info, mft_cap)
	E(5, switch_info_record, info, switch_info, lft_top)
	E(6, switch_info_record, info, switch_info, default_port)
	E(7, switch_info_record, info, switch_info, default_mcast_primary)
	E(8, switch_info_record, info, switch_info, default_mcast_not_primary)
	E(9, switch_info_record, info, switch_info, life_time)
	E(10, switch_info_record, info, switch_info, port_state_change)
	E(11, switch_info_record, info, switch_info, optimized_slvl)
	E(12, switch_info_record, info, switch_info, lids_per_port)
	E(13, switch_info_record, info, switch_info, partition_enforce_cap)
	E(14, switch_info_record, info, switch_info, inbound_enforce_cap)
	E(15, switch_info_record, info, switch_info, outbound_enforce_cap)
	E(16, switch_info_record, info, switch_info, filter_raw_inbound_cap)
	E(17, switch_info_record, info, switch_info, filter_raw_outbound_cap)
	E(18, switch_info_record, info, switch_info, enhanced_port0)
	E(21, switch_info_record, info, switch_info, mft_top)
};

static const struct sa_component lft_record_components[] = {
	C(0, lft_record, lid)
	C(1, lft_record, block)
};

static const struct sa_component rft_record_components[] = {
	C(0, rft_record, lid)
	C(1, rft_record, block)
};

static const struct sa_component mft_record_components[] = {
	C(0, mft_record, lid)
	C(1, mft_record, position)
	C(3, mft_record, block)
};

static const struct sa_component sm_info_record_components[] = {
	C(0, sm_info_record, lid)
	E(2, sm_info_record, info, sm_info, guid)
	E(3, sm_info_record, info, sm_info, sm_key)
	E(4, sm_info_record, info, sm_info, act_count)
	E(5, sm_info_record, info, sm_info, priority)
	E(6, sm_info_record, info, sm_info, state)
};

static const struct sa_component link_record_components[] = {
	C(0, link_record, from_lid)
	C(1, link_record, from_port)
	C(2, link_record, to_port)
	C(3, link_record, to_lid)
};

static const struct sa_component guid_info_record_components[] = {
	C(0, guid_info_record, lid)
	C(1, guid_info_record, block)
	EA(4, guid_info_record, table, guid_info, guid, 0, 64)
	EA(5, guid_info_record, table, guid_info, guid, 1, 64)
	EA(6, guid_info_record, table, guid_info, guid, 2, 64)
	EA(7, guid_info_record, table, guid_info, guid, 3, 64)
	EA(8, guid_info_record, table, guid_info, guid, 4, 64)
	EA(9, guid_info_record, table, guid_info, guid, 5, 64)
	EA(10, guid_info_record, table, guid_info, guid, 6, 64)
	EA(11, guid_info_record, table, guid_info, guid, 7, 64)
};

static const struct sa_component service_record_components[] = {
	C(0, service_record, id)
	C(1, service_record, gid)
	C(2, service_record, pkey)
	C(4, service_record, lease_s)
	C(5, service_record, key)
	C(6, service_record, name)
	A(7, service_record, data8, 0, 8)
	A(8, service_record, data8, 1, 8)
	A(9, service_record, data8, 2, 8)
	A(10, service_record, data8, 3, 8)
	A(11, service_record, data8, 4, 8)
	A(12, service_record, data8, 5, 8)
	A(13, service_record, data8, 6, 8)
	A(14, service_record, data8, 7, 8)
	A(15, service_record, data8, 8, 8)
	A(16, service_record, data8, 9, 8)
	A(17, service_record, data8, 10, 8)
	A(18, service_record, data8, 11, 8)
	A(19, service_record, data8, 12, 8)
	A(20, service_record, data8, 13, 8)
	A(21, service_record, data8, 14, 8)
	A(22, service_record, data8, 15, 8)
	A(23, service_record, data16, 0, 16)
	A(24, service_record, data16, 1, 16)
	A(25, service_record, data16, 2, 16)
	A(26, service_record, data16, 3, 16)
	A(27, service_record, data16, 4, 16)
	A(28, service_record, data16, 5, 16)
	A(29, service_record, data16, 6, 16)
	A(30, service_record, data16, 7, 16)
	A(31, service_record, data32, 0, 32)
	A(32, service_record, data32, 1, 32)
	A(33, service_record, data32, 2, 32)
	A(34, service_record, data32, 3, 32)
	A(35, service_record, data64, 0, 64)
	A(36, service_record, data64, 1, 64)
};

static const struct sa_component pkey_record_components[] = {
	C(0, pkey_record, lid)
	C(1, pkey_record, block)
	C(2, pkey_record, port)
};

static const struct sa_component path_record_components[] = {
	P(0, path_record, service_id, 0, 32, "service_id high")
	P(1, path_record, service_id, 32, 32, "service_id low")
	C(2, path_record, dgid)
	C(3, path_record, sgid)
	C(4, path_record, dlid)
	C(5, path_record, slid)
	C(6, path_record, raw_traffic)
	C(8, path_record, flow_label)
	C(9, path_record, hop_limit)
	C(10, path_record, tclass)
	C(11, path_record, reversible)
	C(12, path_record, num_path)
	C(13, path_record, pkey)
	C(14, path_record, qos_class)
	C(15, path_record, sl)
	C(16, path_record, mtu_selector)
	C(17, path_record, mtu)
	C(18, path_record, rate_selector)
	C(19, path_record, rate)
	C(20, path_record, life_selector)
	C(21, path_record, life)
	C(22, path_record, preference)
};

static const struct sa_component vlarb_record_components[] = {
	C(0, vlarb_record, lid)
	C(1, vlarb_record, port)
	C(2, vlarb_record, block)
};

static const struct sa_component mcmember_record_components[] = {
	C(0, mcmember_record, mgid)
	C(1, mcmember_record, port_gid)
	C(2, mcmember_record, qkey)
	C(3, mcmember_record, mlid)
	C(4, mcmember_record, mtu_selector)
	C(5, mcmember_record, mtu)
	C(6, mcmember_record, tclass)
	C(7, mcmember_record, pkey)
	C(8, mcmember_record, rate_selector)
	C(9, mcmember_record, rate)
	C(10, mcmember_record, life_selector)
	C(11, mcmember_record, life)
	C(12, mcmember_record, sl)
	C(13, mcmember_record, flow_label)
	C(14, mcmember_record, hop_limit)
	C(15, mcmember_record, scope)
	C(16, mcmember_record, join_state)
	C(17, mcmember_record, proxy_join)
};

static const struct sa_component multipath_record_components[] = {
	C(0, multipath_record, raw_traffic)
	C(2, multipath_record, flow_label)
	C(3, multipath_record, hop_limit)
	C(4, multipath_record, tclass)
	C(5, multipath_record, reversible)
	C(6, multipath_record, num_path)
	C(7, multipath_record, pkey)
	C(8, multipath_record, qos_class)
	C(9, multipath_record, sl)
	C(10, multipath_record, mtu_selector)
	C(11, multipath_record, mtu)
	C(12, multipath_record, rate_selector)
	C(13, multipath_record, rate)
	C(14, multipath_record, life_selector)
	C(15, multipath_record, life)
	C(16, multipath_record, service_id_high)
	C(17, multipath_record, independence)
	C(19, multipath_record, sgid_count)
	C(20, multipath_record, dgid_count)
	C(21, multipath_record, service_id_low)
};

static const struct sa_component service_assoc_record_components[] = {
	C(0, service_assoc_record, key)
	C(1, service_assoc_record, name)
};

static const struct sa_component inform_info_record_components[] = {
	C(0, inform_info_record, subscriber_gid)
	C(1, inform_info_record, enumeration)
	E(3, inform_info_record, info, inform_info, gid)
	E(4, inform_info_record, info, inform_info, lid_begin)
	E(5, inform_info_record, info, inform_info, lid_end)
	E(7, inform_info_record, info, inform_info, is_generic)
	E(8, inform_info_record, info, inform_info, subscribe)
	E(9, inform_info_record, info, inform_info, type)
	E(10, inform_info_record, info, inform_info, trap_number)
	E(11, inform_info_record, info, inform_info, qpn)
	E(13, inform_info_record, info, inform_info, resp_time)
	E(15, inform_info_record, info, inform_info, producer_type)
};

#define RECORD(rec, stride) \
	{ &rec##_desc, stride, sizeof(rec##_components) / sizeof(struct sa_component), rec##_components },

const struct sa_record_desc sa_records[] = {
	RECORD(node_record, 112)
	RECORD(port_info_record, 72)
	RECORD(slvl_record, 16)
	RECORD(switch_info_record, 24)
	RECORD(lft_record, 72)
	RECORD(rft_record, 72)
	RECORD(mft_record, 72)
	RECORD(sm_info_record, 32)
	RECORD(link_record, 8)
	RECORD(guid_info_record, 72)
	RECORD(service_record, 176)
	RECORD(pkey_record, 72)
	RECORD(path_record, 64)
	RECORD(vlarb_record, 72)
	RECORD(mcmember_record, 56)
	RECORD(multipath_record, 24)
	RECORD(service_assoc_record, 80)
	RECORD(inform_info_record, 64)
	{ &trace_record_desc, 48, 0, NULL },            /* who asks for a trace shows a PathRecord, and its mask */
	{ NULL, 0, 0, NULL },
};

const struct sa_record_desc *
sa_record_find(uint16_t attr_id)
{
	for (const struct sa_record_desc *d = sa_records; d->attr; d++)
		if (d->attr->id == attr_id)
			return d;
	return NULL;
}

const struct sa_component *
sa_component_find(const struct sa_record_desc *d, unsigned bit)
{
	for (unsigned i = 0; i < d->ncomponents; i++)
		if (d->components[i].bit == bit)
			return &d->components[i];
	return NULL;
}

static bool
range_equal(const uint8_t *a, const uint8_t *b, unsigned first, unsigned width)
{
	if (first % 8 == 0 && width % 8 == 0)
		return !memcmp(a + first / 8, b + first / 8, width / 8);
	return wire_bits_get(a, first, width) == wire_bits_get(b, first, width);
}

bool
sa_components_match(const struct sa_record_desc *d, uint64_t mask, const uint8_t *templ, const uint8_t *record)
{
	for (unsigned i = 0; i < d->ncomponents; i++) {
		const struct sa_component *c = &d->components[i];

		if (mask >> c->bit & 1 && !range_equal(templ, record, c->first_bit, c->width))
			return false;
	}
	return true;
}

uint64_t
sa_components_known(const struct sa_record_desc *d)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < d->ncomponents; i++)
		mask |= UINT64_C(1) << d->components[i].bit;
	return mask;
}
