/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * types.h - common types of the simulated hardware: configuration, packets, faults, traffic,
 * statistics.
 * Room: sim/phys.  Pure.
 *
 * These are the types of the interface sim/hw/hw.h that the lower rooms need as well.  The hardware
 * itself, private to these rooms, is in phys.h.
 */
#ifndef HEDDLE_SIM_PHYS_TYPES_H
#define HEDDLE_SIM_PHYS_TYPES_H

#include <stdbool.h>
#include <stdint.h>
#include "fabric/topo/topo.h"
#include "util/monotime.h"

struct hw;

/*
 * How an agent handles bit 31 of PortInfo's modifier ("the manager supports extended speeds").
 * AUTO: a switch that supports NDR or faster acts as HIDDEN, every other node as SHOWN.
 */
#define HW_EXTENDED_SPEEDS(M) \
	M(AUTO, "auto") \
	M(SHOWN, "shown")       /* extended speeds are in every answer */ \
	M(HIDDEN, "hidden")     /* without the bit they are 0 in an answer and ignored in a Set */ \
	M(REFUSED, "refused")   /* in every answer; a modifier with the bit names no port */
enum hw_extended_speeds {
#define HW_EXTENDED_ENUM(name, word) HW_EXTENDED_##name,
	HW_EXTENDED_SPEEDS(HW_EXTENDED_ENUM)
};

struct hw_conf {
	uint64_t seed;
	int64_t latency_us;             /* of one end-to-end direction of a MAD; 0: at once */
	unsigned vl_cap;                /* PortInfo codes; 0: 4 (VL0-7) */
	unsigned mtu_cap;               /* 0: 5 (4096) */
	unsigned lft_cap, mft_cap;      /* 0: 49152, 1024 */
	/* entries of every P_Key table, a multiple of 32 up to 128; 0: 32 */
	unsigned pkey_cap;
	int64_t start_us;               /* the time at which it is made */
	enum hw_extended_speeds extended_speeds;
	int64_t train_us;               /* from both ends of a cable polling to INIT; 0: 10,000 */
};

/* A packet as the wire carries it: LRH, optional GRH, BTH/DETH and the MAD (always 256 bytes).
 * The sender fills all of it; a QP1 packet without Q_Key 0x80010000 is dropped as a violation at
 * its end. */
struct hw_packet {
	uint16_t slid, dlid;
	uint16_t pkey;                  /* QP1 only */
	uint8_t sl, hop_limit, traffic_class;
	bool grh;
	uint32_t src_qp, dst_qp;        /* 0: QP0 on VL15; 1: QP1 */
	uint32_t qkey, flow_label;
	uint8_t sgid[16], dgid[16];
	uint8_t mad[256];
};

struct hw_delivery {
	uint32_t node;
	uint8_t port;                   /* a switch's client sits on port 0 */
	struct hw_packet packet;
};

/* Faults on the SMPs and GMPs that reach or leave a node (or all: TOPO_NONE). Probabilities in
 * parts per million. */
struct hw_faults {
	uint32_t drop_ppm, dup_ppm, reorder_ppm, corrupt_ppm, delay_ppm;
	int64_t delay_us;               /* added to those that delay_ppm picks */
};

/* One SMA that misbehaves: for replies to 'attr_id' (0: every attribute). */
#define HW_MISBEHAVIOURS(M) \
	M(NONE, "none") M(MUTE, "mute") M(WRONG_MODIFIER, "wrong-modifier") M(WRONG_ATTRIBUTE, "wrong-attribute") \
	M(WRONG_STATUS, "wrong-status") M(WRONG_METHOD, "wrong-method") M(WRONG_TID, "wrong-tid") \
	M(RANDOM_BYTES, "random-bytes") M(ZERO_PAYLOAD, "zero-payload") M(BIG_COUNTS, "big-counts") \
	M(DUPLICATE_GUID, "duplicate-guid") M(LATE, "late") M(NO_SET, "no-set")
enum hw_misbehaviour {
#define M(name, word) HW_##name,
	HW_MISBEHAVIOURS(M)
#undef M
};
#define M(name, word) +1
enum { HW_MISBEHAVIOUR_COUNT = HW_MISBEHAVIOURS(M) };
#undef M
#define HW_TRAFFIC_KINDS(T) T(UNIFORM, "uniform") T(PERMUTATION, "permutation") T(HOTSPOT, "hotspot")
enum hw_traffic_kind {
#define T(name, word) HW_TRAFFIC_##name,
	HW_TRAFFIC_KINDS(T)
#undef T
};
/* Every cabled port of an adapter or router sends: to all others in turn, each to one other, or all
 * to one.  Packets of 2 KiB payload go by the forwarding tables as they are; a link carries its
 * capacity, and senders are slowed down.  P_Keys and VLs are ignored. */
struct hw_traffic {
	enum hw_traffic_kind kind;
	uint32_t share_ppm;             /* share of its link's capacity that a host wants to send */
	uint64_t rate_mbps;             /* Mbit/s to send instead, if not 0 */
	int64_t lasts_us;               /* 0: until it is stopped */
	uint64_t seed;                  /* of the permutation */
	uint32_t hot_node;              /* the one that all send to */
	uint8_t hot_port, sl;
};

struct hw_stats {
	uint64_t packets, hops;         /* sent, answers and traps included; links crossed */
	uint64_t dropped_fault;         /* an injected loss */
	/* a bad directed route, no entry in a table, an entry that leads nowhere */
	uint64_t dropped_route;
	/* a link not up, not ACTIVE, no VL, a partition that is enforced on the way */
	uint64_t dropped_state;
	/* refused for the M_Key; for P_Key or Q_Key at the end */
	uint64_t dropped_mkey, dropped_key;
	uint64_t dropped_hops;          /* still travelling after 64 switches */
	uint64_t answered, delivered, traps;
};

#endif
