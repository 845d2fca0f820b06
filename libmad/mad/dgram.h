/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dgram.h - whole management datagrams: header, directed route, SA header, who it came from.
 * Room: libmad/mad (prefix dgram_).  Pure.  Layouts: docs/wire.md.
 */
#ifndef HEDDLE_LIBMAD_MAD_DGRAM_H
#define HEDDLE_LIBMAD_MAD_DGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libmad/wire/wire.h"

#define DGRAM_BYTES 256
#define DGRAM_FRONT_BYTES 64
#define DGRAM_HOPS_MAX 63
#define DGRAM_PATH_BYTES 64
#define LID_PERMISSIVE 0xffff
#define LID_UCAST_MAX 0xbfff
#define QKEY_GSI 0x80010000u
#define GID_PREFIX_DEFAULT UINT64_C(0xfe80000000000000)

enum dgram_class {
	CLASS_SM_LID = 0x01, CLASS_SM_DR = 0x81, CLASS_SA = 0x03, CLASS_PM = 0x04, CLASS_BM = 0x05,
	CLASS_DEVMGT = 0x06, CLASS_CM = 0x07, CLASS_VENDOR1_FIRST = 0x09, CLASS_VENDOR_A = 0x0a, CLASS_VENDOR1_LAST = 0x0f, CLASS_CC = 0x21,
	CLASS_VENDOR2_FIRST = 0x30, CLASS_PING = 0x32, CLASS_SYSSTAT = 0x33, CLASS_VENDOR2_LAST = 0x4f,
};

enum dgram_method {
	METHOD_GET = 0x01, METHOD_SET = 0x02, METHOD_SEND = 0x03, METHOD_TRAP = 0x05, METHOD_REPORT = 0x06,
	METHOD_TRAP_REPRESS = 0x07, METHOD_GET_TABLE = 0x12, METHOD_GET_TRACE = 0x13, METHOD_GET_MULTI = 0x14,
	METHOD_DELETE = 0x15, METHOD_RESP = 0x80, METHOD_GET_RESP = 0x81, METHOD_REPORT_RESP = 0x86,
	METHOD_GET_TABLE_RESP = 0x92, METHOD_GET_MULTI_RESP = 0x94, METHOD_DELETE_RESP = 0x95,
};

enum dgram_status {
	STATUS_OK = 0, STATUS_BUSY = 0x01, STATUS_REDIRECT = 0x02, STATUS_BAD_VERSION = 0x04,
	STATUS_BAD_METHOD = 0x08, STATUS_BAD_METHOD_ATTR = 0x0c, STATUS_BAD_VALUE = 0x1c,
	STATUS_SA_NO_RESOURCES = 0x0100, STATUS_SA_INVALID = 0x0200, STATUS_SA_NO_RECORDS = 0x0300,
	STATUS_SA_TOO_MANY = 0x0400, STATUS_SA_INVALID_GID = 0x0500, STATUS_SA_COMPONENTS = 0x0600,
	STATUS_SA_DENIED = 0x0700,
};

/* Generic attributes of every class. */
#define ATTR_CLASS_PORT_INFO 0x0001
#define ATTR_NOTICE 0x0002
#define ATTR_INFORM_INFO 0x0003

/* The 24 bytes every MAD begins with, in host order. */
struct dgram_head {
	uint8_t base_version, mgmt_class, class_version, method;
	uint16_t status;                /* class 0x81: without the D bit */
	bool direction;                 /* class 0x81: the D bit (true: on its way back) */
	uint8_t hop_ptr, hop_count;     /* class 0x81; else the class specific bytes */
	uint64_t tid;
	uint16_t attr_id;
	uint32_t modifier;
};

/* Where a MAD came from, or goes to.  A GID and flow label only when 'grh'. */
struct dgram_addr {
	uint16_t lid;                   /* LID_PERMISSIVE for a directed route */
	uint16_t pkey_index;
	uint32_t qpn;                   /* 0: SMI, 1: GSI */
	uint8_t sl, path_bits;
	bool grh;
	uint8_t hop_limit, traffic_class, gid_index;
	uint32_t flow_label;
	uint8_t gid[16];
};

/* A datagram with its address.  RMPP messages longer than one MAD hang in 'more'. */
struct dgram {
	struct dgram_addr addr;
	int status;                     /* 0; ETIMEDOUT: a send that came back; EMSGSIZE: too long, see io_recv() */
	uint32_t bytes;                 /* of the whole message; 256 unless RMPP */
	uint8_t *more;                  /* malloc'd whole message when bytes > DGRAM_BYTES, else NULL; the holder frees */
	_Alignas(8) uint8_t front[DGRAM_FRONT_BYTES];   /* for what a device wants before a MAD, so that nothing is copied; says nothing to others */
	uint8_t mad[DGRAM_BYTES];       /* the message, or its first 256 bytes */
};
_Static_assert(offsetof(struct dgram, mad) == offsetof(struct dgram, front) + DGRAM_FRONT_BYTES, "nothing between them");

#define DGRAM_DIRECTION 0x8000u         /* top bit of the status word of class 0x81 */

/* Total: any 24 bytes decode. */
static inline struct dgram_head
dgram_head_decode(const uint8_t w[static 24])
{
	uint16_t status = wire_get16(w + 4);
	bool dr = w[1] == CLASS_SM_DR;

	return (struct dgram_head){
		.base_version = w[0], .mgmt_class = w[1], .class_version = w[2], .method = w[3],
		.status = dr ? status & (uint16_t)~DGRAM_DIRECTION : status,
		.direction = dr && status & DGRAM_DIRECTION,
		.hop_ptr = w[6], .hop_count = w[7],
		.tid = wire_get64(w + 8),
		.attr_id = wire_get16(w + 16),
		.modifier = wire_get32(w + 20),
	};
}

static inline void
dgram_head_encode(uint8_t w[static 24], const struct dgram_head *h)
{
	uint16_t status = h->status;

	if (h->mgmt_class == CLASS_SM_DR)
		status = (uint16_t)((status & ~DGRAM_DIRECTION) | (h->direction ? DGRAM_DIRECTION : 0));
	w[0] = h->base_version;
	w[1] = h->mgmt_class;
	w[2] = h->class_version;
	w[3] = h->method;
	wire_put16(w + 4, status);
	w[6] = h->hop_ptr;
	w[7] = h->hop_count;
	wire_put64(w + 8, h->tid);
	wire_put16(w + 16, h->attr_id);
	wire_put16(w + 18, 0);
	wire_put32(w + 20, h->modifier);
}

/* Single fields, for paths that touch only one. */
static inline uint8_t dgram_class(const uint8_t *w) { return w[1]; }
static inline uint8_t dgram_method(const uint8_t *w) { return w[3]; }
static inline uint64_t dgram_tid(const uint8_t *w) { return wire_get64(w + 8); }
static inline uint16_t dgram_attr_id(const uint8_t *w) { return wire_get16(w + 16); }
static inline uint32_t dgram_modifier(const uint8_t *w) { return wire_get32(w + 20); }
static inline uint16_t
dgram_status(const uint8_t *w)
{
	uint16_t s = wire_get16(w + 4);

	return w[1] == CLASS_SM_DR ? s & 0x7fff : s;
}
static inline void
dgram_set_status(uint8_t *w, uint16_t s)
{
	wire_put16(w + 4, w[1] == CLASS_SM_DR ? (uint16_t)((wire_get16(w + 4) & 0x8000) | (s & 0x7fff)) : s);
}

/* SMPs (both classes): M_Key @24; data @64, 64 bytes.  Class 0x81: DrSLID, DrDLID, paths @128, @192. */
static inline uint64_t dgram_mkey(const uint8_t *w) { return wire_get64(w + 24); }
static inline uint8_t *dgram_smp_data(uint8_t *w) { return w + 64; }
static inline uint8_t *dgram_initial_path(uint8_t *w) { return w + 128; }
static inline uint8_t *dgram_return_path(uint8_t *w) { return w + 192; }

/* What a request is made from. */
struct dgram_smp {
	uint8_t method;
	uint16_t attr_id;
	uint32_t modifier;
	uint64_t tid, mkey;
	const uint8_t *data;            /* 64 bytes, or NULL for zeros */
	uint8_t hop_count;              /* directed route: 'path' has hop_count + 1 entries, path[0] = 0 */
	const uint8_t *path;            /* NULL: LID routed (class 0x01) */
};

/* Writes all 256 bytes of a request SMP.  Pure directed route (both DR LIDs permissive), hop pointer 0. */
void dgram_smp_make(uint8_t w[static DGRAM_BYTES], const struct dgram_smp *s);
/* Turns the request 'w' into its response in place: R bit (TrapRepress: none), D bit, status. */
void dgram_smp_respond(uint8_t w[static DGRAM_BYTES], uint16_t status);

/* GMPs other than SA, CM and vendor range 2: data @64, 192 bytes. */
static inline uint8_t *dgram_gmp_data(uint8_t *w) { return w + 64; }

/* The SA's class header (56 bytes with the MAD header), data @56. */
#define SA_HEAD_BYTES 56
#define SA_DATA_BYTES 200
struct dgram_sa_head {
	uint64_t sm_key;
	uint16_t attr_offset;           /* record stride in 8-byte units */
	uint64_t comp_mask;
};
static inline struct dgram_sa_head
dgram_sa_head_decode(const uint8_t w[static SA_HEAD_BYTES])
{
	return (struct dgram_sa_head){
		.sm_key = wire_get64(w + 36),
		.attr_offset = wire_get16(w + 44),
		.comp_mask = wire_get64(w + 48),
	};
}

static inline void
dgram_sa_head_encode(uint8_t w[static SA_HEAD_BYTES], const struct dgram_sa_head *h)
{
	wire_put64(w + 36, h->sm_key);
	wire_put16(w + 44, h->attr_offset);
	wire_put16(w + 46, 0);
	wire_put64(w + 48, h->comp_mask);
}

static inline uint64_t dgram_sm_key(const uint8_t *w) { return wire_get64(w + 36); }
static inline uint64_t dgram_comp_mask(const uint8_t *w) { return wire_get64(w + 48); }

/* The RMPP header @24 (12 bytes). */
enum dgram_rmpp_type { RMPP_NONE = 0, RMPP_DATA = 1, RMPP_ACK = 2, RMPP_STOP = 3, RMPP_ABORT = 4 };
#define RMPP_FLAG_ACTIVE 1
#define RMPP_FLAG_FIRST 2
#define RMPP_FLAG_LAST 4
struct dgram_rmpp_head {
	uint8_t version, type, resp_time, flags, status;
	uint32_t segment, length;       /* ACK: segment, and 'length' is the new window's last */
};
struct dgram_rmpp_head dgram_rmpp_head_decode(const uint8_t w[static 36]);
static inline bool dgram_rmpp_active(const uint8_t *w) { return w[26] & RMPP_FLAG_ACTIVE; }
void dgram_rmpp_head_encode(uint8_t w[static 36], const struct dgram_rmpp_head *h);
/* Classes that carry an RMPP header. */
bool dgram_class_has_rmpp(uint8_t mgmt_class);
/* Bytes of MAD + class header that every segment repeats: SA 56, vendor 40, DevMgt 64; 0 without RMPP. */
unsigned dgram_rmpp_header_bytes(uint8_t mgmt_class);

/* Words for people; never NULL ("class 0x55" style names are made by the caller). */
const char *dgram_class_name(uint8_t mgmt_class);
const char *dgram_method_name(uint8_t method);
/* The attribute's name in that class, or NULL if it has none. */
const char *dgram_attr_name(uint8_t mgmt_class, uint16_t attr_id);
/* "busy", "method not supported", ...: the words of a status; 'sa' for class 3. */
const char *dgram_status_text(uint16_t status, bool sa);

#endif
