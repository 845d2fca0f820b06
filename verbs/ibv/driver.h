/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * driver.h - which kernel driver is behind a verbs device, and whether that is software.
 * Room: verbs/ibv, private.
 *
 * A software device (rxe, siw) is correct but slow, so its bandwidth and latency say nothing about
 * a fabric, and results have to say so.  libibverbs does not report the driver; the vendor ID and
 * sysfs do.  driver.c describes the files, probe.c decides what is emulated.
 */
#ifndef HEDDLE_VERBS_IBV_DRIVER_H
#define HEDDLE_VERBS_IBV_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#define IBVB_SYSFS "/sys"
#define IBVB_VENDOR_RXE 0xffffffu       /* vendor_id of ibv_query_device() */
#define IBVB_VENDOR_SIW 0x626d74u

struct ibvb_driver {
	char name[32];                  /* "mlx5_core", "rxe", "siw"; "unknown" */
	bool software;
};

/* Finds the driver of 'device' from its vendor and from what the kernel shows below 'sysfs'
 * (IBVB_SYSFS; another directory in tests).  rxe and siw are recognized by what they alone have,
 * never by what is missing: a device without a driver link is unknown. */
struct ibvb_driver ibvb_driver_find(const char *sysfs, const char *device, uint32_t vendor_id);

#endif
