/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_policy.h - qos-policy.conf: which service level a path is given, and what else it is bound
 * to.
 * Room: conf.  Pure, but for qos_policy_read().
 * In: text in OpenSM's grammar (docs/qos.md), the partitions.  Out: groups of ports, levels, rules
 * in the order in which they are tried, and the tables of qos-setup.  Which ports are in a group is
 * resolved where the fabric is known (sm/plan/qos_groups.h).
 */
#ifndef HEDDLE_SM_CONF_QOS_POLICY_H
#define HEDDLE_SM_CONF_QOS_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sm/conf/partitions.h"
#include "sm/conf/qos_family.h"
#include "util/arena.h"
#include "util/bisect.h"

struct qos_range {
	uint64_t first, last;
};

/* Sorted; no two touch. */
struct qos_ranges {
	const struct qos_range *v;
	uint32_t n;
};

/* "NodeDescription/Pn" */
struct qos_port_name {
	const char *node;
	uint8_t port;
};

enum qos_types {
	QOS_TYPE_SELF = 1 << 0,
	QOS_TYPE_CA = 1 << 1,
	QOS_TYPE_SWITCH = 1 << 2,
	QOS_TYPE_ROUTER = 1 << 3,
};

/* Ports that any of these describes. */
struct qos_group {
	const char *name;               /* "" of those that a ULP rule brings along */
	struct qos_ranges guids;        /* port GUIDs */
	struct qos_ranges pkeys;        /* without the membership bit */
	const struct qos_port_name *names;
	uint32_t nnames;
	/* enum qos_types together: SELF, else bit n for NodeType n */
	uint8_t types;
};

/* What a path is bound to. */
struct qos_level {
	const char *name;               /* "" of those that a ULP rule brings along */
	uint8_t sl;
	uint8_t mtu, rate;              /* codes; the most it may have; 0: no limit */
	uint8_t life;
	bool has_life;
	struct qos_ranges path_bits;    /* empty: any */
	struct qos_ranges pkeys;        /* without the membership bit; empty: any */
};

/* Indices of groups; a port in one of them is meant. */
struct qos_groups_named {
	const uint32_t *v;
	uint32_t n;
};

/* A question for a path fits when it fits all that is not empty here. */
struct qos_rule {
	struct qos_groups_named src, dst;
	struct qos_ranges classes, services, pkeys;
	uint32_t level;                 /* index */
	unsigned line;                  /* of the file */
};

/* VL arbitration of the ports in 'groups', and of the ports cabled to those in 'across'. */
struct qos_vlarb_scope {
	struct qos_groups_named groups, across;
	struct conf_vlarb high, low;    /* not set: nothing is said */
	uint8_t high_limit;
	bool has_high_limit;
};

/*
 * SL to VL of switch ports: of those in 'groups'; of packets that come from ports cabled to
 * 'across_from'; of packets that leave to ports cabled to 'across_to'.  Bit n of 'from' (input
 * port) and 'to' (output port): port n; all are set where the file says nothing.
 */
struct qos_sl2vl_scope {
	struct qos_groups_named groups, across_from, across_to;
	uint64_t from[4], to[4];
	struct conf_sl2vl table;        /* set */
};

struct qos_policy {
	const char *file;
	const struct qos_group *groups;
	uint32_t ngroups;
	const struct qos_level *levels;
	uint32_t nlevels;
	const struct qos_rule *rules;   /* the first that fits counts: match rules, then ULPs */
	uint32_t nrules;
	uint32_t default_level;         /* when none fits */
	const struct qos_vlarb_scope *vlarb;
	uint32_t nvlarb;
	const struct qos_sl2vl_scope *sl2vl;
	uint32_t nsl2vl;
};

struct conf_error;

static inline bool
qos_ranges_has(const struct qos_ranges *r, uint64_t v)
{
	uint32_t at;

	BISECT(at, r->n, r->v[at].last < v);
	return at < r->n && r->v[at].first <= v;
}

/*
 * Reads the 'len' bytes of 'text'; 'file' names them in messages.  Names of partitions are looked
 * up in 'p'.  0 and '*out', owned by 'a'; or -EINVAL, and 'e' has a line that says file, line, what
 * was expected and what came.  Warnings go to 'e' too.
 */
int qos_policy_parse(const char *file, const char *text, size_t len, const struct partitions *p,
	struct arena *a, const struct qos_policy **out, struct conf_error *e);
/* The same with the content of 'file'.  -ENOENT without a word when there is none; any other
 * failure has a line in 'e'. */
int qos_policy_read(const char *file, const struct partitions *p, struct arena *a,
	const struct qos_policy **out, struct conf_error *e);

#endif
