/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * release.c - removes the M_Keys of all ports before another SM takes over.
 * Room: sm/sweep.  In: a control call of the operator.  Out: a sweep that removes the keys; then
 * state NOTACTIVE.
 */
#include <config.h>
#include "sm/conf/conf.h"
#include "sm/sweep/finish.h"
#include "sm/sweep/release.h"

void
release_ask(struct sweep *w)
{
	if (w->release.state != RELEASE_NONE)
		return;
	w->release.state = RELEASE_ASKED;
	if (subnet_is_master(w->net))
		log_line(w->net->log, LOG_NOTE, "keys", "releasing: every port gets M_Key 0");
	schedule_want(w->net, "release");
}

void
release_resume(struct sweep *w)
{
	if (w->release.state == RELEASE_NONE)
		return;
	w->release.state = RELEASE_NONE;
	log_line(w->net->log, LOG_NOTE, "ha", "resuming: looking who leads");
	if (w->election->ha.state == HA_NOTACTIVE)
		ha_resume(&w->election->ha);
	schedule_want(w->net, "resume");
}

bool
release_without_sweep(struct sweep *w)
{
	if (w->release.state != RELEASE_ASKED || subnet_is_master(w->net))
		return false;
	release_end(w);
	return true;
}

void
release_end(struct sweep *w)
{
	uint32_t left = 0;

	if (subnet_is_master(w->net)) {
		sweep_stop_leading(w);
		left = port_keys_count(w->net).ours;
	}
	w->release.state = RELEASE_DONE;
	w->release.by_this_sweep = false;
	ha_rest(&w->election->ha);
	schedule_clear(w->net);
	if (left)
		log_line(w->net->log, LOG_WARN, "keys",
			"released, but %u ports could not be written and keep their M_Key; it opens "
			"%u s after another manager has tried to write them",
			left, w->net->conf->m_key_lease_period_s);
	log_line(w->net->log, LOG_NOTE, "ha",
		"released: this manager is not active until it is resumed or restarted");
}

json_t *
release_keys_json(const struct sweep *w)
{
	static const char *const words[] = {
		[RELEASE_NONE] = "no", [RELEASE_ASKED] = "under way", [RELEASE_DONE] = "done"
	};
	struct port_keys k = port_keys_count(w->net);

	return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:s}", "m_key",
		!subnet_protects(w->net)                      ? "none" :
			w->net->conf->m_key == CONF_MKEY_AUTO ? "per port" :
								"one for all",
		"lease_s", (int)w->net->conf->m_key_lease_period_s, "protected", (int)k.ours,
		"unprotected", (int)k.open, "foreign", (int)k.others, "unknown", (int)k.unknown,
		"released", words[w->release.state]);
}
