/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * chain.c - the order of engines, and the result of each.
 * Room: sm/route.  Pure.  In: names, the intended topology or the snapshot.  Out: a chain.
 *
 * After the engine of the shape, auto continues with ftree, updn, nue on a tree.  On other
 * shapes nue is before updn: with a single root, links near it carry most of the traffic, and
 * nue has no root that its paths must pass (docs/routing.md has figures).  ftree is before both,
 * because it refuses every fabric that is not a tree, and accepts trees that are too damaged to
 * be recognised.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "sm/route/chain.h"
#include "sm/shape/shape.h"
#include "util/xalloc.h"

static bool
has_engine(const struct chain *c, const char *name)
{
	for (unsigned i = 0; i < c->n; i++)
		if (strcasecmp(c->step[i].name, name) == 0)
			return true;
	return false;
}

static void
add_step(struct chain *c, const char *name, enum chain_why why)
{
	struct chain_step *s = &c->step[c->n];
	char text[sizeof(s->said)];

	if (c->n == CHAIN_MAX || has_engine(c, name))
		return;
	*s = (struct chain_step){ .name = name, .why = (uint8_t)why };
	s->engine = route_find(name, text, sizeof(text));
	if (s->engine)
		s->name = s->engine->name;
	else
		snprintf(s->said, sizeof(s->said), "%s", text);
	c->n++;
}

struct chain_seen {
	/* the topology that it was recognised from: all that shape_graph() reads */
	uint32_t nsw, nlinks, nhosts;
	struct intended_link *links;
	struct intended_host *hosts;
	const char *engine;             /* of the shape; NULL: there is none */
	bool tree;
	char text[sizeof(((struct chain *)0)->shape)];
};

void
chain_seen_free(struct chain_seen *k)
{
	if (!k)
		return;
	free(k->links);
	free(k->hosts);
	free(k);
}

static void
see_shape(const struct route_in *in, struct chain_seen *out)
{
	struct arena scratch = ARENA_INIT;
	struct swgraph g;
	struct shape s;

	if (in->intended)
		shape_graph(in->intended, &scratch, &g);
	else
		swgraph_make(in->snapshot, &scratch, &g);
	shape_recognize(&g, &scratch, &s);
	shape_text(&s, out->text, sizeof(out->text));
	out->engine = s.kind == SHAPE_NONE ? NULL : shape_engine(&s);
	out->tree = s.kind == SHAPE_TREE;
	arena_clear(&scratch);
}

static bool
is_seen(const struct chain_seen *k, const struct intended *t)
{
	return k && k->nsw == t->nsw && k->nlinks == t->nlinks && k->nhosts == t->nhosts &&
		intended_links_equal(k->links, t->links, t->nlinks) &&
		intended_hosts_equal(k->hosts, t->hosts, t->nhosts);
}

/* What is kept of the shape of 'in->intended', recognised if it is another one. */
static const struct chain_seen *
keep_shape(const struct route_in *in, struct chain_seen **seen)
{
	const struct intended *t = in->intended;
	struct chain_seen *k = *seen;

	if (is_seen(k, t))
		return k;
	chain_seen_free(k);
	*seen = k = xcalloc(1, sizeof(*k));
	k->nsw = t->nsw;
	k->nlinks = t->nlinks;
	k->nhosts = t->nhosts;
	k->links = t->nlinks ? xmemdup(t->links, t->nlinks * sizeof(*t->links)) : NULL;
	k->hosts = t->nhosts ? xmemdup(t->hosts, t->nhosts * sizeof(*t->hosts)) : NULL;
	see_shape(in, k);
	return k;
}

static void
add_auto(struct chain *c, const struct route_in *in, struct chain_seen **seen)
{
	static const char *const tree[] = { "ftree", "updn", "nue" };
	static const char *const other[] = { "ftree", "nue", "updn" };
	struct chain_seen now = { .engine = NULL };
	const struct chain_seen *k = &now;

	if (seen && in->intended)
		k = keep_shape(in, seen);
	else
		see_shape(in, &now);
	snprintf(c->shape, sizeof(c->shape), "%s", k->text);
	if (k->engine)
		add_step(c, k->engine, CHAIN_SHAPE);
	for (unsigned i = 0; i < sizeof(tree) / sizeof(tree[0]); i++)
		add_step(c, (k->tree ? tree : other)[i], CHAIN_GENERAL);
}

void
chain_make(struct chain *c, const struct conf_engines *e, const struct route_in *in, bool fallback,
	struct chain_seen **seen)
{
	memset(c, 0, sizeof(*c));
	for (unsigned i = 0; i < e->n; i++) {
		if (strcasecmp(e->name[i], CHAIN_AUTO) == 0)
			add_auto(c, in, seen);
		else
			add_step(c, e->name[i], CHAIN_NAMED);
	}
	if (fallback && !e->no_fallback)
		add_step(c, "nue", CHAIN_LAST);
}

/* Adds the engine of 'len' letters at 'name'. */
static bool
read_name(const char *name, size_t len, struct conf_engines *e, char *why, size_t why_len)
{
	char word[64];

	snprintf(word, sizeof(word), "%.*s", len < sizeof(word) ? (int)len : 63, name);
	if (e->no_fallback) {
		snprintf(why, why_len, "nothing may follow no_fallback");
		return false;
	}
	if (strcmp(word, "no_fallback") == 0) {
		e->no_fallback = true;
		return true;
	}
	if (e->n == CONF_ENGINES_MAX) {
		snprintf(why, why_len, "expected at most %d engines", CONF_ENGINES_MAX);
		return false;
	}
	if (strcasecmp(word, CHAIN_AUTO) == 0) {
		e->name[e->n++] = CHAIN_AUTO;
		return true;
	}
	if (!route_find(word, why, why_len))
		return false;
	e->name[e->n++] = route_find(word, why, why_len)->name;
	return true;
}

bool
chain_list_read(const char *text, struct conf_engines *e, char *why, size_t why_len)
{
	*e = (struct conf_engines){ .n = 0 };
	for (const char *at = text; *at; at += strspn(at, ", ")) {
		size_t len = strcspn(at, ", ");

		if (!read_name(at, len, e, why, why_len))
			return false;
		at += len;
	}
	if (!e->n)
		snprintf(why, why_len, "expected the name of a routing engine");
	return e->n > 0;
}

void
chain_refused(struct chain *c, unsigned i, const char *said)
{
	c->step[i].end = CHAIN_REFUSED;
	snprintf(c->step[i].said, sizeof(c->step[i].said), "%s", said);
}

void
chain_taken(struct chain *c, unsigned i)
{
	c->step[i].end = CHAIN_TAKEN;
}

const struct chain_step *
chain_choice(const struct chain *c)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->step[i].end == CHAIN_TAKEN)
			return &c->step[i];
	return NULL;
}

/* Formats "ftree, updn"; returns how many engines refused. */
static unsigned
list_refused(const struct chain *c, char *buf, size_t len)
{
	unsigned refused = 0;
	size_t n = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < c->n && n < len; i++)
		if (c->step[i].end == CHAIN_REFUSED)
			n += (size_t)snprintf(buf + n, len - n, "%s%s", refused++ ? ", " : "",
				c->step[i].name);
	return refused;
}

const char *
chain_text(const struct chain *c, char *buf, size_t len)
{
	const struct chain_step *s = chain_choice(c);
	const char *colon = c->shape[0] ? ": " : "";
	char refused[160];

	buf[0] = '\0';
	if (list_refused(c, refused, sizeof(refused)) == 0) {
		if (s)
			snprintf(buf, len, "%s%sengine %s", c->shape, colon, s->name);
	} else if (s) {
		snprintf(buf, len, "%s%sengine %s%s, after %s refused", c->shape, colon, s->name,
			s->why == CHAIN_LAST ? ", the fallback" : "", refused);
	} else {
		snprintf(buf, len, "%s%sno engine; %s refused", c->shape, colon, refused);
	}
	return buf;
}

json_t *
chain_json(const struct chain *c)
{
	static const char *const words[] = {
		[CHAIN_NAMED] = "named",
		[CHAIN_SHAPE] = "shape",
		[CHAIN_GENERAL] = "general",
		[CHAIN_LAST] = "fallback",
	};
	const struct chain_step *s = chain_choice(c);
	json_t *tried = json_array(), *remarks = json_array();

	if (c->unknown[0])
		json_array_append_new(remarks, json_string(c->unknown));
	if (c->unserved[0])
		json_array_append_new(remarks, json_string(c->unserved));
	if (c->groups.said[0])
		json_array_append_new(remarks, json_string(c->groups.said));
	for (unsigned i = 0; i < c->n; i++)
		if (c->step[i].end != CHAIN_UNTRIED)
			json_array_append_new(tried,
				json_pack("{s:s, s:s, s:s?}", "engine", c->step[i].name, "why",
					words[c->step[i].why], "refusal",
					c->step[i].end == CHAIN_REFUSED ? c->step[i].said : NULL));
	return json_pack("{s:s?, s:s?, s:o, s:o}", "shape", c->shape[0] ? c->shape : NULL, "chosen",
		s ? words[s->why] : NULL, "tried", tried, "remarks", remarks);
}
