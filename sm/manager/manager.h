/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * manager.h - the subnet manager as one state machine: datagrams and time in, datagrams and reports
 * out.
 * Room: sm/manager.
 *
 * The manager owns no file descriptor and no thread.  Time is an argument of its functions; the
 * clock in struct manager_conf only times phases.  sm/daemon connects it to a device, tests connect
 * it to simulated hardware in the same process.
 *
 * A turn of the caller: pass received datagrams to manager_receive(), call manager_tick(), then
 * send the datagrams of manager_next_send().  manager_deadline() says when the next turn is due.
 * Every turn ends, and no turn waits for a node.  manager_int.h has the parts of a manager.
 */
#ifndef HEDDLE_SM_MANAGER_MANAGER_H
#define HEDDLE_SM_MANAGER_MANAGER_H

#include <jansson.h>
#include "fabric/snapshot/mkeys.h"
#include "libmad/io/io.h"
#include "sm/conf/conf.h"
#include "sm/sa/stored.h"
#include "sm/sub/mgid_map.h"
#include "sm/status/documents.h"
#include "sm/subnet/job.h"

struct manager;

struct manager_conf {
	const struct conf *conf;                /* borrowed; manager_set_conf() replaces it */
	struct io_port port;                    /* the port we run on */
	const struct lid_id *lids;              /* LIDs of earlier runs, sorted by GUID; copied */
	uint32_t nlids;
	/* M_Keys of ports if the configuration has m_key = auto; otherwise { 0 }. */
	struct mkeys mkeys;
	/* MLIDs of multicast groups of earlier runs; copied. */
	const struct mgid_row *groups;
	uint32_t ngroups;
	/* The intended topology as an earlier run gave it to be stored; NULL: none. */
	const char *topology;
	size_t topology_len;
	/* The forwarding tables that an earlier run stored (malloc'ed), which the manager takes; NULL:
	 * none. */
	uint8_t *tables;
	size_t tables_len;
	/* For jobs that work in parts; NULL: one thread. */
	const struct stripes *stripes;
	const struct log *log;
	/* To time phases (phases_s) and ticks; jobs call it too. */
	struct monotime (*clock)(void *arg);
	void *clock_arg;
	/*
	 * Takes a job: runs it, never within this call, and hands it to manager_job_done().  NULL:
	 * the manager itself runs each at once.
	 */
	void (*run_job)(void *arg, struct job *j);
	void *job_arg;
	/* Class 7 of the port is registered for us: the echo service is enabled by conf->cm. */
	bool cm;
	/* Why class 7 is not registered although conf->cm is set; copied. */
	const char *cm_why;
	/* Facts of the process for documents; NULL: documents have 0. */
	void (*process_facts)(void *arg, struct process_facts *f);
	void *process_arg;
};

struct manager *manager_new(const struct manager_conf *c);
/*
 * Hands out a last job, which frees data that other jobs may read; 'c.conf' must remain valid until
 * the jobs have ended.  NULL is fine.
 */
void manager_free(struct manager *m);

/*
 * Takes 'j' after it was run.  A job of a manager that was freed ('m' may be NULL), or of an
 * abandoned sweep, is dropped.  Call manager_tick() afterwards.
 */
void manager_job_done(struct manager *m, struct job *j, struct monotime now);
/* Whether this manager is the master. */
bool manager_leads(const struct manager *m);
/* Whether a sweep waits for a job. */
bool manager_works(const struct manager *m);
/* Whether answers are under way to what a sweep has asked, and it does not wait for a job. */
bool manager_awaits_answers(const struct manager *m);

/*
 * A buffer for the next received datagram, which avoids a copy; valid until the next call of any
 * function of the manager.
 */
struct dgram *manager_room(struct manager *m);
/* A datagram was received; takes ownership of d->more. */
void manager_receive(struct manager *m, struct dgram *d, struct monotime now);
/* The last datagram of manager_next_send() was refused with a positive errno. */
void manager_send_failed(struct manager *m, const struct dgram *d, int error, struct monotime now);
/* Continues all work that can continue; call it after receiving and at the deadline. */
void manager_tick(struct manager *m, struct monotime now);
/* The next datagram to send; 'd->more' is the manager's until the next call. */
bool manager_next_send(struct manager *m, struct dgram *d, int *timeout_ms, struct monotime now);
/*
 * Whether requests are left for another turn, or an answered request causes further work: check the
 * device, then tick and send again.
 */
bool manager_answers_wait(const struct manager *m);
bool manager_deadline(const struct manager *m, struct monotime *at);

/*
 * The configuration was reloaded: takes effect with the next sweep, which starts at once.  The old
 * one must be freed by a job, so that earlier jobs can still read it.
 */
void manager_set_conf(struct manager *m, const struct conf *conf, struct monotime now);
/* Requests a heavy sweep now. */
void manager_sweep(struct manager *m, const char *why, struct monotime now);
/*
 * Sets the M_Key of every port to 0, then becomes NOTACTIVE until manager_resume() or a restart.
 */
void manager_release(struct manager *m, struct monotime now);
void manager_resume(struct manager *m, struct monotime now);
/*
 * A sweep takes the fabric as it is then as the intended topology; or it adopts all growth, keeps
 * what is missing, and moves entries to their intended ports.
 */
void manager_topology_adopt(struct manager *m, struct monotime now);
void manager_topology_rebalance(struct manager *m, struct monotime now);
/*
 * The M_Key of the end port that a LID, a GUID or a description names; false: there is no such
 * port.
 */
bool manager_port_key(
	const struct manager *m, const char *name, uint64_t *port_guid, uint64_t *key);
/* True once after the LIDs to store have changed; '*rows' is borrowed until the next tick. */
bool manager_take_lids(struct manager *m, const struct lid_id **rows, uint32_t *n);
/*
 * The same for the MLIDs of multicast groups, the oldest row first: at most ten times a second,
 * unless 'last'.
 */
bool manager_take_groups(struct manager *m, bool last, const struct mgid_row **rows, uint32_t *n);

/* The same for the document of the intended topology. */
bool manager_take_topology(struct manager *m, const char **text, size_t *len);
/*
 * The same for forwarding tables; the caller clears '*out' (sa_stored_doc_clear()), on any thread.
 * 'last': before the program ends.
 */
bool manager_take_tables(struct manager *m, bool last, struct sa_stored_doc *out);

/*
 * True while no request is older than its retry budget allows and no job exceeds its time limit:
 * the watchdog may be fed.
 */
bool manager_healthy(const struct manager *m, struct monotime now);

enum sweep_outcome manager_outcome(const struct manager *m);
unsigned manager_sweeps(const struct manager *m);       /* ended ones */
/* "master, 1620 switches, 11664 hosts, up": a line for STATUS=. */
void manager_line(const struct manager *m, char *buf, size_t len);

/* 0 up, 1 refused or standing by, 3 partial, 255 no fabric: the exit status of --once. */
int manager_exit_status(const struct manager *m);

/* Documents for people and scripts; owned by the caller. */
/* The document of heddled --report. */
json_t *manager_report(const struct manager *m, struct monotime now);
/* The document of io.heddle.Manager.Status. */
json_t *manager_status(const struct manager *m, struct monotime now);
/*
 * The number of log lines that were suppressed by the rate limit of peers; io.heddle.Manager.Status
 * shows it.
 */
uint64_t manager_log_suppressed(const struct manager *m);
/* The document of io.heddle.Manager.Snapshot. */
json_t *manager_snapshot(const struct manager *m);

/*
 * Long documents, made by a job (sm/status/documents.h).  0: manager_take_document() returns the
 * document later; or a negative errno, with the reason in '*out'.
 */
/* 'first' 0: the snapshot; otherwise paths, from that LID on. */
int manager_make_document(
	struct manager *m, uint16_t first, document_write_fn *write, uint64_t ticket, json_t **out);
/* The attributes of the snapshot as they were read: io.heddle.Manager.Images. */
int manager_make_images(struct manager *m, document_write_fn *write, uint64_t ticket, json_t **out);
bool manager_take_document(struct manager *m, struct document *d);
/*
 * io.heddle.Manager.Trace: 0, or -ENOENT with '*out' saying what was not found; -EAGAIN before the
 * first sweep.
 */
int manager_trace(const struct manager *m, const char *from, const char *to, json_t **out);
/* The document of io.heddle.Manager.Topology. */
json_t *manager_topology(const struct manager *m);
/* io.heddle.Manager.Paths: 0, or -EAGAIN with the reason in '*out'. */
int manager_paths(struct manager *m, uint16_t first, json_t **out);

#endif
