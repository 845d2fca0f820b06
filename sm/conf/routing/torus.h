/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * torus.h - reads the file of torus_config: the size of a torus, as in OpenSM's torus-2QoS.conf.
 * Room: sm/conf/routing (prefix torus_).
 *
 *   torus 6 6 4m        three sizes; m: this dimension is open, t: it is a ring
 *   mesh 6 6 4t         the same, where open is the default
 *
 * The statement must be there once.  Seeds, datelines, port order and limits are accepted without
 * effect: coordinates are found from the cabling (sm/shape).
 */
#ifndef HEDDLE_SM_CONF_ROUTING_TORUS_H
#define HEDDLE_SM_CONF_ROUTING_TORUS_H

#include <stdbool.h>
#include <stdint.h>

#define TORUS_DIMS 3

struct conf_error;

struct torus_sizes {
	unsigned ndims;                 /* 0: none given */
	uint16_t size[TORUS_DIMS];
	bool mesh[TORUS_DIMS];
};

/* Returns 0, or a negative errno with a line in e->text. */
int torus_read(const char *path, struct torus_sizes *out, struct conf_error *e);

#endif
