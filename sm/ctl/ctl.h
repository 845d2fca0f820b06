/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ctl.h - the control socket: Varlink on a Unix socket, calls answered from a table of the
 * daemon's.
 * Room: ctl.  One descriptor goes into the caller's event loop; nothing here blocks, has a thread
 * or reads a clock.  A client has bounded buffers and bounded time (sm/ctl/limits.h): one that asks
 * too much, asks nothing, does not end its call or does not read its answers is dropped.  So has a
 * user bounded places; some are kept for root.  The interface io.heddle.Manager is described in
 * sm/ctl/io.heddle.Manager.varlink.
 */
#ifndef HEDDLE_SM_CTL_CTL_H
#define HEDDLE_SM_CTL_CTL_H

#include <jansson.h>
#include <stddef.h>
#include <sys/types.h>
#include "util/log.h"
#include "util/monotime.h"

struct ctl;

/* Who asks, as the kernel says. */
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
	const char *name;               /* whole: "io.heddle.Manager.Status" */
	int (*call)(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply);
};

/* Listens on 'path' (mode 0660; a stale socket there is replaced, a live one is -EADDRINUSE).
 * 'methods', 'arg' and 'log' are borrowed until ctl_close.  0, or a negative errno. */
int ctl_open(const char *path, const struct ctl_method *methods, size_t nmethods, void *arg,
	const struct log *log, struct ctl **out);
/* Readable whenever ctl_process has something to do: for the caller's loop. */
int ctl_fd(const struct ctl *c);
/* Accepts, reads, calls methods, writes; returns when nothing more can be done without waiting. */
void ctl_process(struct ctl *c, struct monotime now);
/* When ctl_process has to be called though ctl_fd is not readable (a client whose time is over);
 * MONOTIME_NEVER when there is nothing to wait for. */
struct monotime ctl_deadline(const struct ctl *c);
/* The bytes of a reply as a method would give it ('err' 0 or a negative errno); takes 'reply'.
 * malloc'ed; on any thread. */
char *ctl_reply_write(int err, json_t *reply, size_t *len);
/* Answers the call 'ticket' with those bytes, which it takes; nobody, if the client has gone. */
void ctl_answer(struct ctl *c, uint64_t ticket, char *bytes, size_t len, struct monotime now);
/* Tells all who wait for such an answer that none comes, and why. */
void ctl_fail_waiting(struct ctl *c, const char *reason, struct monotime now);
/* Drops all clients, removes the socket; NULL is fine. */
void ctl_close(struct ctl *c);

#endif
