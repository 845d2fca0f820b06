/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * attr_decl.h - template: declares one attribute.  No include guard.
 *
 * sm_attr.h and the headers beside it include this file once per attribute.  It includes the
 * attribute's .def file several times, each time with other definitions of F, FA, FB and FS, and so
 * turns the rows into a struct, the positions of the rows and the declarations of the functions.
 *
 * The includer defines ATTR_NAME (identifier), ATTR_DEF (its .def file) and ATTR_BYTES (size of the
 * image).  attr.h describes what this declares; attr_impl.h defines it.
 */
#define ATTR_CAT_(a, b) a##b
#define ATTR_CAT(a, b) ATTR_CAT_(a, b)

struct ATTR_NAME {
#define F(member, type, first, width, access, printer, label, ...) type member;
#define FA(member, type, first, width, count, stride, access, printer, label, ...) type member[count];
#define FB(member, nbytes, first, access, printer, label, ...) uint8_t member[nbytes];
#define FS(member, attribute, nbytes, first, ...) struct attribute member;
#include ATTR_DEF
#undef F
#undef FA
#undef FB
#undef FS
};

enum {
#define F(member, type, first, width, access, printer, label, ...) \
	ATTR_CAT(ATTR_NAME, _at_##member) = first, ATTR_CAT(ATTR_NAME, _bits_##member) = width,
#define FA(member, type, first, width, count, stride, access, printer, label, ...) \
	ATTR_CAT(ATTR_NAME, _at_##member) = first, \
	ATTR_CAT(ATTR_NAME, _bits_##member) = ((count) - 1) * (stride) + (width), \
	ATTR_CAT(ATTR_NAME, _item_##member) = width, \
	ATTR_CAT(ATTR_NAME, _stride_##member) = stride,
#define FB(member, nbytes, first, access, printer, label, ...) \
	ATTR_CAT(ATTR_NAME, _at_##member) = first, ATTR_CAT(ATTR_NAME, _bits_##member) = (nbytes) * 8,
#define FS(member, attribute, nbytes, first, ...) \
	ATTR_CAT(ATTR_NAME, _at_##member) = first, ATTR_CAT(ATTR_NAME, _bits_##member) = (nbytes) * 8,
#include ATTR_DEF
#undef F
#undef FA
#undef FB
#undef FS
};

/* From the columns after the label: the row's first component, and its number of components. */
enum {
	ATTR_CAT(ATTR_NAME, _comp_none) = -1,
#define ATTR_COMP(member, ...) ATTR_COMP_(member, __VA_ARGS__, 1, )
#define ATTR_COMP_(member, bit, n, ...) \
	ATTR_CAT(ATTR_NAME, _comp_##member) = bit, ATTR_CAT(ATTR_NAME, _ncomp_##member) = n,
#define F(member, type, first, width, access, printer, label, ...) \
	__VA_OPT__(ATTR_COMP(member, __VA_ARGS__))
#define FA(member, type, first, width, count, stride, access, printer, label, ...) \
	__VA_OPT__(ATTR_COMP(member, __VA_ARGS__))
#define FB(member, nbytes, first, access, printer, label, ...) __VA_OPT__(ATTR_COMP(member, __VA_ARGS__))
#define FS(member, attribute, nbytes, first, ...) __VA_OPT__(ATTR_COMP(member, __VA_ARGS__))
#include ATTR_DEF
#undef F
#undef FA
#undef FB
#undef FS
#undef ATTR_COMP
#undef ATTR_COMP_
};

struct ATTR_NAME ATTR_CAT(ATTR_NAME, _decode)(const uint8_t w[static ATTR_BYTES]);
void ATTR_CAT(ATTR_NAME, _encode)(uint8_t w[restrict static ATTR_BYTES], const struct ATTR_NAME *restrict s);
void ATTR_CAT(ATTR_NAME, _patch)(uint8_t w[static ATTR_BYTES], const struct ATTR_NAME *s);
bool ATTR_CAT(ATTR_NAME, _set_equal)(const uint8_t a[static ATTR_BYTES], const uint8_t b[static ATTR_BYTES]);
extern const struct attr_desc ATTR_CAT(ATTR_NAME, _desc);

#undef ATTR_NAME
#undef ATTR_DEF
#undef ATTR_BYTES
