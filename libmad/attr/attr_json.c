/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * attr_json.c - a decoded attribute as a JSON object.
 * Room: libmad/attr.  Pure.  The shape of each kind of value is described at attr_to_json() in
 * attr.h.
 */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "libmad/attr/attr.h"
#include "util/xalloc.h"

/* jansson fails only without memory, or for invalid UTF-8, which attr_text_clean() replaces. */
static void
member_set(json_t *o, const char *key, const char *suffix, json_t *v)
{
	char name[96];

	snprintf(name, sizeof(name), "%s%s", key, suffix);
	if (json_object_set_new(o, name, v))
		bug("attr_json: no memory for %s", name);
}

static void
array_append(json_t *a, json_t *v)
{
	if (json_array_append_new(a, v))
		bug("attr_json: no memory for an array");
}

json_t *
attr_json_integer(uint64_t v)
{
	return json_integer(v > INT64_MAX ? INT64_MAX : (json_int_t)v);
}

static json_t *
hex_string(uint64_t v, unsigned width)
{
	char buf[24];

	snprintf(buf, sizeof(buf), "0x%0*" PRIx64, (int)((width + 7) / 8 * 2), v);
	return json_string(buf);
}

static json_t *
hex_bytes(const uint8_t *p, size_t n)
{
	char buf[3 + 2 * 256];
	size_t at = 2;

	buf[0] = '0';
	buf[1] = 'x';
	buf[2] = '\0';
	for (size_t i = 0; i < n && at + 3 <= sizeof(buf); i++, at += 2)
		snprintf(buf + at, 3, "%02x", p[i]);
	return json_string(buf);
}

void
attr_json_set_text(json_t *o, const char *key, const uint8_t *bytes, size_t n)
{
	char *text = xmalloc(ATTR_TEXT_BYTES(n));
	bool replaced = attr_text_clean(bytes, n, text);

	member_set(o, key, "", json_string(text));
	if (replaced)
		member_set(o, key, "_hex", hex_bytes(bytes, n));
	free(text);
}

static json_t *
counter_json(uint64_t v, unsigned width, bool words)
{
	uint64_t max = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
	uint64_t bytes = v > UINT64_MAX / 4 ? UINT64_MAX : v * 4;
	bool cut = v > INT64_MAX || (words && bytes > INT64_MAX);
	json_t *o = json_object();

	member_set(o, words ? "words" : "value", "", attr_json_integer(v));
	if (words)
		member_set(o, "bytes", "", attr_json_integer(bytes));
	member_set(o, "width", "", json_integer(width));
	member_set(o, "saturated", "", json_boolean(v == max || cut));
	if (cut)
		member_set(o, "raw", "", hex_string(v, 64));
	return o;
}

/* A value that is a single JSON value; not for rows that need more than one key. */
static json_t *
scalar_json(const struct attr_field *f, uint64_t v)
{
	switch ((enum attr_printer)f->printer) {
	case ATTR_SHOW_HEX:
	case ATTR_SHOW_GUID:
	case ATTR_SHOW_PKEY:
	case ATTR_SHOW_SECRET:
	case ATTR_SHOW_PORT_CAPS:
	case ATTR_SHOW_PORT_CAPS2:
		return hex_string(v, f->width);
	case ATTR_SHOW_FLAG:
		return json_boolean(v);
	case ATTR_SHOW_COUNTER:
	case ATTR_SHOW_WORDS:
		return counter_json(v, f->width, f->printer == ATTR_SHOW_WORDS);
	default:
		return attr_json_integer(v);
	}
}

static json_t *
mask_words(uint64_t v, unsigned bits, enum attr_printer single)
{
	json_t *a = json_array();

	for (unsigned bit = 0; bit < bits; bit++)
		if (v >> bit & 1)
			array_append(a, json_string(attr_word(single, UINT64_C(1) << bit)));
	return a;
}

static json_t *
capability_names(enum attr_printer p, uint64_t v, unsigned width)
{
	json_t *a = json_array();
	const char *s;

	for (unsigned bit = 0; bit < width; bit++)
		if (v >> bit & 1 && (s = attr_bit_name(p, bit)))
			array_append(a, json_string(s));
	return a;
}

static json_t *
word_or_null(enum attr_printer p, uint64_t v)
{
	const char *s;

	if (p == ATTR_SHOW_MTU)
		return attr_mtu_bytes((uint8_t)v) ? json_integer(attr_mtu_bytes((uint8_t)v)) :
						    json_null();
	if (p == ATTR_SHOW_RATE) {
		unsigned tenths = attr_rate_tenths((uint8_t)v);

		if (tenths % 10)
			return json_real(tenths / 10.0);
		return tenths ? json_integer(tenths / 10) : json_null();
	}
	s = attr_word(p, v);
	return s ? json_string(s) : json_null();
}

/* One element under 'key': enumerations and masks need a second key. */
static void
set_value(json_t *o, const char *key, const struct attr_field *f, uint64_t v)
{
	enum attr_printer p = f->printer, single;
	unsigned bits = attr_mask_bits(p, &single);

	if (bits) {
		member_set(o, key, "", mask_words(v, bits, single));
		member_set(o, key, "_raw", json_integer((json_int_t)v));
	} else if (attr_is_enumeration(p)) {
		member_set(o, key, "", word_or_null(p, v));
		member_set(o, key, "_raw", json_integer((json_int_t)v));
	} else {
		member_set(o, key, "", scalar_json(f, v));
		if (p == ATTR_SHOW_PORT_CAPS || p == ATTR_SHOW_PORT_CAPS2)
			member_set(o, key, "_bits", capability_names(p, v, f->width));
	}
}

static void
set_bytes(json_t *o, const struct attr_field *f, const uint8_t *p)
{
	char gid[ATTR_GID_TEXT_BYTES];
	json_t *a;

	switch ((enum attr_printer)f->printer) {
	case ATTR_SHOW_TEXT:
		attr_json_set_text(o, f->name, p, f->count);
		return;
	case ATTR_SHOW_GID:
		attr_gid_text(p, gid);
		member_set(o, f->name, "", json_string(gid));
		return;
	case ATTR_SHOW_DEC:
		a = json_array();
		for (unsigned i = 0; i < f->count; i++)
			array_append(a, json_integer(p[i]));
		member_set(o, f->name, "", a);
		return;
	default:
		member_set(o, f->name, "", hex_bytes(p, f->count));
	}
}

static void
set_field(json_t *o, const struct attr_field *f, const void *s, bool secrets)
{
	json_t *a;

	if (f->printer == ATTR_SHOW_SECRET && !secrets) {
		member_set(o, f->name, "", json_null());
	} else if (f->bytes) {
		set_bytes(o, f, (const uint8_t *)s + f->offset);
	} else if (f->count == 1) {
		set_value(o, f->name, f, attr_get(f, s, 0));
	} else {
		a = json_array();
		for (unsigned i = 0; i < f->count; i++)
			array_append(a, scalar_json(f, attr_get(f, s, i)));
		member_set(o, f->name, "", a);
	}
}

json_t *
attr_to_json(const struct attr_desc *d, const void *s, bool secrets)
{
	json_t *o = json_object();

	if (!o)
		bug("attr_json: no memory");
	for (unsigned i = 0; i < d->nfields; i++) {
		const struct attr_field *f = &d->fields[i];

		if (f->sub)
			member_set(o, f->name, "",
				attr_to_json(f->sub, (const char *)s + f->offset, secrets));
		else
			set_field(o, f, s, secrets);
	}
	return o;
}
