/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * proto.h - the requests and replies between shim and server, besides the rings.
 * Room: sim/ring.  Pure.
 *
 * A SOCK_SEQPACKET connection carries one request and its reply at a time.  Both ends are from
 * one build on one machine, so packets are native structs; the magic number shows a mismatch.  A
 * connection on which SHIM_OPEN succeeded is an open umad device until it is closed, one on which
 * SHIM_ISSM succeeded an open issm device.  The reply to SHIM_OPEN carries two descriptors: the
 * shared memory (struct shim_memory, sealed), and the program's end of the doorbell, a stream
 * socket on which a byte means "check the rings".  sim/shim/conn.c sends requests,
 * sim/serve/attach.c answers them.
 */
#ifndef HEDDLE_SIM_RING_PROTO_H
#define HEDDLE_SIM_RING_PROTO_H

#include <stdint.h>
#include "sim/ring/ring.h"

#define SHIM_MAGIC 0x68646c34u          /* changes with every change of the structs below */
#define SHIM_PORTS 10                   /* libibumad supports ports 0..9 of a CA */
#define SHIM_PKEYS 128

/* Environment variables that identify the program's node; set by `heddle-sim exec`. */
#define SHIM_ENV_SOCKET "HEDDLE_SIM_SOCKET"
#define SHIM_ENV_NODE "HEDDLE_SIM_NODE"         /* index in the fabric */
#define SHIM_ENV_PORT "HEDDLE_SIM_PORT"         /* default port if the program names none */

enum shim_op { SHIM_CA = 1, SHIM_PORT, SHIM_OPEN, SHIM_REGISTER, SHIM_UNREGISTER, SHIM_ISSM };

struct shim_request {
	uint32_t magic, op;
	uint32_t node;
	uint32_t id;                    /* SHIM_UNREGISTER */
	uint8_t port;
	uint8_t mgmt_class, class_version, rmpp_version;        /* from here: SHIM_REGISTER */
	uint8_t qpn, user_rmpp, pad[2];
	uint32_t oui, pad2;
	uint64_t methods[2];
};

struct shim_ca {
	uint32_t node_type;
	uint32_t nports;                /* physical ports; a switch shows only port 0 */
	uint64_t node_guid, sys_guid;
	uint32_t revision, device_id;
};

struct shim_port {
	uint8_t info[64];               /* the PortInfo image */
	uint64_t guid;
	uint32_t npkeys;
	uint16_t pkeys[SHIM_PKEYS];
};

struct shim_reply {
	uint32_t magic;
	int32_t error;                  /* 0 or a negative errno */
	uint32_t id;                    /* SHIM_REGISTER */
	uint32_t pad;
	union {
		struct shim_ca ca;
		struct shim_port port;
	};
};

struct shim_memory {
	struct ring_shared tx;          /* the program produces */
	struct ring_shared rx;          /* the server produces */
	/* for the program and its forks; the server never reads it */
	_Alignas(64) uint8_t program[4096];
};

#endif
