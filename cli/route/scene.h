/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * scene.h - the topology of a run: whole, after its failures, and as intended.
 * Room: cli/route.
 *
 * A scene is opened from t->operands[0], --fail, --roots and --intended.  'whole' is the
 * topology as it was given.  'now' lacks what --fail names and what that disconnects; without
 * --fail both are the same.  The intended topology is --intended, otherwise 'whole', so that
 * after a failure engines have the topology before it.
 *
 * A topology in two pieces is refused, and so are failures that leave two pieces of switches,
 * because it would be unclear which piece is meant.
 */
#ifndef HEDDLE_CLI_ROUTE_SCENE_H
#define HEDDLE_CLI_ROUTE_SCENE_H

#include "cli/route/tool.h"
#include "fabric/snapshot/snapshot.h"
#include "sm/conf/routing/files.h"
#include "sm/intended/intended.h"
#include "sm/route/model/engine.h"

struct scene {
	struct arena arena;
	struct snapshot *whole;
	struct snapshot *now; /* may be 'whole' */
	struct intended *intended;
	const uint64_t *roots; /* GUIDs of --roots */
	uint32_t nroots;
	struct routing_files files; /* of the other options of engines */
	struct route_conf conf; /* for engines; roots included */
};

/* What fails, as marks for part_make(). */
struct scene_marks {
	bool *node, *port; /* by index in the snapshot: it remains */
};

/* Opens the scene of 't'.  0, or the status of a reported failure; either way the caller clears
 * it. */
int scene_open(struct tool *t, struct scene *c);
void scene_clear(struct scene *c);

void scene_marks_init(struct scene_marks *m, const struct snapshot *s);
void scene_marks_clear(struct scene_marks *m);
/* All remain again. */
void scene_marks_reset(struct scene_marks *m, const struct snapshot *s);
void scene_marks_link(struct scene_marks *m, const struct snapshot *s, uint32_t port);
void scene_marks_node(struct scene_marks *m, uint32_t node);

#endif
