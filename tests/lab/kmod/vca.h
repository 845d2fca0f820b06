/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the files of the module share.  main.c is the character device, verbs.c what the InfiniBand core sees, sma.c the agents.
 *
 * Locks: vca_dev.lock (agents, queue pairs) > vca_dev.ring_lock, vca_qp.lock > vca_cq.lock.  All with interrupts off: the MAD layer posts
 * sends under a spinlock.
 */
#ifndef HEDDLE_KMOD_VCA_H
#define HEDDLE_KMOD_VCA_H

#include <linux/ktime.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include "sma.h"

#define VCA_RING	2048	/* frames that wait for a reader */
#define VCA_RQ_DEPTH	1024
#define VCA_CQ_DEPTH	8192

struct vca_qp;

/* A frame on its way to the reader, and the send that is complete when it has been read: the MAD layer never has more under way than its
 * queue of sends is long, and nothing is lost while the reader is slow. */
struct vca_slot {
	u8 frame[VCA_FRAME_BYTES];
	struct vca_qp *qp;			/* NULL: no send of anybody's */
	u64 wr_id;
	u32 bytes;
};

struct vca_dev {
	struct ib_device ib;
	spinlock_t lock;
	struct sma sma;
	struct vca_qp *qp[VCA_PORTS][2];
	struct delayed_work timer;		/* traps, leases */

	spinlock_t ring_lock;
	struct vca_slot *ring;			/* to the reader */
	unsigned int head, tail;
	bool unplugged;				/* there is no reader any more */
	wait_queue_head_t wait;

	atomic64_t refused;			/* frames written that made no sense */
	atomic64_t lost;			/* frames for which the ring had no room */
	atomic64_t dropped;			/* packets for which no receive was posted, or with a bad key */
};

static inline struct vca_dev *to_vca(struct ib_device *ib)
{
	return container_of(ib, struct vca_dev, ib);
}

static inline u64 vca_now_ms(void)
{
	return (u64)ktime_to_ms(ktime_get());
}

/* ---- main.c ---- */
/* To the reader.  False: it did not fit and is lost, or there is no reader; a send ('qp') is then the caller's to complete. */
bool vca_emit_send(struct vca_dev *d, const u8 frame[VCA_FRAME_BYTES], struct vca_qp *qp, u64 wr_id, u32 bytes);
static inline void vca_emit(struct vca_dev *d, const u8 frame[VCA_FRAME_BYTES])
{
	vca_emit_send(d, frame, NULL, 0, 0);
}
/* The queue pair goes: nobody completes its sends. */
void vca_forget(struct vca_dev *d, const struct vca_qp *qp);
static inline void vca_frame_begin(u8 frame[VCA_FRAME_BYTES], u8 kind, u32 port)
{
	memset(frame, 0, VCA_FRAME_BYTES);
	frame[VCA_AT_VERSION] = VCA_VERSION;
	frame[VCA_AT_KIND] = kind;
	frame[VCA_AT_PORT] = (u8)port;
}
/* Looks when traps are due; with the lock. */
void vca_arm(struct vca_dev *d);
/* Passes on what an agent has to say, but for events; with the lock. */
void vca_tell(struct vca_dev *d, u32 port, const struct sma_news *news);

/* ---- verbs.c ---- */
extern const struct ib_device_ops vca_ops;
/* A packet from the cable.  0; -EINVAL: it makes no sense; -EAGAIN: no receive is posted now. */
int vca_deliver(struct vca_dev *d, u32 port, const u8 frame[VCA_FRAME_BYTES]);
/* Whether all queue pairs could receive. */
bool vca_writable(struct vca_dev *d);
/* A send has left. */
void vca_sent(struct vca_qp *qp, u64 wr_id, u32 bytes);
/* Tells the core; without the lock. */
void vca_events(struct vca_dev *d, u32 port, unsigned int events);

#endif
