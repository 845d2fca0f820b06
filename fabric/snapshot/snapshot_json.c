/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * snapshot_json.c - a snapshot as a JSON value and back.
 * Room: fabric/snapshot.  Pure.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/snapshot/snapshot_json.h"
#include "util/xalloc.h"

#define FORMAT 1
#define NODES_MAX 65536u
#define PORTS_MAX (1u << 21)
#define PROBLEMS_MAX (1u << 20)

/* ---- out ---- */

static json_t *
hex_bytes(const uint8_t *p, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * 64 + 1];

	for (size_t i = 0; i < n; i++) {
		text[2 * i] = digits[p[i] >> 4];
		text[2 * i + 1] = digits[p[i] & 15];
	}
	return json_stringn(text, 2 * n);
}

static json_t *
guid_text(uint64_t guid)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%016" PRIx64, guid);
	return json_string(text);
}

static json_t *
place_read(const struct snapshot *s, uint32_t port)
{
	json_t *o;

	if (port == FAB_NONE)
		return json_null();
	o = json_object();
	json_object_set_new(o, "node", guid_text(s->nodes[s->ports[port].node].guid));
	json_object_set_new(o, "port", json_integer(s->ports[port].num));
	return o;
}

/* Without the M_Key: programs that draw or print a fabric do not need it. */
static json_t *
info_out(const struct fab_port *p)
{
	uint8_t info[PORT_INFO_BYTES];

	if (!(p->flags & FAB_PORT_INFO))
		return json_null();
	memcpy(info, p->info, sizeof(info));
	memset(info + port_info_at_mkey / 8, 0, port_info_bits_mkey / 8);
	return hex_bytes(info, sizeof(info));
}

static json_t *
port_out(const struct snapshot *s, const struct fab_port *p)
{
	json_t *o = json_object();

	json_object_set_new(o, "port", json_integer(p->num));
	json_object_set_new(o, "guid", guid_text(p->guid));
	json_object_set_new(o, "flags",
		json_integer(p->flags & ~(FAB_PORT_PKEYS | FAB_PORT_UNTOLD)));
	json_object_set_new(o, "peer", place_read(s, p->peer));
	json_object_set_new(o, "info", info_out(p));
	return o;
}

static json_t *
node_out(const struct snapshot *s, const struct fab_node *n)
{
	json_t *o = json_object(), *ports = json_array();

	json_object_set_new(o, "guid", guid_text(n->guid));
	json_object_set_new(o, "flags",
		json_integer(n->flags & (FAB_NODE_DESC | FAB_NODE_SWITCH_INFO | FAB_NODE_FAILED)));
	json_object_set_new(o, "node_info", hex_bytes(n->node_info, NODE_INFO_BYTES));
	json_object_set_new(o, "desc", hex_bytes(n->desc, NODE_DESC_BYTES));
	json_object_set_new(o, "switch_info", fab_is_switch(n) ? hex_bytes(n->switch_info,
		SWITCH_INFO_BYTES) : json_null());
	for (unsigned i = fab_is_switch(n) ? 0 : 1; i <= n->nports; i++) {
		const struct fab_port *p = &s->ports[n->first_port + i];

		if (p->flags || p->peer != FAB_NONE)
			json_array_append_new(ports, port_out(s, p));
	}
	json_object_set_new(o, "ports", ports);
	return o;
}

static json_t *
problem_out(const struct fab_problem *t)
{
	char reason[ATTR_TEXT_BYTES(sizeof(t->reason))];
	json_t *o = json_object(), *path = json_array();

	for (unsigned i = 0; i <= t->hop_count; i++)
		json_array_append_new(path, json_integer(t->path[i]));
	attr_text_clean((const uint8_t *)t->reason, sizeof(t->reason), reason);
	json_object_set_new(o, "kind", json_integer(t->kind));
	json_object_set_new(o, "guid", guid_text(t->guid));
	json_object_set_new(o, "port", json_integer(t->port));
	json_object_set_new(o, "path", path);
	json_object_set_new(o, "attribute", json_integer(t->attr_id));
	json_object_set_new(o, "modifier", json_integer(t->modifier));
	json_object_set_new(o, "status", json_integer(t->status));
	json_object_set_new(o, "count", json_integer(t->count));
	json_object_set_new(o, "reason", json_string(reason));
	return o;
}

json_t *
snapshot_to_json(const struct snapshot *s)
{
	json_t *o = json_object(), *nodes = json_array(), *problems = json_array();

	json_object_set_new(o, "format", json_integer(FORMAT));
	json_object_set_new(o, "from", place_read(s, s->sm_port));
	for (uint32_t i = 0; i < s->nnodes; i++)
		json_array_append_new(nodes, node_out(s, &s->nodes[i]));
	json_object_set_new(o, "nodes", nodes);
	for (uint32_t i = 0; i < s->nproblems; i++)
		json_array_append_new(problems, problem_out(&s->problems[i]));
	json_object_set_new(o, "troubles", problems);
	return o;
}

static int
put_text(json_dump_callback_t put, void *arg, const char *text)
{
	return put(text, strlen(text), arg) ? -EIO : 0;
}

/* 'o' (taken) as text behind 'before'. */
static int
put_value(json_dump_callback_t put, void *arg, const char *before, json_t *o)
{
	int r = put_text(put, arg, before);

	if (!r && json_dump_callback(o, put, arg, JSON_COMPACT | JSON_ENCODE_ANY))
		r = -EIO;
	json_decref(o);
	return r;
}

int
snapshot_put_json(const struct snapshot *s, json_dump_callback_t put, void *arg)
{
	int r = put_value(put, arg, "{\"format\":", json_integer(FORMAT));

	if (!r)
		r = put_value(put, arg, ",\"from\":", place_read(s, s->sm_port));
	if (!r)
		r = put_text(put, arg, ",\"nodes\":[");
	for (uint32_t i = 0; i < s->nnodes && !r; i++)
		r = put_value(put, arg, i ? "," : "", node_out(s, &s->nodes[i]));
	if (!r)
		r = put_text(put, arg, "],\"troubles\":[");
	for (uint32_t i = 0; i < s->nproblems && !r; i++)
		r = put_value(put, arg, i ? "," : "", problem_out(&s->problems[i]));
	return r ? r : put_text(put, arg, "]}");
}

/* ---- in ---- */

struct reader {
	struct snapshot *s;
	char *why;
};

static int __attribute__((format(printf, 2, 3)))
refuse(struct reader *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->why, SNAPSHOT_WHY_BYTES, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool
read_bytes(const json_t *v, uint8_t *p, size_t n)
{
	const char *text = json_string_value(v);

	if (!text || strlen(text) != 2 * n)
		return false;
	for (size_t i = 0; i < n; i++) {
		int hi = hex_digit(text[2 * i]), lo = hex_digit(text[2 * i + 1]);

		if (hi < 0 || lo < 0)
			return false;
		p[i] = (uint8_t)(hi << 4 | lo);
	}
	return true;
}

static bool
read_guid(const json_t *v, uint64_t *guid)
{
	const char *text = json_string_value(v);
	uint8_t bytes[8];

	if (!text || strlen(text) != 18 || text[0] != '0' || text[1] != 'x')
		return false;
	*guid = 0;
	for (size_t i = 0; i < sizeof(bytes) * 2; i++) {
		int d = hex_digit(text[2 + i]);

		if (d < 0)
			return false;
		*guid = *guid << 4 | (unsigned)d;
	}
	return true;
}

static bool
read_number(const json_t *v, unsigned max, unsigned *n)
{
	if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > max)
		return false;
	*n = (unsigned)json_integer_value(v);
	return true;
}

struct key {
	uint64_t guid;
	const json_t *o;
};

static int
key_cmp(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	return x->guid < y->guid ? -1 : x->guid > y->guid;
}

/* A node but for its ports. */
static int
node_in(struct reader *r, const struct key *k, struct fab_node *n)
{
	struct node_info info;
	unsigned flags;

	if (!read_bytes(json_object_get(k->o, "node_info"), n->node_info, NODE_INFO_BYTES) ||
	    !read_bytes(json_object_get(k->o, "desc"), n->desc, NODE_DESC_BYTES) ||
	    !read_number(json_object_get(k->o, "flags"), 255, &flags))
		return refuse(r,
			"node 0x%016" PRIx64 ": node_info, desc or flags is missing or malformed",
			k->guid);
	info = node_info_decode(n->node_info);
	if (info.node_guid != k->guid || info.node_type < 1 || info.node_type > 3 ||
	    info.num_ports == 255)
		return refuse(r,
			"node 0x%016" PRIx64
			": its node_info is of another node, or of no known kind",
			k->guid);
	n->guid = k->guid;
	n->sys_guid = info.sys_guid;
	n->type = info.node_type;
	n->nports = info.num_ports;
	n->flags = (uint8_t)flags & (FAB_NODE_DESC | FAB_NODE_SWITCH_INFO | FAB_NODE_FAILED);
	n->first_port = r->s->nports;
	r->s->nports += 1u + info.num_ports;
	if (fab_is_switch(n) && !read_bytes(json_object_get(k->o, "switch_info"), n->switch_info,
	    SWITCH_INFO_BYTES))
		return refuse(r, "switch 0x%016" PRIx64 ": switch_info is missing or malformed",
			k->guid);
	if (r->s->nports > PORTS_MAX)
		return refuse(r, "more than %u ports", PORTS_MAX);
	return 0;
}

/* The index of the port that {"node", "port"} names, FAB_NONE. */
static uint32_t
find_place(const struct snapshot *s, const json_t *o)
{
	uint64_t guid;
	unsigned num;
	uint32_t n;

	if (!read_guid(json_object_get(o, "node"), &guid) ||
	    !read_number(json_object_get(o, "port"), 254, &num))
		return FAB_NONE;
	n = snapshot_node_by_guid(s, guid);
	return n == FAB_NONE || num > s->nodes[n].nports ? FAB_NONE : s->nodes[n].first_port + num;
}

static int
port_in(struct reader *r, const struct fab_node *n, const json_t *o)
{
	const json_t *peer = json_object_get(o, "peer"), *info = json_object_get(o, "info");
	struct fab_port *p;
	unsigned num, flags;
	uint64_t guid;

	if (!read_number(json_object_get(o, "port"), n->nports, &num) ||
	    !read_number(json_object_get(o, "flags"), 255, &flags) ||
	    !read_guid(json_object_get(o, "guid"), &guid))
		return refuse(r, "node 0x%016" PRIx64 ": a port lacks its number, guid or flags",
			n->guid);
	p = &r->s->ports[n->first_port + num];
	p->guid = guid;
	p->flags = (uint8_t)(flags & ~(unsigned)(FAB_PORT_PKEYS | FAB_PORT_UNTOLD | FAB_PORT_INFO));
	if (json_is_string(info)) {
		if (!read_bytes(info, p->info, PORT_INFO_BYTES))
			return refuse(r, "node 0x%016" PRIx64 " port %u: info is malformed",
				n->guid, num);
		p->flags |= FAB_PORT_INFO;
	}
	if (!peer || json_is_null(peer))
		return 0;
	p->peer = find_place(r->s, peer);
	if (p->peer == FAB_NONE || !num)
		return refuse(r, "node 0x%016" PRIx64 " port %u: there is no such peer", n->guid,
			num);
	return 0;
}

static int
ports_in(struct reader *r, const struct key *keys)
{
	struct snapshot *s = r->s;
	const json_t *o;
	size_t k;
	int e;

	for (uint32_t i = 0; i < s->nnodes; i++)
		for (unsigned num = 0; num <= s->nodes[i].nports; num++)
			s->ports[s->nodes[i].first_port + num] = (struct fab_port){
				.node = i, .num = (uint8_t)num, .peer = FAB_NONE, .pkeys = FAB_NONE,
			};
	for (uint32_t i = 0; i < s->nnodes; i++)
		json_array_foreach(json_object_get(keys[i].o, "ports"), k, o) {
			e = port_in(r, &s->nodes[i], o);
			if (e)
				return e;
		}
	for (uint32_t i = 0; i < s->nports; i++)
		if (s->ports[i].peer != FAB_NONE && (s->ports[i].peer == i ||
		    s->ports[s->ports[i].peer].peer != i))
			return refuse(r,
				"node 0x%016" PRIx64 " port %u: the ends of its cable disagree",
				s->nodes[s->ports[i].node].guid, s->ports[i].num);
	return 0;
}

static bool
problem_in(const json_t *o, struct fab_problem *t)
{
	const json_t *path = json_object_get(o, "path");
	const char *reason = json_string_value(json_object_get(o, "reason"));
	unsigned kind, port, attr, status, hop;
	size_t n = json_array_size(path);

	if (!read_number(json_object_get(o, "kind"), FAB_TOO_FAR, &kind) ||
	    !read_number(json_object_get(o, "port"), 255, &port) ||
	    !read_number(json_object_get(o, "attribute"), 0xffff, &attr) ||
	    !read_number(json_object_get(o, "status"), 0xffff, &status) ||
	    !read_number(json_object_get(o, "modifier"), UINT32_MAX, &t->modifier) ||
	    !read_guid(json_object_get(o, "guid"), &t->guid) ||
	    !read_number(json_object_get(o, "count"), UINT32_MAX, &t->count) || !n ||
	    n > DGRAM_PATH_BYTES || !reason)
		return false;
	t->kind = (uint8_t)kind;
	t->port = (uint8_t)port;
	t->attr_id = (uint16_t)attr;
	t->status = (uint16_t)status;
	t->hop_count = (uint8_t)(n - 1);
	for (size_t i = 0; i < n; i++) {
		if (!read_number(json_array_get(path, i), 255, &hop))
			return false;
		t->path[i] = (uint8_t)hop;
	}
	snprintf(t->reason, sizeof(t->reason), "%s", reason);
	return true;
}

static int
problems_in(struct reader *r, const json_t *list)
{
	struct snapshot *s = r->s;
	size_t n = json_array_size(list);

	if (n > PROBLEMS_MAX)
		return refuse(r, "more than %u troubles", PROBLEMS_MAX);
	s->problems = arena_array(&s->arena, n, sizeof(*s->problems));
	for (size_t i = 0; i < n; i++)
		if (!problem_in(json_array_get(list, i), &s->problems[i]))
			return refuse(r, "trouble number %zu is malformed", i);
	s->nproblems = (uint32_t)n;
	return 0;
}

static int
snapshot_fill(struct reader *r, const json_t *o, struct key *keys)
{
	const json_t *nodes = json_object_get(o, "nodes"), *n;
	struct snapshot *s = r->s;
	size_t i;
	int e;

	json_array_foreach(nodes, i, n) {
		if (!read_guid(json_object_get(n, "guid"), &keys[i].guid))
			return refuse(r, "node number %zu has no guid", i);
		keys[i].o = n;
	}
	qsort(keys, s->nnodes, sizeof(*keys), key_cmp);
	for (i = 1; i < s->nnodes; i++)
		if (keys[i].guid == keys[i - 1].guid)
			return refuse(r, "node 0x%016" PRIx64 " is there twice", keys[i].guid);
	s->nodes = arena_array(&s->arena, s->nnodes, sizeof(*s->nodes));
	for (i = 0; i < s->nnodes; i++) {
		e = node_in(r, &keys[i], &s->nodes[i]);
		if (e)
			return e;
	}
	s->ports = arena_array(&s->arena, s->nports, sizeof(*s->ports));
	e = ports_in(r, keys);
	if (e)
		return e;
	s->sm_port = find_place(s, json_object_get(o, "from"));
	if (s->sm_port == FAB_NONE)
		return refuse(r, "\"from\" names no port");
	return problems_in(r, json_object_get(o, "troubles"));
}

int
snapshot_from_json(const json_t *o, struct snapshot **out, char why[static SNAPSHOT_WHY_BYTES])
{
	struct reader r = { .why = why };
	size_t n = json_array_size(json_object_get(o, "nodes"));
	struct key *keys;
	unsigned format;
	int e;

	*out = NULL;
	if (!read_number(json_object_get(o, "format"), FORMAT, &format) || format != FORMAT)
		return refuse(&r, "not a snapshot of format %d", FORMAT);
	if (!n || n > NODES_MAX)
		return refuse(&r, "no nodes, or too many");
	r.s = xcalloc(1, sizeof(*r.s));
	r.s->nnodes = (uint32_t)n;
	keys = xcalloc(n, sizeof(*keys));
	e = snapshot_fill(&r, o, keys);
	free(keys);
	if (e) {
		snapshot_free(r.s);
		return e;
	}
	snapshot_seal(r.s);
	*out = r.s;
	return 0;
}
