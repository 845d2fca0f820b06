/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dump_fts_all.c - the forwarding tables of all switches: one discovery, then all tables at once.
 * Room: diags/tools.
 */
#include <config.h>
#include <stdlib.h>
#include "diags/core/out.h"
#include "diags/core/tool.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select.h"
#include "diags/tools/dump_fts.h"
#include "diags/tools/fts.h"
#include "util/xalloc.h"

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
	struct fts_want *want = diag_state(d);

	(void)value;
	return fts_option(want, id);
}

static void
on_table_read(struct diag *d, void *arg, struct fts *t)
{
	struct fts_want *want = diag_state(d);

	fts_show(d, want, t, fts_directory_who, arg);
	fts_clear(t);
}

static int
tables_dump(struct diag *d, const struct diag_fabric *f, const struct selection *s)
{
	struct fts_want *want = diag_state(d);
	struct fts *t = xcalloc(f->s->nswitches + 1u, sizeof(*t));
	struct fts_directory y;
	size_t n = 0;
	int r;

	fts_directory_make(&y, f);
	DIAG_EACH_NODE(f, i, node, 2)
		if (select_node(s, node) && fts_of_node(d, want, node, &t[n]))
			n++;
	r = fts_read(d, t, n, on_table_read, &y);
	for (size_t i = 0; i < n; i++)
		fts_clear(&t[i]);
	fts_directory_clear(&y);
	free(t);
	return r;
}

int
dump_fts_run(struct diag *d, int argc, char **argv)
{
	struct fts_want *want = diag_state(d);
	struct diag_fabric f = { 0 };
	struct selection *s = NULL;
	int r;

	r = fts_range(d, want, argc, argv);
	if (!r)
		r = diag_fabric(d, 0, &f);
	if (!r)
		r = diag_selection(d, &f, &s);
	if (!r)
		r = tables_dump(d, &f, s);
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
	struct fts_want *want = diag_state(d);
	int r;

	want->multicast |= multicast;
	r = dump_fts_run(d, argc, argv);
	diag_text(d, "\n*** WARNING ***: this command has been replaced by %s\n\n\n", replaced_by);
	return r;
}
