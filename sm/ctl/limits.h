/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * limits.h - limits of the control socket: number of clients, idle time, and log lines about
 * faults.
 * Room: ctl, private.  Touches no descriptor and reads no clock.
 *
 * Users who may open the control socket must not be able to prevent root from using it. Connections
 * are therefore counted by user, some are reserved for root, and clients that are idle, slow or
 * incomplete are closed. Log lines are limited by user and kind of fault, because each connection
 * could cause one.
 */
#ifndef HEDDLE_SM_CTL_LIMITS_H
#define HEDDLE_SM_CTL_LIMITS_H

#include <stdbool.h>
#include "sm/ctl/ctl.h"

#define CTL_CLIENTS_MAX 64
#define CTL_CLIENTS_KEPT 16             /* connections reserved for root and heddled's own user */
#define CTL_CLIENTS_PER_USER 16         /* connections of any other user */
/* a client without a call in progress is closed after this time */
#define CTL_IDLE_US (120 * 1000000ll)
#define CTL_CALL_US (10 * 1000000ll)    /* from the first byte of a call to its last */
/* maximum time without progress in sending an answer; the kernel accepts more once 3/4 of a
 * buffer were read */
#define CTL_SLOW_US (10 * 1000000ll)
#define CTL_LOG_US (60 * 1000000ll)     /* one line for each user and kind of fault in this time */
/* pairs of user and fault counted separately; further ones are not logged */
#define CTL_FAULTS_MAX 32

/* The clients connected when another one arrives. */
struct ctl_census {
	unsigned all;
	unsigned unprivileged;          /* of users other than root and heddled's own */
	unsigned same_user;
};

/* Reports whether the user is root or the user that heddled runs as. */
bool ctl_privileged(uid_t uid, uid_t own);
/* NULL: another client of that kind may connect; otherwise the reason for refusal.  A privileged
 * client may replace an idle one. */
const char *ctl_refusal(const struct ctl_census *c, bool privileged);

enum ctl_fault { CTL_REFUSED, CTL_NO_CALL, CTL_TOO_LARGE, CTL_HALF_CALL, CTL_UNREAD };

struct ctl_faults {
	struct {
		uid_t uid;
		enum ctl_fault kind;
		struct monotime logged;
		unsigned more;          /* faults since the last line */
		bool used;
	} v[CTL_FAULTS_MAX];
};

/* Logs "process PID (uid UID) REASON"; only counts it if such a line was logged for this user
 * less than CTL_LOG_US ago. */
void ctl_log_fault(struct ctl_faults *f, const struct log *log, enum ctl_fault kind,
	const struct ctl_peer *peer, const char *reason, struct monotime now);

#endif
