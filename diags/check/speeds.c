/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * speeds.c - reports links that are slower or narrower than both ends allow, than both ends
 * support, or than other links of their kind.
 * Room: diags/check.
 *
 * "Slow" and "narrow" mean below what both ends have enabled, for example because of a bad cable.
 * "Limited" means that less is enabled than both ends support, which is a setting. A link may also
 * be correct but slower than most links between nodes of the same types and levels.
 */
#include <config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/check/check.h"
#include "diags/fabric/fabric.h"
#include "diags/topo/speed.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

#define KIND_MIN 5                      /* minimum number of links of a kind for a comparison */
#define MOST(part, all) ((part) * 4 >= (all) * 3)

struct cable {
	const struct fab_port *p, *q;
	struct port_info i, j;
	struct fab_link x, y;
	struct speed_masks m, o;
	char a[CHECK_NAME_BYTES], b[CHECK_NAME_BYTES];
};

static bool
read_cable(const struct check_run *c, uint32_t at, struct cable *k)
{
	k->p = &c->f.s->ports[at];
	k->q = &c->f.s->ports[k->p->peer];
	k->i = port_info_decode(k->p->info);
	k->j = port_info_decode(k->q->info);
	k->x = fab_link_of(&c->f, k->p);
	k->y = fab_link_of(&c->f, k->q);
	k->m = speed_masks_of(&c->f, k->p);
	k->o = speed_masks_of(&c->f, k->q);
	check_name(c, k->p, k->a);
	check_name(c, k->q, k->b);
	return true;
}

static struct check_about
cable_about(const struct cable *k, const char *value, const char *expected)
{
	return (struct check_about){ .a = k->p, .b = k->q, .value = json_string(value),
		.expected = json_string(expected) };
}

/* Names the end or ends that have the value disabled. */
static const char *
who_limits(const struct cable *k, bool a, bool b, char *buf, size_t len)
{
	if (a && b)
		snprintf(buf, len, "both ends");
	else
		snprintf(buf, len, "%s", a ? k->a : k->b);
	return buf;
}

/* Checks the speed of a link. Returns true if a problem was reported. */
static bool
speed_check(struct check_run *c, const struct cable *k)
{
	int is = speed_active(&k->x), other = speed_active(&k->y),
		may = speed_best(k->m.enabled & k->o.enabled);
	int can = speed_best(k->m.supported & k->o.supported);
	struct check_about w;
	char who[CHECK_NAME_BYTES];

	if (is != other && is >= 0 && other >= 0) {
		w = cable_about(k, speed_word(is), speed_word(other));
		check_find(c, CHECK_ERROR, "speed_mismatch", &w,
			"%s reports %s, %s at the other end reports %s", k->a, speed_word(is), k->b,
			speed_word(other));
		return true;
	}
	if (is >= 0 && may > is) {
		w = cable_about(k, speed_word(is), speed_word(may));
		check_find(c, CHECK_WARNING, "speed_slow", &w,
			"%s - %s runs at %s; both ends have %s enabled", k->a, k->b, speed_word(is),
			speed_word(may));
		return true;
	}
	if (may >= 0 && can > may) {
		w = cable_about(k, speed_word(may), speed_word(can));
		check_find(c, CHECK_WARNING, "speed_limited", &w,
			"%s - %s is limited to %s; both ends support %s, which is not enabled at %s",
			k->a, k->b,
			speed_word(may), speed_word(can), who_limits(k, !(k->m.enabled >> can & 1),
			!(k->o.enabled >> can & 1), who, sizeof(who)));
		return true;
	}
	return false;
}

static bool
width_check(struct check_run *c, const struct cable *k)
{
	uint8_t is = k->x.width, may = width_best(k->i.width_enabled & k->j.width_enabled);
	uint8_t can = width_best(k->i.width_supported & k->j.width_supported);
	struct check_about w;
	char who[CHECK_NAME_BYTES];

	if (k->x.width != k->y.width) {
		w = cable_about(k, fab_width_word(k->x.width), fab_width_word(k->y.width));
		check_find(c, CHECK_ERROR, "width_mismatch", &w,
			"%s reports %s, %s at the other end reports %s", k->a,
			fab_width_word(k->x.width), k->b, fab_width_word(k->y.width));
		return true;
	}
	if (fab_lanes(may) > fab_lanes(is)) {
		w = cable_about(k, fab_width_word(is), fab_width_word(may));
		check_find(c, CHECK_WARNING, "width_narrow", &w,
			"%s - %s has width %s; both ends have %s enabled", k->a, k->b,
			fab_width_word(is),
			fab_width_word(may));
		return true;
	}
	if (may && fab_lanes(can) > fab_lanes(may)) {
		w = cable_about(k, fab_width_word(may), fab_width_word(can));
		check_find(c, CHECK_WARNING, "width_limited", &w,
			"%s - %s is limited to %s; both ends support %s, which is not enabled at %s",
			k->a, k->b,
			fab_width_word(may), fab_width_word(can),
			who_limits(k, !(k->i.width_enabled & can), !(k->j.width_enabled & can), who,
			sizeof(who)));
		return true;
	}
	return false;
}

/* ---- links slower than others of their kind ---- */

struct like {
	uint32_t port;
	uint32_t kind;                  /* node types and levels of both ends */
	uint32_t mbps;
};

static int
like_cmp(const void *a, const void *b)
{
	const struct like *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->port < y->port ? -1 : x->port > y->port;
}

static uint32_t
kind_of(const struct check_run *c, const struct cable *k)
{
	const struct fab_node *n = fab_node_of(&c->f, k->p), *m = fab_node_of(&c->f, k->q);
	uint32_t a = (uint32_t)n->type << 8 | levels_of(&c->levels, n),
		b = (uint32_t)m->type << 8 | levels_of(&c->levels, m);

	return a < b ? a << 16 | b : b << 16 | a;
}

static void
one_kind(struct check_run *c, const struct like *l, size_t n)
{
	uint64_t *v = xcalloc(n, sizeof(*v)), usual;
	struct cable k;
	size_t count;
	char x[SPEED_LINK_TEXT_BYTES];

	for (size_t i = 0; i < n; i++)
		v[i] = l[i].mbps;
	usual = check_majority(v, n, &count);
	free(v);
	if (n < KIND_MIN || !MOST(count, n))
		return;
	for (size_t i = 0; i < n; i++) {
		struct check_about w;

		if (l[i].mbps >= usual)
			continue;
		read_cable(c, l[i].port, &k);
		w = (struct check_about){ .a = k.p, .b = k.q,
			.value = json_real(l[i].mbps / 1000.0),
			.expected = json_real((double)usual / 1000.0) };
		check_find(c, CHECK_WARNING, "rate_below_others", &w,
			"%s - %s is %s; %zu of %zu links between such nodes have %g Gb/s", k.a, k.b,
			speed_link_text(&k.x, x), count, n, (double)usual / 1000.0);
	}
}

static void
speeds_check(struct check_run *c)
{
	struct like *l = xcalloc(c->f.s->nlinks + 1u, sizeof(*l));
	size_t n = 0, first = 0;
	struct cable k;

	check_looked(c, "%u links", c->f.s->nlinks);
	CHECK_EACH_CABLE(c, i) {
		bool slow = false;

		read_cable(c, i, &k);
		if (!c->f.drawn) {
			slow = speed_check(c, &k);
			slow |= width_check(c, &k);
		}
		if (!slow)
			l[n++] = (struct like){ i, kind_of(c, &k),
				(uint32_t)(link_nominal_gbps(k.x.width,
				speed_active(&k.x)) * 1000) };
	}
	qsort(l, n, sizeof(*l), like_cmp);
	for (size_t i = 1; i <= n; i++)
		if (i == n || l[i].kind != l[first].kind) {
			one_kind(c, &l[first], i - first);
			first = i;
		}
	free(l);
}

const struct check check_speeds = { .name = "speeds",
	.about = "links that are slow, narrow, limited, or slower than similar links",
	.run = speeds_check };
