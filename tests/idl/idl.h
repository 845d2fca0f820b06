/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * idl.h - holds JSON against a Varlink interface description, so that what is served is what is described.
 * Of the tests.
 */
#ifndef HEDDLE_TESTS_IDL_IDL_H
#define HEDDLE_TESTS_IDL_IDL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* True: every line of the description follows the grammar and every type that is named is there. */
bool idl_valid(const char *text, char *why, size_t len);
/* True: 'reply' is what 'method' returns: every member is there (a nullable one perhaps null), none besides. */
bool idl_reply(const char *text, const char *method, const json_t *reply, char *why, size_t len);

#endif
