/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_device.c - which port is opened, what is registered there, and what is fatal.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "libmad/attr/codes.h"
#include "sm/daemon/daemon_int.h"

/* A device: what it has been asked, and what it is to refuse. */
static struct {
	struct io io;
	unsigned opens, closes, classes, issm;
	char ca[64];
	int port;
	uint8_t added[8];
	unsigned refused_class; /* 0: none */
	int open_error, port_error, issm_error;
	struct io_port ports[3]; /* that are listed */
	int listed; /* their number, or an error */
} hw;

static struct daemon d;
static char said[512];
static unsigned lines;
static char why[IO_WHY_BYTES];

static int
on_port(struct io *io, struct io_port *p)
{
	assert_ptr_equal(io, &hw.io);
	*p = (struct io_port){ .ca_name = "ca-0", .port = 1, .port_guid = 0x77 };
	return hw.port_error;
}

static int
on_add_class(struct io *io, const struct io_class *c, char *text)
{
	assert_ptr_equal(io, &hw.io);
	assert_true(hw.classes < 8);
	hw.added[hw.classes++] = c->mgmt_class;
	if (c->mgmt_class != hw.refused_class)
		return 0;
	snprintf(text, IO_WHY_BYTES, "class %u is taken", c->mgmt_class);
	return -EBUSY;
}

static int
on_issm(struct io *io, bool on, char *text)
{
	assert_ptr_equal(io, &hw.io);
	assert_true(on);
	hw.issm++;
	snprintf(text, IO_WHY_BYTES, "no issm0");
	return hw.issm_error;
}

static void
on_close(struct io *io)
{
	assert_ptr_equal(io, &hw.io);
	hw.closes++;
}

/* In the place of libibumad's devices. */
int
io_umad_open(const char *ca, int port, struct io **io, char *text)
{
	static const struct io_ops ops = {
		.port = on_port,
		.add_class = on_add_class,
		.issm = on_issm,
		.close = on_close,
	};

	hw.opens++;
	snprintf(hw.ca, sizeof(hw.ca), "%s", ca);
	hw.port = port;
	hw.io.ops = &ops;
	if (hw.open_error) {
		snprintf(text, IO_WHY_BYTES, "cannot open");
		return hw.open_error;
	}
	*io = &hw.io;
	return 0;
}

int
io_umad_list(struct io_port *ports, int max, char *text)
{
	assert_true(max >= 3);
	for (int i = 0; i < hw.listed; i++)
		ports[i] = hw.ports[i];
	if (hw.listed < 0)
		snprintf(text, IO_WHY_BYTES, "cannot list");
	return hw.listed;
}

static void
on_line(void *arg, enum log_level level, const char *room, const char *line)
{
	(void)arg;
	(void)level;
	lines++;
	snprintf(said, sizeof(said), "%s: %s", room, line);
}

static int
device_setup(void **state)
{
	(void)state;
	memset(&hw, 0, sizeof(hw));
	d = (struct daemon){ .conf = conf_default(), .log = { LOG_TRACE, on_line, NULL } };
	d.conf->cm = true;
	said[0] = why[0] = '\0';
	lines = 0;
	return 0;
}

static int
device_teardown(void **state)
{
	(void)state;
	conf_free(d.conf);
	return 0;
}

/* Opening failed: nothing stays open, and there is a sentence. */
static void
assert_not_open(int error, const char *sentence)
{
	assert_int_equal(device_open(&d, why), error);
	assert_non_null(strstr(why, sentence));
	assert_null(d.device.io);
	assert_int_equal(hw.closes, hw.opens);
}

static void
the_port_of_the_configuration(void **state)
{
	(void)state;
	assert_int_equal(device_open(&d, why), 0);
	assert_string_equal(hw.ca, "");
	assert_int_equal(hw.port, -1); /* any */
	assert_ptr_equal(d.device.io, &hw.io);
	assert_string_equal(d.device.port.ca_name, "ca-0");
	assert_true(d.device.port.port_guid == 0x77);
	assert_int_equal(lines, 0);
	d.conf->ca = "mlx5_1";
	d.conf->port = 2;
	assert_int_equal(device_open(&d, why), 0);
	assert_string_equal(hw.ca, "mlx5_1");
	assert_int_equal(hw.port, 2);
}

static void
the_port_of_a_guid(void **state)
{
	(void)state;
	hw.ports[0] = (struct io_port){ .ca_name = "a", .port = 1, .port_guid = 1 };
	hw.ports[1] = (struct io_port){ .ca_name = "b", .port = 1, .port_guid = 2 };
	hw.ports[2] = (struct io_port){ .ca_name = "b", .port = 2, .port_guid = 3 };
	hw.listed = 3;
	d.conf->ca = "a"; /* of no account */
	d.conf->guid = 3;
	assert_int_equal(device_open(&d, why), 0);
	assert_string_equal(hw.ca, "b");
	assert_int_equal(hw.port, 2);
	device_close(&d);
	d.conf->guid = 4;
	hw.opens = hw.closes = 0;
	assert_not_open(-ENODEV, "no InfiniBand port with GUID 0x0000000000000004");
	assert_int_equal(hw.opens, 0);
	hw.listed = 0;
	assert_not_open(-ENODEV, "no InfiniBand port");
	hw.listed = -EPROTONOSUPPORT; /* Ethernet only: it may still appear */
	assert_not_open(-ENODEV, "no InfiniBand port");
	hw.listed = -EACCES;
	assert_not_open(-EACCES, "cannot list");
}

static void
what_is_registered(void **state)
{
	static const uint8_t classes[] = { CLASS_SM_DR, CLASS_SM_LID, CLASS_SA, CLASS_CM };

	(void)state;
	assert_int_equal(device_open(&d, why), 0);
	assert_int_equal(hw.classes, 4);
	assert_memory_equal(hw.added, classes, 4);
	assert_int_equal(hw.issm, 1);
	assert_true(d.device.cm);
	assert_string_equal(d.device.cm_why, "");
}

/* Without the classes of a manager there is none: everything is closed again. */
static void
classes_of_a_manager_are_needed(void **state)
{
	static const uint8_t classes[] = { CLASS_SM_DR, CLASS_SM_LID, CLASS_SA };

	(void)state;
	for (unsigned i = 0; i < sizeof(classes); i++) {
		hw.classes = hw.issm = 0;
		hw.refused_class = classes[i];
		assert_not_open(-EBUSY, "is taken");
		assert_int_equal(hw.classes, i + 1);
		assert_int_equal(hw.issm, 0); /* nobody was told of a manager */
	}
}

/* Another program may have the CM; then only that is off. */
static void
communication_management_is_not_needed(void **state)
{
	(void)state;
	hw.refused_class = CLASS_CM;
	assert_int_equal(device_open(&d, why), 0);
	assert_false(d.device.cm);
	assert_string_equal(d.device.cm_why, "class 7 is taken");
	assert_string_equal(said, "cm: communication management is off: class 7 is taken");
	d.conf->cm = false;
	hw.classes = lines = 0;
	assert_int_equal(device_open(&d, why), 0);
	assert_int_equal(hw.classes, 3);
	assert_false(d.device.cm);
	assert_string_equal(d.device.cm_why, "");
	assert_int_equal(lines, 0);
}

static void
issm_is_not_needed(void **state)
{
	(void)state;
	hw.issm_error = -EACCES;
	assert_int_equal(device_open(&d, why), 0);
	assert_ptr_equal(d.device.io, &hw.io);
	assert_string_equal(said, "device: no issm0: other subnet managers will not see this one");
}

static void
ports_that_cannot_be_used(void **state)
{
	(void)state;
	hw.port_error = -EIO;
	assert_not_open(-EIO, "cannot read the port's identity: ");
	assert_int_equal(hw.classes, 0);
	hw.open_error = -EACCES;
	assert_int_equal(device_open(&d, why), -EACCES);
	assert_string_equal(why, "cannot open");
	assert_null(d.device.io);
	assert_int_equal(hw.closes, 1);
}

static void
closing_twice_is_closing_once(void **state)
{
	(void)state;
	assert_int_equal(device_open(&d, why), 0);
	device_close(&d);
	assert_null(d.device.io);
	device_close(&d);
	assert_int_equal(hw.closes, 1);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, device_setup, device_teardown)
	const struct CMUnitTest tests[] = {
		T(the_port_of_the_configuration),
		T(the_port_of_a_guid),
		T(what_is_registered),
		T(classes_of_a_manager_are_needed),
		T(communication_management_is_not_needed),
		T(issm_is_not_needed),
		T(ports_that_cannot_be_used),
		T(closing_twice_is_closing_once),
	};

	return cmocka_run_group_tests_name("sm/daemon/device", tests, NULL, NULL);
}
