/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibtracert.c - shows the route that packets take from one port to another, for one pair or for
 * thousands from a file.
 * Room: diags/tools. All pairs are traced together (trace.h), and share the facts read from the
 * fabric.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/address.h"
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/json.h"
#include "diags/core/names.h"
#include "diags/core/out.h"
#include "diags/core/progress.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "diags/fabric/fabric.h"
#include "diags/tools/ibtracert_view.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"
#include "util/grow.h"
#include "util/xalloc.h"

#define LINE_BYTES 1024
/* limit of rounds; a trace has 63 hops of a few facts each and ends long before */
#define ROUNDS_MAX 2000

enum { OPT_PORTS_FILE = DIAG_LONG, OPT_VIEW };

struct pair {
	unsigned line;                  /* line in the file; 0: from the command line */
	char *src, *dst;                /* as given */
	struct diag_addr from, to;
	bool lost;                      /* an address was not found, which is reported */
	struct trace source, route;
	struct trace back;              /* --view: route from the destination to the source */
};

struct ibtracert {
	struct trace_conf conf;
	bool brief, view;
	const char *ports_file;
	struct {
		struct pair *pair;
		size_t n, room;
	} pairs;
};

static int
option(struct diag *d, int id, const char *value)
{
	struct ibtracert *want = diag_state(d);
	uint64_t v;

	switch (id) {
	case 'f':
		want->conf.force = true;
		return 0;
	case 'n':
		want->brief = true;
		return 0;
	case 'm':
		if (!diag_number(value, MLID_LAST, &v) || v < MLID_FIRST)
			return diag_usage(d, "-m: invalid MLID \"%s\"; must be 0xc000 or larger",
				value);
		want->conf.mlid = (uint16_t)v;
		return 0;
	case OPT_VIEW:
		want->view = true;
		return 0;
	case OPT_PORTS_FILE:
		want->ports_file = value;
		return 0;
	}
	return -ENOENT;
}

/* ---- the pairs ---- */

static void
add_pair(struct ibtracert *want, unsigned line, const char *src, const char *dst)
{
	GROW(want->pairs.pair, want->pairs.n, want->pairs.room, 16);
	want->pairs.pair[want->pairs.n] = (struct pair){ .line = line, .src = xstrdup(src),
		.dst = xstrdup(dst) };
	want->pairs.pair[want->pairs.n++].source.end = TRACE_WAITING;
}

/* Reads a file with two addresses per line; '#' begins a comment. */
static int
read_pairs(struct diag *d, const char *path)
{
	struct ibtracert *want = diag_state(d);
	char text[LINE_BYTES], *src, *dst, *rest;
	FILE *f = fopen(path, "r");
	unsigned line = 0;
	int r = 0;

	if (!f)
		return diag_fail(d, EXIT_USAGE, "config", "cannot open ports-file %s", path);
	while (!r && fgets(text, sizeof(text), f)) {
		line++;
		if (strlen(text) == sizeof(text) - 1 && text[sizeof(text) - 2] != '\n') {
			r = diag_fail(d, EXIT_USAGE, "config",
				"ports-file, %s, line %u is longer than %zu bytes", path, line,
				sizeof(text) - 2);
			break;
		}
		text[strcspn(text, "#\n")] = '\0';
		src = strtok_r(text, " \t\r", &rest);
		dst = src ? strtok_r(NULL, " \t\r", &rest) : NULL;
		if (dst)
			add_pair(want, line, src, dst);
		else if (src)
			r = diag_fail(d, EXIT_USAGE, "config",
				"ports-file, %s, at line %u contains bad data", path, line);
	}
	fclose(f);
	return r;
}

/* Cache of addresses found, because with -G each one costs a request to the SA. */
struct found {
	UT_hash_handle hh;
	struct diag_addr addr;
	int status;
	char text[];
};

static int
address_find(struct diag *d, struct found **all, const char *text, struct diag_addr *a)
{
	struct found *f;

	HASH_FIND_STR(*all, text, f);
	if (!f) {
		f = xcalloc(1, sizeof(*f) + strlen(text) + 1);
		strcpy(f->text, text);
		f->status = diag_address(d, text, &f->addr);
		HASH_ADD_STR(*all, text, f);
	}
	*a = f->addr;
	return f->status;
}

static void
find_addresses(struct diag *d)
{
	struct ibtracert *want = diag_state(d);
	struct found *all = NULL, *f, *next;

	for (size_t i = 0; i < want->pairs.n; i++) {
		struct pair *p = &want->pairs.pair[i];

		p->lost = address_find(d, &all, p->src, &p->from) || address_find(d, &all, p->dst,
			&p->to);
	}
	HASH_ITER(hh, all, f, next) {
		HASH_DEL(all, f);
		free(f);
	}
}

/* ---- tracing ---- */

/* Continues the route back, which begins where the forward route ends. Returns whether it waits for
 * facts. */
static bool
advance_back(struct facts *k, const struct trace_conf *c, struct pair *p)
{
	struct ibtracert *want = diag_state(k->d);

	if (!want->view || p->route.end != TRACE_FOUND || p->back.end != TRACE_WAITING)
		return false;
	trace_on(k, c, &p->route, p->from.lid, &p->back);
	return p->back.end == TRACE_WAITING;
}

/* Continues each pair that waits for facts; returns the number of pairs that still wait. */
static size_t
pairs_advance(struct facts *k)
{
	struct ibtracert *want = diag_state(k->d);
	struct trace_conf to_source = want->conf, on = want->conf;
	size_t waiting = 0;

	to_source.mlid = 0;
	to_source.names = diag_settings(k->d)->verbose;
	on.names = !want->brief || want->conf.mlid;
	for (size_t i = 0; i < want->pairs.n; i++) {
		struct pair *p = &want->pairs.pair[i];

		if (!p->lost && advance_back(k, &on, p))
			waiting++;
		if (p->lost || (p->source.end != TRACE_WAITING && p->route.end != TRACE_WAITING))
			continue;
		if (p->source.end == TRACE_WAITING)
			trace_source(k, &to_source, p->from.lid, &p->source);
		if (p->source.end == TRACE_FOUND)
			trace_on(k, &on, &p->source, p->to.lid, &p->route);
		else if (p->source.end != TRACE_WAITING)
			p->route.end = p->source.end;
		/* also while the source is still being traced */
		if (p->route.end == TRACE_WAITING) {
			fact_get(k, NULL, FACT_LID_NODE, p->to.lid);
			fact_get(k, NULL, FACT_LID_PORT, p->to.lid);
		}
		waiting += p->route.end == TRACE_WAITING ||
			(want->view && p->route.end == TRACE_FOUND && p->back.end == TRACE_WAITING);
	}
	return waiting;
}

static int
trace_all(struct facts *k)
{
	struct ibtracert *want = diag_state(k->d);
	size_t waiting;
	int r = 0;

	for (unsigned round = 0; !r && (waiting = pairs_advance(k)) > 0; round++) {
		if (!k->wanted && want->view && round <= ROUNDS_MAX)
			/* a forward route was found, and the route back begins in the next round */
			continue;
		if (round > ROUNDS_MAX || !k->wanted)
			return diag_fail(k->d, EXIT_FATAL, "internal", "%zu traces come to no end",
				waiting);
		diag_progress(k->d, "%zu of %zu pairs traced", want->pairs.n - waiting,
			want->pairs.n);
		r = facts_fetch(k);
	}
	return r;
}

/* ---- output ---- */

static const char *
type_word(uint8_t type)
{
	return type >= 1 && type <= 3 ? fab_type_word(type) : "???";
}

static const char *
name_of(struct facts *k, const struct place *p, char buf[static DIAG_NAME_BYTES])
{
	const struct fact *f = fact_get(k, p, FACT_DESC, 0);

	buf[0] = '\0';
	return f && f->end == DIAG_OK ? diag_name(k->d, p->node_guid, f->data, buf) : buf;
}

static struct port_info
port_of(struct facts *k, const struct place *p)
{
	const struct fact *f = fact_get(k, p, FACT_PORT, 0);
	static const uint8_t nothing[64];

	return port_info_decode(f && f->end == DIAG_OK ? f->data : nothing);
}

/* Prints the line "From" or "To" of a route. */
static void
put_end(struct facts *k, const char *word, const struct trace_step *s)
{
	struct ibtracert *want = diag_state(k->d);
	struct port_info i = port_of(k, s->at);
	char name[DIAG_NAME_BYTES];
	unsigned port = s->at->type == 2 ? 0 : s->in, last = i.lid + (1u << i.lmc) - 1;

	if (want->conf.mlid)
		diag_text(k->d, "%s %s 0x%" PRIx64 " port %u lid %u-%u \"%s\"\n", word,
			type_word(s->at->type), s->at->node_guid, s->in, i.lid, last,
			name_of(k, s->at, name));
	else if (want->brief)
		diag_text(k->d, "%s {0x%016" PRIx64 "}[%u]\n", word, s->at->node_guid, port);
	else
		diag_text(k->d, "%s %s {0x%016" PRIx64 "} portnum %u lid %u-%u \"%s\"\n", word,
			type_word(s->at->type), s->at->node_guid, port, i.lid,
			last, name_of(k, s->at, name));
}

static void
put_step(struct facts *k, const struct trace_step *s, bool brief)
{
	struct ibtracert *want = diag_state(k->d);
	struct port_info i = port_of(k, s->at);
	const char *type = type_word(s->at->type);
	char name[DIAG_NAME_BYTES];

	if (want->conf.mlid && brief)
		diag_text(k->d, "[%u] -> %s {0x%016" PRIx64 "}[%u]\n", s->out, type,
			s->at->node_guid, s->in);
	else if (want->conf.mlid)
		diag_text(k->d, "[%u] -> %s 0x%" PRIx64 "[%u] lid %u \"%s\"\n", s->out, type,
			s->at->node_guid, s->in, i.lid, name_of(k, s->at, name));
	else if (brief)
		diag_text(k->d, "[%u] -> {0x%016" PRIx64 "}[%u]\n", s->out, s->at->port_guid,
			s->in);
	else
		diag_text(k->d, "[%u] -> %s port {0x%016" PRIx64 "}[%u] lid %u-%u \"%s\"\n", s->out,
			type, s->at->port_guid, s->in, i.lid,
			i.lid + (1u << i.lmc) - 1, name_of(k, s->at, name));
}

static json_t *
step_json(struct facts *k, struct view *v, const struct pair *p, const struct trace *t, unsigned n)
{
	struct ibtracert *want = diag_state(k->d);
	const struct trace_step *s = &t->step[n];
	struct port_info i = port_of(k, s->at);
	char name[DIAG_NAME_BYTES];
	json_t *o = json_object();

	json_object_set_new(o, "line", p->line ? json_integer(p->line) : json_null());
	json_object_set_new(o, "src_lid", json_integer(p->from.lid));
	json_object_set_new(o, "dst_lid", json_integer(p->to.lid));
	json_object_set_new(o, "direction", json_string(t == &p->back ? "back" : "there"));
	json_object_set_new(o, "hop", json_integer(n));
	json_object_set_new(o, "out_port", n ? json_integer(s->out) : json_null());
	json_object_set_new(o, "in_port", json_integer(n || s->at->type != 2 ? s->in : 0));
	json_object_set_new(o, "type", json_string(fab_type_word(s->at->type)));
	json_object_set_new(o, "node_guid", diag_json_guid(s->at->node_guid));
	json_object_set_new(o, "port_guid", diag_json_guid(s->at->port_guid));
	json_object_set_new(o, "lid", json_integer(i.lid));
	json_object_set_new(o, "lmc", json_integer(i.lmc));
	/* a call of its own, since the next call also takes the length of 'name' */
	name_of(k, s->at, name);
	if (want->brief)
		json_object_set_new(o, "name", json_null());
	else
		attr_json_set_text(o, "name", (const uint8_t *)name, strlen(name));
	if (v) {
		view_hop_json(v, t, n, o);
		return o;
	}
	json_object_set_new(o, "link", json_null());
	json_object_set_new(o, "out_counters", json_null());
	json_object_set_new(o, "in_counters", json_null());
	json_object_set_new(o, "findings", json_array());
	return o;
}

static void
put_document(struct facts *k, struct view *v, const struct pair *p, const struct trace *t)
{
	struct ibtracert *want = diag_state(k->d);
	static const char *const words[] = { "skipped", "ok", "timeout", "broken" };
	json_t *o;

	if (diag_is_text(k->d))
		return;
	o = json_object();
	json_object_set_new(o, "line", p->line ? json_integer(p->line) : json_null());
	json_object_set_new(o, "src", diag_json_text(p->src));
	json_object_set_new(o, "dst", diag_json_text(p->dst));
	json_object_set_new(o, "src_lid", p->lost ? json_null() : json_integer(p->from.lid));
	json_object_set_new(o, "dst_lid", p->lost ? json_null() : json_integer(p->to.lid));
	json_object_set_new(o, "mlid", want->conf.mlid ? json_integer(want->conf.mlid) :
		json_null());
	json_object_set_new(o, "status", json_string(t->missing && t->missing->end == DIAG_ABSENT ?
		"skipped" : words[t->end]));
	json_object_set_new(o, "code", t->code ? json_string(t->code) : json_null());
	json_object_set_new(o, "message", *t->why ? json_string(t->why) : json_null());
	json_object_set_new(o, "steps", json_integer(p->route.nsteps));
	json_object_set_new(o, "back", v && p->route.end == TRACE_FOUND ?
		json_string(words[p->back.end]) : json_null());
	diag_row(k->d, "paths", o);
	for (unsigned i = 0; i < p->route.nsteps; i++)
		diag_row(k->d, "hops", step_json(k, v, p, &p->route, i));
	for (unsigned i = 0; v && p->route.end == TRACE_FOUND && i < p->back.nsteps; i++)
		diag_row(k->d, "hops", step_json(k, v, p, &p->back, i));
}

static int
tell_failure(struct facts *k, const struct pair *p, const struct trace *t)
{
	char object[64], at[32] = "";

	if (p->line)
		snprintf(at, sizeof(at), " at line %u", p->line);
	if (t->end == TRACE_UNANSWERED)
		fact_report(k, t->missing);
	if (t->end == TRACE_BROKEN) {
		snprintf(object, sizeof(object), "%u/%u", p->from.lid, p->to.lid);
		diag_finding(k->d, "error", t->code, object, NULL, "%s", t->why);
	}
	if (*t->why)
		fprintf(stderr, "%s\n", t->why);
	if (!p->lost)
		fprintf(stderr, "%s\n", t == &p->source ? "can't find a route to the src port" :
			"can't find a route from src to dest");
	return diag_give_up(k->d, "Failed to get route information%s", at);
}

/* Shows both directions of a pair as tables, for --view. */
static int
show_view(struct facts *k, struct view *v, const struct pair *p)
{
	const struct trace *t = p->source.end == TRACE_FOUND ? &p->route : &p->source;
	char head[2 * DIAG_NAME_BYTES + 80], a[DIAG_NAME_BYTES], b[DIAG_NAME_BYTES];

	put_document(k, v, p, t);
	if (t != &p->route || t->end != TRACE_FOUND)
		return tell_failure(k, p, t);
	name_of(k, t->step[0].at, a);
	name_of(k, t->step[t->nsteps - 1].at, b);
	snprintf(head, sizeof(head), "%s (LID %u) -> %s (LID %u): %u link%s", a, p->from.lid, b,
		p->to.lid, t->nsteps - 1, t->nsteps == 2 ? "" : "s");
	view_show(v, t, head);
	if (p->back.end == TRACE_FOUND && view_same_links(t, &p->back)) {
		diag_text(k->d, "and back over the same links\n");
		return EXIT_OK;
	}
	snprintf(head, sizeof(head), "%s (LID %u) -> %s (LID %u): %u link%s", b, p->to.lid, a,
		p->from.lid, p->back.nsteps ? p->back.nsteps - 1 : 0,
		p->back.nsteps == 2 ? "" : "s");
	view_show(v, &p->back, head);
	return p->back.end == TRACE_FOUND ? EXIT_OK : tell_failure(k, p, &p->back);
}

static int
pair_show(struct facts *k, const struct pair *p)
{
	struct ibtracert *want = diag_state(k->d);
	const struct trace *t = p->source.end == TRACE_FOUND ? &p->route : &p->source;

	for (unsigned i = 1; diag_settings(k->d)->verbose && i < p->source.nsteps; i++)
		put_step(k, &p->source.step[i], false);
	if (t == &p->route && t->nsteps && (!want->conf.mlid || t->end == TRACE_FOUND)) {
		put_end(k, "From", &t->step[0]);
		for (unsigned i = 1; i < t->nsteps; i++)
			put_step(k, &t->step[i], want->brief);
		if (t->end == TRACE_FOUND)
			put_end(k, "To", &t->step[t->nsteps - 1]);
	}
	put_document(k, NULL, p, t);
	return t->end == TRACE_FOUND ? EXIT_OK : tell_failure(k, p, t);
}

static void
show_all(struct facts *k)
{
	struct ibtracert *want = diag_state(k->d);
	const struct trace **t = xcalloc(2 * want->pairs.n + 1, sizeof(*t));
	struct view *v = NULL;

	for (size_t i = 0; want->view && i < want->pairs.n; i++)
		if (!want->pairs.pair[i].lost && want->pairs.pair[i].route.end == TRACE_FOUND) {
			t[2 * i] = &want->pairs.pair[i].route;
			t[2 * i + 1] = &want->pairs.pair[i].back;
		}
	if (want->view)
		v = view_new(k, t, 2 * want->pairs.n);
	for (size_t i = 0; i < want->pairs.n; i++)
		if (want->view)
			show_view(k, v, &want->pairs.pair[i]);
		else
			pair_show(k, &want->pairs.pair[i]);
	view_free(v);
	free(t);
}

static int
ibtracert_run(struct diag *d, int argc, char **argv)
{
	struct ibtracert *want = diag_state(d);
	struct facts k = { .d = d };
	int r = 0;

	if (want->view && (want->conf.mlid || want->brief))
		return diag_usage(d, "--view goes neither with -m nor with -n");

	if (want->ports_file)
		r = read_pairs(d, want->ports_file);
	else if (argc < 2)
		return diag_usage(d, "two addresses are needed");
	else
		add_pair(want, 0, argv[0], argv[1]);
	if (!r)
		r = diag_open(d);
	if (!r)
		find_addresses(d);
	if (!r)
		r = trace_all(&k);
	if (!r)
		show_all(&k);
	if (want->ports_file && !r)
		diag_text(d, "%zu lid/guid pairs processed from %s\n", want->pairs.n,
			want->ports_file);
	json_object_set_new(diag_summary(d), "pairs", json_integer((json_int_t)want->pairs.n));
	for (size_t i = 0; i < want->pairs.n; i++) {
		free(want->pairs.pair[i].src);
		free(want->pairs.pair[i].dst);
	}
	free(want->pairs.pair);
	facts_clear(&k);
	return r;
}

static const struct diag_option options[] = {
	{ 'f', "force", NULL, "force" },
	{ 'n', "no_info", NULL, "simple format" },
	{ 'm', "mlid", "<mlid>", "multicast trace of the mlid" },
	{ OPT_VIEW, "view", NULL,
		"show the links of the path, and of the return path: speed, width, counters, "
		"problems" },
	{ OPT_PORTS_FILE, "ports-file", "<file>", "port pairs file" },
	{ 0, NULL, NULL, NULL },
};

static const char *const examples[] = {
	"- Unicast examples:",
	"4 16\t\t\t# show path between lids 4 and 16",
	"-n 4 16\t\t# same, but using simple output format",
	"-G 0x8f1040396522d 0x002c9000100d051\t# use guid addresses",
	"--view node:host-0 node:host-8\t# the links of the paths there and back",
	" - Multicast examples:",
	"-m 0xc000 4 16\t# show multicast path of mlid 0xc000 between lids 4 and 16",
	NULL,
};

const struct diag_tool diag_tool = {
	.name = "ibtracert", .operands = "<src-addr> <dest-addr>",
	.about = "traces the path of packets from one port to another",
	.examples = examples, .masked = "DK", .options = options, .flags = DIAG_NAMES | DIAG_REPLAY,
	.rows = "hops", .option = option, .run = ibtracert_run,
	.state_bytes = sizeof(struct ibtracert),
};
