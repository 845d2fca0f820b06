/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * device.c - opens the port that heddled runs on and registers what it serves.
 * Room: sm/daemon.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "sm/daemon/daemon_int.h"

#define PORTS_MAX 128

static int
find_guid(uint64_t guid, struct io_port *out, char *why)
{
	struct io_port ports[PORTS_MAX];
	int n = io_umad_list(ports, PORTS_MAX, why);

	/* There are only Ethernet ports; the right port may still appear. */
	if (n < 0 && n != -EPROTONOSUPPORT)
		return n;
	for (int i = 0; i < n; i++)
		if (ports[i].port_guid == guid) {
			*out = ports[i];
			return 0;
		}
	snprintf(why, IO_WHY_BYTES, "no InfiniBand port with GUID 0x%016llx",
		(unsigned long long)guid);
	return -ENODEV;
}

static int
open_port(struct daemon *d, char *why)
{
	struct io_port p;
	int err;

	if (d->conf->guid) {
		err = find_guid(d->conf->guid, &p, why);
		return err < 0 ? err : io_umad_open(p.ca_name, p.port, &d->device.io, why);
	}
	return io_umad_open(d->conf->ca, d->conf->port ? (int)d->conf->port : -1, &d->device.io, why);
}

static int
register_classes(struct daemon *d, char *why)
{
	const struct io_class c[] = { io_class_sm(CLASS_SM_DR), io_class_sm(CLASS_SM_LID),
		io_class_sa() };
	int err;

	for (unsigned i = 0; i < sizeof(c) / sizeof(c[0]); i++)
		if ((err = io_add_class(d->device.io, &c[i], why)) < 0)
			return err;
	return 0;
}

/* Registers the CM class. A failure is never fatal: the kernel's CM or another program may own the
 * class. */
static void
register_cm(struct daemon *d)
{
	struct io_class c = io_class_client(CLASS_CM);
	char why[IO_WHY_BYTES] = "";

	c.methods[0] = IO_METHOD(METHOD_SEND);
	d->device.cm = d->conf->cm && io_add_class(d->device.io, &c, why) >= 0;
	snprintf(d->device.cm_why, sizeof(d->device.cm_why), "%s", why);
	if (d->conf->cm && !d->device.cm)
		log_line(&d->log, LOG_WARN, "cm", "communication management is off: %s", why);
}

int
device_open(struct daemon *d, char *why)
{
	int err = open_port(d, why);

	if (err < 0)
		return err;
	err = io_port(d->device.io, &d->device.port);
	if (err < 0)
		snprintf(why, IO_WHY_BYTES, "cannot read the port's identity: %s", strerror(-err));
	if (err >= 0)
		err = register_classes(d, why);
	if (err >= 0)
		register_cm(d);
	/* Without IsSM the SM works, but other SMs do not find it; this is logged and not fatal. */
	if (err >= 0 && io_issm(d->device.io, true, why) < 0)
		log_line(&d->log, LOG_WARN, "device",
			"%s: other subnet managers will not see this one", why);
	if (err < 0) {
		io_close(d->device.io);
		d->device.io = NULL;
	}
	return err;
}

void
device_close(struct daemon *d)
{
	io_close(d->device.io);
	d->device.io = NULL;
}
