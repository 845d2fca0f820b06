/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rcm.h - librdmacm, loaded at run time.
 * Room: verbs/ibv (prefix rcm_).
 *
 * RCM_FUNCTIONS lists the functions that are used; struct rcm_lib has one pointer for each, with
 * the library's signature.  verbs/meas/join/join_rdma.c is the user: it connects queue pairs by the
 * kernel's connection manager.  load.h describes the loading.
 */
#ifndef HEDDLE_VERBS_IBV_RCM_H
#define HEDDLE_VERBS_IBV_RCM_H

#include <rdma/rdma_cma.h>
#include <stddef.h>

#define RCM_FUNCTIONS(F) \
	F(struct rdma_event_channel *, create_event_channel, "rdma_create_event_channel", (void)) \
	F(void, destroy_event_channel, "rdma_destroy_event_channel", \
	(struct rdma_event_channel *)) \
	F(int, create_id, "rdma_create_id", (struct rdma_event_channel *, struct rdma_cm_id **, \
	void *, enum rdma_port_space)) \
	F(int, destroy_id, "rdma_destroy_id", (struct rdma_cm_id *)) \
	F(int, bind_addr, "rdma_bind_addr", (struct rdma_cm_id *, struct sockaddr *)) \
	F(int, listen, "rdma_listen", (struct rdma_cm_id *, int)) \
	F(__be16, get_src_port, "rdma_get_src_port", (struct rdma_cm_id *)) \
	F(int, resolve_addr, "rdma_resolve_addr", (struct rdma_cm_id *, struct sockaddr *, \
	struct sockaddr *, int)) \
	F(int, resolve_route, "rdma_resolve_route", (struct rdma_cm_id *, int)) \
	F(int, init_qp_attr, "rdma_init_qp_attr", (struct rdma_cm_id *, struct ibv_qp_attr *, \
	int *)) \
	F(int, connect, "rdma_connect", (struct rdma_cm_id *, struct rdma_conn_param *)) \
	F(int, establish, "rdma_establish", (struct rdma_cm_id *)) \
	F(int, accept, "rdma_accept", (struct rdma_cm_id *, struct rdma_conn_param *)) \
	F(int, reject, "rdma_reject", (struct rdma_cm_id *, const void *, uint8_t)) \
	F(int, disconnect, "rdma_disconnect", (struct rdma_cm_id *)) \
	F(int, get_cm_event, "rdma_get_cm_event", \
	(struct rdma_event_channel *, struct rdma_cm_event **)) \
	F(int, ack_cm_event, "rdma_ack_cm_event", (struct rdma_cm_event *)) \
	F(const char *, event_str, "rdma_event_str", (enum rdma_cm_event_type))

struct rcm_lib {
	void *handle;
#define RCM_MEMBER(result, name, symbol, args) result (*name) args;
	RCM_FUNCTIONS(RCM_MEMBER)
#undef RCM_MEMBER
};

/* Loads the library once and keeps it.  -ENOENT with a sentence in 'why' (why_bytes). */
int rcm_lib_load(const struct rcm_lib **lib, char *why, size_t why_bytes);

#endif
