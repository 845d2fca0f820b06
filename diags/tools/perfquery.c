/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * perfquery.c - reads or resets the counters of the ports of one node, or reads those of all ports
 * that --select selects.
 * Room: diags/tools.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/address.h"
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/out.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "diags/fabric/gmp.h"
#include "diags/perf/pma.h"
#include "diags/tools/perfquery.h"
#include "diags/tools/perfquery_many.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/pm_attr.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

#define PORTS_MAX 256
/* Bits of a reset mask: CounterSelect of PortCounters, with CounterSelect2 above it. */
#define RESET_DEFAULT 0xffff
#define RESET_XMIT_WAIT (UINT64_C(1) << 16)
#define RESET_QP1 (UINT64_C(1) << 17)
/* Bits of a reset mask for PortCountersExtended: twelve errors, PortXmitWait, QP1Dropped. */
#define RESET_EXT_ERRORS UINT64_C(0xfff0000)
#define RESET_EXT_WAIT (UINT64_C(1) << 28)
#define RESET_EXT_QP1 (UINT64_C(1) << 29)

struct perfquery {
	const struct perf_view *view;
	bool extended, all, loop, reset, reset_only;
	uint64_t mask;
	bool mask_given;
};

/* The request: attribute, node and ports. */
struct query {
	struct diag_addr to;
	char label[DIAG_LABEL_BYTES];
	struct pma_caps caps;
	unsigned port;                  /* the only port, or the first one of 'ports' */
	uint8_t ports[PORTS_MAX];
	unsigned nports;
	bool sum;                       /* show one block with the sum over 'ports' */
};

/* The answer of one port. */
struct answer {
	struct diag_reply r;            /* the pointers in it are no longer valid */
	uint8_t data[PERF_DATA_BYTES];
};

static int
option(struct diag *d, int id, const char *value)
{
	struct perfquery *want = diag_state(d);
	const struct perf_view *v = perf_view_find(id);

	(void)d;
	(void)value;
	if (v) {
		want->view = !want->view || v < want->view ? v : want->view;
		return 0;
	}
	switch (id) {
	case 'x': want->extended = true; return 0;
	case 'a': want->all = true; return 0;
	case 'l': want->loop = true; return 0;
	case 'r': want->reset = true; return 0;
	case 'R': want->reset_only = true; return 0;
	}
	return -ENOENT;
}

/* ---- operands ---- */

static int
add_range(struct diag *d, struct query *q, const char *text)
{
	const char *dash = strchr(text, '-');
	char first[8] = "";
	uint64_t from, to;

	snprintf(first, sizeof(first), "%.*s", (int)(dash ? dash - text : 7), text);
	if (!diag_number(first, 255, &from) || (dash && dash[1] && !diag_number(dash + 1, 255,
	    &to)))
		return diag_usage(d,
			"\"%s\" is no port: a number from 0 to 255, a list, or a range", text);
	if (!dash)
		to = from;
	else if (!dash[1] || to <= from)
		return diag_fail(d, EXIT_USAGE, "usage",
			"max port must be greater than min port in range");
	for (; from <= to; from++) {
		if (q->nports == PORTS_MAX)
			return diag_usage(d, "more than %d ports", PORTS_MAX);
		q->ports[q->nports++] = (uint8_t)from;
	}
	return 0;
}

static int
parse_ports(struct diag *d, struct query *q, const char *text)
{
	char *copy = xstrdup(text), *save = NULL;
	int r = 0;

	for (char *word = strtok_r(copy, ",", &save); word && !r; word = strtok_r(NULL, ",", &save))
		r = add_range(d, q, word);
	free(copy);
	if (!r && !q->nports)
		r = diag_usage(d, "\"%s\" names no port", text);
	if (!r)
		q->port = q->ports[0];
	return r;
}

static int
operands_parse(struct diag *d, int argc, char **argv, struct query *q)
{
	struct perfquery *want = diag_state(d);
	int r = 0;

	if (argc) {
		r = diag_address(d, argv[0], &q->to);
	} else {
		q->to = diag_addr_lid(diag_port(d)->lid);
		q->port = diag_port(d)->port;
	}
	if (!r && argc > 1)
		r = parse_ports(d, q, argv[1]);
	if (!r && argc > 2) {
		want->mask_given = true;
		if (!diag_number(argv[2], UINT64_MAX, &want->mask))
			r = diag_usage(d, "the mask \"%s\" is not a number", argv[2]);
	}
	if (!r && argc > 3)
		r = diag_usage(d, "too many operands");
	return r;
}

/* ---- requests ---- */

static void
failure_report(struct diag *d, const struct query *q, unsigned port, uint16_t attr_id,
	const struct diag_reply *r)
{
	struct diag_where w = DIAG_NOWHERE;

	w.addr = &q->to;
	pma_report(d, &w, (int)port, attr_id, r);
}

static void
ports_take(struct diag *d, void *arg, const struct diag_request *q, const struct diag_reply *r)
{
	struct answer *a = arg;

	(void)d;
	(void)q;
	a->r = *r;
	if (r->end == DIAG_OK)
		memcpy(a->data, r->data, r->bytes < PERF_DATA_BYTES ? r->bytes : PERF_DATA_BYTES);
}

static void
submit(struct diag *d, const struct query *q, uint8_t method, uint16_t attr_id, uint8_t *data,
	unsigned port, struct answer *a)
{
	pm_set_port_select(data, (uint8_t)port);
	diag_submit(d, &(struct diag_request){
		.to = &q->to, .mgmt_class = CLASS_PM, .method = method, .attr_id = attr_id,
		.payload = data,
		.payload_bytes = PERF_DATA_BYTES, .quiet = true,
	}, ports_take, a);
}

/* Queries all ports. Returns 0, or the status of a failed device. */
static int
ask_all(struct diag *d, const struct query *q, uint8_t method, uint16_t attr_id, uint8_t *data,
	struct answer *of)
{
	for (unsigned i = 0; i < q->nports; i++)
		submit(d, q, method, attr_id, data, q->ports[i], &of[i]);
	return diag_run(d) ? EXIT_FATAL : 0;
}

static int
ask_caps(struct diag *d, struct query *q)
{
	uint8_t data[PERF_DATA_BYTES] = { 0 };
	struct class_port_info c;

	if (diag_gmp(d, &q->to, CLASS_PM, METHOD_GET, ATTR_CLASS_PORT_INFO, 0, data))
		return diag_give_up(d, "classportinfo query");
	c = class_port_info_decode(data);
	q->caps = (struct pma_caps){ true, c.capability_mask, c.capability_mask2 };
	return 0;
}

/* Queries all ports of the node one by one, including the enhanced port 0 of a switch. */
static int
ask_node_ports(struct diag *d, struct query *q)
{
	uint8_t data[64];
	struct node_info n;
	unsigned first = 1;

	if (diag_get(d, &q->to, NODE_INFO_ID, 0, data))
		return diag_give_up(d, "smp query nodeinfo: failed");
	n = node_info_decode(data);
	if (!n.num_ports)
		return diag_fail(d, EXIT_PARTIAL, "bad_reply",
			"smp query nodeinfo: num ports invalid");
	if (n.node_type == 2) {
		if (diag_get(d, &q->to, SWITCH_INFO_ID, 0, data))
			return diag_give_up(d, "smp query switchinfo: failed");
		first = switch_info_decode(data).enhanced_port0 ? 0 : 1;
	}
	q->nports = 0;
	for (unsigned p = first; p <= n.num_ports; p++)
		q->ports[q->nports++] = (uint8_t)p;
	return 0;
}

/* Chooses the ports that the operands and -a, -l mean, when the capabilities of the node are known.
 * -l with -a means all ports, whatever the operands name. */
static int
choose_ports(struct diag *d, struct query *q)
{
	struct perfquery *want = diag_state(d);
	bool sums = q->nports < 2 && ((want->all && !q->nports && !q->port) ||
		q->port == PM_PORT_ALL);
	bool each = want->loop && (want->all || sums), can = q->caps.mask & PM_CLASS_CAP_ALL_PORTS;
	int r;

	q->sum = want->all && !want->loop && q->nports > 1;
	if (!want->view && (each || (sums && !can))) {
		r = ask_node_ports(d, q);
		q->sum = !each;
		if (!r && !each)
			diag_warn(d, 0, "unsupported", NULL,
				"Emulating AllPortSelect by iterating through all ports");
		return r;
	}
	if (sums)
		q->port = PM_PORT_ALL;
	if (q->nports < 2 || want->view) {
		q->ports[0] = (uint8_t)q->port;
		q->nports = 1;
		q->sum = false;
	}
	return 0;
}

/* ---- output ---- */

static const struct attr_desc *
attribute_wanted(const struct perfquery *want)
{
	if (want->view)
		return want->view->desc;
	return want->extended ? &pm_port_counters_ext_desc : &pm_port_counters_desc;
}

static json_t *
counters_json(const struct perfquery *want, const struct query *q, const uint8_t *data)
{
	struct pma_port p = { .caps = q->caps };

	if (want->view)
		return perf_json_attr(want->view->desc, data);
	p.got = want->extended ? PMA_WANT_EXT : PMA_WANT_COUNTERS;
	memcpy(p.counters, data, sizeof(p.counters));
	memcpy(p.ext, data, sizeof(p.ext));
	return pma_json_counters(&p, NULL);
}

static void
add_row(struct diag *d, const struct query *q, unsigned port, const struct diag_reply *r,
	const uint8_t *data)
{
	struct perfquery *want = diag_state(d);
	struct pma_port p = { .end = r->end };
	json_t *o;

	if (diag_is_text(d))
		return;
	o = json_object();
	json_object_set_new(o, "lid", json_integer(q->to.lid));
	json_object_set_new(o, "port", json_integer(port));
	json_object_set_new(o, "status", json_string(pma_status_word(&p)));
	json_object_set_new(o, "attribute", json_string(attribute_wanted(want)->name));
	json_object_set_new(o, "counters", r->end == DIAG_OK ? counters_json(want, q, data) :
		json_null());
	json_object_set_new(o, "local", json_null());
	json_object_set_new(o, "peer", json_null());
	diag_row(d, "ports", o);
}

static void
answers_show(struct diag *d, const struct query *q, unsigned port, const uint8_t *data)
{
	struct perfquery *want = diag_state(d);
	struct perf_block b = { q->label, port, q->caps, data };

	add_row(d, q, port, &(struct diag_reply){ .end = DIAG_OK }, data);
	if (want->view)
		perf_show_view(d, want->view, &b);
	else if (want->extended)
		perf_show_extended(d, &b);
	else
		perf_show_counters(d, &b);
}

static int
failed(struct diag *d, const char *verb)
{
	struct perfquery *want = diag_state(d);

	if (want->view && want->view->id == 'c')
		return diag_give_up(d, "sampctlquery");
	if (want->view)
		return diag_give_up(d, "cannot %s %s", verb, want->view->name);
	if (!strcmp(verb, "query"))
		return diag_give_up(d, want->extended ? "perfextquery" : "perfquery");
	return diag_give_up(d, want->extended ? "perf ext reset" : "perf reset");
}

/* Shows the answers. The text ends at the first port that failed; the document has all ports. */
static int
show_all(struct diag *d, const struct query *q, struct answer *of)
{
	struct perfquery *want = diag_state(d);
	uint8_t sum[PERF_DATA_BYTES] = { 0 };
	bool bad = false;

	pm_set_port_select(sum, PM_PORT_ALL);
	for (unsigned i = 0; i < q->nports; i++) {
		struct answer *a = &of[i];

		if (a->r.end != DIAG_OK) {
			failure_report(d, q, q->ports[i], attribute_wanted(want)->id, &a->r);
			add_row(d, q, q->ports[i], &a->r, NULL);
			bad = true;
		} else if (q->sum) {
			perf_add(attribute_wanted(want), sum, a->data);
		} else if (!bad || !diag_is_text(d)) {
			answers_show(d, q, q->ports[i], a->data);
		}
	}
	if (bad)
		return failed(d, "query");
	if (q->sum)
		answers_show(d, q, PM_PORT_ALL, sum);
	return 0;
}

static int
read_all(struct diag *d, const struct query *q)
{
	struct perfquery *want = diag_state(d);
	struct answer *of = xcalloc(q->nports, sizeof(*of));
	uint8_t data[PERF_DATA_BYTES] = { 0 };
	int r;

	if (!want->view && want->extended && !(q->caps.mask & (PM_CLASS_CAP_EXT |
	    PM_CLASS_CAP_EXT_NO_CAST)))
		diag_warn(d, 0, "unsupported", NULL,
			"PerfMgt ClassPortInfo CapMask 0x%02X; No extended counter support "
			"indicated", q->caps.mask);
	r = ask_all(d, q, METHOD_GET, attribute_wanted(want)->id, data, of);
	if (!r)
		r = show_all(d, q, of);
	free(of);
	return r;
}

/* ---- resets ---- */

/* Sets the select fields of a Set that resets counters: those of the operand, or all. The counters
 * themselves are zero. */
static void
put_mask(const struct perfquery *want, const struct query *q, uint8_t data[static PERF_DATA_BYTES])
{
	uint64_t mask = want->mask_given ? want->mask : RESET_DEFAULT;

	if (attribute_wanted(want)->id == PM_EXT_SPEEDS_ID) {
		ATTR_SET(pm_ext_speeds, counter_select, data,
			want->mask_given ? want->mask : UINT64_MAX);
		return;
	}
	if (!want->view && want->extended) {
		mask |= RESET_EXT_ERRORS;
		mask |= q->caps.mask & PM_CLASS_CAP_XMIT_WAIT ? RESET_EXT_WAIT : 0;
		mask |= q->caps.mask & PM_CLASS_CAP_QP1_DROPPED ? RESET_EXT_QP1 : 0;
	} else if (!want->view && !want->mask_given) {
		mask |= q->caps.mask & PM_CLASS_CAP_XMIT_WAIT ? RESET_XMIT_WAIT : 0;
		mask |= q->caps.mask & PM_CLASS_CAP_QP1_DROPPED ? RESET_QP1 : 0;
	}
	pm_set_counter_select(data, (uint16_t)mask);
	if (!want->view && want->extended)
		ATTR_SET(pm_port_counters_ext, counter_select2, data, mask >> 16);
	else if (!want->view)
		ATTR_SET(pm_port_counters, counter_select2, data, mask >> 16);
}

static int
reset_all(struct diag *d, const struct query *q)
{
	struct perfquery *want = diag_state(d);
	struct answer *of = xcalloc(q->nports, sizeof(*of));
	uint8_t data[PERF_DATA_BYTES] = { 0 };
	bool bad = false;
	int r;

	put_mask(want, q, data);
	r = ask_all(d, q, METHOD_SET, attribute_wanted(want)->id, data, of);
	for (unsigned i = 0; i < q->nports && !r; i++)
		if (of[i].r.end != DIAG_OK) {
			failure_report(d, q, q->ports[i], attribute_wanted(want)->id, &of[i].r);
			bad = true;
		}
	free(of);
	return r ? r : bad ? failed(d, "reset") : 0;
}

/* ---- the tool ---- */

/* PortExtendedSpeedsCounters has two forms; the FEC mode in force on the link decides which one the
 * port has. */
static int
choose_speeds(struct diag *d, const struct query *q)
{
	struct perfquery *want = diag_state(d);
	uint8_t data[64];
	struct port_info p;
	uint16_t mode;

	if (!(q->caps.mask & PM_CLASS_CAP_RSFEC))
		return 0;
	if (diag_get(d, &q->to, PORT_INFO_ID, q->port, data))
		return diag_give_up(d, "smp query portinfo failed");
	p = port_info_decode(data);
	if (!(p.capability_mask & PORT_CAP_MASK2) ||
	    !(p.capability_mask2 & PORT_CAP2_PORT_INFO_EXT)) {
		diag_warn(d, 0, "unsupported", NULL, "Port Info Extended not supported");
		return 0;
	}
	if (diag_get(d, &q->to, port_info_ext_desc.id, q->port, data))
		return diag_give_up(d, "smp query portinfo extended failed");
	mode = port_info_ext_decode(data).fec_mode_active;
	if (mode >= FEC_MODE_RS && mode <= FEC_MODE_RS2)
		want->view = &perf_speeds_rsfec;
	return 0;
}

static int
run_many(struct diag *d, int argc)
{
	struct perfquery *want = diag_state(d);

	if (argc)
		return diag_usage(d, "--select takes no operands");
	if (want->view || want->reset || want->reset_only || want->all)
		return diag_usage(d,
			"--select reads PortCounters or, with -x, PortCountersExtended, and "
			"resets nothing");
	json_object_set_new(diag_doc(d), "target", json_null());
	json_object_set_new(diag_doc(d), "capabilities", json_null());
	json_object_set_new(diag_doc(d), "reset", json_false());
	return perf_many(d, want->extended);
}

static int
perfquery_run(struct diag *d, int argc, char **argv)
{
	struct perfquery *want = diag_state(d);
	struct query q = { .port = 0 };
	bool resets;
	int r = diag_open(d);

	if (!r && diag_settings(d)->select)
		return run_many(d, argc);
	if (!r)
		r = operands_parse(d, argc, argv, &q);
	if (r)
		return r;
	diag_label(&q.to, q.label);
	json_object_set_new(diag_doc(d), "target", diag_json_addr(&q.to));
	r = ask_caps(d, &q);
	if (!r)
		r = choose_ports(d, &q);
	if (!r && want->view && want->view->id == 'T')
		r = choose_speeds(d, &q);
	if (r)
		return r;
	json_object_set_new(diag_doc(d), "capabilities", pma_json_caps(&q.caps));
	resets = (want->reset || want->reset_only) && !(want->view && want->view->id == 'c');
	if (!want->reset_only || !resets)
		r = read_all(d, &q);
	if (!r && resets)
		r = reset_all(d, &q);
	json_object_set_new(diag_doc(d), "reset", json_boolean(!r && resets));
	return r;
}

static const struct diag_option options[] = {
	{ 'x', "extended", NULL, "show extended port counters" },
	{ 'X', "xmtsl", NULL, "show Xmt SL port counters" },
	{ 'S', "rcvsl", NULL, "show Rcv SL port counters" },
	{ 'D', "xmtdisc", NULL, "show Xmt Discard Details" },
	{ 'E', "rcverr", NULL, "show Rcv Error Details" },
	{ 'T', "extended_speeds", NULL, "show port extended speeds counters" },
	{ PERF_OP_RCV, "oprcvcounters", NULL, "show Rcv Counters per Op code" },
	{ PERF_FLOW_CTL, "flowctlcounters", NULL, "show flow control counters" },
	{ PERF_VL_PACKETS, "vloppackets", NULL, "show packets received per Op code per VL" },
	{ PERF_VL_DATA, "vlopdata", NULL, "show data received per Op code per VL" },
	{ PERF_VL_FLOW_CTL, "vlxmitflowctlerrors", NULL, "show flow control update errors per VL" },
	{ PERF_VL_WAIT, "vlxmitcounters", NULL, "show ticks waiting to transmit counters per VL" },
	{ PERF_SW_VL_CONG, "swportvlcong", NULL, "show sw port VL congestion" },
	{ PERF_RCV_CC, "rcvcc", NULL, "show Rcv congestion control counters" },
	{ PERF_RCV_FECN, "slrcvfecn", NULL, "show SL Rcv FECN counters" },
	{ PERF_RCV_BECN, "slrcvbecn", NULL, "show SL Rcv BECN counters" },
	{ PERF_XMIT_CC, "xmitcc", NULL, "show Xmit congestion control counters" },
	{ PERF_VL_TIME_CC, "vlxmittimecc", NULL, "show VL Xmit Time congestion control counters" },
	{ 'c', "smplctl", NULL, "show samples control" },
	{ 'a', "all_ports", NULL, "show aggregated counters" },
	{ 'l', "loop_ports", NULL, "iterate through each port" },
	{ 'r', "reset_after_read", NULL, "reset counters after read" },
	{ 'R', "Reset_only", NULL, "only reset counters" },
	{ 0, NULL, NULL, NULL },
};

static const char *const examples[] = {
	"\t\t# the local port's counters", "32 1\t\t# port 1 of LID 32",
	"-x 32 1\t# its extended counters", "-a 32\t\t# the sums over all ports of LID 32",
	"-l 32 1-10\t# ports 1 to 10, each", "-r 32 1\t# read and reset",
	"-R 32 2 0x0fff\t# reset only the errors of port 2",
	"--select 'type:sw and state:active'\t# the ports of all switches", NULL,
};

const struct diag_tool diag_tool = {
	.name = "perfquery", .operands = " [<lid|guid> [[port(s)] [reset_mask]]]",
	.about = "reads the performance and error counters of ports, and resets them",
	.examples = examples,
	.masked = "DK", .options = options, .flags = DIAG_FABRIC, .rows = "ports", .option = option,
	.run = perfquery_run,
	.state_bytes = sizeof(struct perfquery),
};
