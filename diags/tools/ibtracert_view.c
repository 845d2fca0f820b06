/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibtracert_view.c - the links of traced routes with speed, width, counters and problems.
 * Room: diags/tools. The places on the routes become a small snapshot, so that the functions for
 * counters and names of a whole fabric work on it.
 */
#include <config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/query.h"
#include "diags/core/names.h"
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/link.h"
#include "diags/perf/pma.h"
#include "diags/tools/ibtracert_view.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

#define NAME_MAX_BYTES (DIAG_NAME_BYTES + 8)
#define WORDS_BYTES 600

struct view {
	struct facts *k;
	struct diag_fabric f;
	struct pma *pma;
	bool *wanted;                   /* by port index: on a route */
	bool *reported;                 /* by port index: the findings of its link were reported */
	struct pma_port *counters;      /* by port index; at_us 0: none came */
};

/* ---- the snapshot of the routes ---- */

static int
place_cmp(const void *a, const void *b)
{
	const struct place *x = *(const struct place *const *)a,
		*y = *(const struct place *const *)b;

	return x->node_guid < y->node_guid ? -1 : x->node_guid > y->node_guid;
}

/* All places of all paths, each node once, by node GUID. */
static const struct place **
collect(const struct trace *const *t, size_t n, uint32_t *count)
{
	const struct place **v;
	size_t all = 0, m = 0;

	for (size_t i = 0; i < n; i++)
		all += t[i] ? t[i]->nsteps : 0;
	v = xcalloc(all + 1, sizeof(*v));
	for (size_t i = 0; i < n; i++)
		for (unsigned s = 0; t[i] && s < t[i]->nsteps; s++)
			v[m++] = t[i]->step[s].at;
	if (m)
		qsort(v, m, sizeof(*v), place_cmp);
	*count = 0;
	for (size_t i = 0; i < m; i++)
		if (!i || v[i]->node_guid != v[*count - 1]->node_guid)
			v[(*count)++] = v[i];
	return v;
}

static void
add_nodes(struct snapshot *s, const struct place *const *v, struct facts *k)
{
	s->nodes = arena_array(&s->arena, s->nnodes, sizeof(*s->nodes));
	for (uint32_t i = 0; i < s->nnodes; i++) {
		const struct fact *desc = fact_get(k, v[i], FACT_DESC, 0),
			*sw = v[i]->type == 2 ? fact_get(k, v[i], FACT_SWITCH, 0) : NULL;
		struct fab_node *n = &s->nodes[i];

		n->guid = v[i]->node_guid;
		n->sys_guid = node_info_decode(v[i]->node_info).sys_guid;
		n->type = v[i]->type;
		n->nports = v[i]->nports;
		n->first_port = s->nports;
		s->nports += n->nports + 1u;
		memcpy(n->node_info, v[i]->node_info, NODE_INFO_BYTES);
		if (desc && desc->end == DIAG_OK) {
			memcpy(n->desc, desc->data, NODE_DESC_BYTES);
			n->flags |= FAB_NODE_DESC;
		}
		if (sw && sw->end == DIAG_OK) {
			memcpy(n->switch_info, sw->data, SWITCH_INFO_BYTES);
			n->flags |= FAB_NODE_SWITCH_INFO;
		}
	}
	s->ports = arena_array(&s->arena, s->nports, sizeof(*s->ports));
	for (uint32_t i = 0; i < s->nnodes; i++)
		for (unsigned p = 0; p <= s->nodes[i].nports; p++)
			*snapshot_port(s, i, (uint8_t)p) = (struct fab_port){ .node = i,
				.peer = FAB_NONE, .pkeys = FAB_NONE, .num = (uint8_t)p };
}

static void
give_info(struct fab_port *p, const struct fact *f)
{
	if (!f || f->end != DIAG_OK)
		return;
	memcpy(p->info, f->data, PORT_INFO_BYTES);
	p->flags |= FAB_PORT_INFO;
}

static struct fab_port *
port_at(const struct view *v, const struct place *at, unsigned num)
{
	uint32_t n = snapshot_node_by_guid(v->f.s, at->node_guid);

	return n == FAB_NONE || num > v->f.s->nodes[n].nports ? NULL : snapshot_port(v->f.s, n,
		(uint8_t)num);
}

/* Copies PortInfo of a port on a route into the snapshot; for a switch also that of port 0, which
 * has the LID. */
static struct fab_port *
port_note(const struct view *v, const struct place *at, unsigned num)
{
	struct fab_port *p = port_at(v, at, num), *zero = at->type == 2 ? port_at(v, at, 0) : NULL;

	if (!p)
		return NULL;
	p->guid = at->port_guid;
	give_info(p, fact_get(v->k, at, FACT_PORT_NUM, num));
	if (zero) {
		zero->guid = at->port_guid;
		give_info(zero, fact_get(v->k, at, FACT_PORT, 0));
	}
	return p;
}

/* Finds both ports of the link to step 'n'. Returns false if one of them does not exist. */
static bool
link_text_put(const struct view *v, const struct trace *t, unsigned n, struct fab_port **out,
	struct fab_port **in)
{
	*out = port_at(v, t->step[n - 1].at, t->step[n].out);
	*in = port_at(v, t->step[n].at, t->step[n].in);
	return *out && *in;
}

static void
want_ports(struct facts *k, const struct trace *t)
{
	for (unsigned i = 0; i < t->nsteps; i++) {
		fact_get(k, t->step[i].at, FACT_DESC, 0);
		fact_get(k, t->step[i].at, FACT_PORT, 0);
		if (t->step[i].at->type == 2)
			fact_get(k, t->step[i].at, FACT_SWITCH, 0);
		if (i) {
			fact_get(k, t->step[i - 1].at, FACT_PORT_NUM, t->step[i].out);
			fact_get(k, t->step[i].at, FACT_PORT_NUM, t->step[i].in);
		}
	}
}

static void
add_links(struct view *v, const struct trace *t)
{
	struct fab_port *out, *in;

	for (unsigned i = 1; i < t->nsteps; i++) {
		port_note(v, t->step[i - 1].at, t->step[i].out);
		port_note(v, t->step[i].at, t->step[i].in);
		if (!link_text_put(v, t, i, &out, &in))
			continue;
		out->peer = (uint32_t)(in - v->f.s->ports);
		in->peer = (uint32_t)(out - v->f.s->ports);
		v->wanted[in->peer] = v->wanted[out->peer] = true;
	}
}

/* ---- counters ---- */

static bool
is_wanted(void *arg, const struct fab_port *p)
{
	const struct view *v = arg;

	return v->wanted[p - v->f.s->ports];
}

static void
on_port_counters(struct diag *d, void *arg, const struct pma_port *p)
{
	struct view *v = arg;

	(void)d;
	v->counters[p->port] = *p;
}

struct view *
view_new(struct facts *k, const struct trace *const *t, size_t n)
{
	struct view *v = xcalloc(1, sizeof(*v));
	const struct pma_sweep what = { .wants = PMA_WANT_ERRORS | PMA_WANT_DATA,
		.wanted = is_wanted };
	struct snapshot *s = xcalloc(1, sizeof(*s));
	const struct place **places;

	for (size_t i = 0; i < n; i++)
		if (t[i])
			want_ports(k, t[i]);
	facts_fetch(k);
	places = collect(t, n, &s->nnodes);
	v->k = k;
	v->f.s = s;
	add_nodes(s, places, k);
	free(places);
	v->wanted = xcalloc(s->nports + 1u, sizeof(*v->wanted));
	v->reported = xcalloc(s->nports + 1u, sizeof(*v->reported));
	v->counters = xcalloc(s->nports + 1u, sizeof(*v->counters));
	for (size_t i = 0; i < n; i++)
		if (t[i])
			add_links(v, t[i]);
	if (s->nnodes) {
		s->sm_port = s->nodes[0].first_port + (fab_is_switch(&s->nodes[0]) ||
			!s->nodes[0].nports ? 0 : 1u);
		snapshot_seal(s);
	}
	v->pma = pma_new(k->d, &v->f);
	if (s->nnodes)
		pma_sweep(v->pma, &what, on_port_counters, v);
	return v;
}

void
view_free(struct view *v)
{
	if (!v)
		return;
	pma_free(v->pma);
	snapshot_free(v->f.s);
	free(v->wanted);
	free(v->reported);
	free(v->counters);
	free(v);
}

/* ---- problems ---- */

static const struct pma_port *
counters_of(const struct view *v, const struct fab_port *p)
{
	const struct pma_port *c = &v->counters[p - v->f.s->ports];

	return c->at_us ? c : NULL;
}

static void
add_word(char *words, const char *fmt, const char *a, const char *b)
{
	size_t at = strlen(words);

	if (at)
		at += (size_t)snprintf(words + at, WORDS_BYTES - at, ", ");
	if (at < WORDS_BYTES)
		snprintf(words + at, WORDS_BYTES - at, fmt, a, b);
}

/* Appends the error counters of a port that are not zero; returns whether there are any. */
static bool
add_counts(const struct view *v, const struct fab_port *p, const char *name, char *words)
{
	const struct pma_port *c = counters_of(v, p);
	char text[WORDS_BYTES] = "";
	size_t at = 0;

	for (enum pma_counter i = 0; c && i < PMA_NCOUNTERS && at < sizeof(text); i++) {
		struct pma_value x = pma_value(c, i);

		if (pma_counter_kind(i) == PMA_ERROR && x.supported && x.value)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s %" PRIu64 "%s",
				at ? ", " : "", pma_counter_name(i), x.value,
				x.saturated ? " (full)" : "");
	}
	if (at)
		add_word(words, "%s at %s", text, name);
	return at;
}

static const char *
port_name(const struct view *v, const struct fab_port *p, char buf[static NAME_MAX_BYTES])
{
	size_t n;

	fab_name(v->k->d, fab_node_of(&v->f, p), buf);
	n = strlen(buf);
	snprintf(buf + n, NAME_MAX_BYTES - n, ":%u", p->num);
	return buf;
}

/* Checks one link. Adds each problem as a code to 'codes' (a JSON array, may be NULL) and as text
 * to 'words'. Returns the number of warnings among them. */
static unsigned
step_check(const struct view *v, const struct fab_port *out, const struct fab_port *in,
	json_t *codes, char words[static WORDS_BYTES])
{
	struct port_info a = port_info_decode(out->info), b = port_info_decode(in->info);
	struct link_hint h = link_hint(&v->f, out);
	char x[NAME_MAX_BYTES], y[NAME_MAX_BYTES];
	unsigned n = 0;
	bool counted;

	words[0] = '\0';
	if (!(out->flags & in->flags & FAB_PORT_INFO)) {
		json_array_append_new(codes, json_string("no_answer"));
		add_word(words, "%s%s", "not answered", "");
		return 0;
	}
	if (a.state != PORT_STATE_ACTIVE || b.state != PORT_STATE_ACTIVE) {
		json_array_append_new(codes, json_string("link_not_active"));
		add_word(words, "%s%s", "not active", "");
		n++;
	}
	if (h.width[0]) {
		json_array_append_new(codes, json_string("width_narrow"));
		add_word(words, "could be %s%s", h.width, "");
		n++;
	}
	if (h.speed[0]) {
		json_array_append_new(codes, json_string("speed_slow"));
		add_word(words, "could be %s%s", h.speed_name ? h.speed_name : h.speed, "");
		n++;
	}
	if (a.neighbor_mtu != b.neighbor_mtu) {
		json_array_append_new(codes, json_string("mtu_mismatch"));
		add_word(words, "%s%s", "MTUs differ", "");
		n++;
	}
	counted = add_counts(v, out, port_name(v, out, x), words);
	counted |= add_counts(v, in, port_name(v, in, y), words);
	if (counted)
		json_array_append_new(codes, json_string("errors_counted"));
	if (!counters_of(v, out) || !counters_of(v, in)) {
		json_array_append_new(codes, json_string("no_counters"));
		add_word(words, "%s%s", "no counters", "");
	}
	return n;
}

static void
findings_report(struct view *v, const struct fab_port *out, const struct fab_port *in)
{
	const struct fab_port *first = out < in ? out : in;
	char words[WORDS_BYTES], a[NAME_MAX_BYTES], b[NAME_MAX_BYTES], object[80];
	json_t *codes = json_array(), *detail;

	if (!v->reported[first - v->f.s->ports] && step_check(v, out, in, codes, words)) {
		detail = json_object();
		json_object_set_new(detail, "ends", json_pack("[o, o]", fab_json_end(v->k->d, &v->f,
			out), fab_json_end(v->k->d, &v->f, in)));
		snprintf(object, sizeof(object), "0x%016" PRIx64 "/%u",
			fab_node_of(&v->f, first)->guid, first->num);
		diag_finding(v->k->d, "warning", json_string_value(json_array_get(codes, 0)),
			object, detail, "%s - %s: %s", port_name(v, out, a),
			port_name(v, in, b), words);
	}
	v->reported[first - v->f.s->ports] = true;
	json_decref(codes);
}

/* ---- output ---- */

static size_t
widest(const struct view *v, const struct trace *t, bool outs)
{
	struct fab_port *out, *in;
	char name[NAME_MAX_BYTES];
	size_t most = 0, n;

	for (unsigned i = 1; i < t->nsteps; i++)
		if (link_text_put(v, t, i, &out, &in) &&
		    (n = strlen(port_name(v, outs ? out : in, name))) > most)
			most = n;
	return most;
}

static const char *
wait_text(const struct view *v, const struct fab_port *out, char buf[static 32])
{
	const struct pma_port *c = counters_of(v, out);
	struct pma_value x = c ? pma_value(c, PMA_XMIT_WAIT) :
		(struct pma_value){ .supported = false };

	if (x.supported)
		snprintf(buf, 32, "%" PRIu64, x.value);
	else
		snprintf(buf, 32, "-");
	return buf;
}

void
view_show(struct view *v, const struct trace *t, const char *head)
{
	size_t left = widest(v, t, true), right = widest(v, t, false);
	char a[NAME_MAX_BYTES], b[NAME_MAX_BYTES], words[WORDS_BYTES], wait[32], link[40];
	struct fab_port *out, *in;

	diag_text(v->k->d, "%s\n", head);
	if (t->nsteps > 1)
		diag_text(v->k->d, "    %-*s    %-*s  %-8s %12s\n", (int)left, "out of", (int)right,
			"into", "link", "XmitWait");
	for (unsigned i = 1; i < t->nsteps; i++) {
		struct fab_link l;

		if (!link_text_put(v, t, i, &out, &in))
			continue;
		l = fab_link_of(&v->f, out);
		snprintf(link, sizeof(link), "%s %s", fab_width_word(l.width), fab_speed_word(&l));
		step_check(v, out, in, NULL, words);
		diag_text(v->k->d, "%2u  %-*s -> %-*s  %-8s %12s  %s\n", i, (int)left,
			port_name(v, out, a), (int)right, port_name(v, in, b), link,
			wait_text(v, out, wait), words[0] ? words : "ok");
		findings_report(v, out, in);
	}
}

void
view_hop_json(struct view *v, const struct trace *t, unsigned n, json_t *hop)
{
	struct fab_port *out = NULL, *in = NULL;
	const struct pma_port *a, *b;
	json_t *codes = json_array();
	char words[WORDS_BYTES];

	if (!n || !link_text_put(v, t, n, &out, &in)) {
		json_object_set_new(hop, "link", json_null());
		json_object_set_new(hop, "out_counters", json_null());
		json_object_set_new(hop, "in_counters", json_null());
		json_object_set_new(hop, "findings", codes);
		return;
	}
	step_check(v, out, in, codes, words);
	a = counters_of(v, out);
	b = counters_of(v, in);
	json_object_set_new(hop, "link", fab_json_port(v->k->d, &v->f, out));
	json_object_set_new(hop, "out_counters", a ? pma_json_counters(a, NULL) : json_null());
	json_object_set_new(hop, "in_counters", b ? pma_json_counters(b, NULL) : json_null());
	json_object_set_new(hop, "findings", codes);
}

bool
view_same_links(const struct trace *t, const struct trace *back)
{
	if (t->nsteps != back->nsteps)
		return false;
	for (unsigned i = 1; i < t->nsteps; i++) {
		const struct trace_step *s = &t->step[i], *r = &back->step[back->nsteps - i];

		if (s->at != back->step[back->nsteps - i - 1].at || s->out != r->in ||
		    s->in != r->out)
			return false;
	}
	return true;
}
