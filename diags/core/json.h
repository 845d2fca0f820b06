/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * json.h - small JSON values that documents of all tools write alike.
 * Room: diags/core.  The caller owns what is returned.
 */
#ifndef HEDDLE_DIAGS_CORE_JSON_H
#define HEDDLE_DIAGS_CORE_JSON_H

#include <jansson.h>
#include <stdint.h>

/* "0x" and 16 digits. */
json_t *diag_json_guid(uint64_t guid);
/* "0x" and at least 'digits' digits. */
json_t *diag_json_hex(uint64_t v, unsigned digits);
/* What an operator typed, or a file holds: each byte that is not UTF-8 becomes U+FFFD. */
json_t *diag_json_text(const char *text);
/* A GID as eight groups of four digits. */
json_t *diag_json_gid(const uint8_t gid[16]);

#endif
