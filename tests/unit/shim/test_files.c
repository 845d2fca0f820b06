/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_files.c - paths that only the simulation has: sysfs files to the letter, the issm device,
 * and every other path.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "tests/unit/shim/server.h"
#include "sim/shim/files.c"     /* with the server of the test */
#include "sim/shim/info.c"

static int
shim_files_begin(void **state)
{
	(void)state;
	shim_server_reset();
	return 0;
}

/* The text of a file below the adapter's directory; NULL: it cannot be opened, and says so. */
static const char *
text_of(const char *file)
{
	static char text[200];
	char path[300];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), SYS_INFINIBAND "/%s/%s", info_ca_name(), file);
	errno = 0;
	fd = files_open(path, O_RDONLY);
	if (fd < 0) {
		assert_int_equal(fd, -1);
		assert_int_equal(errno, ENOENT);
		return NULL;
	}
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	n = read(fd, text, sizeof(text) - 1);
	assert_true(n > 0);
	text[n] = '\0';
	close(fd);
	return text;
}

static void
files_of_the_adapter(void **state)
{
	(void)state;
	assert_string_equal(text_of("node_type"), "1: CA\n");
	assert_string_equal(text_of("hw_rev"), "a1\n");
	assert_string_equal(text_of("fw_ver"), PACKAGE_VERSION "\n");
	assert_string_equal(text_of("hca_type"), "heddle-sim\n");
	assert_string_equal(text_of("node_guid"), "1122:3344:5566:7788\n");
	assert_string_equal(text_of("sys_image_guid"), "0000:0000:0000:0099\n");
	assert_null(text_of("board_id"));
	assert_null(text_of(""));
	shim_server.ca.node_type = 2;
	assert_string_equal(text_of("node_type"), "2: SW\n");
	shim_server.ca.node_type = 3;
	assert_string_equal(text_of("node_type"), "3: RT\n");
	shim_server.there = false;
	assert_null(text_of("node_type"));
}

static void
files_of_a_port(void **state)
{
	(void)state;
	SHIM_SET(1, lid, 0x1a);
	SHIM_SET(1, lmc, 3);
	SHIM_SET(1, master_sm_lid, 2);
	SHIM_SET(1, master_sm_sl, 5);
	SHIM_SET(1, capability_mask, 0x2651e84a);
	SHIM_SET(1, gid_prefix, UINT64_C(0xfe80000000000000));
	SHIM_SET(1, speed_active, LINK_SPEED_QDR);
	SHIM_SET(1, speed_ext_active, 2);
	assert_string_equal(text_of("ports/1/state"), "4: ACTIVE\n");
	assert_string_equal(text_of("ports/2/state"), "1: DOWN\n");
	assert_string_equal(text_of("ports/1/phys_state"), "5: LinkUp\n");
	assert_string_equal(text_of("ports/1/lid"), "0x1a\n");
	assert_string_equal(text_of("ports/1/lid_mask_count"), "3\n");
	assert_string_equal(text_of("ports/1/sm_lid"), "0x2\n");
	assert_string_equal(text_of("ports/1/sm_sl"), "5\n");
	assert_string_equal(text_of("ports/1/cap_mask"), "0x2651e84a\n");
	assert_string_equal(text_of("ports/1/link_layer"), "InfiniBand\n");
	assert_string_equal(text_of("ports/1/rate"), "100 Gb/sec (4X EDR)\n");
	assert_string_equal(text_of("ports/1/gids/0"), "fe80:0000:0000:0000:1122:3344:5566:7789\n");
	assert_string_equal(text_of("ports/1/pkeys/0"), "0xffff\n");
	assert_string_equal(text_of("ports/1/pkeys/1"), "0x8001\n");
	SHIM_SET(1, state, 7); /* a value without a word */
	SHIM_SET(1, phys_state, 0);
	assert_string_equal(text_of("ports/1/state"), "7: UNKNOWN\n");
	assert_string_equal(text_of("ports/1/phys_state"), "0: <unknown>\n");
}

static void
files_that_are_not_there(void **state)
{
	static const char *const bad[] = { "ports", "ports/", "ports/1", "ports/1/",
		"ports/x/state", "ports/1x/state", "ports/3/state", "ports/0/state",
		"ports/10/state", "ports/-1/state", "ports/18446744073709551617/state",
		"ports//state", "ports/1/pkeys/2", "ports/1/pkeys/", "ports/1/pkeys/x",
		"ports/1/pkeys/1x", "ports/1/pkeys/-1", "ports/1/gids/1", "ports/1/nothing",
		"ports/1/state/", "/ports/1/state" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (text_of(bad[i]))
			fail_msg("%s can be read", bad[i]);
}

static int
open_device(const char *stem, const char *rest, int flags)
{
	char path[100];

	snprintf(path, sizeof(path), "/dev/infiniband/%s-%s-%s", stem, info_ca_name(), rest);
	return files_open(path, flags);
}

static void
umad_devices(void **state)
{
	(void)state;
	assert_int_equal(open_device("umad", "2", O_RDWR), 77);
	assert_int_equal(shim_server.device_asked, 2);
	shim_server.device = -ENODEV;
	assert_int_equal(open_device("umad", "9", O_RDWR), -1);
	assert_int_equal(errno, ENODEV);
	shim_server.device_asked = -1;
	assert_int_equal(open_device("umad", "10", O_RDWR), FILES_NOT_OURS);
	assert_int_equal(open_device("umad", "", O_RDWR), FILES_NOT_OURS);
	assert_int_equal(open_device("umad", "x", O_RDWR), FILES_NOT_OURS);
	assert_int_equal(shim_server.device_asked, -1);
}

static void
issm_devices(void **state)
{
	int fd = open_device("issm", "1", O_RDWR);

	(void)state;
	assert_true(fd >= 0); /* the connection is the open device */
	close(fd);
	assert_int_equal(shim_server.asked, 1);
	shim_server.issm_busy = 2; /* another has it: wait */
	fd = open_device("issm", "1", O_RDWR);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(shim_server.asked, 4);
	shim_server.issm_busy = 1;
	assert_int_equal(open_device("issm", "1", O_RDWR | O_NONBLOCK), -1);
	assert_int_equal(errno, EAGAIN);
	shim_server.issm_busy = 0;
	shim_server.issm_error = -ENODEV;
	assert_int_equal(open_device("issm", "5", O_RDWR), -1);
	assert_int_equal(errno, ENODEV);
	shim_server.there = false;
	assert_int_equal(open_device("issm", "1", O_RDWR), -1);
	assert_int_equal(errno, EIO);
}

static void
paths_of_others(void **state)
{
	static const char *const others[] = { "", "/", "/etc/passwd", "/dev/infiniband",
		"/dev/infiniband/umad0", "/dev/infiniband/", SYS_INFINIBAND, SYS_INFINIBAND "/",
		SYS_INFINIBAND "/mlx5_0/node_type", SYS_INFINIBAND "x/hsim0/node_type",
		"/dev/infiniband/uverbs0" };

	(void)state;
	assert_int_equal(files_open(NULL, 0), FILES_NOT_OURS);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_int_equal(files_open(others[i], 0), FILES_NOT_OURS);
	assert_int_equal(shim_server.asked, 0);
}

#define T(f) cmocka_unit_test_setup(f, shim_files_begin)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(files_of_the_adapter),
		T(files_of_a_port),
		T(files_that_are_not_there),
		T(umad_devices),
		T(issm_devices),
		T(paths_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
