/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * iblists.c - lists the nodes of a fabric or of a topology file, one per line.
 * Room: diags/tools.
 */
#include <config.h>
#include <inttypes.h>
#include <string.h>
#include "diags/core/names.h"
#include "diags/core/out.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select.h"
#include "diags/tools/iblists.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

static void
node_put(struct diag *d, const struct diag_fabric *f, const struct fab_node *n)
{
	static const char *const words[] = { "???", "Ca", "Switch", "Rt" };
	char name[DIAG_NAME_BYTES];

	diag_text(d, "%s\t: 0x%016" PRIx64 " ports %d \"%s\"", words[n->type & 3], n->guid,
		n->nports, fab_name(d, n, name));
	if (fab_is_switch(n))
		diag_text(d, " %s port 0 lid %d lmc %d",
			switch_info_decode(n->switch_info).enhanced_port0 ? "enhanced" : "base",
			fab_lid(f, fab_port_of(f, n, 0)), fab_lmc(f, fab_port_of(f, n, 0)));
	diag_text(d, "\n");
}

static json_t *
node_row(struct diag *d, const struct diag_fabric *f, const struct fab_node *n)
{
	const struct fab_port *p = fab_port_of(f, n, 0);
	json_t *o = fab_json_node(d, f, n);

	/* Only a switch has a LID of its own; an adapter has one per port. */
	json_object_set_new(o, "lid", fab_is_switch(n) ? json_integer(fab_lid(f, p)) : json_null());
	json_object_set_new(o, "lmc", fab_is_switch(n) ? json_integer(fab_lmc(f, p)) : json_null());
	json_object_set_new(o, "enhanced_port0", fab_is_switch(n) ?
		json_boolean(switch_info_decode(n->switch_info).enhanced_port0) : json_null());
	return o;
}

static void
nodes_list(struct diag *d, const struct diag_fabric *f, const uint8_t *types,
	const struct selection *s)
{
	for (const uint8_t *t = types; *t; t++)
		DIAG_EACH_NODE(f, i, n, *t)
			if (select_node(s, n))
				node_put(d, f, n);
	if (diag_is_text(d))
		return;
	fab_summary(d, f);
	for (uint32_t i = 0; i < f->s->nnodes; i++)
		if (strchr((const char *)types, f->s->nodes[i].type) &&
		    select_node(s, &f->s->nodes[i]))
			diag_row(d, "nodes", node_row(d, f, &f->s->nodes[i]));
}

int
iblists_run(struct diag *d, int argc, char **argv, const uint8_t *types)
{
	struct selection *s = NULL;
	struct diag_fabric f;
	int r;

	if (argc > 1)
		return diag_usage(d, "one topology file, no more");
	if (argc && !diag_settings(d)->load)
		diag_settings_mut(d)->load = xstrdup(argv[0]);
	r = diag_fabric(d, 0, &f);
	if (!r)
		r = diag_selection(d, &f, &s);
	if (!r)
		nodes_list(d, &f, types, s);
	select_free(s);
	diag_fabric_clear(&f);
	return r;
}
