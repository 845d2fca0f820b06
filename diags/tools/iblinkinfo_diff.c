/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * iblinkinfo_diff.c - the differences between the links of two fabrics: "< " begins a line of the
 * saved one, "> " a line of the present one.
 * Room: diags/tools. A link is identified by its two nodes and ports, its width and its speed, so
 * exchanged parallel links differ.
 */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "diags/core/names.h"
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select.h"
#include "diags/tools/iblinkinfo.h"
#include "libmad/attr/sm_attr.h"

struct pair {
	const struct link_out *o;
	const struct link_view *a, *b;
	bool head_out;
};

static const struct fab_node *
node_twin(const struct link_view *v, const struct fab_node *n)
{
	uint32_t i = snapshot_node_by_guid(v->f->s, n->guid);

	return i == FAB_NONE ? NULL : &v->f->s->nodes[i];
}

static bool
in_scope(const struct link_view *v, const struct fab_node *n)
{
	if (v->scope->n == v->f->s->nnodes)
		return true;
	for (uint32_t i = 0; i < v->scope->n; i++)
		if (v->scope->order[i] == (uint32_t)(n - v->f->s->nodes))
			return true;
	return false;
}

static void
difference_note(const struct link_out *o, const struct link_view *v, const char *code,
	const struct fab_node *n, const struct fab_port *p,
	const char *what)
{
	char object[64], name[DIAG_NAME_BYTES], port[16] = "";
	json_t *detail = json_object(), *ends = json_array();

	if (p) {
		snprintf(port, sizeof(port), " port %u", p->num);
		json_array_append_new(ends, fab_json_end(o->d, v->f, p));
		if (fab_peer_of(v->f, p))
			json_array_append_new(ends, fab_json_end(o->d, v->f, fab_peer_of(v->f, p)));
	}
	json_object_set_new(detail, "ends", ends);
	snprintf(object, sizeof(object), "0x%016" PRIx64 "/%u", n->guid, p ? p->num : 0);
	diag_finding(o->d, "warning", code, object, detail, "%s (0x%016" PRIx64 ")%s: %s",
		fab_name(o->d, n, name), n->guid, port, what);
}

static const struct fab_port *
peer_in(const struct link_view *v, const struct fab_port *p)
{
	return v->scope->cable[p - v->f->s->ports] ? fab_peer_of(v->f, p) : NULL;
}

static bool
cable_differs(const struct pair *x, const struct fab_port *p, const struct fab_port *q)
{
	const struct fab_port *pp = peer_in(x->a, p), *qp = peer_in(x->b, q);
	struct fab_link l, m;

	if (!pp || !qp)
		return pp || qp;
	if (fab_node_of(x->a->f, pp)->guid != fab_node_of(x->b->f, qp)->guid || pp->num != qp->num)
		return true;
	l = fab_link_of(x->a->f, p);
	m = fab_link_of(x->b->f, q);
	return l.width != m.width || strcmp(fab_speed_word(&l), fab_speed_word(&m));
}

static bool
peer_text_differs(const struct pair *x, const struct fab_port *p, const struct fab_port *q)
{
	const struct fab_port *pp = peer_in(x->a, p), *qp = peer_in(x->b, q);

	if (!pp || !qp)
		return false;
	if (x->o->checks & LINK_CHECK_DESC && memcmp(fab_node_of(x->a->f, pp)->desc,
	    fab_node_of(x->b->f, qp)->desc, NODE_DESC_BYTES))
		return true;
	return x->o->checks & LINK_CHECK_LID && fab_lid(x->a->f, pp) != fab_lid(x->b->f, qp);
}

/* Returns the code of the finding, or NULL if there is no difference. */
static const char *
port_differs(const struct pair *x, const struct fab_port *p, const struct fab_port *q)
{
	unsigned checks = x->o->checks;

	if (!(p->flags & FAB_PORT_INFO) && !(q->flags & FAB_PORT_INFO))
		return NULL;
	if (checks & LINK_CHECK_PORT && cable_differs(x, p, q))
		return "cable_changed";
	if (checks & LINK_CHECK_STATE && fab_link_of(x->a->f, p).state != fab_link_of(x->b->f,
	    q).state)
		return "state_changed";
	if (checks & LINK_CHECK_LID && fab_lid(x->a->f, p) != fab_lid(x->b->f, q))
		return "lid_changed";
	return checks & LINK_CHECK_PORT && peer_text_differs(x, p, q) ? "peer_changed" : NULL;
}

static void
put_if_known(const struct pair *x, const struct link_view *v, const struct fab_port *p,
	const char *prefix)
{
	if (p->flags & FAB_PORT_INFO)
		link_put_port(x->o, v, p, prefix);
}

static void
diff_node(const struct link_out *o, const struct link_view *a, const struct link_view *b,
	const struct fab_node *n,
	const struct fab_node *m)
{
	struct pair x = { o, a, b, false };
	struct link_out block = *o;
	bool out = false;

	block.line = false;
	if (o->checks & LINK_CHECK_DESC && memcmp(n->desc, m->desc, NODE_DESC_BYTES)) {
		difference_note(o, a, "desc_changed", n, NULL, "has another description");
		link_put_header(&block, a, n, "< ", &out);
		link_put_header(&block, b, m, "> ", &x.head_out);
	}
	if (n->nports != m->nports) {
		difference_note(o, a, "ports_changed", n, NULL, "has another number of ports");
		link_put_header(o, a, n, "", &x.head_out);
		diag_text(o->d, "< numports = %d\n> numports = %d\n", n->nports, m->nports);
		return;
	}
	for (unsigned num = 1; num <= n->nports; num++) {
		const struct fab_port *p = fab_port_of(a->f, n, num), *q = fab_port_of(b->f, m,
			num);
		const char *code = port_differs(&x, p, q);

		if (!code || !select_port(o->selection, q))
			continue;
		difference_note(o, p->flags & FAB_PORT_INFO ? a : b, code, n,
			p->flags & FAB_PORT_INFO ? p : q, "is not what it was");
		link_put_header(o, a, n, "", &x.head_out);
		put_if_known(&x, a, p, "< ");
		put_if_known(&x, b, q, "> ");
	}
}

/* Shows a node that only one fabric has. The selection applies to the present fabric only: ports of
 * a removed node are all shown. */
static void
only_there(const struct link_out *o, const struct link_view *v, const struct fab_node *n, bool gone)
{
	struct link_out all = *o;

	if (gone)
		all.selection = NULL;
	else if (!select_node(o->selection, n))
		return;
	difference_note(o, v, gone ? "node_gone" : "node_new", n, NULL,
		gone ? "is gone" : "is new");
	link_put_node(&all, v, n, gone ? "< " : "> ");
}

void
link_diff(const struct link_out *o, const struct link_view *then, const struct link_view *now,
	const struct fab_node *only)
{
	for (uint32_t i = 0; i < then->scope->n; i++) {
		const struct fab_node *n = &then->f->s->nodes[then->scope->order[i]],
			*m = node_twin(now, n);

		if ((o->type && n->type != o->type) || (only && m != only))
			continue;
		if (!m || !in_scope(now, m))
			only_there(o, then, n, true);
		else
			diff_node(o, then, now, n, m);
	}
	for (uint32_t i = 0; i < now->scope->n; i++) {
		const struct fab_node *m = &now->f->s->nodes[now->scope->order[i]];

		if ((!o->type || m->type == o->type) && (!only || m == only) && !node_twin(then, m))
			only_there(o, now, m, false);
	}
}
