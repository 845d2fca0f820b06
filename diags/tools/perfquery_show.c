/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * perfquery_show.c - shows counters as dotted lines and as members of a document, and adds them up.
 * Room: diags/tools.
 */
#include <config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/core/json.h"
#include "diags/core/out.h"
#include "diags/core/show.h"
#include "diags/fabric/gmp.h"
#include "diags/tools/perfquery.h"
#include "libmad/attr/pm_attr.h"
#include "libmad/wire/wire.h"
#include "libmad/attr/codes.h"

const struct perf_view perf_views[] = {
	{ 'X', &pm_xmit_data_sl_desc, "PortXmitDataSL" },
	{ 'S', &pm_rcv_data_sl_desc, "PortRcvDataSL" },
	{ 'D', &pm_xmit_discard_details_desc, "PortXmitDiscardDetails" },
	{ 'E', &pm_rcv_error_details_desc, "PortRcvErrorDetails" },
	{ PERF_OP_RCV, &pm_op_rcv_counters_desc, "PortOpRcvCounters" },
	{ PERF_FLOW_CTL, &pm_flow_ctl_counters_desc, "PortFlowCtlCounters" },
	{ PERF_VL_PACKETS, &pm_vl_op_packets_desc, "PortVLOpPackets" },
	{ PERF_VL_DATA, &pm_vl_op_data_desc, "PortVLOpData" },
	{ PERF_VL_FLOW_CTL, &pm_vl_flow_ctl_errors_desc, "PortVLXmitFlowCtlUpdateErrors" },
	{ PERF_VL_WAIT, &pm_vl_xmit_wait_desc, "PortVLXmitWaitCounters" },
	{ PERF_SW_VL_CONG, &pm_vl_congestion_desc, "SwPortVLCongestion" },
	{ PERF_RCV_CC, &pm_rcv_con_ctrl_desc, "PortRcvConCtrl" },
	{ PERF_RCV_FECN, &pm_sl_rcv_fecn_desc, "PortSLRcvFECN" },
	{ PERF_RCV_BECN, &pm_sl_rcv_becn_desc, "PortSLRcvBECN" },
	{ PERF_XMIT_CC, &pm_xmit_con_ctrl_desc, "PortXmitConCtrl" },
	{ PERF_VL_TIME_CC, &pm_vl_xmit_time_cong_desc, "PortVLXmitTimeCong" },
	{ 'T', &pm_ext_speeds_desc, "PortExtendedSpeedsCounters" },
	{ 'c', &pm_samples_control_desc, "PortSamplesControl" },
	{ 0, NULL, NULL },
};
const struct perf_view perf_speeds_rsfec = { 'T', &pm_ext_speeds_rsfec_desc,
	"PortExtendedSpeedsCounters with RS-FEC Active" };

const struct perf_view *
perf_view_find(int id)
{
	for (const struct perf_view *v = perf_views; v->id; v++)
		if (v->id == id)
			return v;
	return NULL;
}

static uint64_t
element(const struct attr_field *f, const uint8_t *data, unsigned i)
{
	return wire_bits_get(data, f->first_bit + i * f->stride, f->width);
}

static bool
counts(const struct attr_field *f)
{
	return f->printer == ATTR_SHOW_COUNTER || f->printer == ATTR_SHOW_WORDS;
}

/* Returns the number of hexadecimal digits for a select or mask: whole octets, as for values of
 * that width. */
static int
hex_digits(unsigned width)
{
	return width <= 8 ? 2 : width <= 16 ? 4 : width <= 32 ? 8 : 16;
}

static void
put_field(struct diag *d, const struct attr_field *f, const uint8_t *data)
{
	char name[64];

	for (unsigned i = 0; i < f->count; i++) {
		uint64_t v = element(f, data, i);

		snprintf(name, sizeof(name), f->count > 1 ? "%s%u" : "%s", f->label, i);
		if (f->printer == ATTR_SHOW_HEX)
			diag_dotted(d, name, "0x%0*" PRIx64, hex_digits(f->width), v);
		else
			diag_dotted(d, name, "%" PRIu64, v);
	}
}

static void
put_named(struct diag *d, const struct attr_desc *desc, const uint8_t *data, const char *name)
{
	put_field(d, attr_field_find(desc, name), data);
}

void
perf_show_counters(struct diag *d, const struct perf_block *b)
{
	uint8_t data[PERF_DATA_BYTES];

	memcpy(data, b->data, sizeof(data));
	if (!(b->caps.mask & PM_CLASS_CAP_XMIT_WAIT))
		wire_bits_put(data, pm_port_counters_at_xmit_wait, pm_port_counters_bits_xmit_wait,
			0);
	diag_text(d, "# Port counters: %s port %u (CapMask: 0x%02X)\n", b->label, b->port,
		b->caps.mask);
	for (unsigned i = 0; i < pm_port_counters_desc.nfields; i++)
		put_field(d, &pm_port_counters_desc.fields[i], data);
}

void
perf_show_extended(struct diag *d, const struct perf_block *b)
{
	static const char *const cast[] = { "unicast_xmit_pkts", "unicast_rcv_pkts",
		"multicast_xmit_pkts", "multicast_rcv_pkts" };
	const struct attr_desc *x = &pm_port_counters_ext_desc;
	const struct attr_field *errors = attr_field_find(x, "symbol_error");

	diag_text(d, "# Port extended counters: %s port %u (CapMask: 0x%02X CapMask2: 0x%07X)\n",
		b->label, b->port, b->caps.mask, b->caps.mask2);
	put_named(d, x, b->data, "port_select");
	put_named(d, x, b->data, "counter_select");
	put_named(d, x, b->data, "xmit_data");
	put_named(d, x, b->data, "rcv_data");
	put_named(d, x, b->data, "xmit_pkts");
	put_named(d, x, b->data, "rcv_pkts");
	if (b->caps.mask & PM_CLASS_CAP_EXT)
		for (size_t i = 0; i < 4; i++)
			put_named(d, x, b->data, cast[i]);
	if (!(b->caps.mask2 & PMA_CAP2_EXT_ERRORS))
		return;
	put_named(d, x, b->data, "counter_select2");
	for (; errors < x->fields + x->nfields; errors++)
		put_field(d, errors, b->data);
}

void
perf_show_view(struct diag *d, const struct perf_view *v, const struct perf_block *b)
{
	diag_text(d, v->id == 'c' ? "# %s: %s port %u\n" : "# %s counters: %s port %u\n", v->name,
		b->label, b->port);
	/* Errors by lane are shown only without Reed-Solomon FEC, as in infiniband-diags; the
	 * document always has them. */
	for (unsigned i = 0; i < v->desc->nfields; i++)
		if ((v->id == 'c' || strcmp(v->desc->fields[i].name, "op_code")) &&
		    (v != &perf_speeds_rsfec || strcmp(v->desc->fields[i].name, "error_detection")))
			put_field(d, &v->desc->fields[i], b->data);
}

static json_t *
counter_json(const struct attr_desc *desc, const struct attr_field *f, uint64_t v)
{
	json_t *o = json_object();

	if (f->printer == ATTR_SHOW_WORDS) {
		json_object_set_new(o, "words", attr_json_integer(v));
		json_object_set_new(o, "bytes", attr_json_integer(v > UINT64_MAX / 4 ? UINT64_MAX :
			v * 4));
	} else {
		json_object_set_new(o, "value", attr_json_integer(v));
	}
	json_object_set_new(o, "width", json_integer(f->width));
	json_object_set_new(o, "saturated", json_boolean(v == UINT64_MAX >> (64 - f->width)));
	json_object_set_new(o, "supported", json_true());
	json_object_set_new(o, "source_attribute", diag_json_hex(desc->id, 4));
	return o;
}

json_t *
perf_json_attr(const struct attr_desc *desc, const uint8_t *data)
{
	json_t *o = json_object();
	char name[64];

	for (unsigned k = 0; k < desc->nfields; k++) {
		const struct attr_field *f = &desc->fields[k];

		for (unsigned i = 0; i < f->count; i++) {
			uint64_t v = element(f, data, i);
			json_t *value;

			snprintf(name, sizeof(name), f->count > 1 ? "%s%u" : "%s", f->label, i);
			if (counts(f))
				value = counter_json(desc, f, v);
			else if (f->printer == ATTR_SHOW_HEX)
				value = diag_json_hex(v, (unsigned)hex_digits(f->width));
			else
				value = attr_json_integer(v);
			json_object_set_new(o, name, value);
		}
	}
	return o;
}

void
perf_add(const struct attr_desc *desc, uint8_t *sum, const uint8_t *data)
{
	for (unsigned k = 0; k < desc->nfields; k++) {
		const struct attr_field *f = &desc->fields[k];
		uint64_t full = UINT64_MAX >> (64 - f->width);

		for (unsigned i = 0; i < f->count && counts(f); i++) {
			uint64_t a = element(f, sum, i), b = element(f, data, i);

			wire_bits_put(sum, f->first_bit + i * f->stride, f->width,
				b > full - a ? full : a + b);
		}
	}
}
