/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fts_fabric.c - tables of the switches of a discovered fabric, and the directory of its LIDs.
 * Room: diags/tools.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "diags/core/addr.h"
#include "diags/fabric/fabric.h"
#include "diags/tools/fts.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

void
fts_directory_make(struct fts_directory *y, const struct diag_fabric *f)
{
	y->f = f;
	y->port = xcalloc(LID_UCAST_MAX + 1u, sizeof(*y->port));
	y->dest = xcalloc(LID_UCAST_MAX + 1u, sizeof(*y->dest));
	memset(y->port, 0xff, (LID_UCAST_MAX + 1u) * sizeof(*y->port));
	for (uint32_t i = 0; i < f->s->nports; i++) {
		const struct fab_port *p = &f->s->ports[i];
		uint32_t lid = fab_lid(f, p), end = lid + (1u << fab_lmc(f, p));

		if (!(p->flags & FAB_PORT_INFO) || (fab_is_switch(fab_node_of(f, p)) && p->num))
			continue;
		for (; lid && lid < end && lid <= LID_UCAST_MAX; lid++)
			if (y->port[lid] == FAB_NONE)
				y->port[lid] = i;
	}
}

void
fts_directory_clear(struct fts_directory *y)
{
	for (uint32_t lid = 0; lid <= LID_UCAST_MAX; lid++)
		free(y->dest[lid]);
	free(y->dest);
	free(y->port);
}

static struct fts_dest *
look_up(struct diag *d, const struct fts_directory *y, uint16_t lid)
{
	struct fts_dest *dest = xcalloc(1, sizeof(*dest));
	const struct fab_port *p;

	if (y->port[lid] == FAB_NONE) {
		fts_dest_unknown(dest, ": (node info not available fabric scan)");
		return dest;
	}
	p = &y->f->s->ports[y->port[lid]];
	dest->port_guid = p->guid;
	dest->type = fab_node_of(y->f, p)->type;
	dest->lmc = fab_lmc(y->f, p);
	dest->base_lid = fab_lid(y->f, p);
	fab_name(d, fab_node_of(y->f, p), dest->name);
	fts_dest_known(dest);
	return dest;
}

const struct fts_dest *
fts_directory_who(struct diag *d, void *arg, uint16_t lid)
{
	const struct fts_directory *y = arg;

	if (!y->dest[lid])
		y->dest[lid] = look_up(d, y, lid);
	return y->dest[lid];
}

bool
fts_of_node(struct diag *d, const struct fts_want *w, const struct fab_node *n, struct fts *t)
{
	if (n->hop_count == FAB_NO_PATH || !(n->flags & FAB_NODE_SWITCH_INFO))
		return false;
	*t = (struct fts){ .addr = diag_addr_path(n->path, n->hop_count), .guid = n->guid,
		.nports = n->nports };
	t->addr.dr_slid = t->addr.dr_dlid = 0;  /* shown in the form of discovered routes */
	t->info = switch_info_decode(n->switch_info);
	fab_name(d, n, t->name);
	fts_plan(d, w, t);
	return true;
}
