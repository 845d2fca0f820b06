/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_peer.c - answers read with the structures and field tables of libibumad and libibmad, as clients do.
 */
#include <config.h>
#include <arpa/inet.h>
#include <endian.h>
#include <infiniband/mad.h>
#include <infiniband/umad_sa.h>
#include "tests/unit/sa/small.h"

static struct umad_sa_packet
packet(const struct small *b)
{
	struct umad_sa_packet p;

	memset(&p, 0, sizeof(p));
	memcpy(&p, b->out, b->bytes < sizeof(p) ? b->bytes : sizeof(p));
	return p;
}

static void
test_head(void **state)
{
	struct small *b = *state;
	struct umad_sa_packet p;

	assert_int_equal(sizeof(p), 256);
	small_ask(b, LID_ONE, UMAD_SA_METHOD_GET_TABLE, UMAD_SA_ATTR_NODE_REC);
	small_where(b, 4, 6, 1, IB_NODE_CA);
	assert_int_equal(small_rows(b), 4);
	p = packet(b);
	assert_int_equal(p.mad_hdr.base_version, 1);
	assert_int_equal(p.mad_hdr.mgmt_class, UMAD_CLASS_SUBN_ADM);
	assert_int_equal(p.mad_hdr.class_version, UMAD_SA_CLASS_VERSION);
	assert_int_equal(p.mad_hdr.method, UMAD_SA_METHOD_GET_TABLE_RESP);
	assert_int_equal(p.mad_hdr.status, 0);
	assert_int_equal(be64toh(p.mad_hdr.tid), UINT64_C(0x00000005cafe0001));
	assert_int_equal(ntohs(p.mad_hdr.attr_id), UMAD_SA_ATTR_NODE_REC);
	assert_int_equal(p.rmpp_hdr.rmpp_version, 1);
	assert_int_equal(p.rmpp_hdr.rmpp_type, IB_RMPP_TYPE_DATA);
	assert_int_equal(p.rmpp_hdr.rmpp_rtime_flags & 7, IB_RMPP_FLAG_ACTIVE | IB_RMPP_FLAG_FIRST);
	assert_int_equal(ntohs(p.attr_offset), 14);
	assert_int_equal(be64toh(p.comp_mask), 1 << 4);
	small_ask(b, LID_ONE, UMAD_SA_METHOD_GET_TABLE, UMAD_SA_ATTR_NODE_REC);
	small_where(b, 0, 0, 2, LID_ONE);
	assert_int_equal(small_rows(b), 1);
	assert_int_equal(mad_get_field(b->out, 0, IB_SA_RMPP_FLAGS_F), 7);
	assert_int_equal(mad_get_field(b->out, 0, IB_SA_RMPP_SEGNUM_F), 1);
	assert_int_equal(mad_get_field(b->out, 0, IB_SA_RMPP_LEN_F), 20 + 112);
	small_ask(b, LID_ONE, UMAD_METHOD_GET, UMAD_SA_ATTR_NODE_REC);
	assert_int_equal(small_send(b), UMAD_SA_STATUS_TOO_MANY_RECORDS << 8);
	assert_int_equal(mad_get_field(b->out, 0, IB_MAD_STATUS_F), UMAD_SA_STATUS_TOO_MANY_RECORDS << 8);
}

static void
test_node_record(void **state)
{
	struct small *b = *state;
	uint8_t *r;
	char desc[65] = "";

	small_ask(b, LID_ONE, UMAD_METHOD_GET, UMAD_SA_ATTR_NODE_REC);
	small_where(b, 0, 0, 2, LID_THREE_2);
	assert_int_equal(small_send(b), 0);
	r = b->out + 56;
	assert_int_equal(mad_get_field(r, 0, IB_SA_NR_LID_F), LID_THREE_2);
	assert_int_equal(mad_get_field(r, 0, IB_SA_NR_TYPE_F), IB_NODE_CA);
	assert_int_equal(mad_get_field(r, 0, IB_SA_NR_NPORTS_F), 2);
	assert_int_equal(mad_get_field64(r, 0, IB_SA_NR_SYSTEM_GUID_F), 0x300);
	assert_int_equal(mad_get_field64(r, 0, IB_SA_NR_GUID_F), 0x300);
	assert_int_equal(mad_get_field64(r, 0, IB_SA_NR_PORT_GUID_F), 0x302);
	assert_int_equal(mad_get_field(r, 0, IB_SA_NR_LOCAL_PORT_F), 2);
	mad_get_array(r, 0, IB_SA_NR_NODEDESC_F, desc);
	assert_string_equal(desc, "three");
}

static void
test_port_info_record(void **state)
{
	struct small *b = *state;
	uint8_t *r;

	small_ask(b, LID_ONE, UMAD_METHOD_GET, UMAD_SA_ATTR_PORT_INFO_REC);
	small_where(b, 0, 0, 2, LID_ALPHA);
	small_where(b, 1, 2, 1, 3);
	assert_int_equal(small_send(b), 0);
	r = b->out + 56 + 4;
	assert_int_equal(mad_get_field(r, 0, IB_PORT_STATE_F), 4);
	assert_int_equal(mad_get_field(r, 0, IB_PORT_NEIGHBOR_MTU_F), 4);
	assert_int_equal(mad_get_field(r, 0, IB_PORT_LOCAL_PORT_F), 3);
}

static void
test_path_record(void **state)
{
	static const uint8_t two[16] = { 0xfe, 0x80, [14] = 2, [15] = 2 }, one[16] = { 0xfe, 0x80, [14] = 1, [15] = 1 };
	struct small *b = *state;
	struct umad_sa_packet p;
	uint8_t gid[16];

	small_ask(b, LID_ONE, UMAD_METHOD_GET, UMAD_SA_ATTR_PATH_REC);
	mad_encode_field(b->req.mad + 56, IB_SA_PR_DGID_F, (void *)(uintptr_t)two);
	mad_encode_field(b->req.mad + 56, IB_SA_PR_SGID_F, (void *)(uintptr_t)one);
	small_where(b, 2, 0, 0, 0);
	small_where(b, 3, 0, 0, 0);
	assert_int_equal(small_send(b), 0);
	p = packet(b);
	assert_int_equal(mad_get_field(p.data, 0, IB_SA_PR_DLID_F), LID_TWO);
	assert_int_equal(mad_get_field(p.data, 0, IB_SA_PR_SLID_F), LID_ONE);
	assert_int_equal(mad_get_field(p.data, 0, IB_SA_PR_NPATH_F), 0);
	assert_int_equal(mad_get_field(p.data, 0, IB_SA_PR_SL_F), 0);
	mad_get_array(p.data, 0, IB_SA_PR_DGID_F, gid);
	assert_memory_equal(gid, two, 16);
	mad_get_array(p.data, 0, IB_SA_PR_SGID_F, gid);
	assert_memory_equal(gid, one, 16);
	assert_int_equal(umad_sa_get_rate_mtu_or_life(p.data[54]), 4);
	assert_int_equal(p.data[55], umad_sa_set_rate_mtu_or_life(UMAD_SA_SELECTOR_EXACTLY, 17));
}

static void
test_class_port_info(void **state)
{
	struct small *b = *state;
	uint8_t *r;

	small_ask(b, LID_ONE, UMAD_METHOD_GET, UMAD_ATTR_CLASS_PORT_INFO);
	assert_int_equal(small_send(b), 0);
	r = b->out + 56;
	assert_int_equal(mad_get_field(r, 0, IB_CPI_BASEVER_F), 1);
	assert_int_equal(mad_get_field(r, 0, IB_CPI_CLASSVER_F), 2);
	assert_true(mad_get_field(r, 0, IB_CPI_CAPMASK_F) & UMAD_SA_CAP_MASK_IS_PORTINFO_CAP_MASK_MATCH_SUP);
	assert_true(mad_get_field(r, 0, IB_CPI_CAPMASK2_F) & UMAD_SA_CAP_MASK2_IS_EXT_SPEEDS_SUP);
	assert_true(mad_get_field(r, 0, IB_CPI_CAPMASK2_F) & UMAD_SA_CAP_MASK2_IS_PORT_INFO_CAPMASK2_MATCH_SUP);
	assert_int_equal(mad_get_field(r, 0, IB_CPI_RESP_TIME_VALUE_F), 16);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, small_setup, small_teardown)
		T(test_head), T(test_node_record), T(test_port_info_record), T(test_path_record), T(test_class_port_info),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
