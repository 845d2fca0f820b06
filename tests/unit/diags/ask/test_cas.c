/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_cas.c - the adapters of a machine, from a libibumad and a sysfs of the test.
 *
 * The program is linked so that open() of cas.c is __wrap_open(); the functions of libibumad that
 * cas.c calls are here.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <unistd.h>
#include "diags/ask/cas.h"
#include "libmad/wire/wire.h"
#include "tests/unit/test.h"

#define FILES 4

static struct {
	const char *names[8]; /* as libibumad lists them */
	struct umad_device_node nodes[8];
	unsigned lists_freed, cas_released;
	struct {
		const char *path, *text;
	} files[FILES];
	umad_port_t ports[3];
} machine;

int
umad_init(void)
{
	return 0;
}

struct umad_device_node *
umad_get_ca_device_list(void)
{
	struct umad_device_node *first = NULL, **last = &first;

	for (unsigned i = 0; i < 8 && machine.names[i]; i++) {
		machine.nodes[i] = (struct umad_device_node){ .ca_name = machine.names[i] };
		*last = &machine.nodes[i];
		last = &machine.nodes[i].next;
	}
	return first;
}

void
umad_free_ca_device_list(struct umad_device_node *head)
{
	assert_ptr_equal(head, &machine.nodes[0]);
	machine.lists_freed++;
}

int
umad_get_ca(const char *ca_name, umad_ca_t *ca)
{
	errno = 0;
	if (!strcmp(ca_name, "denied0"))
		return -EACCES;
	if (!strcmp(ca_name, "broken0")) {
		errno = ENOENT;
		return -1;
	}
	if (!strcmp(ca_name, "broken1"))
		return -1; /* and errno says nothing */
	memset(ca, 0, sizeof(*ca));
	snprintf(ca->ca_name, sizeof(ca->ca_name), "%s", ca_name);
	ca->node_type = 1;
	ca->numports = 2;
	snprintf(ca->ca_type, sizeof(ca->ca_type), "MT4123");
	snprintf(ca->fw_ver, sizeof(ca->fw_ver), "20.1");
	snprintf(ca->hw_ver, sizeof(ca->hw_ver), "0");
	ca->node_guid = wire_order64(0x1111);
	ca->system_guid = wire_order64(0x2222);
	if (!strcmp(ca_name, "negative0"))
		ca->numports = -3;
	else
		ca->ports[2] = &machine.ports[2]; /* port 1 is missing */
	return 0;
}

int
umad_release_ca(umad_ca_t *ca)
{
	(void)ca;
	machine.cas_released++;
	return 0;
}

int __wrap_open(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);

/* A file of the table is in a pipe; every other one does not exist. */
int
__wrap_open(const char *path, int flags, ...)
{
	int p[2];

	assert_true(flags & O_CLOEXEC);
	for (unsigned i = 0; i < FILES; i++)
		if (machine.files[i].path && !strcmp(machine.files[i].path, path)) {
			size_t n = strlen(machine.files[i].text);

			assert_int_equal(pipe(p), 0);
			assert_int_equal(write(p[1], machine.files[i].text, n), n);
			close(p[1]);
			return p[0];
		}
	errno = ENOENT;
	return -1;
}

int
__wrap_open64(const char *path, int flags, ...)
{
	return __wrap_open(path, flags);
}

static int
cas_begin(void **state)
{
	(void)state;
	memset(&machine, 0, sizeof(machine));
	return 0;
}

static void
rate_is(const char *text)
{
	machine.files[0].path = "/sys/class/infiniband/hca0/ports/2/rate";
	machine.files[0].text = text;
}

static void
no_adapters(void **state)
{
	struct ca *cas = (struct ca *)state;

	assert_int_equal(cas_list(&cas), 0);
	assert_null(cas);
	cas_free(cas, 0);
}

static void
one_adapter(void **state)
{
	umad_port_t *p = &machine.ports[2];
	struct ca *cas;

	(void)state;
	machine.names[0] = "hca0";
	*p = (umad_port_t){ .state = 4,
		.phys_state = 5,
		.rate = 200,
		.base_lid = 17,
		.lmc = 2,
		.sm_lid = 3,
		.link_layer = "InfiniBand" };
	p->capmask = wire_order32(0x2651e848);
	p->port_guid = wire_order64(0xabcd);
	p->gid_prefix = wire_order64(0xfe80000000000000);
	assert_int_equal(cas_list(&cas), 1);
	assert_int_equal(machine.lists_freed, 1);
	assert_int_equal(machine.cas_released, 1);
	assert_string_equal(cas[0].name, "hca0");
	assert_int_equal(cas[0].error, 0);
	assert_int_equal(cas[0].node_type, 1);
	assert_string_equal(cas[0].type, "MT4123");
	assert_string_equal(cas[0].firmware, "20.1");
	assert_true(cas[0].node_guid == 0x1111 && cas[0].sys_guid == 0x2222);
	assert_int_equal(cas[0].nports, 2);
	assert_false(cas[0].ports[0].present);
	assert_false(cas[0].ports[1].present);
	assert_true(cas[0].ports[2].present);
	assert_int_equal(cas[0].ports[2].state, 4);
	assert_int_equal(cas[0].ports[2].phys_state, 5);
	assert_int_equal(cas[0].ports[2].rate_gbps, 200);
	assert_int_equal(cas[0].ports[2].lid, 17);
	assert_int_equal(cas[0].ports[2].lmc, 2);
	assert_int_equal(cas[0].ports[2].sm_lid, 3);
	assert_int_equal(cas[0].ports[2].cap_mask, 0x2651e848);
	assert_true(cas[0].ports[2].guid == 0xabcd);
	assert_true(cas[0].ports[2].gid_prefix == 0xfe80000000000000);
	assert_string_equal(cas[0].ports[2].link_layer, "InfiniBand");
	assert_false(cas[0].ports[2].fdr10); /* no file */
	cas_free(cas, 1);
}

static void
fdr10(void **state)
{
	static const struct {
		const char *text;
		bool fdr10;
	} rows[] = {
		{ "40 Gb/sec (4X FDR10)\n", true },
		{ "40 Gb/sec (4X fdr10)", true },
		{ "56 Gb/sec (4X FDR)\n", false },
		{ "", false },
		{ ")", false },
		{ "FDR10", false },
		{ "R10)", false },
		{ "FDR10)", true },
	};
	struct ca *cas;

	(void)state;
	machine.names[0] = "hca0";
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		rate_is(rows[i].text);
		assert_int_equal(cas_list(&cas), 1);
		assert_int_equal(cas[0].ports[2].fdr10, rows[i].fdr10);
		cas_free(cas, 1);
	}
}

/* Sorted by name; an adapter that cannot be read does not hide the others. */
static void
several(void **state)
{
	static const char *const sorted[] = { "broken0", "broken1", "denied0", "hca0", "hca1",
		"negative0" };
	static const char *const listed[] = { "hca1", "denied0", "broken1", "negative0", "broken0",
		"hca0" };
	struct ca *cas;

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		machine.names[i] = listed[i];
	assert_int_equal(cas_list(&cas), 6);
	for (unsigned i = 0; i < 6; i++)
		assert_string_equal(cas[i].name, sorted[i]);
	assert_int_equal(cas[0].error, ENOENT);
	assert_int_equal(cas[1].error, EIO);
	assert_int_equal(cas[2].error, EACCES);
	assert_int_equal(cas[2].nports, 0);
	assert_null(cas[2].ports);
	assert_int_equal(cas[3].error, 0);
	assert_int_equal(cas[5].nports, 0);
	assert_int_equal(machine.cas_released, 3);
	cas_free(cas, 6);
}

static void
first_lines(void **state)
{
	char text[8];

	(void)state;
	machine.files[0].path = "/sys/class/infiniband/hca0/node_type";
	machine.files[0].text = "1: CA\nmore\n";
	machine.files[1].path = "/sys/class/infiniband/hca0/board_id";
	machine.files[1].text = "a name that is too long";
	machine.files[2].path = "/sys/class/infiniband/hca0/empty";
	machine.files[2].text = "";
	assert_true(cas_sysfs("hca0", "node_type", text, sizeof(text)));
	assert_string_equal(text, "1: CA");
	assert_true(cas_sysfs("hca0", "board_id", text, sizeof(text)));
	assert_string_equal(text, "a name ");
	assert_true(cas_sysfs("hca0", "empty", text, sizeof(text)));
	assert_string_equal(text, "");
	assert_false(cas_sysfs("hca0", "none", text, sizeof(text)));
	assert_false(cas_sysfs("hca1", "node_type", text, sizeof(text)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(no_adapters, cas_begin),
		cmocka_unit_test_setup(one_adapter, cas_begin),
		cmocka_unit_test_setup(fdr10, cas_begin),
		cmocka_unit_test_setup(several, cas_begin),
		cmocka_unit_test_setup(first_lines, cas_begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
