/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * links.c - reports links that are not up: ports without a link where equal devices have one, and
 * links that no SM has activated.
 * Room: diags/check.
 *
 * The check does not know which ports should have a cable; only a plan does (--golden). It compares
 * ports of the same number on devices of one kind, that is, of the same vendor, device, number of
 * ports and level. If nearly all of them have a link, a port without one is reported.
 */
#include <config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/check/check.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

enum { STATE_DOWN = 1, STATE_INIT, STATE_ARMED, STATE_ACTIVE };
enum { PHYS_DISABLED = 3, PHYS_LINK_UP = 5 };
/* Minimum number of other devices of the same kind. */
#define OTHERS_MIN 2
#define MOST(part, all) ((part) * 4 >= (all) * 3)

struct kind {
	uint32_t node;
	uint64_t key;
};

static int
kind_cmp(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static uint64_t
key_of(const struct check_run *c, const struct fab_node *n)
{
	struct node_info i = node_info_decode(n->node_info);

	return (uint64_t)i.vendor_id << 40 | (uint64_t)i.device_id << 24 |
		(uint64_t)n->nports << 16 | (uint64_t)n->type << 8 |
		levels_of(&c->levels, n);
}

static void
without_link(struct check_run *c, const struct fab_port *p, size_t have, size_t others)
{
	struct port_info i = port_info_decode(p->info);
	char name[CHECK_NAME_BYTES];
	struct check_about w = { .a = p };

	if (check_known(p) && i.phys_state == PHYS_LINK_UP)
		return; /* the other end does not answer; the answers check reports it */
	check_name(c, p, name);
	if (check_known(p) && i.phys_state == PHYS_DISABLED)
		check_find(c, CHECK_WARNING, "port_disabled", &w,
			"%s is disabled; on %zu of %zu other devices of its type this port has a "
			"link", name, have, others);
	else
		check_find(c, CHECK_WARNING, "link_down", &w,
			"%s has no link; on %zu of %zu other devices of its type this port has one",
			name, have, others);
}

/* Checks the devices k[0..n), which are of one kind. */
static void
one_kind(struct check_run *c, const struct kind *k, size_t n)
{
	const struct snapshot *s = c->f.s;

	for (unsigned num = 1; num <= s->nodes[k[0].node].nports; num++) {
		size_t have = 0;

		for (size_t i = 0; i < n; i++)
			have += snapshot_port(s, k[i].node, (uint8_t)num)->peer != FAB_NONE;
		if (n <= OTHERS_MIN || have == n || !MOST(have, n - 1))
			continue;
		for (size_t i = 0; i < n; i++) {
			const struct fab_port *p = snapshot_port(s, k[i].node, (uint8_t)num);

			if (p->peer == FAB_NONE)
				without_link(c, p, have, n - 1);
		}
	}
}

static void
link_down_check(struct check_run *c)
{
	const struct snapshot *s = c->f.s;
	struct kind *k = xcalloc(s->nnodes + 1u, sizeof(*k));
	uint32_t first = 0;

	for (uint32_t i = 0; i < s->nnodes; i++)
		k[i] = (struct kind){ i, key_of(c, &s->nodes[i]) };
	qsort(k, s->nnodes, sizeof(*k), kind_cmp);
	for (uint32_t i = 1; i <= s->nnodes; i++)
		if (i == s->nnodes || k[i].key != k[first].key) {
			one_kind(c, &k[first], i - first);
			first = i;
		}
	free(k);
}

static void
states(struct check_run *c)
{
	char a[CHECK_NAME_BYTES], b[CHECK_NAME_BYTES];

	CHECK_EACH_CABLE(c, i) {
		const struct fab_port *p = &c->f.s->ports[i], *q = &c->f.s->ports[p->peer];
		struct port_info x = port_info_decode(p->info), y = port_info_decode(q->info);
		const char *sx = attr_word(ATTR_SHOW_PORT_STATE, x.state),
			*sy = attr_word(ATTR_SHOW_PORT_STATE, y.state);

		if (x.state == STATE_ACTIVE && y.state == STATE_ACTIVE)
			continue;
		check_find(c, CHECK_ERROR, "link_not_active", &(struct check_about){ .a = p,
			.b = q },
			"the link %s - %s is up but not active: %s, %s%s", check_name(c, p, a),
			check_name(c, q, b), sx ? sx : "?", sy ? sy : "?",
			x.state == STATE_INIT &&
			y.state == STATE_INIT ? " (no subnet manager has activated it)" : "");
	}
}

/* Counts disabled ports for the summary. */
static void
disabled(struct check_run *c)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < c->f.s->nports; i++) {
		const struct fab_port *p = &c->f.s->ports[i];

		n += p->num && check_known(p) &&
			port_info_decode(p->info).phys_state == PHYS_DISABLED;
	}
	if (n)
		check_looked(c, "%u links; %u port%s disabled", c->f.s->nlinks, n,
			n == 1 ? " is" : "s are");
}

static void
links_check(struct check_run *c)
{
	check_looked(c, "%u links", c->f.s->nlinks);
	/* a plan defines which links must exist; the golden check reports the others */
	if (!c->opt->golden)
		link_down_check(c);
	if (c->f.drawn)
		return;
	disabled(c);
	states(c);
}

const struct check check_links = { .name = "links",
	.about = "ports without a link where similar ports have one, inactive links",
	.run = links_check };
