/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_day.c - a day of 200 losses and returns at 1,024 hosts, under traffic.
 *
 * Links, spines, leaves and hosts go and come back, one or two at once.  After every single Set
 * the entries that it changed are followed through the tables that the switches hold then, and the
 * turns that they make are added to those that packets on their way may still make; so no state in
 * between may loop or wait for itself.  Packets between random hosts are sent all the time: one is
 * lost only where its path was broken by what was lost.  After each event no path has moved that
 * was still there, except to its intended one.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/test.h"
#include "libmad/mad/dgram.h"
#include "sim/phys/phys.h"
#include "tests/scenario/registers.h"
#include "tests/scenario/tables.h"
#include "tests/unit/route/made.h"
#include "util/xalloc.h"

#define SECOND 1000000
#define SPEC "fattree:k=16,levels=3"
#define EVENTS 200
#define AWAY_MAX 6
#define HOPS_MAX 64
#define DRAIN_US 20000 /* packets on their way have left after this */
#define SENDS_MAX 65536
#define VENDOR_CLASS 0x0d
#define METHOD_SEND 3

/* What a packet was to meet. */
enum fate { FATE_ARRIVES, FATE_BROKEN, FATE_NEEDLESS };

/* Turns from an in-port to an out-port of a switch. */
struct turn {
	uint32_t n; /* LIDs that make it now */
	int64_t until_us; /* packets may make it until then */
};

struct away {
	bool node;
	uint32_t a, b;
	uint8_t pa, pb;
};

struct day {
	struct world w;
	struct world_manager *s;
	uint32_t seed;
	struct tables shadow; /* as looked at last */
	struct tables begun; /* at the beginning of the event */
	uint32_t ports; /* stride of a node in turns[] */
	struct turn *turns; /* [node][in][out] */
	uint8_t *seen; /* per channel, for the search */
	uint32_t *hosts, nhosts;
	struct away away[AWAY_MAX];
	unsigned naway;
	uint8_t fate[SENDS_MAX];
	bool arrived[SENDS_MAX];
	uint32_t sent;
	/* of the day */
	uint64_t changes, loops, packets, broken, needless, wrong;
	uint64_t cycles; /* new turns that close a cycle */
	unsigned warnings; /* of the manager, that no order of writes is safe */
};

static uint32_t
channel(const struct day *d, uint32_t node, uint8_t in)
{
	return node * d->ports + in;
}

static struct turn *
turn_of(const struct day *d, uint32_t node, uint8_t in, uint8_t out)
{
	return &d->turns[(size_t)channel(d, node, in) * d->ports + out];
}

static const uint8_t *
shadow_row(const struct day *d, uint32_t node)
{
	return d->shadow.port + (size_t)node * d->shadow.stride;
}

static bool
is_switch(const struct day *d, uint32_t node)
{
	return d->w.hw->nodes[node].type == TOPO_SWITCH;
}

/* The switch and in-port that 'lid' comes to from switch 'node'; false: none. */
static bool
next_switch(const struct day *d, uint32_t node, uint16_t lid, uint32_t *next, uint8_t *in)
{
	return tables_next(&d->w, shadow_row(d, node), node, lid, next, in) && is_switch(d, *next);
}

/* ---- loops ---- */

static bool
returns(const struct day *d, uint32_t node, uint16_t lid)
{
	uint32_t at = node;
	uint8_t in;

	for (unsigned hops = 0; hops < HOPS_MAX; hops++)
		if (!next_switch(d, at, lid, &at, &in))
			return false;
	return true;
}

/* ---- cycles of channels ---- */

static bool
turn_lives(const struct day *d, uint32_t node, uint8_t in, uint8_t out)
{
	const struct turn *t = turn_of(d, node, in, out);

	return t->n || t->until_us > d->w.now.us;
}

/* Whether the channel into (node, in) leads to the channel 'end'. */
static bool
leads_on(struct day *d, uint32_t node, uint8_t in, uint32_t end)
{
	const struct hw_node *n = &d->w.hw->nodes[node];

	if (channel(d, node, in) == end)
		return true;
	if (d->seen[channel(d, node, in)])
		return false;
	d->seen[channel(d, node, in)] = 1;
	for (unsigned out = 1; out <= n->nports; out++) {
		const struct hw_link *l = &d->w.hw->links[n->first_port + out];

		if (l->node != HW_NOWHERE && is_switch(d, l->node) &&
			turn_lives(d, node, in, (uint8_t)out) &&
			leads_on(d, l->node, l->port, end))
			return true;
	}
	return false;
}

static void
turn_add(struct day *d, uint32_t node, uint8_t in, uint8_t out, bool check)
{
	const struct hw_node *n = &d->w.hw->nodes[node];
	struct turn *t = turn_of(d, node, in, out);
	bool lives = turn_lives(d, node, in, out);
	const struct hw_link *l;

	t->n++;
	if (lives || !check || !out || out > n->nports)
		return;
	l = &d->w.hw->links[n->first_port + out];
	if (l->node == HW_NOWHERE || !is_switch(d, l->node))
		return;
	memset(d->seen, 0, (size_t)d->w.hw->nnodes * d->ports);
	d->cycles += leads_on(d, l->node, l->port, channel(d, node, in));
}

static void
turn_drop(struct day *d, uint32_t node, uint8_t in, uint8_t out)
{
	struct turn *t = turn_of(d, node, in, out);

	if (t->n && --t->n == 0)
		t->until_us = d->w.now.us + DRAIN_US;
}

/* The turns that the entry of 'node' for 'lid' makes: at the next switch, and here, of packets from
 * the neighbours. */
static void
entry_turns(struct day *d, uint32_t node, uint16_t lid, bool add, bool check)
{
	const struct hw_node *n = &d->w.hw->nodes[node];
	uint8_t out = shadow_row(d, node)[lid], in;
	uint32_t next;

	if (!out || out > n->nports)
		return;
	if (next_switch(d, node, lid, &next, &in)) {
		uint8_t then = shadow_row(d, next)[lid];

		if (then && then <= d->w.hw->nodes[next].nports) {
			if (add)
				turn_add(d, next, in, then, check);
			else
				turn_drop(d, next, in, then);
		}
	}
	for (unsigned p = 1; p <= n->nports; p++) {
		const struct hw_link *l = &d->w.hw->links[n->first_port + p];

		if (l->node == HW_NOWHERE || !is_switch(d, l->node) ||
			shadow_row(d, l->node)[lid] != l->port)
			continue;
		if (add)
			turn_add(d, node, (uint8_t)p, out, check);
		else
			turn_drop(d, node, (uint8_t)p, out);
	}
}

/* Links have come or gone: all turns anew; those of before may still be made. */
static void
rebuild_turns(struct day *d)
{
	for (size_t i = 0; i < (size_t)d->w.hw->nnodes * d->ports * d->ports; i++) {
		if (d->turns[i].n)
			d->turns[i].until_us = d->w.now.us + DRAIN_US;
		d->turns[i].n = 0;
	}
	for (uint32_t node = 0; node < d->w.hw->nnodes; node++)
		for (uint32_t lid = 1; is_switch(d, node) && lid < d->shadow.stride; lid++) {
			uint32_t next;
			uint8_t in, then;

			if (!next_switch(d, node, (uint16_t)lid, &next, &in))
				continue;
			then = shadow_row(d, next)[lid];
			if (then && then <= d->w.hw->nodes[next].nports)
				turn_of(d, next, in, then)->n++;
		}
}

/* ---- packets ---- */

/* Whether 't' leads from a host to another; over links that carry data if 'data'. */
static bool
leads(const struct day *d, const struct tables *t, uint32_t from, uint32_t to, uint16_t lid,
	bool data)
{
	const struct hw_link *l = &d->w.hw->links[d->w.hw->nodes[from].first_port + 1];

	for (unsigned hops = 0; hops < HOPS_MAX && l->node != HW_NOWHERE; hops++) {
		uint32_t node = l->node;
		const struct hw_node *n = &d->w.hw->nodes[node];
		uint8_t out;

		if (data && l->state != PORT_STATE_ACTIVE)
			return false;
		if (node == to)
			return true;
		if (n->type != TOPO_SWITCH || !n->powered)
			return false;
		out = t->port[(size_t)node * t->stride + lid];
		if (!out || out > n->nports)
			return false;
		l = &d->w.hw->links[n->first_port + out];
	}
	return false;
}

static uint16_t
lid_of(const struct day *d, uint32_t host)
{
	return wire_get16(hw_port(d->w.hw, host, 1)->info + PI_LID);
}

/* A packet between two hosts that are there. */
static void
send_packet(struct day *d)
{
	uint32_t from = d->hosts[made_random(&d->seed) % d->nhosts];
	uint32_t to = d->hosts[made_random(&d->seed) % d->nhosts];
	struct hw_packet p = { .slid = lid_of(d, from), .dlid = lid_of(d, to), .pkey = 0xffff,
		.src_qp = 1, .dst_qp = 1, .qkey = QKEY_GSI };

	if (from == to || from == d->s->node || to == d->s->node || !p.slid || !p.dlid ||
		!d->w.hw->nodes[from].powered || !d->w.hw->nodes[to].powered ||
		d->sent == SENDS_MAX || p.dlid >= d->shadow.stride)
		return;
	if (leads(d, &d->shadow, from, to, p.dlid, true))
		d->fate[d->sent] = FATE_ARRIVES;
	else
		d->fate[d->sent] = leads(d, &d->begun, from, to, p.dlid, true) ? FATE_NEEDLESS :
			FATE_BROKEN;
	d->arrived[d->sent] = false;
	p.mad[0] = 1;
	p.mad[1] = VENDOR_CLASS;
	p.mad[2] = 1;
	p.mad[3] = METHOD_SEND;
	wire_put32(p.mad + 64, d->sent++);
	assert_int_equal(hw_send(d->w.hw, from, 1, &p, d->w.now), 0);
}

static void
count_packets(struct day *d)
{
	struct hw_delivery v;

	while (world_take_delivery(&d->w, &v))
		if (v.packet.mad[1] == VENDOR_CLASS && wire_get32(v.packet.mad + 64) < d->sent)
			d->arrived[wire_get32(v.packet.mad + 64)] = true;
	for (uint32_t i = 0; i < d->sent; i++) {
		d->wrong += d->arrived[i] != (d->fate[i] == FATE_ARRIVES);
		d->broken += d->fate[i] == FATE_BROKEN;
		d->needless += d->fate[i] == FATE_NEEDLESS;
	}
	d->packets += d->sent;
	d->sent = 0;
}

/* ---- after every single Set ---- */

/* The entries that are in force at a node that is on. */
static uint32_t
valid_entries(const struct day *d, uint32_t node)
{
	const struct hw_node *n = &d->w.hw->nodes[node];
	uint32_t valid = n->lft_len <= n->lft_top ? n->lft_len : n->lft_top + 1u;

	if (!n->powered || !n->lft)
		return 0;
	return valid < d->shadow.stride ? valid : d->shadow.stride;
}

static void
take_entry(struct day *d, uint32_t node, uint16_t lid, uint8_t port, bool check)
{
	entry_turns(d, node, lid, false, false);
	d->shadow.port[(size_t)node * d->shadow.stride + lid] = port;
	entry_turns(d, node, lid, true, check);
	d->loops += returns(d, node, lid);
	d->changes++;
}

static void
look_at_tables(struct world *w, void *arg)
{
	struct day *d = arg;
	bool any = false;

	for (uint32_t node = 0; node < w->hw->nnodes; node++) {
		uint32_t valid = is_switch(d, node) ? valid_entries(d, node) : 0;
		const uint8_t *row = w->hw->nodes[node].lft;

		if (!is_switch(d, node) || (valid == d->shadow.stride &&
			memcmp(row, shadow_row(d, node), valid) == 0))
			continue;
		for (uint32_t lid = 1; lid < d->shadow.stride; lid++) {
			uint8_t port = lid < valid ? row[lid] : 255;

			if (shadow_row(d, node)[lid] == port)
				continue;
			take_entry(d, node, (uint16_t)lid, port, true);
			any = true;
		}
	}
	if (any)
		send_packet(d);
}

/* ---- losses and returns ---- */

static bool
is_leaf(const struct day *d, uint32_t node)
{
	return strncmp(d->w.topo.nodes[node].desc, "leaf", 4) == 0;
}

static bool
may_go(const struct day *d, uint32_t node)
{
	uint32_t own = d->w.hw->links[d->w.hw->nodes[d->s->node].first_port + 1].node;

	return node != d->s->node && node != own && d->w.hw->nodes[node].powered;
}

static bool
pick_link(struct day *d, struct away *v)
{
	v->node = false;
	v->a = made_random(&d->seed) % d->w.hw->nnodes;
	if (!is_switch(d, v->a) || !d->w.hw->nodes[v->a].powered)
		return false;
	v->pa = (uint8_t)(1 + made_random(&d->seed) % d->w.hw->nodes[v->a].nports);
	return hw_peer(d->w.hw, v->a, v->pa, &v->b, &v->pb) && is_switch(d, v->b) &&
		d->w.hw->nodes[v->b].powered;
}

static bool
pick_node(struct day *d, struct away *v, unsigned kind)
{
	v->node = true;
	v->a = made_random(&d->seed) % d->w.hw->nnodes;
	if (!may_go(d, v->a))
		return false;
	return kind == 0 ? !is_switch(d, v->a) : kind == 1 ? is_leaf(d, v->a) :
							     is_switch(d, v->a) && !is_leaf(d, v->a);
}

static void
lose(struct day *d)
{
	unsigned kind = made_random(&d->seed) % 8; /* 0, 1: host, leaf; 2, 3: spine; else link */
	struct away v;

	while (!(kind < 4 ? pick_node(d, &v, kind) : pick_link(d, &v)))
		;
	if (v.node)
		assert_int_equal(hw_node_power(d->w.hw, v.a, false, d->w.now), 0);
	else
		assert_int_equal(hw_cable_pull(d->w.hw, v.a, v.pa, d->w.now), 0);
	d->away[d->naway++] = v;
}

static void
bring_back(struct day *d)
{
	unsigned i = made_random(&d->seed) % d->naway;
	struct away v = d->away[i];

	d->away[i] = d->away[--d->naway];
	if (v.node)
		assert_int_equal(hw_node_power(d->w.hw, v.a, true, d->w.now), 0);
	else
		assert_int_equal(
			hw_cable_plug(d->w.hw, v.a, v.pa, v.b, v.pb, d->w.now), 0);
}

/* One or two things go or come back at once, and the manager settles. */
static unsigned
one_event(struct day *d, const struct tables *intended)
{
	unsigned n = made_random(&d->seed) % 4 ? 1 : 2, done = 0;
	bool back = d->naway == AWAY_MAX || (d->naway && made_random(&d->seed) % 2);
	struct table_moves m;
	struct tables now;

	tables_take(&d->w, &d->begun);
	for (; done < n && (back ? d->naway > 0 : d->naway < AWAY_MAX); done++) {
		if (back)
			bring_back(d);
		else
			lose(d);
	}
	rebuild_turns(d);
	for (unsigned i = 0; i < 40; i++)
		send_packet(d);
	for (unsigned i = 0; i < 12; i++) {
		world_run(&d->w, SECOND);
		for (unsigned k = 0; k < 5; k++)
			send_packet(d);
	}
	rebuild_turns(d);
	world_run(&d->w, 1000);
	count_packets(d);
	tables_take(&d->w, &now);
	tables_moves(&d->w, &d->begun, &now, intended, &m);
	if (m.needless || m.lost || (!back && m.back))
		printf("# %s at %.0f s: %llu pairs moved needlessly, %llu back, %llu lost\n",
			back ? "return" : "loss", (double)d->w.now.us / SECOND,
			(unsigned long long)m.needless, (unsigned long long)m.back,
			(unsigned long long)m.lost);
	assert_int_equal(m.needless + m.lost + (back ? 0 : m.back), 0);
	tables_clear(&d->begun);
	tables_clear(&now);
	return done;
}

/* The manager says when it finds no order of writes that is free of cycles. */
static void
hear(void *arg, enum log_level level, const char *room, const char *line)
{
	struct day *d = arg;

	(void)room;
	if (level <= LOG_WARN && strstr(line, "no order of writes is safe"))
		d->warnings++;
}

static void
day_begin(struct day *d, const char *engine, uint32_t seed)
{
	const char *args[] = { "-R", engine, NULL };

	memset(d, 0, sizeof(*d));
	d->seed = seed;
	world_init(&d->w, SPEC, 1);
	d->s = world_manager_start(&d->w, NULL, args);
	assert_true(world_run_sweeps(&d->w, d->s, 1, 20 * SECOND));
	world_run(&d->w, 15 * SECOND);
	assert_true(world_is_right(&d->w));
	d->hosts = xcalloc(d->w.hw->nnodes, sizeof(*d->hosts));
	for (uint32_t i = 0; i < d->w.hw->nnodes; i++) {
		if (!is_switch(d, i))
			d->hosts[d->nhosts++] = i;
		else if (d->w.hw->nodes[i].nports >= d->ports)
			d->ports = d->w.hw->nodes[i].nports + 1u;
	}
	tables_take(&d->w, &d->shadow);
	d->turns = xcalloc((size_t)d->w.hw->nnodes * d->ports * d->ports, sizeof(*d->turns));
	d->seen = xcalloc(d->w.hw->nnodes, d->ports);
	rebuild_turns(d);
	d->w.keep_deliveries = true;
	d->w.log.emit = hear;
	d->w.log.arg = d;
	d->w.look = look_at_tables;
	d->w.look_arg = d;
}

static void
a_day(const char *engine, uint32_t seed)
{
	struct day *d = xcalloc(1, sizeof(*d));
	struct tables intended, end;
	unsigned done = 0;

	day_begin(d, engine, seed);
	tables_take(&d->w, &intended);
	while (done < test_share(EVENTS))
		done += one_event(d, &intended);
	while (d->naway)
		done += one_event(d, &intended);
	world_run(&d->w, 60 * SECOND);
	assert_true(world_is_right(&d->w));
	tables_take(&d->w, &end);
	printf("# %s: %u losses and returns; %llu entries changed, %llu loops, %llu cycles, %u "
	       "warnings; %llu packets, %llu lost on broken paths, %llu on others, %llu not as "
	       "expected\n",
		engine, done, (unsigned long long)d->changes, (unsigned long long)d->loops,
		(unsigned long long)d->cycles, d->warnings, (unsigned long long)d->packets,
		(unsigned long long)d->broken, (unsigned long long)d->needless,
		(unsigned long long)d->wrong);
	assert_int_equal(d->loops, 0);
	assert_int_equal(d->cycles, 0);
	assert_int_equal(d->warnings, 0);
	assert_int_equal(d->needless + d->wrong, 0);
	assert_true(d->changes > test_share(10000) && d->packets > test_share(5000) && d->broken > 0);
	assert_int_equal(end.stride, intended.stride);
	assert_memory_equal(end.port, intended.port, (size_t)end.nnodes * end.stride);
	tables_clear(&intended);
	tables_clear(&end);
	tables_clear(&d->shadow);
	free(d->turns);
	free(d->seen);
	free(d->hosts);
	world_clear(&d->w);
	free(d);
}

static void
ftree_day(void **state)
{
	(void)state;
	a_day("ftree", 12);
}

/* On this day entries would have to drop that paths between hosts cross: their LIDs are written a
 * drain time after all others. */
static void
postponed_day(void **state)
{
	(void)state;
	a_day("ftree", 14);
}

/* On this one, two switches come back that have a link between them. */
static void
neighbours_day(void **state)
{
	(void)state;
	a_day("ftree", 18);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ftree_day),
		cmocka_unit_test(postponed_day),
		cmocka_unit_test(neighbours_day),
	};

	return cmocka_run_group_tests_name("day", tests, NULL, NULL);
}
