/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The agents of a virtual channel adapter: its subnet management agent, the keys of QP1, and the
 * traps of both.
 *
 * Plain C without kernel calls, locks, clock or memory allocation.  The module calls it with the
 * adapter's lock held; `make check` builds its stand-in for the module from the same file.  Changes
 * that the core's caches or the simulator need are returned in struct sma_news.
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

#define SMA_PKEYS	128	/* maximum; NodeInfo.PartitionCap is the actual number */
#define SMA_GUIDS	8	/* maximum; PortInfo.GUIDCap is the actual number */
#define SMA_TRAPS	4	/* trap numbers: 144, 256, 257, 258 */

/* Offsets in PortInfo. */
enum {
	PI_MKEY = 0, PI_PREFIX = 8, PI_LID = 16, PI_SMLID = 18, PI_CAPS = 20, PI_LEASE = 26, PI_LOCAL_PORT = 28,
	PI_WIDTH_ENABLED = 29, PI_WIDTH_SUPPORTED = 30, PI_WIDTH_ACTIVE = 31, PI_STATE = 32, PI_PHYS = 33, PI_LMC = 34,
	PI_SPEED = 35, PI_MTU_SMSL = 36, PI_VLCAP = 37, PI_HIGH_LIMIT = 38, PI_HIGH_CAP = 39, PI_LOW_CAP = 40, PI_MTUCAP = 41,
	PI_HOQ = 42, PI_VLS = 43, PI_MKEY_VIOL = 44, PI_PKEY_VIOL = 46, PI_QKEY_VIOL = 48, PI_GUIDCAP = 50, PI_REREG = 51,
	PI_ERRORS = 53, PI_CREDIT = 54, PI_EXT2 = 56, PI_LATENCY = 57, PI_CAPS2 = 60, PI_EXT_ACTIVE = 62, PI_EXT_ENABLED = 63,
};

enum { LINK_DOWN = 1, LINK_INIT, LINK_ARMED, LINK_ACTIVE };

/* Events for the InfiniBand core. */
enum sma_event {
	SMA_LID_CHANGE = 1, SMA_SM_CHANGE = 2, SMA_GID_CHANGE = 4, SMA_PKEY_CHANGE = 8, SMA_PORT_ACTIVE = 16, SMA_PORT_ERR = 32,
	SMA_REREGISTER = 64,
};

struct sma_trap {
	uint64_t tid, due_ms;
	uint16_t number;	/* 0: none */
	uint8_t left;		/* number of transmissions left */
	uint8_t notice[64];
};

struct sma_port {
	uint8_t info[64];
	uint64_t guids[SMA_GUIDS];
	uint16_t pkeys[SMA_PKEYS];
	uint8_t slvl[8];
	uint8_t vlarb[4][64];
	uint32_t life;		/* LIFE of the last LINK frame (vca_frame.h) */
	uint64_t lease_ms;	/* when the M_Key's protection ends; 0: never */
	struct sma_trap traps[SMA_TRAPS];
};

struct sma {
	uint8_t node_info[40], desc[64];
	unsigned int nports, npkeys;
	uint16_t tid;
	struct sma_port port[VCA_PORTS];
};

struct sma_news {
	unsigned int events;	/* bits of enum sma_event, for the port */
	bool set;		/* a Set was carried out: attr, modifier, data */
	bool caps;		/* PortInfo changed without a Set: data is PortInfo */
	uint16_t attr;
	uint32_t modifier;
	uint8_t data[64];
};

enum sma_fate { SMA_DROP, SMA_ANSWER, SMA_AGENT };

/* In all functions ports are numbered from 1, and 'now_ms' is the time of a monotonic clock. */

/* Returns false if 'c' is invalid. */
bool sma_init(struct sma *s, const struct vca_create *c);

/*
 * Handles an SMP from LID 'slid' whose destination is 'port'.  Returns SMA_ANSWER with the response
 * in 'mad', SMA_DROP if there is no response, or SMA_AGENT with 'mad' unchanged if the SMP is for
 * an agent of a program.
 */
enum sma_fate sma_smp(struct sma *s, unsigned int port, uint8_t mad[256], uint16_t slid, uint64_t now_ms, struct sma_news *news);

/* Applies a LINK frame: the state of the link, and the registers of the port that depend on it. */
void sma_link(struct sma *s, unsigned int port, uint32_t life, const uint8_t info[64], struct sma_news *news);

/* Sets and clears bits of CapabilityMask, for example IsSM when a subnet manager starts or ends. */
void sma_caps(struct sma *s, unsigned int port, uint32_t set, uint32_t clear, uint64_t now_ms, struct sma_news *news);

/* Sets NodeDescription on behalf of the host, and reports it with trap 144. */
void sma_describe(struct sma *s, const uint8_t desc[64], uint64_t now_ms, struct sma_news *news);

/*
 * Returns whether QP1 accepts the keys of a packet, and stores the index of its P_Key.  Counts a
 * violation and reports it with a trap.
 */
bool sma_keys(struct sma *s, unsigned int port, const uint8_t frame[VCA_FRAME_BYTES], uint64_t now_ms, uint16_t *index);

/*
 * Builds the MAD of the next trap that is due, for PortInfo.MasterSMLID.  Returns false if none is
 * due.
 */
bool sma_trap(struct sma *s, unsigned int port, uint64_t now_ms, uint8_t mad[256]);
/* When the next trap is due or the next lease ends.  Returns false if there is none. */
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
