/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * kind_switch_info.c - SwitchInfo: LinearFDBTop, life time, MulticastFDBTop, PortStateChange.
 * Room: sm/diff.  Pure.  The subject of a change is the switch.  docs/wire.md: SwitchInfo.
 */
#include <config.h>
#include <string.h>
#include "sm/diff/diff_int.h"

static void
find_switches(const struct diff_view *v, struct changes *out)
{
	for (uint32_t sw = 0; sw < v->s->nswitches; sw++) {
		const struct fab_node *n = diff_switch(v->s, sw);
		struct switch_info want;
		uint8_t w[SWITCH_INFO_BYTES];

		if (!diff_switch_planned(n))
			continue;
		want = plan_switch_wanted(v->plan, sw);
		memcpy(w, n->switch_info, sizeof(w));
		switch_info_patch(w, &want);
		if (want.port_state_change || !switch_info_set_equal(w, n->switch_info))
			diff_add(out, CHANGE_SWITCH_INFO, sw, 0);
	}
}

static const uint8_t *
switch_payload(const struct change_kind *k, const struct diff_view *v, const struct change *c,
	uint8_t buf[static CHANGE_BYTES])
{
	struct switch_info want = plan_switch_wanted(v->plan, c->subject);

	(void)k;
	memset(buf, 0, CHANGE_BYTES);
	memcpy(buf, diff_switch(v->s, c->subject)->switch_info, SWITCH_INFO_BYTES);
	switch_info_patch(buf, &want);
	return buf;
}

static bool
switch_took_effect(const struct change_kind *k, const struct diff_view *v, const struct change *c,
	const uint8_t *sent, const uint8_t *data)
{
	(void)k;
	(void)c;
	(void)sent;
	return switch_info_decode(data).lft_top == v->plan->fwd.top;
}

static void
observe_switch(struct observed *o, const struct change *c, const struct change_answer *answer)
{
	memcpy(o->s->nodes[o->s->switches[c->subject]].switch_info, answer->data,
		SWITCH_INFO_BYTES);
}

const struct change_kind change_kind_switch_info = {
	.name = "switch_info", .subject = CHANGE_OF_SWITCH, .attribute = SWITCH_INFO_ID,
	.find = find_switches, .payload = switch_payload,
	.took_effect = switch_took_effect, .observe = observe_switch,
};
