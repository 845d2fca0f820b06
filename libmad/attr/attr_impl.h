/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * attr_impl.h - template: defines one attribute.  No include guard.
 *
 * sm_attr.c and the files beside it include this file once per attribute.  As in attr_decl.h, each
 * inclusion of the .def file turns the rows into something else: decoder, encoder, patch,
 * comparison, and the rows as data (struct attr_desc).  Positions are in the rows alone.
 *
 * The includer defines ATTR_NAME, ATTR_DEF and ATTR_BYTES as for attr_decl.h, ATTR_TEXT
 * ("PortInfo") and ATTR_ID (the attribute ID).
 */
#define RO 0
#define RW 1
#define ZK 2

struct ATTR_NAME
ATTR_CAT(ATTR_NAME, _decode)(const uint8_t w[static ATTR_BYTES])
{
	struct ATTR_NAME s;

#define F(member, type, first, width, access, printer, label, ...) \
	s.member = (type)wire_bits_get(w, first, width);
#define FA(member, type, first, width, count, stride, access, printer, label, ...) \
	for (unsigned i = 0; i < (count); i++) \
		s.member[i] = (type)wire_bits_get(w, (first) + i * (stride), width);
#define FB(member, nbytes, first, access, printer, label, ...) memcpy(s.member, w + (first) / 8, nbytes);
#define FS(member, attribute, nbytes, first, ...) s.member = attribute##_decode(w + (first) / 8);
#include ATTR_DEF
#undef F
#undef FA
#undef FB
#undef FS
	return s;
}

void
ATTR_CAT(ATTR_NAME, _encode)(uint8_t w[restrict static ATTR_BYTES], const struct ATTR_NAME *restrict s)
{
#define F(member, type, first, width, access, printer, label, ...) wire_bits_put(w, first, width, s->member);
#define FA(member, type, first, width, count, stride, access, printer, label, ...) \
	for (unsigned i = 0; i < (count); i++) \
		wire_bits_put(w, (first) + i * (stride), width, s->member[i]);
#define FB(member, nbytes, first, access, printer, label, ...) memcpy(w + (first) / 8, s->member, nbytes);
#define FS(member, attribute, nbytes, first, ...) attribute##_encode(w + (first) / 8, &s->member);
#include ATTR_DEF
#undef F
#undef FA
#undef FB
#undef FS
}

void
ATTR_CAT(ATTR_NAME, _patch)(uint8_t w[static ATTR_BYTES], const struct ATTR_NAME *s)
{
#define F(member, type, first, width, access, printer, label, ...) \
	if ((access) != RO) \
		wire_bits_put(w, first, width, s->member);
#define FA(member, type, first, width, count, stride, access, printer, label, ...) \
	if ((access) != RO) \
		for (unsigned i = 0; i < (count); i++) \
			wire_bits_put(w, (first) + i * (stride), width, s->member[i]);
#define FB(member, nbytes, first, access, printer, label, ...) \
	if ((access) != RO) \
		memcpy(w + (first) / 8, s->member, nbytes);
#define FS(member, attribute, nbytes, first, ...) attribute##_patch(w + (first) / 8, &s->member);
	(void)w;
	(void)s;
#include ATTR_DEF
#undef F
#undef FA
#undef FB
#undef FS
}

bool
ATTR_CAT(ATTR_NAME, _set_equal)(const uint8_t a[static ATTR_BYTES], const uint8_t b[static ATTR_BYTES])
{
#define F(member, type, first, width, access, printer, label, ...) \
	if ((access) == RW && wire_bits_get(a, first, width) != wire_bits_get(b, first, width)) \
		return false;
#define FA(member, type, first, width, count, stride, access, printer, label, ...) \
	if ((access) == RW) \
		for (unsigned i = 0; i < (count); i++) \
			if (wire_bits_get(a, (first) + i * (stride), width) != \
			    wire_bits_get(b, (first) + i * (stride), width)) \
				return false;
#define FB(member, nbytes, first, access, printer, label, ...) \
	if ((access) == RW && memcmp(a + (first) / 8, b + (first) / 8, nbytes)) \
		return false;
#define FS(member, attribute, nbytes, first, ...) \
	if (!attribute##_set_equal(a + (first) / 8, b + (first) / 8)) \
		return false;
	(void)a;
	(void)b;
#include ATTR_DEF
#undef F
#undef FA
#undef FB
#undef FS
	return true;
}

static const struct attr_field ATTR_CAT(ATTR_NAME, _fields)[] = {
#define F(m, type, first, w, acc, show, text, ...) \
	{ .name = #m, .label = text, .first_bit = first, .width = w, .count = 1, \
	  .offset = offsetof(struct ATTR_NAME, m), .size = sizeof(type), .access = acc, \
	  .printer = ATTR_SHOW_##show },
#define FA(m, type, first, w, n, step, acc, show, text, ...) \
	{ .name = #m, .label = text, .first_bit = first, .width = w, .count = n, .stride = step, \
	  .offset = offsetof(struct ATTR_NAME, m), .size = sizeof(type), .access = acc, \
	  .printer = ATTR_SHOW_##show },
#define FB(m, nbytes, first, acc, show, text, ...) \
	{ .name = #m, .label = text, .first_bit = first, .width = 8, .count = nbytes, .stride = 8, \
	  .offset = offsetof(struct ATTR_NAME, m), .size = 1, .access = acc, \
	  .printer = ATTR_SHOW_##show, .bytes = true },
#define FS(m, attribute, nbytes, first, ...) \
	{ .name = #m, .first_bit = first, .width = 8, .count = nbytes, .stride = 8, \
	  .offset = offsetof(struct ATTR_NAME, m), .sub = &attribute##_desc },
#include ATTR_DEF
#undef F
#undef FA
#undef FB
#undef FS
};

static void
ATTR_CAT(ATTR_NAME, _decode_any)(const uint8_t *w, void *s)
{
	*(struct ATTR_NAME *)s = ATTR_CAT(ATTR_NAME, _decode)(w);
}

static void
ATTR_CAT(ATTR_NAME, _encode_any)(uint8_t *w, const void *s)
{
	ATTR_CAT(ATTR_NAME, _encode)(w, s);
}

static void
ATTR_CAT(ATTR_NAME, _patch_any)(uint8_t *w, const void *s)
{
	ATTR_CAT(ATTR_NAME, _patch)(w, s);
}

const struct attr_desc ATTR_CAT(ATTR_NAME, _desc) = {
	.name = ATTR_TEXT, .id = ATTR_ID, .bytes = ATTR_BYTES, .struct_bytes = sizeof(struct ATTR_NAME),
	.nfields = sizeof(ATTR_CAT(ATTR_NAME, _fields)) / sizeof(struct attr_field),
	.fields = ATTR_CAT(ATTR_NAME, _fields),
	.decode = ATTR_CAT(ATTR_NAME, _decode_any), .encode = ATTR_CAT(ATTR_NAME, _encode_any),
	.patch = ATTR_CAT(ATTR_NAME, _patch_any), .set_equal = ATTR_CAT(ATTR_NAME, _set_equal),
};

#undef RO
#undef RW
#undef ZK
#undef ATTR_NAME
#undef ATTR_DEF
#undef ATTR_BYTES
#undef ATTR_TEXT
#undef ATTR_ID
