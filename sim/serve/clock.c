/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * clock.c - the time of the server, which is that of the simulated fabric.
 * Room: sim/serve.
 */
#include <config.h>
#include <time.h>
#include "sim/serve/server.h"

struct monotime
server_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (struct monotime){ (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000 };
}
