/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * routed.c - a served subnet whose plan has real tables.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/sub/alias.h"
#include "sm/planner/planner.h"
#include "sm/planner/sweep_job.h"
#include "tests/unit/status/routed.h"
#include "util/xalloc.h"

void
routed_serve_again(struct routed_bed *b)
{
	struct sa_view v = {
		.s = b->on.s, .lids = &b->plan->lids, .fwd = &b->plan->fwd, .gid_prefix = b->on.conf->subnet_prefix,
		.sm_lid = b->plan->sm_lid, .unread_pkey = PKEY_DEFAULT_FULL, .ready = true,
	};

	sa_index_free(b->on.net.served.sa);
	b->on.net.served.sa = sa_index_new(&v);
	b->on.net.served.age++;
	b->v = (struct served_view){ b->on.s, b->plan, b->on.net.served.sa, b->on.conf->subnet_prefix, 3 };
}

void
routed_make_of(struct routed_bed *b, const char *spec)
{
	struct sweep_job *j = xcalloc(1, sizeof(*j));

	served_make(&b->on, spec);
	j->in.conf = b->on.conf;
	j->fresh = b->on.s;
	planner_make_plan(j);
	assert_non_null(j->plan);
	b->plan = j->plan;
	group_trees_clear(&j->trees);
	sweep_kept_clear(&j->kept);
	free(j);
	b->on.net.served.plan = b->plan;
	b->on.net.served.sa = NULL;
	routed_serve_again(b);
}

void
routed_make(struct routed_bed *b)
{
	routed_make_of(b, "fattree:k=4,levels=2");
}

void
routed_clear(struct routed_bed *b)
{
	sa_index_free(b->on.net.served.sa);
	plan_free(b->plan);
	served_clear(&b->on);
}

void
routed_describe(struct routed_bed *b, unsigned host, const char *text)
{
	struct fab_node *n = &b->on.s->nodes[b->on.s->ports[served_host(&b->on, host)].node];

	memset(n->desc, 0, sizeof(n->desc));
	memcpy(n->desc, text, strlen(text));
}

const char *
routed_text(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	assert_non_null(text);
	return text;
}
