/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_chaos.c - everything at once, by a seed: requests, sweeps, reloads, documents, managers that come and go, nodes that
 * fall silent, cables.  No order of events may hurt; when all is quiet again one manager leads and the fabric is right.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/attr/sa_attr.h"
#include "sim/phys/phys.h"
#include "sm/ha/ha.h"
#include "tests/scenario/world.h"
#include "tests/unit/test.h"
#include "tests/scenario/registers.h"

#define SECOND INT64_C(1000000)
enum { HOSTS = 16, MANAGERS = 3, EVENTS = 150, CABLES = 4 };

static struct world w;
static struct world_manager *sm[MANAGERS];
static uint32_t host[HOSTS];
static uint64_t state;
static uint64_t tid;

static unsigned
dice(unsigned sides)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((state >> 33) % sides);
}

static const char *const confs[][5] = {
	{ NULL }, { "-Q", NULL }, { "-Q", "--set", "use_optimized_slvl=yes", NULL },
	{ "--set", "consolidate_ipv6_snm_req=yes", NULL }, { "-Q", "--set", "max_op_vls=3", NULL },
};
enum { CONFS = sizeof(confs) / sizeof(confs[0]) };
static const char *const hosts_of_managers[MANAGERS] = { "host-0", "host-7", "host-14" };

static void
to_sm(unsigned h, uint8_t *mad)
{
	const struct hw_port *p = hw_port(w.hw, host[h], 1);
	struct hw_packet q = { .pkey = 0xffff, .src_qp = 1, .dst_qp = 1, .qkey = QKEY_GSI, .slid = wire_get16(p->info + PI_LID),
		.dlid = port_info_decode(p->info).master_sm_lid };

	wire_put64(mad + 8, ++tid);
	memcpy(q.mad, mad, sizeof(q.mad));
	(void)hw_send(w.hw, host[h], 1, &q, w.now);
}

static void
ask_group(unsigned h, uint8_t method)
{
	uint8_t mad[256] = { 1, 3, 2, method };
	unsigned n = dice(6);

	wire_put16(mad + 16, MCMEMBER_RECORD_ID);
	wire_put64(mad + 48, 1 | 1 << 1 | 1 << 16 | 1 << 2 | 1 << 6 | 1 << 7 | 1 << 12 | 1 << 13);
	mad[56] = 0xff;
	mad[57] = 0x15;
	mad[71] = (uint8_t)(n + 1);
	wire_put64(mad + 56 + 16, GID_PREFIX_DEFAULT);
	wire_put64(mad + 56 + 24, hw_port(w.hw, host[h], 1)->guid);
	wire_put32(mad + 56 + 32, 0x1234);
	wire_put16(mad + 56 + 40, 0xffff);
	mad[56 + 48] = 1;
	to_sm(h, mad);
}

static void
ask_alias(unsigned h, uint8_t method)
{
	uint8_t mad[256] = { 1, 3, 2, method };
	unsigned entry = 1 + dice(7);

	wire_put16(mad + 16, GUID_INFO_RECORD_ID);
	wire_put64(mad + 48, 3 | UINT64_C(1) << (4 + entry));
	wire_put16(mad + 56, wire_get16(hw_port(w.hw, host[h], 1)->info + PI_LID));
	wire_put64(mad + 56 + 8 + 8 * entry, 0xa000 + dice(40));
	to_sm(h, mad);
}

static void
ask_inform(unsigned h)
{
	uint8_t mad[256] = { 1, 3, 2, METHOD_SET };
	struct inform_info i = { .lid_begin = 0xffff, .is_generic = 1, .subscribe = 1, .type = 0xffff, .trap_number = 0xffff,
		.producer_type = 0xffffff };

	wire_put16(mad + 16, INFORM_INFO_ID);
	inform_info_encode(mad + 56, &i);
	to_sm(h, mad);
}

static void
ask(void)
{
	unsigned h = dice(HOSTS);

	for (unsigned i = 1 + dice(8); i > 0; i--)
		switch (dice(6)) {
		case 0:
			ask_alias(h, METHOD_DELETE);
			break;
		case 1:
		case 2:
			ask_alias(h, METHOD_SET);
			break;
		case 3:
			ask_group(h, METHOD_DELETE);
			break;
		case 4:
			ask_inform(h);
			break;
		default:
			ask_group(h, METHOD_SET);
			break;
		}
}

static char *
write_text(int err, json_t *document, size_t *len)
{
	char *text = json_dumps(document, 0);

	(void)err;
	json_decref(document);
	*len = strlen(text);
	return text;
}

static void
document(struct world_manager *s)
{
	struct document d;
	json_t *reply = NULL;

	if (manager_make_document(s->m, (uint16_t)dice(2), write_text, 1, &reply) != 0)
		json_decref(reply);
	while (manager_take_document(s->m, &d))
		free(d.bytes);
}

static void
set_sm_info(struct world_manager *s)
{
	static const uint32_t modifiers[] = { 1, 3, 4, 5 };     /* handover, disable, standby, discover */

	world_sm_info_set(&w, s, hosts_of_managers[dice(MANAGERS)], modifiers[dice(4)]);
}

static void
start(unsigned i)
{
	const char *args[8] = { "-p", i == 2 ? "3" : "1" };
	const char *const *conf = confs[dice(CONFS)];

	for (unsigned k = 0; conf[k]; k++)
		args[2 + k] = conf[k];
	sm[i] = world_manager_start(&w, hosts_of_managers[i], args);
}

static void
misbehave(void)
{
	static const uint16_t attrs[] = { 0, MFT_BLOCK_ID, GUID_INFO_ID, LFT_BLOCK_ID, PORT_INFO_ID, SLVL_TABLE_ID, VLARB_TABLE_ID };
	uint32_t node = dice(w.hw->nnodes);
	bool manages = false;

	for (unsigned i = 0; i < MANAGERS; i++)
		manages |= node == world_node(&w, hosts_of_managers[i]);
	if (!manages)
		hw_misbehave(w.hw, node, dice(3) ? dice(2) ? HW_MUTE : HW_NO_SET : HW_NONE, attrs[dice(7)], 0);
}

struct cable {
	uint32_t node, peer;
	uint8_t port, peer_port;
};
static struct cable pulled[CABLES];
static unsigned npulled;

static void
plug(void)
{
	struct cable c = pulled[--npulled];

	assert_int_equal(hw_cable_plug(w.hw, c.node, c.port, c.peer, c.peer_port, w.now), 0);
}

static void
pull(void)
{
	uint32_t node = dice(w.hw->nnodes), at, peer;
	uint8_t port;

	if (npulled == CABLES) {
		plug();
		return;
	}
	if (w.hw->nodes[node].type != TOPO_SWITCH)
		return;
	port = (uint8_t)(1 + dice(w.hw->nodes[node].nports));
	at = w.hw->nodes[node].first_port + port;
	peer = w.hw->cables[at];
	if (peer == HW_NOWHERE)
		return;
	pulled[npulled++] = (struct cable){ node, w.hw->ports[peer].node, port, w.hw->ports[peer].num };
	assert_int_equal(hw_cable_pull(w.hw, node, port, w.now), 0);
}

static void
event(void)
{
	unsigned i = dice(MANAGERS);
	struct world_manager *s = sm[i];

	switch (dice(16)) {
	case 0:
		if (s->m && w.nsm < WORLD_MANAGERS_MAX - MANAGERS)
			world_manager_kill(&w, s);
		break;
	case 1:
	case 2:
		if (!s->m)
			start(i);
		break;
	case 3:
		if (s->m)
			world_manager_reload(&w, s, confs[dice(CONFS)]);
		break;
	case 4:
		if (s->m)
			manager_sweep(s->m, "test", w.now);
		break;
	case 5:
	case 6:
		if (s->m)
			document(s);
		break;
	case 7:
		if (s->m)
			set_sm_info(s);
		break;
	case 8:
		misbehave();
		break;
	case 9:
		pull();
		break;
	case 10:
		if (!dice(4))
			w.frozen[s - w.sm] = !w.frozen[s - w.sm];
		break;
	case 11:
		w.job_us = 1 + dice(SECOND / 2);
		break;
	default:
		ask();
		break;
	}
}

/* All that was broken is mended. */
static void
mend(void)
{
	memset(w.frozen, 0, sizeof(w.frozen));
	while (npulled)
		plug();
	for (uint32_t n = 0; n < w.hw->nnodes; n++)
		hw_misbehave(w.hw, n, HW_NONE, 0, 0);
	for (unsigned i = 0; i < MANAGERS; i++)
		if (!sm[i]->m)
			start(i);
}

static void
run_seed(uint64_t seed)
{
	unsigned masters = 0;

	world_init(&w, "fattree:k=4,levels=3", seed);
	state = seed * 0x9e3779b97f4a7c15u;
	npulled = 0;
	w.job_us = 1 + dice(SECOND / 2);
	w.job_late = seed & 1;
	for (unsigned i = 0; i < HOSTS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "host-%u", i);
		host[i] = world_node(&w, name);
	}
	for (unsigned i = 0; i < MANAGERS; i++)
		start(i);
	for (unsigned i = 0; i < EVENTS; i++) {
		event();
		world_run(&w, dice(3) ? dice(50000) : dice(2 * SECOND));
	}
	mend();
	world_run(&w, 120 * SECOND);
	assert_true(world_is_right(&w));
	for (unsigned i = 0; i < MANAGERS; i++) {
		masters += manager_outcome(sm[i]->m) == OUTCOME_UP;
		assert_true(manager_outcome(sm[i]->m) == OUTCOME_UP || manager_outcome(sm[i]->m) == OUTCOME_STANDBY);
	}
	assert_int_equal(masters, 1);
	world_clear(&w);
}

static void
chaos(void **arg)
{
	const char *only = getenv("HEDDLE_TEST_SEED"), *many = getenv("HEDDLE_TEST_SEEDS");
	unsigned n = many ? (unsigned)atoi(many) : 6;

	(void)arg;
	if (only)
		run_seed((uint64_t)atoll(only));
	for (uint64_t seed = 1; !only && seed <= n; seed++)
		run_seed(seed);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(chaos) };

	return cmocka_run_group_tests_name("chaos", tests, NULL, NULL);
}
