/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * driver.c - see driver.h.
 * Room: verbs/ibv.
 *
 * For a device D, sysfs has class/infiniband/D: a link to the device itself, below
 * devices/pci... for hardware and below devices/virtual without hardware as its parent.  In it,
 * device/driver is a link to the parent's driver, which for rxe and siw is the driver of the
 * Ethernet device below them, if there is one; 'parent' is a file that only rxe creates.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "verbs/ibv/driver.h"

#define PATH_BYTES 400

/* Reads the link class/infiniband/DEVICE'rest'.  False: there is none. */
static bool
read_sysfs_link(const char *sysfs, const char *device, const char *rest,
	char target[static PATH_BYTES])
{
	char path[PATH_BYTES];
	int length = snprintf(path, sizeof(path), "%s/class/infiniband/%s%s", sysfs, device, rest);
	ssize_t n = length < 0 || length >= PATH_BYTES ? -1 : readlink(path, target,
		PATH_BYTES - 1);

	if (n <= 0)
		return false;
	target[n] = '\0';
	return true;
}

static bool
has_sysfs_file(const char *sysfs, const char *device, const char *name)
{
	char path[PATH_BYTES];
	int length = snprintf(path, sizeof(path), "%s/class/infiniband/%s/%s", sysfs, device, name);

	return length > 0 && length < PATH_BYTES && access(path, F_OK) == 0;
}

static struct ibvb_driver
driver_named(const char *name, bool software)
{
	struct ibvb_driver d = { .software = software };

	snprintf(d.name, sizeof(d.name), "%.31s", name);
	return d;
}

struct ibvb_driver
ibvb_driver_find(const char *sysfs, const char *device, uint32_t vendor_id)
{
	char target[PATH_BYTES];
	const char *last;

	if (vendor_id == IBVB_VENDOR_SIW)
		return driver_named("siw", true);
	if (vendor_id == IBVB_VENDOR_RXE || has_sysfs_file(sysfs, device, "parent"))
		return driver_named("rxe", true);
	if (read_sysfs_link(sysfs, device, "/device/driver", target)) {
		last = strrchr(target, '/');
		return driver_named(last ? last + 1 : target, false);
	}
	return driver_named("unknown", read_sysfs_link(sysfs, device, "", target) &&
		strstr(target, "/virtual/"));
}
