/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibnetdiscover_topo.c - prints a topology file (docs/topology.md).
 * Room: diags/tools.
 */
#include <config.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include "diags/core/names.h"
#include "diags/fabric/chassis.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select.h"
#include "diags/tools/ibnetdiscover.h"
#include "libmad/attr/sm_attr.h"

static char
id_letter(const struct fab_node *n)
{
	return n->type == 2 ? 'S' : n->type == 1 ? 'H' : n->type == 3 ? 'R' : '?';
}

static const struct chassis_node *
chassis_of(const struct topo_out *o, const struct diag_fabric *f, const struct fab_node *n)
{
	return o->chassis ? &o->chassis->nodes[n - f->s->nodes] : NULL;
}

static void
put_ids(const struct topo_out *o, const struct diag_fabric *f, const struct fab_node *n,
	const char *prefix)
{
	const struct chassis_node *c = chassis_of(o, f, n);
	struct node_info i = node_info_decode(n->node_info);

	fprintf(o->f, "\n%svendid=0x%x\n", prefix, i.vendor_id);
	fprintf(o->f, "%sdevid=0x%x\n", prefix, i.device_id);
	if (i.sys_guid)
		fprintf(o->f, "%ssysimgguid=0x%" PRIx64, prefix, i.sys_guid);
	if (c && c->chassis)
		fprintf(o->f, "\t\t# Chassis %u", c->chassis);
	if (i.sys_guid || (c && c->chassis))
		fprintf(o->f, "\n");
}

static void
put_slot(const struct topo_out *o, const struct chassis_node *c)
{
	fprintf(o->f, "\t# ");
	if (c->type[0])
		fprintf(o->f, "%s ", c->type);
	if (c->slot)
		fprintf(o->f, "%s %u Chip %u", c->slot == CHASSIS_SLOT_LINE ? "Line" : "Spine",
			c->slot_number, c->chip);
}

void
topo_node_line(const struct topo_out *o, const struct diag_fabric *f, const struct fab_node *n,
	const char *prefix)
{
	const struct fab_port *port0 = fab_port_of(f, n, 0);
	char name[DIAG_NAME_BYTES];

	fab_name(o->d, n, name);
	fprintf(o->f, "%s%s\t%d \"%c-%016" PRIx64 "\"\t\t# \"%s\"", prefix,
		n->type == 2 ? "Switch" : n->type == 1 ? "Ca" : "Rt",
		n->nports, id_letter(n), n->guid, name);
	if (n->type == 2)
		fprintf(o->f, " %s port 0 lid %d lmc %d",
			switch_info_decode(n->switch_info).enhanced_port0 ? "enhanced" : "base",
			fab_lid(f, port0), fab_lmc(f, port0));
}

void
topo_node(const struct topo_out *o, const struct diag_fabric *f, const struct fab_node *n,
	const char *ids_prefix,
	const char *line_prefix)
{
	const struct chassis_node *c = chassis_of(o, f, n);

	put_ids(o, f, n, ids_prefix);
	if (n->type == 2) {
		fprintf(o->f, "%sswitchguid=0x%" PRIx64 "(%" PRIx64 ")", ids_prefix, n->guid,
			node_info_decode(n->node_info).port_guid);
		if (c)
			put_slot(o, c);
		fprintf(o->f, "\n");
	} else {
		fprintf(o->f, "%s%sguid=0x%" PRIx64 "\n", ids_prefix, n->type == 1 ? "ca" : "rt",
			n->guid);
	}
	topo_node_line(o, f, n, line_prefix);
	fprintf(o->f, "\n");
}

static void
put_ext(const struct topo_out *o, const struct diag_fabric *f, const struct fab_port *p)
{
	unsigned ext = o->chassis ? chassis_ext_port(f, o->chassis, p) : 0;

	if (ext)
		fprintf(o->f, "[ext %u]", ext);
}

void
topo_port_line(const struct topo_out *o, const struct diag_fabric *f, const struct fab_port *p,
	const char *prefix)
{
	const struct fab_node *n = fab_node_of(f, p), *to;
	const struct fab_port *peer = fab_peer_of(f, p);
	struct fab_link l = fab_link_of(f, p);
	char name[DIAG_NAME_BYTES];

	if (!peer)
		return;
	to = fab_node_of(f, peer);
	fprintf(o->f, "%s[%d]", prefix, p->num);
	if (n->type == 2)
		put_ext(o, f, p);
	else
		fprintf(o->f, "(%" PRIx64 ") ", p->guid);
	fprintf(o->f, "\t\"%c-%016" PRIx64 "\"[%d]", id_letter(to), to->guid, peer->num);
	put_ext(o, f, peer);
	if (to->type != 2)
		fprintf(o->f, "%s(%" PRIx64 ") ", n->type == 2 ? "" : " ", peer->guid);
	fprintf(o->f, "\t\t# ");
	if (n->type != 2)
		fprintf(o->f, "lid %d lmc %d ", fab_lid(f, p), fab_lmc(f, p));
	fprintf(o->f, "\"%s\" lid %d %s%s", fab_name(o->d, to, name), fab_lid(f, peer),
		fab_width_word(l.width), fab_speed_word(&l));
	if (o->full)
		fprintf(o->f, " s=%d w=%d v=%d", l.speed, l.width, l.vl_cap);
	fprintf(o->f, "\n");
}

static void
put_node(const struct topo_out *o, const struct diag_fabric *f, const struct fab_node *n)
{
	if (!select_node(o->selection, n))
		return;
	topo_node(o, f, n, "", "");
	for (unsigned p = 1; p <= n->nports; p++)
		if (select_port(o->selection, fab_port_of(f, n, p)))
			topo_port_line(o, f, fab_port_of(f, n, p), "");
}

/* Prints a chassis: its spine and line nodes by slot, then its other switches and its adapters, the
 * last one found first. */
static void
put_chassis(const struct topo_out *o, const struct diag_fabric *f, unsigned number)
{
	const struct snapshot *s = f->s;
	const struct chassis_node *c = o->chassis->nodes;
	static const char *const titles[] = { [CHASSIS_SLOT_SPINE] = "# Spine Nodes",
		[CHASSIS_SLOT_LINE] = "# Line Nodes" };
	static const enum chassis_slot slots[] = { CHASSIS_SLOT_SPINE, CHASSIS_SLOT_LINE };

	fprintf(o->f, "\nChassis %u", number);
	if (o->chassis->guids[number - 1])
		fprintf(o->f, " (guid 0x%" PRIx64 ")", o->chassis->guids[number - 1]);
	fprintf(o->f, "\n");
	for (size_t k = 0; k < 2; k++) {
		fprintf(o->f, "\n%s", titles[slots[k]]);
		for (unsigned slot = 1; slot <= 145; slot++)
			DIAG_EACH_NODE(f, i, n, 2)
				if (c[n - s->nodes].chassis == number &&
				    c[n - s->nodes].slot == slots[k] &&
				    c[n - s->nodes].slot_number == slot)
					put_node(o, f, n);
	}
	for (uint8_t type = 2; type >= 1; type--) {
		fprintf(o->f, "\n# Chassis %s", type == 2 ? "Switches" : "CAs");
		for (uint32_t i = s->nnodes; i-- > 0;) {
			const struct fab_node *n = &s->nodes[f->order[i]];

			if (n->type == type && c[f->order[i]].chassis == number &&
			    !c[f->order[i]].slot)
				put_node(o, f, n);
		}
	}
}

void
topo_print(const struct topo_out *o, const struct diag_fabric *f, bool hops)
{
	static const uint8_t types[] = { 2, 1, 3 };
	const struct fab_node *from = &f->s->nodes[f->s->ports[f->s->sm_port].node];
	time_t t = time(NULL);

	fprintf(o->f, "#\n# Topology file: generated on %s#\n", ctime(&t));
	if (hops)
		fprintf(o->f, "# Reported max hops discovered: %u\n# Total MADs used: %" PRIu64
			"\n", f->max_hops, f->mads);
	fprintf(o->f, "# Initiated from node %016" PRIx64 " port %016" PRIx64 "\n", from->guid,
		node_info_decode(from->node_info).port_guid);
	for (unsigned k = 0; o->chassis && k < o->chassis->count; k++)
		put_chassis(o, f, o->chassis->shown[k]);
	if (o->chassis)
		fprintf(o->f, "\nNon-Chassis Nodes\n");
	for (size_t k = 0; k < sizeof(types); k++)
		DIAG_EACH_NODE(f, i, n, types[k])
			if (!o->chassis || !o->chassis->nodes[n - f->s->nodes].chassis)
				put_node(o, f, n);
}
