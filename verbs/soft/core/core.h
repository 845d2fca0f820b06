/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * core.h - the structs of the software adapter, and what needs no protocol: clock, tables of
 * numbers, memory, events.
 * Room: verbs/soft/core (prefix soft_).  Pure.
 *
 * Ownership: a world owns its adapters, an adapter its ports and the tables of numbers, an
 * opening (struct soft_dev) the objects that were made through it.  Objects count their users,
 * and one in use cannot be destroyed.  Public handles (struct verbs_...) are the first member of
 * ours, or embedded in it: the macros SOFT_QP() and so on convert.  Nothing in this room sends,
 * receives or completes; verbs/soft does.  The functions are declared at the end, by file.
 */
#ifndef HEDDLE_VERBS_SOFT_CORE_CORE_H
#define HEDDLE_VERBS_SOFT_CORE_CORE_H

#include <errno.h>
#include <stddef.h>
#include "util/heap.h"
#include "util/xalloc.h"
#include "verbs/ops.h"
#include "verbs/soft/wire/packet.h"

#define SOFT_OF(type, member, p) ((type *)(void *)((char *)(p) - offsetof(type, member)))

enum {
	SOFT_PORTS = 2, SOFT_GIDS = 8, SOFT_PKEYS = 16,
	SOFT_QPS_MAX = 16384, SOFT_KEYS_MAX = 65536, SOFT_CQES_MAX = 65536, SOFT_WRS_MAX = 16384,
	SOFT_SGES_MAX = 16, SOFT_INLINE_MAX = 512, SOFT_RD_ATOMIC_MAX = 16, SOFT_MCAST_MAX = 256,
	SOFT_SRQS_MAX = 4096,
	SOFT_EVENTS_MAX = 4096,         /* a full queue of events loses new ones */
	/* packets of a long message between two ACK requests */
	SOFT_ACK_EVERY = 16,
	/* less than half of all numbers, with the longest message (1 << 22) */
	SOFT_WINDOW_PSNS = 1 << 21,
	SOFT_MESSAGE_BYTES_MAX = 1 << 30,
	SOFT_HOLD_NS = 100 * 1000,
};

/* ---- time ---- */

enum soft_timer_kind { SOFT_TIMER_PORT, SOFT_TIMER_FLIGHT, SOFT_TIMER_ACK, SOFT_TIMER_RNR };

struct soft_timer {
	struct heap_node node;          /* its position is 0 while the timer is stopped */
	enum soft_timer_kind kind;
};

/* ---- tables of things that have numbers ---- */

struct soft_slots {
	void **v;
	uint32_t room, max;             /* slots allocated; limit */
	uint32_t hint;                  /* where to search first: numbers are reused late */
	uint32_t round;                 /* how often the hint wrapped around */
	uint32_t used;
};

/* ---- the world ---- */

struct soft_world {
	struct verbs_world pub;
	int64_t now_ns;
	struct heap timers;
	uint64_t random;
	uint64_t news;                  /* completions and events so far */
	uint32_t latency_ns, rate_mbps;
	struct soft_hca *hcas;
	unsigned nhcas;
};

struct soft_port {
	struct soft_hca *hca;
	uint8_t num;
	bool up;
	uint16_t lid, sm_lid;
	union ibv_gid gids[SOFT_GIDS];
	uint16_t pkeys[SOFT_PKEYS];
	uint32_t bad_pkeys, bad_qkeys;
	struct verbs_faults faults;
	verbs_packet_hook *hook;
	void *hook_arg;
	struct soft_timer turn;         /* expires when the next packet can be sent */
	int64_t free_ns;                /* when the previous packet has left */
	int64_t arrival_ns;             /* when the previous packet arrives, in order */
	struct soft_qp *first, *last;   /* queue pairs that have something to send, in turn */
};

struct soft_mcast {
	union ibv_gid gid;
	uint16_t mlid;
	struct soft_qp *qp;
};

struct soft_hca {
	struct soft_world *world;
	char name[16];
	uint64_t guid;
	bool fatal;
	struct soft_port ports[SOFT_PORTS];
	struct soft_slots qps, keys, srqs;
	struct soft_dev *devs;
	struct soft_mcast mcast[SOFT_MCAST_MAX];
	uint32_t nmcast;
};

struct soft_dev {
	struct verbs_dev pub;
	struct soft_hca *hca;
	struct soft_dev *next;
	struct verbs_live live;
	struct verbs_event *events;     /* a ring */
	uint32_t event_room, event_head, event_tail;
};

/* A packet in flight. */
struct soft_flight {
	struct soft_timer timer;
	/* it may have been changed: check its checksums */
	bool touched;
	size_t bytes;
	uint8_t packet[];
};

/* ---- protection ---- */

struct soft_pd {
	struct verbs_pd pub;
	uint32_t users;
};

struct soft_ah {
	struct verbs_ah pub;
	struct ibv_ah ibv;
	struct soft_pd *pd;
	struct ibv_ah_attr attr;
};

enum soft_key_kind { SOFT_KEY_MR = 1, SOFT_KEY_MW };

struct soft_mr {
	/* first member, as in a window: the table of keys holds both */
	enum soft_key_kind kind;
	struct verbs_mr pub;
	struct ibv_mr ibv;
	struct soft_pd *pd;
	uint32_t key;
	int access;
	uint32_t windows;               /* bound windows */
};

struct soft_mw {
	enum soft_key_kind kind;
	struct verbs_mw pub;
	struct ibv_mw ibv;
	struct soft_pd *pd;
	uint32_t slot;
	uint32_t key;                   /* while bound */
	uint32_t last_key;              /* type 1: of the last bind that was posted */
	struct soft_mr *mr;             /* NULL: not bound */
	struct soft_qp *qp;             /* type 2, bound: only through this one */
	uint64_t addr, length_bytes;
	unsigned access;
	uint32_t posted;                /* binds in send queues */
};

/* ---- completions ---- */

struct soft_chan {
	struct verbs_chan pub;
	struct soft_cq **queue;         /* a ring: pending events */
	uint32_t room, head, tail, users;
};

struct soft_cqe {
	struct ibv_wc wc;
	struct soft_qp *qp;
	struct soft_srq *srq;           /* the SRQ of its receive */
	uint32_t sq_freed;              /* send: polling it frees the slots up to here */
	bool of_receive;
};

enum soft_arm { SOFT_UNARMED, SOFT_ARM_SOLICITED, SOFT_ARM_NEXT };

struct soft_cq {
	struct verbs_cq pub;
	struct soft_chan *chan;
	struct soft_cqe *v;             /* a ring of pub.cqe */
	uint32_t head, n;
	enum soft_arm arm;
	bool failed;
	uint32_t users;                 /* QPs, XRC SRQs */
};

/* ---- work requests ---- */

struct soft_rwqe {
	uint64_t wr_id;
	int nsge;
	struct ibv_sge sge[SOFT_SGES_MAX];
};

struct soft_rq {
	struct soft_rwqe *v;            /* a ring of 'ring', a power of two */
	uint32_t room, ring;            /* room: what may be posted */
	uint32_t head, tail;            /* head: the next to be used; both only grow */
	uint32_t max_sge;
	uint32_t freed;                 /* the application has polled up to here */
};

struct soft_srq {
	struct verbs_srq pub;
	struct soft_pd *pd;
	struct soft_rq rq;
	uint32_t limit;
	bool failed;
	uint32_t users;
	struct soft_xrcd *xrcd;
	struct soft_cq *cq;             /* XRC */
};

struct soft_xrcd {
	struct verbs_xrcd pub;
	uint32_t users;
};

struct soft_swqe {
	uint64_t wr_id;
	enum ibv_wr_opcode opcode;
	unsigned flags;
	bool signaled;
	uint8_t imm[4];
	uint32_t inv_rkey;
	uint64_t remote_addr, compare_add, swap;
	uint32_t rkey;
	struct ibv_ah_attr ah;          /* UD: the address as it was when posted */
	bool ah_of_other_pd;
	uint32_t remote_qpn, remote_qkey;
	uint32_t srq_num;
	struct soft_mw *mw;             /* bind */
	uint32_t mr_key;                /* looked up when it is executed */
	uint32_t new_key;
	uint64_t bind_addr, bind_bytes;
	unsigned bind_access;
	uint64_t length_bytes;
	int nsge;
	struct ibv_sge sge[SOFT_SGES_MAX];
	uint8_t *inline_data;           /* instead of the list */
	/* under way */
	bool numbered;                  /* it has packet sequence numbers, so it has begun */
	bool done;
	enum ibv_wc_status status;      /* not SUCCESS: it fails when its turn comes to complete */
	uint32_t psn, npackets;         /* read: of its responses */
	uint32_t asked_at;              /* read: the packet at which it was last requested */
};

/* ---- queue pairs ---- */

struct soft_requester {
	struct soft_swqe *v;            /* a ring of 'ring', a power of two */
	uint32_t room, ring;            /* room: what may be posted */
	/* polled; completed; next to send; posted.  They only grow. */
	uint32_t freed, head, cur, tail;
	uint32_t cur_packet;            /* within v[cur] */
	uint32_t psn_next;              /* for the next message that begins */
	uint32_t una;                   /* the oldest unacknowledged number */
	uint32_t rd_atomic;             /* outstanding reads and atomics */
	uint8_t retry_left, rnr_left;
	uint32_t since_ack_request;
	/* A missing response at 'implied_psn' was requested again; once is enough. */
	bool implied;
	uint32_t implied_psn;
	struct soft_timer ack, rnr;
	bool drained_reported;
};

enum soft_response_kind { SOFT_RESPONSE_ACK, SOFT_RESPONSE_READ, SOFT_RESPONSE_ATOMIC };

/* A response that the responder owes. */
struct soft_response {
	enum soft_response_kind kind;
	uint8_t aeth_kind, aeth_value;
	uint32_t psn, msn;
	uint64_t va;                    /* read */
	uint32_t rkey, left_bytes;
	bool begun, again;
	uint64_t original;              /* atomic */
};

/* Executed reads and atomics, which may be requested again. */
struct soft_memory {
	bool atomic;
	uint32_t psn, npackets;
	uint64_t original;
};

enum soft_message { SOFT_MESSAGE_NONE, SOFT_MESSAGE_SEND, SOFT_MESSAGE_WRITE };

struct soft_responder {
	uint32_t epsn, msn;
	bool nak_sent;                  /* until the expected number arrives */
	bool dying;                     /* a NAK that ends the queue pair is being sent */
	bool come;                      /* a packet arrived in RTR */
	enum soft_message message;
	struct soft_rwqe wqe;           /* of the message */
	bool has_wqe;
	struct soft_srq *wqe_srq;       /* the SRQ that it came from */
	uint64_t va;
	uint32_t rkey, dma_bytes;
	uint64_t offset_bytes;
	enum ibv_wc_status last_status; /* status of the receive of a dying queue pair */
	enum ibv_event_type last_event; /* event without such a receive */
	struct soft_response *v;        /* a ring */
	uint32_t room, head, tail;
	struct soft_memory memory[SOFT_RD_ATOMIC_MAX];
	uint32_t memories;              /* total number written */
};

struct soft_qp {
	struct verbs_qp pub;
	struct soft_hca *hca;
	struct soft_dev *dev;
	struct soft_pd *pd;
	struct soft_cq *scq, *rcq;
	struct soft_srq *srq;
	struct soft_xrcd *xrcd;
	bool sig_all;
	enum ibv_qp_state state;
	struct ibv_qp_attr attr;        /* as set by modify */
	struct soft_port *port;         /* from INIT on */
	struct soft_requester req;
	struct soft_rq rq;
	struct soft_responder res;
	bool fatal_reported, last_wqe_reported, mig_err_reported;
	uint32_t mcasts;
	struct soft_qp *next;           /* in the port's queue */
	bool in_line;
};

#define SOFT_WORLD(w) ((struct soft_world *)(void *)(w))
#define SOFT_DEV(d) ((struct soft_dev *)(void *)(d))
#define SOFT_PD(p) ((struct soft_pd *)(void *)(p))
#define SOFT_CQ(c) ((struct soft_cq *)(void *)(c))
#define SOFT_CHAN(c) ((struct soft_chan *)(void *)(c))
#define SOFT_SRQ(s) ((struct soft_srq *)(void *)(s))
#define SOFT_XRCD(x) ((struct soft_xrcd *)(void *)(x))
#define SOFT_AH(a) ((struct soft_ah *)(void *)(a))
#define SOFT_QP(q) ((struct soft_qp *)(void *)(q))
#define SOFT_MR(m) SOFT_OF(struct soft_mr, pub, m)
#define SOFT_MW(m) SOFT_OF(struct soft_mw, pub, m)

/* The distance of two packet sequence numbers, -2^23 .. 2^23 - 1. */
static inline int32_t
soft_psn_diff(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

static inline uint32_t
soft_psn_add(uint32_t psn, uint32_t n)
{
	return (psn + n) & PACKET_PSN_MASK;
}

static inline uint32_t
soft_mtu_bytes(const struct soft_qp *q)
{
	return 128u << q->attr.path_mtu;
}

static inline bool
soft_is_connected_reliably(const struct soft_qp *q)
{
	return q->pub.type == IBV_QPT_RC || q->pub.type == IBV_QPT_XRC_SEND ||
		q->pub.type == IBV_QPT_XRC_RECV;
}

/* base.c */
void soft_timer_start(struct soft_world *w, struct soft_timer *t, int64_t at_ns);
void soft_timer_stop(struct soft_world *w, struct soft_timer *t);
uint32_t soft_random(struct soft_world *w, uint32_t below);
bool soft_chance(struct soft_world *w, uint32_t ppm);
int soft_slots_put(struct soft_slots *s, void *p, uint32_t *slot);      /* -ENOMEM: full */
void *soft_slots_get(const struct soft_slots *s, uint32_t slot);
void soft_slots_drop(struct soft_slots *s, uint32_t slot);
void soft_slots_clear(struct soft_slots *s);

/* device.c */
void soft_hca_init(struct soft_world *w, struct soft_hca *h, unsigned index);

/* mem.c: 0, or -1 when keys, ranges or rights do not allow it */
int soft_gather(const struct soft_pd *pd, const struct ibv_sge *sge, int nsge, uint64_t offset,
	uint8_t *to, uint32_t bytes);
int soft_scatter(const struct soft_pd *pd, const struct ibv_sge *sge, int nsge, uint64_t offset,
	const uint8_t *from, uint32_t bytes);
/* The bytes at an address of a region.  NULL: the range is not in it. */
uint8_t *soft_mr_at(const struct soft_mr *m, uint64_t va, uint64_t bytes);
uint64_t soft_sges_bytes(const struct ibv_sge *sge, int nsge);
/* The bytes that a remote key leads to, for 'bytes' > 0.  NULL: no access. */
uint8_t *soft_remote(struct soft_qp *q, uint32_t rkey, uint64_t va, uint64_t bytes,
	unsigned access);

/* mw.c */
int soft_window_bind(struct soft_qp *q, const struct soft_swqe *e);     /* -1: MW_BIND_ERR */
int soft_window_invalidate(struct soft_qp *q, uint32_t rkey);           /* -1: not allowed */
void soft_windows_of_qp_unbind(struct soft_qp *q);

/* event.c */
void soft_event(struct soft_dev *d, const struct verbs_event *e);
void soft_qp_event(struct soft_qp *q, enum ibv_event_type type);
void soft_port_event(struct soft_port *p, enum ibv_event_type type);
void soft_events_forget(struct soft_dev *d, const void *object);

/* object.c: true when 'h' can send along 'a' */
bool soft_av_ok(const struct soft_hca *h, const struct ibv_ah_attr *a);

/* The operations of verbs/ops.h in this room. */
int soft_dev_open(struct verbs_world *, const char *, struct verbs_dev **);
int soft_dev_close(struct verbs_dev *);
int soft_dev_query(struct verbs_dev *, struct ibv_device_attr *);
int soft_port_query(struct verbs_dev *, uint8_t, struct ibv_port_attr *);
int soft_gid_query(struct verbs_dev *, uint8_t, int, struct ibv_gid_entry *);
int soft_pkey_query(struct verbs_dev *, uint8_t, int, uint16_t *);
void soft_dev_live(struct verbs_dev *, struct verbs_live *);
int soft_pd_alloc(struct verbs_dev *, struct verbs_pd **);
int soft_pd_dealloc(struct verbs_pd *);
int soft_ah_create(struct verbs_pd *, const struct ibv_ah_attr *, struct verbs_ah **);
int soft_ah_destroy(struct verbs_ah *);
int soft_xrcd_open(struct verbs_dev *, struct verbs_xrcd **);
int soft_xrcd_close(struct verbs_xrcd *);
int soft_mr_reg(struct verbs_pd *, void *, size_t, int, struct verbs_mr **);
int soft_mr_rereg(struct verbs_mr *, int, struct verbs_pd *, void *, size_t, int);
int soft_mr_dereg(struct verbs_mr *);
int soft_mw_alloc(struct verbs_pd *, enum ibv_mw_type, struct verbs_mw **);
int soft_mw_dealloc(struct verbs_mw *);
int soft_event_get(struct verbs_dev *, struct verbs_event *);

#endif
