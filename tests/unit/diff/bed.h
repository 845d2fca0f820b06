/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * bed.h - a small tree with a plan, and hardware that does what it is told: for the tests of diff and apply.
 */
#ifndef HEDDLE_TESTS_UNIT_DIFF_BED_H
#define HEDDLE_TESTS_UNIT_DIFF_BED_H

#include "sm/diff/diff.h"

struct bed {
	struct snapshot *s;
	struct plan plan;
	struct observed *o;
	struct observed_tables tables;
	struct guid_tables *guids;      /* plan.guids, for a test that has them */
	/* the SM's port and the one it is cabled to (port indices) */
	uint32_t host, leaf;
};

/* fattree:k=4,levels=3, all links in INIT, nothing set; the plan's tables hold numbers that mean nothing. */
void bed_make(struct bed *b);
void bed_clear(struct bed *b);
struct port_info bed_port(const struct bed *b, uint32_t port);
void bed_show(struct bed *b, uint32_t port, struct port_info pi);
/* Quality of service, of families that differ; nothing is known of any table.  Every switch is 'optimized' as SwitchInfo says. */
void bed_lanes(struct bed *b, bool optimized);
/* The same, and tables that a lane plan needs ('plan' lasts). */
void bed_lane_plan(struct bed *b, bool optimized, const struct lane_plan *plan);
/* What an agent answers to the Set that 'c' carries, and what its registers show then: into the snapshot, and 'answer'. */
void bed_obey(struct bed *b, enum change_phase phase, const struct change *c,
	const uint8_t payload[64], uint8_t answer[64]);
/* Carries out every change at once; afterwards tables count as read. */
void bed_obey_all(struct bed *b, const struct changes *c);

/* ---- the changes there are; 'c' is zero, or of an earlier call ---- */
void bed_look(const struct bed *b, struct changes *c);
/* Carries all out; then there are none. */
void bed_settle(struct bed *b, struct changes *c);
/* This is the only change there is. */
void bed_assert_only(
	const struct changes *c, enum change_phase phase, uint32_t subject, uint32_t block);
/* What a Set of a kind of PortInfo carries. */
struct port_info bed_carries(const struct bed *b, enum change_phase phase, uint32_t port);

/* ---- the functions of a row (kind.h) ---- */
struct diff_view bed_view(const struct bed *b);
bool bed_took_effect(const struct bed *b, enum change_phase phase, struct change c,
	const uint8_t *sent, const uint8_t *data);
void bed_observe(
	struct bed *b, enum change_phase phase, struct change c, struct change_answer answer);
void bed_forget(struct bed *b, enum change_phase phase, struct change c);
/* 0 if the row has no function for it. */
uint32_t bed_modifier(const struct bed *b, enum change_phase phase, struct change c, bool fallback);

#endif
