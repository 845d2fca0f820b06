/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_logs.c - what peers provoke fills no disk: a line for each kind, source and second, however many come.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/attr/sm_attr.h"
#include "libmad/mad/dgram.h"
#include "tests/scenario/world.h"
#include "tests/unit/test.h"
#include "util/loglimit.h"

#define SECOND 1000000
enum { SECONDS = 60, A_SECOND = 10000 };

struct seen {
	unsigned long long lines, bytes, more;
};

static void
see(void *arg, enum log_level level, const char *room, const char *line)
{
	struct seen *s = arg;
	const char *at = strrchr(line, '(');
	unsigned long long more;

	(void)level;
	s->lines++;
	s->bytes += strlen(room) + strlen(line) + 3;
	if (at && sscanf(at, "(%llu more", &more) == 1)
		s->more += more;
}

/* So many sources send 10,000 traps a second for a minute, by turns. */
static struct seen
storm(unsigned sources, void (*make)(uint8_t mad[DGRAM_BYTES], unsigned i))
{
	struct seen s = { 0 };
	struct world_manager *m;
	struct world w;

	world_init(&w, "fattree:k=4,levels=3", 1);
	m = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, m, 1, 10 * SECOND));
	world_run(&w, 5 * SECOND);
	w.log = (struct log){ LOG_NOTE, see, &s };
	for (unsigned i = 0; i < SECONDS * A_SECOND; i++) {
		uint8_t mad[DGRAM_BYTES] = { 0 };

		make(mad, i);
		world_inject(&w, m, mad, (uint16_t)(1 + i % sources));
		if (i % 10 == 9)
			world_run(&w, 1000);
	}
	world_run(&w, 2 * SECOND);
	printf("# %u sources: %llu lines/s, %llu bytes/s\n", sources, s.lines / SECONDS, s.bytes / SECONDS);
	assert_int_equal(manager_outcome(m->m), OUTCOME_UP);
	if (manager_log_suppressed(m->m) != s.more)
		fail_msg("%llu lines suppressed, %llu reported", (unsigned long long)manager_log_suppressed(m->m), s.more);
	world_clear(&w);
	return s;
}

static void
make_trap(uint8_t mad[DGRAM_BYTES], unsigned i)
{
	struct notice n = { .is_generic = 1, .type = 2, .producer_type = 1, .issuer_lid = 17,
		.trap_number = (uint16_t)(256 + i % 3) };

	mad[0] = 1;
	mad[1] = CLASS_SM_LID;
	mad[2] = 1;
	mad[3] = METHOD_TRAP;
	wire_put64(mad + 8, i);
	wire_put16(mad + 16, NOTICE_ID);
	notice_encode(mad + 64, &n);
}

static void
make_sm_info(uint8_t mad[DGRAM_BYTES], unsigned i)
{
	struct sm_info si = { .guid = UINT64_C(0xbad0000) + i, .sm_key = i, .priority = 15, .state = 3 };

	mad[0] = 1;
	mad[1] = CLASS_SM_LID;
	mad[2] = 1;
	mad[3] = METHOD_SET;
	wire_put64(mad + 8, i);
	wire_put16(mad + 16, SM_INFO_ID);
	wire_put32(mad + 20, 1);
	sm_info_encode(mad + 64, &si);
}

/* A line a second, and as many bytes as that has. */
static void
one_port(void **arg)
{
	struct seen s;

	(void)arg;
	s = storm(1, make_trap);
	assert_in_range(s.lines, SECONDS - 1, SECONDS + 10);
	assert_in_range(s.bytes, 1, 100 * (SECONDS + 10));
	assert_in_range(s.more, SECONDS * A_SECOND - SECONDS - 10, SECONDS * A_SECOND);
	s = storm(1, make_sm_info);
	assert_in_range(s.lines, SECONDS - 1, SECONDS + 10);
}

static void
many_ports(void **arg)
{
	enum { MOST = (LOG_LIMIT_SOURCES + 1) * (SECONDS + 2) };
	struct seen s;

	(void)arg;
	s = storm(1000, make_trap);
	assert_in_range(s.lines, SECONDS, MOST);
	assert_in_range(s.bytes, 1, 120 * MOST);
	s = storm(49151, make_sm_info);
	assert_in_range(s.lines, SECONDS, MOST);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(one_port), cmocka_unit_test(many_ports) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
