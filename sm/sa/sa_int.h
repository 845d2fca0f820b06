/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sa_int.h - what the files of the room share: the index, one request at work, the rows of its
 * answer.
 * Room: sm/sa, inside only.  Pure.
 *
 * answer.c checks a request and finds its row in the dispatch table.  The row's function makes the
 * records of the answer: table_records.c (records that are rows of the snapshot), path.c,
 * multipath.c, trace.c, mcmember.c, service.c, inform.c, guidinfo.c, class_info.c.  qos.c says what
 * a QoS policy makes of a path.  They find ports by LID and GID, and who may see whom, in index.c;
 * reach.c walks the forwarding tables, path_cache.c caches such walks; rate.c knows the rate codes.
 * path_export.c makes all paths of a port at once.
 */
#ifndef HEDDLE_SM_SA_SA_INT_H
#define HEDDLE_SM_SA_SA_INT_H

#include "fabric/snapshot/rate.h"
#include "libmad/attr/sa_attr.h"
#include "libmad/attr/sa_components.h"
#include "sm/sa/sa.h"

/* Limits of one answer (docs/sa.md): its size, and the pairs of LIDs that a path query examines.
 * A request beyond them gets "no resources". */
#define SA_ANSWER_BYTES_MAX (32u << 20)
#define SA_PAIRS_MAX 262144u

/* The link of one port, in the form that walks need. */
struct sa_hop {
	uint32_t peer;                  /* port index at the other end, FAB_NONE */
	/* ordinal of the port's switch; FAB_NONE for other ports */
	uint32_t sw;
	uint8_t mtu;                    /* of the link: the lower of both ends, 1..5 */
	uint8_t rank;                   /* of the link's rate: the lower of both ends */
	/* bit n: packets of SL n may leave here (for port 0 of a switch: may be received) */
	uint16_t sls;
};

/* Values of a port itself. */
struct sa_port {
	uint8_t mtu, rank;
	uint8_t caps;                   /* enum sa_rate_caps */
	bool of_switch;
	uint32_t keys;                  /* which P_Key table it holds: index into sa_index.keys[] */
};

struct sa_switch {
	uint32_t first_port;
	uint8_t nports;
};

/* One P_Key table, shared by all ports with equal tables. */
struct sa_keys {
	/* range in sa_index.pool[]: without the empty entries, in table order */
	uint32_t first, n;
};

/* What a route through the forwarding tables can carry. */
struct sa_route {
	/* the minimum of all links; for loopback, of the port; mtu 0: no route */
	uint8_t mtu, rank;
	uint16_t sls;                   /* bit n: packets of SL n get through */
	bool loopback;
};
#define SA_WIDEST (struct sa_route){ .mtu = MTU_CODE_LAST, .rank = SA_RANK_MAX, .sls = UINT16_MAX }

/* The different routes, numbered so that a number fits in a byte. */
/* more than a subnet has in practice; routes without a number are walked each time */
#define SA_ROUTES_MAX 255
struct sa_route_table {
	unsigned n;
	struct sa_route v[SA_ROUTES_MAX]; /* number 1 is v[0] */
};

/* The cached routes from switches with end ports to LIDs.  Used by the answering thread only. */
#define SA_PATH_CACHE_BYTES_MAX (32u << 20)     /* larger fabrics have no cache */
struct sa_path_cache {
	uint32_t *row;                  /* [nswitches]; FAB_NONE: no end ports */
	uint32_t stride;                /* number of LIDs */
	/* [rows][stride]: the route's number in 'different'; 0: not cached */
	uint8_t *at;
	size_t bytes;                   /* of 'at' */
	struct sa_route_table different;
};

/* Hash table of end ports by GUID, with linear probing. */
struct sa_guid {
	uint64_t guid;
	uint32_t port;
	bool used;
};
struct sa_guids {
	struct sa_guid *v;
	uint32_t n;                     /* a power of two, at least 2 per end port */
	unsigned shift;
};

struct sa_index {
	struct sa_view v;
	struct sa_path_cache *cache;    /* owned, for sa_index_path_cache(); NULL: too large */
	struct sa_hop *hops;            /* [nports] */
	struct sa_port *ports;          /* [nports] */
	struct sa_switch *switches;     /* [nswitches] */
	/* the different tables; keys[0]: for ports whose table was not read */
	struct sa_keys *keys;
	uint32_t nkeys;
	/* a full member's key that is first in every end port's table; 0: there is none */
	uint16_t common_pkey;
	uint16_t *pool;                 /* the P_Keys of all tables */
	struct sa_guids guids;
	struct sm_info *sms;            /* what v.sms points to */
};

/* ---- index.c ---- */
/* The port that owns 'lid'; FAB_NONE: none. */
static inline uint32_t
sa_port_by_lid(const struct sa_index *x, uint16_t lid)
{
	const struct lid_map *l = x->v.lids;

	return lid && lid <= l->top ? l->owner[lid] : FAB_NONE;
}
/* The end port with that GID: the subnet's prefix or the default one, and a port GUID or an
 * alias.  FAB_NONE: none. */
uint32_t sa_port_by_gid(const struct sa_index *x, const uint8_t gid[16]);
/* The port with that GUID, its own or an alias; FAB_NONE: none. */
uint32_t sa_port_by_guid(const struct sa_index *x, uint64_t guid);
static inline uint16_t
sa_base_lid(const struct sa_index *x, uint32_t port)
{
	return x->v.lids->base[port];
}
/* The end port of a port: port 0 for the ports of a switch. */
static inline uint32_t
sa_endport_of(const struct sa_index *x, uint32_t port)
{
	return x->ports[port].of_switch ? x->v.s->nodes[x->v.s->ports[port].node].first_port : port;
}
/*
 * The P_Key with which ports 'a' and 'b' can communicate, as it is in the table of 'a'; 0: none.
 * 'want' 0: any, the first in the table of 'a'; otherwise that key, with either membership.  Two
 * limited members never match.
 */
uint16_t sa_shared_pkey_of(const struct sa_index *x, uint32_t a, uint32_t b, uint16_t want);
static inline uint16_t
sa_shared_pkey(const struct sa_index *x, uint32_t a, uint32_t b, uint16_t want)
{
	return x->common_pkey && !want ? x->common_pkey : sa_shared_pkey_of(x, a, b, want);
}
/* The same for the lowest key in 'set'; 0: none. */
uint16_t sa_shared_pkey_in(
	const struct sa_index *x, uint32_t a, uint32_t b, const struct qos_ranges *set);
/* Whether the table of 'port' has that key, with either membership. */
bool sa_has_pkey(const struct sa_index *x, uint32_t port, uint16_t pkey);

/* ---- rate.c ---- */
enum sa_rate_caps {
	SA_CAP_EXT = 1, SA_CAP_2X = 2, SA_CAP_HDR = 4, SA_CAP_NDR = 8, SA_CAP_XDR = 16,
};
#define SA_RANK_MAX 25                  /* ranks 1..25, slow to fast */
/* The rank of a rate code; 0 for a reserved code.  And the reverse: 'rank' 1..SA_RANK_MAX. */
static inline uint8_t sa_rate_rank(uint8_t code) { return fab_rate_rank(code); }
static inline uint8_t sa_rate_code(uint8_t rank) { return fab_rate_code(rank); }
/* The rate of a link with this PortInfo; the slowest rate if it shows no width or speed. */
uint8_t sa_rate_of_port(const struct port_info *p);
uint8_t sa_rate_caps(const struct port_info *p);
/* The fastest rate up to 'code' that both ends understand; 'caps' holds what both declare. */
uint8_t sa_rate_capped_of(uint8_t code, uint8_t caps);
static inline uint8_t
sa_rate_capped(uint8_t code, uint8_t caps)
{
	/* all hosts understand the older codes */
	return code < RATE_CODE_28 ? code : sa_rate_capped_of(code, caps);
}

/* ---- reach.c ---- */
/* Extends 'r' by a link with these values. */
static inline void
sa_route_narrow(struct sa_route *r, uint8_t mtu, uint8_t rank, uint16_t sls)
{
	r->sls &= sls;
	if (mtu < r->mtu)
		r->mtu = mtu;
	if (rank < r->rank)
		r->rank = rank;
}
static inline bool
sa_same_route(const struct sa_route *a, const struct sa_route *b)
{
	return a->mtu == b->mtu && a->rank == b->rank && a->sls == b->sls &&
		a->loopback == b->loopback;
}
/* The number of a route, added if it is new; 0: it is new, but the table is full. */
uint8_t sa_route_number(struct sa_route_table *t, const struct sa_route *route);
/*
 * The route from end port 'src' to 'lid' through the tables; false: packets do not reach the LID's
 * owner.  'cache': looked up, or stored there; NULL: walked.
 */
bool sa_reach(const struct sa_index *x, struct sa_path_cache *cache, uint32_t src, uint16_t lid,
	struct sa_route *r);
/* The same for a packet that is already in the switch 'sw' (an ordinal). */
bool sa_reach_inside(const struct sa_index *x, uint32_t sw, uint16_t lid, struct sa_route *r);
/* The same from every switch; 'mtu' is 0 where packets do not arrive.  'all', and the scratch
 * array 'hops', are [nswitches]. */
void sa_reach_to(const struct sa_index *x, uint16_t lid, struct sa_route *all, uint8_t *hops);

/* ---- path_cache.c ---- */
/* For an index whose hops and switches are complete; NULL: the fabric is too large.  Free it
 * with sa_path_cache_free(), which accepts NULL. */
struct sa_path_cache *sa_path_cache_new(const struct sa_index *x);
void sa_path_cache_free(struct sa_path_cache *c);
size_t sa_path_cache_bytes(const struct sa_path_cache *c, uint32_t nswitches);

/* ---- answer.c, for limit.c ---- */
/* Whether 'req' will get an answer and carries no key. */
bool sa_is_untrusted(const struct sa_index *x, const struct dgram *req);
/* Makes an answer that holds only 'status'. */
void sa_refuse(const struct sa_index *x, const struct dgram *req, uint16_t status,
	struct sa_stats *stats, struct dgram *out);

/* ---- one request ---- */
struct sa_ctx {
	const struct sa_index *x;
	const struct sa_writable *w;
	struct dgram_head head;
	uint64_t mask;
	/* [SA_DATA_BYTES]: the record of the request, followed by zeros */
	const uint8_t *templ;
	const uint8_t *data;            /* all data after the header */
	uint32_t data_bytes;
	/* GetTable, GetMulti: all rows; Get: two rows are an error */
	bool table;
	bool trusted;
	uint32_t requester;             /* port index */
	const struct dgram_addr *from;

	struct dgram *out;
	/* the answer: header, then rows; in out->mad as long as it fits */
	uint8_t *buf;
	uint32_t bytes, room;
	uint32_t nrows, stride;
	bool too_much;                  /* a limit was exceeded */
	/* records and pairs of LIDs examined: determines the cost of the answer */
	uint32_t looked;
};

/* ---- rows.c ---- */
/* Space for one more record: 'stride' zeros, to be written before the next one; NULL: too many. */
uint8_t *sa_add_row(struct sa_ctx *c);
/* Whether further rows have an effect. */
bool sa_wants_row(const struct sa_ctx *c);
/* Appends one record of 'bytes' bytes (<= stride; the rest are zeros).  False: stop making rows. */
bool sa_put_row(struct sa_ctx *c, const uint8_t *record, uint32_t bytes);
/* Whether the requester may see the paths between 'src' and 'dst', ports or FAB_NONE for all. */
bool sa_own_paths(const struct sa_ctx *c, uint32_t src, uint32_t dst);
/* Whether the requester may see 'port': it is that port itself, or shares a partition with it. */
static inline bool
sa_visible(const struct sa_ctx *c, uint32_t port)
{
	uint32_t end;

	if (c->x->common_pkey)
		return true;
	end = sa_endport_of(c->x, port);
	return end == c->requester || sa_shared_pkey(c->x, c->requester, end, 0);
}

/*
 * Answers one attribute: appends rows and returns STATUS_OK, or a status that refuses the request.
 * answer.c checks how many rows are allowed.
 */
typedef uint16_t sa_answer_fn(struct sa_ctx *c);
sa_answer_fn sa_class_info, sa_guid_info, sa_table_records, sa_path, sa_multipath, sa_trace,
	sa_mcmember;
sa_answer_fn sa_inform, sa_inform_record, sa_service;
/* A PathRecord query whose DGID is a multicast GID. */
sa_answer_fn sa_mcast_path;

#endif
