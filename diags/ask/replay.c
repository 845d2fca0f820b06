/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * replay.c - a saved fabric as a back end of libmad/io: each request is answered, or times out, at
 * once.
 * Room: diags/ask.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/replay.h"
#include "diags/ask/replay_int.h"
#include "libmad/attr/pm_attr.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

#define LIDS 65536u

struct replay {
	struct io io;                   /* must be first: the handle points to it */
	struct snapshot *s;
	struct capture *c;
	uint32_t *lids;                 /* port index by LID, or FAB_NONE */
	struct dgram *waiting;          /* ring of answers */
	size_t room, first, n;
};

static struct replay *
replay_of(struct io *io)
{
	return (struct replay *)io;
}

uint16_t
replay_lid(const struct snapshot *s, uint32_t port)
{
	const struct fab_node *n = &s->nodes[s->ports[port].node];
	const struct fab_port *p = fab_is_switch(n) ? &s->ports[n->first_port] : &s->ports[port];

	return port_info_decode(p->info).lid;
}

static uint32_t *
index_lids(const struct snapshot *s)
{
	uint32_t *v = xcalloc(LIDS, sizeof(*v));

	for (uint32_t i = 0; i < LIDS; i++)
		v[i] = FAB_NONE;
	for (uint32_t i = s->nports; i-- > 0;) {
		const struct fab_port *p = &s->ports[i];
		struct port_info info = port_info_decode(p->info);

		if (!(p->flags & FAB_PORT_INFO) || (p->num && fab_is_switch(&s->nodes[p->node])))
			continue;
		for (uint32_t lid = info.lid; lid && lid < info.lid + (1u << info.lmc) &&
		    lid <= LID_UCAST_MAX; lid++)
			v[lid] = i;
	}
	return v;
}

/* ---- the addressed port ---- */

/* Follows a route from port 'at'; only switches forward. Returns FAB_NONE if there is no link. */
static uint32_t
path_follow(const struct replay *r, uint32_t at, const uint8_t *path, unsigned hops)
{
	for (unsigned i = 1; i <= hops && at != FAB_NONE; i++) {
		const struct fab_node *n = &r->s->nodes[r->s->ports[at].node];

		if (!path[i] || path[i] > n->nports || (i > 1 && !fab_is_switch(n)))
			return FAB_NONE;
		at = r->s->ports[n->first_port + path[i]].peer;
	}
	return at;
}

static uint32_t
request_target(const struct replay *r, const struct dgram *d)
{
	uint32_t at = r->lids[d->addr.lid];
	struct dgram_head h = dgram_head_decode(d->mad);

	if (h.mgmt_class != CLASS_SM_DR)
		return at;
	if (h.hop_count > DGRAM_HOPS_MAX)
		return FAB_NONE;
	if (dgram_dr_slid(d->mad) == LID_PERMISSIVE)
		at = r->s->sm_port;
	else if (at == FAB_NONE || !fab_is_switch(&r->s->nodes[r->s->ports[at].node]))
		return FAB_NONE;
	return path_follow(r, at, dgram_initial_hops(d->mad), h.hop_count);
}

/* ---- the answer ---- */

static bool
node_info(const struct replay *r, uint32_t at, uint8_t *data)
{
	const struct fab_port *p = &r->s->ports[at];
	const struct fab_node *n = &r->s->nodes[p->node];
	struct node_info i = node_info_decode(n->node_info);

	/* A LID-routed request addresses the switch itself; the port by which it arrived is
	 * unknown. */
	if (p->num)
		i.local_port = p->num;
	if (!fab_is_switch(n))
		i.port_guid = p->guid;
	memcpy(data, n->node_info, NODE_INFO_BYTES);
	node_info_encode(data, &i);
	return true;
}

static bool
port_info(const struct replay *r, uint32_t at, uint32_t modifier, uint8_t *data, uint16_t *status)
{
	const struct fab_port *p = &r->s->ports[at];
	const struct fab_node *n = &r->s->nodes[p->node];
	unsigned num = modifier & 0xff;

	if (num > n->nports) {
		*status = STATUS_BAD_VALUE;
		return true;
	}
	if (num || fab_is_switch(n))
		p = &r->s->ports[n->first_port + num];
	memcpy(data, p->info, PORT_INFO_BYTES);
	if (r->s->ports[at].num)
		wire_bits_put(data, port_info_at_local_port, port_info_bits_local_port,
			r->s->ports[at].num);
	return p->flags & FAB_PORT_INFO;
}

/* Answers from the snapshot. Returns -1 if the snapshot does not have this attribute, 0 if it was
 * never answered, 1 with '*data' or '*status'. */
static int
from_snapshot(const struct replay *r, uint32_t at, const struct dgram_head *h, uint8_t *data,
	uint16_t *status)
{
	const struct fab_node *n = &r->s->nodes[r->s->ports[at].node];
	size_t block = h->modifier;

	switch (h->attr_id) {
	case NODE_INFO_ID:
		return node_info(r, at, data);
	case NODE_DESC_ID:
		memcpy(data, n->desc, NODE_DESC_BYTES);
		return 1;
	case PORT_INFO_ID:
		return port_info(r, at, h->modifier, data, status);
	case SWITCH_INFO_ID:
		memcpy(data, n->switch_info, SWITCH_INFO_BYTES);
		*status = fab_is_switch(n) ? STATUS_OK : STATUS_BAD_METHOD_ATTR;
		return !fab_is_switch(n) || n->flags & FAB_NODE_SWITCH_INFO;
	case LFT_BLOCK_ID:
		if (!n->lft || block >= n->lft_blocks)
			return -1;
		memcpy(data, n->lft + block * DGRAM_SMP_DATA_BYTES, DGRAM_SMP_DATA_BYTES);
		return 1;
	}
	return -1;
}

static bool
from_capture(const struct replay *r, uint32_t at, const struct dgram_head *h, uint8_t select,
	uint8_t *data, uint16_t *status)
{
	const struct fab_port *p = &r->s->ports[at];
	struct capture_key k = {
		.node = p->node, .port = fab_is_switch(&r->s->nodes[p->node]) ? 0 : p->num,
		.mgmt_class = h->mgmt_class, .attr_id = h->attr_id,
		.modifier = h->modifier, .select = select,
	};
	const struct capture_answer *a = r->c ? capture_find(r->c, &k) : NULL;

	if (!a)
		return false;
	*status = a->status;
	if (a->bytes)
		memcpy(data, a->data, a->bytes);
	return true;
}

static bool
is_keyed(uint8_t mgmt_class)
{
	return mgmt_class == CLASS_CC || (mgmt_class >= CLASS_VENDOR1_FIRST &&
		mgmt_class <= CLASS_VENDOR1_LAST);
}

/* Converts the request into its answer in place; returns false if there is none. */
static bool
request_answer(const struct replay *r, struct dgram *d)
{
	struct dgram_head h = dgram_head_decode(d->mad);
	bool smp = h.mgmt_class == CLASS_SM_LID || h.mgmt_class == CLASS_SM_DR;
	uint8_t data[DGRAM_GMP_DATA_BYTES] = { 0 }, select = 0;
	uint32_t at = request_target(r, d);
	uint16_t status = STATUS_OK;
	int known = -1;

	if (at == FAB_NONE)
		return false;
	if (h.mgmt_class == CLASS_PM && h.attr_id != ATTR_CLASS_PORT_INFO)
		select = pm_port_select(dgram_gmp_image(d->mad));
	if (h.mgmt_class == CLASS_SM_DR)
		h.mgmt_class = CLASS_SM_LID;
	if (h.method != METHOD_GET)
		status = STATUS_BAD_METHOD;
	else if (smp)
		known = from_snapshot(r, at, &h, data, &status);
	if (!status && (!known || (known < 0 && !from_capture(r, at, &h, select, data, &status))))
		return false;
	if (!status)
		memcpy(is_keyed(h.mgmt_class) ? dgram_keyed_data(d->mad) : dgram_gmp_data(d->mad),
			data, smp ? DGRAM_SMP_DATA_BYTES : DGRAM_GMP_DATA_BYTES);
	if (smp) {
		dgram_smp_respond(d->mad, status);
	} else {
		dgram_set_method(d->mad, h.method | METHOD_RESP);
		dgram_set_status(d->mad, status);
	}
	return true;
}

/* ---- the I/O handle ---- */

static void
reply_put(struct replay *r, const struct dgram *d)
{
	if (r->n == r->room) {
		size_t room = r->room ? r->room * 2 : 64;
		struct dgram *v = xcalloc(room, sizeof(*v));

		for (size_t i = 0; i < r->n; i++)
			v[i] = r->waiting[(r->first + i) % r->room];
		free(r->waiting);
		r->waiting = v;
		r->room = room;
		r->first = 0;
	}
	r->waiting[(r->first + r->n++) % r->room] = *d;
}

static int
replay_send(struct io *io, struct dgram *d, int timeout_ms)
{
	struct replay *r = replay_of(io);
	struct dgram a = *d;

	if (timeout_ms <= 0)
		return 0;
	a.more = NULL;
	a.bytes = DGRAM_BYTES;
	a.status = 0;
	if (dgram_class(d->mad) == CLASS_SA)
		replay_sa(r->s, &a);
	else if (!request_answer(r, &a))
		a.status = ETIMEDOUT;
	reply_put(r, &a);
	return 0;
}

static int
replay_recv(struct io *io, struct dgram *d)
{
	struct replay *r = replay_of(io);

	if (!r->n)
		return 0;
	*d = r->waiting[r->first];
	r->first = (r->first + 1) % r->room;
	r->n--;
	return 1;
}

static int
replay_port(struct io *io, struct io_port *p)
{
	const struct replay *r = replay_of(io);
	const struct fab_port *at = &r->s->ports[r->s->sm_port];
	const struct fab_node *n = &r->s->nodes[at->node];
	struct port_info i = port_info_decode(at->info);

	*p = (struct io_port){
		.port = at->num, .node_type = n->type, .infiniband = true, .state = i.state,
		.phys_state = i.phys_state,
		.lmc = i.lmc, .sm_sl = i.master_sm_sl, .lid = i.lid,
		.sm_lid = i.master_sm_lid ? i.master_sm_lid : 1, .cap_mask = i.capability_mask,
		.port_guid = at->guid, .node_guid = n->guid, .gid_prefix = i.gid_prefix,
	};
	return 0;
}

static int
replay_add_class(struct io *io, const struct io_class *c, char *why)
{
	(void)io;
	(void)c;
	(void)why;
	return 0;
}

static int
replay_fd(struct io *io)
{
	(void)io;
	return -1;
}

static int
replay_wait(struct io *io, int timeout_ms)
{
	(void)timeout_ms;
	return replay_of(io)->n ? 0 : -ETIMEDOUT;
}

static int
replay_issm(struct io *io, bool on, char *why)
{
	(void)io;
	(void)on;
	(void)why;
	return -ENODEV;
}

static void
replay_close(struct io *io)
{
	struct replay *r = replay_of(io);

	for (size_t i = 0; i < r->n; i++)
		free(r->waiting[(r->first + i) % r->room].more);
	free(r->waiting);
	free(r->lids);
	capture_free(r->c);
	snapshot_free(r->s);
	free(r);
}

struct io *
replay_open(struct snapshot *s, struct capture *c)
{
	static const struct io_ops ops = {
		.port = replay_port, .add_class = replay_add_class, .send = replay_send,
		.recv = replay_recv, .fd = replay_fd,
		.wait = replay_wait, .issm = replay_issm, .close = replay_close,
	};
	struct replay *r = xcalloc(1, sizeof(*r));

	*r = (struct replay){ .io = { &ops }, .s = s, .c = c, .lids = index_lids(s) };
	return &r->io;
}
