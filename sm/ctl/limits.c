/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * limits.c - which clients may connect to the control socket, and log lines about faults.
 * Room: ctl.
 *
 * A user can use up only that user's own connections.  Connections reserved for root and heddled's
 * own user let an operator in at all times.  Log lines are limited likewise: a client that
 * reconnects and fails in a loop causes one line per minute.
 */
#include <config.h>
#include <stdio.h>
#include "sm/ctl/limits.h"

bool
ctl_privileged(uid_t uid, uid_t own)
{
	return uid == 0 || uid == own;
}

const char *
ctl_refusal(const struct ctl_census *c, bool privileged)
{
	if (privileged)
		return c->all < CTL_CLIENTS_MAX ? NULL : "too many clients";
	if (c->same_user >= CTL_CLIENTS_PER_USER)
		return "too many clients of this user";
	return c->unprivileged < CTL_CLIENTS_MAX - CTL_CLIENTS_KEPT && c->all < CTL_CLIENTS_MAX ?
		NULL :
		"too many clients";
}

/* The row of that user and kind, else one that is free or whose time is over; -1: none. */
static int
find_row(const struct ctl_faults *f, enum ctl_fault kind, uid_t uid, struct monotime now)
{
	int spare = -1;

	for (int i = 0; i < CTL_FAULTS_MAX; i++) {
		if (f->v[i].used && f->v[i].uid == uid && f->v[i].kind == kind)
			return i;
		if (spare < 0 &&
		    (!f->v[i].used ||
				monotime_reached(now, monotime_add_us(f->v[i].logged, CTL_LOG_US))))
			spare = i;
	}
	return spare;
}

void
ctl_log_fault(struct ctl_faults *f, const struct log *log, enum ctl_fault kind,
	const struct ctl_peer *peer, const char *reason, struct monotime now)
{
	int i = find_row(f, kind, peer->uid, now);
	unsigned more = 0;
	char also[64] = "";

	if (i < 0)
		return;
	if (f->v[i].used && f->v[i].uid == peer->uid && f->v[i].kind == kind) {
		if (!monotime_reached(now, monotime_add_us(f->v[i].logged, CTL_LOG_US))) {
			f->v[i].more++;
			return;
		}
		more = f->v[i].more;
	}
	if (more)
		snprintf(also, sizeof(also), " (and %u more since the last such line)", more);
	f->v[i].used = true;
	f->v[i].uid = peer->uid;
	f->v[i].kind = kind;
	f->v[i].logged = now;
	f->v[i].more = 0;
	log_line(log, LOG_WARN, "ctl", "process %ld (uid %ld) %s%s", (long)peer->pid,
		(long)peer->uid, reason, also);
}
