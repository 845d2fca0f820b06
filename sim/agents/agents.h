/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * agents.h - the agents of the simulated nodes: SMA, PMA, congestion control, vendor class.
 * Room: sim/agents.  Pure.
 *
 * An agent answers a request in place: the packet that came in becomes the packet that leaves.  It
 * works on the registers in sim/phys and knows nothing of how packets travel, of time passing, or
 * of who is attached.
 */
#ifndef HEDDLE_SIM_AGENTS_AGENTS_H
#define HEDDLE_SIM_AGENTS_AGENTS_H

#include "sim/phys/phys.h"

/* What becomes of a packet at its end: it is gone, it has become its answer, or it is for the
 * client attached there. */
enum hw_fate { FATE_GONE, FATE_ANSWER, FATE_CLIENT };

/* ---- sma.c, pma.c ---- */
enum hw_fate sma_receive(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port,
	struct monotime now);
enum hw_fate pma_receive(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port,
	struct monotime now);
/* Turns a request on QP1 into its answer with that status, addressed to the asker. */
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

/* What an SMA works on: the datagram in place, and where it came in.  Handlers return the
 * status. */
struct sma_call {
	struct hw *h;
	struct hw_node *n;
	uint32_t node;
	uint8_t port;                   /* where it came in (0: a switch asked itself) */
	bool set;
	bool show_keys;                 /* the asker may see M_Keys */
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
/* PortInfo as a Get shows it, but for LocalPortNum. */
void sma_port_image(const struct hw *h, uint32_t node, uint8_t port,
	uint8_t w[static PORT_INFO_BYTES]);

/* ---- sma.c ---- */
/* Carries out a Get or Set that passed all checks of the header; the status. */
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
/* The tables as a Get shows them, without one.  -ENOENT. */
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
/* False: the datagram is to be discarded; says in c->show_keys whether a Get shows keys. */
bool mkey_check(struct sma_call *c, const uint8_t *mad);
void mkey_lease_due(struct hw *h, uint32_t node, uint8_t port, struct monotime now);

/* ---- misbehave.c ---- */
/* Whether 'm' is how the agent of 'n' misbehaves about that attribute. */
bool misbehave_applies(const struct hw_node *n, enum hw_misbehaviour m, uint16_t attr_id);
/* Spoils the reply of node's agent; false: nothing leaves now. */
bool misbehave_reply(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port,
	struct monotime now);

#endif
