/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * subnet.h - what every room of the manager works with: configuration, transactions, what is
 * served, log, now.
 * Room: sm/subnet.  Pure.
 *
 * The rooms below sm/manager know no manager.  Each function takes what its own room owns and,
 * where it needs more, a struct subnet.  It is small on purpose: what only one room needs belongs
 * to that room.  Who may change what:
 *   conf, conf_age           sm/manager, when the configuration was read again
 *   now                      sm/manager, at each call from outside
 *   served                   sm/sweep, when a sweep has ended
 *   schedule                 all, by sm/subnet/schedule.h
 *   outbox                   whoever answers, by sm/subnet/outbox.h
 *   role                     sm/ha alone; others read it
 *   tables                   rounds, and sweeps, by what answers show (fabric/snapshot/observed.h)
 */
#ifndef HEDDLE_SM_SUBNET_SUBNET_H
#define HEDDLE_SM_SUBNET_SUBNET_H

#include "fabric/snapshot/mkeys.h"
#include "fabric/snapshot/observed.h"
#include "libmad/io/io.h"
#include "libmad/txn/txn.h"
#include "sm/subnet/job.h"
#include "sm/subnet/outbox.h"
#include "sm/subnet/owner.h"
#include "sm/subnet/role.h"
#include "sm/subnet/schedule.h"
#include "util/loglimit.h"

struct conf;
struct plan;
struct qos_groups;
struct sa_index;

/* What the last sweep that ended has left, and subnet administration answers from. */
struct served {
	struct snapshot *s;             /* NULL before the first sweep has ended */
	/* NULL before the first plan was applied, or as a standby. */
	const struct plan *plan;
	struct observed *observed;      /* of 's' */
	struct sa_index *sa;            /* NULL: there is no plan */
	struct qos_groups *qos;         /* what 'sa' borrows; NULL: without quality of service */
	unsigned age;                   /* how often 'sa' or its policy changed */
	/* A sweep was given up while it wrote: what ports hold is not what the plan says. */
	bool unsure;
};

struct subnet {
	const struct conf *conf;
	/* Counts those before it: another one may lie where an older one lay. */
	unsigned conf_age;
	struct io_port port;            /* the port we run on */
	/* Of ports, where the configuration says m_key = auto; { 0 }: they get none. */
	struct mkeys port_keys;
	const struct log *log;
	struct log_limit *log_limit;
	struct monotime now;            /* of the present call */
	/* To time phases; jobs call it too; NULL: 'now' is all there is. */
	struct monotime (*clock)(void *arg);
	void *clock_arg;
	/* Takes a job, and does not run it within this call. */
	void (*run_job)(void *arg, struct job *j);
	void *job_arg;
	struct txn *txn;
	const enum ha_state *role;
	struct observed_tables tables;  /* MFTs and GUID tables of the hardware, of all sweeps */
	struct served served;
	struct schedule schedule;
	struct outbox outbox;
};

static inline bool
subnet_is_master(const struct subnet *n)
{
	return *n->role == HA_MASTER;
}

/* Kinds of log lines that a peer can provoke. */
enum subnet_log_kind {
	LOG_KIND_TRAP,
	LOG_KIND_TRAP_OTHER,
	LOG_KIND_SM_INFO,
	LOG_KIND_SM_INFO_REFUSED,
	LOG_KIND_INFORM,
	LOG_KIND_MCAST,
	LOG_KIND_ALIAS,
	LOG_KIND_SA_LONG,
};
/* A line of one of these kinds, with the LID or GUID of who provokes it: one a second. */
#define subnet_log_limited(n, level, room, kind, source, ...) \
	log_limit_line((n)->log_limit, (n)->log, level, room, kind, source, (n)->now, __VA_ARGS__)

/* The clock's time in µs, or 'now' without one. */
int64_t subnet_clock_us(const struct subnet *n);
/* The M_Keys of ports by the configuration in force, of one port, and whether there are any. */
struct mkeys subnet_mkeys(const struct subnet *n);
uint64_t subnet_mkey(const struct subnet *n, uint64_t port_guid);
bool subnet_protects(const struct subnet *n);

/*
 * Submits a request of that owner; 'r->target' counts from the owner's first (owner.h), and so does
 * its cookie.
 */
void subnet_submit(struct subnet *n, struct txn_req *r, enum owner owner);
/* How many requests a room may have submitted before it waits: more than fit on the wire. */
uint32_t subnet_pending_max(const struct subnet *n);
/* Ends all transactions of that owner, with TXN_END_CANCELLED. */
void subnet_cancel(struct subnet *n, enum owner owner);

void subnet_hand_out(struct subnet *n, struct job *j);
/* Frees, behind the jobs that were handed out before; each may be NULL. */
struct retired {
	struct snapshot *s;
	const struct plan *p;
	struct observed *o;
	struct sa_index *x;
	struct qos_groups *q;
};
void subnet_retire(struct subnet *n, struct retired what);

#endif
