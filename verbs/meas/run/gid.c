/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * gid.c - see gid.h.
 * Room: verbs/meas/run.  Pure.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "libmad/wire/gid.h"
#include "verbs/meas/run/gid.h"
#include "verbs/meas/control/msg.h"

static const char *const types[] = { "ib", "roce_v1", "roce_v2" };

static bool
is_ipv4(const struct meas_gid *g)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(g->raw, mapped, sizeof(mapped));
}

static bool
is_link_local(const struct meas_gid *g)
{
	return gid_is_link_local(g->raw);
}

/* Rank of a GID's kind.  Two ends can communicate only if it is equal; higher is better. */
static int
gid_rank(const struct meas_gid *g)
{
	switch (g->type) {
	case MEAS_GID_ROCE2:
		return is_ipv4(g) ? 7 : is_link_local(g) ? 5 : 6;
	case MEAS_GID_ROCE1:
		return is_ipv4(g) ? 4 : is_link_local(g) ? 2 : 3;
	default:
		return 1;
	}
}

static int
common_bits(const uint8_t *a, const uint8_t *b)
{
	int i = 0;

	while (i < 128 && !((a[i / 8] ^ b[i / 8]) & (0x80 >> i % 8)))
		i++;
	return i;
}

int
meas_route_choose(const struct meas_gids *a, int a_index, const struct meas_gids *b, int b_index,
	struct meas_route *r, char *why, size_t why_bytes)
{
	int best = -1;

	memset(r, 0, sizeof(*r));
	if (a->infiniband != b->infiniband) {
		snprintf(why, why_bytes, "one end is on InfiniBand, the other on Ethernet");
		return -ENOENT;
	}
	for (unsigned i = 0; i < a->n; i++)
		for (unsigned k = 0; k < b->n; k++) {
			const struct meas_gid *g = &a->v[i], *h = &b->v[k];
			int worth = 256 * gid_rank(g) + common_bits(g->raw, h->raw);

			if ((a_index >= 0 && g->index != a_index) ||
				    (b_index >= 0 && h->index != b_index) ||
				    gid_rank(g) != gid_rank(h) || worth <= best)
				continue;
			best = worth;
			r->a = *g;
			r->b = *h;
		}
	if (best < 0) {
		snprintf(why, why_bytes, "the two ends have no GIDs of the same kind%s (show them "
		"with ibv_devinfo -v, or see the addresses of the interfaces)",
			a_index >= 0 || b_index >= 0 ? " with the indices that were asked for" :
			"");
		return -ENOENT;
	}
	/* In one subnet LIDs suffice, unless the operator chose an index. */
	r->grh = !a->infiniband || a_index >= 0 || b_index >= 0 || !a->lid || !b->lid ||
		memcmp(r->a.raw, r->b.raw, 8);
	return 0;
}

const char *
meas_gid_kind(const struct meas_gid *g)
{
	switch (gid_rank(g)) {
	case 7:
		return "RoCE v2, IPv4";
	case 6:
		return "RoCE v2, IPv6";
	case 5:
		return "RoCE v2, IPv6 link-local";
	case 4:
		return "RoCE v1, IPv4";
	case 3:
		return "RoCE v1, IPv6";
	case 2:
		return "RoCE v1, IPv6 link-local";
	}
	return "InfiniBand";
}

void
meas_gid_text(const uint8_t raw[16], char *text, size_t bytes)
{
	size_t at = 0;

	for (int i = 0; i < 16 && at < bytes; i += 2)
		at += (size_t)snprintf(text + at, bytes - at, "%s%02x%02x", i ? ":" : "", raw[i],
			raw[i + 1]);
}

json_t *
meas_gids_json(const struct meas_gids *g)
{
	json_t *list = json_array();
	char text[40];

	for (unsigned i = 0; i < g->n; i++) {
		meas_gid_text(g->v[i].raw, text, sizeof(text));
		json_array_append_new(list, json_pack("{s:i,s:s,s:s}", "index", g->v[i].index,
			"type", types[g->v[i].type], "gid", text));
	}
	return json_pack("{s:b,s:i,s:o}", "infiniband", g->infiniband, "lid", g->lid, "gids", list);
}

/* Reads 8 groups of 4 hexadecimal digits. */
static bool
parse_gid(const char *s, uint8_t raw[16])
{
	unsigned v[8];
	int end = 0;

	if (strlen(s) != 39 || strspn(s, "0123456789abcdef:") != 39 ||
	    sscanf(s, "%4x:%4x:%4x:%4x:%4x:%4x:%4x:%4x%n", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5],
	    &v[6], &v[7], &end) != 8 || end != 39)
		return false;
	for (int i = 0; i < 8; i++) {
		raw[2 * i] = (uint8_t)(v[i] >> 8);
		raw[2 * i + 1] = (uint8_t)v[i];
	}
	return true;
}

int
meas_gids_from_json(const json_t *o, struct meas_gids *g, const char **bad)
{
	struct meas_reader r = meas_reader(o), e;
	const json_t *list = json_object_get(o, "gids");
	size_t n = json_array_size(list);
	char text[48];

	memset(g, 0, sizeof(*g));
	g->infiniband = meas_read_bool(&r, "infiniband");
	g->lid = (uint16_t)meas_read_int(&r, "lid", 0, UINT16_MAX);
	if (!json_is_array(list) || n > MEAS_GIDS_MAX)
		meas_reader_bad(&r, "gids");
	for (size_t i = 0; i < n && !r.bad; i++) {
		e = meas_reader(json_array_get(list, i));
		g->v[i].index = (uint16_t)meas_read_int(&e, "index", 0, UINT16_MAX);
		g->v[i].type = (enum meas_gid_type)meas_read_word(&e, "type", types,
			MEAS_GID_TYPES);
		meas_read_text(&e, "gid", text, sizeof(text));
		if (e.bad || !parse_gid(text, g->v[i].raw))
			meas_reader_bad(&r, "gids");
		g->n++;
	}
	*bad = r.bad;
	return r.bad ? -EINVAL : 0;
}
