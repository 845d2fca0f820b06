/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The agents of a virtual channel adapter: its subnet management agent, the keys of QP1, and the traps of both.
 *
 * Plain C on bytes: no kernel call, no lock, no clock, no memory.  The module calls it under the adapter's lock; the device that plays
 * the module in `make check` is built from the same file.  What it must tell others (the core's caches, the simulator) is handed back
 * in struct sma_news.
 */
#ifndef HEDDLE_KMOD_SMA_H
#define HEDDLE_KMOD_SMA_H

#ifdef __KERNEL__
#include <linux/types.h>
#include "vca_frame.h"
#else
#include <stdbool.h>
#include <stdint.h>
#include "sim/serve/vca_frame.h"
#endif

#define SMA_PKEYS	128	/* at most: NodeInfo.PartitionCap says how many there are */
#define SMA_GUIDS	8	/* likewise PortInfo.GUIDCap */
#define SMA_TRAPS	4	/* kinds: 144, 256, 257, 258 */

/* Offsets in PortInfo. */
enum {
	PI_MKEY = 0, PI_PREFIX = 8, PI_LID = 16, PI_SMLID = 18, PI_CAPS = 20, PI_LEASE = 26, PI_LOCAL_PORT = 28,
	PI_WIDTH_ENABLED = 29, PI_WIDTH_SUPPORTED = 30, PI_WIDTH_ACTIVE = 31, PI_STATE = 32, PI_PHYS = 33, PI_LMC = 34,
	PI_SPEED = 35, PI_MTU_SMSL = 36, PI_VLCAP = 37, PI_HIGH_LIMIT = 38, PI_HIGH_CAP = 39, PI_LOW_CAP = 40, PI_MTUCAP = 41,
	PI_HOQ = 42, PI_VLS = 43, PI_MKEY_VIOL = 44, PI_PKEY_VIOL = 46, PI_QKEY_VIOL = 48, PI_GUIDCAP = 50, PI_REREG = 51,
	PI_ERRORS = 53, PI_CREDIT = 54, PI_EXT2 = 56, PI_LATENCY = 57, PI_CAPS2 = 60, PI_EXT_ACTIVE = 62, PI_EXT_ENABLED = 63,
};

enum { LINK_DOWN = 1, LINK_INIT, LINK_ARMED, LINK_ACTIVE };

/* What the rest of the host wants to hear. */
enum sma_event {
	SMA_LID_CHANGE = 1, SMA_SM_CHANGE = 2, SMA_GID_CHANGE = 4, SMA_PKEY_CHANGE = 8, SMA_PORT_ACTIVE = 16, SMA_PORT_ERR = 32,
	SMA_REREGISTER = 64,
};

struct sma_trap {
	uint64_t tid, due_ms;
	uint16_t number;	/* 0: none */
	uint8_t left;		/* so often it is still sent */
	uint8_t notice[64];
};

struct sma_port {
	uint8_t info[64];
	uint64_t guids[SMA_GUIDS];
	uint16_t pkeys[SMA_PKEYS];
	uint8_t slvl[8];
	uint8_t vlarb[4][64];
	uint32_t life;		/* of the link */
	uint64_t lease_ms;	/* the M_Key's protection ends then; 0: it does not */
	struct sma_trap traps[SMA_TRAPS];
};

struct sma {
	uint8_t node_info[40], desc[64];
	unsigned int nports, npkeys;
	uint16_t tid;
	struct sma_port port[VCA_PORTS];
};

struct sma_news {
	unsigned int events;	/* of the port: enum sma_event */
	bool set;		/* a Set was carried out: */
	bool caps;		/* PortInfo changed by itself */
	uint16_t attr;
	uint32_t modifier;
	uint8_t data[64];	/* as they were sent */
};

enum sma_fate { SMA_DROP, SMA_ANSWER, SMA_AGENT };

/* Ports are counted from 1 in all of them; 'now_ms' is any clock that only grows. */

/* False: 'c' makes no sense. */
bool sma_init(struct sma *s, const struct vca_create *c);

/*
 * An SMP that has come to its end at 'port'.  ANSWER: 'mad' has become the answer; DROP: it is used up; AGENT: a program's, it is untouched.
 * 'slid' is who sent it.
 */
enum sma_fate sma_smp(struct sma *s, unsigned int port, uint8_t mad[256], uint16_t slid, uint64_t now_ms, struct sma_news *news);

/* What a LINK frame says. */
void sma_link(struct sma *s, unsigned int port, uint32_t life, const uint8_t info[64], struct sma_news *news);

/* Sets and clears bits of CapabilityMask (a subnet manager comes or goes). */
void sma_caps(struct sma *s, unsigned int port, uint32_t set, uint32_t clear, uint64_t now_ms, struct sma_news *news);

/* A new description, from the host itself. */
void sma_describe(struct sma *s, const uint8_t desc[64], uint64_t now_ms, struct sma_news *news);

/* Whether QP1 takes a packet with these keys, and the index of its P_Key.  Counts and reports if it does not. */
bool sma_keys(struct sma *s, unsigned int port, const uint8_t frame[VCA_FRAME_BYTES], uint64_t now_ms, uint16_t *index);

/* The next trap that is due, as a MAD to PortInfo.MasterSMLID; false: none. */
bool sma_trap(struct sma *s, unsigned int port, uint64_t now_ms, uint8_t mad[256]);
/* When to look for traps and ended leases again; false: never. */
bool sma_deadline(const struct sma *s, uint64_t *at_ms);

static inline uint16_t sma_get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t sma_get32(const uint8_t *p)
{
	return (uint32_t)sma_get16(p) << 16 | sma_get16(p + 2);
}

static inline uint64_t sma_get64(const uint8_t *p)
{
	return (uint64_t)sma_get32(p) << 32 | sma_get32(p + 4);
}

static inline void sma_put16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline void sma_put32(uint8_t *p, uint32_t v)
{
	sma_put16(p, (uint16_t)(v >> 16));
	sma_put16(p + 2, (uint16_t)v);
}

static inline void sma_put64(uint8_t *p, uint64_t v)
{
	sma_put32(p, (uint32_t)(v >> 32));
	sma_put32(p + 4, (uint32_t)v);
}

static inline unsigned int sma_state(const struct sma_port *p)
{
	return p->info[PI_STATE] & 15;
}

#endif
