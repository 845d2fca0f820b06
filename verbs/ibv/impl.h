/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * impl.h - declarations shared by the files of this room.
 * Room: verbs/ibv, private.
 *
 * 'impl' in an object of verbs/ops.h points to the object of libibverbs.  IBVB_FUNCTIONS lists
 * the symbols of the library; lib.c finds them once per process.  ibv.h says which file has which
 * operations.
 */
#ifndef HEDDLE_VERBS_IBV_IMPL_H
#define HEDDLE_VERBS_IBV_IMPL_H

#include <infiniband/verbs.h>
#include "verbs/ibv/ibv.h"

/* The symbols needed from libibverbs.  Other functions of <infiniband/verbs.h> are inline, go
 * through the context and need no symbol. */
#define IBVB_FUNCTIONS(F) \
	F(struct ibv_device **, get_device_list, "ibv_get_device_list", (int *)) \
	F(void, free_device_list, "ibv_free_device_list", (struct ibv_device **)) \
	F(const char *, get_device_name, "ibv_get_device_name", (struct ibv_device *)) \
	F(struct ibv_context *, open_device, "ibv_open_device", (struct ibv_device *)) \
	F(int, close_device, "ibv_close_device", (struct ibv_context *)) \
	F(int, get_async_event, "ibv_get_async_event", \
	(struct ibv_context *, struct ibv_async_event *)) \
	F(void, ack_async_event, "ibv_ack_async_event", (struct ibv_async_event *)) \
	F(int, query_device, "ibv_query_device", (struct ibv_context *, struct ibv_device_attr *)) \
	F(int, query_port_old, "ibv_query_port", \
	(struct ibv_context *, uint8_t, struct ibv_port_attr *)) \
	F(int, query_gid_ex, "_ibv_query_gid_ex", (struct ibv_context *, uint32_t, uint32_t, \
	struct ibv_gid_entry *, uint32_t, size_t)) \
	F(int, query_pkey, "ibv_query_pkey", (struct ibv_context *, uint8_t, int, __be16 *)) \
	F(struct ibv_pd *, alloc_pd, "ibv_alloc_pd", (struct ibv_context *)) \
	F(int, dealloc_pd, "ibv_dealloc_pd", (struct ibv_pd *)) \
	F(struct ibv_mr *, reg_mr, "ibv_reg_mr_iova2", (struct ibv_pd *, void *, size_t, uint64_t, \
	unsigned int)) \
	F(int, rereg_mr, "ibv_rereg_mr", (struct ibv_mr *, int, struct ibv_pd *, void *, size_t, \
	int)) \
	F(int, dereg_mr, "ibv_dereg_mr", (struct ibv_mr *)) \
	F(struct ibv_comp_channel *, create_comp_channel, "ibv_create_comp_channel", \
	(struct ibv_context *)) \
	F(int, destroy_comp_channel, "ibv_destroy_comp_channel", (struct ibv_comp_channel *)) \
	F(struct ibv_cq *, create_cq, "ibv_create_cq", \
	(struct ibv_context *, int, void *, struct ibv_comp_channel *, int)) \
	F(int, resize_cq, "ibv_resize_cq", (struct ibv_cq *, int)) \
	F(int, destroy_cq, "ibv_destroy_cq", (struct ibv_cq *)) \
	F(int, get_cq_event, "ibv_get_cq_event", (struct ibv_comp_channel *, struct ibv_cq **, \
	void **)) \
	F(void, ack_cq_events, "ibv_ack_cq_events", (struct ibv_cq *, unsigned int)) \
	F(struct ibv_srq *, create_srq, "ibv_create_srq", \
	(struct ibv_pd *, struct ibv_srq_init_attr *)) \
	F(int, modify_srq, "ibv_modify_srq", (struct ibv_srq *, struct ibv_srq_attr *, int)) \
	F(int, query_srq, "ibv_query_srq", (struct ibv_srq *, struct ibv_srq_attr *)) \
	F(int, destroy_srq, "ibv_destroy_srq", (struct ibv_srq *)) \
	F(struct ibv_ah *, create_ah, "ibv_create_ah", (struct ibv_pd *, struct ibv_ah_attr *)) \
	F(int, destroy_ah, "ibv_destroy_ah", (struct ibv_ah *)) \
	F(struct ibv_qp *, create_qp, "ibv_create_qp", \
	(struct ibv_pd *, struct ibv_qp_init_attr *)) \
	F(int, modify_qp, "ibv_modify_qp", (struct ibv_qp *, struct ibv_qp_attr *, int)) \
	F(int, query_qp, "ibv_query_qp", (struct ibv_qp *, struct ibv_qp_attr *, int, \
	struct ibv_qp_init_attr *)) \
	F(int, destroy_qp, "ibv_destroy_qp", (struct ibv_qp *)) \
	F(int, attach_mcast, "ibv_attach_mcast", (struct ibv_qp *, const union ibv_gid *, \
	uint16_t)) \
	F(int, detach_mcast, "ibv_detach_mcast", (struct ibv_qp *, const union ibv_gid *, uint16_t))

struct ibvb_lib {
	void *handle;
#define MEMBER(result, name, symbol, args) result (*name) args;
	IBVB_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* Loads the library once and keeps it.  -ENOENT with a sentence. */
int ibvb_lib_load(const struct ibvb_lib **lib, char *why, size_t why_bytes);

/* The 'impl' of a world and of a device. */
struct ibvb_world {
	const struct ibvb_lib *lib;
	struct ibv_device **list;
	int n;
};

struct ibvb_dev {
	struct verbs_dev dev;
	const struct ibvb_lib *lib;
	struct ibv_context *ctx;
	struct verbs_live live;
	char provider[32], emulated[160];
};

struct ibvb_dev *ibvb_of(const struct verbs_dev *dev);
/* -errno; never 0. */
int ibvb_errno(void);
/* Converts a library function's result (0, an errno, or -1 with errno) to 0 or a negative errno. */
int ibvb_result(int r);
int ibvb_query_port(struct verbs_dev *, uint8_t port, struct ibv_port_attr *);
int ibvb_query_gid(struct verbs_dev *, uint8_t port, int index, struct ibv_gid_entry *);

/* probe.c: fills dev.caps, provider, emulated; and dev.port and dev.gid_index with
 * ibvb_use_port(). */
void ibvb_probe(struct ibvb_dev *d);

/* queue.c: operations on completion queues and queue pairs. */
int ibvb_create_chan(struct verbs_dev *, struct verbs_chan **);
int ibvb_destroy_chan(struct verbs_chan *);
int ibvb_create_cq(struct verbs_dev *, int cqe, struct verbs_chan *, struct verbs_cq **);
int ibvb_resize_cq(struct verbs_cq *, int cqe);
int ibvb_destroy_cq(struct verbs_cq *);
int ibvb_poll(struct verbs_cq *, int n, struct ibv_wc *);
int ibvb_req_notify(struct verbs_cq *, bool solicited_only);
int ibvb_get_cq_event(struct verbs_chan *, struct verbs_cq **);
int ibvb_create_srq(struct verbs_pd *, const struct verbs_srq_init *, struct verbs_srq **);
int ibvb_modify_srq(struct verbs_srq *, const struct ibv_srq_attr *, int mask);
int ibvb_query_srq(struct verbs_srq *, struct ibv_srq_attr *);
int ibvb_destroy_srq(struct verbs_srq *);
int ibvb_post_srq_recv(struct verbs_srq *, struct ibv_recv_wr *, struct ibv_recv_wr **bad);
int ibvb_open_xrcd(struct verbs_dev *, struct verbs_xrcd **);
int ibvb_close_xrcd(struct verbs_xrcd *);
int ibvb_create_ah(struct verbs_pd *, const struct ibv_ah_attr *, struct verbs_ah **);
int ibvb_destroy_ah(struct verbs_ah *);
int ibvb_create_qp(struct verbs_pd *, const struct verbs_qp_init *, struct verbs_qp **);
int ibvb_modify_qp(struct verbs_qp *, const struct ibv_qp_attr *, int mask);
int ibvb_query_qp(struct verbs_qp *, struct ibv_qp_attr *, int mask, struct ibv_qp_init_attr *init);
int ibvb_destroy_qp(struct verbs_qp *);
int ibvb_post_send(struct verbs_qp *, struct ibv_send_wr *, struct ibv_send_wr **bad);
int ibvb_post_recv(struct verbs_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **bad);
int ibvb_attach_mcast(struct verbs_qp *, const union ibv_gid *, uint16_t mlid);
int ibvb_detach_mcast(struct verbs_qp *, const union ibv_gid *, uint16_t mlid);

/* memory.c: operations on protection domains, regions and windows. */
int ibvb_alloc_pd(struct verbs_dev *, struct verbs_pd **);
int ibvb_dealloc_pd(struct verbs_pd *);
int ibvb_reg_mr(struct verbs_pd *, void *addr, size_t length_bytes, int access, struct verbs_mr **);
int ibvb_rereg_mr(struct verbs_mr *, int flags, struct verbs_pd *, void *addr, size_t length_bytes,
	int access);
int ibvb_dereg_mr(struct verbs_mr *);
int ibvb_alloc_mw(struct verbs_pd *, enum ibv_mw_type, struct verbs_mw **);
int ibvb_dealloc_mw(struct verbs_mw *);
int ibvb_bind_mw(struct verbs_qp *, struct verbs_mw *, struct ibv_mw_bind *);

#endif
