/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * compare_text.c - differences as sentences, in an order for work at the racks.
 * Room: diags/topo.
 */
#include <config.h>
#include <inttypes.h>
#include <string.h>
#include "diags/core/names.h"
#include "diags/fabric/fabric.h"
#include "diags/topo/compare.h"
#include "diags/topo/speed.h"

#define END_BYTES (DIAG_NAME_BYTES + 48)

static const struct { const char *code, *plan, *diff; } changes[TOPO_NCHANGES] = {
#define D(name, code, plan, diff) { code, plan, diff },
	TOPO_CHANGES(D)
#undef D
};

const char *
topo_change_code(enum topo_change c)
{
	return changes[c].code;
}

const char *
topo_change_word(enum topo_change c, bool plan)
{
	return plan ? changes[c].plan : changes[c].diff;
}

/* Formats an end: "leaf-0-0 port 3", or a node: "leaf-0-0 (0x00fe1d0000000000)". */
static const char *
end_text(struct diag *d, const struct diag_fabric *f, const struct fab_port *p,
	char buf[static END_BYTES])
{
	const struct fab_node *n;
	char name[DIAG_NAME_BYTES];

	if (!p) {
		snprintf(buf, END_BYTES, "nothing");
		return buf;
	}
	n = fab_node_of(f, p);
	fab_name(d, n, name);
	if (p->num)
		snprintf(buf, END_BYTES, "%s port %u", name, p->num);
	else
		snprintf(buf, END_BYTES, "%s (0x%016" PRIx64 ")", name, n->guid);
	return buf;
}

static void
node_text(struct diag *d, const struct diag_fabric *was, const struct diag_fabric *is,
	const struct topo_difference *x,
	char buf[static TOPO_TEXT_BYTES])
{
	const struct fab_node *n = fab_node_of(x->was[0] ? was : is,
		x->was[0] ? x->was[0] : x->is[0]);
	char a[END_BYTES], b[END_BYTES];

	end_text(d, was, x->was[0], a);
	end_text(d, is, x->is[0], b);
	switch (x->change) {
	case TOPO_NODE_MISSING:
		snprintf(buf, TOPO_TEXT_BYTES, "%s %s, with %u link%s", fab_type_word(n->type), a,
			x->links, x->links == 1 ? "" : "s");
		return;
	case TOPO_NODE_EXTRA:
		snprintf(buf, TOPO_TEXT_BYTES, "%s %s, with %u link%s", fab_type_word(n->type), b,
			x->links, x->links == 1 ? "" : "s");
		return;
	case TOPO_NODE_PORTS:
		snprintf(buf, TOPO_TEXT_BYTES, "%s %s has %u ports instead of %u",
			fab_type_word(n->type), b, fab_node_of(is, x->is[0])->nports, n->nports);
		return;
	case TOPO_NODE_REPLACED:
		snprintf(buf, TOPO_TEXT_BYTES, "%s %s is another device now: 0x%016" PRIx64,
			fab_type_word(n->type), a, fab_node_of(is, x->is[0])->guid);
		return;
	default:
		snprintf(buf, TOPO_TEXT_BYTES, "%s %s is called %s now", fab_type_word(n->type), a,
			b);
	}
}

static void
moved_text(struct diag *d, const struct diag_fabric *was, const struct diag_fabric *is,
	const struct topo_difference *x,
	char buf[static TOPO_TEXT_BYTES])
{
	char p[END_BYTES], q[END_BYTES], pt[END_BYTES], qt[END_BYTES];

	end_text(d, was, x->was[0], p);
	end_text(d, was, x->was[1], q);
	end_text(d, is, x->is[1], pt);
	end_text(d, is, x->is[3], qt);
	if (x->is[0] && x->is[2])
		snprintf(buf, TOPO_TEXT_BYTES, "cable %s - %s: now %s goes to %s, and %s to %s", p,
			q, p, pt, q, qt);
	else if (x->is[0])
		snprintf(buf, TOPO_TEXT_BYTES, "cable %s - %s: goes to %s now instead of %s", p, q,
			pt, q);
	else
		snprintf(buf, TOPO_TEXT_BYTES, "cable %s - %s: goes to %s now instead of %s", q, p,
			qt, p);
}

static void
link_text(struct diag *d, const struct diag_fabric *was, const struct diag_fabric *is,
	const struct topo_difference *x,
	char buf[static TOPO_TEXT_BYTES])
{
	char a[END_BYTES], b[END_BYTES], e[END_BYTES], f[END_BYTES], l[SPEED_LINK_TEXT_BYTES],
		m[SPEED_LINK_TEXT_BYTES];
	const struct diag_fabric *of = x->was[0] ? was : is;
	const struct fab_port *const *p = x->was[0] ? x->was : x->is;
	struct fab_link x1 = fab_link_of(of, p[0]), x2;

	end_text(d, of, p[0], a);
	end_text(d, of, p[1], b);
	speed_link_text(&x1, l);
	switch (x->change) {
	case TOPO_CABLE_SWAPPED:
		snprintf(buf, TOPO_TEXT_BYTES,
			"cables %s - %s and %s - %s: their ends at %s and %s are exchanged", a, b,
			end_text(d, was, x->was[2], e),
			end_text(d, was, x->was[3], f), b, f);
		return;
	case TOPO_CABLE_WIDTH: case TOPO_CABLE_SPEED:
		x2 = fab_link_of(is, x->is[0]);
		snprintf(buf, TOPO_TEXT_BYTES, "link %s - %s: %s instead of %s", a, b,
			speed_link_text(&x2, m), l);
		return;
	default:
		snprintf(buf, TOPO_TEXT_BYTES, "link %s - %s, %s", a, b, l);
	}
}

const char *
topo_difference_text(struct diag *d, const struct diag_fabric *was, const struct diag_fabric *is,
	const struct topo_difference *x,
	char buf[static TOPO_TEXT_BYTES])
{
	switch (x->change) {
	case TOPO_NODE_MISSING:
	case TOPO_NODE_EXTRA:
	case TOPO_NODE_REPLACED:
	case TOPO_NODE_RENAMED:
	case TOPO_NODE_PORTS:
		node_text(d, was, is, x, buf);
		break;
	case TOPO_CABLE_MOVED:
		moved_text(d, was, is, x, buf);
		break;
	case TOPO_CABLE_MISSING:
	case TOPO_CABLE_EXTRA:
	case TOPO_CABLE_SWAPPED:
	case TOPO_CABLE_WIDTH:
	case TOPO_CABLE_SPEED:
	case TOPO_NCHANGES:
		link_text(d, was, is, x, buf);
		break;
	}
	return buf;
}

const char *
topo_difference_object(const struct diag_fabric *was, const struct diag_fabric *is,
	const struct topo_difference *x,
	char buf[static TOPO_OBJECT_BYTES])
{
	const struct diag_fabric *f = x->was[0] ? was : is;
	const struct fab_port *const *p = x->was[0] ? x->was : x->is;
	size_t n = 0;

	for (unsigned i = 0; i < 2 && p[i]; i++)
		n += (size_t)snprintf(buf + n, TOPO_OBJECT_BYTES - n, "%s0x%016" PRIx64 "/%u",
			i ? "-" : "", fab_node_of(f, p[i])->guid, p[i]->num);
	return buf;
}
