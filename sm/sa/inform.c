/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * inform.c - InformInfo (subscribe to notices) and InformInfoRecord (list subscriptions).
 * Room: sm/sa.  Pure.  docs/sa.md: subscriptions.
 */
#include <config.h>
#include "libmad/wire/gid.h"
#include "sm/sa/sa_int.h"

uint16_t
sa_inform(struct sa_ctx *c)
{
	struct inform_request a = {
		.want = inform_info_decode(c->templ), .addr = *c->from, .trusted = c->trusted
	};
	uint8_t w[INFORM_INFO_BYTES] = { 0 };
	struct inform_info got;
	uint16_t status;

	if (!c->w->inform)
		return STATUS_SA_NO_RESOURCES;
	if (c->requester == FAB_NONE)
		return STATUS_SA_DENIED;
	a.port_guid = c->x->v.s->ports[c->requester].guid;
	status = inform_set(c->w->inform, &a, &got);
	if (status != STATUS_OK)
		return status;
	inform_info_encode(w, &got);
	sa_put_row(c, w, sizeof(w));
	return STATUS_OK;
}

/* Only trusted requesters see QPNs: with a QPN, a host could forge reports. */
uint16_t
sa_inform_record(struct sa_ctx *c)
{
	const struct sa_record_desc *d = sa_record_find(c->head.attr_id);
	const struct inform_sub *s;

	for (uint32_t i = 0; c->w->inform && (s = inform_at(c->w->inform, i)) != NULL; i++) {
		uint32_t port = snapshot_port_by_guid(c->x->v.s, s->port_guid);
		struct inform_info_record r = { .enumeration = s->number, .info = s->info };
		uint8_t w[INFORM_INFO_RECORD_BYTES] = { 0 };

		if (port == FAB_NONE || !sa_visible(c, port))
			continue;
		gid_set(r.subscriber_gid, c->x->v.gid_prefix, s->port_guid);
		if (!c->trusted)
			r.info.qpn = 0;
		inform_info_record_encode(w, &r);
		if (sa_components_match(d, c->mask, c->templ, w) && !sa_put_row(c, w, sizeof(w)))
			break;
	}
	return STATUS_OK;
}

/* Whether those two ports, by GUID, may know of one another; a port that is gone shares what it
 * last had with nobody. */
bool
sa_ports_share(const struct sa_index *x, uint64_t guid_a, uint64_t guid_b)
{
	uint32_t a = snapshot_port_by_guid(x->v.s, guid_a),
		 b = snapshot_port_by_guid(x->v.s, guid_b);

	return a != FAB_NONE && b != FAB_NONE && (a == b || sa_shared_pkey(x, a, b, 0));
}

bool
sa_port_holds(const struct sa_index *x, uint64_t guid, uint16_t pkey)
{
	uint32_t port = snapshot_port_by_guid(x->v.s, guid);

	return port != FAB_NONE && sa_has_pkey(x, port, pkey);
}
