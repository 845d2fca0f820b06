/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * agents.h - the agents of the simulated nodes: SMA, PMA, congestion control, vendor class.
 * Room: sim/agents.  Pure.
 *
 * An agent answers a request in place: the packet that came in becomes the packet that leaves.  It
 * uses only the registers in sim/phys; packet forwarding, time and attached clients are in sim/hw.
 * A new fault of agents is a case of misbehave.c.
 */
#ifndef HEDDLE_SIM_AGENTS_AGENTS_H
#define HEDDLE_SIM_AGENTS_AGENTS_H

#include "sim/phys/phys.h"

/* The result for a packet at its destination: dropped, turned into its answer, or to be delivered
 * to the client attached there. */
enum hw_fate { FATE_GONE, FATE_ANSWER, FATE_CLIENT };

/* ---- sma.c, pma.c ---- */
enum hw_fate sma_receive(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port,
	struct monotime now);
enum hw_fate pma_receive(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port,
	struct monotime now);
/* Turns a request on QP1 into its answer with that status, addressed to the requester. */
void gmp_answer(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port, uint16_t status);

/* ---- cc.c, vendor.c ---- */
enum hw_fate cc_receive(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port,
	struct monotime now);
enum hw_fate vendor_receive(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port,
	struct monotime now);

/* ---- sample.c ---- */
uint16_t sample_control(struct hw *h, struct hw_port *p, uint8_t *d, bool set, struct monotime now);
void sample_result(const struct hw_port *p, uint8_t *d, bool ext);
void sample_due(struct hw *h, uint32_t port_index, uint32_t phase, struct monotime now);

/* One call of an SMA: the datagram in place, and the port it arrived at.  Handlers return the
 * status. */
struct sma_call {
	struct hw *h;
	struct hw_node *n;
	uint32_t node;
	uint8_t port;                   /* port it arrived at (0: a switch sent it to itself) */
	bool set;
	bool show_keys;                 /* the requester may see M_Keys */
	bool restarts;                  /* a Set restarts its link, once the answer has left */
	const struct hw_packet *packet;
	uint8_t *data;                  /* 64 bytes */
	uint32_t modifier;
	struct monotime now;
};

/* ---- sma_port.c ---- */
uint16_t sma_get_port_info(struct sma_call *c);
uint16_t sma_set_port_info(struct sma_call *c);
void sma_reset_port(struct hw *h, uint32_t node, uint8_t port);         /* power-on values */
void sma_show_issm(struct hw_port *p);
/* PortInfo as a Get returns it, except LocalPortNum. */
void sma_port_image(const struct hw *h, uint32_t node, uint8_t port,
	uint8_t w[static PORT_INFO_BYTES]);

/* ---- sma.c ---- */
/* Executes a Get or Set whose header passed all checks; returns the status. */
uint16_t sma_handle(struct sma_call *c, uint16_t attr_id);
void sma_reset_node(struct hw *h, uint32_t node);
void sma_node_image(const struct hw *h, uint32_t node, uint8_t port,
	uint8_t w[static NODE_INFO_BYTES]);

/* ---- sma_table.c ---- */
uint16_t sma_guid_info(struct sma_call *c);
uint16_t sma_pkey_table(struct sma_call *c);
uint16_t sma_slvl(struct sma_call *c);
uint16_t sma_vlarb(struct sma_call *c);
uint16_t sma_lft(struct sma_call *c);
uint16_t sma_mft(struct sma_call *c);
/* The tables as a Get would return them.  -ENOENT: no such table. */
int sma_slvl_image(const struct hw *h, uint32_t node, uint8_t in, uint8_t port,
	uint8_t w[static SLVL_TABLE_BYTES]);
int sma_vlarb_image(const struct hw *h, uint32_t node, uint8_t port, unsigned block,
	uint8_t w[static VLARB_TABLE_BYTES]);

/* ---- sma_fec.c ---- */
void sma_reset_fec(struct hw_port *p, const struct port_info *pi);
uint16_t sma_port_info_ext(struct sma_call *c);
/* ---- sma_vendor.c ---- */
bool sma_has_vendor_port_info(const struct hw_node *n);
void sma_reset_vendor(struct hw *h, uint32_t node, uint8_t port);
uint16_t sma_vendor_port_info(struct sma_call *c);

/* ---- mkey.c ---- */
/* False: the datagram must be discarded.  Sets c->show_keys: a Get may return keys. */
bool mkey_check(struct sma_call *c, const uint8_t *mad);
void mkey_lease_due(struct hw *h, uint32_t node, uint8_t port, struct monotime now);

/* ---- misbehave.c ---- */
/* True if the agent of 'n' has misbehaviour 'm' for that attribute. */
bool misbehave_applies(const struct hw_node *n, enum hw_misbehaviour m, uint16_t attr_id);
/* Applies the agent's misbehaviour to its reply; false: nothing is sent now. */
bool misbehave_reply(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port,
	struct monotime now);

#endif
