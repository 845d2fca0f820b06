/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * join.c - see join.h.
 * Room: verbs/meas/join.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "verbs/meas/join/join.h"

static const uint8_t mark[4] = { 'H', 'V', 'C', '1' };

int
meas_join_new(struct meas_end *e, const json_t *where, const char *host, struct meas_join **j,
	char *why)
{
	switch (e->test.connect) {
	case MEAS_BY_RDMA_CM:
		return meas_join_rdma_new(e, where, host, j, why);
	case MEAS_BY_CM:
		return meas_join_cm_new(e, where, j, why);
	case MEAS_BY_SOCKET:
	case MEAS_CONNECTS:
		break;
	}
	snprintf(why, VERBS_WHY_BYTES, "the test is connected by no manager");
	return -EINVAL;
}

void
meas_join_data(const struct meas_join *j, uint32_t index, uint8_t data[static MEAS_JOIN_DATA_BYTES])
{
	memcpy(data, mark, sizeof(mark));
	for (int i = 0; i < 8; i++)
		data[4 + i] = (uint8_t)(j->token >> 8 * i);
	for (int i = 0; i < 4; i++)
		data[12 + i] = (uint8_t)(index >> 8 * i);
}

bool
meas_join_data_read(const struct meas_join *j, const uint8_t *data, size_t bytes, uint32_t *index)
{
	uint64_t token = 0;

	if (!data || bytes < MEAS_JOIN_DATA_BYTES || memcmp(data, mark, sizeof(mark)))
		return false;
	*index = 0;
	for (int i = 0; i < 8; i++)
		token |= (uint64_t)data[4 + i] << 8 * i;
	for (int i = 0; i < 4; i++)
		*index |= (uint32_t)data[12 + i] << 8 * i;
	return token == j->token && *index < j->e->test.qps;
}
