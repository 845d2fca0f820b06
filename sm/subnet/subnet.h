/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * subnet.h - the state that all rooms of the manager share: configuration, transactions, served
 * snapshot and plan, log, time.
 * Room: sm/subnet.  Pure.
 *
 * The rooms below sm/manager do not know struct manager.  A function takes the structure of its own
 * room and, where it needs shared state, a struct subnet.  Data that only one room needs does not
 * belong here.  Each member has one writer, or one interface by which it is changed:
 *   conf, conf_age           sm/manager, after a reload of the configuration
 *   now                      sm/manager, at each call from outside
 *   served                   sm/sweep, at the end of a sweep
 *   schedule                 all rooms, by sm/subnet/schedule.h
 *   outbox                   rooms that respond to requests, by sm/subnet/outbox.h
 *   role                     sm/ha; the other rooms only read it
 *   tables                   table rounds (sm/registry) and sweeps, from the responses to their
 *                            Sets (fabric/snapshot/observed.h)
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
struct intended;
struct plan;
struct qos_groups;
struct sa_early;
struct sa_index;
struct sa_stored;

/* Results of the last sweep that ended; the SA answers from them. */
struct served {
	struct snapshot *s;             /* NULL before the first sweep has ended */
	/* NULL before the first plan was applied, and while this SM is not master. */
	const struct plan *plan;
	struct observed *observed;      /* of 's' */
	struct sa_index *sa;            /* NULL: there is no plan */
	/* While there is no plan, what stored tables allow to answer (sm/sa/stored.h); NULL: nothing. */
	struct sa_early *early;
	struct qos_groups *qos;         /* borrowed by 'sa'; NULL: QoS is disabled */
	unsigned age;                   /* incremented when 'sa' or its QoS policy changes */
	/* A sweep was abandoned while it wrote: the ports may differ from the plan. */
	bool unsure;
};

struct subnet {
	const struct conf *conf;
	/* until then another master may have written: it gave its subnet to us while we led, or ports
	 * obeyed it */
	struct monotime other_master;
	/*
	 * Incremented by each reload.  Compare this, not 'conf': a new configuration may have the
	 * address of an old one.
	 */
	unsigned conf_age;
	struct io_port port;            /* the port we run on */
	/* M_Keys of ports if the configuration has m_key = auto; otherwise { 0 }. */
	struct mkeys port_keys;
	const struct log *log;
	struct log_limit *log_limit;
	struct monotime now;            /* time of the present call from outside */
	/* Clock to time phases; jobs call it too.  NULL: 'now' is used instead. */
	struct monotime (*clock)(void *arg);
	void *clock_arg;
	/* Takes ownership of a job; does not run it within this call. */
	void (*run_job)(void *arg, struct job *j);
	void *job_arg;
	const struct stripes *stripes;  /* for jobs that work in parts; NULL: one thread */
	struct txn *txn;
	const enum ha_state *role;
	struct observed_tables tables;  /* known contents of MFTs and GUID tables, across sweeps */
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
/* Logs a line of one of these kinds, limited by kind and source (the LID or GUID of the peer). */
#define subnet_log_limited(n, level, room, kind, source, ...) \
	log_limit_line((n)->log_limit, (n)->log, level, room, kind, source, (n)->now, __VA_ARGS__)

/* The time of 'clock' in µs; 'now' if there is no clock. */
int64_t subnet_clock_us(const struct subnet *n);
/* By the configuration in force: the M_Keys of ports, of one port, and whether there are any. */
struct mkeys subnet_mkeys(const struct subnet *n);
uint64_t subnet_mkey(const struct subnet *n, uint64_t port_guid);
bool subnet_protects(const struct subnet *n);

/*
 * Submits a request of that owner.  'r->target' is relative to the first target of the owner, and
 * the cookie is without the owner's byte (owner.h): both are completed here.
 */
void subnet_submit(struct subnet *n, struct txn_req *r, enum owner owner);
/* Limit of the requests that a room has submitted at one time; more than can be outstanding. */
uint32_t subnet_pending_max(const struct subnet *n);
/* Ends all transactions of that owner with TXN_END_CANCELLED. */
void subnet_cancel(struct subnet *n, enum owner owner);

/* Gives a job to the runner (run_job). */
void subnet_hand_out(struct subnet *n, struct job *j);
/* Data to free after the jobs that were handed out before have ended; each may be NULL. */
struct retired {
	struct snapshot *s;
	const struct plan *p;
	struct observed *o;
	struct sa_index *x;
	struct qos_groups *q;
	struct intended *t;
	struct sa_early *e;
	struct sa_stored *d;
};
void subnet_retire(struct subnet *n, struct retired what);

#endif
