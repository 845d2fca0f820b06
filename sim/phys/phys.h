/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * phys.h - the simulated hardware as dense arrays: nodes, ports, links, counters, and future
 * events.
 * Room: sim/phys.  Pure.  Outside this room, only sim/agents and sim/hw use it.
 *
 * Nodes and ports are numbered; the ports of a node are neighbours in the port arrays (port 0
 * first, as in struct topo).  What a hop needs is one 8-byte struct hw_link per port; what an SMA
 * needs is struct hw_port.  Tables that are rarely written are behind pointers, which are NULL
 * while the tables have their reset values.
 */
#ifndef HEDDLE_SIM_PHYS_PHYS_H
#define HEDDLE_SIM_PHYS_PHYS_H

#include "libmad/attr/sm_attr.h"
#include "libmad/mad/dgram.h"
#include "libmad/wire/wire.h"
#include "sim/phys/types.h"

#define HW_NOWHERE UINT32_MAX
/* a LID-routed packet that has passed this many switches is in a loop */
#define HW_SWITCHES_MAX 64
#define HW_VLARB_BYTES 256              /* four blocks */

/* The far end of a port's link; node HW_NOWHERE while the link is down. */
struct hw_link {
	uint32_t node;                  /* at the other end */
	uint8_t port;                   /* there */
	uint8_t state;                  /* of this end: enum attr_port_state */
};

/* The counters of a port.  First those of PortCountersExtended, in its order, with their names
 * for people; every port that counts has them.  Then the details: single ones, and those by SL,
 * VL or lane, which hang behind a pointer. */
#define HW_COUNTERS(C) \
	C(XMIT_DATA, "PortXmitData") C(RCV_DATA, "PortRcvData") C(XMIT_PKTS, "PortXmitPkts") \
	C(RCV_PKTS, "PortRcvPkts") C(UC_XMIT_PKTS, "PortUnicastXmitPkts") C(UC_RCV_PKTS, "PortUnicastRcvPkts") \
	C(MC_XMIT_PKTS, "PortMulticastXmitPkts") C(MC_RCV_PKTS, "PortMulticastRcvPkts") \
	C(SYMBOL_ERROR, "SymbolErrorCounter") C(LINK_RECOVERY, "LinkErrorRecoveryCounter") \
	C(LINK_DOWNED, "LinkDownedCounter") C(RCV_ERRORS, "PortRcvErrors") \
	C(RCV_REMOTE_PHYS, "PortRcvRemotePhysicalErrors") C(RCV_SWITCH_RELAY, "PortRcvSwitchRelayErrors") \
	C(XMIT_DISCARDS, "PortXmitDiscards") C(XMIT_CONSTRAINT, "PortXmitConstraintErrors") \
	C(RCV_CONSTRAINT, "PortRcvConstraintErrors") C(LOCAL_INTEGRITY, "LocalLinkIntegrityErrors") \
	C(BUFFER_OVERRUN, "ExcessiveBufferOverrunErrors") C(VL15_DROPPED, "VL15Dropped") C(XMIT_WAIT, "PortXmitWait") \
	C(QP1_DROPPED, "QP1Dropped")
#define HW_DETAILS(C) \
	C(LOCAL_PHYS, "PortLocalPhysicalErrors") \
	C(MALFORMED, "PortMalformedPktErrors") C(RCV_OVERRUN, "PortBufferOverrunErrors") C( \
		DLID_MAPPING, "PortDLIDMappingErrors") C(VL_MAPPING, \
		"PortVLMappingErrors") C(LOOPING, "PortLoopingErrors") C(INACTIVE, \
		"PortInactiveDiscards") C(NEIGHBOR_MTU, "PortNeighborMTUDiscards") C(SW_LIFE, \
		"PortSwLifetimeLimitDiscards") C(SW_HOQ, "PortSwHOQLifetimeLimitDiscards") \
		C(OP_RCV_PKTS, "PortOpRcvPkts") C(OP_RCV_DATA, "PortOpRcvData") C( \
			XMIT_FLOW, "PortXmitFlowPkts") C(RCV_FLOW, "PortRcvFlowPkts") \
			C(RCV_FECN, "PortPktRcvFECN") C(RCV_BECN, "PortPktRcvBECN") C(TIME_CONG, \
				"PortXmitTimeCong") C(SYNC_HEADER, "SyncHeaderErrorCounter") \
				C(UNKNOWN_BLOCK, "UnknownBlockCounter") \
					C(FEC_CORRECTABLE, "PortFECCorrectableBlockCtr") C( \
						FEC_UNCORRECTABLE, "PortFECUncorrectableBlockCtr") \
						C(FEC_CORRECTED, "PortFECCorrectedSymbolCtr")
#define HW_ARRAYS(A) \
	A(VL_PKTS, 16, "PortVLOpPackets") A(VL_DATA, 16, "PortVLOpData") \
	A(VL_UPDATE, 16, "PortVLXmitFlowCtlUpdateErrors") A(VL_WAIT, 16, "PortVLXmitWait") \
	A(VL_CONG, 16, "SWPortVLCongestion") A(VL_TIME_CONG, 15, "PortVLXmitTimeCong") \
	A(SL_FECN, 16, "PortSLRcvFECN") A(SL_BECN, 16, "PortSLRcvBECN") A(SL_XMIT, 16, "XmtDataSL") \
	A(SL_RCV, 16, "RcvDataSL") A(LANE_ERRORS, 12, "ErrorDetectionCounterLane") \
	A(LANE_CORRECTABLE, 12, "FECCorrectableBlockCtrLane") A(LANE_UNCORRECTABLE, 12, "FECUncorrectableBlockCtrLane") \
	A(LANE_SYMBOLS, 12, "FECCorrectableSymbolCtrLane")
enum hw_counter {
#define C(name, text) COUNT_##name,
#define A(name, n, text) COUNT_##name, COUNT_##name##_LAST = COUNT_##name + (n) - 1,
	HW_COUNTERS(C)
	HW_DETAILS(C)
	HW_ARRAYS(A)
#undef C
#undef A
	COUNT_N
};
#define COUNT_CORE COUNT_LOCAL_PHYS     /* so many of PortCountersExtended */
#define COUNT_MORE (COUNT_N - COUNT_CORE)

/* Op codes of what is counted: one for PortOpRcvCounters, PortVLOpPackets, PortVLOpData each. */
enum { OP_RCV, OP_VL_PKTS, OP_VL_DATA, OP_N };
#define OP_RC_SEND 0x04
#define OP_UD_SEND 0x64

struct hw_details {
	uint64_t total[COUNT_MORE], base[COUNT_MORE];
	uint8_t op[OP_N];
};
/* Total since power-on; PortCounters and PortCountersExtended are two views of one count, and a
 * Set moves only the base of its view, which shows total - base. */
struct hw_counters {
	uint64_t total[COUNT_CORE];
	uint64_t base[COUNT_CORE], base_ext[COUNT_CORE];
	struct hw_details *more;        /* NULL: all zero */
};

/* Injected errors of a port, at a rate per second. */
struct hw_inject {
	uint64_t rate;                  /* thousandths a second */
	int64_t since_us;
	uint64_t done;                  /* counted since then */
	uint16_t counter;
};

/* One event of a congestion log. */
struct hw_cc_event {
	int64_t at_us;
	uint16_t slid, dlid;
	uint8_t sl;
};
#define HW_CC_LOG 15
#define HW_CC_TABLE_BLOCKS 2
#define HW_TRAFFIC_QP 2                 /* simulated traffic runs between these */

/* Congestion control of an end port, or of a switch (at port 0). */
struct hw_cc {
	/* images: CongestionKeyInfo; Switch- or CACongestionSetting */
	uint8_t key_info[192], setting[192];
	uint8_t table[HW_CC_TABLE_BLOCKS * 128];
	/* SwitchPortCongestionSetting, 4 bytes a port; NULL: zeros */
	uint8_t *ports;
	int64_t lease_until_us;         /* of a violated key; 0: not running */
	uint16_t limit;                 /* CCTI_Limit */
	uint16_t events;
	uint8_t port_map[32];           /* ports that marked: bit n % 8 of byte n / 8 */
	struct hw_cc_event log[HW_CC_LOG];      /* newest first */
	uint8_t nlog;
};

#define HW_VERSION_MAJOR 0
#define HW_VERSION_MINOR 1
#define HW_VERSION_SUB 0

struct hw_port {
	/* the image; for external switch ports, port 0's fields are merged on a Get */
	uint8_t info[PORT_INFO_BYTES];
	uint64_t guid;
	int64_t lease_until_us;         /* M_Key lease; 0: not running */
	uint16_t *pkeys;                /* pkey_cap entries; NULL: as after reset */
	uint8_t *vlarb;                 /* HW_VLARB_BYTES; NULL: as after reset */
	uint64_t *guids;                /* guid_cap entries; NULL: only entry 0, the port GUID */
	struct hw_counters *count;      /* NULL: all zero */
	struct hw_inject *inject;
	struct hw_sample *sample;       /* NULL: never asked to sample */
	struct hw_cc *cc;               /* NULL: as after reset */
	uint16_t ninject;
	uint8_t groups[2];              /* counter groups as configured by a Set */
	uint32_t node;
	uint32_t training;              /* which of its trainings the port waits for; 0 none */
	uint32_t life;                  /* how often its link has changed */
	uint8_t num;
	bool is_sm;                     /* the issm device is open */
	bool led;
	uint8_t fec;                    /* enum attr_fec_mode: in force */
	bool fec_can, fec_hdr, fec_ndr; /* Reed-Solomon: supported; enabled for HDR, for NDR */
	bool fdr10_can, fdr10_on, fdr10;        /* a vendor's speed: supported, enabled, in force */
};

struct hw_trap;

struct hw_node {
	const struct topo_node *topo;
	uint32_t first_port;
	uint8_t type, nports;
	bool powered;
	bool away;                      /* its agents and programs are elsewhere */
	int64_t since_us;               /* on since then */
	uint32_t lives;                 /* how often it was switched on */
	uint8_t desc[NODE_DESC_BYTES];
	/* without PortGUID and LocalPortNum of the port asked */
	uint8_t node_info[NODE_INFO_BYTES];
	uint8_t switch_info[SWITCH_INFO_BYTES];
	uint8_t *lft;                   /* lft_len entries; LIDs from there on: drop */
	uint32_t lft_len;
	uint16_t lft_top;               /* copy of SwitchInfo's */
	uint16_t *mft;                  /* [position][mft_cap]; NULL: zeros */
	/* [in][out][8], (nports + 1) squared; CA: one of 8; NULL: as after reset */
	uint8_t *slvl;
	struct hw_trap *traps;          /* pending ones, newest first */
	uint16_t tid;                   /* of the last trap */
	uint8_t sampled;                /* the port that was sampled last */
	uint8_t extended_speeds;        /* enum hw_extended_speeds */
	uint8_t misbehaviour;
	uint16_t mis_attr;
	uint64_t mis_arg;
	struct hw_faults faults;
};

enum hw_event_kind { EVENT_PACKET, EVENT_ARRIVAL, EVENT_TRAIN, EVENT_TRAP, EVENT_LEASE, EVENT_POWER,
	EVENT_RESET, EVENT_SAMPLE };

struct hw_event {
	int64_t at_us;
	uint64_t seq;                   /* orders events of equal times */
	struct hw_packet *packet;       /* PACKET: leaves (node, port); ARRIVAL: has reached it */
	uint32_t node, arg;
	uint8_t port, kind;
};

/* A queue of deliveries, first in, first out. */
struct hw_ring {
	struct hw_delivery *slots;
	size_t head, n, cap;
};

struct hw {
	struct hw_conf conf;
	const struct topo *topo;        /* the file's; nodes added since are in 'added' */
	struct hw_node *nodes;
	struct hw_port *ports;
	struct hw_link *links;          /* same index as ports */
	/* same index: port at the other end of the cable, or HW_NOWHERE */
	uint32_t *cables;
	uint32_t nnodes, nports, cap_nodes, cap_ports;
	struct hw_event *events;        /* a heap */
	size_t nevents, cap_events;
	uint64_t seq;
	struct hw_ring out, out_away;
	struct hw_faults faults;        /* on everything */
	bool slow;                      /* some faults are set, or a latency */
	uint64_t random;
	uint32_t trainings, trap_ids, samplings;        /* counted on, to tell one from the next */
	struct topo_node **added;       /* nodes that were not in the file */
	uint32_t nadded;
	struct hw_traffic_state *traffic;       /* NULL: none */
	struct hw_stats stats;
};

static inline struct hw_port *
hw_port(const struct hw *h, uint32_t node, uint8_t port)
{
	return &h->ports[h->nodes[node].first_port + port];
}

static inline uint32_t
hw_port_index(const struct hw *h, const struct hw_port *p)
{
	return (uint32_t)(p - h->ports);
}

/* The port whose PortInfo rules a node's management: port 0 of a switch, else the port itself. */
static inline struct hw_port *
hw_agent_port(const struct hw *h, uint32_t node, uint8_t port)
{
	return hw_port(h, node, h->nodes[node].type == TOPO_SWITCH ? 0 : port);
}

/* Fields of a port's PortInfo that are needed without the rest. */
static inline unsigned
hw_state(const struct hw_port *p)
{
	return (unsigned)ATTR_GET(port_info, state, p->info);
}

static inline unsigned
hw_phys(const struct hw_port *p)
{
	return (unsigned)ATTR_GET(port_info, phys_state, p->info);
}

static inline uint16_t
hw_lid(const struct hw_port *p)
{
	return (uint16_t)ATTR_GET(port_info, lid, p->info);
}

static inline uint16_t
hw_sm_lid(const struct hw_port *p)
{
	return (uint16_t)ATTR_GET(port_info, master_sm_lid, p->info);
}

static inline unsigned
hw_lmc(const struct hw_port *p)
{
	return (unsigned)ATTR_GET(port_info, lmc, p->info);
}

static inline uint32_t
hw_capabilities(const struct hw_port *p)
{
	return (uint32_t)ATTR_GET(port_info, capability_mask, p->info);
}

/* How many data VLs a code of VLCap or OperationalVLs means. */
static inline unsigned
hw_vl_count(unsigned code)
{
	return code == 5 ? 15 : 1u << (code ? code - 1 : 0);
}

/* splitmix64: equal seeds give equal runs. */
static inline uint64_t
hw_random(struct hw *h)
{
	uint64_t z = h->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* ---- queue.c ---- */
void queue_add(struct hw *h, const struct hw_event *e);
bool queue_take(struct hw *h, struct monotime now, struct hw_event *e);
void queue_packet(struct hw *h, enum hw_event_kind kind, const struct hw_packet *p, uint32_t node,
	uint8_t port,
	int64_t at_us);
void queue_clear(struct hw *h);

/* ---- pkey.c ---- */
/* The port's table as it stands, pkey_cap entries; returns how many. */
unsigned pkey_copy(const struct hw *h, uint32_t node, uint8_t port, uint16_t *out);
/* The port's own key that matches 'pkey' (the best one), or 0. */
uint16_t pkey_match(const struct hw *h, uint32_t node, uint8_t port, uint16_t pkey);
uint16_t *pkey_writable(struct hw *h, uint32_t node, uint8_t port);        /* for writing */

/* ---- count.c ---- */
/* A detail also counts in the counter that it is a detail of. */
void count_add(struct hw_port *p, unsigned counter, uint64_t n);
/* One packet that was received: what is counted by op code. */
void count_op(struct hw_port *p, uint8_t op, unsigned vl, uint64_t packets, uint64_t words);
/* Data of one SL, besides PortXmitData or PortRcvData. */
void count_sl(struct hw_port *p, bool out, unsigned sl, uint64_t words);
/* count_get() returns the value of a view without its limit; count_write() makes the view show
 * 'value'. */
uint64_t count_get(const struct hw_port *p, unsigned counter, bool ext);
void count_write(struct hw_port *p, unsigned counter, bool ext, uint64_t value);
struct hw_details *count_details(struct hw_port *p);            /* made if they are not there */
void count_forget(struct hw_port *p);                           /* as after power-on */
/* All of a counter since power-on, whatever was reset. */
uint64_t count_total(const struct hw_counters *k, unsigned counter);

/* ---- congestion.c ---- */
/* made if it is not there */
struct hw_cc *congestion_of(struct hw_port *p);
void congestion_forget(struct hw_port *p);

/* ---- trap.c ---- */
void trap_link_change(struct hw *h, uint32_t node, struct monotime now);                /* 128 */
/* 144 */
void trap_local_change(struct hw *h, uint32_t node, uint8_t port, uint16_t flags,
	struct monotime now);
/* 256 */
void trap_bad_mkey(struct hw *h, uint32_t node, uint8_t port, const struct hw_packet *p,
	struct monotime now);
void trap_bad_key(struct hw *h, uint32_t node, uint8_t port, const struct hw_packet *p,
	uint16_t number,
	/* 257, 258 */
	struct monotime now);
void trap_bad_pkey_switch(struct hw *h, uint32_t node, uint8_t port, const struct hw_packet *p,
	struct monotime now);
void trap_repress(struct hw *h, uint32_t node, const uint8_t *mad);
/* Traps 129 to 131: of the port's own. */
void trap_port_error(struct hw *h, uint32_t node, uint8_t port, uint16_t number,
	struct monotime now);
/* A trap is due: fills the packet that leaves (node, *port).  False: it was repressed, or has
 * been sent often enough. */
bool trap_due(struct hw *h, uint32_t node, uint32_t id, struct hw_packet *p, uint8_t *port,
	struct monotime now);
void trap_forget(struct hw *h, uint32_t node);

/* ---- route.c ---- */
/* The VL of an SL between two ports of a node (in 0: from itself); 15 discards. */
unsigned route_vl(const struct hw *h, const struct hw_node *n, unsigned in, unsigned out,
	unsigned sl);
bool route_has_lid(const struct hw *h, uint32_t node, uint8_t port, uint16_t lid);
int route_check_send(const struct hw *h, uint32_t node, uint8_t port, const struct hw_packet *p);
bool route_travel(struct hw *h, struct hw_packet *p, uint32_t *node, uint8_t *port,
	struct monotime now);

/* ---- traffic.c ---- */
/* Reports a change at this time that may affect traffic. */
void traffic_touch(struct hw *h, struct monotime now);
/* Reports a change that takes effect immediately (a link): earlier changes take effect first. */
void traffic_change(struct hw *h, struct monotime now);
/* Makes reported changes take effect. */
void traffic_settle(struct hw *h, struct monotime now);
/* Counts what has passed a port. */
void traffic_count(struct hw *h, struct hw_port *p, struct monotime now);
void traffic_free(struct hw *h);

/* ---- settle.c ---- */
/* Brings the counters to 'now': injected errors, traffic.  Before they are read or written. */
void count_settle(struct hw *h, struct hw_port *p, struct monotime now);

/* ---- links.c ---- */
void link_set_state(struct hw *h, struct hw_port *p, unsigned state, unsigned phys);
/* Trains the link at 'p' if both ends are polling. */
void link_try(struct hw *h, struct hw_port *p, struct monotime now);
/* Takes a link down at both ends (no-op when it is); 'by_set': this end's switch does not report
 * it. */
void link_down(struct hw *h, struct hw_port *p, bool by_set, struct monotime now);
/* For a Set that takes the link down: it goes down soon, after the answer has left; 'phys': the
 * state to fall into, 0 the default. */
void link_reset_later(struct hw *h, struct hw_port *p, unsigned phys, struct monotime now);
void link_reset(struct hw *h, uint32_t port_index, unsigned phys, struct monotime now);
void link_trained(struct hw *h, uint32_t port_index, uint32_t training, struct monotime now);
/* Brings up at once every cable whose ends are polling (when the fabric is made). */
void link_up_all(struct hw *h);

#endif
