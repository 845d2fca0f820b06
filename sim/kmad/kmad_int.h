/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * kmad_int.h - internal declarations shared by the files of this room.
 * Room: sim/kmad (private to it).  Pure.
 *
 * A port has agents, registered by open files; files queue the messages for their readers.  A send
 * that expects a response is one struct kmad_send, found by TID when the response arrives (recv.c)
 * and by time when it does not (wheel.c).  The upper half of a TID is a slot and a generation, so a
 * response that comes after its agent was closed is not delivered to another agent.  Longer
 * messages are transfers of libmad/rmpp (transfer.c).  kmad.h has the public functions.
 */
#ifndef HEDDLE_SIM_KMAD_KMAD_INT_H
#define HEDDLE_SIM_KMAD_KMAD_INT_H

#include "libmad/attr/sm_attr.h"
#include "libmad/mad/dgram.h"
#include "libmad/rmpp/rmpp.h"
#include "sim/kmad/kmad.h"

#define KMAD_CLASS_MAX 0x50             /* classes from here on, except 0x81, have no slot */
#define KMAD_VERSION_MAX 0x83
#define KMAD_OUIS 8                     /* of one vendor class and version */

/* A send that waits for its answer; in the table by TID, in its agent's list, in the wheel. */
struct kmad_send {
	struct kmad_send *hash_next;
	struct kmad_send *prev, *next;          /* of the agent */
	struct kmad_send *slot_prev, *slot_next;        /* of the wheel */
	struct kmad_agent *agent;
	uint64_t tid;
	/* when it is resent or expires; 0: not in the wheel */
	int64_t at_us;
	uint32_t retries_left;
	/* the transfer, not this record, carries the bytes */
	bool rmpp;
	struct kmad_head head;                  /* as written */
	uint8_t mad[MESSAGE_MAD_BYTES];
};

struct kmad_agent {
	struct kmad_file *file;
	struct kmad_agent *next;                /* of the port */
	struct kmad_send *sends;
	struct rmpp *rmpp;                      /* when the kernel does RMPP for it */
	uint64_t sending_bytes;                 /* not acknowledged, as last counted */
	struct kmad_agent *rmpp_prev, *rmpp_next;       /* agents with one */
	struct kmad_reg reg;
	uint32_t id;                            /* in its file */
	uint32_t hi;                            /* upper half of its TIDs */
};

struct kmad_port {
	struct kmad_port *next;                 /* of the node */
	struct kmad_agent *agents;
	uint32_t node, files;
	uint8_t num;
	bool issm;
};

struct kmad_file {
	struct kmad_port *port;
	void *cookie;
	struct kmad_agent *agents[MESSAGE_AGENTS];
	struct kmad_message *first, **last;
	uint32_t queued, nsends;
	uint64_t queued_bytes;                  /* of messages longer than a MAD */
	struct kmad_file *ready_next;
	bool ready;                             /* in the ready list */
};

#define WHEEL_SLOTS 4096                /* of a millisecond */
#define WHEEL_SLOT_US 1000

struct kmad_wheel {
	struct kmad_send *slots[WHEEL_SLOTS];
	uint64_t used[WHEEL_SLOTS / 64];
	int64_t turned_us;                      /* all sends due up to this time have expired */
	uint32_t count;
};

/* An upper half of TIDs: slot and generation, so that an answer to a closed agent is not delivered
 * to another. */
struct kmad_slot {
	struct kmad_agent *agent;
	uint8_t generation;
};
#define KMAD_SLOTS_MAX 0x10000u

struct kmad {
	struct hw *hw;
	struct kmad_port **ports;               /* by node */
	uint32_t nnodes;
	struct kmad_slot *slots;
	uint32_t nslots, slot_hint;
	struct kmad_send **table;               /* by TID, chained */
	uint32_t table_bits, nsends;
	struct kmad_send *spare_sends;
	uint64_t queued_bytes, sending_bytes;   /* of all files, of all agents */
	struct kmad_message *spare_messages;
	uint32_t nspare_messages;
	struct kmad_agent *rmpp_agents;
	struct kmad_file *ready_first, **ready_last;
	struct kmad_wheel wheel;
	struct kmad_stats stats;
};

/* ---- messages.c ---- */
/* True if 'mad' answers a request: R bit, TrapRepress, BM with the response modifier. */
bool kmad_is_response(const uint8_t *mad);
struct kmad_port *kmad_port_find(struct kmad *k, uint32_t node, uint8_t port);
/*
 * Queues a message of 'bytes' bytes for the agent's reader.  Copies the first 256 bytes from
 * 'data'; 'more' is NULL or the whole message, which the queue then owns.  Drops and counts a
 * message beyond the limits of the queues.
 */
void kmad_queue(struct kmad *k, struct kmad_agent *a, const struct kmad_head *head,
	const uint8_t *data,
	uint32_t bytes, uint8_t *more);

/* ---- send.c ---- */
/* Fills everything of 'p' except the MAD, for a send from the port.  False: no such P_Key. */
bool kmad_address(struct kmad *k, const struct kmad_port *port, const struct message_addr *to,
	uint8_t mgmt_class,
	struct hw_packet *p);
/* Returns the send of the agent that the response 'mad' from 'from' answers; NULL: none. */
struct kmad_send *kmad_send_find(struct kmad *k, struct kmad_agent *a, const uint8_t *mad,
	const struct message_addr *from);
/* Enters a send into the table and its agent's list; 'mad' has 256 bytes. */
struct kmad_send *kmad_send_new(struct kmad *k, struct kmad_agent *a, const struct kmad_head *head,
	const uint8_t *mad,
	uint64_t tid);
void kmad_send_free(struct kmad *k, struct kmad_send *s);
/* Starts the response timer. */
void kmad_send_arm(struct kmad *k, struct kmad_send *s, struct monotime now);
/* Queues the header of 's' for the program with status ETIMEDOUT, and frees 's'. */
void kmad_send_expire(struct kmad *k, struct kmad_send *s);
void kmad_send_timers(struct kmad *k, struct monotime now);

/* ---- wheel.c ---- */
void wheel_add(struct kmad_wheel *w, struct kmad_send *s, int64_t at_us);
void wheel_remove(struct kmad_wheel *w, struct kmad_send *s);
/* Removes and returns a send that has expired by 'now'; NULL: none. */
struct kmad_send *wheel_expired(struct kmad_wheel *w, struct monotime now);
bool wheel_deadline(const struct kmad_wheel *w, struct monotime *at);

/* ---- recv.c ---- */
void kmad_route(struct kmad *k, uint32_t node, uint8_t port, struct hw_packet *p,
	struct monotime now);
/* Handles a whole response to an agent, a single MAD or a reassembled message; frees or keeps
 * 'more'. */
void kmad_response(struct kmad *k, struct kmad_agent *a, const struct message_addr *from,
	const uint8_t *mad,
	uint32_t bytes, uint8_t *more, bool unmatched_too);

/* ---- transfer.c: RMPP ---- */
int kmad_transfer_start(struct kmad *k, struct kmad_agent *a, const struct kmad_head *head,
	const uint8_t *mad,
	uint32_t bytes, struct monotime now);
/* Gives up the transfer of 's'. */
void kmad_transfer_cancel(struct kmad *k, const struct kmad_send *s);
/* True: 'mad' belonged to RMPP and needs nothing more. */
bool kmad_transfer_receive(struct kmad *k, struct kmad_agent *a, const struct message_addr *from,
	const uint8_t *mad,
	struct monotime now);
void kmad_transfer_timers(struct kmad *k, struct monotime now);
bool kmad_transfer_deadline(const struct kmad *k, struct monotime *at);

#endif
