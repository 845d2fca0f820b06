/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dump_fts_all.c - the forwarding tables of all switches: one sweep, then all tables side by side.
 * Room: diags.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "diags/common/select.h"
#include "diags/dump_fts.h"
#include "diags/fts.h"
#include "util/xalloc.h"

static struct fts_want want;

const struct diag_option dump_fts_options[] = {
	{ 'a', "all", NULL, "show all lids, even invalid entries" },
	{ 'n', "no_dests", NULL, "do not try to resolve destinations" },
	{ 'M', "Multicast", NULL, "show multicast forwarding tables" },
	{ 0, NULL, NULL, NULL },
};

const char *const dump_fts_examples[] = {
	" -- Unicast examples:",
	"-a\t# same, but dump all lids, even with invalid out ports",
	"-n\t# simple dump format - no destination resolving",
	"10\t# dump lids starting from 10",
	"0x10 0x20\t# dump lid range",
	" -- Multicast examples:",
	"-M\t# dump all non empty mlids of switch with lid 4",
	"-M 0xc010 0xc020\t# same, but with range",
	"-M -n\t# simple dump format",
	NULL,
};

int
dump_fts_option(struct diag *d, int id, const char *value)
{
	(void)d;
	(void)value;
	return fts_option(&want, id);
}

/* ---- who is at a LID: the sweep knows ---- */

struct directory {
	const struct diag_fabric *f;
	uint32_t *port;                 /* index of the end port by LID, FAB_NONE */
};

static void
directory_fill(struct directory *y, const struct diag_fabric *f)
{
	y->f = f;
	y->port = xcalloc(LID_UCAST_MAX + 1u, sizeof(*y->port));
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

static bool
who(struct diag *d, void *arg, uint16_t lid, struct fts_dest *dest)
{
	const struct directory *y = arg;
	const struct fab_port *p;

	if (y->port[lid] == FAB_NONE) {
		snprintf(dest->name, sizeof(dest->name), ": (node info not available fabric scan)");
		return false;
	}
	p = &y->f->s->ports[y->port[lid]];
	dest->port_guid = p->guid;
	dest->type = fab_node_of(y->f, p)->type;
	dest->lmc = fab_lmc(y->f, p);
	dest->base_lid = fab_lid(y->f, p);
	fab_name(d, fab_node_of(y->f, p), dest->name);
	return true;
}

/* ---- all switches ---- */

static bool
take_switch(struct diag *d, const struct diag_fabric *f, const struct fab_node *n, struct fts *t)
{
	if (n->hop_count == FAB_NO_PATH || !(n->flags & FAB_NODE_SWITCH_INFO))
		return false;
	*t = (struct fts){ .addr = diag_addr_path(n->path, n->hop_count), .guid = n->guid, .nports = n->nports };
	t->addr.dr_slid = t->addr.dr_dlid = 0;  /* as routes are shown that a sweep found */
	t->info = switch_info_decode(n->switch_info);
	fab_name(d, n, t->name);
	fts_plan(d, &want, t);
	(void)f;
	return true;
}

static int
dump(struct diag *d, const struct diag_fabric *f, const struct selection *s)
{
	struct fts *t = xcalloc(f->s->nswitches + 1u, sizeof(*t));
	struct directory y = { .f = f };
	size_t n = 0;
	int r;

	DIAG_EACH_NODE(f, i, node, 2)
		if (select_node(s, node) && take_switch(d, f, node, &t[n]))
			n++;
	r = fts_read(d, t, n);
	directory_fill(&y, f);
	for (size_t i = 0; i < n && !r; i++)
		fts_show(d, &want, &t[i], who, &y);
	for (size_t i = 0; i < n; i++)
		fts_clear(&t[i]);
	free(y.port);
	free(t);
	return r;
}

int
dump_fts_run(struct diag *d, int argc, char **argv)
{
	struct diag_fabric f = { 0 };
	struct selection *s = NULL;
	int r;

	if (diag_settings(d)->load)
		return diag_usage(d, "--load: forwarding tables are not in a saved fabric");
	r = fts_range(d, &want, argc, argv);
	if (!r)
		r = diag_fabric(d, 0, &f);
	if (!r)
		r = diag_selection(d, &f, &s);
	if (!r)
		r = dump(d, &f, s);
	if (!r)
		fab_summary(d, &f);
	select_free(s);
	if (f.s)
		diag_fabric_clear(&f);
	return r;
}

int
dump_fts_run_as(struct diag *d, const char *replaced_by, bool multicast, int argc, char **argv)
{
	int r;

	want.multicast |= multicast;
	r = dump_fts_run(d, argc, argv);
	diag_text(d, "\n*** WARNING ***: this command has been replaced by %s\n\n\n", replaced_by);
	return r;
}
