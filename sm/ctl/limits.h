/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * limits.h - how many clients the control socket has, how long each may do nothing, and what is
 * logged of it.
 * Room: ctl, private.  No descriptor is touched and no clock is read here.
 */
#ifndef HEDDLE_SM_CTL_LIMITS_H
#define HEDDLE_SM_CTL_LIMITS_H

#include <stdbool.h>
#include "sm/ctl/ctl.h"

#define CTL_CLIENTS_MAX 64
#define CTL_CLIENTS_KEPT 16             /* of them, for root and for heddled's own user */
#define CTL_CLIENTS_PER_USER 16         /* of any other user */
/* a client without a call under way is closed after this time */
#define CTL_IDLE_US (120 * 1000000ll)
#define CTL_CALL_US (10 * 1000000ll)    /* from the first byte of a call to its last */
/* within which the socket takes more of an answer; the kernel lets it when 3/4 of a buffer were
 * read */
#define CTL_SLOW_US (10 * 1000000ll)
#define CTL_LOG_US (60 * 1000000ll)     /* one line for each user and kind of fault in this time */
/* users and kinds of fault that are counted apart; of further ones nothing is logged */
#define CTL_FAULTS_MAX 32

/* The clients that are connected when another one comes. */
struct ctl_census {
	unsigned all;
	unsigned unprivileged;          /* of users other than root and heddled's own */
	unsigned same_user;
};

/* root, and the user that heddled runs as. */
bool ctl_privileged(uid_t uid, uid_t own);
/* NULL: another client of that kind has a place; else why not.  A privileged one may get the place
 * of an idle client. */
const char *ctl_refusal(const struct ctl_census *c, bool privileged);

enum ctl_fault { CTL_REFUSED, CTL_NO_CALL, CTL_TOO_LARGE, CTL_HALF_CALL, CTL_UNREAD };

struct ctl_faults {
	struct {
		uid_t uid;
		enum ctl_fault kind;
		struct monotime logged;
		unsigned more;          /* since then */
		bool used;
	} v[CTL_FAULTS_MAX];
};

/* Logs "process PID (uid UID) REASON", or only counts it when this user had such a line less than
 * CTL_LOG_US ago. */
void ctl_log_fault(struct ctl_faults *f, const struct log *log, enum ctl_fault kind,
	const struct ctl_peer *peer, const char *reason, struct monotime now);

#endif
