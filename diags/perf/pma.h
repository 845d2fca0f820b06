/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pma.h - the counters of ports: a table of all counters, thresholds, and reading them from a whole
 * fabric.
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

/* Bit of ClassPortInfo.CapabilityMask2: PortCountersExtended has error counters too. */
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
	PMA_RCV_DETAIL, PMA_XMIT_DETAIL, /* components of PortRcvErrors and of PortXmitDiscards */
};
/* Kinds of counters that have thresholds. */
#define PMA_IS_ERROR(kind) ((kind) == PMA_ERROR || (kind) == PMA_WAIT)

/* C(name, printed name, member of the .def files, kind), in the order in which tools print them. */
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
/* Returns the counter of that name, in any case; PMA_NCOUNTERS if there is none. */
enum pma_counter pma_counter_find(const char *name);

/* ---- the answers of a port ---- */

/* Attributes to be read from a port. Those that a device does not have are not read, or are missing
 * in 'got'. */
enum pma_wants {
	PMA_WANT_COUNTERS = 1,          /* PortCounters */
	PMA_WANT_EXT = 2,               /* PortCountersExtended */
	PMA_WANT_RCV_DETAILS = 4,       /* PortRcvErrorDetails */
	PMA_WANT_XMIT_DETAILS = 8,      /* PortXmitDiscardDetails */
	PMA_WANT_EXT_SPEEDS = 16, /* PortExtendedSpeedsCounters; the image is of either form */
	/* the widest error counters, from whichever attribute above the device has */
	PMA_WANT_ERRORS = 32,
	PMA_WANT_DATA = 64,             /* the widest data and packet counters, likewise */
};

struct pma_port {
	/* index into the snapshot's ports[]; for PM_PORT_ALL the first port of the node with
	 * a LID */
	uint32_t port;
	uint8_t select;                 /* PortSelect: the port number, or PM_PORT_ALL */
	struct pma_caps caps;
	uint8_t got;                    /* bits of enum pma_wants: images that were answered */
	/* DIAG_OK, or the end of the first failed request (already reported) */
	enum diag_end end;
	uint16_t status;                /* DIAG_STATUS */
	int64_t at_us;                  /* diag_now_us() of the last answer; 0: no answer */
	uint8_t counters[PM_PORT_COUNTERS_BYTES];
	uint8_t ext[PM_PORT_COUNTERS_EXT_BYTES];
	uint8_t rcv_details[PM_RCV_ERROR_DETAILS_BYTES];
	uint8_t xmit_details[PM_XMIT_DISCARD_DETAILS_BYTES];
	uint8_t ext_speeds[PM_EXT_SPEEDS_RSFEC_BYTES];
};

struct pma_value {
	uint64_t value;                 /* 0 if not supported */
	uint8_t width;                  /* bits of the field; 0: not supported */
	uint16_t attr_id;               /* attribute of the field */
	bool supported, saturated;
};

/* Returns the value of a counter from the widest field that was answered. */
struct pma_value pma_value(const struct pma_port *p, enum pma_counter c);

/* Returns the status of a port for a document: "ok", "timeout", "mad_status", "bad_reply". */
const char *pma_status_word(const struct pma_port *p);

struct pma_thresholds {
	uint64_t max[PMA_NCOUNTERS];    /* a larger value is a finding */
	bool set[PMA_NCOUNTERS];        /* the file has a threshold */
	/* counters with a threshold, in the order of the file */
	enum pma_counter listed[PMA_NCOUNTERS];
	size_t nlisted;
	bool suppressed[PMA_NCOUNTERS]; /* never a finding */
	bool read;                      /* a file was read */
};
#define PMA_THRESHOLDS_FILE "/etc/infiniband-diags/error_thresholds"
/* Reads lines "Counter=value"; '#' begins a comment, and counters that are not in the file get the
 * threshold 0. 'path' NULL: the file above, which may be missing. Returns 0 or the status of a
 * reported failure: a named file that cannot be read, an unknown counter, an invalid number. */
int pma_thresholds_read(struct diag *d, const char *path, struct pma_thresholds *t);
/* Reports whether the value is above its threshold; never for data, packets and details, and never
 * if suppressed. */
bool pma_over(const struct pma_thresholds *t, enum pma_counter c, const struct pma_value *v);

/* Returns {NAME: {value or words and bytes, width, saturated, supported, source_attribute[,
 * threshold, over]}} of all counters except details; 't' NULL: without thresholds. The caller owns
 * the values that these functions return. */
json_t *pma_json_counters(const struct pma_port *p, const struct pma_thresholds *t);
/* Returns one counter in that form, from a value that the caller has kept. */
json_t *pma_json_value(enum pma_counter c, const struct pma_value *v);
/* Returns the details in that form; null if none were answered. */
json_t *pma_json_details(const struct pma_port *p);
/* Reverses both: fills the images, 'got', and the capabilities that go with them. Returns false if
 * there are no counters. */
bool pma_from_json(const json_t *counters, const json_t *details, struct pma_port *p);
/* Returns {mask, mask2, all_ports, extended, ...}, or null if they are unknown. */
json_t *pma_json_caps(const struct pma_caps *c);

/* ---- reading a fabric ---- */

struct pma;

/* Makes a reader, which keeps the capabilities of the nodes from sweep to sweep. 'f' is borrowed
 * and must outlive it. */
struct pma *pma_new(struct diag *d, const struct diag_fabric *f);
void pma_free(struct pma *p);           /* accepts NULL */

/* Returns the service levels that requests use; gmp_levels_ask() fills them. */
struct gmp_levels *pma_levels(struct pma *p);

/* The ports to be read: those that 'only' selects (NULL: all) of nodes of 'types' (bits 1 << type;
 * 0: all), if 'wanted' returns true for them (NULL: always). */
struct pma_sweep {
	unsigned wants;                 /* enum pma_wants */
	unsigned types;
	const struct selection *only;
	bool (*wanted)(void *arg, const struct fab_port *p);
	/* If not NULL: switches that support PM_PORT_ALL are queried for the sums first, and their
	 * ports only if this returns true for the sums ('a' has the answer or its failure). */
	bool (*look_closer)(void *arg, const struct pma_port *a);
};
/* Called when all requests for a port have ended; 'p' is valid only during the call. Sums are
 * passed too, before the node's ports. */
typedef void pma_taken(struct diag *d, void *arg, const struct pma_port *p);
/*
 * Reads all ports, many nodes at a time, and calls 'done' for each port as the answers arrive, in
 * no order. It reads ports from number 1 (and 0 of enhanced switches) that have PortInfo and a LID.
 * Failures are reported (exit status 3) and passed to 'done' as well. Returns 0 or, if the device
 * failed, a negative errno (reported).
 */
int pma_sweep(struct pma *p, const struct pma_sweep *what, pma_taken *done, void *arg);
/* Returns the capabilities of a node; 'known' is false if it was not queried or did not answer. */
struct pma_caps pma_node_caps(const struct pma *p, const struct fab_node *n);
/* Reports whether the node was queried and did not answer. */
bool pma_node_failed(const struct pma *p, const struct fab_node *n);

/* Reports a failed request to a performance agent: stderr, errors[], exit status 3. 'who' has the
 * address, and GUIDs and name if they are known; 'select' is the port, -1 if the request was about
 * the node. */
void pma_report(struct diag *d, const struct diag_where *who, int select, uint16_t attr_id,
	const struct diag_reply *r);

#endif
