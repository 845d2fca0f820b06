/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ask.h - one request to a running server.
 * Room: sim/serve.
 */
#ifndef HEDDLE_SIM_SERVE_ASK_H
#define HEDDLE_SIM_SERVE_ASK_H

#include <jansson.h>
#include "sim/serve/place.h"

/* 0 and '*result' (the caller's; NULL if there is none); -EINVAL: the server refused; other: it
 * could not be asked.  'why' says it. */
int ask_server(const char *dir, const char *command, unsigned n, char *const *args, json_t **result,
	char why[PLACE_WHY]);

#endif
