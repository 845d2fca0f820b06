/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * transfer.c - areas send-recv, write, read, atomic: transfers that must succeed.
 * Room: verbs/conform/cases.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "util/xalloc.h"
#include "verbs/conform/cases/cases.h"
#include "verbs/conform/kit/transfer.h"

#define BOTH "sender SUCCESS; receiver SUCCESS"
#define ONE "sender SUCCESS"

struct kind {
	const char *area, *name;
	enum ibv_qp_type type;
	enum ibv_wr_opcode opcode;
	uint64_t needs;
	const char *expected;
};

static const struct kind kinds[] = {
	{ "send-recv", "rc-send", IBV_QPT_RC, IBV_WR_SEND, VERBS_CAP(RC), BOTH },
	{ "send-recv", "rc-send-imm", IBV_QPT_RC, IBV_WR_SEND_WITH_IMM, VERBS_CAP(RC), BOTH },
	{ "send-recv", "uc-send", IBV_QPT_UC, IBV_WR_SEND, VERBS_CAP(UC), BOTH },
	{ "send-recv", "uc-send-imm", IBV_QPT_UC, IBV_WR_SEND_WITH_IMM, VERBS_CAP(UC), BOTH },
	{ "send-recv", "ud-send", IBV_QPT_UD, IBV_WR_SEND, VERBS_CAP(UD), BOTH },
	{ "send-recv", "ud-send-imm", IBV_QPT_UD, IBV_WR_SEND_WITH_IMM, VERBS_CAP(UD), BOTH },
	{ "write", "rc-write", IBV_QPT_RC, IBV_WR_RDMA_WRITE, VERBS_CAP(RC), ONE },
	{ "write", "rc-write-imm", IBV_QPT_RC, IBV_WR_RDMA_WRITE_WITH_IMM, VERBS_CAP(RC), BOTH },
	{ "write", "uc-write", IBV_QPT_UC, IBV_WR_RDMA_WRITE, VERBS_CAP(UC), ONE },
	{ "write", "uc-write-imm", IBV_QPT_UC, IBV_WR_RDMA_WRITE_WITH_IMM, VERBS_CAP(UC), BOTH },
	{ "read", "rc-read", IBV_QPT_RC, IBV_WR_RDMA_READ, VERBS_CAP(RC), ONE },
	{ "atomic", "rc-compare-swap", IBV_QPT_RC, IBV_WR_ATOMIC_CMP_AND_SWP,
		VERBS_CAP(RC) | VERBS_CAP(ATOMIC), ONE },
	{ "atomic", "rc-fetch-add", IBV_QPT_RC, IBV_WR_ATOMIC_FETCH_AND_ADD,
		VERBS_CAP(RC) | VERBS_CAP(ATOMIC), ONE },
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

/* Empty, less than a word, around one packet of the path MTU of 1024, around several, long. */
static const uint32_t sizes[] = { 0, 1, 63, 1023, 1024, 1025, 4096, 60001 };

static void
transfer_add(struct case_list *l, const struct kind *k, char *suffix, const struct transfer *t,
	const char *expected)
{
	struct conform_case c = { .needs = k->needs, .expected = expected, .run = transfer_run,
		.transfer = *t };

	c.name = case_list_keep(l, xasprintf("%s/%s-%s", k->area, k->name, suffix));
	c.transfer.type = k->type;
	c.transfer.opcode = k->opcode;
	case_list_add(l, &c);
	free(suffix);
}

static void
add_sizes(struct case_list *l, const struct kind *k)
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		if (k->type == IBV_QPT_UD && sizes[i] > 1024)
			continue;
		transfer_add(l, k, xasprintf("%u-bytes", sizes[i]),
			&(struct transfer){ .bytes = sizes[i] }, k->expected);
	}
}

static void
add_mtus(struct case_list *l, const struct kind *k)
{
	for (enum ibv_mtu m = IBV_MTU_256; m <= IBV_MTU_4096; m++)
		transfer_add(l, k, xasprintf("mtu-%u", 128U << m),
			&(struct transfer){ .bytes = 9001, .mtu = m }, k->expected);
}

/* The same message in a different number of pieces of memory at either end. */
static void
add_pieces(struct case_list *l, const struct kind *k, bool receives)
{
	static const unsigned pieces[] = { 2, 3, ALL_PIECES };
	uint32_t bytes = k->type == IBV_QPT_UD ? 900 : 3001;

	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		unsigned n = pieces[i];
		const char *name = n == 2 ? "2" : n == 3 ? "3" : "most";

		transfer_add(l, k, xasprintf("from-%s-pieces", name),
			&(struct transfer){ .bytes = bytes, .pieces = n }, k->expected);
		if (receives)
			transfer_add(l, k, xasprintf("into-%s-pieces", name),
				&(struct transfer){ .bytes = bytes, .receive_pieces = n },
				k->expected);
	}
	if (receives)
		transfer_add(l, k, xstrdup("from-3-into-2-pieces"),
			&(struct transfer){ .bytes = bytes, .pieces = 3, .receive_pieces = 2 },
			k->expected);
}

static void
add_inline(struct case_list *l, const struct kind *k)
{
	static const uint32_t inlined[] = { 1, 28, 64 };
	struct kind needy = *k;

	needy.needs |= VERBS_CAP(INLINE);
	for (size_t i = 0; i < sizeof(inlined) / sizeof(*inlined); i++)
		transfer_add(l, &needy, xasprintf("inline-%u", inlined[i]),
			&(struct transfer){ .bytes = inlined[i], .flags = IBV_SEND_INLINE },
			k->expected);
	transfer_add(l, &needy, xstrdup("inline-without-key"),
		&(struct transfer){ .bytes = 32, .flags = IBV_SEND_INLINE, .broken = BAD_LKEY },
		k->expected);
}

static void
add_many(struct case_list *l, const struct kind *k, bool receives)
{
	uint32_t bytes = k->type == IBV_QPT_UD ? 700 : 2500;

	transfer_add(l, k, xstrdup("16-in-a-row"),
		&(struct transfer){ .bytes = bytes, .messages = 16 },
		receives ? "sender SUCCESS x16; receiver SUCCESS x16" : "sender SUCCESS x16");
	transfer_add(l, k, xstrdup("every-4th-signalled"),
		&(struct transfer){ .bytes = bytes, .messages = 16, .signal_every = 4 },
		receives ? "sender SUCCESS x4; receiver SUCCESS x16" : "sender SUCCESS x4");
	transfer_add(l, k, xstrdup("from-B-to-A"),
		&(struct transfer){ .bytes = bytes, .reversed = true }, k->expected);
}

void
cases_transfer(struct case_list *l)
{
	for (const struct kind *k = kinds; k < kinds + KINDS; k++) {
		bool sends = k->opcode == IBV_WR_SEND || k->opcode == IBV_WR_SEND_WITH_IMM;
		bool atomic = k->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
			k->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
		bool plain = k->opcode == IBV_WR_SEND || k->opcode == IBV_WR_RDMA_WRITE ||
			k->opcode == IBV_WR_RDMA_READ;

		if (atomic)
			transfer_add(l, k, xstrdup("8-bytes"), &(struct transfer){ .bytes = 8 },
				k->expected);
		else
			add_sizes(l, k);
		if (plain && k->type == IBV_QPT_RC)
			add_mtus(l, k);
		if (plain)
			add_pieces(l, k, sends);
		if (plain && k->opcode != IBV_WR_RDMA_READ)
			add_inline(l, k);
		add_many(l, k, !strcmp(k->expected, BOTH));
	}
}
