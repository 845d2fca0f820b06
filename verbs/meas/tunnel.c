/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tunnel.c - connects the software adapters of two processes: their packets go through the
 * control connection.
 * Room: verbs/meas.
 *
 * Each end has its own world and uses a different device of it, so that their addresses differ.
 * The clocks follow real time in small steps, so that no timer of the adapters expires because
 * the machine was busy.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include "verbs/meas/session.h"

#define STEP_US 1000u

void
meas_session_tunnel(struct meas_session *s, const char *device)
{
	s->tunnel = verbs_backend_tunnel_world(s->test.seed);
	s->choice.world = s->tunnel;
	snprintf(s->choice.device, sizeof(s->choice.device), "%s", device);
}

static enum verbs_verdict
on_packet_out(void *arg, uint8_t *packet, size_t bytes)
{
	struct meas_session *s = arg;

	meas_chan_packet(&s->chan, packet, bytes, s->tunnel_ns);
	return VERBS_DROP;
}

static void
on_packet_in(void *arg, const uint8_t *packet, size_t bytes)
{
	struct meas_session *s = arg;

	verbs_backend_arrive(s->tunnel, packet, bytes);
}

int
meas_session_join(struct meas_session *s, uint64_t real_ns, char *why)
{
	int r;

	if (!s->tunnel)
		return 0;
	s->tunnel_ns = real_ns;
	s->chan.packet = on_packet_in;
	s->chan.packet_arg = s;
	r = s->end.ops->hook(s->end.dev, s->end.dev->port, on_packet_out, s);
	if (r)
		snprintf(why, VERBS_WHY_BYTES, "%s cannot be joined to the other process",
			s->end.facts.device);
	return r;
}

void
meas_session_pass(struct meas_session *s, uint64_t real_ns)
{
	uint64_t us = real_ns > s->tunnel_ns ? (real_ns - s->tunnel_ns) / 1000 : 0;

	if (!s->tunnel || !s->end.dev || !us)
		return;
	s->tunnel_ns = real_ns;
	s->end.ops->advance(s->tunnel, us < STEP_US ? (uint32_t)us : STEP_US);
}
