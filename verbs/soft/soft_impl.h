/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * soft_impl.h - the calls between the files of this room, by file.
 * Room: verbs/soft, private.  Pure.
 *
 * The structs are in core/core.h.  Calls go down: world.c and turn.c call the protocol
 * (receive.c, requester.c, response.c, responder.c, answer.c, uc.c, ud.c), which calls state.c, the
 * queues (cq.c, srq.c) and port.c, which sends.
 */
#ifndef HEDDLE_VERBS_SOFT_SOFT_IMPL_H
#define HEDDLE_VERBS_SOFT_SOFT_IMPL_H

#include "verbs/soft/core/core.h"
#include "verbs/soft/soft.h"

/* port.c */
void soft_kick(struct soft_qp *q);                      /* it may have something to send */
void soft_unkick(struct soft_qp *q);
void soft_turn_later(struct soft_port *p);              /* its next turn is when the wire is free */
/* Fills the routes of 'p' along 'ah'.  Call it before computing the size of its headers. */
void soft_route(const struct soft_port *from, struct packet *p, const struct ibv_ah_attr *ah,
	uint16_t pkey);
/* Sends a packet.  'w' has room for any packet and holds the payload where packet_build()
 * expects it, unless 'p' points to one. */
void soft_port_send(struct soft_port *from, uint8_t *w, const struct packet *p);

/* migrate.c */
void soft_migrate(struct soft_qp *q);                   /* switches to the alternate path */
bool soft_path_fits(struct soft_qp *q, const struct soft_port *port, const struct packet *p);

/* turn.c */
void soft_port_turn(struct soft_port *p);
void soft_flight_arrive(struct soft_world *w, struct soft_flight *f);

/* receive.c */
void soft_receive(struct soft_port *port, const struct packet *p);

/* cq.c */
void soft_cq_add(struct soft_cq *c, const struct soft_cqe *e, bool solicited);
void soft_cq_forget(struct soft_cq *c, const struct soft_qp *q);
void soft_cq_forget_srq(struct soft_cq *c, const struct soft_srq *s);

/* srq.c */
/* false: there is none */
bool soft_rwqe_take(struct soft_qp *q, struct soft_srq *srq, struct soft_rwqe *e);
void soft_rq_init(struct soft_rq *rq, uint32_t room, uint32_t max_sge);
/* the smallest power of two that holds it */
uint32_t soft_ring(uint32_t room);
int soft_rq_post(struct soft_rq *rq, const struct ibv_recv_wr *wr);
struct soft_srq *soft_srq_find(struct soft_hca *h, uint32_t num);

/* state.c: effects of state transitions */
void soft_qp_set_state(struct soft_qp *q, enum ibv_qp_state to);
void soft_qp_flush(struct soft_qp *q);
void soft_qp_fatal(struct soft_qp *q);
void soft_qp_drop(struct soft_qp *q);                   /* drops all work in progress */
void soft_responder_die(struct soft_qp *q);             /* its last NAK has been sent */
void soft_qp_receive_done(struct soft_qp *q, struct soft_srq *srq, struct ibv_wc *wc,
	bool solicited);

/* qp.c */
struct soft_qp *soft_qp_find(struct soft_hca *h, uint32_t qpn);

/* requester.c: the send queue */
bool soft_requester_turn(struct soft_qp *q);                    /* true: a packet was sent */
/* completes finished requests from the oldest on */
void soft_requester_advance(struct soft_qp *q);
void soft_requester_rewind(struct soft_qp *q, uint32_t psn);
void soft_requester_timer(struct soft_qp *q);
void soft_requester_begin(struct soft_qp *q);           /* RTR to RTS */
void soft_requester_stop(struct soft_qp *q);            /* stops timers; nothing is sent any more */
/* SQD: raises an event when nothing is in flight */
void soft_requester_drain(struct soft_qp *q);
bool soft_requester_is_drained(const struct soft_qp *q);
void soft_requester_reset(struct soft_qp *q);
struct soft_swqe *soft_swqe_at(const struct soft_qp *q, uint32_t index);
void soft_swqe_complete(struct soft_qp *q, enum ibv_wc_status status);  /* the oldest one */

/* True for requests that the device executes itself, without packets. */
static inline bool
soft_swqe_is_local(const struct soft_swqe *e)
{
	return e->opcode == IBV_WR_BIND_MW || e->opcode == IBV_WR_LOCAL_INV;
}

static inline bool
soft_swqe_is_atomic(const struct soft_swqe *e)
{
	return e->opcode == IBV_WR_ATOMIC_CMP_AND_SWP || e->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

/* True for requests with a response that has data: max_rd_atomic limits how many are
 * outstanding. */
static inline bool
soft_swqe_is_rd_atomic(const struct soft_swqe *e)
{
	return e->opcode == IBV_WR_RDMA_READ || soft_swqe_is_atomic(e);
}

/* response.c: responses to the send queue */
void soft_response_receive(struct soft_qp *q, const struct packet *p);
void soft_requester_timeout(struct soft_qp *q);
void soft_requester_resume(struct soft_qp *q);

/* responder.c: requests of the peer */
void soft_request_receive(struct soft_qp *q, const struct packet *p);

/* uc.c, ud.c */
void soft_uc_receive(struct soft_qp *q, const struct packet *p);
void soft_ud_receive(struct soft_qp *q, const struct packet *p);

/* answer.c: packets of the responder */
void soft_answer_ack(struct soft_qp *q, uint32_t psn, uint8_t kind, uint8_t value);
/* 'again': it was executed before. */
void soft_answer_read(struct soft_qp *q, const struct packet *p, bool again);
void soft_answer_atomic(struct soft_qp *q, uint32_t psn, uint64_t original, bool again);
uint32_t soft_answers_owed(const struct soft_qp *q, bool again);        /* reads and atomics */
bool soft_answer_turn(struct soft_qp *q);                       /* true: a packet was sent */

/* The operations of verbs/ops.h in this room. */
int soft_mw_bind(struct verbs_qp *, struct verbs_mw *, struct ibv_mw_bind *);
int soft_chan_create(struct verbs_dev *, struct verbs_chan **);
int soft_chan_destroy(struct verbs_chan *);
int soft_chan_get(struct verbs_chan *, struct verbs_cq **);
int soft_cq_create(struct verbs_dev *, int, struct verbs_chan *, struct verbs_cq **);
int soft_cq_resize(struct verbs_cq *, int);
int soft_cq_destroy(struct verbs_cq *);
int soft_cq_poll(struct verbs_cq *, int, struct ibv_wc *);
int soft_cq_req_notify(struct verbs_cq *, bool);
int soft_srq_create(struct verbs_pd *, const struct verbs_srq_init *, struct verbs_srq **);
int soft_srq_modify(struct verbs_srq *, const struct ibv_srq_attr *, int);
int soft_srq_query(struct verbs_srq *, struct ibv_srq_attr *);
int soft_srq_destroy(struct verbs_srq *);
int soft_srq_post(struct verbs_srq *, struct ibv_recv_wr *, struct ibv_recv_wr **);
int soft_qp_create(struct verbs_pd *, const struct verbs_qp_init *, struct verbs_qp **);
int soft_qp_modify(struct verbs_qp *, const struct ibv_qp_attr *, int);
int soft_qp_query(struct verbs_qp *, struct ibv_qp_attr *, int, struct ibv_qp_init_attr *);
int soft_qp_destroy(struct verbs_qp *);
int soft_post_send(struct verbs_qp *, struct ibv_send_wr *, struct ibv_send_wr **);
int soft_post_recv(struct verbs_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **);
int soft_mcast_attach(struct verbs_qp *, const union ibv_gid *, uint16_t);
int soft_mcast_detach(struct verbs_qp *, const union ibv_gid *, uint16_t);
int soft_faults_set(struct verbs_dev *, uint8_t, const struct verbs_faults *);
int soft_hook_set(struct verbs_dev *, uint8_t, verbs_packet_hook *, void *);
int soft_knob_turn(struct verbs_dev *, uint8_t, enum verbs_knob, uint64_t);

#endif
