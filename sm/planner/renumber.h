/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * renumber.h - ports whose LID changes: which LIDs this SM may restore, and the log of changes.
 * Room: sm/planner.  Pure.
 *
 * A changed LID breaks connections that use the old one, so each change is logged and listed in the
 * status document.  sm/plan/lid.h assigns LIDs; this file tells it which ports this SM managed
 * without interruption (renumber_led()).
 */
#ifndef HEDDLE_SM_PLANNER_RENUMBER_H
#define HEDDLE_SM_PLANNER_RENUMBER_H

#include <jansson.h>
#include "sm/plan/lid.h"
#include "sm/subnet/subnet.h"

#define RENUMBERED_MAX 10               /* the last changes, shown by status */
#define PORT_TEXT_BYTES (NODE_DESC_BYTES * 3 + 40)

/* A port that got another LID, with names that outlive their snapshot. */
struct renumbered_row {
	char port[PORT_TEXT_BYTES], reason[PORT_TEXT_BYTES + 40];
	uint16_t from, to;
	bool live;                      /* 'from' was in force */
	struct monotime at;
};

struct renumbered {
	uint64_t total;
	struct renumbered_row rows[RENUMBERED_MAX];     /* the oldest first */
	unsigned n;
};

/*
 * Bits by port index of 's', as lid_conf.led requires them, in the arena: ports that were there in
 * 'before', the sweep before (NULL: none), and still name us as their manager.  'stored' are the
 * LIDs of earlier runs.
 */
uint64_t *renumber_led(const struct snapshot *s, const struct snapshot *before,
	const struct lid_ids *stored, struct arena *a);
/*
 * The LIDs of 's' were planned: logs and records the changes, except those in 'last', the report of
 * the sweep before.
 */
void renumber_note(struct renumbered *r, const struct subnet *n, const struct snapshot *s,
	const struct lid_report *now, const struct lid_report *last);
/* 'r' NULL: there is no manager. */
json_t *renumber_json(const struct renumbered *r, struct monotime now);

#endif
