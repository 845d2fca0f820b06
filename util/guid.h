/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * guid.h - GUIDs as text and in JSON: "0x" and 16 hexadecimal digits.
 * Room: util (prefix guid_).  Pure, header only; callers link jansson.
 *
 * Some JSON readers lose precision of 64-bit integers.  All documents of this project therefore
 * have GUIDs as strings of fixed length, which sort in the same order as the numbers.  Keys,
 * service IDs and GID prefixes have the same form.
 */
#ifndef HEDDLE_UTIL_GUID_H
#define HEDDLE_UTIL_GUID_H

#include <stdbool.h>
#include <stdint.h>
#include <jansson.h>
#include "util/put.h"

#define GUID_TEXT_CHARS 18
#define GUID_TEXT_BYTES (GUID_TEXT_CHARS + 1)

/* Writes "0x0123456789abcdef" and a NUL; returns 'buf'. */
static inline char *
guid_to_text(uint64_t guid, char buf[static GUID_TEXT_BYTES])
{
	*put_hex(put_bytes(buf, "0x", 2), guid, 16) = '\0';
	return buf;
}

/* A new JSON string. */
static inline json_t *
guid_to_json(uint64_t guid)
{
	char text[GUID_TEXT_BYTES];

	return json_stringn_nocheck(guid_to_text(guid, text), GUID_TEXT_CHARS);
}

/* The same, null for 0. */
static inline json_t *
guid_or_null_to_json(uint64_t guid)
{
	return guid ? guid_to_json(guid) : json_null();
}

/* Parses exactly the form that guid_to_json() writes into '*guid'.  Returns false and leaves
 * '*guid' unchanged for NULL and for every other value. */
static inline bool
guid_from_json(const json_t *v, uint64_t *guid)
{
	const char *text = json_string_value(v);
	uint64_t value = 0;

	if (!text || json_string_length(v) != GUID_TEXT_CHARS || text[0] != '0' || text[1] != 'x')
		return false;
	for (unsigned i = 2; i < GUID_TEXT_CHARS; i++) {
		char c = text[i];

		if (c >= '0' && c <= '9')
			value = value << 4 | (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (unsigned)(c - 'a' + 10);
		else
			return false;
	}
	*guid = value;
	return true;
}

#endif
