/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibqueryerrors_clear.c - resets counters, and reads counters from a document instead of the ports.
 * Room: diags/tools.
 */
#include <config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/status.h"
#include "diags/fabric/gmp.h"
#include "diags/perf/pma.h"
#include "diags/tools/ibqueryerrors.h"
#include "libmad/attr/pm_attr.h"
#include "util/jsonscan.h"
#include "util/xalloc.h"
#include "libmad/attr/codes.h"

#define DATA_BYTES 192
#define LEGACY_ERRORS 0x0fff            /* CounterSelect of PortCounters: all error counters */
#define LEGACY_DATA 0xf000
#define LEGACY_WAIT 1                   /* CounterSelect2 of PortCounters: PortXmitWait */
#define LEGACY_QP1 2
#define XMIT_DETAILS 0x0f
#define RCV_DETAILS 0x3f
#define EXT_DATA 0xff /* CounterSelect of PortCountersExtended: all data counters */
#define EXT_DATA_NO_CAST 0x0f
#define EXT_ERRORS 0x0fff /* CounterSelect2 of PortCountersExtended: all error counters */
#define EXT_WAIT 0x1000
#define EXT_QP1 0x2000

static void
cleared(struct diag *d, void *arg, const struct diag_request *q, const struct diag_reply *r)
{
	struct diag_where w = DIAG_NOWHERE;

	(void)arg;
	if (r->end == DIAG_OK)
		return;
	w.addr = q->to;
	pma_report(d, &w, -1, q->attr_id, r);
}

/* Sends a Set that zeroes the counters in 'mask' and, for attributes with a second select, in
 * 'mask2'. 'select' is PortSelect. */
static void
set_zero(struct errors *e, const struct diag_addr *to, uint8_t select, uint16_t attr_id,
	uint16_t mask, uint32_t mask2)
{
	uint8_t data[DATA_BYTES] = { 0 };

	pm_set_port_select(data, select);
	pm_set_counter_select(data, mask);
	if (attr_id == PM_PORT_COUNTERS_ID)
		ATTR_SET(pm_port_counters, counter_select2, data, mask2);
	if (attr_id == PM_PORT_COUNTERS_EXT_ID)
		ATTR_SET(pm_port_counters_ext, counter_select2, data, mask2);
	diag_submit(e->d, &(struct diag_request){
		.to = to, .mgmt_class = CLASS_PM, .method = METHOD_SET, .attr_id = attr_id,
		.payload = data, .payload_bytes = sizeof(data),
		.quiet = true,
	}, cleared, NULL);
}

static void
clear_one(struct errors *e, const struct pma_port *p)
{
	struct diag_addr to = gmp_addr(pma_levels(e->pma), &e->f->s->ports[p->port]);
	bool ext = p->caps.mask & (PM_CLASS_CAP_EXT | PM_CLASS_CAP_EXT_NO_CAST),
		wait = p->caps.mask & PM_CLASS_CAP_XMIT_WAIT;
	bool qp1 = p->caps.mask & PM_CLASS_CAP_QP1_DROPPED && e->limits.set[PMA_QP1_DROPPED];
	bool wide = ext && p->caps.mask2 & PMA_CAP2_EXT_ERRORS;

	set_zero(e, &to, p->select, PM_PORT_COUNTERS_ID,
		(uint16_t)((e->clear_errors ? LEGACY_ERRORS : 0) | (e->clear_data ? LEGACY_DATA :
		0)),
		e->clear_errors ? (wait ? LEGACY_WAIT : 0u) | (qp1 ? LEGACY_QP1 : 0u) : 0);
	if (e->clear_errors && e->details) {
		set_zero(e, &to, p->select, PM_XMIT_DISCARD_DETAILS_ID, XMIT_DETAILS, 0);
		set_zero(e, &to, p->select, PM_RCV_ERROR_DETAILS_ID, RCV_DETAILS, 0);
	}
	if ((e->clear_data && ext) || (e->clear_errors && wide))
		set_zero(e, &to, p->select, PM_PORT_COUNTERS_EXT_ID,
			e->clear_data ? p->caps.mask & PM_CLASS_CAP_EXT ? EXT_DATA :
			EXT_DATA_NO_CAST :
			0,
			e->clear_errors && wide ? EXT_ERRORS | (wait ? EXT_WAIT : 0u) |
			(qp1 ? EXT_QP1 : 0u) : 0);
}

/* Resets the counters of a node: by one request for all ports if they all answered, otherwise only
 * those of the ports that did. */
static void
clear_node(struct errors *e, const struct fab_node *n)
{
	const struct pma_port *sums = e->sums[n - e->f->s->nodes];
	bool whole = sums && sums->end == DIAG_OK;

	for (unsigned i = 0; i <= n->nports && whole; i++) {
		const struct pma_port *p = e->ports[n->first_port + i];

		whole = !p || p->end == DIAG_OK;
	}
	if (whole) {
		clear_one(e, sums);
		return;
	}
	for (unsigned i = 0; i <= n->nports; i++) {
		const struct pma_port *p = e->ports[n->first_port + i];

		if (p && p->end == DIAG_OK)
			clear_one(e, p);
	}
}

void
errors_clear(struct errors *e)
{
	if (!e->clear_errors && !e->clear_data)
		return;
	for (uint32_t i = 0; i < e->f->s->nnodes; i++)
		clear_node(e, &e->f->s->nodes[i]);
	diag_run(e->d);
}

/* ---- counters from a document ---- */

static enum diag_end
end_of(const char *status)
{
	static const struct { const char *word; enum diag_end end; } words[] = {
		{ "ok", DIAG_OK }, { "timeout", DIAG_TIMEOUT }, { "mad_status", DIAG_STATUS },
	};

	for (size_t i = 0; status && i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].word, status))
			return words[i].end;
	return DIAG_FAILED;
}

static uint32_t
node_of(const struct errors *e, const json_t *o)
{
	const char *text = json_string_value(json_object_get(o, "node_guid"));
	uint64_t guid;

	return text && diag_number(text, UINT64_MAX, &guid) ? snapshot_node_by_guid(e->f->s, guid) :
		FAB_NONE;
}

static struct pma_port *
port_of(const json_t *counters, const json_t *row, uint8_t select, uint32_t port)
{
	struct pma_port p = { .port = port, .select = select,
		.end = end_of(json_string_value(json_object_get(row, "status"))) };

	if (select == PM_PORT_ALL)
		p.end = DIAG_OK;
	if (!pma_from_json(counters, json_object_get(row, "details"), &p) && p.end == DIAG_OK)
		return NULL;
	return xmemdup(&p, sizeof(p));
}

struct taken {
	struct errors *e;
	size_t ports;
};

static int
take_node(void *arg, size_t i, const json_t *row)
{
	struct errors *e = ((struct taken *)arg)->e;
	const json_t *sums = json_object_get(row, "all_ports");
	uint32_t node = node_of(e, row);

	(void)i;
	if (node != FAB_NONE && json_is_object(sums) && !e->sums[node])
		e->sums[node] = port_of(sums, row, PM_PORT_ALL, e->f->s->nodes[node].first_port);
	return 0;
}

static int
take_port(void *arg, size_t i, const json_t *row)
{
	struct taken *t = arg;
	struct errors *e = t->e;
	const json_t *local = json_object_get(row, "local");
	json_int_t num = json_integer_value(json_object_get(local, "port"));
	uint32_t node = node_of(e, local), port;

	(void)i;
	if (node == FAB_NONE || num < 0 || num > e->f->s->nodes[node].nports)
		return 0;
	port = e->f->s->nodes[node].first_port + (uint32_t)num;
	if (e->ports[port])
		return 0;
	e->ports[port] = port_of(json_object_get(row, "counters"), row, (uint8_t)num, port);
	t->ports += e->ports[port] != NULL;
	e->failures += e->ports[port] && e->ports[port]->end != DIAG_OK;
	return 0;
}

/* Reads the document row by row, because that of a large fabric has hundreds of megabytes. */
static int
take_rows(struct taken *t, FILE *in, char why[static JSONSCAN_WHY_BYTES])
{
	const struct jsonscan_member *nodes, *ports;
	struct jsonscan j;
	int r = jsonscan_open(&j, in, why);

	nodes = r ? NULL : jsonscan_find(&j, "nodes");
	ports = r ? NULL : jsonscan_find(&j, "ports");
	if (nodes)
		r = jsonscan_each(&j, nodes, take_node, t, why);
	if (!r && ports)
		r = jsonscan_each(&j, ports, take_port, t, why);
	jsonscan_clear(&j);
	return r;
}

int
errors_replay(struct errors *e, const char *path)
{
	struct taken t = { .e = e };
	char why[JSONSCAN_WHY_BYTES];
	FILE *in = fopen(path, "r");
	int r = in ? take_rows(&t, in, why) : 0;

	if (in)
		fclose(in);
	if (!t.ports)
		return diag_fail(e->d, EXIT_USAGE, "config",
			"%s has no counters: it must be a document of ibqueryerrors --json, or a "
			"capture", path);
	if (r)
		return diag_fail(e->d, EXIT_USAGE, "config", "%s: %s", path, why);
	if (e->failures)
		diag_warn(e->d, EXIT_PARTIAL, "timeout", NULL, "%s has no counters of %u ports",
			path, e->failures);
	return 0;
}
