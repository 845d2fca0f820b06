/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * world.c - a world: its virtual clock and its table of operations.
 * Room: verbs/soft.  Pure: the caller advances the clock, and random numbers come from the seed.
 *
 * Timers expire in order of time.  No two packets of a port leave at the same nanosecond, so
 * packets arrive in the order in which they were sent.
 */
#include <config.h>
#include <string.h>
#include "verbs/soft/soft_impl.h"

static void
timer_expired(struct soft_world *w, struct soft_timer *t)
{
	switch (t->kind) {
	case SOFT_TIMER_PORT:
		soft_port_turn(SOFT_OF(struct soft_port, turn, t));
		break;
	case SOFT_TIMER_FLIGHT:
		soft_flight_arrive(w, SOFT_OF(struct soft_flight, timer, t));
		break;
	case SOFT_TIMER_ACK:
		soft_requester_timeout(SOFT_OF(struct soft_qp, req.ack, t));
		break;
	case SOFT_TIMER_RNR:
		soft_requester_resume(SOFT_OF(struct soft_qp, req.rnr, t));
		break;
	}
}

/* Runs timers until 'until_ns', or until there are news if 'stop'. */
static void
timers_run(struct soft_world *w, int64_t until_ns, bool stop)
{
	uint64_t news = w->news;
	struct heap_node *node;
	int64_t at;

	while ((node = heap_top(&w->timers, &at)) && at <= until_ns) {
		heap_drop(&w->timers, node);
		w->now_ns = at;
		timer_expired(w, SOFT_OF(struct soft_timer, node, node));
		if (stop && w->news != news)
			return;
	}
	w->now_ns = until_ns;
}

static void
world_advance(struct verbs_world *pub, uint32_t us)
{
	struct soft_world *w = SOFT_WORLD(pub);

	timers_run(w, w->now_ns + (int64_t)us * 1000, false);
}

static void
world_await(struct verbs_world *pub, uint32_t us)
{
	struct soft_world *w = SOFT_WORLD(pub);

	timers_run(w, w->now_ns + (int64_t)us * 1000, true);
}

static uint64_t
world_now_ns(struct verbs_world *pub)
{
	return (uint64_t)SOFT_WORLD(pub)->now_ns;
}

static const char *
world_device_name(struct verbs_world *pub, unsigned i)
{
	struct soft_world *w = SOFT_WORLD(pub);

	return i < w->nhcas ? w->hcas[i].name : NULL;
}

static void
world_free(struct verbs_world *pub)
{
	struct soft_world *w = SOFT_WORLD(pub);
	struct heap_node *node;
	int64_t at;

	while ((node = heap_top(&w->timers, &at))) {
		struct soft_timer *t = SOFT_OF(struct soft_timer, node, node);

		heap_drop(&w->timers, node);
		if (t->kind == SOFT_TIMER_FLIGHT)
			free(SOFT_OF(struct soft_flight, timer, t));
	}
	heap_clear(&w->timers);
	for (unsigned i = 0; i < w->nhcas; i++) {
		soft_slots_clear(&w->hcas[i].qps);
		soft_slots_clear(&w->hcas[i].keys);
		soft_slots_clear(&w->hcas[i].srqs);
	}
	free(w->hcas);
	free(w);
}

static const struct verbs_ops soft_ops = {
	.world_free = world_free, .device_name = world_device_name, .now_ns = world_now_ns,
	.advance = world_advance,
	.await = world_await,
	.open = soft_dev_open, .close = soft_dev_close, .query_device = soft_dev_query,
	.query_port = soft_port_query,
	.query_gid = soft_gid_query, .query_pkey = soft_pkey_query, .live = soft_dev_live,
	.get_async_event = soft_event_get,
	.alloc_pd = soft_pd_alloc, .dealloc_pd = soft_pd_dealloc,
	.reg_mr = soft_mr_reg, .rereg_mr = soft_mr_rereg, .dereg_mr = soft_mr_dereg,
	.alloc_mw = soft_mw_alloc, .dealloc_mw = soft_mw_dealloc, .bind_mw = soft_mw_bind,
	.create_chan = soft_chan_create, .destroy_chan = soft_chan_destroy,
	.get_cq_event = soft_chan_get,
	.create_cq = soft_cq_create, .resize_cq = soft_cq_resize, .destroy_cq = soft_cq_destroy,
	.poll = soft_cq_poll,
	.req_notify = soft_cq_req_notify,
	.create_srq = soft_srq_create, .modify_srq = soft_srq_modify, .query_srq = soft_srq_query,
	.destroy_srq = soft_srq_destroy, .post_srq_recv = soft_srq_post,
	.open_xrcd = soft_xrcd_open, .close_xrcd = soft_xrcd_close, .create_ah = soft_ah_create,
	.destroy_ah = soft_ah_destroy,
	.create_qp = soft_qp_create, .modify_qp = soft_qp_modify, .query_qp = soft_qp_query,
	.destroy_qp = soft_qp_destroy,
	.post_send = soft_post_send, .post_recv = soft_post_recv,
	.attach_mcast = soft_mcast_attach, .detach_mcast = soft_mcast_detach,
	.faults = soft_faults_set, .hook = soft_hook_set, .knob = soft_knob_turn,
};

struct verbs_world *
soft_world_new(const struct soft_options *o)
{
	struct soft_world *w = xcalloc(1, sizeof(*w));

	w->pub = (struct verbs_world){ .ops = &soft_ops, .name = "soft" };
	w->random = o ? o->seed : 0;
	w->nhcas = o && o->devices ? o->devices : 2;
	w->latency_ns = o && o->latency_ns ? o->latency_ns : 600;
	w->rate_mbps = o && o->rate_mbps ? o->rate_mbps : 100000;
	w->hcas = xcalloc(w->nhcas, sizeof(*w->hcas));
	for (unsigned i = 0; i < w->nhcas; i++)
		soft_hca_init(w, &w->hcas[i], i);
	return &w->pub;
}
