/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ops.h - the operations on verbs devices that all tests are written with, and that every back
 * end implements.
 * Room: verbs.  Pure: types and contracts only.
 *
 * In: the public structs of <infiniband/verbs.h>.  Out: the same, and handles that a back end
 * allocates.
 *
 * A world is one back end with everything it can reach: the devices of this machine (verbs/ibv),
 * or a set of software adapters on one wire with one virtual clock (verbs/soft).  Everything
 * happens in one thread, and one thread may own both ends of a connection: two QPs of one
 * device, or of two devices of the world.
 *
 * 	world = soft_world_new(&(struct soft_options){ .seed = 1 });
 * 	ops->open(world, NULL, &dev);                   the first device
 * 	ops->create_qp(pd, &init, &qp); ...
 * 	ops->post_send(qp, &wr, &bad);
 * 	while (ops->poll(cq, 1, &wc) == 0 && ops->now_ns(world) < limit)
 * 		ops->await(world, 1000);
 *
 * Rules for all operations: the result is 0 or a negative errno, and out-parameters are written
 * on success only.  -ENOTSUP: the back end or the device lacks it (and its capability bit);
 * -EINVAL: refused at once, nothing changed; -ENOMEM: a queue or a table is full; -EBUSY: the
 * object is in use; -EAGAIN: nothing available.  Only 'advance' and 'await' block.  Queues make
 * progress in 'advance' and 'await', never in a post or a poll (on a real device: at any time).
 */
#ifndef HEDDLE_VERBS_OPS_H
#define HEDDLE_VERBS_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>

/* Capabilities of a device.  C(NAME, text): the text follows "needs". */
#define VERBS_CAPS(C) \
	C(RC, "reliable connections") \
	C(UC, "unreliable connections") \
	C(UD, "unreliable datagrams") \
	C(XRC, "extended reliable connections") \
	C(SRQ, "shared receive queues") \
	C(SRQ_RESIZE, "shared receive queues that can be resized") \
	C(SRQ_LIMIT, "the limit of shared receive queues") \
	C(MW1, "memory windows of type 1") \
	C(MW2, "memory windows of type 2") \
	C(ATOMIC, "atomic operations") \
	C(RESIZE_CQ, "completion queues that can be resized") \
	C(INLINE, "inline sends") \
	C(SEND_INV, "send with invalidate") \
	C(LOCAL_INV, "local invalidate") \
	C(REREG, "reregistration of memory regions") \
	C(ZERO_BASED, "zero-based addressing of regions and windows") \
	C(CQ_EVENTS, "completion channels") \
	C(ASYNC_EVENTS, "asynchronous events") \
	C(MCAST, "multicast") \
	C(ALT_PATH, "automatic path migration") \
	C(FAULTS, "faults on the wire by chance") \
	C(HOOK, "a hook on every packet") \
	C(KNOBS, "knobs of ports and devices") \
	C(VIRTUAL_TIME, "a virtual clock") \
	C(GRH_OPTIONAL, "addresses without a global route") \
	C(TWO_DEVICES, "a second device on the same wire") \
	C(COUNTERS, "counters of P_Key and Q_Key violations")

enum verbs_cap_bit {
#define C(name, text) VERBS_CAP_BIT_##name,
	VERBS_CAPS(C)
#undef C
	VERBS_CAP_BITS
};

#define VERBS_CAP(name) ((uint64_t)1 << VERBS_CAP_BIT_##name)

struct verbs_ops;

/* ---- Handles.  A back end allocates them, fills the members below and owns what 'impl' points
 * to. ---- 'ibv' is the pointer that goes into the public structs (wr.ud.ah, bind_mw.mw,
 * bind_info.mr): for libibverbs the real object, else the back end's; of the object behind it
 * only lkey, rkey, addr and length may be read. */

struct verbs_world {
	const struct verbs_ops *ops;
	const char *name;               /* "soft", "verbs" */
	void *impl;
};

struct verbs_dev {
	const struct verbs_ops *ops;
	struct verbs_world *world;
	const char *name;               /* "soft0", "rxe0" */
	uint64_t caps;                  /* VERBS_CAP(...) */
	/* the port that tests use unless they are about ports; counts from 1 */
	uint8_t port;
	uint8_t gid_index;              /* GID that tests use, of that port */
	bool emulated;                  /* its speeds are meaningless */
	void *impl;
};

struct verbs_pd {
	struct verbs_dev *dev;
	void *impl;
};

struct verbs_mr {
	struct verbs_dev *dev;
	struct ibv_mr *ibv;
	void *addr;
	size_t length_bytes;
	uint32_t lkey, rkey;
	void *impl;
};

struct verbs_mw {
	struct verbs_dev *dev;
	struct ibv_mw *ibv;
	enum ibv_mw_type type;
	/* As allocated.  Type 1: of the last accepted bind.  Type 2: the poster keeps it. */
	uint32_t rkey;
	void *impl;
};

struct verbs_chan {
	struct verbs_dev *dev;
	/* readable while an event is pending; -1: the back end has no descriptors */
	int fd;
	void *impl;
};

struct verbs_cq {
	struct verbs_dev *dev;
	int cqe;                        /* its capacity, at least as requested */
	void *impl;
};

struct verbs_srq {
	struct verbs_dev *dev;
	uint32_t srq_num;               /* of an XRC SRQ; otherwise 0 */
	void *impl;
};

struct verbs_xrcd {
	struct verbs_dev *dev;
	void *impl;
};

struct verbs_ah {
	struct verbs_dev *dev;
	struct ibv_ah *ibv;
	void *impl;
};

struct verbs_qp {
	struct verbs_dev *dev;
	enum ibv_qp_type type;
	uint32_t qp_num;
	struct ibv_qp_cap cap;          /* as granted */
	void *impl;
};

/* ---- Arguments that the public structs would tie to libibverbs' own handles ---- */

struct verbs_qp_init {
	enum ibv_qp_type type;
	struct ibv_qp_cap cap;          /* as requested */
	bool sq_sig_all;
	struct verbs_cq *send_cq, *recv_cq;     /* XRC_RECV: NULL */
	struct verbs_srq *srq;          /* may be NULL */
	struct verbs_xrcd *xrcd;        /* XRC_RECV only */
};

struct verbs_srq_init {
	struct ibv_srq_attr attr;       /* max_wr, max_sge; srq_limit is ignored */
	enum ibv_srq_type type;         /* IBV_SRQT_BASIC or IBV_SRQT_XRC */
	struct verbs_xrcd *xrcd;        /* XRC only */
	struct verbs_cq *cq;            /* XRC only */
};

struct verbs_event {
	enum ibv_event_type type;
	struct verbs_qp *qp;            /* subject of the event; the others are NULL and 0 */
	struct verbs_cq *cq;
	struct verbs_srq *srq;
	uint8_t port;
};

/* ---- Faults ---- */

/* Random faults, in parts per million of the packets that leave a port; seeded by the world. */
struct verbs_faults {
	uint32_t loss_ppm, duplicate_ppm, corrupt_ppm;
	/* a packet delayed by 'reorder_us' and overtaken */
	uint32_t reorder_ppm;
	uint32_t reorder_us;
	uint32_t delay_us;              /* all packets */
	uint32_t jitter_us;             /* up to this much more, without changing the order */
};

enum verbs_verdict {
	VERBS_PASS,
	VERBS_DROP,
	VERBS_DUPLICATE,
	VERBS_CORRUPT,                  /* a bit is flipped on the wire */
	VERBS_HOLD,                     /* delivered 100 us later, behind later packets */
	/* The hook changed bytes between the local route header and the ICRC: both CRCs are
	 * recomputed. */
	VERBS_REWRITTEN,
};

/* Called for every packet that leaves the port, before the random faults: a whole InfiniBand
 * packet, local route header to VCRC.  It must not call an operation. */
typedef enum verbs_verdict verbs_packet_hook(void *arg, uint8_t *packet, size_t bytes);

/* Events that an operator, the subnet manager or hardware can cause at a device. */
enum verbs_knob {
	VERBS_KNOB_PORT_UP,             /* value 0: down (PORT_ERR), 1: up (PORT_ACTIVE) */
	VERBS_KNOB_LID,                 /* value: the new LID (LID_CHANGE) */
	VERBS_KNOB_SM_LID,              /* value: the new master's LID (SM_CHANGE) */
	VERBS_KNOB_PKEY,                /* value: index << 16 | P_Key (PKEY_CHANGE) */
	/* value: index << 56 | the low 56 bits of an interface id (GID_CHANGE) */
	VERBS_KNOB_GID,
	VERBS_KNOB_REREGISTER,          /* value ignored (CLIENT_REREGISTER) */
	/* value ignored (DEVICE_FATAL); every later operation but destroy fails with -EIO */
	VERBS_KNOB_DEVICE_FATAL,
	/* value: number of the QP that has an internal error (QP_FATAL, IBV_WC_FATAL_ERR) */
	VERBS_KNOB_QP_FATAL,
	/* value: number of a QP whose SRQ has an internal error (SRQ_ERR) */
	VERBS_KNOB_SRQ_FATAL,
};

/* Number of existing objects of a device. */
struct verbs_live {
	uint32_t pd, mr, mw, chan, cq, srq, xrcd, ah, qp;
};

struct verbs_ops {
	/* -- the world and its time -- */
	/* does not close devices: close them first */
	void (*world_free)(struct verbs_world *);
	/* Name of the i-th device, NULL after the last.  Valid as long as the world. */
	const char *(*device_name)(struct verbs_world *, unsigned i);
	/* monotonic; virtual if the world's clock is */
	uint64_t (*now_ns)(struct verbs_world *);
	/* Lets 'us' microseconds pass: advances the virtual clock, or sleeps. */
	void (*advance)(struct verbs_world *, uint32_t us);
	/* As 'advance', but returns at the first new completion or event of the world, and
	 * possibly earlier: call it in a loop with poll and now_ns. */
	void (*await)(struct verbs_world *, uint32_t us);

	/* -- devices.  A device may be opened more than once; 'name' NULL: the first. -- */
	int (*open)(struct verbs_world *, const char *name, struct verbs_dev **);
	int (*close)(struct verbs_dev *);                       /* -EBUSY while objects exist */
	int (*query_device)(struct verbs_dev *, struct ibv_device_attr *);
	int (*query_port)(struct verbs_dev *, uint8_t port, struct ibv_port_attr *);
	int (*query_gid)(struct verbs_dev *, uint8_t port, int index, struct ibv_gid_entry *);
	/* host order */
	int (*query_pkey)(struct verbs_dev *, uint8_t port, int index, uint16_t *pkey);
	/* objects made through this opening and not destroyed */
	void (*live)(struct verbs_dev *, struct verbs_live *);
	/* acknowledged at once; -EAGAIN: none */
	int (*get_async_event)(struct verbs_dev *, struct verbs_event *);

	/* -- protection domains, memory -- */
	int (*alloc_pd)(struct verbs_dev *, struct verbs_pd **);
	int (*dealloc_pd)(struct verbs_pd *);
	int (*reg_mr)(struct verbs_pd *, void *addr, size_t length_bytes, int access,
		struct verbs_mr **);
	/* 'flags': IBV_REREG_MR_CHANGE_*; arguments that they do not name are ignored.  The keys
	 * in 'mr' may change. */
	int (*rereg_mr)(struct verbs_mr *, int flags, struct verbs_pd *, void *addr,
		size_t length_bytes, int access);
	/* -EBUSY while a window is bound to it */
	int (*dereg_mr)(struct verbs_mr *);
	int (*alloc_mw)(struct verbs_pd *, enum ibv_mw_type, struct verbs_mw **);
	int (*dealloc_mw)(struct verbs_mw *);
	/* Type 1: posts the bind on 'qp' and, if accepted, changes mw->rkey.  Type 2 is bound
	 * with post_send. */
	int (*bind_mw)(struct verbs_qp *, struct verbs_mw *, struct ibv_mw_bind *);

	/* -- completions -- */
	int (*create_chan)(struct verbs_dev *, struct verbs_chan **);
	int (*destroy_chan)(struct verbs_chan *);
	/* 'chan' may be NULL */
	int (*create_cq)(struct verbs_dev *, int cqe, struct verbs_chan *, struct verbs_cq **);
	int (*resize_cq)(struct verbs_cq *, int cqe);
	int (*destroy_cq)(struct verbs_cq *);
	/* number of completions, 0..n, or a negative errno */
	int (*poll)(struct verbs_cq *, int n, struct ibv_wc *);
	int (*req_notify)(struct verbs_cq *, bool solicited_only);
	/* acknowledged at once; -EAGAIN: none */
	int (*get_cq_event)(struct verbs_chan *, struct verbs_cq **);

	/* -- shared receive queues, XRC domains, addresses -- */
	int (*create_srq)(struct verbs_pd *, const struct verbs_srq_init *, struct verbs_srq **);
	int (*modify_srq)(struct verbs_srq *, const struct ibv_srq_attr *, int mask);
	int (*query_srq)(struct verbs_srq *, struct ibv_srq_attr *);
	int (*destroy_srq)(struct verbs_srq *);
	int (*post_srq_recv)(struct verbs_srq *, struct ibv_recv_wr *, struct ibv_recv_wr **bad);
	int (*open_xrcd)(struct verbs_dev *, struct verbs_xrcd **);
	int (*close_xrcd)(struct verbs_xrcd *);
	int (*create_ah)(struct verbs_pd *, const struct ibv_ah_attr *, struct verbs_ah **);
	int (*destroy_ah)(struct verbs_ah *);

	/* -- queue pairs -- */
	int (*create_qp)(struct verbs_pd *, const struct verbs_qp_init *, struct verbs_qp **);
	int (*modify_qp)(struct verbs_qp *, const struct ibv_qp_attr *, int mask);
	/* 'init' may be NULL; its pointers come back as NULL. */
	int (*query_qp)(struct verbs_qp *, struct ibv_qp_attr *, int mask,
		struct ibv_qp_init_attr *init);
	int (*destroy_qp)(struct verbs_qp *);
	/* '*bad' is the first refused work request; those before it are posted. */
	int (*post_send)(struct verbs_qp *, struct ibv_send_wr *, struct ibv_send_wr **bad);
	int (*post_recv)(struct verbs_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **bad);
	int (*attach_mcast)(struct verbs_qp *, const union ibv_gid *, uint16_t mlid);
	int (*detach_mcast)(struct verbs_qp *, const union ibv_gid *, uint16_t mlid);

	/* -- faults; 'port' counts from 1 -- */
	/* NULL: no faults from now on */
	int (*faults)(struct verbs_dev *, uint8_t port, const struct verbs_faults *);
	/* NULL: no hook from now on */
	int (*hook)(struct verbs_dev *, uint8_t port, verbs_packet_hook *, void *arg);
	int (*knob)(struct verbs_dev *, uint8_t port, enum verbs_knob, uint64_t value);
};

/* Names for people, as in the specification's bindings without their prefix
 * ("RNR_RETRY_EXC_ERR", "RTS"); "?" for an unknown value. */
const char *verbs_status_name(enum ibv_wc_status);
const char *verbs_wc_opcode_name(enum ibv_wc_opcode);
const char *verbs_wr_opcode_name(enum ibv_wr_opcode);
const char *verbs_event_name(enum ibv_event_type);
const char *verbs_qp_state_name(enum ibv_qp_state);
const char *verbs_qp_type_name(enum ibv_qp_type);
/* "SRQ" and "shared receive queues"; 'bit' < VERBS_CAP_BITS. */
const char *verbs_cap_name(enum verbs_cap_bit bit);
const char *verbs_cap_text(enum verbs_cap_bit bit);

#endif
