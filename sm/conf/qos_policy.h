/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_policy.h - qos-policy.conf: the service level of each path, and further limits on it.
 * Room: conf.  Pure, except qos_policy_read().
 * In: text in OpenSM's grammar (docs/qos.md), the partitions.  Out: port groups, QoS levels, match
 * rules in the order in which they are tried, and the tables of qos-setup.
 *
 * A path query is compared with the rules in order; the first match gives it a level, and the level
 * gives it SL, MTU, rate, lifetime and P_Keys (sm/sa/qos.c).  Groups name ports by GUID,
 * description, partition or type; sm/plan/qos_groups.h resolves them in a snapshot.
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

/* Sorted; ranges neither overlap nor adjoin. */
struct qos_ranges {
	const struct qos_range *v;
	uint32_t n;
};

/* A port named as "NodeDescription/Pn". */
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

/* A port belongs to the group if at least one of these members describes it. */
struct qos_group {
	const char *name;               /* "" for a group made for a ULP rule */
	struct qos_ranges guids;        /* port GUIDs */
	struct qos_ranges pkeys;        /* without the membership bit */
	const struct qos_port_name *names;
	uint32_t nnames;
	/* Bits of enum qos_types: QOS_TYPE_SELF, otherwise bit n for NodeType n. */
	uint8_t types;
};

/* The SL and the limits of a path. */
struct qos_level {
	const char *name;               /* "" for a level made for a ULP rule */
	uint8_t sl;
	uint8_t mtu, rate;              /* codes of the maximum; 0: no limit */
	uint8_t life;
	bool has_life;
	struct qos_ranges path_bits;    /* empty: any */
	struct qos_ranges pkeys;        /* without the membership bit; empty: any */
};

/* Indices of groups; matches a port that is in at least one of them. */
struct qos_groups_named {
	const uint32_t *v;
	uint32_t n;
};

/* A path query matches a rule if it matches every condition that is not empty. */
struct qos_rule {
	struct qos_groups_named src, dst;
	struct qos_ranges classes, services, pkeys;
	uint32_t level;                 /* index into levels[] */
	unsigned line;                  /* in the file */
};

/* VL arbitration of the ports in 'groups', and of the ports linked to those in 'across'. */
struct qos_vlarb_scope {
	struct qos_groups_named groups, across;
	struct conf_vlarb high, low;    /* not set: the policy gives none */
	uint8_t high_limit;
	bool has_high_limit;
};

/*
 * SL-to-VL table of switch ports: those in 'groups', for packets that enter from ports linked to
 * 'across_from' and leave to ports linked to 'across_to'.  Bit n of 'from' (input port) and 'to'
 * (output port) selects port n; all bits are set where the file names no ports.
 */
struct qos_sl2vl_scope {
	struct qos_groups_named groups, across_from, across_to;
	uint64_t from[4], to[4];
	struct conf_sl2vl table;        /* always set */
};

struct qos_policy {
	const char *file;
	const struct qos_group *groups;
	uint32_t ngroups;
	const struct qos_level *levels;
	uint32_t nlevels;
	const struct qos_rule *rules;   /* the first match applies: match rules, then ULP rules */
	uint32_t nrules;
	uint32_t default_level;         /* if no rule matches */
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
 * Parses the 'len' bytes of 'text'; 'file' names them in messages.  Looks partition names up in
 * 'p'.  Returns 0 and '*out', owned by 'a'; or -EINVAL with a line in 'e' that names file, line,
 * what was expected and what was found.  Warnings go to 'e' too.
 */
int qos_policy_parse(const char *file, const char *text, size_t len, const struct partitions *p,
	struct arena *a, const struct qos_policy **out, struct conf_error *e);
/* Reads and parses 'file'.  Returns -ENOENT without a message when it does not exist; any other
 * failure has a line in 'e'. */
int qos_policy_read(const char *file, const struct partitions *p, struct arena *a,
	const struct qos_policy **out, struct conf_error *e);

#endif
