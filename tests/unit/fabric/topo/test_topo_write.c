/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_topo_write.c - topologies as text.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/fabric/topo/topo_text.h"

static const char sample[] = TOPO_SAMPLE;

static const char *
after_head(const char *text)
{
	const char *body = strstr(text, "\n\n");

	assert_non_null(body);
	return body + 1;
}

static void
test_ibnetdiscover_reproduces_itself(void **state)
{
	struct topo t;
	char *text;

	(void)state;
	topo_text_must_read(sample, &t);
	text = topo_text_written(&t);
	assert_string_equal(after_head(text), sample);
	free(text);
	topo_clear(&t);
}

/* Two switches with one cable. */
static void
make_pair(struct topo *t)
{
	struct topo_builder *b = topo_builder_new();
	uint32_t x = topo_builder_node(b, TOPO_SWITCH, 4, 0x10, "one");

	assert_int_equal(topo_builder_cable(b, x, 1, topo_builder_node(b, TOPO_SWITCH, 4, 0x20,
		"two"), 2), 0);
	assert_int_equal(topo_builder_take(b, t), 0);
}

static void
expect_text(const struct topo *t, const char *want)
{
	char *text = topo_text_written(t);

	if (!strstr(text, want))
		fail_msg("no \"%s\" in %s", want, text);
	free(text);
}

/* Each width and speed by its word; what has none is not passed over. */
static void
test_words(void **state)
{
	static const struct { uint8_t width, speed, ext,
		ext2; bool fdr10; const char *word; } rows[] = {
		{ 1, 1, 0, 0, false, " 1xSDR\n" }, { 2, 2, 0, 0, false, " 4xDDR\n" },
		{ 4, 4, 0, 0, false, " 8xQDR\n" }, { 8, 4, 0, 0, true, " 12xFDR10\n" },
		{ 16, 4, 1, 0, false, " 2xFDR\n" }, { 2, 4, 2, 0, true, " 4xEDR\n" },
		{ 2, 4, 4, 0, false, " 4xHDR\n" }, { 2, 4, 8, 0, false, " 4xNDR\n" },
		{ 2, 4, 8, 1, false, " 4xXDR\n" }, { 2, 4, 0, 2, false, " 4x???\n" },
		{ 3, 4, 16, 0, false, " ?????\n" }, { 0, 0, 0, 0, false, " ?????\n" },
		{ 2, 3, 0, 0, false, " 4x???\n" },
	};
	struct topo t;

	(void)state;
	make_pair(&t);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct topo_port *p = topo_port(&t, 0, 1);

		p->width = rows[i].width;
		p->speed = rows[i].speed;
		p->speed_ext = rows[i].ext;
		p->speed_ext2 = rows[i].ext2;
		p->fdr10 = rows[i].fdr10;
		expect_text(&t, rows[i].word);
	}
	topo_clear(&t);
}

/* A name cannot break the line that it is in; a system image GUID of 0 is not written. */
static void
test_names(void **state)
{
	struct topo t;
	char *text;

	(void)state;
	make_pair(&t);
	t.nodes[1].desc = "a\nb\tc\x7f\"d\xc3\xbc";
	expect_text(&t, "# \"a b c \"d\xc3\xbc\" base port 0 lid 0 lmc 0\n");
	expect_text(&t, "\t\"S-0000000000000020\"[2]\t\t# \"a b c \"d\xc3\xbc\" lid 0 ");
	t.nodes[0].sys_guid = 0;
	text = topo_text_written(&t);
	assert_null(strstr(text, "sysimgguid=0x0"));
	free(text);
	topo_clear(&t);
}

static void
test_full_device(void **state)
{
	FILE *out = fopen("/dev/full", "w");
	struct topo t;

	(void)state;
	if (!out)
		skip();
	make_pair(&t);
	assert_int_equal(topo_write(out, &t), -ENOSPC);
	fclose(out);
	topo_clear(&t);
}

/* No node at all: the head alone, which is not a topology. */
static void
test_empty(void **state)
{
	struct topo t = { 0 }, again;
	struct topo_error e;
	char *text = topo_text_written(&t);

	(void)state;
	assert_int_equal(text[0], '#');
	assert_true(topo_text_read(text, strlen(text), &again, &e) < 0);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ibnetdiscover_reproduces_itself),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_full_device),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
