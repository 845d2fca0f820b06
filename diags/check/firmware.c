/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * firmware.c - reports firmware versions that differ among devices of one kind.
 * Room: diags/check. Only devices of the vendor whose class 0x0a is known are queried, or their
 * answers are taken from a capture. Devices without an answer are skipped.
 */
#include <config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/check/check.h"
#include "diags/core/addr.h"
#include "diags/fabric/fabric.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"
#include "libmad/attr/vs_attr.h"
#include "util/xalloc.h"

#define VENDOR_MELLANOX 0x2c9
#define PSID_BYTES 17
#define KIND_MIN 3

struct device {
	uint32_t node;
	bool known;
	uint64_t kind, version; /* vendor, device, hash of PSID; major << 40 | minor << 20 | sub */
	char psid[PSID_BYTES];
};

static uint64_t
revision_hash(const char *s)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *s; s++)
		h = (h ^ (uint8_t)*s) * UINT64_C(0x100000001b3);
	return h;
}

/* Copies the leading printable characters of the PSID. */
static void
copy_psid(const uint8_t *from, char *to)
{
	unsigned n = 0;

	while (n < PSID_BYTES - 1 && from[n] > ' ' && from[n] < 127) {
		to[n] = (char)from[n];
		n++;
	}
	to[n] = '\0';
}

static void
answered(struct diag *d, void *arg, const struct diag_request *q, const struct diag_reply *r)
{
	struct device *v = arg;
	struct vs_general_info g;

	(void)d;
	(void)q;
	if (r->end != DIAG_OK || r->bytes < VS_GENERAL_INFO_BYTES)
		return;
	g = vs_general_info_decode(r->data);
	copy_psid(g.fw_psid, v->psid);
	v->known = true;
	v->kind = revision_hash(v->psid) ^ g.device_id;
	v->version = g.fw_ext_major || g.fw_ext_minor || g.fw_ext_sub ?
		(uint64_t)(g.fw_ext_major & 0xfffff) << 40 |
		(uint64_t)(g.fw_ext_minor & 0xfffff) << 20 | (g.fw_ext_sub & 0xfffff) :
		(uint64_t)g.fw_major << 40 | (uint64_t)g.fw_minor << 20 | g.fw_sub;
}

static const char *
version_text(uint64_t v, char buf[static 40])
{
	snprintf(buf, 40, "%u.%u.%u", (unsigned)(v >> 40), (unsigned)(v >> 20 & 0xfffff),
		(unsigned)(v & 0xfffff));
	return buf;
}

static int
device_cmp(const void *a, const void *b)
{
	const struct device *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static void
one_kind(struct check_run *c, const struct device *v, size_t n)
{
	uint64_t *all = xcalloc(n, sizeof(*all)), usual;
	char name[CHECK_NAME_BYTES], is[40], other[40];
	size_t count;

	for (size_t i = 0; i < n; i++)
		all[i] = v[i].version;
	usual = check_majority(all, n, &count);
	free(all);
	if (n < KIND_MIN || count * 2 <= n)
		return;
	for (size_t i = 0; i < n; i++) {
		const struct fab_port *p = check_node(c, &c->f.s->nodes[v[i].node]);

		if (v[i].version == usual)
			continue;
		version_text(v[i].version, is);
		version_text(usual, other);
		check_find(c, CHECK_INFO, "firmware_differs", &(struct check_about){ .a = p,
			.value = json_string(is), .expected = json_string(other) },
			"%s has firmware %s; %zu of %zu devices of its type (%s) have %s",
			check_name(c, p, name), is, count, n, *v[i].psid ? v[i].psid : "no PSID",
			other);
	}
}

static size_t
versions_ask(struct check_run *c, struct device *v)
{
	const struct snapshot *s = c->f.s;
	size_t n = 0;

	for (uint32_t i = 0; i < s->nnodes; i++) {
		const struct fab_node *node = &s->nodes[i];
		const struct fab_port *p = &s->ports[node->first_port + (fab_is_switch(node) ? 0 :
			node->entry_port)];
		struct diag_addr a;

		if (node_info_decode(node->node_info).vendor_id != VENDOR_MELLANOX ||
		    !check_known(p) || !fab_lid(&c->f, p))
			continue;
		v[n].node = i;
		a = diag_addr_lid(fab_lid(&c->f, p));
		diag_submit(c->d, &(struct diag_request){ .to = &a, .mgmt_class = CLASS_VENDOR_A,
			.attr_id = VS_GENERAL_INFO_ID, .quiet = true }, answered,
			&v[n++]);
	}
	if (n)
		diag_run(c->d);
	return n;
}

static void
firmware_check(struct check_run *c)
{
	struct device *v = xcalloc(c->f.s->nnodes + 1u, sizeof(*v));
	size_t asked = versions_ask(c, v), n = 0, first = 0;

	for (size_t i = 0; i < asked; i++)
		if (v[i].known)
			v[n++] = v[i];
	if (asked)
		check_looked(c, "%zu of %zu queried devices answered", n, asked);
	else
		check_looked(c, "no devices of the vendor that can be queried");
	qsort(v, n, sizeof(*v), device_cmp);
	for (size_t i = 1; n && i <= n; i++)
		if (i == n || v[i].kind != v[first].kind) {
			one_kind(c, &v[first], i - first);
			first = i;
		}
	free(v);
}

const struct check check_firmware = { .name = "firmware",
	.about = "firmware versions that differ among devices of a type",
	.flags = CHECK_REGISTERS | CHECK_ASKS,
	.run = firmware_check };
