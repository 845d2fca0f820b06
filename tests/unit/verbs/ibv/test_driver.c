/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_driver.c - drivers of verbs devices, found in a tree like the kernel's.
 */
#include <config.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "verbs/ibv/driver.h"

static char root[40];

static void
make_dirs(const char *path)
{
	char whole[300];

	snprintf(whole, sizeof(whole), "%s/%s/", root, path);
	for (char *p = whole + strlen(root) + 1; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		assert_true(mkdir(whole, 0755) == 0 || errno == EEXIST);
		*p = '/';
	}
}

static void
make_link(const char *path, const char *target)
{
	char whole[300];

	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	assert_int_equal(symlink(target, whole), 0);
}

static void
make_file(const char *path)
{
	char whole[300];
	FILE *f;

	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	f = fopen(whole, "w");
	assert_non_null(f);
	assert_int_equal(fclose(f), 0);
}

/* A device on the PCI bus; 'driver' NULL: its parent has no driver link. */
static void
make_pci(const char *name, const char *slot, const char *driver)
{
	char path[200], link[200];

	snprintf(path, sizeof(path), "devices/pci0000:00/%s/infiniband/%s", slot, name);
	make_dirs(path);
	snprintf(link, sizeof(link), "class/infiniband/%s", name);
	snprintf(path, sizeof(path), "../../devices/pci0000:00/%s/infiniband/%s", slot, name);
	make_link(link, path);
	snprintf(link, sizeof(link), "devices/pci0000:00/%s/infiniband/%s/device", slot, name);
	make_link(link, "../..");
	if (!driver)
		return;
	snprintf(path, sizeof(path), "bus/pci/drivers/%s", driver);
	make_dirs(path);
	snprintf(link, sizeof(link), "devices/pci0000:00/%s/driver", slot);
	snprintf(path, sizeof(path), "../../../bus/pci/drivers/%s", driver);
	make_link(link, path);
}

/* A device without a parent. */
static void
make_virtual(const char *name)
{
	char path[200], link[200];

	snprintf(path, sizeof(path), "devices/virtual/infiniband/%s", name);
	make_dirs(path);
	snprintf(link, sizeof(link), "class/infiniband/%s", name);
	snprintf(path, sizeof(path), "../../devices/virtual/infiniband/%s", name);
	make_link(link, path);
}

static int
driver_setup(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/heddle-sysfs-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	make_dirs("class/infiniband");
	return 0;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

static int
driver_teardown(void **state)
{
	(void)state;
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void
assert_driver(const char *device, uint32_t vendor, const char *name, bool software)
{
	struct ibvb_driver d = ibvb_driver_find(root, device, vendor);

	assert_string_equal(d.name, name);
	assert_int_equal(d.software, software);
}

static void
hardware(void **state)
{
	(void)state;
	make_pci("mlx5_0", "0000:00:05.0", "mlx5_core");
	assert_driver("mlx5_0", 0x02c9, "mlx5_core", false);
}

/* Missing files prove nothing. */
static void
no_driver_link(void **state)
{
	(void)state;
	make_pci("hca0", "0000:00:06.0", NULL);
	assert_driver("hca0", 0x02c9, "unknown", false);
	assert_driver("no-such-device", 0x02c9, "unknown", false);
	make_virtual("vca0");
	assert_driver("vca0", 0x02c9, "unknown", true);
}

static void
software(void **state)
{
	(void)state;
	make_virtual("rxe0");
	assert_driver("rxe0", IBVB_VENDOR_RXE, "rxe", true);
	make_file("devices/virtual/infiniband/rxe0/parent");
	/* of an older kernel, without a vendor */
	assert_driver("rxe0", 0, "rxe", true);
	/* The driver link is that of the Ethernet device. */
	make_pci("rxe1", "0000:00:07.0", "virtio-pci");
	assert_driver("rxe1", IBVB_VENDOR_RXE, "rxe", true);
	make_file("devices/pci0000:00/0000:00:07.0/infiniband/rxe1/parent");
	assert_driver("rxe1", 0, "rxe", true);
	make_virtual("siw0");
	assert_driver("siw0", IBVB_VENDOR_SIW, "siw", true);
}

/* Names are of any length. */
static void
long_names(void **state)
{
	char name[600];

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_driver(name, 0, "unknown", false);
	make_pci("a", "0000:00:08.0", "a-driver-with-a-name-of-more-than-thirty-one-letters");
	assert_driver("a", 0, "a-driver-with-a-name-of-more-th", false);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, driver_setup, driver_teardown)
		T(hardware), T(no_driver_link), T(software), T(long_names),
	};

	return cmocka_run_group_tests_name("driver", tests, NULL, NULL);
}
