/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fts_fabric.c - tables of the switches of a fabric that was swept, and who has which LID in it.
 * Room: diags.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "diags/fts.h"
#include "util/xalloc.h"

void
fts_directory_make(struct fts_directory *y, const struct diag_fabric *f)
{
	y->f = f;
	y->port = xcalloc(LID_UCAST_MAX + 1u, sizeof(*y->port));
	y->base = xcalloc(LID_UCAST_MAX + 1u, sizeof(*y->base));
	y->lmc = xcalloc(LID_UCAST_MAX + 1u, sizeof(*y->lmc));
	memset(y->port, 0xff, (LID_UCAST_MAX + 1u) * sizeof(*y->port));
	for (uint32_t i = 0; i < f->s->nports; i++) {
		const struct fab_port *p = &f->s->ports[i];
		uint32_t lid = fab_lid(f, p), end = lid + (1u << fab_lmc(f, p));

		if (!(p->flags & FAB_PORT_INFO) || (fab_is_switch(fab_node_of(f, p)) && p->num))
			continue;
		for (; lid && lid < end && lid <= LID_UCAST_MAX; lid++)
			if (y->port[lid] == FAB_NONE) {
				y->port[lid] = i;
				y->base[lid] = fab_lid(f, p);
				y->lmc[lid] = fab_lmc(f, p);
			}
	}
}

void
fts_directory_clear(struct fts_directory *y)
{
	free(y->port);
	free(y->base);
	free(y->lmc);
}

bool
fts_directory_who(struct diag *d, void *arg, uint16_t lid, struct fts_dest *dest)
{
	const struct fts_directory *y = arg;
	const struct fab_port *p;

	if (y->port[lid] == FAB_NONE) {
		snprintf(dest->name, sizeof(dest->name), ": (node info not available fabric scan)");
		return false;
	}
	p = &y->f->s->ports[y->port[lid]];
	dest->port_guid = p->guid;
	dest->type = fab_node_of(y->f, p)->type;
	dest->lmc = y->lmc[lid];
	dest->base_lid = y->base[lid];
	fab_name(d, fab_node_of(y->f, p), dest->name);
	return true;
}

bool
fts_of_node(struct diag *d, const struct fts_want *w, const struct fab_node *n, struct fts *t)
{
	if (n->hop_count == FAB_NO_PATH || !(n->flags & FAB_NODE_SWITCH_INFO))
		return false;
	*t = (struct fts){ .addr = diag_addr_path(n->path, n->hop_count), .guid = n->guid, .nports = n->nports };
	t->addr.dr_slid = t->addr.dr_dlid = 0;  /* as routes are shown that a sweep found */
	t->info = switch_info_decode(n->switch_info);
	fab_name(d, n, t->name);
	fts_plan(d, w, t);
	return true;
}
