/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pma.h - the counters of ports: a table of all of them, thresholds, and sweeps.
 * Room: diags/perf.  Attributes: docs/wire.md.
 *
 * A counter (PMA_COUNTERS_LIST) may be in several attributes of different width; which of them a
 * port has, ClassPortInfo says. pma_value() picks the widest that was answered, so tools name the
 * counter and never the attribute. A value knows whether it is supported: what a device does not
 * count is null, never 0.
 *
 * pma_sweep() reads a whole fabric, many nodes at a time: each node's ClassPortInfo once, then its
 * ports. An unresponsive node costs its own time-outs and delays no other. rates.h makes rates of
 * two readings.
 */
#ifndef HEDDLE_DIAGS_PERF_PMA_H
#define HEDDLE_DIAGS_PERF_PMA_H

#include "diags/ask/query.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select.h"
#include "diags/fabric/gmp.h"
#include "libmad/attr/pm_attr.h"
#include "libmad/attr/codes.h"

/* ClassPortInfo.CapabilityMask2: PortCountersExtended has errors too. */
enum { PMA_CAP2_EXT_ERRORS = 0x0002 };

struct pma_caps {
	bool known;                     /* ClassPortInfo was answered */
	uint16_t mask;
	uint32_t mask2;
};

/* ---- the counters ---- */

enum pma_kind {
	PMA_ERROR, PMA_WAIT,            /* events; ticks */
	PMA_DATA, PMA_PACKETS,          /* words of 4 octets; packets */
	PMA_RCV_DETAIL, PMA_XMIT_DETAIL, /* what PortRcvErrors, PortXmitDiscards are made of */
};
/* Kinds that have thresholds. */
#define PMA_IS_ERROR(kind) ((kind) == PMA_ERROR || (kind) == PMA_WAIT)

/* C(name, as it is printed, member of the .def files, kind); in the order in which tools print
 * them. */
#define PMA_COUNTERS_LIST(C) \
	C(SYMBOL_ERROR, "SymbolErrorCounter", symbol_error, PMA_ERROR) \
	C(LINK_ERROR_RECOVERY, "LinkErrorRecoveryCounter", link_error_recovery, PMA_ERROR) \
	C(LINK_DOWNED, "LinkDownedCounter", link_downed, PMA_ERROR) \
	C(RCV_ERRORS, "PortRcvErrors", rcv_errors, PMA_ERROR) \
	C(RCV_REMOTE_PHYSICAL, "PortRcvRemotePhysicalErrors", rcv_remote_physical_errors, \
		PMA_ERROR) \
	C(RCV_SWITCH_RELAY, "PortRcvSwitchRelayErrors", rcv_switch_relay_errors, PMA_ERROR) \
	C(XMIT_DISCARDS, "PortXmitDiscards", xmit_discards, PMA_ERROR) \
	C(XMIT_CONSTRAINT, "PortXmitConstraintErrors", xmit_constraint_errors, PMA_ERROR) \
	C(RCV_CONSTRAINT, "PortRcvConstraintErrors", rcv_constraint_errors, PMA_ERROR) \
	C(LOCAL_LINK_INTEGRITY, "LocalLinkIntegrityErrors", local_link_integrity_errors, \
		PMA_ERROR) \
	C(BUFFER_OVERRUN, "ExcessiveBufferOverrunErrors", excessive_buffer_overrun_errors, \
		PMA_ERROR) \
	C(QP1_DROPPED, "QP1Dropped", qp1_dropped, PMA_ERROR) \
	C(VL15_DROPPED, "VL15Dropped", vl15_dropped, PMA_ERROR) \
	C(XMIT_WAIT, "PortXmitWait", xmit_wait, PMA_WAIT) \
	C(XMIT_DATA, "PortXmitData", xmit_data, PMA_DATA) \
	C(RCV_DATA, "PortRcvData", rcv_data, PMA_DATA) \
	C(XMIT_PKTS, "PortXmitPkts", xmit_pkts, PMA_PACKETS) \
	C(RCV_PKTS, "PortRcvPkts", rcv_pkts, PMA_PACKETS) \
	C(UNICAST_XMIT_PKTS, "PortUnicastXmitPkts", unicast_xmit_pkts, PMA_PACKETS) \
	C(UNICAST_RCV_PKTS, "PortUnicastRcvPkts", unicast_rcv_pkts, PMA_PACKETS) \
	C(MULTICAST_XMIT_PKTS, "PortMulticastXmitPkts", multicast_xmit_pkts, PMA_PACKETS) \
	C(MULTICAST_RCV_PKTS, "PortMulticastRcvPkts", multicast_rcv_pkts, PMA_PACKETS) \
	C(LOCAL_PHYSICAL, "PortLocalPhysicalErrors", local_physical_errors, PMA_RCV_DETAIL) \
	C(MALFORMED_PKT, "PortMalformedPktErrors", malformed_pkt_errors, PMA_RCV_DETAIL) \
	C(BUFFER_OVERRUN_DETAIL, "PortBufferOverrunErrors", buffer_overrun_errors, PMA_RCV_DETAIL) \
	C(DLID_MAPPING, "PortDLIDMappingErrors", dlid_mapping_errors, PMA_RCV_DETAIL) \
	C(VL_MAPPING, "PortVLMappingErrors", vl_mapping_errors, PMA_RCV_DETAIL) \
	C(LOOPING, "PortLoopingErrors", looping_errors, PMA_RCV_DETAIL) \
	C(INACTIVE_DISCARDS, "PortInactiveDiscards", inactive_discards, PMA_XMIT_DETAIL) \
	C(NEIGHBOR_MTU_DISCARDS, "PortNeighborMTUDiscards", neighbor_mtu_discards, \
		PMA_XMIT_DETAIL) \
	C(SW_LIFETIME_DISCARDS, "PortSwLifetimeLimitDiscards", sw_lifetime_discards, \
		PMA_XMIT_DETAIL) \
	C(SW_HOQ_LIFE_DISCARDS, "PortSwHOQLifetimeLimitDiscards", sw_hoq_life_discards, \
		PMA_XMIT_DETAIL)

enum pma_counter {
#define C(name, label, member, kind) PMA_##name,
	PMA_COUNTERS_LIST(C)
#undef C
	PMA_NCOUNTERS
};

const char *pma_counter_name(enum pma_counter c);       /* "SymbolErrorCounter" */
enum pma_kind pma_counter_kind(enum pma_counter c);
/* The counter of that name, in any case; PMA_NCOUNTERS if there is none. */
enum pma_counter pma_counter_find(const char *name);

/* ---- what a port answered ---- */

/* What to ask of a port.  Attributes that a device does not have are not asked, or are simply not
 * in 'got'. */
enum pma_wants {
	PMA_WANT_COUNTERS = 1,          /* PortCounters */
	PMA_WANT_EXT = 2,               /* PortCountersExtended */
	PMA_WANT_RCV_DETAILS = 4,       /* PortRcvErrorDetails */
	PMA_WANT_XMIT_DETAILS = 8,      /* PortXmitDiscardDetails */
	PMA_WANT_EXT_SPEEDS = 16, /* PortExtendedSpeedsCounters; the image is of either form */
	/* the widest errors: of one attribute above, as the device has them */
	PMA_WANT_ERRORS = 32,
	PMA_WANT_DATA = 64,             /* the widest data and packets, likewise */
};

struct pma_port {
	/* index into the snapshot's ports[]; of PM_PORT_ALL the node's first with a LID */
	uint32_t port;
	uint8_t select;                 /* PortSelect: the port's number, or PM_PORT_ALL */
	struct pma_caps caps;
	uint8_t got;                    /* enum pma_wants: whose image came */
	/* DIAG_OK, or how the first request that failed ended (reported already) */
	enum diag_end end;
	uint16_t status;                /* DIAG_STATUS */
	int64_t at_us;                  /* diag_now_us() when its last answer came; 0 none came */
	uint8_t counters[PM_PORT_COUNTERS_BYTES];
	uint8_t ext[PM_PORT_COUNTERS_EXT_BYTES];
	uint8_t rcv_details[PM_RCV_ERROR_DETAILS_BYTES];
	uint8_t xmit_details[PM_XMIT_DISCARD_DETAILS_BYTES];
	uint8_t ext_speeds[PM_EXT_SPEEDS_RSFEC_BYTES];
};

struct pma_value {
	uint64_t value;                 /* 0 when not supported */
	uint8_t width;                  /* bits of the field it was read from; 0: not supported */
	uint16_t attr_id;               /* the attribute it was read from */
	bool supported, saturated;
};

/* The widest reading that came of one counter. */
struct pma_value pma_value(const struct pma_port *p, enum pma_counter c);

/* "ok", "timeout", "mad_status", "bad_reply": the status of a port in a document. */
const char *pma_status_word(const struct pma_port *p);

struct pma_thresholds {
	uint64_t max[PMA_NCOUNTERS];    /* a counter above it is a finding */
	bool set[PMA_NCOUNTERS];        /* a file named it */
	enum pma_counter listed[PMA_NCOUNTERS]; /* those that are set, as the file has them */
	size_t nlisted;
	bool suppressed[PMA_NCOUNTERS]; /* never a finding */
	bool read;                      /* a file was read */
};
#define PMA_THRESHOLDS_FILE "/etc/infiniband-diags/error_thresholds"
/*
 * Reads lines "Counter=value", '#' begins a comment; what is not named stays 0. 'path' NULL: the
 * file above, which may be missing. 0, or the status of a failure that is reported: a named file
 * that cannot be read, no such counter, no number.
 */
int pma_thresholds_read(struct diag *d, const char *path, struct pma_thresholds *t);
/* Whether the value is above its threshold (never for data, packets and details, nor when
 * suppressed). */
bool pma_over(const struct pma_thresholds *t, enum pma_counter c, const struct pma_value *v);

/* {NAME: {value or words and bytes, width, saturated, supported, source_attribute[, threshold,
 * over]}} of all counters but details; 't' NULL: without thresholds.  Owned by the caller. */
json_t *pma_json_counters(const struct pma_port *p, const struct pma_thresholds *t);
/* One counter of it, from a value that was kept. */
json_t *pma_json_value(enum pma_counter c, const struct pma_value *v);
/* The same of the details; null when none were got. */
json_t *pma_json_details(const struct pma_port *p);
/* The reverse of both, as far as images matter: fills images, 'got' and what capabilities they
 * need.  False: no counters. */
bool pma_from_json(const json_t *counters, const json_t *details, struct pma_port *p);
/* {mask, mask2, all_ports, extended, ...}, or null when not known. */
json_t *pma_json_caps(const struct pma_caps *c);

/* ---- the sweep ---- */

struct pma;

/* Remembers from sweep to sweep what devices can.  'f' is borrowed and must outlive it. */
struct pma *pma_new(struct diag *d, const struct diag_fabric *f);
void pma_free(struct pma *p);           /* NULL is fine */

/* The service levels that requests use; gmp_levels_ask() fills them. */
struct gmp_levels *pma_levels(struct pma *p);

/* Of which ports: those 'only' selects (NULL: all) of nodes of 'types' (1 << type; 0: all), if
 * 'wanted' says so too (NULL: yes). */
struct pma_sweep {
	unsigned wants;                 /* enum pma_wants */
	unsigned types;
	const struct selection *only;
	bool (*wanted)(void *arg, const struct fab_port *p);
	/*
	 * Switches that can are asked for PM_PORT_ALL first; the ports of such a node are asked
	 * only when this says so of the sums ('a' has the answer or its failure).  NULL: no sums.
	 */
	bool (*look_closer)(void *arg, const struct pma_port *a);
};
/* A port has been asked all that was wanted; 'p' is only valid during the call.  Sums come too,
 * before the node's ports. */
typedef void pma_taken(struct diag *d, void *arg, const struct pma_port *p);
/*
 * Asks them all at once, many nodes at a time; 'done' is called port by port as answers come, in no
 * order. Ports asked: numbers 1.. (0 too on enhanced switches) that told their PortInfo and have a
 * LID. What fails is reported (exit status 3) and handed to 'done' as well. 0, or a negative errno
 * when the device is gone (reported).
 */
int pma_sweep(struct pma *p, const struct pma_sweep *what, pma_taken *done, void *arg);
/* What the node said it can; 'known' false when it has not been asked, or did not answer. */
struct pma_caps pma_node_caps(const struct pma *p, const struct fab_node *n);
/* Whether it was asked, and did not say it. */
bool pma_node_failed(const struct pma *p, const struct fab_node *n);

/*
 * Reports a failed request to a performance agent: stderr, errors[], exit status 3. 'who' has the
 * address, and GUIDs and name as far as they are known; 'select' the port, -1 when it was about the
 * node.
 */
void pma_report(struct diag *d, const struct diag_where *who, int select, uint16_t attr_id,
	const struct diag_reply *r);

#endif
