/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Declarations that the files of the module share.  main.c implements the character device, verbs.c
 * the device operations of the InfiniBand core, sma.c the agents.
 *
 * Lock order: vca_dev.lock (agents, queue pairs), then vca_dev.ring_lock or vca_qp.lock, then
 * vca_cq.lock.  All are taken with interrupts disabled, because the MAD layer posts sends under a
 * spinlock.
 */
#ifndef HEDDLE_KMOD_VCA_H
#define HEDDLE_KMOD_VCA_H

#include <linux/ktime.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include "sma.h"

#define VCA_RING	2048	/* maximum number of frames queued for the reader */
#define VCA_RQ_DEPTH	1024
#define VCA_CQ_DEPTH	8192

struct vca_qp;

/*
 * A frame queued for the reader, and the send that completes when the reader has taken it.  The
 * length of the MAD layer's send queue therefore limits the number of queued frames, and a slow
 * reader loses none.
 */
struct vca_slot {
	u8 frame[VCA_FRAME_BYTES];
	struct vca_qp *qp;			/* NULL: the frame is not a send */
	u64 wr_id;
	u32 bytes;
};

struct vca_dev {
	struct ib_device ib;
	spinlock_t lock;
	struct sma sma;
	struct vca_qp *qp[VCA_PORTS][2];
	struct delayed_work timer;		/* sends due traps, ends leases */

	spinlock_t ring_lock;
	struct vca_slot *ring;			/* frames queued for the reader */
	unsigned int head, tail;
	bool unplugged;				/* the file is closed: there is no reader */
	wait_queue_head_t wait;

	atomic64_t refused;			/* invalid frames written */
	atomic64_t lost;			/* frames lost because the ring was full */
	atomic64_t dropped;			/* packets without a QP or with a wrong key */
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
/*
 * Queues a frame for the reader.  Returns false if the ring is full (the frame is lost) or the file
 * is closed; the caller then completes the send of 'qp'.
 */
bool vca_emit_send(struct vca_dev *d, const u8 frame[VCA_FRAME_BYTES], struct vca_qp *qp, u64 wr_id, u32 bytes);
static inline void vca_emit(struct vca_dev *d, const u8 frame[VCA_FRAME_BYTES])
{
	vca_emit_send(d, frame, NULL, 0, 0);
}
/* The queue pair is being destroyed: its queued frames are still read, but complete no send. */
void vca_forget(struct vca_dev *d, const struct vca_qp *qp);
static inline void vca_frame_begin(u8 frame[VCA_FRAME_BYTES], u8 kind, u32 port)
{
	memset(frame, 0, VCA_FRAME_BYTES);
	frame[VCA_AT_VERSION] = VCA_VERSION;
	frame[VCA_AT_KIND] = kind;
	frame[VCA_AT_PORT] = (u8)port;
}
/* Starts the timer for the next trap or lease.  The caller holds vca_dev.lock. */
void vca_arm(struct vca_dev *d);
/*
 * Queues frames for the Sets and port changes in 'news'; events are left to vca_events().  The
 * caller holds vca_dev.lock.
 */
void vca_tell(struct vca_dev *d, u32 port, const struct sma_news *news);

/* ---- verbs.c ---- */
extern const struct ib_device_ops vca_ops;
/*
 * Receives a packet from the link.  Returns 0, -EINVAL if the frame is invalid, or -EAGAIN if no
 * receive is posted.
 */
int vca_deliver(struct vca_dev *d, u32 port, const u8 frame[VCA_FRAME_BYTES]);
/* Returns whether every queue pair that exists has a receive posted. */
bool vca_writable(struct vca_dev *d);
/* Completes a send. */
void vca_sent(struct vca_qp *qp, u64 wr_id, u32 bytes);
/* Reports events to the core.  The caller must not hold vca_dev.lock. */
void vca_events(struct vca_dev *d, u32 port, unsigned int events);

#endif
