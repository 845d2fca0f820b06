/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * preferences.c - reads the files of routing options, and looks for what they name.
 * Room: cli/route.
 */
#include <config.h>
#include <inttypes.h>
#include <string.h>
#include "cli/route/preferences.h"
#include "sm/route/options.h"
#include "util/optab.h"

int
preferences_read(struct tool *t, struct scene *c)
{
	const struct routing_paths paths = { .compute = t->cn,
		.io = t->io,
		.lfts = t->tables,
		.order = t->order,
		.ids = t->ids,
		.weights = t->weights,
		.ports = t->ports,
		.groups = t->groups };
	struct conf_error e = CONF_ERROR_INIT;
	int r = 0;

	if (routing_files_read(&paths, &c->arena, &c->files, &e) < 0 || e.nwarnings) {
		const char *line = e.nerrors ? e.text : e.warnings;

		r = tool_fail(t, EXIT_USAGE, "config", "%.*s", (int)strcspn(line, "\n"), line);
	}
	conf_error_clear(&e);
	c->conf = (struct route_conf){ .lfts = c->files.lfts,
		.order = c->files.order,
		.ids = c->files.ids,
		.weights = c->files.weights,
		.ports = c->files.ports,
		.groups = c->files.groups,
		.shift_ports = t->shift_ports,
		.scatter = t->scatter };
	return r;
}

/* A host's port GUID, or the GUID of a node. */
static int
hosts_check(
	struct tool *t, const struct scene *c, const char *path, const uint64_t *guids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (snapshot_port_by_guid(c->whole, guids[i]) == FAB_NONE &&
			snapshot_node_by_guid(c->whole, guids[i]) == FAB_NONE)
			return tool_fail(t, EXIT_USAGE, "config",
				"%.200s: %.80s has no host 0x%016" PRIx64, path, t->operands[0],
				guids[i]);
	return 0;
}

int
preferences_check(struct tool *t, const struct scene *c)
{
	char why[320];
	int r = hosts_check(t, c, t->cn, c->files.compute, c->files.ncompute);

	if (!r)
		r = hosts_check(t, c, t->io, c->files.io, c->files.nio);
	if (!r && options_unknown(&c->conf, c->whole, c->intended, why, sizeof(why)))
		r = tool_fail(t, EXIT_USAGE, "config", "%s", why);
	return r;
}
