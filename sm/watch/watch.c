/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * watch.c - creates, resets and frees the parts of the room.
 * Room: sm/watch.
 */
#include <config.h>
#include "sm/watch/watch.h"

void
watch_init(struct watch *w)
{
	*w = (struct watch){ .own_port = { .next = MONOTIME_NEVER } };
	w->missing = missing_new();
	w->flaps = flaps_new();
	w->probes = probes_new(w->flaps, w->missing);
	w->light.probes = w->probes;
	w->light.flaps = w->flaps;
}

void
watch_free(struct watch *w)
{
	leases_free(&w->light.leases);
	missing_free(w->missing);
	flaps_free(w->flaps);
	probes_free(w->probes);
}

void
watch_reset(struct watch *w)
{
	missing_forget(w->missing);
	probes_reset(w->probes);
}
