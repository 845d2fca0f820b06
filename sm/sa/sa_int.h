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

/* Limits of one answer (docs/sa.md): an answer grows no longer than this, and a path query looks at
 * no more pairs of LIDs.  What would pass them is answered with "no resources". */
#define SA_ANSWER_BYTES_MAX (32u << 20)
#define SA_PAIRS_MAX 262144u

/* What one port's cable is, as seen by a walk. */
struct sa_hop {
	uint32_t peer;                  /* port index at the other end, FAB_NONE */
	/* ordinal of the switch it belongs to, FAB_NONE for others */
	uint32_t sw;
	uint8_t mtu;                    /* of the link: the less of both ends, 1..5 */
	uint8_t rank;                   /* of the link's rate: the less of both ends */
	/* bit n: packets of SL n may leave here (port 0 of a switch: may be taken in) */
	uint16_t sls;
};

/* A port by itself. */
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

/* One P_Key table that some port holds. */
struct sa_keys {
	/* in sa_index.pool[]: without the empty entries, in the order of the table */
	uint32_t first, n;
};

/* What a route through the forwarding tables can carry. */
struct sa_route {
	/* the least of all links; loopback: of the port; mtu 0: it does not arrive */
	uint8_t mtu, rank;
	uint16_t sls;                   /* bit n: packets of SL n get through */
	bool loopback;
};
#define SA_WIDEST (struct sa_route){ .mtu = MTU_CODE_LAST, .rank = SA_RANK_MAX, .sls = UINT16_MAX }

/* The different routes, which are few, by numbers that fit a byte. */
/* a subnet has fewer; routes without a number are walked each time */
#define SA_ROUTES_MAX 255
struct sa_route_table {
	unsigned n;
	struct sa_route v[SA_ROUTES_MAX]; /* number 1 is v[0] */
};

/* The cached routes from switches with end ports to LIDs.  Only the answering thread uses it. */
#define SA_PATH_CACHE_BYTES_MAX (32u << 20)     /* a fabric that needs more has no cache */
struct sa_path_cache {
	uint32_t *row;                  /* [nswitches]; FAB_NONE: it has no end ports */
	uint32_t stride;                /* LIDs */
	/* [rows][stride]: the route's number in 'different', 0: not known */
	uint8_t *at;
	size_t bytes;                   /* of 'at' */
	struct sa_route_table different;
};

/* End ports by GUID: where the place that a GUID falls on is taken, it has the next free one. */
struct sa_guid {
	uint64_t guid;
	uint32_t port;
	bool used;
};
struct sa_guids {
	struct sa_guid *v;
	uint32_t n;                     /* a power of two, 2 or more for each end port */
	unsigned shift;
};

struct sa_index {
	struct sa_view v;
	struct sa_path_cache *cache;    /* owned, for sa_index_path_cache(); NULL: too large */
	struct sa_hop *hops;            /* [nports] */
	struct sa_port *ports;          /* [nports] */
	struct sa_switch *switches;     /* [nswitches] */
	/* the different tables; keys[0]: of ports whose table was not read */
	struct sa_keys *keys;
	uint32_t nkeys;
	/* first in every end port's table, a full member's; 0: there is none */
	uint16_t common_pkey;
	uint16_t *pool;                 /* the P_Keys of all of them */
	struct sa_guids guids;
	struct sm_info *sms;            /* what v.sms points to */
};

/* ---- index.c ---- */
/* The port that owns 'lid', FAB_NONE. */
static inline uint32_t
sa_port_by_lid(const struct sa_index *x, uint16_t lid)
{
	const struct lid_map *l = x->v.lids;

	return lid && lid <= l->top ? l->owner[lid] : FAB_NONE;
}
/* The end port with that GID, FAB_NONE: the subnet's prefix or the default one, and a port GUID or
 * an alias. */
uint32_t sa_port_by_gid(const struct sa_index *x, const uint8_t gid[16]);
/* The port that a GUID stands for, its own or an alias; FAB_NONE. */
uint32_t sa_port_by_guid(const struct sa_index *x, uint64_t guid);
static inline uint16_t
sa_base_lid(const struct sa_index *x, uint32_t port)
{
	return x->v.lids->base[port];
}
/* The end port that stands for a port: port 0 for those of a switch. */
static inline uint32_t
sa_endport_of(const struct sa_index *x, uint32_t port)
{
	return x->ports[port].of_switch ? x->v.s->nodes[x->v.s->ports[port].node].first_port : port;
}
/*
 * The P_Key by which ports 'a' and 'b' may talk, as the table of 'a' holds it; 0: none.  'want' 0:
 * any, the first in the table of 'a'; else that key, whichever membership it shows.  Two limited
 * members never match.
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
/* Where a rate code stands among the rates; 0 for a reserved code.  And back: 'rank'
 * 1..SA_RANK_MAX. */
static inline uint8_t sa_rate_rank(uint8_t code) { return fab_rate_rank(code); }
static inline uint8_t sa_rate_code(uint8_t rank) { return fab_rate_code(rank); }
/* The rate of a link that shows this PortInfo; the slowest there is when it shows no width or
 * speed. */
uint8_t sa_rate_of_port(const struct port_info *p);
uint8_t sa_rate_caps(const struct port_info *p);
/* The rate that both ends understand and that is no faster than 'code'; 'caps' holds what both
 * declare. */
uint8_t sa_rate_capped_of(uint8_t code, uint8_t caps);
static inline uint8_t
sa_rate_capped(uint8_t code, uint8_t caps)
{
	/* older ones everybody knows */
	return code < RATE_CODE_28 ? code : sa_rate_capped_of(code, caps);
}

/* ---- reach.c ---- */
/* 'r' goes on by a link that takes this. */
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
/* The number of a route, added if it is new; 0: it is new, and there is no place for more. */
uint8_t sa_route_number(struct sa_route_table *t, const struct sa_route *route);
/*
 * The route from end port 'src' to 'lid' through the tables; false: it does not arrive at the LID's
 * owner.  'cache': taken from there, or stored there; NULL: walks.
 */
bool sa_reach(const struct sa_index *x, struct sa_path_cache *cache, uint32_t src, uint16_t lid,
	struct sa_route *r);
/* The same for a packet that is in the switch 'sw' (an ordinal) already. */
bool sa_reach_inside(const struct sa_index *x, uint32_t sw, uint16_t lid, struct sa_route *r);
/* The same from every switch; 'mtu' is 0 where it does not arrive.  'all' and, for its own use,
 * 'hops': [nswitches]. */
void sa_reach_to(const struct sa_index *x, uint16_t lid, struct sa_route *all, uint8_t *hops);

/* ---- path_cache.c ---- */
/* For an index whose hops and switches are there; NULL: too large a fabric.  Freed with
 * sa_path_cache_free(), NULL is fine. */
struct sa_path_cache *sa_path_cache_new(const struct sa_index *x);
void sa_path_cache_free(struct sa_path_cache *c);
size_t sa_path_cache_bytes(const struct sa_path_cache *c, uint32_t nswitches);

/* ---- answer.c, for limit.c ---- */
/* Whether 'req' will get an answer, and shows no key. */
bool sa_is_untrusted(const struct sa_index *x, const struct dgram *req);
/* An answer of nothing but 'status' to such a request. */
void sa_refuse(const struct sa_index *x, const struct dgram *req, uint16_t status,
	struct sa_stats *stats, struct dgram *out);

/* ---- one request ---- */
struct sa_ctx {
	const struct sa_index *x;
	const struct sa_writable *w;
	struct dgram_head head;
	uint64_t mask;
	/* [SA_DATA_BYTES]: the record of the request, zeros behind it */
	const uint8_t *templ;
	const uint8_t *data;            /* all that came behind the header */
	uint32_t data_bytes;
	bool table;                     /* GetTable, GetMulti: all rows; Get: two are too many */
	bool trusted;
	uint32_t requester;             /* port index */
	const struct dgram_addr *from;

	struct dgram *out;
	/* the answer: header, then rows; out->mad as long as there is room */
	uint8_t *buf;
	uint32_t bytes, room;
	uint32_t nrows, stride;
	bool too_much;                  /* a limit was hit */
	/* records and pairs of LIDs looked at: what the answer costs */
	uint32_t looked;
};

/* ---- rows.c ---- */
/* Room for one more record: 'stride' zeros, which the caller may write before the next; NULL: there
 * are too many. */
uint8_t *sa_add_row(struct sa_ctx *c);
/* Whether more rows matter. */
bool sa_wants_row(const struct sa_ctx *c);
/* Appends one record of 'bytes' bytes (<= stride; the rest are zeros).  False: enough, stop making
 * rows. */
bool sa_put_row(struct sa_ctx *c, const uint8_t *record, uint32_t bytes);
/* Whether the requester may see the paths between 'src' and 'dst', ports or FAB_NONE for all. */
bool sa_own_paths(const struct sa_ctx *c, uint32_t src, uint32_t dst);
/* Whether the requester may know of 'port': it is the port itself, or they share a partition. */
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
 * What answers one attribute: appends rows and returns STATUS_OK, or a status that refuses the
 * request.  answer.c checks how many rows are allowed.
 */
typedef uint16_t sa_answer_fn(struct sa_ctx *c);
sa_answer_fn sa_class_info, sa_guid_info, sa_table_records, sa_path, sa_multipath, sa_trace,
	sa_mcmember;
sa_answer_fn sa_inform, sa_inform_record, sa_service;
/* The PathRecord whose DGID is a multicast GID. */
sa_answer_fn sa_mcast_path;

#endif
