/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * kmad.h - the kernel's MAD layer, emulated for every port of a simulated fabric.
 * Room: sim/kmad.  Pure: the caller passes 'now' and pulls out messages for the open files and the
 * deadline.
 *
 * This room emulates /dev/infiniband/umadN: open files with up to 32 agents, transaction ids whose
 * upper half belongs to the kernel, responses matched to sends, time-outs and retries that come
 * back as messages, RMPP, the automatic "unsupported" answer, issm.  It sends and receives through
 * sim/hw.  Programs reach it through sim/serve.
 */
#ifndef HEDDLE_SIM_KMAD_KMAD_H
#define HEDDLE_SIM_KMAD_KMAD_H

#include <stdbool.h>
#include <stdint.h>
#include "sim/hw/hw.h"
#include "sim/ring/message.h"
#include "util/monotime.h"

#define KMAD_EXPIRED_BYTES 24           /* of a send that timed out: the MAD header comes back */
#define KMAD_QUEUE_MAX 200000           /* messages a file holds before the kernel drops */
/* Limits of one file, and totals of all files of the fabric, which share one process.  One file may
 * use at most an eighth of a total. */
#define KMAD_QUEUE_BYTES (128u << 20)   /* of RMPP messages that wait in one file */
#define KMAD_QUEUE_TOTAL (UINT64_C(1) << 30)    /* of all messages that wait */
/* sends of one file that wait for an answer or an acknowledgement */
#define KMAD_SENDS_MAX 131072u
#define KMAD_SENDS_TOTAL (8 * KMAD_SENDS_MAX)
/* bytes of RMPP messages that are not acknowledged */
#define KMAD_SENDING_TOTAL (UINT64_C(1) << 30)

struct kmad;
struct kmad_file;

struct kmad_head {
	uint32_t agent;                 /* id within the file */
	int32_t status;                 /* of a message read: 0 or ETIMEDOUT */
	uint32_t timeout_ms, retries;
	struct message_addr addr;
};

/* A message that waits for a file's reader. */
struct kmad_message {
	struct kmad_message *next;
	struct kmad_head head;
	/* MESSAGE_MAD_BYTES, an RMPP message's length, or KMAD_EXPIRED_BYTES */
	uint32_t bytes;
	uint8_t *more;                  /* the whole message when longer than 'mad', else NULL */
	uint8_t mad[MESSAGE_MAD_BYTES];
};

static inline const uint8_t *
kmad_message_data(const struct kmad_message *m)
{
	return m->more ? m->more : m->mad;
}

struct kmad_reg {
	uint8_t mgmt_class;             /* 0: a client of any class, responses only */
	uint8_t class_version, rmpp_version;
	uint8_t qpn;
	bool user_rmpp;                 /* the program handles RMPP itself */
	uint32_t oui;
	uint64_t methods[2];            /* bit n of the 128: requests with method n are delivered */
};

struct kmad_stats {
	uint64_t sent, refused, received, unmatched, unclaimed, answered, expired, resent,
		overflowed;
	uint64_t over_limit;            /* writes refused with -ENOMEM */
};

/* 'h' must outlive it. */
struct kmad *kmad_new(struct hw *h);
void kmad_free(struct kmad *k);

/* Opens the umad device of a port ('cookie' is the caller's); NULL if there is no such port. */
struct kmad_file *kmad_open(struct kmad *k, uint32_t node, uint8_t port, void *cookie);
/* Frees its agents, cancels its sends, drops its messages. */
void kmad_close(struct kmad *k, struct kmad_file *f);
void *kmad_cookie(const struct kmad_file *f);

/* 0 and the lowest free id; -EINVAL as the kernel refuses, -ENOMEM when 32 are taken. */
int kmad_register(struct kmad *k, struct kmad_file *f, const struct kmad_reg *r, uint32_t *id);
int kmad_unregister(struct kmad *k, struct kmad_file *f, uint32_t id);

/*
 * A write to the device: 'bytes' of a MAD (or, with RMPP, of a whole message) addressed by 'head'.
 * 0; -EINVAL as the kernel refuses (unknown agent, length, a TID in flight, a directed route it
 * cannot start); -ENOMEM beyond a limit: too many sends wait, or too many bytes of RMPP messages.
 */
int kmad_write(struct kmad *k, struct kmad_file *f, const struct kmad_head *head,
	const uint8_t *mad,
	uint32_t bytes, struct monotime now);

/* Advances time here and in the hardware, and routes packets that the hardware delivers. */
void kmad_tick(struct kmad *k, struct monotime now);
/* Routes packets that the hardware delivers; call it after one or several kmad_write(). */
void kmad_pump(struct kmad *k, struct monotime now);
bool kmad_deadline(const struct kmad *k, struct monotime *at);

/* The next file that got messages since it was last returned here or found empty; NULL: none. */
struct kmad_file *kmad_next_ready(struct kmad *k);
/* The oldest message of a file, still the file's; NULL: none. */
const struct kmad_message *kmad_peek(const struct kmad_file *f);
/* Drops the oldest message. */
void kmad_drop(struct kmad *k, struct kmad_file *f);

/* Opens the issm device, which has one holder per port.  0, -ENODEV, or -EAGAIN if it is taken. */
int kmad_issm_open(struct kmad *k, uint32_t node, uint8_t port, struct monotime now);
void kmad_issm_close(struct kmad *k, uint32_t node, uint8_t port, struct monotime now);

const struct kmad_stats *kmad_stats(const struct kmad *k);

#endif
