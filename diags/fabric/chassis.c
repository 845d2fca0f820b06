/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * chassis.c - groups nodes into chassis.
 * Room: diags/fabric.  Pure.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "diags/fabric/chassis.h"
#include "diags/fabric/fabric.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

#define VENDOR_TOPSPIN 0x5adu
#define VENDOR_INFINICON 0x66au
#define VENDOR_MELLANOX 0x2c9u
#define DEVICE_WITH_SLOTS 0xbd36u
#define SPINES_MAX 36u
#define LINES_MAX 144u
#define LINE_PORTS 18u

struct box {
	uint64_t guid;
	unsigned nodes, number;
	UT_hash_handle hh;
};

static uint64_t
box_guid(const struct fab_node *n)
{
	uint32_t vendor = node_info_decode(n->node_info).vendor_id;

	/* One byte of these GUIDs is the slot. */
	if (vendor == VENDOR_TOPSPIN || vendor == VENDOR_INFINICON)
		return n->sys_guid & UINT64_C(0xffffffff00ffffff);
	return n->sys_guid;
}

/* Parses "MF0;SYSTEM:TYPE/L01/U1", with an optional ":BOARD" after the slot. */
static void
read_slot(const struct fab_node *n, struct chassis_node *c)
{
	char text[NODE_DESC_BYTES + 1] = "", type[NODE_DESC_BYTES + 1], slot[NODE_DESC_BYTES + 1];
	unsigned number, chip;
	const char *p;
	int used = 0;

	memcpy(text, n->desc, NODE_DESC_BYTES);
	if (strncmp(text, "MF0;", 4) || !(p = strchr(text + 4, ':')))
		return;
	if (sscanf(p + 1, "%64[^/]/%64[^/:]%n", type, slot, &used) != 2)
		return;
	p += 1 + used;
	if (*p == ':')
		p += strcspn(p, "/");
	if (sscanf(p, "/U%u", &chip) != 1 || sscanf(slot + 1, "%u", &number) != 1)
		return;
	if ((slot[0] != 'L' || number > LINES_MAX + 1) &&
	    (slot[0] != 'S' || number > SPINES_MAX + 1))
		return;
	c->slot = slot[0] == 'L' ? CHASSIS_SLOT_LINE : CHASSIS_SLOT_SPINE;
	c->slot_number = number;
	c->chip = chip;
	snprintf(c->type, sizeof(c->type), "%.31s", type);
}

static struct box *
find_box(struct box *boxes, const struct fab_node *n)
{
	uint64_t guid = box_guid(n);
	struct box *b = NULL;

	if (guid)
		HASH_FIND(hh, boxes, &guid, sizeof(guid), b);
	return b;
}

void
chassis_find(const struct diag_fabric *f, struct chassis_map *m)
{
	struct box *boxes = NULL, *b, *next;
	unsigned shown = 0;

	*m = (struct chassis_map){ .nodes = xcalloc(f->s->nnodes + 1u, sizeof(*m->nodes)) };
	DIAG_EACH_NODE(f, i, n, 0) {
		b = find_box(boxes, n);
		if (!b && box_guid(n)) {
			b = xcalloc(1, sizeof(*b));
			b->guid = box_guid(n);
			HASH_ADD(hh, boxes, guid, sizeof(b->guid), b);
		}
		if (b)
			b->nodes++;
	}
	DIAG_EACH_NODE(f, i, n, 0) {
		struct chassis_node *c = &m->nodes[n - f->s->nodes];
		struct node_info info = node_info_decode(n->node_info);

		b = find_box(boxes, n);
		if (!b || b->nodes < 2)
			continue;
		if (!b->number)
			b->number = ++m->count;
		c->chassis = b->number;
		if (fab_is_switch(n) && info.vendor_id == VENDOR_MELLANOX &&
		    info.device_id == DEVICE_WITH_SLOTS)
			read_slot(n, c);
	}
	m->guids = xcalloc(m->count + 1u, sizeof(*m->guids));
	m->shown = xcalloc(m->count + 1u, sizeof(*m->shown));
	HASH_ITER(hh, boxes, b, next) {         /* in the order of their first nodes */
		if (b->number) {
			m->guids[b->number - 1] = b->guid;
			m->shown[shown++] = b->number;
		}
		HASH_DEL(boxes, b);
		free(b);
	}
}

void
chassis_clear(struct chassis_map *m)
{
	free(m->nodes);
	free(m->guids);
	free(m->shown);
	*m = (struct chassis_map){ 0 };
}

unsigned
chassis_ext_port(const struct diag_fabric *f, const struct chassis_map *m, const struct fab_port *p)
{
	const struct fab_node *n = fab_node_of(f, p);

	return m->nodes[n - f->s->nodes].slot == CHASSIS_SLOT_LINE && p->num >= 1 &&
		p->num <= LINE_PORTS ? p->num : 0;
}
