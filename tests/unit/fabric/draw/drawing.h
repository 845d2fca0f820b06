/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * drawing.h - small fabrics and their pictures, for tests of the room.
 */
#ifndef HEDDLE_TESTS_UNIT_FABRIC_DRAW_DRAWING_H
#define HEDDLE_TESTS_UNIT_FABRIC_DRAW_DRAWING_H

#include <inttypes.h>
#include "fabric/draw/picture.h"
#include "tests/unit/fabric/small.h"

#define DRAWING_NODES_MAX 7000

/* Nodes and links that are being put together; zero is none. */
struct plan {
	struct small_node nodes[DRAWING_NODES_MAX];
	struct small_cable cables[2 * DRAWING_NODES_MAX];
	unsigned nnodes, ncables;
	uint8_t used[DRAWING_NODES_MAX]; /* ports of each node that have a link */
};

static inline uint32_t
plan_switch(struct plan *p)
{
	p->nodes[p->nnodes] = (struct small_node){ TOPO_SWITCH, 250 };
	return p->nnodes++;
}

/* The next free ports. */
static inline void
plan_cable(struct plan *p, uint32_t a, uint32_t b)
{
	uint8_t port_a = ++p->used[a], port_b = ++p->used[b];

	p->cables[p->ncables++] = (struct small_cable){ a, port_a, b, port_b };
}

static inline void
plan_hosts(struct plan *p, uint32_t sw, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		p->nodes[p->nnodes] = (struct small_node){ TOPO_CA, 1 };
		plan_cable(p, sw, p->nnodes++);
	}
}

static inline struct snapshot *
plan_take(struct plan *p)
{
	struct snapshot *s = small_snapshot(p->nodes, p->nnodes, p->cables, p->ncables);

	memset(p, 0, sizeof(*p));
	return s;
}

/* 'spines' switches, then 'leaves' switches that are each linked to all of them, with hosts. */
static inline struct snapshot *
drawing_tree(unsigned spines, unsigned leaves, unsigned hosts)
{
	static struct plan p;

	for (unsigned i = 0; i < spines + leaves; i++)
		plan_switch(&p);
	for (unsigned leaf = spines; leaf < spines + leaves; leaf++)
		for (unsigned i = 0; i < spines; i++)
			plan_cable(&p, leaf, i);
	for (unsigned leaf = spines; leaf < spines + leaves; leaf++)
		plan_hosts(&p, leaf, hosts);
	return plan_take(&p);
}

/* Switches in a circle, each with hosts. */
static inline struct snapshot *
drawing_ring(unsigned n, unsigned hosts)
{
	static struct plan p;

	for (unsigned i = 0; i < n; i++)
		plan_switch(&p);
	for (unsigned i = 0; i < n; i++)
		plan_cable(&p, i, (i + 1) % n);
	for (unsigned i = 0; i < n; i++)
		plan_hosts(&p, i, hosts);
	return plan_take(&p);
}

static inline const char *
drawing_label(const struct picture *p, const struct fab_node *n, unsigned most,
	char buf[static PICTURE_LABEL_BYTES])
{
	char name[4 * NODE_DESC_BYTES];

	(void)p;
	snapshot_desc_text(n, name, sizeof(name));
	return picture_label(name, most, buf);
}

/* "GUID port N", behind what 'arg' says. */
static inline const char *
drawing_tip(const struct picture *p, const struct fab_port *port,
	char buf[static PICTURE_TIP_BYTES])
{
	snprintf(buf, PICTURE_TIP_BYTES, "%s0x%" PRIx64 " port %u", (const char *)p->arg,
		p->s->nodes[port->node].guid, port->num);
	return buf;
}

static inline unsigned
drawing_lid(const struct picture *p, const struct fab_node *sw)
{
	(void)p;
	return 7 + sw->sw;
}

/* Begins a picture with two styles: good, and bad, which is loud. */
static inline void
drawing_begin(struct picture *p, const struct snapshot *s)
{
	*p = (struct picture){ .s = s, .arg = "", .label = drawing_label, .tip = drawing_tip,
		.lid = drawing_lid, .nlooks = 2 };
	p->look[0] = (struct picture_look){ .word = "good", .color = "#00aa00", .width = 1 };
	p->look[1] = (struct picture_look){ .word = "bad", .color = "#ff0000", .width = 2,
		.loud = true };
	picture_begin(p);
}

static inline char *
drawing_text(const struct picture *p, void (*draw)(const struct picture *, FILE *))
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	assert_non_null(out);
	draw(p, out);
	fclose(out);
	assert_int_equal(strlen(text), n);
	return text;
}

static inline unsigned
drawing_count(const char *text, const char *what)
{
	unsigned n = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		n++;
	}
	return n;
}

/* Sets both ends of the link at that port to a style. */
static inline void
drawing_look(struct picture *p, uint32_t port, uint8_t look)
{
	p->of[port] = look;
	p->of[p->s->ports[port].peer] = look;
}

static inline void
drawing_name(struct snapshot *s, unsigned node, const char *name)
{
	uint8_t *desc = s->nodes[snapshot_node_by_guid(s, 0x1000u * (node + 1))].desc;

	memset(desc, 0, NODE_DESC_BYTES);
	memcpy(desc, name, strlen(name));
}

#endif
