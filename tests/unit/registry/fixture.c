/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fixture.c - a registry without a manager: a small tree that is served, hardware that answers.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/registry/fixture.h"
#include "util/xalloc.h"

enum { MLIDS = 1024 };

static void
on_line(void *arg, enum log_level level, const char *room, const char *line)
{
	struct fixture *f = arg;

	(void)level;
	snprintf(f->said, sizeof(f->said), "%s: %s", room, line);
}

static void
find_hosts(struct fixture *f)
{
	struct snapshot *s = f->bed.s;
	unsigned n = 0;

	for (uint32_t p = 0; p < s->nports && n < FIXTURE_HOSTS; p++) {
		struct port_info info = bed_port(&f->bed, p);

		if (fab_is_switch(&s->nodes[s->ports[p].node]) || s->ports[p].peer == FAB_NONE)
			continue;
		info.guid_cap = 16;
		bed_show(&f->bed, p, info);
		f->host[n++] = p;
	}
	assert_int_equal(n, FIXTURE_HOSTS);
	assert_int_equal(f->host[0], f->bed.host);
}

static void
give_tables(struct snapshot *s)
{
	for (uint32_t i = 0; i < s->nswitches; i++) {
		struct fab_node *n = &s->nodes[s->switches[i]];
		struct switch_info si = switch_info_decode(n->switch_info);

		si.mft_cap = MLIDS;
		switch_info_encode(n->switch_info, &si);
		n->flags |= FAB_NODE_SWITCH_INFO;
	}
}

void
fixture_plan(struct fixture *f, struct plan *plan)
{
	struct group_trees t = { .v = NULL };

	plan->mcast = plan_mcast_make(f->bed.s, NULL, &f->bed.plan.arena);
	groups_copy(&f->reg, &t);
	group_trees_find(&t, f->bed.s);
	group_trees_plan(&t, plan->mcast);
	plan->guids = aliases_wanted(&f->reg);
	aliases_plan(&f->reg, &f->net, f->bed.s);
	groups_plan(&f->reg, &f->net, plan, &t);
	group_trees_clear(&t);
}

void
fixture_make(struct fixture *f)
{
	struct txn_conf c = txn_conf_default();
	struct sa_view v;

	*f = (struct fixture){ .role = HA_MASTER, .conf = conf_default() };
	bed_make(&f->bed);
	find_hosts(f);
	give_tables(f->bed.s);
	snapshot_seal(f->bed.s);
	f->log = (struct log){ LOG_TRACE, on_line, f };
	f->net = (struct subnet){
		.conf = f->conf, .log = &f->log, .log_limit = log_limit_new(), .now = { 1000000 },
		.role = &f->role, .txn = txn_new(&c),
		.port = { .port_guid = f->bed.s->ports[f->host[0]].guid },
	};
	schedule_init(&f->net.schedule);
	f->net.tables = f->bed.tables;
	registry_begin(&f->reg, &f->net, NULL, 0);
	f->net.served.s = f->bed.s;
	f->net.served.observed = f->bed.o;
	fixture_plan(f, &f->bed.plan);
	f->net.served.plan = &f->bed.plan;
	v = (struct sa_view){
		.s = f->bed.s, .lids = &f->bed.plan.lids, .fwd = &f->bed.plan.fwd,
		.gid_prefix = f->conf->subnet_prefix, .sm_lid = f->bed.plan.sm_lid,
		.alias = f->reg.alias, .ready = true,
	};
	f->net.served.sa = sa_index_new(&v);
}

void
fixture_clear(struct fixture *f)
{
	registry_free(&f->reg);
	sa_index_free(f->net.served.sa);
	txn_free(f->net.txn);
	log_limit_free(f->net.log_limit);
	outbox_free(&f->net.outbox);
	conf_free(f->conf);
	bed_clear(&f->bed);
}

uint64_t
fixture_guid(const struct fixture *f, unsigned host)
{
	return f->bed.s->ports[f->host[host]].guid;
}

uint16_t
fixture_lid(const struct fixture *f, unsigned host)
{
	return f->bed.plan.lids.base[f->host[host]];
}

uint32_t
fixture_leaf(const struct fixture *f, unsigned host)
{
	const struct snapshot *s = f->bed.s;

	return s->nodes[s->ports[s->ports[f->host[host]].peer].node].sw;
}

/* What an agent makes of a request: a Set is obeyed, or refused with f->status. */
static void
answer_request(struct fixture *f, struct dgram *d)
{
	bool set = dgram_method(d->mad) == METHOD_SET;

	f->sets += set;
	dgram_smp_respond(d->mad, set ? f->status : STATUS_OK);
	assert_true(txn_receive(f->net.txn, d, f->net.now));
}

static void
take_ends(struct fixture *f)
{
	struct txn_end e;

	while (txn_next_end(f->net.txn, &e)) {
		enum owner owner = (enum owner)(e.cookie >> OWN_SHIFT);

		e.cookie &= OWN_MASK;
		if (owner == OWN_MFT)
			groups_end(&f->reg, &e);
		else if (owner == OWN_GUIDS)
			aliases_end(&f->reg, &e);
	}
}

void
fixture_run(struct fixture *f, struct registry_sweep sweep, bool answer)
{
	struct dgram d;
	int timeout_ms;
	bool moved;

	do {
		moved = false;
		take_ends(f);
		registry_pump(&f->reg, &f->net, sweep);
		while (answer && txn_next_send(f->net.txn, &d, &timeout_ms, f->net.now)) {
			answer_request(f, &d);
			moved = true;
		}
	} while (moved);
}

int
fixture_answer(struct fixture *f)
{
	struct dgram d;
	int status;

	if (!outbox_next(&f->net.outbox, &d))
		return -1;
	status = dgram_status(d.mad);
	outbox_settle(&f->net.outbox);
	return status;
}

void
fixture_join_as(struct fixture *f, unsigned h, uint64_t guid, const uint8_t mgid[static 16],
	uint16_t *mlid)
{
	struct dgram req = { .addr = { .lid = fixture_lid(f, h) } };
	struct mcast_request a = {
		.want = { .pkey = 0xffff, .qkey = 0x1234, .join_state = JOIN_STATE_FULL },
		.mask = SA_COMP(mcmember_record, mgid) | SA_COMP(mcmember_record, port_gid) |
			SA_COMP(mcmember_record, pkey) | SA_COMP(mcmember_record, qkey) |
			SA_COMP(mcmember_record, join_state) | SA_COMP(mcmember_record, tclass) |
			SA_COMP(mcmember_record, flow_label) | SA_COMP(mcmember_record, sl),
		.port_guid = guid, .port_mtu = 5, .port_rate = 16, .self = true,
		.trusted = true, .in_partition = true,
	};
	struct mcmember_record got;
	uint8_t before;

	memcpy(a.want.mgid, mgid, 16);
	wire_put64(a.want.port_gid, f->conf->subnet_prefix);
	wire_put64(a.want.port_gid + 8, a.port_guid);
	mcmember_record_encode(req.mad + SA_HEAD_BYTES, &a.want);
	before = groups_joined_before(&f->reg, &req);
	assert_int_equal(mcast_set(f->reg.mcast, &a, &got), STATUS_OK);
	*mlid = got.mlid;
	mcmember_record_encode(req.mad + SA_HEAD_BYTES, &got);
	groups_hold_answer(&f->reg, &f->net, &req, req.mad, before);
}

void
fixture_join(struct fixture *f, unsigned h, const uint8_t mgid[static 16], uint16_t *mlid)
{
	fixture_join_as(f, h, fixture_guid(f, h), mgid, mlid);
}

void
fixture_subscribe(struct fixture *f, unsigned host)
{
	struct inform_request a = {
		.want = { .lid_begin = 0xffff, .is_generic = 1, .subscribe = 1, .type = 0xffff,
			.trap_number = 0xffff, .producer_type = 0xffffff, .qpn = 1 },
		.port_guid = fixture_guid(f, host),
		.addr = { .lid = fixture_lid(f, host), .qpn = 1 },
	};
	struct inform_info got;

	assert_int_equal(inform_set(f->reg.inform, &a, &got), STATUS_OK);
}
