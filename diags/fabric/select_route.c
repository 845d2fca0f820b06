/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * select_route.c - the ports on the route from one end to another, according to the forwarding
 * tables.
 * Room: diags/fabric.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/names.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select_int.h"
#include "libmad/attr/sm_attr.h"
#include "util/bits.h"
#include "util/xalloc.h"

#define LFT_LIDS 64u
#define STEPS_MAX 128           /* longer than any correct route */

static bool
is_called(struct diag *d, const struct fab_node *n, const char *text)
{
	char name[DIAG_NAME_BYTES];

	return !strcmp(fab_name(d, n, name), text);
}

static bool
port_has_lid(const struct diag_fabric *f, const struct fab_port *p, uint64_t lid)
{
	uint16_t base = fab_lid(f, p);

	return base && lid >= base && lid < base + (UINT64_C(1) << fab_lmc(f, p));
}

/* Reports whether 'text' names this end port: by LID, by its GUID or its node's GUID, or by the
 * name of the node. */
static bool
is_meant(struct diag *d, const struct diag_fabric *f, const struct fab_port *p, const char *text)
{
	const struct fab_node *n = fab_node_of(f, p);
	uint64_t v;

	if (!diag_number(text, UINT64_MAX, &v))
		return is_called(d, n, text);
	return v <= LID_UCAST_MAX ? port_has_lid(f, p, v) : v == p->guid || v == n->guid;
}

/* Returns the end port that 'text' names, or NULL with a sentence in 'why'. */
static const struct fab_port *
find_end(struct diag *d, const struct diag_fabric *f, const char *text, char *why)
{
	for (uint32_t i = 0; i < f->s->nendports; i++)
		if (is_meant(d, f, &f->s->ports[f->s->endports[i]], text))
			return &f->s->ports[f->s->endports[i]];
	snprintf(why, SELECT_WHY_BYTES, "no end of a route is called \"%.80s\"", text);
	return NULL;
}

/* Returns the port by which a switch forwards packets to 'lid', 255 if there is none, or -1 if the
 * switch does not answer. */
static int
out_port(struct diag *d, const struct diag_fabric *f, const struct fab_node *n, uint16_t lid)
{
	uint8_t block[64];
	struct diag_addr to;

	if (n->lft)
		return lid / LFT_LIDS < n->lft_blocks ? n->lft[lid] : FAB_LFT_DROP;
	if (!diag_can_ask(d))
		return -1;
	/* Uses the LID, because the routes in the snapshot of heddled begin at the port of
	 * heddled. */
	to = diag_addr_lid(fab_lid(f, fab_port_of(f, n, 0)));
	return diag_get(d, &to, LFT_BLOCK_ID, lid / LFT_LIDS, block) ? -1 : block[lid % LFT_LIDS];
}

static const struct fab_port *
take_link(const struct diag_fabric *f, const struct fab_port *p, uint64_t *bits)
{
	const struct fab_port *q = fab_peer_of(f, p);

	bits_set(bits, (size_t)(p - f->s->ports));
	if (q)
		bits_set(bits, (size_t)(q - f->s->ports));
	return q;
}

static void
route_follow(struct diag *d, const struct diag_fabric *f, const struct fab_port *from,
	const struct fab_port *to, const char *text, uint64_t *bits)
{
	const struct fab_port *at =
		fab_is_switch(fab_node_of(f, from)) ? from : take_link(f, from, bits);
	uint16_t lid = fab_lid(f, to);
	char name[DIAG_NAME_BYTES];

	for (unsigned step = 0; at && step < STEPS_MAX; step++) {
		const struct fab_node *n = fab_node_of(f, at);
		int out;

		if (n == fab_node_of(f, to) && (fab_is_switch(n) || at == to))
			return;
		out = fab_is_switch(n) ? out_port(d, f, n, lid) : FAB_LFT_DROP;
		if (out <= 0 || out > n->nports) {
			diag_warn(d, EXIT_FINDINGS, "not_found", NULL,
				out < 0 ? "route:%s ends at %s: its table for LID %u is not known" :
				"route:%s ends at %s: it sends LID %u nowhere", text,
				fab_name(d, n, name), lid);
			return;
		}
		at = take_link(f, fab_port_of(f, n, (unsigned)out), bits);
	}
	diag_warn(d, EXIT_FINDINGS, "not_found", NULL, at ? "route:%s goes in circles" :
		"route:%s ends at a port without a link", text);
}

bool
select_route(struct diag *d, const struct diag_fabric *f, const char *text, uint64_t *bits,
	char *why)
{
	const char *arrow = strstr(text, "->");
	const struct fab_port *from, *to;
	char *first;

	if (!arrow || arrow == text || !arrow[2]) {
		snprintf(why, SELECT_WHY_BYTES, "A->B is wanted: \"%.80s\"", text);
		return false;
	}
	first = xstrdup(text);
	first[arrow - text] = '\0';
	from = find_end(d, f, first, why);
	free(first);
	to = from ? find_end(d, f, arrow + 2, why) : NULL;
	if (!to)
		return false;
	if (from != to)
		route_follow(d, f, from, to, text, bits);
	return true;
}
