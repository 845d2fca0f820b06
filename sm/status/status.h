/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * status.h - io.heddle.Manager.Status: the state of the subnet and of this SM.
 * Room: sm/status.  Pure.
 *
 * The keys of the document are those of sm/ctl/io.heddle.Manager.varlink, and they are present in
 * every state: a value that is unknown is null or 0. status_json_without_port() therefore has the
 * same keys as status_json(); a new key goes into both. The room that owns a number provides it,
 * and this file only shows it. The one-line summary for systemd and the exit status of --once come
 * from the same data.
 */
#ifndef HEDDLE_SM_STATUS_STATUS_H
#define HEDDLE_SM_STATUS_STATUS_H

#include "sm/status/view.h"

/* Returns the document at the time 'now'; the caller owns it. */
json_t *status_json(const struct status_view *v, struct monotime now);
/* Returns the document while there is no port to run on; the caller owns it. */
json_t *status_json_without_port(int pid);
/* Writes one line for systemd's STATUS= to 'buf': "master, 1620 switches, 11664 hosts, up". */
void status_line(const struct subnet *n, const struct sweep *w, char *buf, size_t len);
/* Returns the outcome of the last sweep; OUTCOME_RUNNING before the first one has ended. */
enum sweep_outcome status_outcome(const struct sweep *w);
const char *status_outcome_text(enum sweep_outcome o);
/* Returns the exit status of --once: 0 up, 1 refused or standby, 3 partial, 255 no fabric. */
int status_exit(const struct sweep *w);

#endif
