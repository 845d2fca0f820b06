/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * names.c - names of the values of <infiniband/verbs.h>, so that printing them does not need
 * libibverbs.
 * Room: verbs.  Pure.
 */
#include <config.h>
#include "verbs/ops.h"

#define NAME(prefix, name) [prefix##name] = #name

static const char *
name_of(const char *const *names, unsigned n, unsigned value)
{
	return value < n && names[value] ? names[value] : "?";
}

#define NAME_OF(names, value) name_of(names, sizeof(names) / sizeof((names)[0]), (unsigned)(value))

const char *
verbs_status_name(enum ibv_wc_status s)
{
#define S(name) NAME(IBV_WC_, name)
	static const char *const names[] = {
		S(SUCCESS), S(LOC_LEN_ERR), S(LOC_QP_OP_ERR), S(LOC_EEC_OP_ERR), S(LOC_PROT_ERR),
		S(WR_FLUSH_ERR), S(MW_BIND_ERR), S(BAD_RESP_ERR), S(LOC_ACCESS_ERR),
		S(REM_INV_REQ_ERR), S(REM_ACCESS_ERR), S(REM_OP_ERR), S(RETRY_EXC_ERR),
		S(RNR_RETRY_EXC_ERR), S(LOC_RDD_VIOL_ERR), S(REM_INV_RD_REQ_ERR), S(REM_ABORT_ERR),
		S(INV_EECN_ERR), S(INV_EEC_STATE_ERR), S(FATAL_ERR), S(RESP_TIMEOUT_ERR),
		S(GENERAL_ERR),
	};
#undef S
	return NAME_OF(names, s);
}

const char *
verbs_wc_opcode_name(enum ibv_wc_opcode o)
{
#define O(name) NAME(IBV_WC_, name)
	static const char *const names[] = {
		O(SEND), O(RDMA_WRITE), O(RDMA_READ), O(COMP_SWAP), O(FETCH_ADD), O(BIND_MW),
		O(LOCAL_INV), O(RECV), O(RECV_RDMA_WITH_IMM),
	};
#undef O
	return NAME_OF(names, o);
}

const char *
verbs_wr_opcode_name(enum ibv_wr_opcode o)
{
#define O(name) NAME(IBV_WR_, name)
	static const char *const names[] = {
		O(RDMA_WRITE), O(RDMA_WRITE_WITH_IMM), O(SEND), O(SEND_WITH_IMM), O(RDMA_READ),
		O(ATOMIC_CMP_AND_SWP), O(ATOMIC_FETCH_AND_ADD), O(LOCAL_INV), O(BIND_MW),
		O(SEND_WITH_INV),
	};
#undef O
	return NAME_OF(names, o);
}

const char *
verbs_event_name(enum ibv_event_type t)
{
#define E(name) NAME(IBV_EVENT_, name)
	static const char *const names[] = {
		E(CQ_ERR), E(QP_FATAL), E(QP_REQ_ERR), E(QP_ACCESS_ERR), E(COMM_EST), E(SQ_DRAINED),
		E(PATH_MIG), E(PATH_MIG_ERR), E(DEVICE_FATAL), E(PORT_ACTIVE), E(PORT_ERR),
		E(LID_CHANGE), E(PKEY_CHANGE), E(SM_CHANGE), E(SRQ_ERR), E(SRQ_LIMIT_REACHED),
		E(QP_LAST_WQE_REACHED), E(CLIENT_REREGISTER), E(GID_CHANGE), E(WQ_FATAL),
	};
#undef E
	return NAME_OF(names, t);
}

const char *
verbs_qp_state_name(enum ibv_qp_state s)
{
#define S(name) NAME(IBV_QPS_, name)
	static const char *const names[] = { S(RESET), S(INIT), S(RTR), S(RTS), S(SQD), S(SQE),
		S(ERR) };
#undef S
	return NAME_OF(names, s);
}

const char *
verbs_qp_type_name(enum ibv_qp_type t)
{
#define T(name) NAME(IBV_QPT_, name)
	static const char *const names[] = { T(RC), T(UC), T(UD), T(RAW_PACKET), T(XRC_SEND),
		T(XRC_RECV) };
#undef T
	return NAME_OF(names, t);
}

const char *
verbs_cap_name(enum verbs_cap_bit bit)
{
#define C(name, text) #name,
	static const char *const names[] = { VERBS_CAPS(C) };
#undef C
	return NAME_OF(names, bit);
}

const char *
verbs_cap_text(enum verbs_cap_bit bit)
{
#define C(name, text) text,
	static const char *const texts[] = { VERBS_CAPS(C) };
#undef C
	return NAME_OF(texts, bit);
}
