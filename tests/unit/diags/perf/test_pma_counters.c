/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * The table of counters: which reading is taken, what a device does not have, what is above a threshold.
 */
#include <config.h>
#include <string.h>
#include "diags/fabric/gmp.h"
#include "diags/perf/pma.h"
#include "libmad/attr/pm_attr.h"
#include "tests/unit/test.h"
#include "libmad/attr/codes.h"

/* PortCounters of port 3: 7 symbol errors, link downed full, local integrity 2 and overrun 15, QP1 1, VL15 258, 16 words sent, 9 waits. */
static const uint8_t counters[PM_PORT_COUNTERS_BYTES] = {
	0, 3, 0, 0, 0, 7, 1, 0xff, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0x2f, 0, 1, 1, 2, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0,
	0, 0, 0, 9,
};

static struct pma_port
port_of(uint16_t mask, uint32_t mask2)
{
	struct pma_port p = { .select = 3, .got = PMA_WANT_COUNTERS, .caps = { true, mask, mask2 } };

	memcpy(p.counters, counters, sizeof(counters));
	return p;
}

static void
test_legacy(void **state)
{
	struct pma_port p = port_of(PM_CLASS_CAP_XMIT_WAIT, 0);
	struct pma_value v;

	(void)state;
	v = pma_value(&p, PMA_SYMBOL_ERROR);
	assert_true(v.supported && v.value == 7 && v.width == 16 && v.attr_id == 0x12 && !v.saturated);
	v = pma_value(&p, PMA_LINK_DOWNED);
	assert_true(v.value == 255 && v.width == 8 && v.saturated);
	v = pma_value(&p, PMA_LOCAL_LINK_INTEGRITY);
	assert_true(v.value == 2 && v.width == 4 && !v.saturated);
	v = pma_value(&p, PMA_BUFFER_OVERRUN);
	assert_true(v.value == 15 && v.saturated);
	v = pma_value(&p, PMA_VL15_DROPPED);
	assert_int_equal(v.value, 258);
	v = pma_value(&p, PMA_XMIT_WAIT);
	assert_true(v.supported && v.value == 9);
	v = pma_value(&p, PMA_QP1_DROPPED);
	assert_true(!v.supported && v.value == 0);
	v = pma_value(&p, PMA_UNICAST_XMIT_PKTS);
	assert_false(v.supported);
	v = pma_value(&p, PMA_INACTIVE_DISCARDS);
	assert_false(v.supported);
}

static void
test_widest(void **state)
{
	struct pma_port p = port_of(PM_CLASS_CAP_EXT_NO_CAST | PM_CLASS_CAP_QP1_DROPPED, 0);
	struct pma_value v;

	(void)state;
	p.got |= PMA_WANT_EXT;
	memset(p.ext + 8, 0xff, 8);             /* PortXmitData */
	p.ext[79] = 200;                        /* SymbolErrorCounter */
	p.ext[47 + 8] = 5;                      /* PortUnicastRcvPkts */
	v = pma_value(&p, PMA_XMIT_DATA);
	assert_true(v.value == UINT64_MAX && v.width == 64 && v.saturated && v.attr_id == 0x1d);
	v = pma_value(&p, PMA_SYMBOL_ERROR);
	assert_true(v.value == 7 && v.attr_id == 0x12);
	v = pma_value(&p, PMA_UNICAST_RCV_PKTS);
	assert_false(v.supported);
	v = pma_value(&p, PMA_QP1_DROPPED);
	assert_true(v.value == 1 && v.attr_id == 0x12);
	p.caps.mask2 = PMA_CAP2_EXT_ERRORS;
	p.caps.mask |= PM_CLASS_CAP_EXT;
	v = pma_value(&p, PMA_SYMBOL_ERROR);
	assert_true(v.value == 200 && v.width == 64);
	v = pma_value(&p, PMA_UNICAST_RCV_PKTS);
	assert_true(v.supported && v.value == 5);
}

static void
test_thresholds(void **state)
{
	struct pma_port p = port_of(PM_CLASS_CAP_XMIT_WAIT, 0);
	struct pma_thresholds t = { 0 };
	struct pma_value v = pma_value(&p, PMA_SYMBOL_ERROR);

	(void)state;
	assert_true(pma_over(&t, PMA_SYMBOL_ERROR, &v));
	t.max[PMA_SYMBOL_ERROR] = 7;
	assert_false(pma_over(&t, PMA_SYMBOL_ERROR, &v));
	t.max[PMA_SYMBOL_ERROR] = 6;
	assert_true(pma_over(&t, PMA_SYMBOL_ERROR, &v));
	t.suppressed[PMA_SYMBOL_ERROR] = true;
	assert_false(pma_over(&t, PMA_SYMBOL_ERROR, &v));
	v = pma_value(&p, PMA_XMIT_DATA);
	assert_int_equal(v.value, 16);
	assert_false(pma_over(&t, PMA_XMIT_DATA, &v));
}

static void
test_names(void **state)
{
	(void)state;
	for (enum pma_counter c = 0; c < PMA_NCOUNTERS; c++)
		assert_int_equal(pma_counter_find(pma_counter_name(c)), c);
	assert_int_equal(pma_counter_find("PortFoo"), PMA_NCOUNTERS);
	assert_int_equal(pma_counter_find("vl15dropped"), PMA_VL15_DROPPED);
}

static void
test_json(void **state)
{
	struct pma_port p = port_of(PM_CLASS_CAP_EXT, 0);
	struct pma_thresholds t = { 0 };
	json_t *o, *x;

	(void)state;
	p.got |= PMA_WANT_EXT;
	memset(p.ext + 8, 0xff, 8);
	p.ext[23] = 16;
	o = pma_json_counters(&p, &t);
	assert_int_equal(json_object_size(o), PMA_LOCAL_PHYSICAL);
	x = json_object_get(o, "PortXmitData");
	assert_int_equal(json_integer_value(json_object_get(x, "words")), INT64_MAX);
	assert_true(json_is_true(json_object_get(x, "saturated")));
	assert_string_equal(json_string_value(json_object_get(x, "raw")), "0xffffffffffffffff");
	x = json_object_get(o, "PortRcvData");
	assert_int_equal(json_integer_value(json_object_get(x, "bytes")), 64);
	assert_null(json_object_get(x, "threshold"));
	x = json_object_get(o, "SymbolErrorCounter");
	assert_true(json_is_true(json_object_get(x, "over")));
	x = json_object_get(o, "PortXmitWait");
	assert_true(json_is_null(json_object_get(x, "value")) && json_is_false(json_object_get(x, "supported")));
	json_decref(o);
}

/* What a document says is what was read. */
static void
test_replay(void **state)
{
	struct pma_port p = port_of(PM_CLASS_CAP_EXT | PM_CLASS_CAP_XMIT_WAIT | PM_CLASS_CAP_QP1_DROPPED, 0), q = { .select = 3 };
	json_t *o, *details;

	(void)state;
	p.got |= PMA_WANT_EXT | PMA_WANT_XMIT_DETAILS;
	memset(p.ext + 8, 0xff, 8);
	p.ext[23] = 16;
	p.ext[71] = 3;
	p.xmit_details[5] = 9;
	o = pma_json_counters(&p, NULL);
	details = pma_json_details(&p);
	assert_true(pma_from_json(o, details, &q));
	for (enum pma_counter c = 0; c < PMA_NCOUNTERS; c++) {
		struct pma_value a = pma_value(&p, c), b = pma_value(&q, c);

		assert_true(a.value == b.value && a.width == b.width && a.supported == b.supported && a.attr_id == b.attr_id);
	}
	assert_int_equal(pma_value(&q, PMA_INACTIVE_DISCARDS).value, 9);
	json_decref(o);
	json_decref(details);
	q = (struct pma_port){ .select = 3 };
	assert_false(pma_from_json(NULL, NULL, &q));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_legacy), cmocka_unit_test(test_widest), cmocka_unit_test(test_thresholds),
		cmocka_unit_test(test_names), cmocka_unit_test(test_json), cmocka_unit_test(test_replay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
