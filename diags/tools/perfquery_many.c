/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * perfquery_many.c - the counters of all ports that --select selects, many nodes at a time.
 * Room: diags/tools. The order is node GUID and port; each port is shown as perfquery shows one.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select.h"
#include "diags/perf/pma.h"
#include "diags/tools/perfquery.h"
#include "diags/tools/perfquery_many.h"
#include "util/xalloc.h"

struct many {
	const struct diag_fabric *f;
	struct pma_port **of;           /* by port index of the snapshot; NULL: not queried */
};

static void
on_port_counters(struct diag *d, void *arg, const struct pma_port *p)
{
	struct many *m = arg;

	(void)d;
	m->of[p->port] = xmemdup(p, sizeof(*p));
}

static void
show_port(struct diag *d, const struct many *m, const struct pma_port *p, bool extended)
{
	const struct fab_port *port = &m->f->s->ports[p->port];
	struct diag_addr to = diag_addr_lid(fab_lid(m->f, port));
	uint8_t data[PERF_DATA_BYTES] = { 0 };
	char label[DIAG_LABEL_BYTES];
	struct perf_block b = { diag_label(&to, label), p->select, p->caps, data };
	bool have = p->got & (extended ? PMA_WANT_EXT : PMA_WANT_COUNTERS);
	json_t *o;

	memcpy(data, extended ? p->ext : p->counters,
		extended ? sizeof(p->ext) : sizeof(p->counters));
	if (have && extended)
		perf_show_extended(d, &b);
	else if (have)
		perf_show_counters(d, &b);
	if (diag_is_text(d))
		return;
	o = json_object();
	json_object_set_new(o, "lid", json_integer(to.lid));
	json_object_set_new(o, "port", json_integer(p->select));
	json_object_set_new(o, "status", json_string(pma_status_word(p)));
	json_object_set_new(o, "attribute", json_string(extended ? "PortCountersExtended" :
		"PortCounters"));
	json_object_set_new(o, "counters", have ? pma_json_counters(p, NULL) : json_null());
	json_object_set_new(o, "local", fab_json_end(d, m->f, port));
	json_object_set_new(o, "peer", fab_json_end(d, m->f, fab_peer_of(m->f, port)));
	diag_row(d, "ports", o);
}

static int
read_ports(struct diag *d, struct many *m, const struct selection *only, bool extended)
{
	struct pma *pma = pma_new(d, m->f);
	struct pma_sweep what = { .wants = extended ? PMA_WANT_EXT : PMA_WANT_COUNTERS,
		.only = only };
	int r = pma_sweep(pma, &what, on_port_counters, m) ? EXIT_FATAL : 0;

	pma_free(pma);
	for (uint32_t i = 0; i < m->f->s->nports; i++)
		if (m->of[i])
			show_port(d, m, m->of[i], extended);
	return r;
}

int
perf_many(struct diag *d, bool extended)
{
	struct diag_fabric f = { 0 };
	struct selection *only = NULL;
	struct many m = { .f = &f };
	int r = diag_fabric(d, 0, &f);

	if (!r)
		r = diag_selection(d, &f, &only);
	if (!r) {
		m.of = xcalloc(f.s->nports + 1u, sizeof(*m.of));
		r = read_ports(d, &m, only, extended);
		for (uint32_t i = 0; i < f.s->nports; i++)
			free(m.of[i]);
		free(m.of);
	}
	select_free(only);
	diag_fabric_clear(&f);
	return r;
}
