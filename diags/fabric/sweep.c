/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sweep.c - runs discovery over the port of the tool, and then reads the vendor's attribute for
 * FDR10.
 * Room: diags/fabric. fabric/discover/discover.h decides what to request; this file sends it.
 */
#include <config.h>
#include <inttypes.h>
#include <string.h>
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/progress.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/fabric_int.h"
#include "fabric/discover/discover.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"

#define DISCOVER_COOKIE (UINT64_C(1) << 56)
#define WINDOW_FACTOR 2         /* open requests for each request on the wire */
#define SWEEP_WINDOW 64

struct sweep {
	struct diag *d;
	bool beyond;                    /* one more query at each end of a part */
	struct discover *disc;
	uint64_t expired;
};

static void
on_end(void *arg, const struct txn_end *e)
{
	struct sweep *s = arg;

	discover_end(s->disc, e);
}

static void
requests_give(void *arg)
{
	struct sweep *s = arg;
	struct txn_req r;

	while (discover_next(s->disc, &r)) {
		r.cookie |= DISCOVER_COOKIE;
		txn_submit(engine_txn(s->d), &r, (struct monotime){ diag_now_us() });
	}
}

static void
progress_show(struct sweep *s)
{
	uint64_t answered, open;
	uint32_t nodes;

	if (txn_stats(engine_txn(s->d))->tries_expired != s->expired)
		discover_hurry(s->disc);
	discover_late(s->disc, txn_stats(engine_txn(s->d))->late_in_flight);
	s->expired = txn_stats(engine_txn(s->d))->tries_expired;
	discover_progress(s->disc, &nodes, &answered, &open);
	diag_progress(s->d, "%" PRIu32 " nodes found, %" PRIu64 " answers, %" PRIu64
		" questions open", nodes, answered, open);
}

static int
sweep_run(struct sweep *s)
{
	int r = 0;

	while (!discover_done(s->disc) && !r) {
		r = engine_turn(s->d, on_end, requests_give, s);
		progress_show(s);
		if (s->beyond && discover_done(s->disc)) {
			s->beyond = false;
			discover_beyond(s->disc);
		}
	}
	return r ? engine_failed(s->d, r) : 0;
}

/* ---- FDR10 ---- */

static void
fdr10_done(struct diag *d, void *arg, const struct diag_request *q, const struct diag_reply *r)
{
	struct mlnx_ext_port_info i;
	struct fab_port *p = arg;

	(void)d;
	(void)q;
	if (r->end != DIAG_OK)
		return;
	i = mlnx_ext_port_info_decode(r->data);
	if (i.speed_active & MLNX_SPEED_FDR10)
		p->flags |= FAB_PORT_FDR10;
	if (i.speed_supported & MLNX_SPEED_FDR10)
		p->flags |= FAB_PORT_FDR10_SUPPORTED;
	if (i.speed_enabled & MLNX_SPEED_FDR10)
		p->flags |= FAB_PORT_FDR10_ENABLED;
}

/* A link that reports only QDR may run at FDR10, which devices of one vendor report in an attribute
 * of their own. */
static void
ask_fdr10(struct diag *d, struct snapshot *s)
{
	uint8_t path[DGRAM_PATH_BYTES];

	if (!diag_settings(d)->mlx_epi)
		return;
	for (uint32_t i = 0; i < s->nports; i++) {
		struct fab_port *p = &s->ports[i];
		const struct fab_node *n = &s->nodes[p->node];
		struct node_info info = node_info_decode(n->node_info);
		struct port_info pi = port_info_decode(p->info);
		struct diag_addr a;

		if (!p->num || !(p->flags & FAB_PORT_INFO) || n->hop_count == FAB_NO_PATH ||
		    pi.phys_state != PHYS_STATE_LINK_UP ||
		    pi.speed_active != LINK_SPEED_QDR || pi.speed_ext_active ||
		    !fab_has_vendor_port_info(info.vendor_id, info.device_id))
			continue;
		{
			uint8_t hops = snapshot_port_path(s, i, path);

			a = diag_addr_path(path, hops);
		}
		diag_submit(d, &(struct diag_request){ .to = &a, .attr_id = MLNX_EXT_PORT_INFO_ID,
			.modifier = p->num, .quiet = true },
			fdr10_done, p);
	}
	diag_run(d);
}

int
fabric_sweep(struct diag *d, unsigned wants, const struct fabric_part *part, struct snapshot **out)
{
	struct io_class c = io_class_client(CLASS_SM_DR);
	unsigned window = diag_settings(d)->outstanding ? diag_settings(d)->outstanding :
		SWEEP_WINDOW;
	struct sweep s = { .d = d, .beyond = part && part->beyond };
	struct discover_conf conf = {
		.want_desc = true, .want_ports = true, .want_pkeys = wants & DIAG_WANT_PKEYS,
		.want_lft = wants & DIAG_WANT_LFT,
		.mkeys = mkeys_one(diag_settings(d)->mkey), .window = window * WINDOW_FACTOR,
	};
	int r = diag_class(d, &c);

	if (r)
		return r;
	conf.target_base = engine_target_base(d);
	if (part) {
		conf.from_hops = part->from->hop_count;
		memcpy(conf.from, part->from->path, part->from->hop_count + 1u);
		conf.reach = part->reach;
	}
	engine_conf(d, window, RETRY_TOOL_SWEEP);
	s.disc = discover_new(&conf, NULL);
	r = sweep_run(&s);
	if (r)
		return r; /* not freed: open requests may still point to it, and the process ends */
	if (discover_take(s.disc, out))
		r = conf.from_hops ? diag_fail(d, EXIT_PARTIAL, "timeout",
			"nothing answers at the end of the route") :
			diag_fail(d, EXIT_FATAL, "timeout",
				"discover failed: the own port does not answer");
	discover_free(s.disc);
	txn_targets_reset(engine_txn(d));
	if (!r)
		ask_fdr10(d, *out);
	engine_conf(d, diag_settings(d)->outstanding, RETRY_TOOL_SINGLE);
	return r;
}
