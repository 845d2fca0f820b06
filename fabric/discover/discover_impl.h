/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover_impl.h - internal declarations shared by the files of discovery.
 * Room: fabric/discover.  Pure.  Only discover*.c include it.
 *
 * discover.c       chooses the next request, handles answers about known nodes
 * discover_queue.c queues of requests, remarks, the requests that a node needs
 * discover_place.c NodeInfo: which node is behind a port
 * discover_cable.c cables, nodes seen twice, moved cables
 * discover_guid.c  chooses between several nodes with one GUID
 * discover_seed.c  takes over an earlier snapshot, and finds what has changed since
 * discover_copy.c  nodes of that snapshot, copied when something looks at them
 * discover_route.c routes of such a discovery, kept as links come and go
 * discover_seal.c  makes the snapshot and the text of problems
 * discover_merge.c makes the snapshot from an earlier one, and what has changed
 *
 * A place is a port of a known node; a look is a NodeInfo request to the node behind that port.  A
 * look from either end finds a link between two switches: after the first answer, the look from the
 * other end is no longer sent.
 */
#ifndef HEDDLE_FABRIC_DISCOVER_DISCOVER_IMPL_H
#define HEDDLE_FABRIC_DISCOVER_DISCOVER_IMPL_H

#define uthash_fatal(text) bug("%s", text)
#include <uthash.h>
#include "fabric/discover/discover_conf.h"
#include "libmad/txn/txn.h"
#include "util/log.h"

#define NO_NODE UINT32_MAX
#define NODES_MAX 65536         /* a subnet has 49,151 LIDs: more nodes cannot be real */
#define PORTS_MAX (1u << 21)    /* of all nodes together */
/* limit of looks from one port in one sweep, so that every sweep ends */
#define LOOKS_MAX 4
#define LEVELS DGRAM_PATH_BYTES
/* looks from a level before it is assumed not to be meshed: more than one node has */
#define LEVEL_PROBES 64
#define SELVES_MAX 8            /* limit of LOOK_SELF looks for one node */

enum { PORT_STATE_MAX = 5 };    /* highest valid state: ActiveDefer, which is obsolete */

enum ask {
	/* NodeInfo behind (node, next); end 1: also when the cable is known */
	ASK_LOOK,
	ASK_AGAIN,                      /* the look number 'node' */
	ASK_PORT, ASK_SWITCH, ASK_DESC, ASK_PKEYS, ASK_LFT,
};

/* A range of requests waiting to be sent: next, next + 1, ... end. */
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

/* The looks from all nodes at the same distance. */
struct level {
	struct jobs to_look;
	uint32_t ended;
	bool meshed;                    /* some of these nodes are neighbours */
};

struct place {
	uint32_t node;                  /* NO_NODE: none */
	uint8_t port;
};

/* A directed route; it never changes, because requests on the wire point into it. */
struct route {
	uint8_t gen;                    /* counts the routes a node has had */
	uint8_t hops;
	uint8_t path[];                 /* hops + 1 */
};

struct found_port {
	struct place peer;
	uint8_t flags;                  /* enum fab_port_flags */
	uint8_t looks;                  /* sent from here */
	bool old;                       /* the link is of the seed, and nothing has removed it */
	bool read;                      /* its PortInfo came in this discovery */
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
	const uint8_t *lft;             /* from the caller's cache, or lft_read */
	uint8_t *lft_read;              /* in the snapshot's arena, filled block by block */
	uint32_t lft_blocks, lft_open;
	uint32_t index, target;
	uint8_t type, nports, entry, flags;     /* flags: enum fab_node_flags */
	uint8_t selves;                 /* LOOK_SELF sent */
	bool audited;
	/* a switch: requests for its ports wait for the answer of port 0 */
	bool ports_wait;
	uint8_t extended;               /* enum discover_extended */
	/* its port GUID belongs to another port; already reported */
	bool left_out;
	/* of the seed; is read again, or was; a route leads to it (only with a seed) */
	bool seeded, suspect, reached;
	uint8_t node_info[NODE_INFO_BYTES];
	uint8_t desc[NODE_DESC_BYTES];
	uint8_t switch_info[SWITCH_INFO_BYTES];
};

enum look_why {
	LOOK_ROOT,                      /* the own node */
	LOOK_FIRST,
	/* checks that 'expect' is still there; 'from' found 'to', one end of that link */
	LOOK_OLD,
	/* checks a place where 'expect' was seen, although its own look found another link */
	LOOK_CLAIM,
	LOOK_DOWN,                      /* 'expect' found this port, whose state is DOWN */
	/* 'expect' found this port, whose own look failed: checks that 'expect' is behind it */
	LOOK_BACK,
	/* checks that the route still leads to at.node; 'from' found a duplicate of 'to' */
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

/* A problem, recorded before the paths are known. */
struct remark {
	/* the node that was asked; with 'behind', the port before it */
	struct place at;
	struct place other;             /* where the node was first */
	uint64_t guid;                  /* of the node asked, 0 unknown */
	uint32_t modifier, value;       /* value: the impossible number, the mismatches */
	uint16_t attr_id, status;
	uint8_t kind, why, port;        /* enum fab_problem_kind, enum reason */
	bool behind;
};

/* An answer that waits until all other requests have ended, because its GUID is known to be
 * elsewhere. */
struct parked {
	struct look look;
	uint8_t node_info[NODE_INFO_BYTES];
};

/* What discover_seed.c keeps beside the nodes. */
struct seeding {
	struct arena arena;             /* nodes of the seed that are not as they were, or looked at */
	/* Paths and indexes of the seed do not count: all of it was copied, and is sealed as a whole
	 * discovery. */
	bool whole;
	uint32_t target;                /* target number of the first node of the seed */
	uint32_t *suspects;             /* nodes that are still to be read */
	uint32_t nsuspects, suspects_cap;
	struct place *later;            /* looks that wait until a suspect was read */
	uint32_t nlater, later_cap;
	uint32_t nread;                 /* switches */
	/* since routes were found: ends of links that came or went, and how many nodes there were */
	struct place *touched;
	uint32_t ntouched, touched_cap, nrouted;
	const char *why;                /* static text: only a whole discovery can go on; NULL */
};

struct discover {
	struct discover_conf conf;
	struct seeding *seeding;        /* NULL: a whole discovery */
	struct mkeys_last last_key;
	const struct log *log;
	struct arena arena;             /* everything except the snapshot */
	struct snapshot *snap;          /* its arena takes the LFT blocks as they come */
	/* in the order they were found; [0] the own one; NULL: as in the seed (use found_at()) */
	struct found **nodes;
	struct found *by_guid;          /* not those of the seed (use discover_find()) */
	uint32_t nnodes, nodes_cap, nports;
	struct look **looks;
	uint32_t nlooks, looks_cap;
	uint32_t *free_looks;
	uint32_t nfree_looks;           /* capacity: looks_cap */
	uint32_t *free_targets;
	uint32_t nfree_targets, free_targets_cap, next_target;
	struct level levels[LEVELS];    /* looks, by the hops to where they go out */
	struct jobs to_ask;             /* all other requests */
	uint32_t nlooks_to_go;          /* on all levels */
	uint64_t looks_open;            /* looks on the wire */
	/* number of the last look sent; highest number that has ended */
	uint32_t looks_sent, looks_ended;
	unsigned looks_level;           /* of the last one sent, */
	uint32_t looks_node;            /* and the node that it went out from */
	struct remark *remarks;
	uint32_t nremarks, remarks_cap;
	uint64_t open, answered;
	uint32_t late;                  /* late open requests, not counted in the window */
	struct parked *parked;
	uint32_t nparked, parked_cap;
	/* choices for GUIDs that nothing else decides; kept when discovery restarts */
	struct discover_place *decided;
	uint32_t ndecided;
	unsigned beginnings;
	/* 'decided' has changed, so discovery must restart */
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
/* Takes over whether 'n' accepted PORT_INFO_EXTENDED_SPEEDS in an earlier sweep. */
void discover_recall_extended(struct discover *d, struct found *n);
/* All questions about a new node but those of its end port; the questions of one end port. */
void discover_ask_node(struct discover *d, uint32_t node);
void discover_ask_end(struct discover *d, uint32_t node, uint8_t port);
/* The route of 'node' has changed: repeats the requests that failed on the old one. */
void discover_ask_again(struct discover *d, uint32_t node);

/* ---- discover_place.c ---- */
/* Prepares a look; returns its number. */
uint32_t discover_look(struct discover *d, struct place at, enum look_why why);
void discover_look_end(struct discover *d, uint32_t number, const struct txn_end *e);
/* NodeInfo 'image' is the answer to 'k': returns the place of its sender, creating the node if it
 * is new; none if the image is invalid. */
struct place discover_who(struct discover *d, const struct look *k, const uint8_t *image);
/* True if a directed route can leave through 'p'. */
bool discover_forwards(const struct discover *d, struct place p);
/* Number of links between the start of the sweep and the node; and whether looks are sent from its
 * ports. */
unsigned discover_distance(const struct discover *d, uint32_t node);
bool discover_reaches(const struct discover *d, uint32_t node);
/* The state of 'p' became known. */
void discover_port_state(struct discover *d, struct place p, const struct port_info *info);

/* ---- discover_cable.c ---- */
/* Room for a route of 'hops'; the caller fills its path. */
struct route *discover_route_alloc(struct discover *d, uint8_t hops, uint8_t gen);
/* Removes the link of 'a', if it has one. */
void discover_unlink(struct discover *d, struct place a);
/* Port 'to' answered a look from 'from'. */
void discover_claim(struct discover *d, struct place from, struct place to);
/* The node behind 'from' has the GUID of 'first' but cannot be the same node: a duplicate GUID, if
 * the routes are right. */
void discover_twice(struct discover *d, struct place from, struct place first);
/* Looks at 'at' again, even if its link is known.  False: too many looks, or no look is possible
 * from there. */
bool discover_look_again(struct discover *d, enum look_why why, struct place at,
	struct place expect,
	struct place from, struct place to);
/* Results of such looks: 'expect' is still there; or another node is there; or ('got' none) no node
 * answers. */
void discover_again_same(struct discover *d, const struct look *k);
void discover_again_other(struct discover *d, const struct look *k, struct place got);
/* The end of a LOOK_SELF. */
void discover_self_seen(struct discover *d, const struct look *k, struct place who);

/* ---- discover_guid.c ---- */
/* True: the answer to 'k' waits, because its GUID is known to be elsewhere. */
bool discover_park(struct discover *d, const struct look *k, const uint8_t *node_info);
/* Processes the waiting answers when nothing else is open.  False: none wait. */
bool discover_take_parked(struct discover *d);
/* Two nodes have the GUID of 'first', the second is behind 'from': decides which one keeps it,
 * unless that is decided already. */
void discover_decide(struct discover *d, struct place from, struct place first);
/* Leaves out all but one of several end ports with the same port GUID. */
void discover_settle_port_guids(struct discover *d);
void discover_guid_free(struct discover *d);

/* ---- discover_seed.c ---- */
/* Takes over the seed. */
void discover_seed(struct discover *d);
void discover_seed_free(struct discover *d);
/* Nothing is open: queues further requests.  False: there are none. */
bool discover_seed_continue(struct discover *d);
/* PortInfo of 'at' has come: removes its link if that is not the one of the seed any more. */
void discover_seed_port(struct discover *d, struct place at, const struct port_info *info);
/* Port 'who' answered the look 'k' with NodeInfo 'image'.  True: the answer does not count. */
bool discover_seed_claim(
	struct discover *d, const struct look *k, struct place who, const uint8_t *image);
/* See discover_spoiled(). */
const char *discover_seed_spoiled(const struct discover *d);
/* Before the end: takes over the problems of the seed at places that were not looked at. */
void discover_seed_remark(struct discover *d);

/* ---- discover_copy.c ---- */
/* The number in the discovery of a node of the seed, and the other way round. */
uint32_t discover_seed_number(const struct snapshot *s, uint32_t node);
uint32_t discover_seed_index(const struct snapshot *s, uint32_t number);
/* The flags of a node of the seed that was not read. */
uint8_t discover_seed_flags(const struct fab_node *f);
/* Makes d->nodes[node] from the seed. */
struct found *discover_seed_copy(const struct discover *d, uint32_t node);
/* The node with that GUID, found or of the seed; NULL. */
struct found *discover_find(const struct discover *d, uint64_t guid);
/* How a node is reached, without a copy of it. */
struct discover_way {
	const uint8_t *path;
	uint8_t hops, entry;
	bool reached;
};
struct discover_way discover_way_of(const struct discover *d, uint32_t node);
/* As discover_forwards(), without a copy of the node. */
bool discover_way_through(const struct discover *d, struct place p);
/* Sets the route to the end of 'from' through 'port', if it is another one than before. */
void discover_route_set(const struct discover *d, const struct route **to,
	const struct discover_way *from, uint8_t port);
/* Sets the route to 'port' of an adapter, over its own link. */
void discover_end_route_set(const struct discover *d, struct found *n, uint8_t port);
/* The link of 'at' came or went, or 'at' was reached by a look. */
void discover_route_touch(struct discover *d, struct place at);

/* ---- discover_route.c ---- */
/* Whether routes are those over the present links. */
bool discover_routes_hold(const struct discover *d);
/* Finds the routes over the present links.  Returns the numbers of the nodes that have got another
 * route or none; the caller frees. */
uint32_t *discover_routes_update(struct discover *d, uint32_t *n);

/* ---- discover_seal.c ---- */
int discover_seal(struct discover *d, struct snapshot **out);
/* Parts of it: the node without its path, its LFT, its ports, the first block of P_Keys of one. */
void discover_seal_node(
	const struct discover *d, struct snapshot *s, struct fab_node *n, const struct found *f);
void discover_seal_lft(const struct discover *d, struct snapshot *s, struct fab_node *n,
	const uint8_t *lft, uint32_t blocks, bool own);
void discover_seal_ports(
	struct snapshot *s, uint32_t node, const struct found *f, const uint32_t *rank);
void discover_seal_pkeys(struct snapshot *s, struct fab_port *p, const uint8_t *image);
/* NodeInfo and the PortInfos of a switch contain the port that received the request; sets it as if
 * all requests had come by the node's path. */
void discover_seal_entry(struct snapshot *s, struct fab_node *n);
void discover_seal_local_port(uint8_t *info, uint8_t port);
/* A remark about a node that is no longer connected, if it was read. */
void discover_seal_gone(struct discover *d, const struct found *n);
void discover_seal_sort(struct found **v, uint32_t n);

/* ---- discover_merge.c ---- */
/* Whether the snapshot can be made from the seed and what has changed; and that. */
bool discover_merge_suffices(const struct discover *d);
void discover_merge(struct discover *d, struct snapshot *s, uint32_t *rank);

static inline struct found *
found_at(const struct discover *d, uint32_t node)
{
	struct found *n = d->nodes[node];

	return n ? n : discover_seed_copy(d, node);
}

static inline struct found_port *
found_port(const struct discover *d, struct place p)
{
	return &found_at(d, p.node)->ports[p.port];
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
