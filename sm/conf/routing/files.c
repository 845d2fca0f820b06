/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * files.c - reads the files of routing keys.
 * Room: sm/conf/routing.
 */
#include <config.h>
#include <stdbool.h>
#include "sm/conf/routing/files.h"
#include "sm/conf/routing/groups.h"
#include "sm/conf/routing/guids.h"
#include "sm/conf/routing/lfts.h"
#include "sm/conf/routing/lines.h"

static bool
is_named(const char *path)
{
	return path && path[0];
}

/* The lists of GUIDs. */
static int
read_guids(const struct routing_paths *p, struct arena *a, struct routing_files *out,
	struct conf_error *e)
{
	int err = 0;

	if (is_named(p->roots))
		err = conf_guids_read(p->roots, a, &out->roots, &out->nroots, e);
	if (!err && is_named(p->compute))
		err = conf_guids_read(p->compute, a, &out->compute, &out->ncompute, e);
	if (!err && is_named(p->io))
		err = conf_guids_read(p->io, a, &out->io, &out->nio, e);
	return err;
}

/* The lines of GUIDs and numbers. */
static int
read_lines(const struct routing_paths *p, struct arena *a, struct routing_files *out,
	struct conf_error *e)
{
	const struct {
		const char *path;
		const struct routing_lines **out;
	} file[] = {
		[ROUTING_ORDER] = { p->order, &out->order },
		[ROUTING_IDS] = { p->ids, &out->ids },
		[ROUTING_WEIGHTS] = { p->weights, &out->weights },
		[ROUTING_PORTS] = { p->ports, &out->ports },
	};
	int err = 0;

	for (unsigned i = 0; i < sizeof(file) / sizeof(file[0]) && !err; i++)
		if (is_named(file[i].path))
			err = routing_lines_read(
				file[i].path, (enum routing_form)i, a, file[i].out, e);
	return err;
}

int
routing_files_read(const struct routing_paths *p, struct arena *a, struct routing_files *out,
	struct conf_error *e)
{
	int err;

	*out = (struct routing_files){ .nroots = 0 };
	err = read_guids(p, a, out, e);
	if (!err && is_named(p->torus))
		err = torus_read(p->torus, &out->torus, e);
	if (!err && is_named(p->lfts))
		err = lfts_load(p->lfts, a, &out->lfts, e);
	if (!err)
		err = read_lines(p, a, out, e);
	if (!err && is_named(p->groups))
		err = routing_groups_read(p->groups, a, &out->groups, e);
	return err;
}
