/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cmd_verify.c - `heddle-route verify`: verifies the tables in a file.
 * Room: cli/route.
 */
#include <config.h>
#include "cli/route/commands.h"
#include "cli/route/loads.h"
#include "cli/route/view.h"
#include "util/optab.h"

int
cmd_verify(struct tool *t)
{
	struct view v = { .arena = ARENA_INIT };
	struct scene c;
	int r = scene_open(t, &c);

	t->lfts = t->operands[1];
	if (!r)
		r = view_read(t, &c, c.now, &v);
	if (!r) {
		view_show(t, &v);
		if (t->form == TOOL_DOT || t->form == TOOL_SVG)
			loads_draw(t, &v);
		r = v.verdict.ok ? EXIT_OK : EXIT_FINDINGS;
	}
	view_clear(&v);
	scene_clear(&c);
	return r;
}
