/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_report.c - addresses as all tools print them, and failed requests: text, code, exit status.
 */
#include <config.h>
#include "diags/ask/report.h"
#include "libmad/attr/sm_attr.h"
#include "tests/unit/diags/ask/wire.h"

static void
labels(void **state)
{
	char text[DIAG_LABEL_BYTES];
	struct diag_addr a = diag_addr_lid(5);

	(void)state;
	assert_ptr_equal(diag_label(&a, text), text);
	assert_string_equal(text, "Lid 5");
	a.grh = true;
	a.gid[0] = 0xfe;
	a.gid[1] = 0x80;
	a.gid[15] = 9;
	assert_string_equal(diag_label(&a, text), "Lid 5 Gid fe80::9");
	a = diag_addr_path((const uint8_t[DGRAM_PATH_BYTES]){ 0, 1, 4 }, 2);
	assert_string_equal(diag_label(&a, text), "DR path slid 65535; dlid 65535; 0,1,4");
	a.kind = DIAG_ADDR_COMBINED;
	a.lid = 3;
	assert_string_equal(diag_label(&a, text), "Lid 3 DR path slid 65535; dlid 65535; 0,1,4");
	a.grh = true;
	a.gid[0] = 0xfe;
	a.gid[15] = 9;
	assert_string_equal(
		diag_label(&a, text), "Lid 3 Gid fe00::9 DR path slid 65535; dlid 65535; 0,1,4");
}

/* The longest address fits. */
static void
long_labels(void **state)
{
	char text[DIAG_LABEL_BYTES + 1];
	struct diag_addr a = diag_addr_lid(65535);

	(void)state;
	memset(text, '!', sizeof(text));
	a.kind = DIAG_ADDR_COMBINED;
	a.grh = true;
	memset(a.gid, 0xff, sizeof(a.gid));
	a.dr_slid = a.dr_dlid = 65535;
	memset(a.path, 255, sizeof(a.path));
	a.hop_count = DGRAM_HOPS_MAX;
	diag_label(&a, text);
	assert_int_equal(text[DIAG_LABEL_BYTES], '!');
	assert_string_equal(text + strlen(text) - 12, ",255,255,255");
}

static void
words(void **state)
{
	struct wire *w = *state;

	assert_string_equal(diag_end_text(&w->d, DIAG_TIMEOUT), "timeout");
	assert_string_equal(diag_end_text(&w->d, DIAG_FAILED), "cannot send");
	assert_string_equal(diag_end_text(&w->d, DIAG_ABSENT), "not in the file");
	engine_answers_set(&w->d, true);
	assert_string_equal(diag_end_text(&w->d, DIAG_ABSENT), "not in the capture");
	assert_string_equal(diag_end_text(&w->d, DIAG_OK), "answered");
	assert_string_equal(diag_end_code(DIAG_TIMEOUT), "timeout");
	assert_string_equal(diag_end_code(DIAG_STATUS), "mad_status");
	assert_string_equal(diag_end_code(DIAG_ABSENT), "not_found");
	assert_string_equal(diag_end_code(DIAG_FAILED), "io");
}

static const char *
member(const struct wire *w, const char *name)
{
	json_t *last = json_array_get(w->d.errors, json_array_size(w->d.errors) - 1);

	return json_string_value(json_object_get(last, name));
}

static void
reports(void **state)
{
	struct wire *w = *state;
	struct diag_addr to = diag_addr_lid(5);
	struct diag_request q = {
		.to = &to, .mgmt_class = CLASS_SM_LID, .attr_id = PORT_INFO_ID, .modifier = 3
	};
	struct diag_reply r = { .end = DIAG_OK, .status = 7 };

	diag_query_report(&w->d, &q, &r); /* no failure */
	assert_int_equal(json_array_size(w->d.errors), 0);
	assert_int_equal(diag_status(&w->d), EXIT_OK);

	r.end = DIAG_TIMEOUT;
	diag_query_report(&w->d, &q, &r);
	assert_int_equal(json_array_size(w->d.errors), 1);
	assert_string_equal(member(w, "code"), "timeout");
	assert_string_equal(member(w, "message"), "timeout: Lid 5 PortInfo 3");
	assert_int_equal(diag_status(&w->d), EXIT_PARTIAL);

	r.end = DIAG_STATUS;
	r.status = STATUS_BAD_VALUE;
	q.attr_id = 0xff99; /* an attribute without a name */
	diag_query_report(&w->d, &q, &r);
	assert_string_equal(member(w, "code"), "mad_status");
	assert_ptr_equal(strstr(member(w, "message"), "status 0x001c ("), member(w, "message"));
	assert_non_null(strstr(member(w, "message"), "): Lid 5 attribute 0xff99 3"));

	/* The same number is another status of the SA. */
	q.mgmt_class = CLASS_SA;
	r.status = STATUS_SA_NO_RECORDS;
	diag_query_report(&w->d, &q, &r);
	assert_non_null(
		strstr(member(w, "message"), dgram_status_text(STATUS_SA_NO_RECORDS, true)));
	assert_null(strstr(member(w, "message"), dgram_status_text(STATUS_SA_NO_RECORDS, false)));

	r.end = DIAG_FAILED;
	diag_query_report(&w->d, &q, &r);
	assert_string_equal(member(w, "code"), "io");
	assert_int_equal(json_array_size(w->d.errors), 4);
}

#define T(f) cmocka_unit_test_setup_teardown(f, wire_begin, wire_end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels),
		cmocka_unit_test(long_labels),
		T(words),
		T(reports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
