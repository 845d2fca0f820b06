/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_debug.c - the line of option -d for each kind of datagram: no keys, no data, any bytes.
 */
#include <config.h>
#include <errno.h>
#include <unistd.h>
#include "diags/ask/debug.h"
#include "libmad/attr/sm_attr.h"
#include "tests/unit/test.h"

/* What debug_dgram() writes to standard error. */
static const char *
line_of(const char *what, const struct dgram *g, int64_t us)
{
	static char text[4096];
	FILE *f = tmpfile();
	int keep = dup(STDERR_FILENO);
	size_t n;

	fflush(stderr);
	dup2(fileno(f), STDERR_FILENO);
	debug_dgram(what, g, us);
	fflush(stderr);
	dup2(keep, STDERR_FILENO);
	close(keep);
	rewind(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static struct dgram
directed(void)
{
	static const uint8_t path[DGRAM_PATH_BYTES] = { 0, 1, 17 }, secret[64] = "the data";
	struct dgram g = { .bytes = DGRAM_BYTES };

	dgram_smp_make(g.mad,
		&(struct dgram_smp){ .method = METHOD_GET,
			.attr_id = PORT_INFO_ID,
			.modifier = 0x11,
			.tid = UINT64_C(0xfedcba980000abcd),
			.mkey = 0x5ec2e7,
			.data = secret,
			.hop_count = 2,
			.path = path });
	return g;
}

static struct dgram
routed(uint8_t mgmt_class, uint16_t attr_id)
{
	struct dgram g = { .bytes = DGRAM_BYTES, .addr = { .lid = 12, .qpn = 1, .sl = 4 } };

	dgram_head_encode(g.mad,
		&(struct dgram_head){ .base_version = 1,
			.mgmt_class = mgmt_class,
			.class_version = 1,
			.method = METHOD_GET,
			.attr_id = attr_id,
			.tid = 0x99 });
	return g;
}

static void
requests(void **state)
{
	struct dgram g = directed();

	(void)state;
	assert_string_equal(line_of("sent", &g, 1500000),
		"debug:  1.500000 sent     0,1,17: SM (directed route) "
		"Get PortInfo 0x11, tid 0x0000abcd\n");
	g = routed(CLASS_SM_LID, NODE_INFO_ID);
	g.addr.qpn = 0;
	assert_string_equal(line_of("sent", &g, 0),
		"debug:  0.000000 sent     Lid 12 QP0 SL 4: SM (LID routed) "
		"Get NodeInfo 0x0, tid 0x00000099\n");
	g = routed(CLASS_SM_LID, 0xff77);
	assert_non_null(strstr(line_of("sent", &g, 0), " Get 0xff77 0x0,"));
}

static void
answers(void **state)
{
	struct dgram g = directed();
	const char *line;

	(void)state;
	dgram_smp_respond(g.mad, STATUS_BAD_VALUE);
	line = line_of("received", &g, 999);
	assert_non_null(strstr(line, "debug:  0.000999 received 0,1,17: "));
	assert_non_null(strstr(line, ", tid 0x0000abcd, 256 bytes, status 0x001c ("));
	g = routed(CLASS_SA, 0x35);
	dgram_set_method(g.mad, METHOD_GET_RESP);
	dgram_set_status(g.mad, STATUS_SA_NO_RECORDS);
	g.bytes = 5000;
	line = line_of("received", &g, 0);
	assert_non_null(strstr(line, ", 5000 bytes, status 0x0300 ("));
	assert_null(strstr(line, "not answered"));
	g.status = ETIMEDOUT;
	line = line_of("received", &g, 0);
	assert_non_null(strstr(line, ", not answered: "));
	assert_non_null(strstr(line, strerror(ETIMEDOUT)));
	assert_null(strstr(line, "5000 bytes"));
}

static void
nothing_secret(void **state)
{
	struct dgram g = directed();
	const char *line = line_of("sent", &g, 0);

	(void)state;
	assert_null(strstr(line, "5ec2e7"));
	assert_null(strstr(line, "the data"));
	assert_null(strstr(line, "fedcba98")); /* the kernel's half of the TID */
}

/* Any header makes one line. */
static void
any_bytes(void **state)
{
	struct dgram g = directed();
	const char *line;

	(void)state;
	dgram_set_hop_count(g.mad, 255);
	line = line_of("received", &g, INT64_MAX);
	assert_non_null(strstr(line, "0,1,17,0,0"));
	for (unsigned seed = 1; seed <= 300; seed++) {
		uint32_t x = seed * 2654435761u;

		for (unsigned i = 0; i < DGRAM_BYTES; i++) {
			x = x * 1664525u + 1013904223u;
			g.mad[i] = (uint8_t)(x >> 24);
		}
		if (seed % 2)
			g.mad[1] = CLASS_SM_DR;
		line = line_of("received", &g, -1);
		assert_true(strlen(line) > 30);
		assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests),
		cmocka_unit_test(answers),
		cmocka_unit_test(nothing_secret),
		cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
