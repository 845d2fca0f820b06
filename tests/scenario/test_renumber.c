/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_renumber.c - LIDs in force: kept by a manager that takes over or comes back, whatever its store
 * says; and when a live port has to get another LID, the log and the status say which, and why.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/wire/wire.h"
#include "sim/phys/phys.h"
#include "tests/scenario/world.h"
#include "tests/scenario/registers.h"
#include "util/xalloc.h"

#define SECOND 1000000

static char lines[8192];        /* of the log: those about LIDs */

static void
keep_line(void *arg, enum log_level level, const char *room, const char *line)
{
	size_t n = strlen(lines);

	(void)arg;
	if (level <= LOG_NOTE && strcmp(room, "plan") == 0)
		snprintf(lines + n, sizeof(lines) - n, "%s\n", line);
}

static void
renumber_begin(struct world *w, const char *spec)
{
	world_init(w, spec, 1);
	w->log = (struct log){ LOG_NOTE, keep_line, NULL };
	lines[0] = '\0';
}

static unsigned
count_lines(const char *word)
{
	unsigned n = 0;

	for (const char *p = lines; (p = strstr(p, word)); p++)
		n++;
	return n;
}

static struct world_manager *
up(struct world *w, const char *host, const char *const *args, const struct world_store *store)
{
	struct world_manager *s = world_manager_start_with(w, host, args, store);

	assert_true(world_run_sweeps(w, s, 1, 10 * SECOND));
	return s;
}

static uint64_t
guid_of(const struct world *w, const char *host)
{
	return hw_port(w->hw, world_node(w, host), 1)->guid;
}

static void
show_lid(struct world *w, const char *host, uint16_t lid)
{
	wire_put16(hw_port(w->hw, world_node(w, host), 1)->info + PI_LID, lid);
}

static struct lid_id *
row_of(const struct world *w, struct world_store *store, const char *host)
{
	for (uint32_t i = 0; i < store->n; i++)
		if (store->rows[i].port_guid == guid_of(w, host))
			return &store->rows[i];
	fail_msg("no row of %s", host);
	return NULL;
}

static struct world_store
copy_store(const struct world_store *of)
{
	return (struct world_store){ .rows = xmemdup(of->rows, of->n * sizeof(*of->rows)), .n = of->n };
}

static void
swap_rows(const struct world *w, struct world_store *store, const char *a, const char *b)
{
	uint16_t lid = row_of(w, store, a)->base_lid;

	row_of(w, store, a)->base_lid = row_of(w, store, b)->base_lid;
	row_of(w, store, b)->base_lid = lid;
}

static json_int_t
changes_total(const struct world *w, const struct world_manager *s)
{
	json_t *o = manager_status(s->m, w->now);
	json_int_t n = json_integer_value(json_object_get(json_object_get(o, "lid_changes"), "total"));

	json_decref(o);
	return n;
}

/* Two managers, whose stores contradict each other and the subnet, take over from each other: no LID moves. */
static void
failback_moves_no_lid(void **arg)
{
	static const char *const high[] = { "-p", "9", NULL }, *const low[] = { "-p", "1", NULL };
	struct world_store of_a, of_b;
	struct world_manager *a, *b;
	struct world w;
	uint64_t tables;

	(void)arg;
	renumber_begin(&w, "fattree:k=4,levels=3");
	a = up(&w, "host-0", high, NULL);
	world_run(&w, 3 * SECOND);
	of_a = copy_store(&a->store);
	of_b = copy_store(&a->store);
	swap_rows(&w, &of_b, "host-3", "host-9");
	swap_rows(&w, &of_b, "host-0", "host-12");      /* of both managers' own ports */
	swap_rows(&w, &of_a, "host-4", "host-5");
	row_of(&w, &of_a, "host-6")->base_lid = 500;
	b = world_manager_start_with(&w, "host-12", low, &of_b);
	world_run(&w, 5 * SECOND);
	tables = world_tables(&w);

	world_manager_kill(&w, a);
	world_run(&w, 20 * SECOND);
	assert_int_equal(manager_outcome(b->m), OUTCOME_UP);
	assert_true(tables == world_tables(&w));
	assert_int_equal(b->lft_sets, 0);
	assert_int_equal(count_lines("4 ports keep the LIDs in force"), 1);
	assert_int_equal(row_of(&w, &b->store, "host-3")->base_lid, world_lid(&w, "host-3", 1));

	a = world_manager_start_with(&w, "host-0", high, &of_a);
	world_run(&w, 20 * SECOND);
	assert_int_equal(manager_outcome(a->m), OUTCOME_UP);
	assert_int_equal(manager_outcome(b->m), OUTCOME_STANDBY);
	assert_true(tables == world_tables(&w));
	assert_int_equal(a->lft_sets, 0);
	assert_int_equal(count_lines("3 ports keep the LIDs in force"), 1);
	assert_int_equal(count_lines("lid change"), 0);
	assert_int_equal(changes_total(&w, a), 0);
	assert_true(world_is_right(&w));
	free(of_a.rows);
	free(of_b.rows);
	world_clear(&w);
}

/* A host that was off when the store was written, its LID another's by now: it is told, with the reason. */
static void
absent_port_loses_its_lid(void **arg)
{
	struct world_store store;
	struct world_manager *s;
	struct world w;
	char want[160];
	uint16_t lid;

	(void)arg;
	renumber_begin(&w, "fattree:k=4,levels=3");
	s = up(&w, "host-0", NULL, NULL);
	world_run(&w, 3 * SECOND);
	store = copy_store(&s->store);
	lid = world_lid(&w, "host-7", 1);
	row_of(&w, &store, "host-9")->base_lid = lid;   /* as another manager had numbered it */
	row_of(&w, &store, "host-7")->base_lid = 300;
	world_manager_kill(&w, s);
	assert_int_equal(hw_node_power(w.hw, world_node(&w, "host-9"), false, w.now), 0);
	s = up(&w, "host-0", NULL, &store);
	world_run(&w, 10 * SECOND);
	assert_int_equal(world_lid(&w, "host-7", 1), lid);
	assert_int_equal(count_lines("lid change"), 0);
	for (uint32_t i = 0; i < s->store.n; i++)       /* the row of host-9 is not stored any more */
		assert_true(s->store.rows[i].port_guid != guid_of(&w, "host-9"));
	assert_int_equal(hw_node_power(w.hw, world_node(&w, "host-9"), true, w.now), 0);
	world_run(&w, 20 * SECOND);
	assert_true(world_is_right(&w));
	assert_int_equal(world_lid(&w, "host-7", 1), lid);
	snprintf(want, sizeof(want), "lid change: host-9 port 1 (0x%016llx): %u -> %u: LID %u is held by host-7 port 1 (0x%016llx)\n",
		(unsigned long long)guid_of(&w, "host-9"), lid, world_lid(&w, "host-9", 1), lid,
		(unsigned long long)guid_of(&w, "host-7"));
	printf("# %s", lines);
	assert_non_null(strstr(lines, want));
	assert_int_equal(count_lines("lid change"), 1);
	assert_int_equal(changes_total(&w, s), 1);
	free(store.rows);
	world_clear(&w);
}

/* Two subnets have become one: of two live ports with the same LID, the one that is not in the store moves. */
static void
merged_subnets(void **arg)
{
	struct world_manager *s;
	struct world w;
	uint16_t lid[16];
	char name[16], want[64];

	(void)arg;
	renumber_begin(&w, "fattree:k=4,levels=3");
	s = up(&w, "host-0", NULL, NULL);
	world_run(&w, 3 * SECOND);
	world_manager_kill(&w, s);
	for (unsigned i = 0; i < 16; i++) {
		snprintf(name, sizeof(name), "host-%u", i);
		lid[i] = world_lid(&w, name, 1);
	}
	show_lid(&w, "host-2", lid[13]);        /* the lower GUID, but LID 13's row is host-13's */
	s = up(&w, "host-0", NULL, &s->store);
	for (unsigned i = 0; i < 16; i++) {
		snprintf(name, sizeof(name), "host-%u", i);
		assert_int_equal(world_lid(&w, name, 1), lid[i]);       /* host-2 has its stored one again */
	}
	snprintf(want, sizeof(want), "%u -> %u: LID %u is held by host-13", lid[13], lid[2], lid[13]);
	assert_int_equal(count_lines(want), 1);
	assert_int_equal(count_lines("lid change"), 1);
	world_run(&w, 30 * SECOND);
	assert_int_equal(count_lines("lid change"), 1);
	assert_true(world_is_right(&w));
	world_clear(&w);
}

/* Under a manager that goes on, something else writes a LID: it is put back, at once and with one line. */
static void
altered_lid_is_put_back(void **arg)
{
	struct world_manager *s;
	struct world w;
	uint16_t lid;

	(void)arg;
	renumber_begin(&w, "fattree:k=4,levels=3");
	s = up(&w, "host-0", NULL, NULL);
	world_run(&w, 5 * SECOND);
	lid = world_lid(&w, "host-11", 1);
	show_lid(&w, "host-11", 900);
	manager_sweep(s->m, "test", w.now);
	world_run(&w, 5 * SECOND);
	assert_int_equal(world_lid(&w, "host-11", 1), lid);
	assert_int_equal(count_lines("was assigned by this manager, and something else changed it"), 1);
	assert_int_equal(count_lines("lid change"), 1);
	assert_true(world_is_right(&w));
	world_clear(&w);
}

/* The subnet is numbered anew because the operator asks for it: ten lines and a count, not one for every port. */
static void
reassigned(void **arg)
{
	static const char *const anew[] = { "-r", NULL };
	struct world_manager *s;
	struct world w;
	char name[16];

	(void)arg;
	renumber_begin(&w, "fattree:k=4,levels=3");
	s = up(&w, "host-0", NULL, NULL);
	world_run(&w, 3 * SECOND);
	world_manager_kill(&w, s);
	for (unsigned i = 0; i < 16; i++) {
		snprintf(name, sizeof(name), "host-%u", i);
		show_lid(&w, name, (uint16_t)(100 + i));
	}
	s = up(&w, "host-0", anew, &s->store);
	world_run(&w, 20 * SECOND);
	assert_int_equal(world_lid(&w, "host-0", 1), 1);
	assert_int_equal(count_lines(": reassign_lids\n"), 10);
	assert_int_equal(count_lines("lid change: 6 more ports (16 ports in all, of them 16 with a LID in force)"), 1);
	assert_int_equal(changes_total(&w, s), 16);
	assert_true(world_is_right(&w));
	world_clear(&w);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(failback_moves_no_lid),
		cmocka_unit_test(absent_port_loses_its_lid),
		cmocka_unit_test(merged_subnets),
		cmocka_unit_test(altered_lid_is_put_back),
		cmocka_unit_test(reassigned),
	};

	return cmocka_run_group_tests_name("renumber", tests, NULL, NULL);
}
