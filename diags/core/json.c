/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * json.c - small JSON values that the documents of all tools have in the same form.
 * Room: diags/core.  Pure.
 */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "diags/core/json.h"
#include "libmad/attr/attr.h"
#include "util/xalloc.h"

json_t *
diag_json_hex(uint64_t v, unsigned digits)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%0*" PRIx64, (int)digits, v);
	return json_string(text);
}

json_t *
diag_json_guid(uint64_t guid)
{
	return diag_json_hex(guid, 16);
}

json_t *
diag_json_text(const char *text)
{
	size_t n = strlen(text);
	char *clean = xmalloc(ATTR_TEXT_BYTES(n));
	json_t *o;

	attr_text_clean((const uint8_t *)text, n, clean);
	o = json_string(clean);
	free(clean);
	return o;
}

json_t *
diag_json_gid(const uint8_t gid[16])
{
	char text[ATTR_GID_TEXT_BYTES];

	attr_gid_text(gid, text);
	return json_string(text);
}
