/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * clock.c - the time of the server and of its simulated fabric.
 * Room: sim/serve.  The rooms below get the time as an argument; unit tests link another clock.
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
