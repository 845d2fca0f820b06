/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ctl.h - the control socket: Varlink on a Unix socket; the daemon supplies a table of methods.
 * Room: ctl.
 *
 * One descriptor goes into the caller's event loop.  Nothing here blocks, starts a thread or reads
 * a clock.  Each client has bounded buffers and bounded time (sm/ctl/limits.h): a client that sends
 * too large a call, stays idle, does not complete its call or does not read its answers is dropped.
 * Each user has a bounded number of connections, and some are reserved for root.
 * sm/ctl/io.heddle.Manager.varlink describes the interface; dispatch.c finds the method of a call.
 */
#ifndef HEDDLE_SM_CTL_CTL_H
#define HEDDLE_SM_CTL_CTL_H

#include <jansson.h>
#include <stddef.h>
#include <sys/types.h>
#include "util/log.h"
#include "util/monotime.h"

struct ctl;

/* The caller's credentials, as reported by the kernel. */
struct ctl_peer {
	uid_t uid;
	gid_t gid;
	pid_t pid;
	uint64_t ticket;                /* of this call, for ctl_answer() */
};

/* A method.  'params' is an object (perhaps empty), borrowed.  0: '*reply' is an object that ctl
 * takes over (NULL: an empty one).  Negative errno: the call fails with, for
 *      -EINVAL   org.varlink.service.InvalidParameter; '*reply' may be {"parameter": name}
 *      -EACCES   org.varlink.service.PermissionDenied
 *      -ENOENT   io.heddle.Manager.NotFound            '*reply' may be {"what": text}
 *      -EAGAIN   io.heddle.Manager.NotReady            '*reply' may be {"reason": text}
 *      others    io.heddle.Manager.Failed              '*reply' may be {"reason": text}
 * CTL_LATER: ctl_answer() will bring the reply; until then the client is not heard. */
#define CTL_LATER 1
struct ctl_method {
	const char *name;               /* full name: "io.heddle.Manager.Status" */
	int (*call)(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply);
};

/* Listens on 'path' (mode 0660).  Replaces a stale socket there; a live one is -EADDRINUSE.
 * 'methods', 'arg' and 'log' are borrowed until ctl_close().  Returns 0 or a negative errno. */
int ctl_open(const char *path, const struct ctl_method *methods, size_t nmethods, void *arg,
	const struct log *log, struct ctl **out);
/* For the caller's event loop: readable whenever ctl_process() has work. */
int ctl_fd(const struct ctl *c);
/* Accepts, reads, calls methods, writes; returns when nothing more can be done without waiting. */
void ctl_process(struct ctl *c, struct monotime now);
/* When ctl_process() must be called even if ctl_fd() is not readable (a client times out);
 * MONOTIME_NEVER if no client can time out. */
struct monotime ctl_deadline(const struct ctl *c);
/* Formats a reply as for a method's result ('err' 0 or a negative errno); takes 'reply'.
 * malloc'ed; may be called from any thread. */
char *ctl_reply_write(int err, json_t *reply, size_t *len);
/* Answers the call 'ticket' with those bytes and takes them; discards them if the client has
 * disconnected. */
void ctl_answer(struct ctl *c, uint64_t ticket, char *bytes, size_t len, struct monotime now);
/* Fails all calls that wait for ctl_answer(), with a reason. */
void ctl_fail_waiting(struct ctl *c, const char *reason, struct monotime now);
/* Drops all clients and removes the socket; 'c' may be NULL. */
void ctl_close(struct ctl *c);

#endif
