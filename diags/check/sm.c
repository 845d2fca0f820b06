/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sm.c - checks SMs: none, several masters, one that is not allowed; ports with another
 * MasterSMLID, prefixes that differ.
 * Room: diags/check.
 */
#include <config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/check/check.h"
#include "diags/core/addr.h"
#include "diags/core/json.h"
#include "diags/fabric/fabric.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

enum { SM_NOT_ACTIVE, SM_DISCOVERING, SM_STANDBY, SM_MASTER };

struct manager {
	uint32_t port;
	enum diag_end end;
	struct sm_info info;
};

struct managers {
	struct manager *m;
	size_t n;
};

static void
answered(struct diag *d, void *arg, const struct diag_request *q, const struct diag_reply *r)
{
	struct manager *m = arg;

	(void)d;
	(void)q;
	m->end = r->end;
	if (r->end == DIAG_OK)
		m->info = sm_info_decode(r->data);
}

/* Reads SMInfo of every port whose IsSM bit is set, by directed route, because the forwarding
 * tables may be wrong. */
static void
sm_info_ask(struct check_run *c, struct managers *all)
{
	const struct snapshot *s = c->f.s;
	uint8_t path[DGRAM_PATH_BYTES];

	all->m = xcalloc(s->nendports + 1u, sizeof(*all->m));
	for (uint32_t i = 0; i < s->nendports; i++) {
		const struct fab_port *p = &s->ports[s->endports[i]];
		struct port_info info = port_info_decode(p->info);
		struct manager *m = &all->m[all->n];
		struct diag_addr a;

		if (!check_known(p) || !(info.capability_mask & PORT_CAP_IS_SM) ||
		    fab_node_of(&c->f, p)->hop_count == FAB_NO_PATH)
			continue;
		all->n++;
		m->port = s->endports[i];
		{
			uint8_t hops = snapshot_port_path(s, m->port, path);

			a = diag_addr_path(path, hops);
		}
		diag_submit(c->d, &(struct diag_request){ .to = &a, .attr_id = SM_INFO_ID,
			.quiet = true }, answered, m);
	}
	if (all->n)
		diag_run(c->d);
}

static bool
is_allowed(const char *list, uint64_t guid)
{
	while (*list) {
		char *end;

		if (strtoull(list, &end, 16) == guid)
			return true;
		list = *end ? end + 1 : end;
	}
	return false;
}

static void
one_manager(struct check_run *c, const struct manager *m)
{
	static const char *const states[] = { "not active", "discovering", "standby", "master" };
	const struct fab_port *p = &c->f.s->ports[m->port];
	struct check_about w = { .a = p };
	char name[CHECK_NAME_BYTES];

	check_name(c, p, name);
	if (m->end != DIAG_OK)
		check_find(c, CHECK_WARNING, "sm_silent", &w,
			"%s reports a subnet manager (IsSM), but none answers", name);
	else if (m->info.state == SM_DISCOVERING)
		check_find(c, CHECK_INFO, "sm_discovering", &w,
			"the subnet manager at %s is in the state discovering", name);
	if (c->opt->sm_guids && !is_allowed(c->opt->sm_guids, p->guid))
		check_find(c, CHECK_ERROR, "sm_rogue", &w, "a subnet manager runs at %s (0x%016"
			PRIx64 ", %s), which is not one of --sm-guids",
			name, p->guid, m->end == DIAG_OK && m->info.state <= SM_MASTER ?
			states[m->info.state] : "state not known");
}

/* Orders SMs as the election does: by priority, then by lower GUID. */
static bool
is_before(const struct sm_info *a, const struct sm_info *b)
{
	return a->priority != b->priority ? a->priority > b->priority : a->guid < b->guid;
}

static const struct manager *
masters(struct check_run *c, const struct managers *all)
{
	const struct manager *first = NULL;
	char a[CHECK_NAME_BYTES], b[CHECK_NAME_BYTES];

	for (size_t i = 0; i < all->n; i++) {
		const struct manager *m = &all->m[i];

		if (m->end != DIAG_OK || m->info.state != SM_MASTER)
			continue;
		if (!first) {
			first = m;
			continue;
		}
		check_find(c, CHECK_ERROR, "sm_two_masters",
			&(struct check_about){ .a = &c->f.s->ports[first->port],
			.b = &c->f.s->ports[m->port] },
			"two subnet managers are master: at %s (priority %u) and at %s (priority "
			"%u)",
			check_name(c, &c->f.s->ports[first->port], a), first->info.priority,
			check_name(c, &c->f.s->ports[m->port], b), m->info.priority);
	}
	if (!first)
		check_find(c, CHECK_ERROR, "sm_none", &(struct check_about){ .object = "fabric" },
			"no subnet manager is master (%zu %s)", all->n,
			all->n == 1 ? "port reports one" : "ports report one");
	return first;
}

static void
priorities(struct check_run *c, const struct managers *all, const struct manager *master)
{
	char a[CHECK_NAME_BYTES], b[CHECK_NAME_BYTES];

	for (size_t i = 0; i < all->n && master; i++) {
		const struct manager *m = &all->m[i];
		struct check_about w = { .a = &c->f.s->ports[m->port],
			.b = &c->f.s->ports[master->port] };

		if (m == master || m->end != DIAG_OK || m->info.state != SM_STANDBY)
			continue;
		check_name(c, w.a, a);
		check_name(c, w.b, b);
		if (m->info.priority == master->info.priority)
			check_find(c, CHECK_INFO, "sm_same_priority", &w,
				"the subnet managers at %s and %s (master) have the same priority "
				"%u: the lower GUID wins",
				a, b, m->info.priority);
		else if (is_before(&m->info, &master->info))
			check_find(c, CHECK_WARNING, "sm_priority", &w,
				"the subnet manager at %s is standby with priority %u, but the "
				"master at %s has %u",
				a, m->info.priority, b, master->info.priority);
	}
}

static bool
is_master_lid(const struct check_run *c, const struct managers *all, uint64_t lid)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->m[i].end == DIAG_OK && all->m[i].info.state == SM_MASTER &&
		    fab_lid(&c->f, &c->f.s->ports[all->m[i].port]) == lid)
			return true;
	return false;
}

/* Reports end ports whose value of 'get' differs from 'wanted' (0: from the most frequent value).
 * With 'all', the LID of any master in it is accepted too. */
static void
sms_alike(struct check_run *c, enum check_severity severity, const char *code, const char *what,
	bool hex, uint64_t wanted,
	const struct managers *all, uint64_t (*get)(const struct port_info *))
{
	uint64_t *v = xcalloc(c->f.s->nendports + 1u, sizeof(*v));
	size_t n = 0;

	for (uint32_t i = 0; i < c->f.s->nendports; i++) {
		const struct fab_port *p = &c->f.s->ports[c->f.s->endports[i]];
		struct port_info info = port_info_decode(p->info);

		if (check_known(p) && info.lid)
			v[n++] = get(&info);
	}
	wanted = wanted ? wanted : check_majority(v, n, NULL);
	for (uint32_t i = 0; i < c->f.s->nendports && n; i++) {
		const struct fab_port *p = &c->f.s->ports[c->f.s->endports[i]];
		struct port_info info = port_info_decode(p->info);
		uint64_t is = get(&info);
		char name[CHECK_NAME_BYTES];

		if (!check_known(p) || !info.lid || is == wanted ||
		    (all && is_master_lid(c, all, is)))
			continue;
		check_find(c, severity, code, &(struct check_about){ .a = p,
			.value = hex ? diag_json_guid(is) : json_integer((json_int_t)is),
			.expected = hex ? diag_json_guid(wanted) :
			json_integer((json_int_t)wanted) },
			hex ? "%s has the %s 0x%016" PRIx64 " instead of 0x%016" PRIx64 :
			"%s has the %s %" PRIu64 " instead of %" PRIu64,
			check_name(c, p, name), what, is, wanted);
	}
	free(v);
}

static uint64_t
get_sm_lid(const struct port_info *i)
{
	return i->master_sm_lid;
}

static uint64_t
get_prefix(const struct port_info *i)
{
	return i->gid_prefix;
}

static uint64_t
get_timeout(const struct port_info *i)
{
	return i->subnet_timeout;
}

/* Reports whether the capture has no SMInfo at all. */
static bool
not_saved(const struct managers *all)
{
	size_t n = 0;

	while (n < all->n && all->m[n].end == DIAG_ABSENT)
		n++;
	return n && n == all->n;
}

static void
sm_check(struct check_run *c)
{
	struct managers all = { 0 };
	const struct manager *master = NULL;
	char name[CHECK_NAME_BYTES];
	uint16_t lid = 0;

	if (diag_can_ask(c->d))
		sm_info_ask(c, &all);
	if (!diag_can_ask(c->d) || not_saved(&all)) {
		check_looked(c, "%u end ports; the file does not have the SMs' answers",
			c->f.s->nendports);
	} else {
		for (size_t i = 0; i < all.n; i++)
			one_manager(c, &all.m[i]);
		master = masters(c, &all);
		priorities(c, &all, master);
		check_looked(c, "%zu subnet manager%s%s%s", all.n, all.n == 1 ? "" : "s",
			master ? ", master at " : "",
			master ? check_name(c, &c->f.s->ports[master->port], name) : "");
	}
	if (master)
		lid = fab_lid(&c->f, &c->f.s->ports[master->port]);
	sms_alike(c, CHECK_ERROR, "sm_lid_differs", "MasterSMLID", false, lid, &all, get_sm_lid);
	sms_alike(c, CHECK_ERROR, "gid_prefix_differs", "subnet prefix", true, 0, NULL, get_prefix);
	sms_alike(c, CHECK_WARNING, "subnet_timeout_differs", "SubnetTimeOut", false, 0, NULL,
		get_timeout);
	free(all.m);
}

const struct check check_sm = { .name = "sm", .about =
	"subnet managers, the master of each port, subnet prefixes", .flags = CHECK_REGISTERS,
	.run = sm_check };
