/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * service.c - ServiceRecord: registers, removes and finds services.
 * Room: sm/sa.  Pure.  docs/sa.md: services.
 */
#include <config.h>
#include <string.h>
#include "sm/sa/sa_int.h"

#define SERVICE_COMP(row) SA_COMP(service_record, row)
#define NEED (SERVICE_COMP(id) | SERVICE_COMP(gid))

static void
put_service(struct sa_ctx *c, struct service_record *r)
{
	uint8_t w[SERVICE_RECORD_BYTES] = { 0 };

	if (!c->trusted)
		memset(r->key, 0, sizeof(r->key));
	service_record_encode(w, r);
	sa_put_row(c, w, sizeof(w));
}

/* The port of ServiceGID, or a trusted requester, may register or remove. */
static uint16_t
change_service(struct sa_ctx *c, struct service_record *want)
{
	struct services *t = c->w->services;
	uint32_t port = sa_port_by_gid(c->x, want->gid);
	struct service_record gone;
	uint16_t status;

	if ((c->mask & NEED) != NEED)
		return STATUS_SA_COMPONENTS;
	if (port == FAB_NONE)
		return STATUS_SA_INVALID_GID;
	if (port != c->requester && !c->trusted)
		return STATUS_SA_DENIED;
	if (!(c->mask & SERVICE_COMP(pkey)))
		want->pkey = 0;
	if (want->pkey && !sa_has_pkey(c->x, port, want->pkey))
		return STATUS_SA_INVALID;
	if (!(c->mask & SERVICE_COMP(lease_s)))
		want->lease_s = SERVICE_LEASE_FOREVER;
	if (!(c->mask & SERVICE_COMP(key)))
		memset(want->key, 0, sizeof(want->key));
	if (c->head.method == METHOD_SET) {
		status = services_set(t, want, c->x->v.s->ports[port].guid, c->trusted);
	} else {
		status = services_delete(t, want, c->trusted, &gone);
		if (status == STATUS_OK)
			*want = gone;
	}
	if (status == STATUS_OK)
		put_service(c, want);
	return status;
}

uint16_t
sa_service(struct sa_ctx *c)
{
	const struct sa_record_desc *d = sa_record_find(c->head.attr_id);
	struct service_record want = service_record_decode(c->templ);
	struct service s;

	if (!c->w->services)
		return STATUS_SA_NO_RESOURCES;
	if (c->head.method == METHOD_SET || c->head.method == METHOD_DELETE)
		return change_service(c, &want);
	for (uint32_t i = 0; services_at(c->w->services, i, &s); i++) {
		uint32_t port = snapshot_port_by_guid(c->x->v.s, s.port_guid);
		uint8_t w[SERVICE_RECORD_BYTES] = { 0 };

		c->looked++;
		if (port == FAB_NONE || !sa_visible(c, port) ||
		    (s.rec.pkey && !sa_has_pkey(c->x, c->requester, s.rec.pkey)))
			continue;
		/* compared with its key: a requester that knows the key may query by it */
		service_record_encode(w, &s.rec);
		if (!sa_components_match(d, c->mask, c->templ, w))
			continue;
		put_service(c, &s.rec);
		if (!c->table && c->nrows > 1)
			break;
	}
	return STATUS_OK;
}
