/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * world.h - managers and a simulated fabric in one process, under a virtual clock.
 * Room: tests.  One seed, one run; time passes only in world_run().
 */
#ifndef HEDDLE_TESTS_SCENARIO_WORLD_H
#define HEDDLE_TESTS_SCENARIO_WORLD_H

#include "fabric/topo/topo.h"
#include "sim/hw/hw.h"
#include "sm/manager/manager.h"
#include "util/log.h"

#define WORLD_MANAGERS_MAX 64
#define WORLD_SM_KEY UINT64_C(0x5ec4e7515ec4e751)
#define WORLD_SA_KEY UINT64_C(0x5ec4e75a5ec4e75a)
/* The M_Key that the managers of a world give a port when m_key is auto. */
uint64_t world_mkey(uint64_t port_guid);

/* What is to be kept across restarts, as the daemon's store keeps it: LIDs, MLIDs of multicast
 * groups, the intended topology. */
struct world_store {
	struct lid_id *rows;
	uint32_t n;
	struct mgid_row *groups;
	uint32_t ngroups;
	char *topology;                 /* NULL: none */
	size_t topology_len;
	uint8_t *tables;                /* stored forwarding tables; NULL: none */
	size_t tables_len;
};

struct world;
struct world_job {
	struct job *j;
	struct monotime at;             /* when it has ended */
};

struct world_manager {
	struct world *w;
	struct manager *m;              /* NULL: killed */
	struct conf *conf;
	struct world_job *jobs;         /* under way, the oldest first */
	unsigned njobs;
	unsigned jobs_given;
	uint32_t node;
	uint8_t port;
	uint64_t smps;                  /* requests it sent */
	uint64_t own_gets;              /* of them Gets of the own port's PortInfo */
	uint64_t sets;                  /* of them Sets */
	uint64_t lft_sets;
	uint64_t reregisters;           /* Sets of PortInfo that ask a client to register again */
	uint64_t clears;                /* Sets of SwitchInfo that clear PortStateChange */
	uint64_t represses;             /* traps it silenced */
	uint64_t mft_gets, mft_sets;
	uint64_t lane_gets, lane_sets;  /* of SLtoVL and VLArbitration tables */
	uint64_t node_infos;            /* a whole sweep asks for many, a light one for none */
	struct world_store store;       /* what it gave to be kept, last */
};

struct world {
	struct topo topo;
	struct hw *hw;
	struct monotime now;
	struct world_manager sm[WORLD_MANAGERS_MAX];
	unsigned nsm;
	struct log log;
	bool trace;
	int64_t phase_us;               /* so long a manager computes at the end of each phase of a sweep */
	int64_t job_us;                 /* so long a job takes; 0: managers run their jobs themselves, at once */
	bool job_late;                  /* what it computes it reads at its end, else at its beginning */
	bool frozen[WORLD_MANAGERS_MAX];        /* stopped: neither receives nor moves */
	unsigned lines;                 /* of the log, printed so far */
	bool keep_deliveries;           /* what comes to hosts is kept for world_take_delivery(), else dropped */
	struct hw_delivery *kept;
	unsigned nkept, cap_kept;
	/* called after each Set that was sent, and whenever packets have moved; NULL: nobody */
	void (*look)(struct world *w, void *arg);
	void *look_arg;
	struct sm_info pretends;        /* of world_pretend() */
	uint32_t pretender;             /* its node */
	bool pretending;
};

void world_init(struct world *w, const char *spec, uint64_t seed);
/* The same with hardware of other abilities. */
void world_init_hw(struct world *w, const char *spec, const struct hw_conf *c);
/* From the text of a topology file. */
void world_init_text(struct world *w, const char *text);
void world_clear(struct world *w);
/* Starts a manager on a host (by description; NULL: the first) with 'args' like a command line ("-p", "3", NULL). */
struct world_manager *world_manager_start(struct world *w, const char *host, const char *const *args);
/* The same, with what an earlier one kept (NULL: nothing). */
struct world_manager *world_manager_start_with(struct world *w, const char *host, const char *const *args,
	const struct world_store *store);
/* From now on a program on 'host' answers Get(SMInfo) with this, and does nothing else; NULL: it ends. */
void world_pretend(struct world *w, const char *host, const struct sm_info *si);
/* As kill -9: its IsSM goes with it. */
void world_manager_kill(struct world *w, struct world_manager *s);
/* As SIGHUP: loads 'args' anew; the former configuration goes behind the jobs that may read it. */
void world_manager_reload(struct world *w, struct world_manager *s, const char *const *args);
/* The same with a configuration that is loaded already; takes it. */
void world_manager_take_conf(struct world *w, struct world_manager *s, struct conf *conf);
/* Lets time pass. */
void world_run(struct world *w, int64_t us);
/* Lets time pass until the manager has ended 'n' more sweeps, 'limit_us' at most; false: it has not. */
bool world_run_sweeps(struct world *w, struct world_manager *s, unsigned n, int64_t limit_us);

/* Everything linked is ACTIVE, LIDs unique, no walk lost; prints what is wrong. */
bool world_is_right(struct world *w);
/* A number that stands for every LID of the subnet and every entry of every forwarding table. */
uint64_t world_tables(const struct world *w);
/* The LID of a port as its registers show it; the node by name. */
uint16_t world_lid(const struct world *w, const char *node, uint8_t port);
uint32_t world_node(const struct world *w, const char *name);
/* The last one kept of what came to hosts, the manager's included; false: none. */
bool world_take_delivery(struct world *w, struct hw_delivery *d);
/* A manager on host 'from' sends Set(SMInfo) with the keys to 's', as master; its GUID and LID are that port's. */
void world_sm_info_set(struct world *w, struct world_manager *s, const char *from, uint32_t modifier);
/* Hands a MAD to the manager as if it had come in from 'lid'. */
void world_inject(struct world *w, struct world_manager *s, const uint8_t mad[256], uint16_t lid);

#endif
