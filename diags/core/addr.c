/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * addr.c - where a request goes, as data.
 * Room: diags/core.  Pure.
 */
#include <config.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "diags/core/addr.h"
#include "diags/core/json.h"

#define PATH_HOP_MAX 254

bool
diag_number(const char *text, uint64_t max, uint64_t *v)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*v = strtoull(text, &end, 0);
	return !errno && !*end && *v <= max;
}

bool
diag_path(const char *text, uint8_t path[static DGRAM_PATH_BYTES], uint8_t *hop_count)
{
	unsigned long v;
	unsigned n = 0;
	char *end;

	for (;;) {
		if (!isdigit((unsigned char)*text) || n > DGRAM_HOPS_MAX)
			return false;
		v = strtoul(text, &end, 10);
		if (v > PATH_HOP_MAX || (n == 0 ? v != 0 : v == 0))
			return false;
		path[n++] = (uint8_t)v;
		if (!*end)
			break;
		if (*end != ',')
			return false;
		text = end + 1;
	}
	*hop_count = (uint8_t)(n - 1);
	return true;
}

struct diag_addr
diag_addr_lid(uint16_t lid)
{
	return (struct diag_addr){ .kind = DIAG_ADDR_LID, .lid = lid };
}

struct diag_addr
diag_addr_path(const uint8_t *path, uint8_t hop_count)
{
	struct diag_addr a = { .kind = DIAG_ADDR_PATH, .dr_slid = LID_PERMISSIVE,
		.dr_dlid = LID_PERMISSIVE, .hop_count = hop_count };

	memcpy(a.path, path, (size_t)hop_count + 1);
	return a;
}

struct diag_addr
diag_addr_self(void)
{
	static const uint8_t here[1] = { 0 };

	return diag_addr_path(here, 0);
}

json_t *
diag_json_addr(const struct diag_addr *a)
{
	json_t *o = json_object(), *path = json_null();

	if (a->kind != DIAG_ADDR_LID) {
		path = json_array();
		for (unsigned i = 0; i <= a->hop_count; i++)
			json_array_append_new(path, json_integer(a->path[i]));
	}
	json_object_set_new(o, "lid", a->kind == DIAG_ADDR_PATH ? json_null() :
		json_integer(a->lid));
	json_object_set_new(o, "path", path);
	json_object_set_new(o, "guid", a->guid ? diag_json_guid(a->guid) : json_null());
	return o;
}
