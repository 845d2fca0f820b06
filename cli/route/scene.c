/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * scene.c - reads the topology, removes what fails, and learns the intended topology.
 * Room: cli/route.
 */
#include <config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cli/route/names.h"
#include "cli/route/preferences.h"
#include "cli/route/scene.h"
#include "fabric/snapshot/part.h"
#include "fabric/topo/snapshot_topo.h"
#include "sim/gen/gen.h"
#include "sm/conf/routing/guids.h"
#include "util/optab.h"
#include "util/xalloc.h"

/* ---- marks ---- */

void
scene_marks_init(struct scene_marks *m, const struct snapshot *s)
{
	m->node = xcalloc(s->nnodes + 1u, sizeof(*m->node));
	m->port = xcalloc(s->nports + 1u, sizeof(*m->port));
	scene_marks_reset(m, s);
}

void
scene_marks_clear(struct scene_marks *m)
{
	free(m->node);
	free(m->port);
}

void
scene_marks_reset(struct scene_marks *m, const struct snapshot *s)
{
	memset(m->node, 1, s->nnodes * sizeof(*m->node));
	memset(m->port, 1, s->nports * sizeof(*m->port));
}

void
scene_marks_link(struct scene_marks *m, const struct snapshot *s, uint32_t port)
{
	m->port[port] = false;
	if (s->ports[port].peer != FAB_NONE)
		m->port[s->ports[port].peer] = false;
}

void
scene_marks_node(struct scene_marks *m, uint32_t node)
{
	m->node[node] = false;
}

/* ---- failures ---- */

/* The port that "NODE:PORT" names; 'text' is changed. */
static int
find_link_end(struct tool *t, const struct snapshot *s, char *text, uint32_t *port)
{
	char *colon = strrchr(text, ':'), *end;
	const struct fab_node *n;
	unsigned long num;
	uint32_t node;
	int r;

	if (!colon || colon == text)
		return tool_fail(
			t, EXIT_USAGE, "usage", "--fail: expected NODE:PORT, got '%.64s'", text);
	*colon = '\0';
	r = names_find_node(t, s, text, &node);
	if (r)
		return r;
	n = &s->nodes[node];
	num = strtoul(colon + 1, &end, 10);
	if (!colon[1] || *end || num < 1 || num > n->nports)
		return tool_fail(t, EXIT_USAGE, "usage",
			"--fail: %.64s has ports 1 to %u, not '%.20s'", text, n->nports, colon + 1);
	*port = n->first_port + (uint32_t)num;
	if (s->ports[*port].peer == FAB_NONE)
		return tool_fail(t, EXIT_USAGE, "not_found", "--fail: %.64s port %lu has no link",
			text, num);
	return 0;
}

/* "NODE:PORT" or "NODE:PORT,NODE:PORT"; 'text' is changed. */
static int
fail_link(struct tool *t, const struct snapshot *s, struct scene_marks *m, char *text)
{
	char *comma = strchr(text, ','), a[NAMES_BYTES], b[NAMES_BYTES];
	uint32_t port, other;
	int r;

	if (comma)
		*comma = '\0';
	r = find_link_end(t, s, text, &port);
	if (r)
		return r;
	if (comma) {
		r = find_link_end(t, s, comma + 1, &other);
		if (r)
			return r;
		if (s->ports[port].peer != other)
			return tool_fail(t, EXIT_USAGE, "not_found",
				"--fail: no link joins %.90s and %.90s", names_port(s, port, a),
				names_port(s, other, b));
	}
	scene_marks_link(m, s, port);
	return 0;
}

static int
fail_node(struct tool *t, const struct snapshot *s, struct scene_marks *m, const char *text,
	bool is_switch)
{
	uint32_t node;
	int r = names_find_node(t, s, text, &node);

	if (r)
		return r;
	if (fab_is_switch(&s->nodes[node]) != is_switch)
		return tool_fail(t, EXIT_USAGE, "usage", "--fail: %.64s is a %s", text,
			is_switch ? "host" : "switch");
	scene_marks_node(m, node);
	return 0;
}

static int
fail_one(struct tool *t, const struct snapshot *s, struct scene_marks *m, const char *what)
{
	char *text;
	int r;

	if (strncmp(what, "switch:", 7) == 0)
		return fail_node(t, s, m, what + 7, true);
	if (strncmp(what, "host:", 5) == 0)
		return fail_node(t, s, m, what + 5, false);
	if (strncmp(what, "link:", 5) != 0)
		return tool_fail(t, EXIT_USAGE, "usage",
			"--fail: expected link:NODE:PORT, switch:NODE or host:NODE, got '%.64s'",
			what);
	text = xstrdup(what + 5);
	r = fail_link(t, s, m, text);
	free(text);
	return r;
}

/* Names a node that is in no piece any more, although it did not fail itself. */
static int
refuse_pieces(struct tool *t, const struct snapshot *s, const struct scene_marks *was,
	const struct scene_marks *m, uint32_t pieces)
{
	const char *verb = t->fail.n ? "the failures leave" : "is in";
	uint32_t out = FAB_NONE, in = FAB_NONE, n = 0;
	char a[NAMES_BYTES], b[NAMES_BYTES];

	for (uint32_t i = 0; i < s->nnodes; i++) {
		if (!fab_is_switch(&s->nodes[i]))
			continue;
		if (m->node[i])
			in = in == FAB_NONE ? i : in;
		else if (was->node[i]) {
			out = out == FAB_NONE ? i : out;
			n++;
		}
	}
	names_node(&s->nodes[out], a);
	names_node(&s->nodes[in], b);
	return tool_fail(t, EXIT_USAGE, "config",
		t->fail.n ? "%s%s %" PRIu32 " pieces: no link joins %.64s (0x%016" PRIx64
			    ") and %" PRIu32 " other switches with %.64s" :
			    "%.80s %s %" PRIu32 " pieces: no link joins %.64s (0x%016" PRIx64
			    ") and %" PRIu32 " other switches with %.64s",
		t->fail.n ? "" : t->operands[0], verb, pieces, a, s->nodes[out].guid, n - 1, b);
}

/* Makes c->now. */
static int
scene_fail(struct tool *t, struct scene *c)
{
	struct scene_marks m, was;
	uint32_t pieces;
	int r = 0;

	scene_marks_init(&m, c->whole);
	scene_marks_init(&was, c->whole);
	for (unsigned i = 0; i < t->fail.n && !r; i++)
		r = fail_one(t, c->whole, &m, t->fail.v[i]);
	memcpy(was.node, m.node, c->whole->nnodes * sizeof(*m.node));
	pieces = r ? 0 : part_connect(c->whole, m.node, m.port);
	if (pieces > 1)
		r = refuse_pieces(t, c->whole, &was, &m, pieces);
	else if (!r && pieces == 0)
		r = tool_fail(t, EXIT_USAGE, "config", "%.80s has no switch%s", t->operands[0],
			t->fail.n ? " after the failures" : "");
	c->now = c->whole;
	if (!r && t->fail.n)
		c->now = part_make(c->whole, m.node, m.port);
	scene_marks_clear(&m);
	scene_marks_clear(&was);
	return r;
}

/* ---- roots, and what is intended ---- */

static int
roots_read(struct tool *t, struct scene *c, const char *path)
{
	struct conf_error e = CONF_ERROR_INIT;
	const uint64_t *guids = NULL;
	uint64_t *all;
	size_t n = 0;
	int r = 0;

	if (conf_guids_read(path, &c->arena, &guids, &n, &e) < 0 || e.nwarnings) {
		const char *line = e.nerrors ? e.text : e.warnings;

		r = tool_fail(t, EXIT_USAGE, "config", "%.*s", (int)strcspn(line, "\n"), line);
	} else if (!n) {
		r = tool_fail(t, EXIT_USAGE, "config", "%.200s: no root is named", path);
	}
	conf_error_clear(&e);
	for (size_t i = 0; i < n && !r; i++) {
		uint32_t node = snapshot_node_by_guid(c->whole, guids[i]);

		if (node == FAB_NONE || !fab_is_switch(&c->whole->nodes[node]))
			r = tool_fail(t, EXIT_USAGE, "config",
				"%.200s: the root 0x%016" PRIx64 " is not a switch of %.80s", path,
				guids[i], t->operands[0]);
	}
	if (r || !n)
		return r;
	all = arena_array(&c->arena, c->nroots + n, sizeof(*all));
	if (c->nroots)
		memcpy(all, c->roots, c->nroots * sizeof(*all));
	memcpy(all + c->nroots, guids, n * sizeof(*all));
	c->roots = all;
	c->nroots += (uint32_t)n;
	return 0;
}

/* What is intended must have every switch and every link between switches of the topology. */
static int
intended_check(struct tool *t, const struct snapshot *s, const struct snapshot *w)
{
	char a[NAMES_BYTES], b[NAMES_BYTES];

	for (uint32_t i = 0; i < s->nports; i++) {
		const struct fab_port *p = &s->ports[i], *q;
		uint32_t node = snapshot_node_by_guid(w, s->nodes[p->node].guid), peer;

		if (s->nodes[p->node].sw == FAB_NONE)
			continue;
		if (node == FAB_NONE || p->num > w->nodes[node].nports)
			return tool_fail(t, EXIT_USAGE, "config",
				"%.80s contradicts %.80s: it has no %.64s", t->intended,
				t->operands[0], names_port(s, i, a));
		peer = w->ports[w->nodes[node].first_port + p->num].peer;
		q = p->peer == FAB_NONE ? NULL : &s->ports[p->peer];
		if (!q || s->nodes[q->node].sw == FAB_NONE)
			continue;
		if (peer == FAB_NONE ||
			w->nodes[w->ports[peer].node].guid != s->nodes[q->node].guid ||
			w->ports[peer].num != q->num)
			return tool_fail(t, EXIT_USAGE, "config",
				"%.80s contradicts %.80s: there, no link joins %.64s and %.64s",
				t->intended, t->operands[0], names_port(s, i, a),
				names_port(s, p->peer, b));
	}
	return 0;
}

static int
topology_read(struct tool *t, const char *name, struct snapshot **out)
{
	struct topo_error e;
	struct topo topo;
	int r;

	if (gen_or_read(name, &topo, &e) != 0)
		return tool_fail(t, EXIT_USAGE, "config", "%s", e.text);
	r = topo_to_snapshot(&topo, FAB_NONE, PORT_STATE_INIT, out);
	topo_clear(&topo);
	return r ? tool_fail(t, EXIT_USAGE, "config", "%.200s has no node", name) : 0;
}

static int
intended_make(struct tool *t, struct scene *c)
{
	struct intended_conf conf = { .roots = c->roots,
		.nroots = c->nroots,
		.compute = c->files.compute,
		.ncompute = (uint32_t)c->files.ncompute,
		.io = c->files.io,
		.nio = (uint32_t)c->files.nio };
	struct snapshot *s = NULL;
	int r = 0;

	if (t->intended) {
		r = topology_read(t, t->intended, &s);
		if (!r)
			r = intended_check(t, c->whole, s);
	}
	if (!r)
		c->intended = intended_learn(s ? s : c->whole, &conf);
	snapshot_free(s);
	return r;
}

int
scene_open(struct tool *t, struct scene *c)
{
	int r;

	*c = (struct scene){ .arena = ARENA_INIT };
	r = topology_read(t, t->operands[0], &c->whole);
	for (unsigned i = 0; i < t->roots.n && !r; i++)
		r = roots_read(t, c, t->roots.v[i]);
	if (!r)
		r = preferences_read(t, c);
	c->conf.roots = c->roots;
	c->conf.nroots = c->nroots;
	if (!r)
		r = scene_fail(t, c);
	if (!r)
		r = intended_make(t, c);
	if (!r)
		r = preferences_check(t, c);
	return r;
}

void
scene_clear(struct scene *c)
{
	intended_free(c->intended);
	if (c->now != c->whole)
		snapshot_free(c->now);
	snapshot_free(c->whole);
	arena_clear(&c->arena);
}
