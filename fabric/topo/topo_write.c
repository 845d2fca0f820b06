/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * topo_write.c - a topology as text, in the form ibnetdiscover prints it (docs/topology.md).
 * Room: fabric/topo.  Pure but for the stream it is handed: no date is written, so equal topologies
 * give equal bytes.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include "fabric/topo/topo.h"

static const char *
width_word(uint8_t width)
{
	switch (width) {
	case 1: return "1x";
	case 2: return "4x";
	case 4: return "8x";
	case 8: return "12x";
	case 16: return "2x";
	}
	return "??";
}

static const char *
speed_word(const struct topo_port *p)
{
	if (p->speed_ext2)
		return p->speed_ext2 == 1 ? "XDR" : "???";
	switch (p->speed_ext) {
	case 0: break;
	case 1: return "FDR";
	case 2: return "EDR";
	case 4: return "HDR";
	case 8: return "NDR";
	default: return "???";
	}
	switch (p->speed) {
	case 1: return "SDR";
	case 2: return "DDR";
	case 4: return p->fdr10 ? "FDR10" : "QDR";
	}
	return "???";
}

/* The name in quotes; control characters would break the line, so each becomes a blank. */
static void
put_name(FILE *out, const char *name)
{
	putc('"', out);
	for (; *name; name++)
		putc((unsigned char)*name < ' ' || *name == 0x7f ? ' ' : *name, out);
	putc('"', out);
}

static void
put_ids(FILE *out, const struct topo *t, const struct topo_node *n)
{
	fprintf(out, "\nvendid=0x%" PRIx32 "\ndevid=0x%" PRIx32 "\n", n->vendor_id, n->device_id);
	if (n->sys_guid)
		fprintf(out, "sysimgguid=0x%" PRIx64 "\n", n->sys_guid);
	if (n->type == TOPO_SWITCH)
		fprintf(out, "switchguid=0x%" PRIx64 "(%" PRIx64 ")\n", n->guid,
			t->ports[n->first_port].guid);
	else
		fprintf(out, "%s=0x%" PRIx64 "\n", n->type == TOPO_CA ? "caguid" : "rtguid",
			n->guid);
}

static void
put_header(FILE *out, const struct topo *t, const struct topo_node *n)
{
	const struct topo_port *port0 = &t->ports[n->first_port];

	put_ids(out, t, n);
	fprintf(out, "%s\t%u \"%s\"\t\t# ",
		n->type == TOPO_SWITCH ? "Switch" : n->type == TOPO_CA ? "Ca" : "Rt", n->nports,
		n->id);
	put_name(out, n->desc);
	if (n->type == TOPO_SWITCH)
		fprintf(out, " %s port 0 lid %u lmc %u", n->enhanced_port0 ? "enhanced" : "base",
			port0->lid, port0->lmc);
	putc('\n', out);
}

static void
put_port(FILE *out, const struct topo *t, const struct topo_node *n, uint32_t number)
{
	const struct topo_port *p = &t->ports[n->first_port + number];
	const struct topo_node *peer_node = &t->nodes[p->peer_node];
	const struct topo_port *peer = &t->ports[peer_node->first_port + p->peer_port];
	bool of_switch = n->type == TOPO_SWITCH, to_switch = peer_node->type == TOPO_SWITCH;

	fprintf(out, "[%" PRIu32 "]", number);
	if (!of_switch)
		fprintf(out, "(%" PRIx64 ") ", p->guid);
	fprintf(out, "\t\"%s\"[%u]", peer_node->id, p->peer_port);
	if (!to_switch)
		fprintf(out, "%s(%" PRIx64 ") ", of_switch ? "" : " ", peer->guid);
	fputs("\t\t# ", out);
	if (!of_switch)
		fprintf(out, "lid %u lmc %u ", p->lid, p->lmc);
	put_name(out, peer_node->desc);
	fprintf(out, " lid %u %s%s\n", to_switch ? t->ports[peer_node->first_port].lid : peer->lid,
		width_word(p->width), speed_word(p));
}

int
topo_write(FILE *out, const struct topo *t)
{
	static const uint8_t order[] = { TOPO_SWITCH, TOPO_CA, TOPO_ROUTER };

	fputs("#\n# Topology file: written by heddle\n#\n", out);
	for (size_t k = 0; k < sizeof(order); k++)
		for (uint32_t i = 0; i < t->nnodes; i++) {
			const struct topo_node *n = &t->nodes[i];

			if (n->type != order[k])
				continue;
			put_header(out, t, n);
			for (uint32_t port = 1; port <= n->nports; port++)
				if (t->ports[n->first_port + port].peer_node != TOPO_NONE)
					put_port(out, t, n, port);
		}
	errno = 0;
	if (fflush(out) || ferror(out))
		return errno ? -errno : -EIO;
	return 0;
}
