/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * put.h - text into a buffer without printf, where there are millions of lines of it.  The caller has made room.
 * Room: util.  Pure.  Each returns where the next one begins; nothing is terminated.
 */
#ifndef HEDDLE_UTIL_PUT_H
#define HEDDLE_UTIL_PUT_H

#include <stdint.h>
#include <string.h>

#define PUT_DEC_BYTES 20        /* of any number */

static inline char *
put_bytes(char *to, const char *text, size_t n)
{
	memcpy(to, text, n);
	return to + n;
}

static inline char *
put_string(char *to, const char *text)
{
	return put_bytes(to, text, strlen(text));
}

static inline char *
put_fill(char *to, char c, size_t n)
{
	memset(to, c, n);
	return to + n;
}

/* Exactly 'n' digits, the last ones; 'digits' are the sixteen to take. */
static inline char *
put_hex_of(char *to, uint64_t v, unsigned n, const char *digits)
{
	for (unsigned i = n; i-- > 0; v >>= 4)
		to[i] = digits[v & 15];
	return to + n;
}

static inline char *
put_hex(char *to, uint64_t v, unsigned n)
{
	return put_hex_of(to, v, n, "0123456789abcdef");
}

/* How many hexadecimal digits a number has, 1 for 0. */
static inline unsigned
put_hex_digits(uint64_t v)
{
	return v ? (67u - (unsigned)__builtin_clzll(v)) / 4 : 1;
}

static inline char *
put_dec(char *to, uint64_t v)
{
	char text[PUT_DEC_BYTES];
	size_t at = sizeof(text);

	do
		text[--at] = (char)('0' + v % 10);
	while (v /= 10);
	return put_bytes(to, text + at, sizeof(text) - at);
}

#endif
