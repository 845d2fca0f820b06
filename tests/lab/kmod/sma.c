// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The agents of a virtual channel adapter (sma.h).  docs/wire.md has the rules.  The agent behaves
 * like that of a simulated adapter (docs/simulator.md): the simulator carries out the same Sets on
 * its own registers, and both must arrive at the same values.
 */
#ifdef __KERNEL__
#include <linux/string.h>
#include "sma.h"
#else
#include <string.h>
#include "tests/lab/kmod/sma.h"
#endif

#define CLASS_LID 0x01
#define CLASS_DR 0x81

enum { METHOD_GET = 0x01, METHOD_SET = 0x02, METHOD_TRAP = 0x05, METHOD_REPRESS = 0x07, METHOD_RESP = 0x80, METHOD_GET_RESP = 0x81 };
enum {
	ATTR_NOTICE = 0x02, ATTR_NODE_DESC = 0x10, ATTR_NODE_INFO = 0x11, ATTR_GUID_INFO = 0x14, ATTR_PORT_INFO = 0x15, ATTR_PKEYS = 0x16,
	ATTR_SLVL = 0x17, ATTR_VLARB = 0x18, ATTR_SM_INFO = 0x20,
};
enum { OK = 0, BAD_VERSION = 0x04, BAD_METHOD = 0x08, BAD_ATTR = 0x0c, BAD_VALUE = 0x1c };

#define LID_UCAST_MAX 0xbfff
#define LID_PERMISSIVE 0xffff
#define QKEY_GSI 0x80010000u
#define CAP_REREGISTER (1u << 25)
#define TRAP_TIMES 10

/* The request that is being handled. */
struct call {
	struct sma *s;
	struct sma_port *p;
	unsigned int port;
	uint8_t *mad, *data;
	uint16_t slid;
	bool set, show_mkey;
	uint64_t now_ms;
	struct sma_news *news;
};

static bool lid_ok(unsigned int lid)
{
	return lid >= 1 && lid <= LID_UCAST_MAX;
}

static unsigned int vl_count(unsigned int code)
{
	return code == 5 ? 15 : 1u << (code ? code - 1 : 0);
}

/* ---- initial state ---- */

static void tables_reset(struct sma_port *p)
{
	unsigned int vls = vl_count(p->info[PI_VLS] >> 4 & 7), sl, vl;

	for (sl = 0; sl < 16; sl += 2)
		p->slvl[sl / 2] = (uint8_t)((sl % vls) << 4 | (sl + 1) % vls);
	vls = vl_count(p->info[PI_VLCAP] >> 4 & 7);
	for (vl = 0; vl < vls && vl < p->info[PI_LOW_CAP] && vl < 32; vl++) {
		p->vlarb[0][2 * vl] = (uint8_t)vl;
		p->vlarb[0][2 * vl + 1] = 1;
	}
	p->pkeys[0] = 0xffff;
}

bool sma_init(struct sma *s, const struct vca_create *c)
{
	unsigned int i;

	memset(s, 0, sizeof(*s));
	s->nports = c->nports;
	s->npkeys = sma_get16(c->node_info + 28);
	if (c->version != VCA_VERSION || !c->nports || c->nports > VCA_PORTS || c->node_info[2] != 1 || c->node_info[3] != c->nports ||
	    !sma_get64(c->node_info + 12) || !s->npkeys || s->npkeys > SMA_PKEYS || s->npkeys % 32)
		return false;
	memcpy(s->node_info, c->node_info, sizeof(s->node_info));
	memcpy(s->desc, c->node_desc, sizeof(s->desc));
	for (i = 0; i < c->nports; i++) {
		struct sma_port *p = &s->port[i];
		const uint8_t *info = c->port_info[i];

		if (!c->port_guid[i] || info[PI_GUIDCAP] > SMA_GUIDS || !info[PI_GUIDCAP] || (info[PI_VLCAP] >> 4) > 5 ||
		    (info[PI_VLS] >> 4) > 5 || (info[PI_STATE] & 15) > LINK_INIT || !(info[PI_STATE] & 15))
			return false;
		memcpy(p->info, info, sizeof(p->info));
		p->info[PI_LOCAL_PORT] = (uint8_t)(i + 1);
		p->guids[0] = c->port_guid[i];
		p->life = 1;
		tables_reset(p);
	}
	return true;
}

/* ---- traps ---- */

static uint64_t trap_every_ms(const struct sma_port *p)
{
	uint64_t ms = (4096ull << (p->info[PI_REREG] & 31)) / 1000000;

	return ms ? ms : 1;
}

/*
 * Queues a trap.  There is at most one of each number: a new one replaces it under a new
 * transaction ID, and is sent when the old one was due.
 */
static void trap_post(struct sma *s, struct sma_port *p, uint8_t type, uint16_t number, uint8_t notice[64], uint64_t now_ms)
{
	struct sma_trap *t = NULL;
	unsigned int i;

	if (!sma_get16(p->info + PI_LID) || !sma_get16(p->info + PI_SMLID))
		return;
	for (i = 0; i < SMA_TRAPS; i++)
		if (p->traps[i].number == number)
			t = &p->traps[i];
	for (i = 0; !t && i < SMA_TRAPS; i++)
		if (!p->traps[i].number)
			t = &p->traps[i];
	if (!t)
		return;
	notice[0] = (uint8_t)(0x80 | type);
	notice[3] = 1;				/* producer type: channel adapter */
	sma_put16(notice + 4, number);
	memcpy(notice + 6, p->info + PI_LID, 2);
	if (t->number != number)
		t->due_ms = now_ms;
	t->number = number;
	t->left = TRAP_TIMES;
	if (!++s->tid)
		s->tid = 1;
	t->tid = s->tid;
	memcpy(t->notice, notice, 64);
}

static void trap_local_change(struct sma *s, struct sma_port *p, uint16_t flags, uint64_t now_ms)
{
	uint8_t n[64] = { 0 };

	memcpy(n + 12, p->info + PI_LID, 2);
	n[15] = flags ? 1 : 0;
	memcpy(n + 16, p->info + PI_CAPS, 4);
	sma_put16(n + 20, flags);
	memcpy(n + 22, p->info + PI_CAPS2, 2);
	trap_post(s, p, 4, 144, n, now_ms);
}

static void trap_bad_mkey(const struct call *c)
{
	const uint8_t *m = c->mad;
	uint8_t n[64] = { 0 };
	unsigned int hops = m[7] > 30 ? 30 : m[7];

	sma_put16(n + 12, c->slid);
	if (m[1] == CLASS_DR)
		memcpy(n + 14, m + 32, 2);
	n[16] = m[3];
	memcpy(n + 18, m + 16, 2);
	memcpy(n + 20, m + 20, 4);
	memcpy(n + 24, m + 24, 8);
	if (m[1] == CLASS_DR) {
		n[33] = (uint8_t)(0x80 | (m[7] > hops ? 0x40 : 0) | hops);
		memcpy(n + 34, m + 192 + 1, hops);
	}
	trap_post(c->s, c->p, 2, 256, n, c->now_ms);
}

static void trap_bad_key(struct sma *s, struct sma_port *p, const uint8_t *f, uint16_t number, uint64_t now_ms)
{
	uint8_t n[64] = { 0 };

	memcpy(n + 12, f + VCA_AT_SLID, 2);
	memcpy(n + 14, f + VCA_AT_DLID, 2);
	if (number == 257)
		memcpy(n + 18, f + VCA_AT_PKEY, 2);
	else
		memcpy(n + 16, f + VCA_AT_QKEY, 4);
	n[20] = (uint8_t)(f[VCA_AT_SL] << 4);
	memcpy(n + 21, f + VCA_AT_SRC_QP + 1, 3);
	memcpy(n + 25, f + VCA_AT_DST_QP + 1, 3);
	if (f[VCA_AT_FLAGS] & VCA_FLAG_GRH)
		memcpy(n + 28, f + VCA_AT_GRH + 8, 32);
	trap_post(s, p, 2, number, n, now_ms);
}

bool sma_trap(struct sma *s, unsigned int port, uint64_t now_ms, uint8_t mad[256])
{
	struct sma_port *p = &s->port[port - 1];
	unsigned int i;

	if (p->lease_ms && p->lease_ms <= now_ms) {
		p->lease_ms = 0;
		p->info[PI_LMC] &= 0x3f;	/* M_KeyProtectBits = 0; the M_Key stays */
	}
	for (i = 0; i < SMA_TRAPS; i++) {
		struct sma_trap *t = &p->traps[i];

		if (!t->number || t->due_ms > now_ms)
			continue;
		if (!t->left || !sma_get16(p->info + PI_LID) || !sma_get16(p->info + PI_SMLID)) {
			t->number = 0;
			continue;
		}
		t->left--;
		t->due_ms = now_ms + trap_every_ms(p);
		memset(mad, 0, 256);
		mad[0] = mad[2] = 1;
		mad[1] = CLASS_LID;
		mad[3] = METHOD_TRAP;
		sma_put64(mad + 8, t->tid);
		sma_put16(mad + 16, ATTR_NOTICE);
		memcpy(mad + 64, t->notice, 64);
		return true;
	}
	return false;
}

bool sma_deadline(const struct sma *s, uint64_t *at_ms)
{
	unsigned int i, k;
	bool any = false;

	for (i = 0; i < s->nports; i++) {
		const struct sma_port *p = &s->port[i];

		if (p->lease_ms && (!any || p->lease_ms < *at_ms)) {
			*at_ms = p->lease_ms;
			any = true;
		}
		for (k = 0; k < SMA_TRAPS; k++)
			if (p->traps[k].number && (!any || p->traps[k].due_ms < *at_ms)) {
				*at_ms = p->traps[k].due_ms;
				any = true;
			}
	}
	return any;
}

static enum sma_fate repressed(struct call *c)
{
	unsigned int i;

	if (sma_get16(c->mad + 16) != ATTR_NOTICE)
		return SMA_DROP;
	for (i = 0; i < SMA_TRAPS; i++)
		if (c->p->traps[i].number && c->p->traps[i].tid == sma_get64(c->mad + 8))
			c->p->traps[i].number = 0;
	return SMA_DROP;
}

/* ---- keys ---- */

static void count(uint8_t *at)
{
	if (sma_get16(at) != 0xffff)
		sma_put16(at, (uint16_t)(sma_get16(at) + 1));
}

static bool mkey_ok(struct call *c)
{
	uint8_t *info = c->p->info;
	uint64_t key = sma_get64(info + PI_MKEY);
	unsigned int level = info[PI_LMC] >> 6;

	c->show_mkey = true;
	if (!key)
		return true;
	if (key == sma_get64(c->mad + 24)) {
		c->p->lease_ms = 0;
		return true;
	}
	if (c->mad[3] == METHOD_GET && level < 2) {
		c->show_mkey = !level;
		return true;
	}
	count(info + PI_MKEY_VIOL);
	if (sma_get16(info + PI_LEASE) && !c->p->lease_ms)
		c->p->lease_ms = c->now_ms + sma_get16(info + PI_LEASE) * 1000ull;
	trap_bad_mkey(c);
	return false;
}

static bool pkeys_match(uint16_t a, uint16_t b)
{
	return (a & 0x7fff) && (a & 0x7fff) == (b & 0x7fff) && ((a | b) & 0x8000);
}

bool sma_keys(struct sma *s, unsigned int port, const uint8_t f[VCA_FRAME_BYTES], uint64_t now_ms, uint16_t *index)
{
	struct sma_port *p = &s->port[port - 1];
	uint16_t pkey = sma_get16(f + VCA_AT_PKEY);
	unsigned int i, found = s->npkeys;

	for (i = 0; i < s->npkeys; i++)
		if (pkeys_match(p->pkeys[i], pkey) && (found == s->npkeys || p->pkeys[i] == pkey))
			found = i;
	*index = (uint16_t)found;
	if (found == s->npkeys) {
		count(p->info + PI_PKEY_VIOL);
		trap_bad_key(s, p, f, 257, now_ms);
		return false;
	}
	if (sma_get32(f + VCA_AT_QKEY) != QKEY_GSI) {
		count(p->info + PI_QKEY_VIOL);
		trap_bad_key(s, p, f, 258, now_ms);
		return false;
	}
	return true;
}

/* ---- PortInfo ---- */

/*
 * Each of these functions applies the valid fields of its part of a Set, and returns whether all
 * were valid.
 */
static bool set_agent(struct call *c, uint8_t *pi, const uint8_t *in)
{
	unsigned int lid = sma_get16(in + PI_LID), smlid = sma_get16(in + PI_SMLID), lmc = in[PI_LMC] & 7;
	bool aligned = !(lid & ((1u << lmc) - 1));

	if (memcmp(pi + PI_PREFIX, in + PI_PREFIX, 8))
		c->news->events |= SMA_GID_CHANGE;
	memcpy(pi + PI_MKEY, in + PI_MKEY, 16);		/* and GidPrefix */
	memcpy(pi + PI_LEASE, in + PI_LEASE, 2);
	pi[PI_LMC] = (uint8_t)((in[PI_LMC] & 0xc0) | (pi[PI_LMC] & 0x3f));
	if ((pi[PI_MTU_SMSL] ^ in[PI_MTU_SMSL]) & 15)
		c->news->events |= SMA_SM_CHANGE;
	pi[PI_MTU_SMSL] = (uint8_t)((pi[PI_MTU_SMSL] & 0xf0) | (in[PI_MTU_SMSL] & 15));
	pi[PI_REREG] = in[PI_REREG] & 0x7f;
	if (!sma_get16(in + PI_MKEY_VIOL))
		sma_put16(pi + PI_MKEY_VIOL, 0);
	if (lid_ok(smlid) && memcmp(pi + PI_SMLID, in + PI_SMLID, 2)) {
		c->news->events |= SMA_SM_CHANGE;
		sma_put16(pi + PI_SMLID, (uint16_t)smlid);
	}
	if (lid_ok(lid) && aligned) {
		if (memcmp(pi + PI_LID, in + PI_LID, 2) || ((pi[PI_LMC] ^ lmc) & 7))
			c->news->events |= SMA_LID_CHANGE;
		sma_put16(pi + PI_LID, (uint16_t)lid);
		pi[PI_LMC] = (uint8_t)((pi[PI_LMC] & 0xf8) | lmc);
	}
	return lid_ok(lid) && lid_ok(smlid) && aligned;
}

/*
 * Sets a field of enabled widths or speeds: 0 keeps it, 'all' enables everything supported, other
 * values must be a subset of that.
 */
static bool enabled(unsigned int *field, unsigned int in, unsigned int all, unsigned int supported)
{
	if (in == all)
		*field = supported;
	else if (in & ~supported)
		return false;
	else if (in)
		*field = in;
	return true;
}

static bool set_speeds(uint8_t *pi, const uint8_t *in)
{
	unsigned int width = pi[PI_WIDTH_ENABLED], speed = pi[PI_SPEED] & 15, ext = pi[PI_EXT_ENABLED] & 31, ext2 = pi[PI_EXT2] & 7;
	unsigned int want = in[PI_SPEED] & 15, supported2 = pi[PI_EXT2] >> 3 & 3;
	bool ok = enabled(&width, in[PI_WIDTH_ENABLED], 0xff, pi[PI_WIDTH_SUPPORTED]);

	if (want && want != 15 && !(want & 1))
		ok = false;
	else
		ok &= enabled(&speed, want, 15, pi[PI_STATE] >> 4);
	if ((in[PI_EXT_ENABLED] & 31) == 30)
		ext = 30;
	else
		ok &= enabled(&ext, in[PI_EXT_ENABLED] & 31, 31, pi[PI_EXT_ACTIVE] & 15);
	if (supported2)
		ok &= enabled(&ext2, in[PI_EXT2] & 7, 7, supported2);
	pi[PI_WIDTH_ENABLED] = (uint8_t)width;
	pi[PI_SPEED] = (uint8_t)((pi[PI_SPEED] & 0xf0) | speed);
	pi[PI_EXT_ENABLED] = (uint8_t)((pi[PI_EXT_ENABLED] & 0xe0) | ext);
	pi[PI_EXT2] = (uint8_t)((pi[PI_EXT2] & 0xf8) | ext2);
	return ok;
}

static bool set_link(uint8_t *pi, const uint8_t *in)
{
	unsigned int mtu = in[PI_MTU_SMSL] >> 4, vls = in[PI_VLS] >> 4, rest = in[PI_PHYS] & 15;
	bool ok = set_speeds(pi, in);

	if (mtu >= 1 && mtu <= (pi[PI_MTUCAP] & 15u))
		pi[PI_MTU_SMSL] = (uint8_t)(mtu << 4 | (pi[PI_MTU_SMSL] & 15));
	else
		ok = false;
	if (vls > (unsigned int)pi[PI_VLCAP] >> 4)
		ok = false;
	else if (vls)
		pi[PI_VLS] = (uint8_t)(vls << 4 | (pi[PI_VLS] & 15));
	if (rest > 2)
		ok = false;
	else if (rest)
		pi[PI_PHYS] = (uint8_t)((pi[PI_PHYS] & 0xf0) | rest);
	pi[PI_MTUCAP] = (uint8_t)((in[PI_MTUCAP] & 0xf0) | (pi[PI_MTUCAP] & 15));	/* InitTypeReply */
	pi[PI_HIGH_LIMIT] = in[PI_HIGH_LIMIT];
	pi[PI_HOQ] = in[PI_HOQ];
	pi[PI_ERRORS] = in[PI_ERRORS];
	memcpy(pi + PI_CREDIT, in + PI_CREDIT, 2);
	memcpy(pi + PI_LATENCY, in + PI_LATENCY, 3);
	return ok;
}

/*
 * The simulator owns the link: it receives the Set, takes the link down if the Set requests that,
 * and reports the new state in a LINK frame.  If the link goes down, '*shown' is what the response
 * shows until then: the port state, and the physical state in bits 4-7.
 */
static bool set_state(struct call *c, const uint8_t *in, unsigned int *shown)
{
	unsigned int state = in[PI_STATE] & 15, phys = in[PI_PHYS] >> 4, present = sma_state(c->p);

	if (phys > 3 || (phys && state > LINK_DOWN) || state > LINK_ACTIVE || state == LINK_INIT)
		return false;
	if (state == LINK_ARMED || state == LINK_ACTIVE) {
		if (present != state - 1)
			return false;
		c->p->info[PI_STATE] = (uint8_t)((c->p->info[PI_STATE] & 0xf0) | state);
		if (state == LINK_ACTIVE)
			c->news->events |= SMA_PORT_ACTIVE;
		return true;
	}
	if (state || phys)
		*shown = present > LINK_DOWN && phys != 3 ? LINK_INIT : phys << 4 | LINK_DOWN;
	return true;
}

static uint16_t port_info(struct call *c)
{
	unsigned int port = sma_get32(c->mad + 20) & 0xff;
	uint8_t in[64], *pi = c->p->info;
	bool ok = true, reregister = false;
	unsigned int shown = 0;

	if (!port)
		port = c->port;
	if (port > c->s->nports || (c->set && port != c->port))
		return BAD_VALUE;
	if (c->set) {
		memcpy(in, c->data, 64);
		reregister = (in[PI_REREG] & 0x80) && (sma_get32(pi + PI_CAPS) & CAP_REREGISTER);
		ok = set_agent(c, pi, in);
		ok &= set_link(pi, in);
		if (!sma_get16(in + PI_PKEY_VIOL))
			sma_put16(pi + PI_PKEY_VIOL, 0);
		if (!sma_get16(in + PI_QKEY_VIOL))
			sma_put16(pi + PI_QKEY_VIOL, 0);
		ok &= set_state(c, in, &shown);
		if (reregister)
			c->news->events |= SMA_REREGISTER;
	}
	memcpy(c->data, c->s->port[port - 1].info, 64);
	c->data[PI_LOCAL_PORT] = (uint8_t)c->port;
	if (!c->show_mkey)
		memset(c->data + PI_MKEY, 0, 8);
	if (shown)
		c->data[PI_STATE] = (uint8_t)((c->data[PI_STATE] & 0xf0) | (shown & 15));
	if (shown >> 4)
		c->data[PI_PHYS] = (uint8_t)((c->data[PI_PHYS] & 15) | (shown & 0xf0));
	if (reregister)
		c->data[PI_REREG] |= 0x80;
	return ok ? OK : BAD_VALUE;
}

void sma_link(struct sma *s, unsigned int port, uint32_t life, const uint8_t info[64], struct sma_news *news)
{
	struct sma_port *p = &s->port[port - 1];
	unsigned int was = sma_state(p), state = (info[PI_STATE] & 15) > LINK_DOWN ? LINK_INIT : LINK_DOWN;

	if (life != p->life) {
		p->life = life;
		p->info[PI_STATE] = (uint8_t)((p->info[PI_STATE] & 0xf0) | state);
		if (was == LINK_ACTIVE)
			news->events |= SMA_PORT_ERR;
	}
	p->info[PI_PHYS] = (uint8_t)((info[PI_PHYS] & 0xf0) | (p->info[PI_PHYS] & 15));
	p->info[PI_WIDTH_ACTIVE] = info[PI_WIDTH_ACTIVE];
	p->info[PI_SPEED] = (uint8_t)((info[PI_SPEED] & 0xf0) | (p->info[PI_SPEED] & 15));
	p->info[PI_EXT_ACTIVE] = (uint8_t)((info[PI_EXT_ACTIVE] & 0xf0) | (p->info[PI_EXT_ACTIVE] & 15));
	p->info[PI_EXT2] = (uint8_t)((info[PI_EXT2] & 0x60) | (p->info[PI_EXT2] & 0x9f));
}

void sma_caps(struct sma *s, unsigned int port, uint32_t set, uint32_t clear, uint64_t now_ms, struct sma_news *news)
{
	struct sma_port *p = &s->port[port - 1];
	uint32_t old = sma_get32(p->info + PI_CAPS), caps = (old | set) & ~clear;

	if (caps == old)
		return;
	sma_put32(p->info + PI_CAPS, caps);
	news->caps = true;
	memcpy(news->data, p->info, 64);
	trap_local_change(s, p, 0, now_ms);
}

/* ---- other attributes ---- */

static uint16_t node_info(struct call *c)
{
	memset(c->data, 0, 64);
	memcpy(c->data, c->s->node_info, sizeof(c->s->node_info));
	sma_put64(c->data + 20, c->p->guids[0]);
	c->data[36] = (uint8_t)c->port;
	return OK;
}

static void describe(struct sma *s, const uint8_t desc[64], uint64_t now_ms)
{
	unsigned int i;

	if (!memcmp(s->desc, desc, 64))
		return;
	memcpy(s->desc, desc, 64);
	for (i = 0; i < s->nports; i++)
		trap_local_change(s, &s->port[i], 0x01, now_ms);
}

void sma_describe(struct sma *s, const uint8_t desc[64], uint64_t now_ms, struct sma_news *news)
{
	describe(s, desc, now_ms);
	news->set = true;
	news->attr = ATTR_NODE_DESC;
	memcpy(news->data, desc, 64);
}

static uint16_t node_desc(struct call *c)
{
	if (c->set)
		describe(c->s, c->data, c->now_ms);
	memcpy(c->data, c->s->desc, 64);
	return OK;
}

static uint16_t guid_info(struct call *c)
{
	unsigned int i, cap = c->p->info[PI_GUIDCAP];

	if (sma_get32(c->mad + 20))
		return BAD_VALUE;
	for (i = 0; i < 8; i++) {
		uint64_t guid = i < cap ? c->p->guids[i] : 0;

		if (c->set && i && i < cap) {
			guid = sma_get64(c->data + 8 * i);
			if (guid != c->p->guids[i])
				c->news->events |= SMA_GID_CHANGE;
			c->p->guids[i] = guid;
		}
		sma_put64(c->data + 8 * i, guid);
	}
	return OK;
}

static uint16_t pkey_table(struct call *c)
{
	unsigned int i, first = (sma_get32(c->mad + 20) & 0xffff) * 32;
	uint16_t *t = c->p->pkeys + first;

	if (first >= c->s->npkeys)
		return BAD_VALUE;
	for (i = 0; i < 32; i++) {
		uint16_t key = sma_get16(c->data + 2 * i);

		if (c->set && t[i] != key) {
			t[i] = key;
			c->news->events |= SMA_PKEY_CHANGE;
		}
		sma_put16(c->data + 2 * i, t[i]);
	}
	return OK;
}

static uint16_t slvl_table(struct call *c)
{
	unsigned int vls = vl_count(c->p->info[PI_VLCAP] >> 4), sl;

	if (sma_get32(c->mad + 20) >> 16)
		return BAD_VALUE;
	for (sl = 0; c->set && sl < 16; sl++) {
		unsigned int vl = sl & 1 ? c->data[sl / 2] & 15 : c->data[sl / 2] >> 4;

		if (vl >= vls && vl != 15)
			return BAD_VALUE;
	}
	if (c->set)
		memcpy(c->p->slvl, c->data, 8);
	memset(c->data, 0, 64);
	memcpy(c->data, c->p->slvl, 8);
	return OK;
}

static uint16_t vlarb_table(struct call *c)
{
	unsigned int block = sma_get32(c->mad + 20) >> 16, i, cap, first;
	uint8_t *t;

	if (block < 1 || block > 4)
		return BAD_VALUE;
	first = block & 1 ? 0 : 32;
	cap = block > 2 ? c->p->info[PI_HIGH_CAP] : c->p->info[PI_LOW_CAP];
	if (cap <= first)
		return BAD_VALUE;
	t = c->p->vlarb[block - 1];
	for (i = 0; c->set && i < 32; i++) {
		t[2 * i] = first + i < cap ? c->data[2 * i] & 15 : 0;
		t[2 * i + 1] = first + i < cap ? c->data[2 * i + 1] : 0;
	}
	memcpy(c->data, t, 64);
	return OK;
}

/* ---- requests ---- */

static uint16_t handle(struct call *c)
{
	uint32_t modifier = sma_get32(c->mad + 20);

	switch (sma_get16(c->mad + 16)) {
	case ATTR_NODE_INFO:
		return c->set ? BAD_ATTR : modifier ? BAD_VALUE : node_info(c);
	case ATTR_NODE_DESC:
		return modifier ? BAD_VALUE : node_desc(c);
	case ATTR_PORT_INFO:
		return port_info(c);
	case ATTR_GUID_INFO:
		return guid_info(c);
	case ATTR_PKEYS:
		return pkey_table(c);
	case ATTR_SLVL:
		return slvl_table(c);
	case ATTR_VLARB:
		return vlarb_table(c);
	default:
		return BAD_ATTR;
	}
}

static enum sma_fate answer(struct call *c, uint16_t status)
{
	c->mad[3] = c->mad[3] == METHOD_SET ? METHOD_GET_RESP : (uint8_t)(c->mad[3] | METHOD_RESP);
	sma_put16(c->mad + 4, (uint16_t)(status | (c->mad[1] == CLASS_DR ? 0x8000 : 0)));
	return SMA_ANSWER;
}

enum sma_fate sma_smp(struct sma *s, unsigned int port, uint8_t mad[256], uint16_t slid, uint64_t now_ms, struct sma_news *news)
{
	uint8_t method = mad[3];
	struct call c = {
		.s = s, .p = &s->port[port - 1], .port = port, .mad = mad, .data = mad + 64, .slid = slid, .set = method == METHOD_SET,
		.now_ms = now_ms, .news = news,
	};

	if (mad[0] != 1)
		return SMA_DROP;
	if ((method & METHOD_RESP) || method == METHOD_TRAP || (mad[1] == CLASS_DR && (mad[4] & 0x80) && method != METHOD_REPRESS))
		return SMA_AGENT;
	if (mad[2] != 1)
		return answer(&c, BAD_VERSION);
	if (method != METHOD_GET && method != METHOD_SET && method != METHOD_REPRESS)
		return answer(&c, BAD_METHOD);
	if (!mkey_ok(&c))
		return SMA_DROP;
	if (method == METHOD_REPRESS)
		return repressed(&c);
	if (sma_get16(mad + 16) == ATTR_SM_INFO)
		return SMA_AGENT;
	if (c.set) {
		news->set = true;
		news->attr = sma_get16(mad + 16);
		news->modifier = sma_get32(mad + 20);
		memcpy(news->data, c.data, 64);
	}
	return answer(&c, handle(&c));
}
