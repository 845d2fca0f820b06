/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * manager_int.h - what the files of the manager share.
 * Room: sm/daemon.
 *   manager.c   life, dispatch, time        sweep.c    discovery, applying, finish
 *   elect.c     who leads
 *   light.c     light sweeps, descriptions
 *   planner.c   LIDs, engines, verifier     agent.c    what others ask of us: SMInfo, traps, SA
 *   documents.c long documents, made likewise
 *   steps.c     what is computed elsewhere while the manager goes on
 *   report.c    the report            control.c  answers of io.heddle.Manager
 *   loss.c      how many tries a request gets
 *   own_port.c  whether the own port has a link
 *   strangers.c managers that are not trusted
 *   lanes.c     tables of lanes across sweeps
 *   aliases.c   alias GUIDs across sweeps
 *   connections.c  communication management: the echo service
 *   groups.c    multicast groups across sweeps    notices.c  reports to subscribers
 *   grace.c     multicast trees that a new master finds
 *   rounds.c    what those two write beside sweeps
 *   roster.c    the nodes and links of a sweep    missing.c  what was there and is not any more
 *   probes.c    which port of a switch changed    flaps.c    links that change too often
 *   problems.c  what a sweep could not do, with its place, in words
 */
#ifndef HEDDLE_SM_DAEMON_MANAGER_INT_H
#define HEDDLE_SM_DAEMON_MANAGER_INT_H

#include "fabric/discover/discover.h"
#include "fabric/read/guid_read.h"
#include "fabric/read/mft_read.h"
#include "fabric/read/qos_read.h"
#include "sm/apply/apply.h"
#include "sm/daemon/manager.h"
#include "sm/watch/watch.h"
#include "sm/daemon/rounds.h"
#include "sm/plan/inherited.h"
#include "sm/ha/election.h"
#include "sm/ha/sminfo.h"
#include "sm/route/route.h"
#include "sm/sa/limit.h"
#include "sm/sa/queue.h"
#include "sm/sub/reports.h"
#include "sm/sub/traps.h"
#include "sm/subnet/subnet.h"

#define MANAGER_ANSWERS_MAX 16          /* requests that are answered before the device is looked at again; */
#define MANAGER_LOOKED_MAX 1024         /* or fewer, when so many records and pairs were looked at for them */

/* MAN_WORK: a step of the sweep is computed, m->job */
enum manager_state { MAN_IDLE, MAN_LIGHT, MAN_DISCOVER, MAN_ELECT, MAN_READ_PKEYS, MAN_READ_QOS, MAN_READ_GUIDS,
	MAN_READ_MFTS, MAN_APPLY, MAN_WORK };

#define MANAGER_PHASES(P) \
	P(DISCOVER, "discover") P(ELECT, "elect") P(LIDS, "lids") P(ROUTE, "route") P(VERIFY, "verify") \
	P(DIFF, "diff") P(APPLY, "apply")
enum manager_phase {
#define P(name, word) PHASE_##name,
	MANAGER_PHASES(P)
#undef P
	PHASE_COUNT
};

struct manager_failed {
	uint64_t guid;
	uint64_t port_guid;             /* of the end port; 0 unknown */
	uint32_t modifier;
	uint16_t lid;
	uint8_t hop_count;
	uint8_t path[DGRAM_PATH_BYTES];
	char description[NODE_DESC_BYTES * 3 + 1];
	char code[16];                  /* timeout, mad_status, bad_reply, duplicate_guid, cut_off, ... */
	char attribute[32];
	char reason[768];
	uint16_t status;
	uint8_t port;
	/* Of a node that is known by its place only: the port before it.  place_guid 0: it is known otherwise; then "" */
	uint64_t place_guid;
	uint8_t place_port;
	char place[ROSTER_PLACE_BYTES];
};

/* The subnet in numbers, as a sweep left it. */
struct manager_counts {
	uint32_t nodes, switches, cas, routers, hosts, links;
	uint32_t linked, active, armed, init, down, unlinked;   /* ports */
};

/* What is known of the last sweep that ended. */
struct manager_sweep_result {
	enum manager_outcome outcome;
	int64_t phase_us[PHASE_COUNT];
	int64_t apply_us[CHANGE_PHASE_COUNT];
	struct route_report route;
	struct lid_report lid;
	struct verify_result verify;
	bool verified;
	json_t *verify_doc;             /* made while its snapshot lived; NULL: nothing was verified */
	struct manager_counts counts;
	char refusal[320];              /* why the plan was not written; "" */
	struct manager_failed *failed;
	uint32_t nfailed;
	uint64_t changes;               /* Sets planned */
	struct monotime started, ended;
	char why[96];
};

#define RENUMBERED_MAX 10               /* status shows so many, the last ones */
#define PORT_TEXT_BYTES (NODE_DESC_BYTES * 3 + 40)

/* Ports that got another LID, with names that outlive their snapshot. */
struct renumbered_row {
	char port[PORT_TEXT_BYTES], reason[PORT_TEXT_BYTES + 40];
	uint16_t from, to;
	bool live;                      /* 'from' was in force */
	struct monotime at;
};

struct renumbered {
	uint64_t total;
	struct renumbered_row rows[RENUMBERED_MAX];     /* the oldest first */
	unsigned n;
};

/* End ports by the M_Key that they showed last. */
struct manager_keys {
	uint32_t ours, open, others, unknown;   /* our key; none; protected by a key that is not ours; never read */
};

/* The members of all groups, by MLID. */
struct group_member {
	uint64_t guid, owner;           /* a port's, or an alias and whose it is */
	bool hears;
	bool inherited;                 /* a table that was found shows it, it has not registered */
	bool stranger;                  /* its port's table is known not to have the P_Key of the group any more */
};
struct group_tree {
	uint16_t mlid, pkey;            /* pkey 0: of no group yet */
	bool inherited;                 /* it was found in the tables */
	uint32_t end;                   /* of its members, which begin where those of the one before end */
	uint32_t beyond;                /* so many of them no tree reaches */
};
struct group_trees {
	struct group_tree *v;
	struct group_member *members;
	uint32_t n, nmembers, cap_members;
	uint32_t nstrangers;
};

/* A step of a sweep that a job computes. */
enum sweep_step {
	STEP_SEAL,                      /* discovery's answers become a snapshot */
	STEP_LOOK,                      /* what is cut off; which P_Key tables are to be read */
	STEP_PLAN,
	STEP_DIFF,
	STEP_INDEX,                     /* what is served once the plan is applied */
};

struct sweep_job {
	struct job job;         /* first */
	enum sweep_step step;
	bool ended;
	struct monotime given;          /* when it was handed out */
	/* read; they stay as they are: who lets go of them does it by a later job */
	const struct conf *conf;
	struct mkeys mkeys;             /* that ports are to get; none while they are released */
	unsigned conf_age;              /* the manager's, by then */
	const struct snapshot *served;  /* NULL: none */
	struct monotime (*clock)(void *arg);
	void *clock_arg;
	bool led, reassign;             /* of the manager, when this began */
	/* SEAL: consumes discover; LOOK: changes fresh, which nobody else looks at then; others: read it */
	struct discover *discover;
	struct snapshot *fresh;
	struct plan *plan;              /* made by PLAN (then owned), read by others */
	/* owned: the manager takes what it wants, and leaves NULL behind */
	int err;                        /* SEAL, PLAN */
	struct snapshot *sealed;
	uint32_t *isolated;
	uint32_t nisolated;
	struct pkey_ask *asks;
	uint32_t nasks;
	const struct qos_tables *known_tables;  /* read: of lanes, as the sweep before left them; NULL: nothing is known */
	struct qos_tables *tables;      /* LOOK: what of that still holds, and who reads the rest */
	struct qos_reader *lanes;
	struct lid_id *lids;            /* PLAN: of earlier runs.  INDEX: to be kept from now on */
	uint32_t nlids;
	struct plan_end *flapping;      /* LOOK: links that are not routed over */
	uint32_t nflapping;
	struct roster *roster;          /* INDEX: of 'fresh' */
	struct group_trees trees;       /* PLAN, INDEX: as they were when it began */
	struct manager_sweep_result cur;        /* PLAN and INDEX add to it */
	char refused[CONF_ENGINES_MAX][320];    /* PLAN: what each engine that was passed over said */
	unsigned nrefused;
	struct changes changes;
	struct sa_view view;            /* INDEX */
	struct sm_info sms[ELECTION_SMS_MAX + 1];
	struct sa_index *index;
	struct qos_groups *qos;
};

/* What is served, for documents that another thread makes: all const. */
struct manager_view {
	const struct snapshot *s;
	const struct plan *plan;        /* NULL: not master */
	const struct sa_index *sa;      /* likewise */
	uint64_t gid_prefix;
	unsigned sweeps;
};

/* The ways between all ports, and the index that they are of; both NULL, or 'ways' NULL as long as nobody asked. */
struct paths_kept {
	struct sa_index *sa;            /* borrowed, as sa_index_borrow() has it */
	struct sa_ways *ways;
};

struct document_job;
struct connections;
struct notices;

struct manager {
	struct subnet net;
	unsigned limited_logged;        /* 1 + conf_age of the configuration whose limited membership of our own port was logged */
	struct election election;
	struct watch watch;
	enum manager_state state;

	/* the sweep under way */
	struct sweep_job *job;          /* MAN_WORK; others that were handed out are nobody's any more */
	struct document_job *documents; /* handed out; those that are made wait to be taken */
	struct discover *discover;
	uint64_t tries_expired;         /* of txn, when discovery was last told */
	uint64_t answered, answered_tries;      /* requests of this sweep that were answered, and the tries that took */
	uint64_t answered_before;       /* the same of the sweep before */
	unsigned tries;                 /* of a request, as much is lost on the way; 0: as configured */
	struct snapshot *fresh;
	struct plan *fresh_plan;
	struct pkey_reader *pkeys;
	struct qos_reader *lanes;       /* MAN_READ_QOS */
	struct qos_tables *fresh_tables;        /* of lanes, as they are found, until fresh_plan takes them */
	struct guid_reader *guids;
	struct mft_reader *mfts;
	struct apply *apply;
	struct changes changes;
	uint32_t *isolated;
	uint32_t nisolated;
	struct manager_sweep_result cur;
	enum change_phase apply_phase;
	struct monotime phase_began;
	enum { RELEASE_NONE, RELEASE_ASKED, RELEASE_DONE } release;
	struct manager_keys keys_logged;
	bool releasing;                 /* the sweep under way began after release was asked for */

	/* the last one that ended: what is served */
	struct paths_kept paths;
	struct mcast *mcast;            /* multicast groups; forgotten when another manager leads */
	struct alias_table *alias;      /* alias GUIDs; forgotten likewise, and found again in the ports */
	struct aliases *aliases;        /* their tables, and requests that wait for them */
	struct inform *inform;          /* who wants which notices; forgotten likewise */
	struct services *services;      /* what hosts announced; forgotten likewise */
	struct groups *groups;          /* their tables, and joins that wait for them */
	struct grace *grace;            /* what is kept of the trees that a new master found */
	struct mgid_map *mgids;         /* MLIDs of MGIDs, from earlier runs on; never forgotten */
	struct mgid_row *mgid_rows;     /* as manager_take_groups() gave them */
	struct monotime mgids_taken;
	struct sa_limit *sa_limit;
	struct sa_queue *sa_queue;      /* requests that wait for their turn */
	unsigned answers_left;          /* of this turn */
	bool registered;                /* a Set or Delete was answered since the last tick: there may be tables to write */
	unsigned busy_left;             /* likewise: BUSY to those whose line is full; more are only counted */
	struct sa_stats sa_stats;
	struct manager_sweep_result last;
	unsigned sweeps;
	bool led;                       /* we have been master since the last time we were not: hosts know us */
	struct monotime last_tick;

	/* when to sweep */
	unsigned problem_sweeps;        /* heavy sweeps in a row that left something unconfigured */

	struct lid_id *lids;
	uint32_t nlids;
	bool lids_changed, reassign;
	struct renumbered renumbered;

	struct reports *reports;        /* to subscribers */
	uint16_t reports_gen;           /* counts the times that they were forgotten */
	uint32_t report_sub[REPORTS_SLOTS];     /* whose report a slot holds */
	struct traps *trap_kinds;       /* that were told lately */
	struct notices *notices;        /* that wait to be told */
	struct connections *connections;
	uint64_t traps, traps_forged, unknown_mads;
};

/* manager.c */
/* Gives up whatever is under way, and looks first who leads.  The caller says why. */
void manager_start_over(struct manager *m);
void manager_on_own_port_end(struct manager *m, const struct txn_end *e);
/* The M_Keys of ports by the configuration in force, of one port, and whether there are any. */

/* renumber.c */
/* For a job: bits by port index, as lid_conf.led wants them. */
uint64_t *renumber_led(const struct sweep_job *j, struct arena *a);
/* The LIDs of 's' are planned: logs and keeps what changes. */
void renumber_note(struct manager *m, const struct snapshot *s, const struct lid_report *now);
json_t *renumber_json(const struct manager *m, struct monotime now);    /* NULL: there is no manager */
/* loss.c */
struct txn_conf loss_txn_conf(const struct manager *m);
unsigned loss_tries(const struct manager *m);   /* of a request, now */
void loss_begin(struct manager *m);             /* a sweep begins */
/* Sees how much is lost in this sweep: where requests are expected to fail, they get more tries before they are given up. */
void loss_adapt(struct manager *m);
/* Whether anything to speak of was lost in this sweep. */
bool loss_measured(const struct manager *m);

/* sweep.c */
void sweep_start(struct manager *m, const char *why);
void sweep_on_interval(struct manager *m);
void sweep_pump(struct manager *m);
void sweep_end(struct manager *m, const struct txn_end *e, enum owner owner);
void sweep_abandon(struct manager *m);
void sweep_schedule(struct manager *m);
/* We lead: on from the election, to the plan and what follows. */
void sweep_configure(struct manager *m);
/* Ends the sweep under way.  What hosts registered and what was written is forgotten: somebody else may lead from now on. */
void sweep_stop_leading(struct manager *m);
/* Ends the sweep.  'j' has the index to serve from; without one (NULL) nothing was applied. */
void sweep_finish(struct manager *m, enum manager_outcome outcome, struct sweep_job *j);
/* A sweep that a report asks for: at once, but not oftener than the hold-down allows; all reports until then are one. */
/* What quality of service makes of paths, by m->conf and the snapshot that is served; 'on' false: nothing. */
void sweep_qos(struct manager *m, bool on);

/* planner.c, STEP_PLAN: 0 and j->plan; -EINVAL in j->err and j->cur.refusal when no engine's tables were accepted. */
void planner_run(struct sweep_job *j);
/* What the planner has to say, once it is back. */
void planner_log(struct manager *m, const struct sweep_job *j);
struct pkey_conf planner_pkey_conf(const struct conf *c);
const char *planner_pkey_text(enum pkey_trouble_kind k);

/* lanes.c */
void lanes_look(struct sweep_job *j);           /* on any thread: which tables of j->fresh are known */
void lanes_take(struct manager *m, struct sweep_job *j);        /* takes over what it found */
/* Reads what is not known.  True: nothing more is to be read, m->fresh may be planned. */
bool lanes_pump(struct manager *m);
void lanes_end(struct manager *m, const struct txn_end *e);
void lanes_plan(const struct conf *c, struct plan *p);  /* on any thread */
void lanes_log(const struct manager *m, const struct qos_plan *q);
void lanes_planned(struct manager *m);          /* m->fresh_plan is new: gives it what is known of the tables */
void lanes_abandon(struct manager *m);

/* groups.c */
void groups_reset(struct manager *m);           /* as at the start: nobody is in a group */
void groups_free(struct manager *m);
void groups_partitions(struct manager *m);      /* makes those that partitions bring along; ends those of partitions that are no more */
/* Who is in which group, for another thread; there, all trees of a plan, or who has lost the P_Key of a group; then what has
 * changed meanwhile, in m->fresh_plan. */
void groups_copy(struct manager *m, struct group_trees *t);
void groups_grow(struct group_trees *t, const struct snapshot *s, struct mcast_plan *p);
void groups_find_strangers(struct group_trees *t, const struct snapshot *s, const struct sa_index *x);
void groups_plan(struct manager *m, const struct group_trees *t);
void groups_trees_clear(struct group_trees *t);
void groups_swap(struct manager *m);            /* m->served and m->plan are about to be replaced */
void groups_swept(struct manager *m);           /* they are new: whose port has gone, leaves */
void groups_judge(struct manager *m, const struct group_trees *t);      /* m->sa is new: who has lost the P_Key of a group, leaves it */
/* What a member's join bits were before a request; what the request then changed is waited for. */
uint8_t groups_before(const struct manager *m, const struct dgram *req);
/* Sends the answer (256 bytes) to a Set of an MCMemberRecord, at once or when the tables are written. */
void groups_answer(struct manager *m, const struct dgram *req, const uint8_t *mad, uint8_t before);
void groups_pump(struct manager *m);
/* Nothing is written, and no join answered, until told otherwise. */
void groups_pause(struct manager *m, bool pause);
void groups_end(struct manager *m, const struct txn_end *e);

/* For grace.c: the least MulticastFDBCap of all switches, 0: unknown; what switches are known to hold. */
uint32_t groups_mlids(const struct snapshot *s);
struct mft_seen *groups_seen(const struct manager *m);
/* We begin to lead, and the multicast tables of m->fresh were read: all groups are dropped. */
void groups_found(struct manager *m);

/* grace.c */
void grace_reset(struct manager *m);            /* nothing is inherited */
void grace_free(struct manager *m);
/* What a manager that begins to lead reads before m->fresh is planned, and what it found; NULL: nothing. */
struct mft_reader *grace_reader(const struct manager *m);
void grace_found(struct manager *m, const struct mft_reader *r);
void grace_look(struct manager *m);             /* m->fresh is about to be planned */
void grace_begin(struct manager *m);            /* hosts were asked to register again: the time runs */
void grace_pump(struct manager *m);
bool grace_deadline(const struct manager *m, struct monotime *at);
/* Members without a name; NULL: none. */
struct inherited *grace_inherited(const struct manager *m);
/* The port registered, or may not be a member. */
void grace_release(struct manager *m, const struct snapshot *s, uint16_t mlid, uint64_t guid);

/* release.c: whoever does not lead needs no sweep to be released; true: it is done.  The sweep that took the keys away has been applied; what ports hold which key; its JSON. */
bool release_without_sweep(struct manager *m);
void release_end(struct manager *m);
struct manager_keys release_count_keys(const struct manager *m);
/* A sweep has been applied: logs how many ports do not hold our key, when that has changed. */
void release_log_keys(struct manager *m);
json_t *release_keys_json(const struct manager *m);

/* aliases.c */
void aliases_reset(struct manager *m);
void aliases_free(struct manager *m);
/* The port of 's' that a GUID stands for, its own or an alias; FAB_NONE. */
uint32_t aliases_port(const struct manager *m, const struct snapshot *s, uint64_t guid);
/* All aliases of a port; their number. */
uint32_t aliases_of(const struct manager *m, uint64_t port_guid, uint64_t guids[static ALIAS_ENTRIES_MAX]);
/* What must be read before m->fresh is planned; NULL: nothing.  And what it brought. */
struct guid_reader *aliases_reader(const struct manager *m);
void aliases_found(struct manager *m, const struct guid_row *rows, uint32_t n);
void aliases_plan(struct manager *m);           /* tables of m->fresh_plan */
void aliases_swap(struct manager *m);           /* m->served and m->plan are about to be replaced */
void aliases_swept(struct manager *m);          /* they are new */
/* The entries that a Set or Delete of a GUIDInfoRecord is about, before it. */
void aliases_before(const struct manager *m, const struct dgram *req, uint64_t before[static ALIAS_BLOCK_GUIDS]);
/* Sends the answer (256 bytes) to it when the table is written. */
void aliases_answer(struct manager *m, const struct dgram *req, const uint8_t *mad, const uint64_t before[static ALIAS_BLOCK_GUIDS]);
void aliases_pump(struct manager *m);
void aliases_pause(struct manager *m, bool pause);
void aliases_end(struct manager *m, const struct txn_end *e);

/* notices.c */
void notices_reset(struct manager *m);          /* nobody has anything to be told of */
void notices_free(struct manager *m);
/* Whether there is more to tell than one call of notices_pump() did. */
bool notices_wait(const struct manager *m);
/* An alias came into service, or went out of it. */
void notices_alias(struct manager *m, bool in, uint64_t guid, uint64_t port_guid);
void notices_trap(struct manager *m, const struct notice *trap, uint64_t tid);
/* m->served is new: ports that came and went since 'old'. */
void notices_gone(struct manager *m, const struct snapshot *old, const struct lid_map *old_lids);
void notices_pump(struct manager *m);
void notices_end(struct manager *m, const struct txn_end *e);

/* agent.c */
/* True: it waits for its turn, with d->more. */
bool agent_receive(struct manager *m, struct dgram *d);
/* Answers one of the requests that wait, and takes what that cost off m->answers_left; false: none waits.  '*made': 'out' is the
 * answer, whose 'more' is the caller's; else there is none, or it comes later. */
bool agent_answer_next(struct manager *m, struct dgram *out, bool *made);

/* connections.c */
void connections_begin(struct manager *m, const struct manager_conf *c);
void connections_free(struct manager *m);
/* True: it was of class 7, and is done with. */
bool connections_receive(struct manager *m, struct dgram *d);
void connections_pump(struct manager *m);
bool connections_next_send(struct manager *m, struct dgram *d);
bool connections_deadline(const struct manager *m, struct monotime *at);
void connections_set_conf(struct manager *m);
/* As master, m->sa is new: the service is registered with it. */
void connections_register(struct manager *m);
json_t *connections_json(const struct manager *m);      /* NULL: as without a port */

/* problems.c */
/* What is known of 't' by its place: fills in 'f'. */
void problems_place(const struct manager *m, const struct fab_trouble *t, struct manager_failed *f);
/* Logs what m->cur has and m->last had not. */
void problems_log(const struct manager *m);

/* control.c: the end port that a LID, a GUID or a description names, and the LID meant; FAB_NONE.  And its JSON. */
struct manager_view control_view(const struct manager *m);
uint32_t control_find_end(const struct manager_view *v, const char *name, uint16_t *lid);
json_t *control_end_json(const struct manager_view *v, uint32_t port, uint16_t lid);
json_t *control_snapshot(const struct manager_view *v);
/* paths.c */
/* For a job: takes what is kept, or a copy of the index; gives it back unless something else is served than at 'serving'. */
struct paths_kept paths_take(struct manager *m);
void paths_keep(struct manager *m, struct paths_kept *k, unsigned serving);
void paths_clear(struct paths_kept *k);
/* On any thread.  '*more': there are sources left. */
json_t *paths_json(const struct manager_view *v, struct paths_kept *k, uint16_t first, bool *more);
/* What is served, or its policy, is about to change: nothing is kept. */
void paths_forget(struct manager *m);

/*
 * steps.c.  A step begins with m->cur and m->fresh as they are, and ends some ticks later: then m->job->ended.
 * steps_take() gives m->cur back and the job, which the caller drops.
 */
void steps_begin(struct manager *m, enum sweep_step step);
struct sweep_job *steps_take(struct manager *m);
void steps_drop(struct sweep_job *j);
/* Nobody waits for the step under way any more; what it reads goes by steps_retire(). */
void steps_abandon(struct manager *m);

/* documents.c: true: 'j' was one of ours.  Whether one is being made: then nothing in m->served may change. */
bool documents_done(struct manager *m, const struct job *j);
bool documents_open(const struct manager *m);
void documents_forget(struct manager *m);

/* report.c */
void report_failures(struct manager *m);
void report_result_clear(struct manager_sweep_result *r);
void report_counts(const struct snapshot *s, struct manager_sweep_result *r);
json_t *report_ports_json(const struct manager_counts *c);      /* with the unlinked ones */

#endif
