/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * hw.h - the simulated hardware: switches, adapters, routers, links, and the packets between them.
 * Room: sim/hw.  Pure: the caller passes 'now' and pulls out deliveries and the next deadline.
 * Equal seeds give equal runs.
 *
 * A management packet enters at the port of a node where a client (the emulated kernel) is
 * attached, travels hop by hop as the specification says (directed route, or by LID through the
 * programmed forwarding tables), is answered by the SMA or PMA of the node it reaches, or is
 * delivered to the client attached there. Without delays and faults a packet and its answer arrive
 * immediately, inside hw_send(); otherwise they wait in a queue.
 */
#ifndef HEDDLE_SIM_HW_HW_H
#define HEDDLE_SIM_HW_HW_H

#include <stdbool.h>
#include <stdint.h>
#include "sim/phys/traffic.h"
#include "sim/phys/types.h"

/* Builds the hardware of 't' (kept by reference: it must outlive the fabric); all cabled ports
 * in INIT, no LIDs. */
struct hw *hw_new(const struct topo *t, const struct hw_conf *c);
void hw_free(struct hw *h);

/* A client of (node, port) sends.  DR SMPs have hop pointer 0, as user code passes them to the
 * kernel.  -EINVAL: the kernel would refuse it (IP[1] not this port, more than 63 hops).  Loopbacks
 * are handled. */
int hw_send(struct hw *h, uint32_t node, uint8_t port, const struct hw_packet *p,
	struct monotime now);
/* The next packet for a client; false: none.  Returns everything that no SMA or PMA answers:
 * responses, traps, SMInfo, SA, CM, vendor GMPs.  If no client is attached, the caller drops it or
 * answers as the kernel would. */
bool hw_next_delivery(struct hw *h, struct hw_delivery *d);
/* hw_send() without copies: works in '*p'.  1: '*p' now is the delivery that came back to this
 * same client at once (in the place of hw_next_delivery()); 0: nothing came back yet, '*p' is
 * used up; -EINVAL as above. Deliveries to others, and traps, still come from
 * hw_next_delivery(). */
int hw_send_take(struct hw *h, uint32_t node, uint8_t port, struct hw_packet *p,
	struct monotime now);
/* Advances time: delayed packets, repeated traps, links that come up, lease timers. */
void hw_tick(struct hw *h, struct monotime now);
bool hw_deadline(const struct hw *h, struct monotime *at);

/* IsSM of a port: set by an open of the issm device (trap 144 follows). */
void hw_set_issm(struct hw *h, uint32_t node, uint8_t port, bool on, struct monotime now);

/* ---- an adapter whose agents and programs are elsewhere: a virtual adapter of this machine's
 * kernel (sim/serve/vca.h) ---- */
/* From now on the fabric only carries the packets of this node.  hw_next_away() returns its SMPs
 * and GMPs, except requests to agents that stay in the hardware (counters, congestion, vendor class
 * A); the answers come back through hw_send().  P_Key and Q_Key checks, traps and M_Keys are up to
 * the node.  -ENOENT; -EINVAL: not a channel adapter. */
int hw_away_set(struct hw *h, uint32_t node);
bool hw_away(const struct hw *h, uint32_t node);
/* The next packet for such a node. */
bool hw_next_away(struct hw *h, struct hw_delivery *d);
/* The node's agent has executed a Set; this applies the same Set to the registers here.  'life' is
 * the agent's count of link changes: if the link has changed since, its state stays.  A link goes
 * down some milliseconds later, so that the answer can leave first. -EINVAL: no such port, or an
 * attribute that no adapter has. */
int hw_away_reported(struct hw *h, uint32_t node, uint8_t port, uint32_t life, uint16_t attr_id,
	uint32_t modifier, const uint8_t data[64],
	struct monotime now);
/* Sets the port's CapabilityMask. */
int hw_away_caps(struct hw *h, uint32_t node, uint8_t port, uint32_t capability_mask);
/* Counts how often a node was switched on, from 1; 0 while it is off. */
uint32_t hw_node_life(const struct hw *h, uint32_t node);
/* Counts the changes (up, down) of a port's link, from 1; 0: no such port. */
uint32_t hw_link_life(const struct hw *h, uint32_t node, uint8_t port);

/* What a kernel knows of its own port without a MAD. */
struct hw_port_view {
	uint8_t info[64];               /* PortInfo image */
	uint8_t node_info[40];
	uint8_t desc[64];
	uint16_t pkeys[128];
	unsigned npkeys;
	uint64_t guid;
};
int hw_port_view(const struct hw *h, uint32_t node, uint8_t port, struct hw_port_view *v);
/* PortInfo of any port, as its node's SMA would show it.  -ENOENT. */
int hw_port_info(const struct hw *h, uint32_t node, uint8_t port, uint8_t info[64]);
/* The SL to VL table from port 'in' (0 of an adapter) to 'port'; a block 1..4 of VL arbitration.
 * As the SMA would show them.  -ENOENT. */
int hw_slvl(const struct hw *h, uint32_t node, uint8_t in, uint8_t port, uint8_t w[8]);
int hw_vlarb(const struct hw *h, uint32_t node, uint8_t port, unsigned block, uint8_t w[64]);
/* What the port is cabled to now; false: nothing. */
bool hw_peer(const struct hw *h, uint32_t node, uint8_t port, uint32_t *peer, uint8_t *peer_port);

/* Raises a trap of the port: 129 link integrity, 130 buffer overrun, 131 flow control watchdog.
 * -ENOENT, -EINVAL. */
int hw_trap_raise(struct hw *h, uint32_t node, uint8_t port, uint16_t number, struct monotime now);

/* ---- actions of an operator or a fault script; 0, -ENOENT (no such node/port),
 * -EEXIST, -EINVAL ---- */
int hw_cable_pull(struct hw *h, uint32_t node, uint8_t port, struct monotime now);
int hw_cable_plug(struct hw *h, uint32_t node_a, uint8_t port_a, uint32_t node_b, uint8_t port_b,
	struct monotime now);
/* the node loses its configuration */
int hw_node_reboot(struct hw *h, uint32_t node, int64_t down_us, struct monotime now);
int hw_node_power(struct hw *h, uint32_t node, bool on, struct monotime now);
/* Adds a node that was not in the file (a new host); connect it with hw_cable_plug(). */
int hw_node_add(struct hw *h, uint8_t type, uint8_t nports, uint64_t guid, const char *desc,
	uint32_t *node);
/* Finds by id of the file, GUID ("0x…") or description.  -ENOENT, or -ENOTUNIQ when a
 * description is ambiguous. */
int hw_node_find(const struct hw *h, const char *name, uint32_t *node);
const struct topo_node *hw_node_topo(const struct hw *h, uint32_t node);
uint32_t hw_nodes(const struct hw *h);

int hw_faults_set(struct hw *h, uint32_t node, const struct hw_faults *f);
/* Changes hw_conf's latency from now on. */
void hw_latency_set(struct hw *h, int64_t latency_us);

/* Sets how the agent of 'node' (TOPO_NONE: of every node) handles bit 31 of PortInfo's modifier.
 * -ENOENT, -EINVAL. */
int hw_extended_speeds_set(struct hw *h, uint32_t node, enum hw_extended_speeds e);
int hw_misbehave(struct hw *h, uint32_t node, enum hw_misbehaviour m, uint16_t attr_id,
	uint64_t arg);

/* ---- counters of ports, as the PMA reports them, without a MAD ---- */
/* Counters are numbers from 0; a name as perfquery prints it (letters of any case; "Port" and
 * "Counter" may be left out), those by SL, VL or lane with their index.  -ENOENT. */
int hw_counter_find(const char *name);
/* Its name; NULL past the last. */
const char *hw_counter_name(unsigned counter, char buf[48]);
/* The total since power-on, regardless of resets.  -ENOENT. */
int hw_counter_get(struct hw *h, uint32_t node, uint8_t port, unsigned counter, struct monotime now,
	uint64_t *value);
/* Injects errors: 'n' at once; or a rate, in thousandths per second, until it is changed.
 * -ENOENT, -EINVAL. */
int hw_error_add(struct hw *h, uint32_t node, uint8_t port, unsigned counter, uint64_t n,
	struct monotime now);
int hw_error_rate(struct hw *h, uint32_t node, uint8_t port, unsigned counter, uint64_t rate,
	struct monotime now);
void hw_error_clear(struct hw *h, struct monotime now);         /* all rates */

const struct hw_stats *hw_stats(const struct hw *h);


/* The state of the whole subnet according to the hardware registers, whichever manager wrote
 * them. */
struct hw_verdict {
	/* powered nodes; 'hosts' counts linked end ports of CAs and routers */
	unsigned nodes, switches, hosts;
	unsigned linked, active, armed, init;   /* ports whose link is up, by state */
	/* end ports without a LID, and with one that another has too */
	unsigned no_lid, duplicate_lids;
	/* walks from every host port to every LID in use; those that do not arrive */
	uint64_t walks, lost;
	/* an example: the host's node index, its port and the LID */
	uint32_t lost_node;
	uint8_t lost_port;
	uint16_t lost_lid;
};
/* Checks states and LIDs and, if 'walk', follows every host's packets through the forwarding
 * tables. */
void hw_check(const struct hw *h, bool walk, struct hw_verdict *v);

#endif
