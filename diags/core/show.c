/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * show.c - prints attributes as dotted lines in the format of infiniband-diags, and makes small
 * JSON values.
 * Room: diags/core.
 */
#include <config.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "diags/core/context.h"
#include "diags/core/out.h"
#include "diags/core/show.h"
#include "libmad/attr/sm_attr.h"
#include "util/put.h"
#include "util/xalloc.h"

#define VALUE_BYTES 256
#define DOTS_TO 32
#define TABS_MAX 4u
#define NAME_MAX_BYTES 64u
#define LEAD_BYTES 112
#define FIELDS_MAX 64
#define OUT_BYTES 4096

/* Writes "\t\tName:......" to 'lead', which has LEAD_BYTES; returns its length. */
static size_t
make_lead(char *lead, unsigned tabs, const char *name)
{
	size_t n = strlen(name);
	char *to = put_fill(lead, '\t', tabs < TABS_MAX ? tabs : TABS_MAX);

	to = put_bytes(to, name, n < NAME_MAX_BYTES ? n : NAME_MAX_BYTES);
	*to++ = ':';
	to = put_fill(to, '.', n < DOTS_TO ? DOTS_TO - n : 0);
	return (size_t)(to - lead);
}

/* Prints one line without printf, since the ports of a subnet have millions of them. */
static void
put_dotted(struct diag *d, unsigned tabs, const char *name, const char *value)
{
	char line[VALUE_BYTES + LEAD_BYTES], *to = line;
	size_t length = strlen(value);

	to += make_lead(line, tabs, name);
	if (length < VALUE_BYTES) {
		to = put_bytes(to, value, length);
	} else {
		diag_write(d, line, (size_t)(to - line));
		diag_write(d, value, length);
		to = line;
	}
	*to++ = '\n';
	diag_write(d, line, (size_t)(to - line));
}

void
diag_dotted(struct diag *d, const char *name, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if (!diag_is_text(d))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	put_dotted(d, 0, name, text);
}

/* Prints a capability mask: its number, and below it the names of its bits. */
static void
put_caps(struct diag *d, const struct attr_field *f, uint64_t v)
{
	char text[64 * 64], *to = text;
	const char *name;

	for (unsigned bit = 0; bit < f->width; bit++) {
		name = v >> bit & 1 ? attr_bit_name(f->printer, bit) : NULL;
		if (!name)
			continue;
		to = put_string(put_fill(to, '\t', 4), name);
		*to++ = '\n';
	}
	diag_write(d, text, (size_t)(to - text));
}

/* Prints addresses and bit maps as digits. */
static void
put_octets(struct diag *d, const struct attr_field *f, const void *s, unsigned tabs)
{
	char text[VALUE_BYTES] = "";
	size_t at = 0;

	if (f->printer != ATTR_SHOW_GID && f->printer != ATTR_SHOW_BYTES)
		return;
	for (unsigned i = 0; i < f->count && at + 3 <= sizeof(text); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%02x",
			(unsigned)attr_get(f, s, i));
	put_dotted(d, tabs, f->label, text);
}

static void
put_field(struct diag *d, const struct attr_field *f, const void *s, unsigned tabs)
{
	char text[VALUE_BYTES];
	uint64_t v;

	if (f->sub)
		return;
	if (f->bytes) {
		put_octets(d, f, s, tabs);
		return;
	}
	for (unsigned i = 0; i < f->count; i++) {
		v = attr_get(f, s, i);
		if (f->printer == ATTR_SHOW_SECRET && !d->set.show_keys)
			snprintf(text, sizeof(text), "<not displayed>");
		else
			attr_value_text(f, v, text, sizeof(text));
		put_dotted(d, tabs, f->label, text);
		if (f->printer == ATTR_SHOW_PORT_CAPS || f->printer == ATTR_SHOW_PORT_CAPS2)
			put_caps(d, f, v);
	}
}

json_t *
diag_attr(struct diag *d, const struct attr_desc *desc, const uint8_t *image)
{
	void *s = xcalloc(1, desc->struct_bytes);
	json_t *o = NULL;

	desc->decode(image, s);
	if (diag_is_text(d))
		for (unsigned i = 0; i < desc->nfields; i++)
			put_field(d, &desc->fields[i], s, 0);
	else
		o = attr_to_json(desc, s, d->set.show_keys);
	free(s);
	return o;
}

/* The lines for a list of names, prepared once for any number of images. */
struct show_fields {
	const char *const *of;
	unsigned tabs;
	size_t n;
	struct {
		const struct attr_field *f;
		size_t bytes;
		char lead[LEAD_BYTES];
	} v[FIELDS_MAX];
};

static const struct attr_field *
field_by_name(const struct attr_desc *desc, const char *name)
{
	for (unsigned i = 0; i < desc->nfields; i++)
		if (!strcmp(desc->fields[i].name, name))
			return &desc->fields[i];
	bug("diags: %s has no field %s", desc->name, name);
}

static const struct show_fields *
fields_made(struct diag *d, const struct attr_desc *desc, const char *const *names, unsigned tabs)
{
	struct show_fields *s = d->fields;

	if (s && s->of == names && s->tabs == tabs)
		return s;
	if (!s)
		s = d->fields = xcalloc(1, sizeof(*s));
	s->of = names;
	s->tabs = tabs;
	for (s->n = 0; names[s->n]; s->n++) {
		if (s->n == FIELDS_MAX)
			bug("diags: more than %d lines of %s", FIELDS_MAX, desc->name);
		s->v[s->n].f = field_by_name(desc, names[s->n]);
		s->v[s->n].bytes = make_lead(s->v[s->n].lead, tabs, s->v[s->n].f->label);
	}
	return s;
}

/* Reports whether the field is a single plain value; others are printed by put_field(). */
static bool
is_plain(const struct diag *d, const struct attr_field *f)
{
	return !f->sub && !f->bytes && f->count == 1 && f->printer != ATTR_SHOW_PORT_CAPS &&
		f->printer != ATTR_SHOW_PORT_CAPS2 &&
		(f->printer != ATTR_SHOW_SECRET || d->set.show_keys);
}

void
diag_fields(struct diag *d, const struct attr_desc *desc, const uint8_t *image,
	const char *const *names, unsigned tabs)
{
	const struct show_fields *lines;
	char text[OUT_BYTES], *to = text;
	void *s;

	if (!diag_is_text(d))
		return;
	lines = fields_made(d, desc, names, tabs);
	s = xcalloc(1, desc->struct_bytes);
	desc->decode(image, s);
	for (size_t i = 0; i < lines->n; i++) {
		const struct attr_field *f = lines->v[i].f;
		bool plain = is_plain(d, f);

		if (!plain || to > text + sizeof(text) - LEAD_BYTES - VALUE_BYTES - 1) {
			diag_write(d, text, (size_t)(to - text));
			to = text;
		}
		if (!plain) {
			put_field(d, f, s, tabs);
			continue;
		}
		to = put_bytes(to, lines->v[i].lead, lines->v[i].bytes);
		to += attr_value_text(f, attr_get(f, s, 0), to, VALUE_BYTES);
		*to++ = '\n';
	}
	diag_write(d, text, (size_t)(to - text));
	free(s);
}

static const char *const port_info_order[] = {
	"mkey", "gid_prefix", "lid", "master_sm_lid", "capability_mask", "diag_code",
	"mkey_lease_period_s", "local_port",
	"width_enabled", "width_supported", "width_active", "speed_supported", "state",
	"phys_state", "link_down_default",
	"mkey_protect", "lmc", "speed_active", "speed_enabled", "neighbor_mtu", "master_sm_sl",
	"vl_cap", "init_type",
	"vl_high_limit", "vlarb_high_cap", "vlarb_low_cap", "init_type_reply", "mtu_cap",
	"vl_stall_count", "hoq_life",
	"operational_vls", "partition_enforce_in", "partition_enforce_out", "filter_raw_in",
	"filter_raw_out",
	"mkey_violations", "pkey_violations", "qkey_violations", "guid_cap", "client_reregister",
	"mcast_pkey_trap_suppression", "subnet_timeout", "resp_time", "local_phy_errors",
	"overrun_errors",
	"max_credit_hint", "link_round_trip_latency", "capability_mask2", "speed_ext_active",
	"speed_ext_supported",
	"speed_ext_enabled", NULL,
};
static const char *const port_info_speed2[] = { "speed_ext_active2", "speed_ext_supported2",
	"speed_ext_enabled2", NULL };

void
diag_port_info_text(struct diag *d, const uint8_t *image, unsigned tabs)
{
	struct port_info p = port_info_decode(image);

	diag_fields(d, &port_info_desc, image, port_info_order, tabs);
	/* Only ports that support the second set of extended speeds have these lines. */
	if (p.speed_ext_supported2)
		diag_fields(d, &port_info_desc, image, port_info_speed2, tabs);
}
