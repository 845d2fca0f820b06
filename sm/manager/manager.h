/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * manager.h - the subnet manager as one state machine: datagrams and time in, datagrams and reports
 * out.
 * Room: sm/manager.  Owns no descriptor and no thread; the one clock it reads is handed in (to time
 * phases).
 * The daemon wires it to a device, tests to the simulated hardware in the same process.
 */
#ifndef HEDDLE_SM_MANAGER_MANAGER_H
#define HEDDLE_SM_MANAGER_MANAGER_H

#include <jansson.h>
#include "fabric/snapshot/mkeys.h"
#include "libmad/io/io.h"
#include "sm/conf/conf.h"
#include "sm/sub/mgid_map.h"
#include "sm/status/documents.h"
#include "sm/subnet/job.h"

struct manager;

struct manager_conf {
	const struct conf *conf;                /* borrowed; manager_set_conf() replaces it */
	struct io_port port;                    /* the port we run on */
	const struct lid_id *lids;              /* LIDs of earlier runs, sorted by GUID; copied */
	uint32_t nlids;
	/* Of ports, where the configuration says m_key = auto; { 0 }: they get none. */
	struct mkeys mkeys;
	/* MLIDs of multicast groups of earlier runs; copied. */
	const struct mgid_row *groups;
	uint32_t ngroups;
	const struct log *log;
	/* For phases_s, and for what a tick took; jobs call it too. */
	struct monotime (*clock)(void *arg);
	void *clock_arg;
	/*
	 * Takes a job: runs it, never within this call, and hands it to manager_job_done().  NULL:
	 * the manager itself runs each at once.
	 */
	void (*run_job)(void *arg, struct job *j);
	void *job_arg;
	/* Class 7 of the port is ours: conf->cm, and it was registered. */
	bool cm;
	/* Why it is not, although conf->cm says so; copied. */
	const char *cm_why;
	/* What documents say of the process; NULL: they say 0. */
	void (*process_facts)(void *arg, struct process_facts *f);
	void *process_arg;
};

struct manager *manager_new(const struct manager_conf *c);
/*
 * Hands out a last job, which frees what others may read; 'c.conf' must outlive the jobs.  NULL is
 * fine.
 */
void manager_free(struct manager *m);

/*
 * 'j' was run: takes it.  A job of a manager that is gone, or that nobody waits for any more, is
 * dropped ('m' may be NULL). Call manager_tick() then.
 */
void manager_job_done(struct manager *m, struct job *j, struct monotime now);
/* A sweep waits for a job. */
bool manager_works(const struct manager *m);

/*
 * Where the next datagram may be received, so that least is copied; until the next call of anything
 * here.
 */
struct dgram *manager_room(struct manager *m);
/* A datagram came in; d->more is no longer the caller's, and may be gone. */
void manager_receive(struct manager *m, struct dgram *d, struct monotime now);
/* The last datagram of manager_next_send() was refused with a positive errno. */
void manager_send_failed(struct manager *m, const struct dgram *d, int error, struct monotime now);
/* Moves everything on that can move; call it after receiving and when the deadline is reached. */
void manager_tick(struct manager *m, struct monotime now);
/* The next datagram to send; 'd->more' is the manager's until the next call. */
bool manager_next_send(struct manager *m, struct dgram *d, int *timeout_ms, struct monotime now);
/*
 * Requests wait to be answered, more than one turn answers, or what was answered goes on: tick and
 * send again, after a look at the device.
 */
bool manager_answers_wait(const struct manager *m);
bool manager_deadline(const struct manager *m, struct monotime *at);

/*
 * Configuration read again: takes effect with the next sweep, which starts at once.  The former one
 * may be freed behind the jobs that were handed out before: by a job.
 */
void manager_set_conf(struct manager *m, const struct conf *conf, struct monotime now);
/* Sweep now, all of it. */
void manager_sweep(struct manager *m, const char *why, struct monotime now);
/*
 * Gives every port its M_Key back (0), then stops leading or standing by, until manager_resume() or
 * a restart.
 */
void manager_release(struct manager *m, struct monotime now);
void manager_resume(struct manager *m, struct monotime now);
/*
 * The M_Key of the end port that a LID, a GUID or a description names; false: there is no such
 * port.
 */
bool manager_port_key(
	const struct manager *m, const char *name, uint64_t *port_guid, uint64_t *key);
/* True once after the LIDs to be kept have changed: '*rows' is borrowed until the next tick. */
bool manager_take_lids(struct manager *m, const struct lid_id **rows, uint32_t *n);
/*
 * The same for the MLIDs of multicast groups, the oldest row first: at most ten times a second,
 * unless 'last'.
 */
bool manager_take_groups(struct manager *m, bool last, const struct mgid_row **rows, uint32_t *n);

/*
 * True while no request is older than its retry budget allows, and no job runs for ever: the
 * watchdog may be fed.
 */
bool manager_healthy(const struct manager *m, struct monotime now);

enum sweep_outcome manager_outcome(const struct manager *m);
unsigned manager_sweeps(const struct manager *m);       /* ended ones */
/* "master, 1620 switches, 11664 hosts, up": a line for STATUS=. */
void manager_line(const struct manager *m, char *buf, size_t len);

/* 0 up, 1 refused or standing by, 3 partial, 255 no fabric: the exit status of --once. */
int manager_exit_status(const struct manager *m);

/* Documents for people and scripts; owned by the caller. */
/* Heddled --report. */
json_t *manager_report(const struct manager *m, struct monotime now);
/* Io.heddle.Manager.Status. */
json_t *manager_status(const struct manager *m, struct monotime now);
/*
 * Lines of the log that were counted instead of logged, because a peer repeats them;
 * io.heddle.Manager.Status has them.
 */
uint64_t manager_log_suppressed(const struct manager *m);
/* Io.heddle.Manager.Snapshot. */
json_t *manager_snapshot(const struct manager *m);

/*
 * The documents that are long, made by a job (sm/status/documents.h): 0, and
 * manager_take_document() brings it; or a negative errno and '*out', which says why.
 */
/* 'first' 0: the snapshot; otherwise paths, from that LID on. */
int manager_make_document(
	struct manager *m, uint16_t first, document_write_fn *write, uint64_t ticket, json_t **out);
/* The snapshot as it was read: io.heddle.Manager.Images. */
int manager_make_images(struct manager *m, document_write_fn *write, uint64_t ticket, json_t **out);
bool manager_take_document(struct manager *m, struct document *d);
/*
 * io.heddle.Manager.Trace: 0, or -ENOENT with '*out' saying what was not found; -EAGAIN before the
 * first sweep.
 */
int manager_trace(const struct manager *m, const char *from, const char *to, json_t **out);
/* io.heddle.Manager.Paths: in the same way. */
int manager_paths(struct manager *m, uint16_t first, json_t **out);

#endif
