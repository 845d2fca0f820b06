/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * request.h - a request and its reply, as data.
 * Room: diags/ask.  query.h sends one, engine.h many.
 *
 * The class of a request decides where its payload is placed in the MAD, and where the data of the
 * reply begin; tools handle only payload and data.
 */
#ifndef HEDDLE_DIAGS_ASK_REQUEST_H
#define HEDDLE_DIAGS_ASK_REQUEST_H

#include "diags/core/addr.h"

struct diag;

struct diag_request {
	const struct diag_addr *to;
	uint8_t mgmt_class; /* 0: SMP of the class that fits the address */
	uint8_t method;     /* 0: Get */
	uint16_t attr_id;
	uint32_t modifier;
	const uint8_t *payload; /* SMP 64 bytes; SA from its data on; CC and vendor range 1 from
	                         * byte 24 on, with their key; others from byte 64 on; NULL:
	                         * zeros */
	size_t payload_bytes;
	uint64_t comp_mask; /* SA */
	uint32_t oui;       /* vendor range 2; 0: OpenIB's */
	bool quiet;         /* a failure is not reported: the caller does */
};

enum diag_end {
	DIAG_OK,
	DIAG_TIMEOUT,
	DIAG_STATUS,
	DIAG_ABSENT, /* --load: the file does not have the answer */
	DIAG_FAILED,
};
/* A reply. If diag_query() or diag_sa() filled it, it owns its bytes, and diag_reply_clear() frees
 * them. If a callback receives it (engine.h), it is valid only during the call. */
struct diag_reply {
	enum diag_end end;
	uint16_t status;     /* DIAG_STATUS */
	const uint8_t *mad;  /* OK, STATUS: the whole answer; otherwise NULL */
	const uint8_t
		*data; /* behind the class header: SMP, GMP byte 64, SA byte 56, vendor range 2
	                      * byte 40, CC and vendor range 1 byte 24 */
	size_t bytes;        /* length of 'data' */
	size_t stride;       /* SA tables: distance of two records in bytes; 0: no table */
	int64_t rtt_us;      /* time from the first sending to the answer, including retries */
	uint8_t *owned; /* buffer of 'mad' and 'data'; NULL: borrowed, or there is none */
};

#endif
