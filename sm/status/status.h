/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * status.h - io.heddle.Manager.Status: the state of the subnet and of this manager, for people and
 * scripts.
 * Room: sm/status.  Pure.
 */
#ifndef HEDDLE_SM_STATUS_STATUS_H
#define HEDDLE_SM_STATUS_STATUS_H

#include "sm/status/view.h"

/* Owned by the caller. */
json_t *status_json(const struct status_view *v, struct monotime now);
/* The same while there is no port to run on. */
json_t *status_json_without_port(int pid);
/* "master, 1620 switches, 11664 hosts, up": a line for STATUS=. */
void status_line(const struct subnet *n, const struct sweep *w, char *buf, size_t len);
enum sweep_outcome status_outcome(const struct sweep *w);
const char *status_outcome_text(enum sweep_outcome o);
/* 0 up, 1 refused or standing by, 3 partial, 255 no fabric: the exit status of --once. */
int status_exit(const struct sweep *w);

#endif
