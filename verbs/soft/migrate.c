/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * migrate.c - automatic path migration: which of its two paths a connection uses, and when it
 * migrates.
 * Room: verbs/soft.  Pure.
 *
 * MIGRATED: on its path, and every packet says so.  REARM: it has an alternate path and requests
 * the peer to get ready; when the peer's packets show that it is, both are ARMED.  An armed end
 * migrates when its retries are used up, or when a packet of a migrated peer arrives along the
 * alternate path; PATH_MIG reports it.  An end that is not armed refuses such a packet:
 * PATH_MIG_ERR.
 */
#include <config.h>
#include <string.h>
#include "verbs/soft/soft_impl.h"

static bool
path_matches(const struct soft_qp *q, const struct ibv_ah_attr *a, const struct soft_port *port,
	const struct packet *p)
{
	if (port != &q->hca->ports[a->port_num - 1] || p->slid != a->dlid ||
		    p->has_grh != a->is_global)
		return false;
	return !a->is_global || (!memcmp(p->sgid, a->grh.dgid.raw, 16) &&
		!memcmp(p->dgid, port->gids[a->grh.sgid_index].raw, 16));
}

void
soft_migrate(struct soft_qp *q)
{
	struct ibv_qp_attr *a = &q->attr, old = q->attr;

	soft_unkick(q);
	a->ah_attr = old.alt_ah_attr;
	a->alt_ah_attr = old.ah_attr;
	a->pkey_index = old.alt_pkey_index;
	a->alt_pkey_index = old.pkey_index;
	a->port_num = old.alt_port_num;
	a->alt_port_num = old.port_num;
	a->timeout = old.alt_timeout;
	a->alt_timeout = old.timeout;
	a->path_mig_state = IBV_MIG_MIGRATED;
	q->port = &q->hca->ports[a->port_num - 1];
	soft_qp_event(q, IBV_EVENT_PATH_MIG);
	soft_kick(q);
}

bool
soft_path_fits(struct soft_qp *q, const struct soft_port *port, const struct packet *p)
{
	struct ibv_qp_attr *a = &q->attr;

	if (path_matches(q, &a->ah_attr, port, p)) {
		if (a->path_mig_state == IBV_MIG_REARM && !p->migrated)
			a->path_mig_state = IBV_MIG_ARMED;
		return true;
	}
	if (!a->alt_port_num || !p->migrated || !path_matches(q, &a->alt_ah_attr, port, p))
		return false;
	if (a->path_mig_state == IBV_MIG_ARMED) {
		soft_migrate(q);
		return true;
	}
	if (!q->mig_err_reported)
		soft_qp_event(q, IBV_EVENT_PATH_MIG_ERR);
	q->mig_err_reported = true;
	return false;
}
