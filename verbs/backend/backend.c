/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * backend.c - see backend.h.
 * Room: verbs/backend.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "verbs/backend/backend.h"
#include "verbs/ibv/ibv.h"
#include "verbs/soft/soft.h"

#define TUNNEL_MBPS 1000               /* what a control connection can carry on any machine */

#define SOFT_EMULATED "the software adapter has a clock of its own: these figures are of its " \
	"model and mean nothing"

bool
verbs_backend_is_soft(const struct verbs_world *w)
{
	return !strcmp(w->name, "soft");
}

/* DEVICE[:PORT] */
static int
device_parse(const char *text, struct verbs_choice *c, char *why)
{
	const char *colon = strchr(text, ':');
	size_t n = colon ? (size_t)(colon - text) : strlen(text);
	unsigned long port = 0;
	char *end;

	if (!n || n >= sizeof(c->device)) {
		snprintf(why, VERBS_WHY_BYTES, "--backend: the name of the device is %s",
			n ? "too long" : "missing");
		return -EINVAL;
	}
	memcpy(c->device, text, n);
	c->device[n] = '\0';
	if (colon) {
		port = strtoul(colon + 1, &end, 10);
		if (colon[1] < '0' || colon[1] > '9' || *end || port < 1 || port > 254) {
			snprintf(why, VERBS_WHY_BYTES,
				"--backend: \"%.60s\" is not a port, 1 to 254", colon + 1);
			return -EINVAL;
		}
	}
	c->port = (uint8_t)port;
	return 0;
}

int
verbs_backend_find(const char *spec, uint64_t seed, struct verbs_choice *c, char *why)
{
	int r = 0;

	memset(c, 0, sizeof(*c));
	why[0] = '\0';
	if (!strcmp(spec, "soft")) {
		c->world = soft_world_new(&(struct soft_options){ .seed = seed });
		return 0;
	}
	if (strncmp(spec, "verbs", 5) || (spec[5] && spec[5] != ':')) {
		snprintf(why, VERBS_WHY_BYTES, "--backend: \"%.60s\" is none: " VERBS_BACKEND_HELP,
			spec);
		return -EINVAL;
	}
	if (spec[5])
		r = device_parse(spec + 6, c, why);
	return r ? r : ibvb_world_new(&c->world, why, VERBS_WHY_BYTES);
}

int
verbs_backend_open(const struct verbs_choice *c, struct verbs_dev **out, char *why)
{
	const struct verbs_ops *ops = c->world->ops;
	const char *name = c->device[0] ? c->device : NULL;
	struct verbs_dev *dev;
	int r = ops->open(c->world, name, &dev);

	if (r == -ENODEV) {
		snprintf(why, VERBS_WHY_BYTES, "%s: there is no such verbs device",
			name ? name : "first device");
		return r;
	}
	if (r) {
		snprintf(why, VERBS_WHY_BYTES, "%s: cannot be opened: %s",
			name ? name : "first device", strerror(-r));
		return r;
	}
	if (c->port && !verbs_backend_is_soft(c->world) && ibvb_use_port(dev, c->port)) {
		snprintf(why, VERBS_WHY_BYTES, "%s: has no port %u", dev->name, c->port);
		ops->close(dev);
		return -ENODEV;
	}
	*out = dev;
	return 0;
}

const char *
verbs_backend_provider(const struct verbs_dev *dev)
{
	return verbs_backend_is_soft(dev->world) ? "soft" : ibvb_provider(dev);
}

bool
verbs_backend_needs_cm(const struct verbs_dev *dev)
{
	return !verbs_backend_is_soft(dev->world) && ibvb_is_iwarp(dev);
}

const char *
verbs_backend_emulated(const struct verbs_dev *dev)
{
	return verbs_backend_is_soft(dev->world) ? SOFT_EMULATED : ibvb_emulated(dev);
}

/* ---- software adapters of two processes ---- */

void
verbs_backend_arrive(struct verbs_world *w, const uint8_t *packet, size_t bytes)
{
	soft_arrive(w, packet, bytes);
}

struct verbs_world *
verbs_backend_tunnel_world(uint64_t seed)
{
	return soft_world_new(&(struct soft_options){ .seed = seed, .rate_mbps = TUNNEL_MBPS });
}
