/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * json.h - small JSON values that the documents of all tools have in the same form.
 * Room: diags/core. The caller owns the returned values.
 */
#ifndef HEDDLE_DIAGS_CORE_JSON_H
#define HEDDLE_DIAGS_CORE_JSON_H

#include <jansson.h>
#include <stdint.h>

/* "0x" and 16 hexadecimal digits. */
json_t *diag_json_guid(uint64_t guid);
/* "0x" and at least 'digits' hexadecimal digits. */
json_t *diag_json_hex(uint64_t v, unsigned digits);
/* Text from a command line or a file: each byte that is not UTF-8 becomes U+FFFD. */
json_t *diag_json_text(const char *text);
/* A GID as eight groups of four digits. */
json_t *diag_json_gid(const uint8_t gid[16]);

#endif
