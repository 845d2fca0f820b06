/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * groups.c - replaces entries of the whole fabric by those of groups.
 * Room: sm/route.  Pure.  In: engines, the fabric, groups.  Out: tables, and what became of groups.
 */
#include <config.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "sm/route/group_part.h"
#include "sm/route/groups.h"
#include "util/bits.h"

void
groups_kept_clear(struct groups_kept *k)
{
	arena_clear(&k->arena);
	memset(k, 0, sizeof(*k));
}

bool
groups_configured(const struct route_in *in)
{
	return in->conf && in->conf->groups && in->conf->groups->n;
}

enum verify_scope
groups_scope(const struct route_engine *whole, const struct route_groups *r)
{
	return r->hosts_only ? VERIFY_HOSTS : whole->scope;
}

/* Appends to what is said of groups. */
static void append_sentence(struct route_groups *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void
append_sentence(struct route_groups *r, const char *fmt, ...)
{
	size_t n = strlen(r->said);
	va_list ap;

	if (n)
		n += (size_t)snprintf(r->said + n, sizeof(r->said) - n, "; ");
	if (n >= sizeof(r->said))
		return;
	va_start(ap, fmt);
	vsnprintf(r->said + n, sizeof(r->said) - n, fmt, ap);
	va_end(ap);
}

static void
refuse_group(struct route_groups *r, const struct routing_group *g, const char *why)
{
	r->refused++;
	append_sentence(r, "group %s is not in force: %s", g->name, why);
}

void
groups_refuse(const struct routing_groups *g, struct route_groups *r, const char *why)
{
	struct route_groups none = { .refused = g->n };
	char names[128] = "";
	unsigned n = 0;

	for (uint32_t i = 0; i < g->n; i++) {
		size_t used = strlen(names);

		if (r->in_force && !(r->in_force >> i & 1))
			continue;
		snprintf(names + used, sizeof(names) - used, "%s%s", n++ ? ", " : "",
			g->group[i].name);
	}
	append_sentence(&none, "group%s %s %s not in force: %s", n > 1 ? "s" : "", names,
		n > 1 ? "are" : "is", why);
	*r = none;
}

/* ---- what the engine of the whole fabric made ---- */

/* The row of 'guid' that was kept; NULL: none. */
static const struct groups_row *
find_row(const struct groups_kept *k, uint64_t guid)
{
	for (uint32_t i = 0; i < k->n; i++)
		if (k->row[i].guid == guid)
			return &k->row[i];
	return NULL;
}

/* The present tables, with the entries of 'whole' where groups replaced them and nobody else has
 * changed them since. */
static const struct fwd_tables *
restore_own(const struct route_in *in, const struct route_engine *whole,
	const struct groups_kept *k, struct arena *a)
{
	const struct fwd_tables *was = in->previous;
	struct fwd_tables *f;

	if (!k || !k->n || !was || was->nswitches != in->snapshot->nswitches ||
		strcmp(k->engine, whole->name) != 0)
		return was;
	f = arena_alloc(a, sizeof(*f));
	*f = *was;
	f->rows = NULL;
	f->port = arena_copy(a, was->port, f->nswitches, f->stride);
	for (uint32_t sw = 0; sw < f->nswitches; sw++) {
		const struct groups_row *row =
			find_row(k, in->snapshot->nodes[in->snapshot->switches[sw]].guid);

		for (uint32_t lid = 1; row && lid < k->stride && lid < f->stride; lid++)
			if (fwd_row(f, sw)[lid] == row->made[lid])
				fwd_row(f, sw)[lid] = row->own[lid];
	}
	return f;
}

/* Keeps the row of a switch of a group, which 'made' then replaces. */
static struct groups_row *
keep_row(struct groups_kept *k, uint64_t guid, const struct fwd_tables *f, uint32_t sw)
{
	struct groups_row *row;

	k->row = arena_grow(&k->arena, k->row, k->n, &k->room, 64, sizeof(*k->row));
	row = &k->row[k->n++];
	k->stride = f->stride;
	*row = (struct groups_row){ .guid = guid,
		.own = arena_copy(&k->arena, fwd_row(f, sw), 1, f->stride) };
	return row;
}

/* ---- groups ---- */

/* Whether the engine has an entry to each LID of the group at each of its switches: packets enter
 * the group at any of them. */
static bool
is_complete(const struct group_part *p, const struct fwd_tables *f, char *why, size_t why_len)
{
	for (uint32_t sw = 0; sw < f->nswitches; sw++)
		for (uint32_t lid = 1; lid <= p->lids.top; lid++)
			if (p->lids.owner[lid] != FAB_NONE && fwd_row(f, sw)[lid] == FAB_LFT_DROP) {
				snprintf(why, why_len,
					"its engine has no path from switch 0x%016" PRIx64
					" to LID %" PRIu32 " inside the group",
					p->s->nodes[p->s->switches[sw]].guid, lid);
				return false;
			}
	return true;
}

static void
replace_entries(const struct group_part *p, const struct fwd_tables *f, struct groups_kept *k,
	struct fwd_tables *out)
{
	for (uint32_t sw = 0; sw < f->nswitches; sw++) {
		struct groups_row *row = NULL;

		if (k)
			row = keep_row(
				k, p->s->nodes[p->s->switches[sw]].guid, out, p->whole_sw[sw]);
		for (uint32_t lid = 1; lid <= f->top && lid <= out->top; lid++)
			if (bits_test(p->lid, lid))
				fwd_row(out, p->whole_sw[sw])[lid] = fwd_row(f, sw)[lid];
		if (row)
			row->made = arena_copy(
				&k->arena, fwd_row(out, p->whole_sw[sw]), 1, out->stride);
	}
}

/* Tables of the engine of a group for the group alone.  False: 'why' has a sentence. */
static bool
route_part(const struct group_part *p, const struct route_engine *e, struct arena *a,
	struct fwd_tables *f, char *why, size_t why_len)
{
	struct route_report r;

	if (e->run(&p->in, a, f, &r) != ROUTE_OK) {
		snprintf(why, why_len, "engine %s refuses: %s: %s", e->name,
			route_code_text(r.code), r.sentence);
		return false;
	}
	if (f->vls > 1 || (f->lanes && f->lanes->nvls > 1)) {
		snprintf(why, why_len, "engine %s uses %u VLs, and groups have one", e->name,
			f->lanes ? f->lanes->nvls : f->vls);
		return false;
	}
	return is_complete(p, f, why, why_len);
}

static void
run_group(const struct route_in *in, uint32_t i, struct groups_kept *k, struct fwd_tables *out,
	struct route_groups *r)
{
	const struct routing_group *g = &in->conf->groups->group[i];
	struct arena a = ARENA_INIT;
	const struct route_engine *e;
	struct group_part p;
	struct fwd_tables f;
	char why[400];

	e = route_find(g->engine, why, sizeof(why));
	if (!e) {
		refuse_group(r, g, why);
		return;
	}
	if (group_part_make(&p, in, g, why, sizeof(why)) &&
		route_part(&p, e, &a, &f, why, sizeof(why))) {
		replace_entries(&p, &f, k, out);
		r->in_force |= (uint64_t)1 << i;
		r->hosts_only |= e->scope == VERIFY_HOSTS;
		append_sentence(r, "group %s: engine %s", g->name, e->name);
	} else {
		refuse_group(r, g, why);
	}
	group_part_clear(&p);
	arena_clear(&a);
}

enum route_code
groups_run(const struct route_in *in, const struct route_engine *whole,
	const struct groups_kept *before, struct groups_kept *after, struct arena *a,
	struct fwd_tables *out, struct route_report *r)
{
	struct arena scratch = ARENA_INIT;
	struct route_in own = *in;
	char why[200];

	own.state = NULL; /* it would hold tables that are not those in force */
	own.previous = restore_own(in, whole, before, &scratch);
	whole->run(&own, a, out, r);
	arena_clear(&scratch);
	if (after)
		*after = (struct groups_kept){ .engine = whole->name };
	if (r->code != ROUTE_OK || !groups_configured(in))
		return r->code;
	if (out->vls > 1 || (out->lanes && out->lanes->nvls > 1)) {
		snprintf(why, sizeof(why),
			"engine %s of the whole fabric uses %u VLs, and groups have one",
			whole->name, out->lanes ? out->lanes->nvls : out->vls);
		groups_refuse(in->conf->groups, &r->groups, why);
		return r->code;
	}
	for (uint32_t i = 0; i < in->conf->groups->n; i++)
		run_group(in, i, after, out, &r->groups);
	return r->code;
}
