/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sminfo.c - SMInfo requests of other SMs: Get and Set.  docs/wire.md: SMInfo.
 * Room: sm/ha.  In: requests of other SMs.  Out: responses; a request for an election after a valid
 * Set.
 */
#include <config.h>
#include "sm/conf/conf.h"
#include "sm/ha/origin.h"
#include "sm/ha/sminfo.h"

/*
 * The reason to refuse a Set(SMInfo); NULL: it is accepted.  '*look': refused because the sender's
 * port is unknown or different in the served snapshot, which may be out of date.
 */
static const char *
set_refusal(const struct subnet *n, const struct dgram *d, const struct sm_info *sender,
	bool trusted, bool *look)
{
	*look = false;
	if (!trusted)
		return "wrong M_Key";
	if (!n->conf->sm_key || sender->sm_key != n->conf->sm_key)
		return "wrong SM_Key";
	if (!conf_sm_allowed(n->conf, sender->guid))
		return "not in allowed_sm_guids";
	*look = origin_port_guid(&n->served, d) != sender->guid;
	return *look ? "it does not come from that port" : NULL;
}

static enum ha_action
obey_set(
	struct election *e, struct subnet *n, const struct dgram *d, bool trusted, uint16_t *status)
{
	struct sm_info sender = sm_info_decode(dgram_smp_image(d->mad));
	enum ha_state was = e->ha.state;
	enum ha_action action = HA_NOTHING;
	bool look;
	const char *why = set_refusal(n, d, &sender, trusted, &look);

	*status = STATUS_BAD_VALUE;
	if (!why)
		action = ha_set(&e->ha, dgram_modifier(d->mad), &sender, n->now, status);
	else if (look &&
		e->ha.state ==
			HA_STANDBY) /* the keys are right: our snapshot may be old */
		schedule_election(n);
	if (was == HA_MASTER && action == HA_SWEEP)
		n->other_master = n->now;
	if (!why && *status)
		why = was == HA_MASTER ? "this manager is master" :
					 "not from the master that this manager stands by for";
	subnet_log_limited(n, why ? LOG_WARN : LOG_NOTE, "ha",
		why ? LOG_KIND_SM_INFO_REFUSED : LOG_KIND_SM_INFO, d->addr.lid,
		"Set(SMInfo) %u from 0x%016llx: %s%s", dgram_modifier(d->mad),
		(unsigned long long)sender.guid, why ? "refused: " : "",
		why ? why : ha_state_text(e->ha.state));
	if (e->ha.state == HA_NOTACTIVE && was != HA_NOTACTIVE)
		log_line(n->log, LOG_WARN, "ha",
			"disabled by master 0x%016llx: this manager does not stand by until the master "
			"says so, or dies",
			(unsigned long long)sender.guid);
	return action;
}

void
sminfo_receive(struct election *e, struct subnet *n, struct dgram *d)
{
	bool set = dgram_method(d->mad) == METHOD_SET;
	/*
	 * Only requesters with the M_Key of our port, or all if it has none, get the SM_Key:
	 * other SMs compare it.
	 */
	bool trusted =
		!subnet_protects(n) || dgram_mkey(d->mad) == subnet_mkey(n, n->port.port_guid);
	uint16_t status = STATUS_OK;
	enum ha_action action = HA_NOTHING;
	struct sm_info own;

	if (dgram_attr_id(d->mad) != SM_INFO_ID) {
		dgram_smp_respond(d->mad, STATUS_BAD_METHOD_ATTR);
		outbox_put(&n->outbox, d, d->mad, NULL, DGRAM_BYTES);
		return;
	}
	if (set)
		action = obey_set(e, n, d, trusted, &status);
	ha_acted(&e->ha);
	own = ha_sm_info(&e->ha, trusted && !status);
	sm_info_encode(dgram_smp_data(d->mad), &own);
	dgram_smp_respond(d->mad, status);
	outbox_put(&n->outbox, d, d->mad, NULL, DGRAM_BYTES);
	if (action == HA_SWEEP)
		schedule_election(n);
	/* HA_STAND_BY from NOTACTIVE needs no action: NOTACTIVE polls too. */
}
