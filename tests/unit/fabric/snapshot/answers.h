/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * answers.h - a capture with answers of many kinds, for tests.
 */
#ifndef HEDDLE_TESTS_UNIT_FABRIC_SNAPSHOT_ANSWERS_H
#define HEDDLE_TESTS_UNIT_FABRIC_SNAPSHOT_ANSWERS_H

#include "tests/unit/test.h"
#include "fabric/snapshot/capture.h"

static inline struct capture_key
answers_key(uint32_t node, uint8_t mgmt_class, uint16_t attr, uint32_t modifier, uint8_t select)
{
	return (struct capture_key){ .node = node, .mgmt_class = mgmt_class, .attr_id = attr,
		.modifier = modifier, .select = select };
}

static inline void
answers_add(struct capture *c, struct capture_key k, uint8_t first, size_t bytes)
{
	uint8_t data[CAPTURE_DATA_BYTES] = { 0 };

	for (size_t i = 0; i < bytes; i++)
		data[i] = (uint8_t)(first + i);
	capture_add(c, &k, 0, data, sizeof(data));
}

static inline void
answers_has(struct capture *c, struct capture_key k, uint8_t first, size_t bytes)
{
	const struct capture_answer *a = capture_find(c, &k);

	assert_non_null(a);
	assert_int_equal(a->status, 0);
	assert_int_equal(a->bytes, bytes);
	for (size_t i = 0; i < bytes; i++)
		assert_int_equal(a->data[i], (uint8_t)(first + i));
}

static inline void
answers_fill(struct capture *c)
{
	struct capture_key refused = answers_key(2, 4, 0x1d, 0, 3);

	for (uint32_t block = 40; block-- > 0;)
		answers_add(c, answers_key(1, 1, 0x19, block, 0), (uint8_t)(block + 1), 64);
	for (uint32_t port = 1; port <= 4; port++)
		for (uint32_t block = 0; block < 3; block++)
			answers_add(c, answers_key(1, 1, 0x16, port << 16 | block, 0),
				(uint8_t)(port * 16 + block), 30);
	for (uint8_t port = 1; port <= 4; port++)
		answers_add(c, answers_key(1, 4, 0x12, 0, port), port, 40 + port);
	answers_add(c, answers_key(1, 4, 0x12, 0, 255), 9, 44);
	answers_add(c, answers_key(0, 1, 0x1b, 0xf0000002, 0), 7, 64);
	answers_add(c, answers_key(3, 1, 0x20, 0, 0), 0, 0);
	capture_add(c, &refused, 0x0c, NULL, 0);
}

static inline void
answers_check(struct capture *c)
{
	struct capture_key none = answers_key(1, 1, 0x19, 40, 0), refused = answers_key(2, 4, 0x1d,
		0, 3);

	assert_int_equal(capture_count(c), 40 + 12 + 5 + 3);
	for (uint32_t block = 0; block < 40; block++)
		answers_has(c, answers_key(1, 1, 0x19, block, 0), (uint8_t)(block + 1), 64);
	for (uint32_t port = 1; port <= 4; port++)
		for (uint32_t block = 0; block < 3; block++)
			answers_has(c, answers_key(1, 1, 0x16, port << 16 | block, 0),
				(uint8_t)(port * 16 + block), 30);
	for (uint8_t port = 1; port <= 4; port++)
		answers_has(c, answers_key(1, 4, 0x12, 0, port), port, 40 + port);
	answers_has(c, answers_key(1, 4, 0x12, 0, 255), 9, 44);
	answers_has(c, answers_key(0, 1, 0x1b, 0xf0000002, 0), 7, 64);
	answers_has(c, answers_key(3, 1, 0x20, 0, 0), 0, 0);
	assert_null(capture_find(c, &none));
	assert_int_equal(capture_find(c, &refused)->status, 0x0c);
}

#endif
