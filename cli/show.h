/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * show.h - prints answers of heddled as text.
 * Room: cli.  Trusts no answer: text that is missing or of another type prints as "?", a number as
 * 0.
 */
#ifndef HEDDLE_CLI_SHOW_H
#define HEDDLE_CLI_SHOW_H

#include <jansson.h>
#include <stdio.h>

void show_status(FILE *f, const json_t *status);
void show_snapshot(FILE *f, const json_t *snapshot);
void show_trace(FILE *f, const json_t *trace);
void show_released(FILE *f, const json_t *status);
void show_key(FILE *f, const json_t *key);

#endif
