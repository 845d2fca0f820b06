/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * registry.c - the life of everything that hosts registered, and what a new snapshot means for it.
 * Room: sm/registry.  Pure.
 */
#include <config.h>
#include <limits.h>
#include <stdlib.h>
#include "sm/registry/aliases.h"
#include "sm/registry/grace.h"
#include "sm/registry/groups.h"
#include "util/xalloc.h"

#define MGIDS_TAKEN_US 100000           /* the rows of all MGIDs are handed out no more often */

void
registry_begin(struct registry *reg, struct subnet *net, const struct mgid_row *rows, uint32_t n)
{
	struct sa_stats unused = { 0 };

	*reg = (struct registry){ .mgids = mgid_map_new(rows, n),
		.mgids_taken = { INT64_MIN / 2 } };
	registry_reset(reg, net, &unused);
}

void
registry_free(struct registry *reg)
{
	groups_free(reg);
	grace_free(reg);
	aliases_free(reg);
	inform_free(reg->inform);
	services_free(reg->services);
	gid_events_clear(&reg->gid_events);
	mgid_map_free(reg->mgids);
	free(reg->mgid_rows);
}

void
registry_reset(struct registry *reg, struct subnet *net, struct sa_stats *stats)
{
	aliases_reset(reg, net, stats);
	grace_reset(reg);
	groups_reset(reg, net, stats);
	inform_free(reg->inform);
	reg->inform = inform_new();
	services_free(reg->services);
	reg->services = services_new();
	gid_events_clear(&reg->gid_events);
}

/* ---- sweeps ---- */

void
registry_leave_served(struct registry *reg, struct subnet *net)
{
	groups_leave_served(reg, net);
	aliases_leave_served(reg, net);
}

struct served_ports {
	const struct registry *reg;
	const struct subnet *net;
};

static bool
service_stays(void *arg, const struct service *s)
{
	const struct served_ports *p = arg;

	return aliases_is_served(p->reg, p->net, s->port_guid);
}

void
registry_swept(struct registry *reg, struct subnet *net)
{
	struct served_ports ports = { reg, net };

	aliases_swept(reg, net);
	groups_swept(reg, net);
	services_keep(reg->services, service_stays, &ports);
}

/* Queues an event for the port and one for each of its aliases. */
static void
note_port(struct registry *reg, bool in, uint64_t port_guid)
{
	uint64_t guids[ALIAS_ENTRIES_MAX];
	uint32_t n = aliases_of(reg, port_guid, guids);

	gid_events_note(
		&reg->gid_events, reg->inform, (struct gid_event){ port_guid, port_guid, in });
	for (uint32_t i = 0; i < n; i++)
		gid_events_note(&reg->gid_events, reg->inform,
			(struct gid_event){ guids[i], port_guid, in });
}

/*
 * The next end port that has a LID, from the '*i'th on, in the order of GUIDs; false: there is
 * none.
 */
static bool
next_port(const struct snapshot *s, const struct lid_map *l, uint32_t *i, uint64_t *guid)
{
	for (; *i < s->nendports; ++*i)
		if (l->base[s->endports[*i]]) {
			*guid = s->ports[s->endports[*i]].guid;
			return true;
		}
	return false;
}

/* Ends the subscriptions of ports that are gone. */
static void
end_subscriptions(struct registry *reg, const struct served *served, const struct snapshot *old,
	const struct lid_map *old_lids)
{
	uint64_t *gone = xcalloc((size_t)old->nendports + 1, sizeof(*gone)), guid;
	uint32_t n = 0;

	for (uint32_t i = 0; next_port(old, old_lids, &i, &guid); i++) {
		uint32_t port = snapshot_port_by_guid(served->s, guid);

		if (port == FAB_NONE || !served->plan->lids.base[port])
			gone[n++] = guid;
	}
	inform_drop_ports(reg->inform, gone, n);
	free(gone);
}

void
registry_compare_ports(struct registry *reg, const struct subnet *net, const struct snapshot *old,
	const struct lid_map *old_lids)
{
	const struct served *served = &net->served;
	uint32_t i = 0, k = 0;
	uint64_t was = 0, is = 0;

	if (!inform_count(reg->inform))
		return;
	end_subscriptions(reg, served, old, old_lids);
	for (;;) {
		bool a = next_port(old, old_lids, &i, &was);
		bool b = next_port(served->s, &served->plan->lids, &k, &is);

		if (!a && !b)
			return;
		if (a && (!b || was < is)) {
			note_port(reg, false, was);
			i++;
		} else if (!a || is < was) {
			note_port(reg, true, is);
			k++;
		} else {
			i++;
			k++;
		}
	}
}

void
registry_pause(struct registry *reg, struct subnet *net, bool pause)
{
	groups_pause(reg, net, pause);
	aliases_pause(reg, net, pause);
}

/* ---- time ---- */

void
registry_pump(struct registry *reg, struct subnet *net, struct registry_sweep sweep)
{
	grace_pump(reg, net);
	groups_pump(reg, net, sweep.plan);
	aliases_pump(reg, net, sweep.writes_guids);
}

bool
registry_deadline(const struct registry *reg, const struct subnet *net, struct monotime *at)
{
	struct monotime t;

	*at = MONOTIME_NEVER;
	if (grace_deadline(reg, net, &t))
		*at = t;
	if (mgid_map_has_changed(reg->mgids))
		*at = monotime_min(*at, monotime_add_us(reg->mgids_taken, MGIDS_TAKEN_US));
	return at->us != INT64_MAX;
}

bool
registry_take_mgids(struct registry *reg, struct monotime now, bool last,
	const struct mgid_row **rows, uint32_t *n)
{
	if (!mgid_map_has_changed(reg->mgids) ||
	    (!last && monotime_sub_us(now, reg->mgids_taken) < MGIDS_TAKEN_US))
		return false;
	reg->mgids_taken = now;
	free(reg->mgid_rows);
	*rows = reg->mgid_rows = mgid_map_rows(reg->mgids, n);
	return true;
}
