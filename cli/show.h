/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * show.h - prints answers of heddled as text.
 * Room: cli.
 *
 * One function per command that has a text form; with --json the reply is printed as JSON,
 * without these functions.  A reply may come from another version of heddled, so no function
 * trusts it: text that is missing or of another type prints as "?", a count as 0.  The text is
 * for people; scripts use JSON.  sm/ctl/io.heddle.Manager.varlink describes the members.
 */
#ifndef HEDDLE_CLI_SHOW_H
#define HEDDLE_CLI_SHOW_H

#include <jansson.h>
#include <stdio.h>

/* Each prints the parameters of one reply to 'f'; the object stays the caller's. */
void show_status(FILE *f, const json_t *status);
void show_snapshot(FILE *f, const json_t *snapshot);
void show_trace(FILE *f, const json_t *trace);
void show_released(FILE *f, const json_t *status);
void show_key(FILE *f, const json_t *key);
void show_topology(FILE *f, const json_t *topology);
/* Only how much is intended and how much is there. */
void show_topology_counts(FILE *f, const json_t *topology);

#endif
