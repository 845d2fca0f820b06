/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibnetdiscover_diff.c - the differences between two topologies: "< " begins a line of the saved
 * one, "> " a line of the present one.
 * Room: diags/tools. A link is identified by its two nodes and ports, so exchanged parallel links
 * differ.
 */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "diags/core/names.h"
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/tools/ibnetdiscover.h"
#include "libmad/attr/sm_attr.h"

struct diff {
	const struct topo_out *o;
	const struct diag_fabric *a, *b;
	const char *mark_a, *mark_b;
	unsigned checks;
	bool head_out;
};

static const struct fab_node *
node_twin(const struct diag_fabric *f, const struct fab_node *n)
{
	uint32_t i = snapshot_node_by_guid(f->s, n->guid);

	return i == FAB_NONE ? NULL : &f->s->nodes[i];
}

static void
difference_note(const struct diff *x, const char *code, const struct fab_node *n, unsigned port,
	const char *what)
{
	char object[64], name[DIAG_NAME_BYTES];

	snprintf(object, sizeof(object), "0x%016" PRIx64 "/%u", n->guid, port);
	diag_finding(x->o->d, "warning", code, object, NULL, "%s (0x%016" PRIx64 ")%s%.0u: %s",
		fab_name(x->o->d, n, name), n->guid,
		port ? " port " : "", port, what);
}

static void
difference_head(struct diff *x, const struct fab_node *n)
{
	if (!x->head_out && diag_is_text(x->o->d))
		topo_node(x->o, x->a, n, "", "");
	x->head_out = true;
}

/* Reports whether the other end, the width or the speed of a link differs. */
static bool
cable_differs(const struct diff *x, const struct fab_port *p, const struct fab_port *q)
{
	const struct fab_port *pp = fab_peer_of(x->a, p), *qp = fab_peer_of(x->b, q);
	struct fab_link l, m;

	if (!pp || !qp)
		return pp || qp;
	if (fab_node_of(x->a, pp)->guid != fab_node_of(x->b, qp)->guid || pp->num != qp->num)
		return true;
	l = fab_link_of(x->a, p);
	m = fab_link_of(x->b, q);
	return l.width != m.width || strcmp(fab_speed_word(&l), fab_speed_word(&m));
}

static bool
peer_text_differs(const struct diff *x, const struct fab_port *p, const struct fab_port *q)
{
	const struct fab_port *pp = fab_peer_of(x->a, p), *qp = fab_peer_of(x->b, q);

	if (!pp || !qp)
		return false;
	if (x->checks & DIFF_DESC && memcmp(fab_node_of(x->a, pp)->desc,
	    fab_node_of(x->b, qp)->desc, NODE_DESC_BYTES))
		return true;
	return x->checks & DIFF_LID && fab_lid(x->a, pp) != fab_lid(x->b, qp);
}

static void
diff_ports(struct diff *x, const struct fab_node *n, const struct fab_node *m)
{
	for (unsigned num = 1; num <= n->nports && num <= m->nports; num++) {
		const struct fab_port *p = fab_port_of(x->a, n, num), *q = fab_port_of(x->b, m,
			num);
		bool cable = x->checks & DIFF_PORT && cable_differs(x, p, q);
		bool text = x->checks & DIFF_PORT && peer_text_differs(x, p, q);
		bool lid = x->checks & DIFF_LID && p->flags & FAB_PORT_INFO &&
			q->flags & FAB_PORT_INFO && fab_lid(x->a, p) != fab_lid(x->b, q);

		if (!cable && !text && !lid)
			continue;
		difference_note(x, cable ? "cable_changed" : lid ? "lid_changed" : "peer_changed",
			n, num, "is not what it was");
		difference_head(x, n);
		if (!diag_is_text(x->o->d))
			continue;
		topo_port_line(x->o, x->a, p, x->mark_a);
		topo_port_line(x->o, x->b, q, x->mark_b);
	}
}

static void
only_in_a(const struct diff *x, const struct fab_node *n)
{
	difference_note(x, x->mark_a[0] == '<' ? "node_gone" : "node_new", n, 0,
		x->mark_a[0] == '<' ? "is gone" : "is new");
	if (!diag_is_text(x->o->d))
		return;
	topo_node(x->o, x->a, n, x->mark_a, x->mark_a);
	for (unsigned p = 1; p <= n->nports; p++)
		topo_port_line(x->o, x->a, fab_port_of(x->a, n, p), x->mark_a);
}

static void
diff_node(struct diff *x, const struct fab_node *n, const struct fab_node *m)
{
	bool lid = n->type == 2 && x->checks & DIFF_LID &&
		fab_lid(x->a, fab_port_of(x->a, n, 0)) != fab_lid(x->b, fab_port_of(x->b, m, 0));
	bool desc = x->checks & DIFF_DESC && memcmp(n->desc, m->desc, NODE_DESC_BYTES);

	x->head_out = false;
	if (lid || desc) {
		difference_note(x, lid ? "lid_changed" : "desc_changed", n, 0,
			lid ? "has another LID" : "has another description");
		x->head_out = true;
		if (diag_is_text(x->o->d)) {
			topo_node(x->o, x->a, n, "", x->mark_a);
			topo_node_line(x->o, x->b, m, x->mark_b);
			fprintf(x->o->f, "\n");
		}
	}
	if (n->nports != m->nports) {
		difference_note(x, "ports_changed", n, 0, "has another number of ports");
		difference_head(x, n);
		if (diag_is_text(x->o->d))
			fprintf(x->o->f, "%snumports = %d\n%snumports = %d\n", x->mark_a, n->nports,
				x->mark_b, m->nports);
		return;
	}
	diff_ports(x, n, m);
}

static void
diff_type(const struct topo_out *o, const struct diag_fabric *then, const struct diag_fabric *now,
	unsigned checks, uint8_t type)
{
	struct diff x = { o, then, now, "< ", "> ", checks, false }, y = { o, now, then, "> ", "< ",
		checks, false };
	const struct fab_node *m;

	DIAG_EACH_NODE(then, i, n, type) {
		m = node_twin(now, n);
		if (!m)
			only_in_a(&x, n);
		else if (checks & (DIFF_PORT | DIFF_LID | DIFF_DESC))
			diff_node(&x, n, m);
	}
	DIAG_EACH_NODE(now, i, n, type)
		if (!node_twin(then, n))
			only_in_a(&y, n);
}

void
topo_diff(const struct topo_out *o, const struct diag_fabric *then, const struct diag_fabric *now,
	unsigned checks)
{
	if (checks & DIFF_SW)
		diff_type(o, then, now, checks, 2);
	if (checks & DIFF_CA)
		diff_type(o, then, now, checks, 1);
	if (checks & DIFF_ROUTER)
		diff_type(o, then, now, checks, 3);
}
