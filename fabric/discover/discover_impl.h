/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover_impl.h - what the files of discovery share.
 * Room: fabric/discover.  Pure.  Only discover*.c include it.
 *
 * discover.c       which request is sent next, what an answer about a known node means
 * discover_queue.c the queues of requests, remarks, and which requests a node needs
 * discover_place.c NodeInfo: who is behind a port
 * discover_cable.c cables, nodes seen twice, moved cables
 * discover_guid.c  of several nodes with one GUID, which one keeps it
 * discover_seal.c  the finished snapshot, the problems in words
 *
 * A place is a port of a node we know; a look asks NodeInfo of whoever is behind it.  A cable
 * between two switches is found by the look from either end: when the first is answered, the other
 * is not sent any more.
 */
#ifndef HEDDLE_FABRIC_DISCOVER_DISCOVER_IMPL_H
#define HEDDLE_FABRIC_DISCOVER_DISCOVER_IMPL_H

#define uthash_fatal(text) bug("%s", text)
#include <uthash.h>
#include "fabric/discover/discover_conf.h"
#include "libmad/txn/txn.h"
#include "util/log.h"

#define NO_NODE UINT32_MAX
#define NODES_MAX 65536         /* a subnet has 49,151 LIDs: more nodes are somebody's invention */
#define PORTS_MAX (1u << 21)    /* of all nodes together */
/* from one port in one sweep: whatever the peers do, the sweep ends */
#define LOOKS_MAX 4
#define LEVELS DGRAM_PATH_BYTES
/* looks from a level before it is believed not to be meshed: more than one node's */
#define LEVEL_PROBES 64
#define SELVES_MAX 8            /* the same for the routes to one node */

enum { PORT_STATE_MAX = 5 };    /* ActiveDefer, which was given up, counts as possible */

enum ask {
	/* NodeInfo behind (node, next); end 1: also when the cable is known */
	ASK_LOOK,
	ASK_AGAIN,                      /* the look number 'node' */
	ASK_PORT, ASK_SWITCH, ASK_DESC, ASK_PKEYS, ASK_LFT,
};

/* A run of questions waiting to be sent: next, next + 1, ... end. */
struct job {
	uint32_t node;
	uint16_t next, end;
	uint8_t ask;                    /* enum ask */
};

/* First in, first out. */
struct jobs {
	struct job *ring;
	uint32_t cap, head, len;
};

/* The looks that go out from nodes equally far from us. */
struct level {
	struct jobs to_look;
	uint32_t ended;
	bool meshed;                    /* some of these nodes are neighbours */
};

struct place {
	uint32_t node;                  /* NO_NODE: none */
	uint8_t port;
};

/* A directed route; never changed once made, because requests on the wire point into it. */
struct route {
	uint8_t gen;                    /* counts the routes a node has had */
	uint8_t hops;
	uint8_t path[];                 /* hops + 1 */
};

struct found_port {
	struct place peer;
	uint8_t flags;                  /* enum fab_port_flags */
	uint8_t looks;                  /* sent from here */
	uint8_t info[PORT_INFO_BYTES];
};

/* What only end ports have. */
struct found_end {
	uint64_t guid;
	const struct route *route;      /* to this very port (not of a switch) */
	uint8_t *pkeys;
};

struct found {
	UT_hash_handle hh;
	uint64_t guid;
	const struct route *route;
	struct found_port *ports;       /* 0..nports */
	struct found_end *ends;         /* switch: [0]; else 0..nports */
	const uint8_t *lft;             /* remembered, or the one below */
	uint8_t *lft_read;              /* in the snapshot's arena, filled block by block */
	uint32_t lft_blocks, lft_open;
	uint32_t index, target;
	uint8_t type, nports, entry, flags;     /* flags: enum fab_node_flags */
	uint8_t selves;                 /* LOOK_SELF sent */
	bool audited;
	bool ports_wait;                /* a switch: its ports are asked when port 0 has been */
	uint8_t extended;               /* enum discover_extended */
	/* its port GUID belongs to another port: reported already */
	bool left_out;
	uint8_t node_info[NODE_INFO_BYTES];
	uint8_t desc[NODE_DESC_BYTES];
	uint8_t switch_info[SWITCH_INFO_BYTES];
};

enum look_why {
	LOOK_ROOT,                      /* the own node */
	LOOK_FIRST,
	/* is 'expect' still there?  'from' has seen 'to', which is one end of that cable */
	LOOK_OLD,
	/* 'expect' has another cable, or none, by its own look: who says it is here? */
	LOOK_CLAIM,
	LOOK_DOWN,                      /* 'expect' has seen this port, whose state is DOWN */
	/* 'expect' has seen this port, whose own look brought nothing: is 'expect' behind it? */
	LOOK_BACK,
	/* does the route still lead to at.node?  'from' has seen a double of 'to' */
	LOOK_SELF,
};

struct look {
	struct place at;
	struct place expect, from, to;
	uint32_t target;
	uint32_t sent;                  /* its number among all looks */
	uint8_t why;                    /* enum look_why */
	uint8_t stage;                  /* LOOK_SELF: of prove() */
	uint8_t gen;                    /* of the route to at.node when it was sent */
	uint8_t hops;
	uint8_t path[DGRAM_PATH_BYTES];
};

#define REASONS(R) \
	R(NO_ANSWER, "no answer") \
	R(NOT_SENT, "could not be sent") R(CANCELLED, "given up") R(STATUS, "status") \
	R(MISMATCH, "only wrong answers") R(TYPE, "impossible node type") R(PORTS, "impossible number of ports") \
	R(LOCAL_PORT, "impossible local port number") R(ZERO_GUID, "a GUID is 0") R(STATE, "impossible port state") \
	R(LFT_TOP, "LinearFDBTop beyond the table") R(LOOPED, "port cabled to itself") \
	R(TWICE, "another node has this node GUID") R(HELD, "another node is served under this node GUID") R(PORT_TWICE, "another port has this port GUID") \
	R(MOVED, "cable moved while we looked") R(STALE, "the route to it led elsewhere while we looked") R(GONE, "no longer connected") \
	R(FAR, "more than 63 hops away") R(TOO_MANY, "more nodes or ports than a subnet can hold")
#define REASON_ENUM(name, text) WHY_##name,
enum reason { REASONS(REASON_ENUM) };

/* A problem before the paths are known. */
struct remark {
	struct place at;                /* the node asked; or, 'behind', the port before it */
	struct place other;             /* where the node was first */
	uint64_t guid;                  /* of the node asked, 0 unknown */
	uint32_t modifier, value;       /* value: the impossible number, the mismatches */
	uint16_t attr_id, status;
	uint8_t kind, why, port;        /* enum fab_problem_kind, enum reason */
	bool behind;
};

/* An answer that waits until everything else was answered: its GUID is known to be elsewhere. */
struct parked {
	struct look look;
	uint8_t node_info[NODE_INFO_BYTES];
};

struct discover {
	struct discover_conf conf;
	struct mkeys_last last_key;
	const struct log *log;
	struct arena arena;             /* all that is not handed on */
	struct snapshot *snap;          /* its arena takes the LFT blocks as they come */
	struct found **nodes;           /* in the order they were found; [0] the own one */
	struct found *by_guid;
	uint32_t nnodes, nodes_cap, nports;
	struct look **looks;
	uint32_t nlooks, looks_cap;
	uint32_t *free_looks;
	uint32_t nfree_looks;           /* capacity: looks_cap */
	uint32_t *free_targets;
	uint32_t nfree_targets, free_targets_cap, next_target;
	struct level levels[LEVELS];    /* looks, by the hops to where they go out */
	struct jobs to_ask;             /* all other questions */
	uint32_t nlooks_to_go;          /* on all levels */
	uint64_t looks_open;            /* looks on their way */
	/* number of the last look sent; the greatest that has ended */
	uint32_t looks_sent, looks_ended;
	unsigned looks_level;           /* of the last one sent, */
	uint32_t looks_node;            /* and the node that it went out from */
	struct remark *remarks;
	uint32_t nremarks, remarks_cap;
	uint64_t open, answered;
	uint32_t late;                  /* of the open ones: not counted in the window */
	struct parked *parked;
	uint32_t nparked, parked_cap;
	/* outlives a new beginning: GUIDs that nothing else decides */
	struct discover_place *decided;
	uint32_t ndecided;
	unsigned beginnings;
	/* 'decided' has changed: a GUID was given to the wrong node */
	bool begin_again;
};

/* ---- discover_queue.c ---- */
void discover_push(struct discover *d, struct job j);
struct remark *discover_remark(struct discover *d, enum fab_problem_kind kind, enum reason why);
/* A remark about an end that brought no answer: kind, reason, status, attribute and modifier are
 * filled in. */
struct remark *discover_remark_end(struct discover *d, const struct txn_end *e);
uint32_t discover_target(struct discover *d);
void discover_target_put(struct discover *d, uint32_t target);
/* All questions about a new node but those of its end port; the questions of one end port. */
void discover_ask_node(struct discover *d, uint32_t node);
void discover_ask_end(struct discover *d, uint32_t node, uint8_t port);
/* The route of 'node' has changed: asks for what failed on the old one. */
void discover_ask_again(struct discover *d, uint32_t node);

/* ---- discover_place.c ---- */
/* Makes a look ready to be sent: its number. */
uint32_t discover_look(struct discover *d, struct place at, enum look_why why);
void discover_look_end(struct discover *d, uint32_t number, const struct txn_end *e);
/* Node info 'image' came as the answer to 'k': the place of whoever sent it, new if need be;
 * none when it is impossible. */
struct place discover_who(struct discover *d, const struct look *k, const uint8_t *image);
/* Whether packets leave 'p' to where a directed route says. */
bool discover_forwards(const struct discover *d, struct place p);
/* Cables between where the sweep began and the node; whether its ports are looked behind. */
unsigned discover_distance(const struct discover *d, uint32_t node);
bool discover_reaches(const struct discover *d, uint32_t node);
/* The state of 'p' became known. */
void discover_port_state(struct discover *d, struct place p, const struct port_info *info);

/* ---- discover_cable.c ---- */
/* Room for a route of 'hops'; the caller fills its path. */
struct route *discover_route_alloc(struct discover *d, uint8_t hops, uint8_t gen);
/* Takes the cable of 'a' away, if it has one. */
void discover_unlink(struct discover *d, struct place a);
/* A look from 'from' was answered by port 'to'. */
void discover_claim(struct discover *d, struct place from, struct place to);
/* Behind 'from' is something with the GUID of 'first', but it cannot be the same: two nodes, if
 * the routes are right. */
void discover_twice(struct discover *d, struct place from, struct place first);
/* Looks at 'at' again, whatever is known.  False: it was looked at too often, or nobody can look
 * from there. */
bool discover_look_again(struct discover *d, enum look_why why, struct place at,
	struct place expect,
	struct place from, struct place to);
/* The ends of such looks: 'expect' is still there; something else is, or ('got' none) nothing
 * that answers. */
void discover_again_same(struct discover *d, const struct look *k);
void discover_again_other(struct discover *d, const struct look *k, struct place got);
/* The end of a LOOK_SELF. */
void discover_self_seen(struct discover *d, const struct look *k, struct place who);

/* ---- discover_guid.c ---- */
/* True: the answer to 'k' waits, because the GUID in it is known to be elsewhere. */
bool discover_park(struct discover *d, const struct look *k, const uint8_t *node_info);
/* Takes up the answers that wait until nothing else is open.  False: none wait. */
bool discover_take_parked(struct discover *d);
/* Two nodes have the GUID of 'first', the second is behind 'from': decides which one keeps it,
 * if nothing else does. */
void discover_decide(struct discover *d, struct place from, struct place first);
/* Of several end ports with one port GUID all but one are left out. */
void discover_settle_port_guids(struct discover *d);
void discover_guid_free(struct discover *d);

/* ---- discover_seal.c ---- */
int discover_seal(struct discover *d, struct snapshot **out);

static inline struct found_port *
found_port(const struct discover *d, struct place p)
{
	return &d->nodes[p.node]->ports[p.port];
}

static inline bool
place_equal(struct place a, struct place b)
{
	return a.node == b.node && a.port == b.port;
}

static inline bool
place_none(struct place p)
{
	return p.node == NO_NODE;
}

static inline struct job *
jobs_head(const struct jobs *q)
{
	return &q->ring[q->head];
}

static inline void
jobs_pop(struct jobs *q)
{
	q->head = (q->head + 1) & (q->cap - 1);
	q->len--;
}

#define PLACE_NONE ((struct place){ NO_NODE, 0 })

#endif
