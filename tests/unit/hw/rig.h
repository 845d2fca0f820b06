/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rig.h - a small fabric on the bench, and hands that send MADs into it.
 *
 *	A.1 --- 1 S1 2 --- 3 S2 4 --- 1 B       S1.3 --- 1 S2      S1.4, S2.5: free
 *	                     S2 2 --- 2 B
 */
#ifndef HEDDLE_TESTS_UNIT_HW_RIG_H
#define HEDDLE_TESTS_UNIT_HW_RIG_H

#include "libmad/attr/sm_attr.h"
#include "libmad/mad/dgram.h"
#include "sim/hw/hw.h"

enum { A, S1, S2, B, RIG_NODES };
#define GUID_A UINT64_C(0xa0)
#define GUID_S1 UINT64_C(0x51)
#define GUID_S2 UINT64_C(0x52)
#define GUID_B UINT64_C(0xb0)

struct rig {
	struct topo topo;
	struct topo_node nodes[RIG_NODES];
	struct topo_port ports[32];
	struct hw *h;
	struct monotime now;
	struct hw_packet p;             /* what was sent, and what came back */
	uint64_t mkey;                  /* shown with every SMP */
	int sent;                       /* what hw_send_take returned */
};

static inline void
rig_cable(struct rig *r, uint32_t a, uint8_t pa, uint32_t b, uint8_t pb)
{
	struct topo_port *x = topo_port(&r->topo, a, pa), *y = topo_port(&r->topo, b, pb);

	*x = (struct topo_port){ .guid = x->guid, .peer_node = b, .peer_port = pb, .width = 2, .speed = 4, .speed_ext = 4 };
	*y = (struct topo_port){ .guid = y->guid, .peer_node = a, .peer_port = pa, .width = 2, .speed = 4, .speed_ext = 4 };
}

static inline void
rig_node(struct rig *r, uint32_t i, uint8_t type, uint8_t nports, uint64_t guid, const char *id, const char *desc)
{
	r->nodes[i] = (struct topo_node){ .id = id, .desc = desc, .guid = guid, .sys_guid = guid,
		.first_port = r->topo.nports, .type = type, .nports = nports };
	for (unsigned k = 0; k <= nports; k++) {
		struct topo_port *p = &r->ports[r->topo.nports + k];

		p->peer_node = TOPO_NONE;
		if (type == TOPO_SWITCH ? !k : k)
			p->guid = guid + k;
	}
	r->topo.nports += nports + 1u;
	r->topo.nnodes++;
}

static inline void
rig_make(struct rig *r, const struct hw_conf *c)
{
	memset(r, 0, sizeof(*r));
	r->topo.nodes = r->nodes;
	r->topo.ports = r->ports;
	rig_node(r, A, TOPO_CA, 1, GUID_A, "H-a0", "host a");
	rig_node(r, S1, TOPO_SWITCH, 4, GUID_S1, "S-51", "leaf");
	rig_node(r, S2, TOPO_SWITCH, 5, GUID_S2, "S-52", "leaf");
	rig_node(r, B, TOPO_CA, 2, GUID_B, "H-b0", "host b");
	rig_cable(r, A, 1, S1, 1);
	rig_cable(r, S1, 2, S2, 3);
	rig_cable(r, S1, 3, S2, 1);
	rig_cable(r, S2, 4, B, 1);
	rig_cable(r, S2, 2, B, 2);
	r->h = hw_new(&r->topo, c);
}

static inline int
rig_setup(void **state)
{
	struct rig *r = calloc(1, sizeof(*r));

	rig_make(r, &(struct hw_conf){ .seed = 1 });
	*state = r;
	return 0;
}

static inline int
rig_teardown(void **state)
{
	struct rig *r = *state;

	hw_free(r->h);
	free(r);
	return 0;
}

static inline void
rig_wait(struct rig *r, int64_t us)
{
	r->now = monotime_add_us(r->now, us);
	hw_tick(r->h, r->now);
}

/* Sends r->p from (node, port); true: its answer is in r->p. */
static inline bool
rig_send(struct rig *r, uint32_t node, uint8_t port)
{
	r->sent = hw_send_take(r->h, node, port, &r->p, r->now);
	return r->sent == 1;
}

/* A directed route SMP from port 1 of A (or port 0 of a switch 'node'); 'path' "1.2.4" are the ports to leave by. */
static inline void
rig_dr_make(struct rig *r, uint8_t method, uint16_t attr, uint32_t mod, const char *path, const uint8_t *data)
{
	uint8_t hops[64] = { 0 }, n = 0;
	struct dgram_smp s = { .method = method, .attr_id = attr, .modifier = mod, .tid = 77, .mkey = r->mkey, .data = data };

	for (const char *c = path; *c; c++)
		if (*c != '.')
			hops[++n] = (uint8_t)(*c - '0');
	s.hop_count = n;
	s.path = hops;
	memset(&r->p, 0, sizeof(r->p));
	dgram_smp_make(r->p.mad, &s);
	r->p.slid = r->p.dlid = LID_PERMISSIVE;
}

static inline bool
rig_dr(struct rig *r, uint8_t method, uint16_t attr, uint32_t mod, const char *path, const uint8_t *data)
{
	rig_dr_make(r, method, attr, mod, path, data);
	return rig_send(r, A, 1);
}

static inline bool
rig_get(struct rig *r, uint16_t attr, uint32_t mod, const char *path)
{
	return rig_dr(r, METHOD_GET, attr, mod, path, NULL);
}

static inline uint8_t *
rig_data(struct rig *r)
{
	return dgram_smp_data(r->p.mad);
}

static inline unsigned
rig_status(struct rig *r)
{
	return dgram_status(r->p.mad);
}

/* PortInfo at the end of 'path', ready to be changed and written back: states 0, valid LIDs. */
static inline struct port_info
rig_port_info(struct rig *r, uint32_t port, const char *path)
{
	struct port_info pi = { 0 };

	if (!rig_get(r, PORT_INFO_ID, port, path))
		return pi;
	return port_info_decode(rig_data(r));
}

/* Read, modify, write: returns the status, or -1 without an answer. */
static inline int
rig_set_port(struct rig *r, uint32_t port, const char *path, struct port_info pi)
{
	uint8_t w[64] = { 0 };

	port_info_encode(w, &pi);
	return rig_dr(r, METHOD_SET, PORT_INFO_ID, port, path, w) ? (int)rig_status(r) : -1;
}

/* What is written when nothing is meant to change. */
static inline struct port_info
rig_no_change(struct rig *r, uint32_t port, const char *path)
{
	struct port_info pi = rig_port_info(r, port, path);

	pi.state = pi.phys_state = 0;
	if (!pi.lid)
		pi.lid = 99;
	if (!pi.master_sm_lid)
		pi.master_sm_lid = 1;
	return pi;
}

/* An LFT of S1 or S2: entries for LIDs 1..n. */
static inline void
rig_lft(struct rig *r, const char *path, const uint8_t *ports, unsigned n)
{
	uint8_t w[64] = { 0 };
	struct switch_info si;

	rig_get(r, SWITCH_INFO_ID, 0, path);
	si = switch_info_decode(rig_data(r));
	si.lft_top = (uint16_t)n;
	switch_info_encode(w, &si);
	rig_dr(r, METHOD_SET, SWITCH_INFO_ID, 0, path, w);
	memset(w, 255, sizeof(w));
	memcpy(w + 1, ports, n);
	rig_dr(r, METHOD_SET, LFT_BLOCK_ID, 0, path, w);
}

static inline void
rig_lid_set(struct rig *r, uint32_t port, const char *path, uint16_t lid, uint8_t lmc)
{
	struct port_info pi = rig_no_change(r, port, path);

	pi.lid = lid;
	pi.lmc = lmc;
	rig_set_port(r, port, path, pi);
}

static inline void
rig_states(struct rig *r, uint8_t state)
{
	static const struct { uint8_t port; const char *path; } ports[] = {
		{ 1, "" }, { 1, "1" }, { 2, "1" }, { 3, "1" }, { 1, "12" }, { 2, "12" }, { 3, "12" }, { 4, "12" },
		{ 1, "124" }, { 2, "122" },
	};

	for (unsigned i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
		struct port_info pi = rig_no_change(r, ports[i].port, ports[i].path);

		pi.state = state;
		rig_set_port(r, ports[i].port, ports[i].path, pi);
	}
}

/* A whole subnet: LIDs A 1, S1 2, S2 3, B.1 4 and 5 (LMC 1), B.2 6; A is the manager; all ACTIVE. */
static inline void
rig_bring_up(struct rig *r)
{
	rig_lid_set(r, 0, "1", 2, 0);
	rig_lid_set(r, 0, "12", 3, 0);
	rig_lid_set(r, 0, "", 1, 0);
	rig_lid_set(r, 0, "124", 4, 1);
	rig_lid_set(r, 0, "122", 6, 0);
	rig_lft(r, "1", (const uint8_t[]){ 1, 0, 2, 2, 3, 2 }, 6);
	rig_lft(r, "12", (const uint8_t[]){ 3, 3, 0, 4, 4, 2 }, 6);
	rig_states(r, 3);
	rig_states(r, 4);
}

/* A MAD by LID: an SMP of class 1 (qp 0) or a GMP with that class. */
static inline void
rig_lid_make(struct rig *r, uint8_t mgmt_class, uint8_t method, uint16_t attr, uint32_t mod, uint16_t slid,
	uint16_t dlid)
{
	struct dgram_smp s = { .method = method, .attr_id = attr, .modifier = mod, .tid = 78, .mkey = r->mkey };

	memset(&r->p, 0, sizeof(r->p));
	dgram_smp_make(r->p.mad, &s);
	r->p.mad[1] = mgmt_class;
	r->p.slid = slid;
	r->p.dlid = dlid;
	if (mgmt_class != CLASS_SM_LID && mgmt_class != CLASS_SM_DR) {
		r->p.src_qp = r->p.dst_qp = 1;
		r->p.qkey = QKEY_GSI;
		r->p.pkey = 0xffff;
	}
}

static inline bool
rig_by_lid(struct rig *r, uint8_t mgmt_class, uint8_t method, uint16_t attr, uint32_t mod, uint16_t dlid)
{
	rig_lid_make(r, mgmt_class, method, attr, mod, 1, dlid);
	return rig_send(r, A, 1);
}

/* The next delivery must be one to (node, port). */
static inline bool
rig_delivered(struct rig *r, uint32_t node, uint8_t port, struct hw_packet *p)
{
	struct hw_delivery d;

	if (!hw_next_delivery(r->h, &d) || d.node != node || d.port != port)
		return false;
	if (p)
		*p = d.packet;
	return true;
}

static inline bool
rig_quiet(struct rig *r)
{
	struct hw_delivery d;

	return !hw_next_delivery(r->h, &d);
}

#define RIG_TEST(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)

#endif
