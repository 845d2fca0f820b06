/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fake.c - a fabric for tests.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/fabric/fake.h"
#include "util/xalloc.h"

uint64_t
fake_guid(unsigned n)
{
	return UINT64_C(0x00fe1d0000000000) + 0x100u * n;
}

void
fake_take(struct fake *f, struct topo_builder *b, uint32_t sm_node)
{
	memset(f, 0, sizeof(*f));
	assert_int_equal(topo_builder_take(b, &f->t), 0);
	f->sm_node = sm_node;
	f->sm_port = f->t.nodes[sm_node].type == TOPO_SWITCH ? 0 : 1;
}

void
fake_clear(struct fake *f)
{
	topo_clear(&f->t);
}

static uint32_t
add(struct topo_builder *b, enum topo_node_type type, unsigned nports, const char *word)
{
	char name[32];

	snprintf(name, sizeof(name), "%s-%u", word, topo_builder_count(b));
	return topo_builder_node(b, type, (uint8_t)nports, fake_guid(topo_builder_count(b) + 1),
		name);
}

static void
cable(struct topo_builder *b, uint32_t x, unsigned px, uint32_t y, unsigned py)
{
	assert_int_equal(topo_builder_cable(b, x, (uint8_t)px, y, (uint8_t)py), 0);
}

void
fake_fattree(struct fake *f, unsigned k, unsigned levels)
{
	struct topo_builder *b = topo_builder_new();
	unsigned h = k / 2, pods = levels == 3 ? k : 1, leaves = levels == 3 ? h : k;
	uint32_t core = topo_builder_count(b), first_host = 0;

	for (unsigned i = 0; i < (levels == 3 ? h * h : 0); i++)
		add(b, TOPO_SWITCH, k, "core");
	for (unsigned p = 0; p < pods; p++) {
		uint32_t agg = topo_builder_count(b), leaf = agg + h;

		for (unsigned i = 0; i < h; i++)
			add(b, TOPO_SWITCH, k, "agg");
		for (unsigned i = 0; i < leaves; i++)
			add(b, TOPO_SWITCH, k, "leaf");
		for (unsigned i = 0; i < leaves; i++) {
			for (unsigned j = 0; j < h; j++) {
				uint32_t host = add(b, TOPO_CA, 1, "host");

				first_host = first_host ? first_host : host;
				cable(b, leaf + i, j + 1, host, 1);
				cable(b, leaf + i, h + j + 1, agg + j, i + 1);
			}
		}
		for (unsigned j = 0; j < h && levels == 3; j++)
			for (unsigned c = 0; c < h; c++)
				cable(b, agg + j, h + c + 1, core + j * h + c, p + 1);
	}
	fake_take(f, b, first_host);
}

void
fake_torus(struct fake *f, unsigned a, unsigned b_, unsigned c, unsigned hosts)
{
	struct topo_builder *b = topo_builder_new();
	unsigned n = a * b_ * c, size[3] = { a, b_, c }, step[3] = { 1, a, a * b_ };

	for (unsigned i = 0; i < n; i++)
		add(b, TOPO_SWITCH, 36, "sw");
	for (unsigned i = 0; i < n; i++) {
		for (unsigned d = 0; d < 3; d++) {
			unsigned x = i / step[d] % size[d], next = (x + 1) % size[d];

			if (size[d] > 2 || (size[d] == 2 && x == 0))
				cable(b, i, 20 + 2 * d, i + (next - x) * step[d], 21 + 2 * d);
		}
		for (unsigned h = 0; h < hosts; h++)
			cable(b, i, h + 1, add(b, TOPO_CA, 1, "host"), 1);
	}
	fake_take(f, b, n);
}

void
fake_chain(struct fake *f, unsigned switches)
{
	struct topo_builder *b = topo_builder_new();
	uint32_t host = add(b, TOPO_CA, 1, "host");

	for (unsigned i = 0; i < switches; i++) {
		uint32_t sw = add(b, TOPO_SWITCH, 4, "sw");

		cable(b, sw - 1, i ? 2 : 1, sw, 1);
	}
	fake_take(f, b, host);
}

void
fake_unplug(struct fake *f, uint32_t node, uint8_t port)
{
	struct topo_port *p = topo_port(&f->t, node, port), *q = topo_port(&f->t, p->peer_node,
		p->peer_port);

	p->peer_node = q->peer_node = TOPO_NONE;
}

void
fake_plug(struct fake *f, uint32_t a, uint8_t pa, uint32_t b, uint8_t pb)
{
	struct topo_port *p = topo_port(&f->t, a, pa), *q = topo_port(&f->t, b, pb);

	p->peer_node = b;
	p->peer_port = pb;
	q->peer_node = a;
	q->peer_port = pa;
}

/* ---- answers ---- */

/* Follows the route.  False: the packet is lost. */
static bool
walk_route(const struct fake *f, const struct txn_req *r, struct fake_ask *q)
{
	uint32_t at = f->sm_node;
	uint8_t in = f->sm_port;

	assert_true(r->hop_count <= DGRAM_HOPS_MAX);
	assert_int_equal(r->path[0], 0);
	for (unsigned i = 1; i <= r->hop_count; i++) {
		const struct topo_node *n = &f->t.nodes[at];
		uint8_t out = r->path[i];
		const struct topo_port *p;

		if (n->type != TOPO_SWITCH && !(i == 1 && out == f->sm_port))
			return false;
		if (out == 0 || out > n->nports)
			return false;
		p = &f->t.ports[n->first_port + out];
		if (p->peer_node == TOPO_NONE)
			return false;
		at = p->peer_node;
		in = p->peer_port;
	}
	q->node = at;
	q->in_port = in;
	return true;
}

static void
answer_port(const struct fake *f, const struct fake_ask *q, uint8_t *data)
{
	const struct topo_node *n = &f->t.nodes[q->node];
	const struct topo_port *p = &f->t.ports[n->first_port + q->modifier];
	bool port0 = n->type == TOPO_SWITCH && q->modifier == 0, linked = p->peer_node != TOPO_NONE;
	struct port_info i = {
		.lid = p->lid, .lmc = p->lmc, .local_port = q->in_port, .width_supported = 3,
		.width_active = 2, .state = port0 ? 4 : linked ? 2 : 1, .phys_state = port0 ||
			linked ? 5 : 2,
		.speed_active = 4, .speed_ext_active = 4, .mtu_cap = 5, .vl_cap = 4, .guid_cap = 1,
	};

	port_info_encode(data, &i);
}

static void
answer_node(const struct fake *f, const struct fake_ask *q, uint8_t *data)
{
	const struct topo_node *n = &f->t.nodes[q->node];
	struct node_info i = {
		.base_version = 1, .class_version = 1, .node_type = n->type, .num_ports = n->nports,
		.sys_guid = n->guid, .node_guid = n->guid, .partition_cap = 32,
			.local_port = q->in_port,
		.port_guid = f->t.ports[n->first_port + (n->type == TOPO_SWITCH ? 0 : q->in_port)].guid,
		.vendor_id = 0x2c9, .device_id = 1,
	};

	node_info_encode(data, &i);
}

/* The answer's data; false: the modifier is wrong. */
static bool
answer(const struct fake *f, const struct fake_ask *q, uint8_t *data)
{
	const struct topo_node *n = &f->t.nodes[q->node];
	bool of_switch = n->type == TOPO_SWITCH;
	struct switch_info w = { .lft_cap = 49152, .mft_cap = 1024, .lft_top = f->lft_top };

	memset(data, 0, 64);
	switch (q->attr_id) {
	case NODE_INFO_ID:
		answer_node(f, q, data);
		return q->modifier == 0;
	case NODE_DESC_ID:
		memcpy(data, n->desc, strlen(n->desc));
		return q->modifier == 0;
	case SWITCH_INFO_ID:
		switch_info_encode(data, &w);
		return of_switch && q->modifier == 0;
	case PORT_INFO_ID:
		if (q->modifier > n->nports || (!of_switch && q->modifier != q->in_port))
			return false;
		answer_port(f, q, data);
		return true;
	case PKEY_TABLE_ID:
		wire_put16(data, 0xffff);
		wire_put16(data + 2, (uint16_t)(n->guid >> 8));
		return q->modifier == 0;
	case LFT_BLOCK_ID:
		memset(data, (int)(q->modifier + q->node), 64);
		return of_switch && q->modifier <= f->lft_top / 64u;
	}
	return false;
}

/* ---- the driver ---- */

/* Ends the question, unless it is silence and 'may_wait': then false. */
static bool
answer_one(struct fake *f, struct discover *d, const struct txn_req *r, uint64_t number,
	bool may_wait)
{
	struct fake_ask q = { .attr_id = r->attr_id, .modifier = r->modifier, .number = number };
	struct dgram reply = { .bytes = DGRAM_BYTES };
	struct txn_end e = {
		.cookie = r->cookie, .target = r->target, .modifier = r->modifier,
			.attr_id = r->attr_id,
		.mgmt_class = r->mgmt_class, .method = r->method, .kind = TXN_END_TIMED_OUT,
			.tries = 1,
		.mismatched = f->mismatched,
	};

	if (walk_route(f, r, &q)) {
		bool right = answer(f, &q, reply.mad + 64);

		/* nothing may be asked that a good node refuses */
		assert_true(right || f->lenient);
		if (!f->hook || f->hook(f, &q, reply.mad + 64, &e.status)) {
			e.kind = e.status ? TXN_END_STATUS : TXN_END_OK;
			e.reply = &reply;
		}
	}
	if (e.kind == TXN_END_TIMED_OUT && may_wait)
		return false;
	discover_end(d, &e);
	return true;
}

static uint64_t
next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* In order, or at random among the first thousand that wait. */
static size_t
choose(struct fake *f, size_t waiting)
{
	if (!f->seed)
		return 0;
	return next_random(&f->seed) % (waiting < 1000 ? waiting : 1000);
}

/* Requests first in, first out. */
struct waiting {
	struct txn_req *r;
	size_t n, cap, first;
};

static void
wait_put(struct waiting *w, const struct txn_req *r)
{
	if (w->n == w->cap) {
		w->cap = w->cap ? w->cap * 2 : 64;
		w->r = xreallocarray(w->r, w->cap, sizeof(*w->r));
	}
	w->r[w->n++] = *r;
}

static struct txn_req
wait_take(struct waiting *w, size_t at)
{
	struct txn_req r = w->r[w->first + at];

	w->r[w->first + at] = w->r[w->first];
	w->first++;
	return r;
}

static void
ask_all(struct fake *f, struct discover *d, struct waiting *w, const struct waiting *lost)
{
	uint64_t open;
	struct txn_req r;

	while (discover_next(d, &r)) {
		assert_int_equal(r.mgmt_class, CLASS_SM_DR);
		assert_int_equal(r.method, METHOD_GET);
		assert_true(r.attr_id < 64 && r.cookie >> 56 == 0);
		f->asked[r.attr_id]++;
		wait_put(w, &r);
	}
	open = w->n - w->first + lost->n - lost->first;
	f->open_max = open > f->open_max ? open : f->open_max;
}

struct snapshot *
fake_discover(struct fake *f, const struct discover_conf *c)
{
	struct discover *d = discover_new(c, NULL);
	struct waiting wait = { 0 }, lost = { 0 };
	struct snapshot *s = NULL;

	memset(f->asked, 0, sizeof(f->asked));
	f->total = f->open_max = 0;
	for (;;) {
		struct txn_req r;

		ask_all(f, d, &wait, &lost);
		if (wait.n > wait.first) {
			r = wait_take(&wait, choose(f, wait.n - wait.first));
			assert_true(discover_spoiled(d) || !discover_done(d));
			if (!answer_one(f, d, &r, ++f->total, f->patient))
				wait_put(&lost, &r);
		} else if (lost.n > lost.first) {
			struct txn_end e = { .kind = TXN_END_TIMED_OUT };

			discover_hurry(d);
			ask_all(f, d, &wait, &lost);
			r = wait_take(&lost, 0);
			e.cookie = r.cookie;
			e.attr_id = r.attr_id;
			e.modifier = r.modifier;
			discover_end(d, &e);
		} else if (!f->beyond || !discover_beyond(d) || discover_done(d)) {
			break;
		} else {
			f->beyond = false;
		}
	}
	free(wait.r);
	free(lost.r);
	f->spoiled = discover_spoiled(d);
	assert_true(f->spoiled || discover_done(d));
	if (f->spoiled || discover_take(d, &s))
		s = NULL;
	discover_free(d);
	return s;
}

struct discover_conf
fake_conf(void)
{
	return (struct discover_conf){
		.want_desc = true, .want_pkeys = true, .want_lft = true, .want_ports = true,
			.window = 64,
	};
}

uint64_t
fake_minimum(const struct fake *f)
{
	uint64_t switches = 0, hosts = 0, ends = 0, infos = 0;

	for (uint32_t i = 0; i < f->t.nnodes; i++) {
		const struct topo_node *n = &f->t.nodes[i];

		switches += n->type == TOPO_SWITCH;
		hosts += n->type != TOPO_SWITCH;
		infos += n->type == TOPO_SWITCH ? n->nports + 1u : 0;
		for (unsigned p = 1; p <= n->nports; p++)
			ends += f->t.ports[n->first_port + p].peer_node != TOPO_NONE;
	}
	return ends / 2 + 1 + infos + hosts + switches + hosts + switches + switches + hosts;
}
