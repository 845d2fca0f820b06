/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lines.h - reads files whose lines name something by its GUID and go on with numbers.
 * Room: sm/conf/routing (prefix routing_).
 *
 * Four files of OpenSM have this form:
 *
 *   guid_routing_order_file      GUID                    of a host's port
 *   ids_guid_file                GUID ID                 of a switch
 *   hop_weights_file             GUID PORT WEIGHT        of a switch
 *   port_search_ordering_file    GUID PORT...            of a switch
 *
 * A GUID and a number are decimal, or hexadecimal with 0x; a '#' begins a comment.  What is read is
 * kept in the order of the file, each line with its number, so that whoever finds that a GUID is
 * not in the fabric can name the place.  Numbers are within the bounds of the form.
 */
#ifndef HEDDLE_SM_CONF_ROUTING_LINES_H
#define HEDDLE_SM_CONF_ROUTING_LINES_H

#include <stdint.h>
#include "util/arena.h"

struct conf_error;

#define ROUTING_PORTS_MAX 254
#define ROUTING_WEIGHT_MAX 255

enum routing_form { ROUTING_ORDER, ROUTING_IDS, ROUTING_WEIGHTS, ROUTING_PORTS };

struct routing_line {
	uint64_t guid; /* not 0 */
	uint32_t number; /* of the line, from 1 */
	uint32_t n; /* numbers behind the GUID */
	const uint32_t *v;
};

struct routing_lines {
	const char *file;
	struct routing_line *line;
	uint32_t n;
};

/* Reads 'path' into '*out'; all is owned by 'a'.  A line of another form is passed over with a
 * warning that names file, line and what was expected.  Returns a negative errno if the file cannot
 * be read; e->text gives the reason. */
int routing_lines_read(const char *path, enum routing_form form, struct arena *a,
	const struct routing_lines **out, struct conf_error *e);

#endif
