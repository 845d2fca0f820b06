/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * renumber.c - ports that get another LID.
 * Room: sm/planner.  In: the plan of LIDs.  Out: the log, and a list for status and report.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "sm/planner/renumber.h"
#include "util/bisect.h"
#include "util/bits.h"

static uint16_t
own_lid(const struct snapshot *s, const struct lid_ids *stored)
{
	uint64_t guid = s->ports[s->sm_port].guid;
	uint32_t i;

	BISECT(i, stored->n, stored->rows[i].port_guid < guid);
	return i < stored->n && stored->rows[i].port_guid == guid ? stored->rows[i].base_lid : 0;
}

/*
 * Ports that were present in the sweep before and still have us as their master SM.  Ports in a
 * part of the subnet that was absent, or that another SM managed meanwhile, do not qualify.
 */
uint64_t *
renumber_led(const struct snapshot *s, const struct snapshot *before, const struct lid_ids *stored,
	struct arena *a)
{
	uint64_t *led = arena_array(a, BITS_WORDS(s->nports) + 1, sizeof(*led));
	uint16_t sm_lid = own_lid(s, stored);
	uint32_t at = 0;

	for (uint32_t i = 0; before && sm_lid && i < s->nendports; i++) {
		const struct fab_port *p = &s->ports[s->endports[i]];
		uint32_t was;

		if (!snapshot_is_endport(s, p) ||
			ATTR_GET(port_info, master_sm_lid, p->info) != sm_lid)
			continue;
		was = snapshot_next_port_by_guid(before, p->guid, &at);
		if (was != FAB_NONE && snapshot_is_endport(before, &before->ports[was]))
			bits_set(led, s->endports[i]);
	}
	return led;
}

/* "host-3 port 1 (0x...)", of a port GUID. */
static void
port_text(const struct snapshot *s, uint64_t guid, char *buf, size_t len)
{
	uint32_t p = guid ? snapshot_port_by_guid(s, guid) : FAB_NONE;
	char desc[NODE_DESC_BYTES * 3 + 1] = "";

	if (p != FAB_NONE)
		snapshot_desc_text(&s->nodes[s->ports[p].node], desc, sizeof(desc));
	if (desc[0])
		snprintf(buf, len, "%s port %u (0x%016llx)", desc, s->ports[p].num,
			(unsigned long long)guid);
	else
		snprintf(buf, len, "0x%016llx", (unsigned long long)guid);
}

/* A change that could not be made is planned again in every sweep: it is logged once. */
static bool
is_repeated(const struct lid_report *last, const struct lid_change *c)
{
	for (uint32_t i = 0; i < last->nchanges && i < LID_CHANGES_MAX; i++)
		if (last->changes[i].guid == c->guid && last->changes[i].from == c->from &&
			last->changes[i].to == c->to)
			return true;
	return false;
}

static void
keep_row(struct renumbered *r, const struct renumbered_row *row)
{
	if (r->n == RENUMBERED_MAX)
		memmove(&r->rows[0], &r->rows[1], --r->n * sizeof(r->rows[0]));
	r->rows[r->n++] = *row;
}

void
renumber_note(struct renumbered *r, const struct subnet *n, const struct snapshot *s,
	const struct lid_report *now, const struct lid_report *last)
{
	uint32_t shown = 0;

	if (now->overrode)
		log_line(n->log, LOG_NOTE, "plan",
			"%u ports keep the LIDs in force: other LIDs are stored for them",
			now->overrode);
	for (uint32_t i = 0; i < now->nchanges && i < LID_CHANGES_MAX; i++) {
		const struct lid_change *c = &now->changes[i];
		struct renumbered_row row = {
			.from = c->from, .to = c->to, .live = c->live, .at = n->now
		};
		char holder[PORT_TEXT_BYTES];

		if (is_repeated(last, c))
			continue;
		port_text(s, c->guid, row.port, sizeof(row.port));
		port_text(s, c->holder, holder, sizeof(holder));
		lid_change_text(c, holder, row.reason, sizeof(row.reason));
		log_line(n->log, c->live ? LOG_WARN : LOG_NOTE, "plan",
			"lid change: %s: %u -> %u: %s", row.port, c->from, c->to, row.reason);
		keep_row(r, &row);
		shown++;
	}
	r->total += shown;
	if (now->nchanges > LID_CHANGES_MAX && now->nchanges != last->nchanges) {
		log_line(n->log, LOG_WARN, "plan",
			"lid change: %u more ports (%u ports in all, of them %u with a LID in force)",
			now->nchanges - LID_CHANGES_MAX, now->nchanges, now->renumbered);
		r->total += now->nchanges - LID_CHANGES_MAX;
	}
}

json_t *
renumber_json(const struct renumbered *r, struct monotime now)
{
	json_t *rows = json_array();

	for (unsigned i = 0; r && i < r->n; i++) {
		const struct renumbered_row *row = &r->rows[i];

		json_array_append_new(rows,
			json_pack("{s:s, s:i, s:i, s:b, s:s, s:f}", "port", row->port, "from",
				row->from, "to", row->to, "live", row->live, "reason", row->reason,
				"ago_s", (double)monotime_sub_us(now, row->at) / 1e6));
	}
	return json_pack("{s:I, s:o}", "total", r ? (json_int_t)r->total : 0, "last", rows);
}
