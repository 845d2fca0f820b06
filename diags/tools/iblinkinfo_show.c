/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * iblinkinfo_show.c - prints nodes and their links as lines, and computes the part of the fabric
 * that is shown.
 * Room: diags/tools.
 */
#include <config.h>
#include <inttypes.h>
#include <stdlib.h>
#include "diags/core/names.h"
#include "diags/core/out.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/link.h"
#include "diags/fabric/select.h"
#include "diags/tools/iblinkinfo.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

/* ---- the part of the fabric ---- */

void
scope_clear(struct scope *s)
{
	free(s->order);
	free(s->cable);
	*s = (struct scope){ .start = FAB_NONE };
}

void
scope_all(struct scope *s, const struct diag_fabric *f)
{
	*s = (struct scope){ .start = FAB_NONE, .n = f->s->nnodes };
	s->order = xmemdup(f->order, (f->s->nnodes + 1u) * sizeof(*s->order));
	s->cable = xcalloc(f->s->nports + 1u, sizeof(*s->cable));
	for (uint32_t i = 0; i < f->s->nports; i++)
		s->cable[i] = true;
}

struct walk {
	struct scope *s;
	const struct snapshot *snap;
	uint32_t *depth;                /* depth by node index; FAB_NONE: not found yet */
	uint32_t *entry;                /* by node index: the port through which it was found */
	bool beyond;                    /* the one link beyond the limit was followed */
};

static void
follow(struct walk *w, const struct fab_port *p)
{
	const struct fab_port *q = &w->snap->ports[p->peer];

	w->s->cable[p - w->snap->ports] = true;
	w->s->cable[p->peer] = true;
	if (w->depth[q->node] != FAB_NONE)
		return;
	w->depth[q->node] = w->depth[p->node] + 1;
	w->entry[q->node] = p->peer;
	w->s->order[w->s->n++] = q->node;
}

/* Follows the links of a node. Only switches and the start node lead further. */
static void
expand(struct walk *w, uint32_t node, unsigned hops)
{
	const struct fab_node *n = &w->snap->nodes[node];

	if (!fab_is_switch(n) && w->depth[node])
		return;
	for (unsigned k = 1; k <= n->nports; k++) {
		const struct fab_port *p = &w->snap->ports[n->first_port + k];

		if (p->peer == FAB_NONE || w->entry[node] == n->first_port + k)
			continue;
		if (hops && w->depth[node] >= hops) {
			if (w->beyond)
				return;
			w->beyond = true;
		}
		follow(w, p);
	}
}

void
scope_around(struct scope *s, const struct diag_fabric *f, uint32_t start, unsigned hops,
	bool stuck)
{
	struct walk w = { .s = s, .snap = f->s };

	*s = (struct scope){ .start = start };
	s->order = xcalloc(f->s->nnodes + 1u, sizeof(*s->order));
	s->cable = xcalloc(f->s->nports + 1u, sizeof(*s->cable));
	w.depth = xcalloc(f->s->nnodes + 1u, sizeof(*w.depth));
	w.entry = xcalloc(f->s->nnodes + 1u, sizeof(*w.entry));
	for (uint32_t i = 0; i < f->s->nnodes; i++)
		w.depth[i] = w.entry[i] = FAB_NONE;
	w.depth[start] = 0;
	s->order[s->n++] = start;
	for (uint32_t i = 0; i < s->n && !stuck; i++)
		expand(&w, s->order[i], hops);
	for (uint32_t i = 0; i < s->n / 2; i++) {
		uint32_t t = s->order[i];

		s->order[i] = s->order[s->n - 1 - i];
		s->order[s->n - 1 - i] = t;
	}
	free(w.depth);
	free(w.entry);
}

/* ---- lines ---- */

static bool
was_down(const struct link_out *o, const struct diag_fabric *f, const struct fab_port *p)
{
	const struct diag_fabric *old = o->known_down;
	uint32_t n = old ? snapshot_node_by_guid(old->s, fab_node_of(f, p)->guid) : FAB_NONE;
	const struct fab_port *q;

	if (n == FAB_NONE || p->num > old->s->nodes[n].nports)
		return false;
	q = fab_port_of(old, &old->s->nodes[n], p->num);
	return q->flags & FAB_PORT_INFO && fab_link_of(old, q).state == PORT_STATE_DOWN;
}

bool
link_wanted(const struct link_out *o, const struct link_view *v, const struct fab_port *p)
{
	bool down = fab_link_of(v->f, p).state == PORT_STATE_DOWN;

	if (!p->num || !(p->flags & FAB_PORT_INFO) || (o->down && !down) ||
	    (down && was_down(o, v->f, p)))
		return false;
	return select_port(o->selection, p);
}

void
link_put_header(const struct link_out *o, const struct link_view *v, const struct fab_node *n,
	const char *prefix, bool *out)
{
	static const char *const words[] = { "Unknown", "CA", "Switch", "Router" };
	char name[DIAG_NAME_BYTES];

	(void)v;
	if (*out || o->line)
		return;
	*out = true;
	diag_text(o->d, "%s%s: ", prefix, words[n->type & 3]);
	if (fab_is_switch(n))
		diag_text(o->d, "0x%016" PRIx64 " ", node_info_decode(n->node_info).port_guid);
	diag_text(o->d, "%s:\n", fab_name(o->d, n, name));
}

void
link_put_port(const struct link_out *o, const struct link_view *v, const struct fab_port *p,
	const char *prefix)
{
	unsigned flags = (o->line ? LINK_GUIDS : 0u) | (o->times ? LINK_TIMES : 0u);
	const struct fab_node *n = fab_node_of(v->f, p);
	char name[DIAG_NAME_BYTES], text[LINK_TEXT_BYTES], ext[12];

	if (!v->scope->cable[p - v->f->s->ports])
		flags |= LINK_NO_PEER;
	diag_text(o->d, "%s", prefix);
	if (o->line)
		diag_text(o->d, "0x%016" PRIx64 " \"%30s\" ", p->guid, fab_name(o->d, n, name));
	else if (fab_is_switch(n))
		diag_text(o->d, "      ");
	else
		diag_text(o->d, "      0x%016" PRIx64 " ", p->guid);
	diag_text(o->d, "%6d %4d[%2s] %s\n", fab_lid(v->f, p), p->num,
		link_ext_port(v->f, v->chassis, p, ext),
		link_text(o->d, v->f, v->chassis, p, flags, text));
}

void
link_put_node(const struct link_out *o, const struct link_view *v, const struct fab_node *n,
	const char *prefix)
{
	bool out = false;

	if (o->type && n->type != o->type)
		return;
	for (unsigned k = 1; k <= n->nports; k++) {
		const struct fab_port *p = fab_port_of(v->f, n, k);

		if (!link_wanted(o, v, p))
			continue;
		link_put_header(o, v, n, prefix, &out);
		link_put_port(o, v, p, prefix);
	}
}
