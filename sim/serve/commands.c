/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * commands.c - the commands of `heddle-sim ctl`, one row each.
 * Room: sim/serve.
 *
 * A command is a row of the table at the end (name, usage, help, function) and a function that
 * parses its arguments (args.c) and calls sim/hw or sim/kmad.  Commands about counters and traffic
 * are in load.c.  control_answer() runs the request of an operator (control.h).
 */
#include <config.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/topo/topo.h"
#include "libmad/attr/sm_attr.h"
#include "sim/serve/control.h"
#include "sim/serve/vca.h"
#include "util/xalloc.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define LATENCY_MAX_US INT64_C(60000000)
#define DOWN_MAX_MS 3600000
#define ADDED_GUID UINT64_C(0x00fe1d0000000000)

static int
cables_moved(struct server *s, int r, char why[CONTROL_WHY])
{
	kmad_pump(s->kmad, server_now());
	if (r)
		snprintf(why, CONTROL_WHY, "%s", r == -EEXIST ? "a port is connected already" :
			r == -ENOENT ? "nothing is plugged in there" : strerror(-r));
	return r;
}

/* ---- links and nodes ---- */

static int
run_pull(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY])
{
	uint32_t node;
	uint8_t port;
	int r = control_arg_port(s, args[0], &node, &port, why);

	(void)n;
	(void)result;
	if (r)
		return r;
	r = hw_cable_pull(s->hw, node, port, server_now());
	return cables_moved(s, r == -EINVAL ? -ENOENT : r, why);        /* the port is empty */
}

static int
run_plug(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY])
{
	uint32_t a, b;
	uint8_t pa, pb;
	int r = control_arg_port(s, args[0], &a, &pa, why);

	(void)n;
	(void)result;
	if (!r)
		r = control_arg_port(s, args[1], &b, &pb, why);
	return r ? r : cables_moved(s, hw_cable_plug(s->hw, a, pa, b, pb, server_now()), why);
}

static int
run_reboot(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY])
{
	int64_t down_ms = 0;
	uint32_t node;
	int r = control_arg_node(s, args[0], &node, why);

	(void)result;
	if (!r && n == 2)
		return control_refuse(why, -EINVAL, "'%.60s' is not --down MS", args[1]);
	if (!r && n == 3 && strcmp(args[1], "--down"))
		return control_refuse(why, -EINVAL, "unexpected '%.60s'; expected --down MS",
			args[1]);
	if (!r && n == 3)
		r = control_arg_number(args[2], DOWN_MAX_MS, &down_ms, why);
	return r ? r : cables_moved(s, hw_node_reboot(s->hw, node, down_ms * 1000, server_now()),
		why);
}

static int
run_power(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY])
{
	uint32_t node;
	int r = control_arg_node(s, args[0], &node, why);
	bool on = !strcmp(args[1], "on");

	(void)n;
	(void)result;
	if (!r && !on && strcmp(args[1], "off"))
		return control_refuse(why, -EINVAL, "'%.60s' is not on or off", args[1]);
	return r ? r : cables_moved(s, hw_node_power(s->hw, node, on, server_now()), why);
}

/* Returns a node GUID in the generators' series that no node has. */
static uint64_t
free_guid(struct server *s)
{
	uint64_t guid = ADDED_GUID + UINT64_C(0x100) * hw_nodes(s->hw);
	char word[32];
	uint32_t node;

	for (;; guid += 0x100) {
		snprintf(word, sizeof(word), "0x%016" PRIx64, guid);
		if (hw_node_find(s->hw, word, &node) == -ENOENT)
			return guid;
	}
}

static int
run_add_host(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY])
{
	uint64_t guid = free_guid(s);
	uint32_t node, sw, peer;
	uint8_t port, peer_port;
	int r;

	(void)n;
	if (strcmp(args[1], "--to"))
		return control_refuse(why, -EINVAL,
			"unexpected '%.60s'; expected --to SWITCH:PORT", args[1]);
	r = control_arg_port(s, args[2], &sw, &port, why);
	if (r)
		return r;
	if (strlen(args[0]) > 64)
		return control_refuse(why, -EINVAL,
			"'%.70s...' is longer than the 64 bytes of a description", args[0]);
	if (hw_peer(s->hw, sw, port, &peer, &peer_port))
		return control_refuse(why, -EEXIST, "'%.100s' is connected already", args[2]);
	r = hw_node_add(s->hw, TOPO_CA, 1, guid, args[0], &node);
	if (!r)
		r = hw_cable_plug(s->hw, node, 1, sw, port, server_now());
	if (!r)
		*result = json_pack("{s:o,s:i}", "guid", json_sprintf("0x%016" PRIx64, guid),
			"node", (int)node);
	return cables_moved(s, r, why);
}

/* ---- faults ---- */

static struct hw_faults *
faults_of(struct server *s, uint32_t node)
{
	for (uint32_t i = 0; i < s->nfaults; i++)
		if (s->faults[i].node == node)
			return &s->faults[i].faults;
	s->faults = xreallocarray(s->faults, s->nfaults + 1, sizeof(*s->faults));
	s->faults[s->nfaults] = (struct node_faults){ .node = node };
	return &s->faults[s->nfaults++].faults;
}

/* Parses the optional last argument [NODE]; without it the scope is all nodes. */
static int
arg_scope(struct server *s, unsigned n, const char *const *args, unsigned at, uint32_t *node,
	char why[CONTROL_WHY])
{
	*node = TOPO_NONE;
	return n > at ? control_arg_node(s, args[at], node, why) : 0;
}

static int
set_fault(struct server *s, unsigned n, const char *const *args, size_t member,
	char why[CONTROL_WHY])
{
	struct hw_faults *f;
	uint32_t ppm, node;
	int r = control_arg_percent(args[0], &ppm, why);

	if (!r)
		r = arg_scope(s, n, args, 1, &node, why);
	if (r)
		return r;
	f = faults_of(s, node);
	memcpy((char *)f + member, &ppm, sizeof(ppm));
	return cables_moved(s, hw_faults_set(s->hw, node, f), why);
}

#define FAULT(name) \
	static int \
	run_##name(struct server *s, unsigned n, const char *const *args, json_t **result, char why[CONTROL_WHY]) \
	{ \
		(void)result; \
		return set_fault(s, n, args, offsetof(struct hw_faults, name##_ppm), why); \
	}
FAULT(drop)
FAULT(dup)
FAULT(reorder)
FAULT(corrupt)
#undef FAULT

static int
run_delay(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY])
{
	struct hw_faults *f;
	uint32_t ppm, node;
	int64_t us;
	int r = control_arg_percent(args[0], &ppm, why);

	(void)result;
	if (!r)
		r = control_arg_number(args[1], LATENCY_MAX_US, &us, why);
	if (!r)
		r = arg_scope(s, n, args, 2, &node, why);
	if (r)
		return r;
	f = faults_of(s, node);
	f->delay_ppm = ppm;
	f->delay_us = us;
	return cables_moved(s, hw_faults_set(s->hw, node, f), why);
}

static int
run_latency(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY])
{
	int64_t us;
	int r = control_arg_number(args[0], LATENCY_MAX_US, &us, why);

	(void)n;
	(void)result;
	if (r)
		return r;
	s->latency_us = us;
	hw_latency_set(s->hw, us);
	return 0;
}

static const char *const misbehaviours[] = {
#define M(name, word) [HW_##name] = word,
	HW_MISBEHAVIOURS(M)
#undef M
};

/* Parses the number of an attribute; 0 is all. */
static int
arg_attr(const char *word, uint16_t *id, char why[CONTROL_WHY])
{
	char *end;
	unsigned long v = strtoul(word, &end, 0);

	if (end == word || *end || v > 0xffff)
		return control_refuse(why, -EINVAL, "'%.60s' is not an attribute id (0x11, ...)",
			word);
	*id = (uint16_t)v;
	return 0;
}

static int
arg_value(const char *word, uint64_t *value, char why[CONTROL_WHY])
{
	char *end;

	errno = 0;
	*value = strtoull(word, &end, 0);
	if (!isdigit((unsigned char)*word) || *end || errno)
		return control_refuse(why, -EINVAL, "'%.60s' is no value of 64 bits", word);
	return 0;
}

static int
run_misbehave(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY])
{
	uint16_t attr_id = 0;
	uint64_t value = 0;
	unsigned kind = 0;
	uint32_t node;
	int r = control_arg_node(s, args[0], &node, why);

	(void)result;
	if (!r && hw_away(s->hw, node))
		return control_refuse(why, -EINVAL, "the agent of '%.60s' is elsewhere", args[0]);
	while (kind < COUNT(misbehaviours) && strcmp(misbehaviours[kind], args[1]))
		kind++;
	if (!r && kind == COUNT(misbehaviours))
		return control_refuse(why, -EINVAL,
			"'%.60s' is not a kind of misbehaviour (see heddle-sim(8))", args[1]);
	if (!r && n > 2)
		r = arg_attr(args[2], &attr_id, why);
	if (!r && n > 3)
		r = arg_value(args[3], &value, why);
	return r ? r : cables_moved(s, hw_misbehave(s->hw, node, (enum hw_misbehaviour)kind,
		attr_id, value), why);
}

static const char *const extended_speeds[] = {
#define M(name, word) [HW_EXTENDED_##name] = word,
	HW_EXTENDED_SPEEDS(M)
#undef M
};

int
control_extended_speeds(const char *word, enum hw_extended_speeds *e)
{
	for (unsigned i = 0; i < COUNT(extended_speeds); i++)
		if (!strcmp(extended_speeds[i], word)) {
			*e = (enum hw_extended_speeds)i;
			return 0;
		}
	return -EINVAL;
}

static int
run_extended_speeds(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY])
{
	enum hw_extended_speeds e;
	uint32_t node = TOPO_NONE;
	int r = n > 1 ? control_arg_node(s, args[1], &node, why) : 0;

	(void)result;
	if (!r && control_extended_speeds(args[0], &e))
		return control_refuse(why, -EINVAL,
			"'%.60s' is not one of auto, shown, hidden, refused", args[0]);
	return r ? r : cables_moved(s, hw_extended_speeds_set(s->hw, node, e), why);
}

static int
run_clear(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY])
{
	const struct hw_faults none = { 0 };

	(void)n;
	(void)args;
	(void)result;
	for (uint32_t i = 0; i < s->nfaults; i++)
		hw_faults_set(s->hw, s->faults[i].node, &none);
	s->nfaults = 0;
	for (uint32_t i = 0; i < hw_nodes(s->hw); i++)
		hw_misbehave(s->hw, i, HW_NONE, 0, 0);
	hw_error_clear(s->hw, server_now());
	s->latency_us = s->conf.latency_us;
	hw_latency_set(s->hw, s->latency_us);
	return cables_moved(s, 0, why);
}

/* ---- queries ---- */

static json_t *
guid_json(uint64_t guid)
{
	return json_sprintf("0x%016" PRIx64, guid);
}

/* Converts text of up to 64 bytes, which need not be UTF-8. */
static json_t *
text_json(const char *text)
{
	json_t *j = json_string(text);
	char ascii[65];
	size_t i;

	if (j)
		return j;
	for (i = 0; text[i] && i < 64; i++)
		ascii[i] = (unsigned char)text[i] < 0x20 || (unsigned char)text[i] > 0x7e ? '?' :
			text[i];
	ascii[i] = '\0';
	return json_string(ascii);
}

static const char *
type_word(uint8_t type)
{
	return type == TOPO_SWITCH ? "switch" : type == TOPO_ROUTER ? "router" : "ca";
}

static int
run_nodes(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY])
{
	json_t *list = json_array();

	(void)n;
	(void)args;
	(void)why;
	for (uint32_t i = 0; i < hw_nodes(s->hw); i++) {
		const struct topo_node *t = hw_node_topo(s->hw, i);

		json_array_append_new(list, json_pack("{s:s,s:o,s:o,s:o,s:i}", "type",
			type_word(t->type),
			"guid", guid_json(t->guid), "id", text_json(t->id ? t->id : ""),
			"description", text_json(t->desc),
			"ports", (int)t->nports));
	}
	*result = json_pack("{s:o}", "nodes", list);
	return 0;
}

static json_t *
value_json(const char *member, const struct port_info *p)
{
	for (unsigned i = 0; i < port_info_desc.nfields; i++) {
		const struct attr_field *f = &port_info_desc.fields[i];
		char text[64];

		if (strcmp(f->name, member))
			continue;
		attr_value_text(f, attr_get(f, p, 0), text, sizeof(text));
		return json_string(text);
	}
	return json_null();
}

static json_t *
port_json(struct server *s, uint32_t node, uint8_t port)
{
	uint8_t info[PORT_INFO_BYTES], peer_port;
	struct port_info p;
	uint32_t peer;
	json_t *j;

	if (hw_port_info(s->hw, node, port, info))
		return NULL;
	p = port_info_decode(info);
	j = json_pack("{s:i,s:o,s:o,s:o,s:i,s:i}", "port", (int)port, "state", value_json("state",
		&p), "phys_state", value_json("phys_state", &p),
		"width", value_json("width_active", &p), "lid", (int)p.lid, "lmc", (int)p.lmc);
	if (hw_peer(s->hw, node, port, &peer, &peer_port))
		json_object_set_new(j, "peer", json_pack("{s:o,s:o,s:i}",
			"description", text_json(hw_node_topo(s->hw, peer)->desc),
			"guid", guid_json(hw_node_topo(s->hw, peer)->guid), "port",
			(int)peer_port));
	return j;
}

static int
run_ports(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY])
{
	json_t *list;
	uint32_t node;
	int r = control_arg_node(s, args[0], &node, why);

	(void)n;
	if (r)
		return r;
	list = json_array();
	for (unsigned p = 0; p <= hw_node_topo(s->hw, node)->nports; p++) {
		json_t *j = port_json(s, node, (uint8_t)p);

		if (j)
			json_array_append_new(list, j);
	}
	*result = json_pack("{s:o}", "ports", list);
	return 0;
}

static int
run_stats(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY])
{
	const struct hw_stats *h = hw_stats(s->hw);
	const struct kmad_stats *k = kmad_stats(s->kmad);
	unsigned open = 0;

	(void)n;
	(void)args;
	(void)why;
	for (const struct attach *a = s->attaches; a; a = a->next)
		open++;
#define N(member) #member, (json_int_t)h->member
#define K(member) #member, (json_int_t)k->member
	*result = json_pack("{s:{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I},"
		"s:{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I},s:{s:i,s:I,s:I,s:I}}",
		"fabric", N(packets), N(hops), N(answered), N(delivered), N(traps),
		N(dropped_fault), N(dropped_route),
		N(dropped_state), N(dropped_mkey), N(dropped_hops),
		"kernel", K(sent), K(refused), K(received), K(unmatched), K(unclaimed), K(answered),
		K(expired),
		K(resent), K(overflowed), K(over_limit),
		"server", "open", (int)open, "records", (json_int_t)s->packets_in,
		"doorbells", (json_int_t)s->doorbells,
		"dropped", (json_int_t)s->dropped);
#undef N
#undef K
	if (s->vcas)
		json_object_set_new(*result, "adapters", vca_json(s));
	return 0;
}

static int
run_summary(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY])
{
	struct hw_verdict v;

	(void)n;
	(void)args;
	(void)why;
	hw_check(s->hw, true, &v);
	*result = json_pack("{s:{s:i,s:i,s:i}, s:{s:i,s:i,s:i,s:i}, s:{s:i,s:i}, s:{s:I,s:I}}",
		"fabric", "nodes", v.nodes, "switches", v.switches, "hosts", v.hosts,
		"ports", "linked", v.linked, "active", v.active, "armed", v.armed, "init", v.init,
		"lids", "missing", v.no_lid, "duplicate", v.duplicate_lids,
		"walks", "tried", (json_int_t)v.walks, "lost", (json_int_t)v.lost);
	if (v.lost)
		json_object_set_new(*result, "first_lost", json_pack("{s:o, s:i, s:i}", "from",
			text_json(hw_node_topo(s->hw, v.lost_node)->desc), "port", v.lost_port,
			"lid", v.lost_lid));
	return 0;
}

/* ---- for `heddle-sim exec` ---- */

static int
default_host(struct server *s, uint32_t *node, char why[CONTROL_WHY])
{
	for (uint32_t i = 0; i < hw_nodes(s->hw); i++)
		if (hw_node_topo(s->hw, i)->type == TOPO_CA && !hw_away(s->hw, i)) {
			*node = i;
			return 0;
		}
	return control_refuse(why, -ENOENT, "the fabric has no host%s: name a node", "");
}

static int
run_place(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY])
{
	uint8_t port = 0;
	uint32_t node;
	uint64_t guid;
	int r;

	if (!n)
		r = default_host(s, &node, why);
	else if ((r = hw_node_find(s->hw, args[0], &node)) && strrchr(args[0], ':') &&
	    r != -ENOTUNIQ)
		r = control_arg_port(s, args[0], &node, &port, why);
	else if (r)
		r = control_arg_node(s, args[0], &node, why);
	if (r)
		return r;
	if (hw_away(s->hw, node))
		return control_refuse(why, -EINVAL,
			"%s is an adapter of a kernel: its programs run there", hw_node_topo(s->hw,
			node)->desc);
	guid = hw_node_topo(s->hw, node)->guid;
	r = place_make_node(s->dir, guid);
	if (r)
		return control_refuse(why, r, "cannot make the node's directories: %s",
			strerror(-r));
	*result = json_pack("{s:i,s:i,s:o,s:o}", "node", (int)node, "port", (int)port,
		"directory", json_sprintf("%s/nodes/%016" PRIx64, s->dir, guid), "socket",
		json_sprintf("%s/umad", s->dir));
	return 0;
}

/* ---- the table ---- */

static const struct control_command commands[] = {
	{ "nodes", "", "lists the nodes", 0, 0, run_nodes, false },
	{ "ports", "NODE", "lists the ports of a node", 1, 1, run_ports, false },
	{ "stats", "", "shows counters of packets, messages and open devices", 0, 0, run_stats,
		false },
	{ "summary", "",
		"counts port states, and traces the paths from all hosts to all LIDs",
		0, 0, run_summary, false },
	{ "pull", "NODE:PORT", "unplugs a cable", 1, 1, run_pull, false },
	{ "plug", "NODE:PORT NODE:PORT", "plugs a cable in", 2, 2, run_plug, false },
	{ "reboot", "NODE [--down MS]", "reboots a node, which loses all settings", 1, 3,
		run_reboot, false },
	{ "power", "NODE on|off", "switches a node on or off", 2, 2, run_power, false },
	{ "add-host", "DESC --to SWITCH:PORT", "adds a new host and connects it", 3, 3,
		run_add_host, false },
	{ "drop", "PERCENT [NODE]",
		"drops a percentage of the MADs to and from a node (default: all nodes)", 1, 2,
		run_drop, false },
	{ "delay", "PERCENT US [NODE]",
		"delays a percentage of the MADs of a node by US microseconds", 2, 3, run_delay,
		false },
	{ "dup", "PERCENT [NODE]", "delivers a percentage of the MADs of a node twice", 1, 2,
		run_dup, false },
	{ "reorder", "PERCENT [NODE]",
		"delivers a percentage of the MADs of a node after later ones", 1, 2, run_reorder,
		false },
	{ "corrupt", "PERCENT [NODE]", "changes bits in a percentage of the MADs of a node", 1, 2,
		run_corrupt, false },
	{ "traffic",
		"[uniform|permutation|hotspot|off] [--rate PERCENT%|MBITS] [--seconds S] [--to NODE[:PORT]] [--sl N] [--seed N]",
		"makes hosts send data, which changes counters; without a kind: shows the traffic",
		0, 11, load_traffic, false },
	{ "errors", "NODE:PORT COUNTER=+N|COUNTER=RATE...",
		"increases an error counter: by N now, or by RATE per second from now on (0 ends it)",
		2, CONTROL_ARGS, load_errors, false },
	{ "counters", "NODE:PORT [COUNTER...]", "shows the counts of a port since power-on", 1,
		CONTROL_ARGS, load_counters, false },
	{ "lanes", "NODE:PORT", "shows the SL-to-VL and VL arbitration tables of a port", 1, 1,
		load_vl_tables, false },
	{ "misbehave", "NODE KIND [ATTRIBUTE [VALUE]]",
		"makes an SMA send faulty responses, or none", 2, 4, run_misbehave, false },
	{ "extended-speeds", "auto|shown|hidden|refused [NODE]",
		"sets when PortInfo shows extended speeds", 1, 2, run_extended_speeds, false },
	{ "latency", "US", "sets the delay of every MAD in one direction", 1, 1, run_latency,
		false },
	{ "clear", "", "ends all faults, errors and misbehaviour, and restores the latency", 0, 0,
		run_clear, false },
	{ "place", "[NODE[:PORT]]", "finds a node for a program", 0, 1, run_place, true },
};

const struct control_command *
control_command(unsigned i)
{
	return i < COUNT(commands) ? &commands[i] : NULL;
}

const struct control_command *
control_command_find(const char *name)
{
	for (size_t i = 0; i < COUNT(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

int
control_run(struct server *s, const char *name, unsigned n, const char *const *args,
	json_t **result,
	char why[CONTROL_WHY])
{
	const struct control_command *c = control_command_find(name);

	if (!c)
		return control_refuse(why, -EINVAL, "no command '%.60s'", name);
	if (n < c->min_args || n > c->max_args) {
		snprintf(why, CONTROL_WHY, "usage: %s %s", c->name, c->usage);
		return -EINVAL;
	}
	return c->run(s, n, args, result, why);
}

/* Reads command and arguments of a request.  Returns 0, or -EINVAL and a sentence. */
static int
read_request(json_t *q, const char **name, const char *args[CONTROL_ARGS], unsigned *n,
	char why[CONTROL_WHY])
{
	json_t *list = json_object_get(q, "arguments"), *word;
	size_t i;

	*name = json_string_value(json_object_get(q, "command"));
	*n = 0;
	if (!*name)
		return control_refuse(why, -EINVAL,
			"a request is an object with 'command' and 'arguments'%s", "");
	json_array_foreach(list, i, word) {
		if (*n == CONTROL_ARGS || !json_is_string(word))
			return control_refuse(why, -EINVAL,
				"arguments of '%.60s' are strings, not so many", *name);
		args[(*n)++] = json_string_value(word);
	}
	return 0;
}

json_t *
control_answer(struct server *s, const char *line, size_t bytes)
{
	json_t *q = json_loadb(line, bytes, JSON_REJECT_DUPLICATES, NULL), *result = NULL, *reply;
	const char *args[CONTROL_ARGS], *name;
	char why[CONTROL_WHY] = "";
	unsigned n;
	int r = read_request(q, &name, args, &n, why);

	if (!r)
		r = control_run(s, name, n, args, &result, why);
	reply = r ? json_pack("{s:b,s:o}", "ok", 0, "error", text_json(why)) : json_pack("{s:b}",
		"ok", 1);
	if (!r && result)
		json_object_set(reply, "result", result);
	json_decref(result);
	json_decref(q);
	return reply;
}
