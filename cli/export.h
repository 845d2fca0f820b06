/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * export.h - all paths of the subnet, as files for ibacm and for programs.
 * Room: cli.
 */
#ifndef HEDDLE_CLI_EXPORT_H
#define HEDDLE_CLI_EXPORT_H

#include <stdbool.h>
#include "ctlclient/client.h"

#define EXPORT_ROUTES "ibacm_route.data"        /* ibacm's route_preload opensm_full_v1 */
#define EXPORT_HOSTS "ibacm_hosts.data"         /* ibacm's addr_preload acm_hosts */
/* a line for each source: as the method Paths tells it */
#define EXPORT_LINES "paths.jsonl"

struct export_sum {
	json_int_t sources, paths, names;
};

enum export_end {
	EXPORT_OK,
	EXPORT_ANSWER,                  /* heddled answered otherwise: 'a' */
	EXPORT_FAILED,                  /* a file, or a subnet that does not rest: a->why */
};

/*
 * Asks the daemon behind 'socket' for the paths of every port and writes the three files into
 * 'dir'.  They replace older ones when all of them are whole.  'hosts': only paths between ports
 * of channel adapters.  'a' is the caller's to clear.
 */
enum export_end export_paths(const char *socket, const char *dir, bool hosts,
	struct export_sum *sum, struct client_answer *a);

#endif
