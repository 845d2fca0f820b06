/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sa_component_rows.h - template: turns the rows of one .def file into elements of an array of
 * struct sa_component.  No include guard.
 *
 * The includer defines ROWS_DEF (the .def file), and for the rows of an embedded attribute ROWS_BIT
 * (component of the FS row), ROWS_AT (its first bit in the image) and ROWS_PREFIX ("info.").
 */
#ifndef ROWS_BIT
#define ROWS_BIT 0
#define ROWS_AT 0
#define ROWS_PREFIX ""
#endif

/* ROWS_ONE makes one component; ROWS_2 to ROWS_16 make that many, all of the same width. */
#define ROWS_ONE(n, text, bit, first, bits) \
	{ ROWS_BIT + (bit) + (n), ROWS_AT + (first) + (n) * (bits), bits, text },
#define ROWS_1(name, ...) ROWS_ONE(0, ROWS_PREFIX name, __VA_ARGS__)
#define ROWS_NTH(n, name, ...) ROWS_ONE(n, ROWS_PREFIX name "[" #n "]", __VA_ARGS__)
#define ROWS_2(...) ROWS_NTH(0, __VA_ARGS__) ROWS_NTH(1, __VA_ARGS__)
#define ROWS_4(...) ROWS_2(__VA_ARGS__) ROWS_NTH(2, __VA_ARGS__) ROWS_NTH(3, __VA_ARGS__)
#define ROWS_8(...) ROWS_4(__VA_ARGS__) ROWS_NTH(4, __VA_ARGS__) ROWS_NTH(5, __VA_ARGS__) \
	ROWS_NTH(6, __VA_ARGS__) ROWS_NTH(7, __VA_ARGS__)
#define ROWS_16(...) ROWS_8(__VA_ARGS__) ROWS_NTH(8, __VA_ARGS__) ROWS_NTH(9, __VA_ARGS__) \
	ROWS_NTH(10, __VA_ARGS__) ROWS_NTH(11, __VA_ARGS__) ROWS_NTH(12, __VA_ARGS__) \
	ROWS_NTH(13, __VA_ARGS__) ROWS_NTH(14, __VA_ARGS__) ROWS_NTH(15, __VA_ARGS__)

/* The columns after the label: the first component, and the number of components if not one. */
#define ROWS_OF(name, first, bits, ...) ROWS_OF_(name, first, bits, __VA_ARGS__, 1, )
#define ROWS_OF_(name, first, bits, bit, n, ...) ROWS_##n(name, bit, first, (bits) / (n))

#define F(member, type, first, width, access, printer, label, ...) \
	__VA_OPT__(ROWS_OF(#member, first, width, __VA_ARGS__))
#define FA(member, type, first, width, count, stride, access, printer, label, ...) \
	__VA_OPT__(ROWS_OF(#member, first, (count) * (stride), __VA_ARGS__))
#define FB(member, nbytes, first, access, printer, label, ...) \
	__VA_OPT__(ROWS_OF(#member, first, (nbytes) * 8, __VA_ARGS__))
/* the embedded attribute's rows are included separately */
#define FS(member, attribute, nbytes, first, ...)

#include ROWS_DEF

#undef F
#undef FA
#undef FB
#undef FS
#undef ROWS_ONE
#undef ROWS_1
#undef ROWS_NTH
#undef ROWS_2
#undef ROWS_4
#undef ROWS_8
#undef ROWS_16
#undef ROWS_OF
#undef ROWS_OF_
#undef ROWS_DEF
#undef ROWS_BIT
#undef ROWS_AT
#undef ROWS_PREFIX
