/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dgram.h - whole management datagrams: header, directed route, SA and RMPP headers, address.
 * Room: libmad/mad (prefix dgram_).  Pure.  Layouts: docs/wire.md.
 *
 * A struct dgram is what libmad/io sends and receives: the address, the 256 bytes of the MAD, and a
 * pointer to the whole message if RMPP made it longer.  The functions here read and write its
 * headers; every decoder accepts any bytes.  The attribute inside is decoded by libmad/attr, at the
 * position that dgram_smp_data(), dgram_sa_data() and similar functions return.
 */
#ifndef HEDDLE_LIBMAD_MAD_DGRAM_H
#define HEDDLE_LIBMAD_MAD_DGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libmad/attr/codes.h"
#include "libmad/wire/wire.h"

#define DGRAM_BYTES 256
#define DGRAM_FRONT_BYTES 64
#define DGRAM_HOPS_MAX 63
#define DGRAM_PATH_BYTES 64

/* The common MAD header (24 bytes), in host order. */
struct dgram_head {
	uint8_t base_version, mgmt_class, class_version, method;
	uint16_t status;                /* class 0x81: without the D bit */
	bool direction;                 /* class 0x81: the D bit (true: the response) */
	uint8_t hop_ptr, hop_count;     /* class 0x81; otherwise the class specific bytes */
	uint64_t tid;
	uint16_t attr_id;
	uint32_t modifier;
};

/* Source or destination of a MAD.  GID and flow label are valid only if 'grh'. */
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

/* A datagram with its address.  RMPP messages longer than one MAD are in 'more'. */
struct dgram {
	struct dgram_addr addr;
	/* 0; ETIMEDOUT: a send that came back; EMSGSIZE: too long, see io_recv() */
	int status;
	uint32_t bytes;                 /* of the whole message; 256 unless RMPP */
	/* the whole message, from malloc, if bytes > DGRAM_BYTES; otherwise NULL; the owner
	 * frees */
	uint8_t *more;
	/* private space of the back end for its header directly before the MAD, so that
	 * nothing is copied */
	_Alignas(8) uint8_t front[DGRAM_FRONT_BYTES];
	uint8_t mad[DGRAM_BYTES];       /* the message, or its first 256 bytes */
};
_Static_assert(offsetof(struct dgram, mad) == offsetof(struct dgram, front) + DGRAM_FRONT_BYTES,
	"nothing between them");

#define DGRAM_DIRECTION 0x8000u         /* top bit of the status word of class 0x81 */

/* Accepts any 24 bytes. */
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
		status = (uint16_t)((status & ~DGRAM_DIRECTION) |
			(h->direction ? DGRAM_DIRECTION : 0));
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

/* Single fields, for code that needs only one. */
static inline uint8_t dgram_base_version(const uint8_t *w) { return w[0]; }
static inline uint8_t dgram_class(const uint8_t *w) { return w[1]; }
static inline uint8_t dgram_class_version(const uint8_t *w) { return w[2]; }
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
	wire_put16(w + 4,
		w[1] == CLASS_SM_DR ? (uint16_t)((wire_get16(w + 4) & 0x8000) | (s & 0x7fff)) : s);
}

/* Offsets of the parts of a MAD, for callers that store an offset instead of a pointer.  All others
 * use the functions below: no other room adds an offset to a datagram. */
enum {
	DGRAM_HEAD_BYTES = 24,
	DGRAM_SMP_AT = 64, DGRAM_SMP_DATA_BYTES = 64,   /* data of an SMP */
	DGRAM_INITIAL_PATH_AT = 128, DGRAM_RETURN_PATH_AT = 192,
	DGRAM_GMP_AT = 64, DGRAM_GMP_DATA_BYTES = 192,  /* of PM, BM, DevMgt and vendor range 1 */
	DGRAM_SA_AT = 56, DGRAM_SA_DATA_BYTES = 200,
	DGRAM_VENDOR2_AT = 40, DGRAM_VENDOR2_DATA_BYTES = 216,
	/* classes whose data begins with a key: CC, VENDOR_A */
	DGRAM_KEYED_AT = 24, DGRAM_KEYED_BYTES = 232,
	DGRAM_CM_AT = 24, DGRAM_CM_DATA_BYTES = 232,
};

static inline void dgram_set_method(uint8_t *w, uint8_t method) { w[3] = method; }
static inline void dgram_set_tid(uint8_t *w, uint64_t tid) { wire_put64(w + 8, tid); }
static inline void dgram_set_attr_id(uint8_t *w, uint16_t attr_id) { wire_put16(w + 16, attr_id); }
static inline void
dgram_set_modifier(uint8_t *w, uint32_t modifier)
{
	wire_put32(w + 20, modifier);
}

/* SMPs of both classes.  Functions named 'data' and 'path' return writable bytes, those named
 * 'image' and 'hops' read-only ones. */
static inline uint64_t dgram_mkey(const uint8_t *w) { return wire_get64(w + 24); }
static inline void dgram_set_mkey(uint8_t *w, uint64_t mkey) { wire_put64(w + 24, mkey); }
static inline uint8_t *dgram_smp_data(uint8_t *w) { return w + DGRAM_SMP_AT; }
static inline const uint8_t *dgram_smp_image(const uint8_t *w) { return w + DGRAM_SMP_AT; }

/*
 * Directed route (class 0x81): hop pointer and count, the LIDs of the LID-routed parts before and
 * after it (LID_PERMISSIVE: none), and the two paths of DGRAM_PATH_BYTES.
 */
static inline bool dgram_direction(const uint8_t *w) { return w[4] & (DGRAM_DIRECTION >> 8); }
static inline void dgram_set_direction(uint8_t *w) { w[4] |= DGRAM_DIRECTION >> 8; }
static inline uint8_t dgram_hop_ptr(const uint8_t *w) { return w[6]; }
static inline uint8_t dgram_hop_count(const uint8_t *w) { return w[7]; }
static inline void dgram_set_hop_ptr(uint8_t *w, uint8_t n) { w[6] = n; }
static inline void dgram_set_hop_count(uint8_t *w, uint8_t n) { w[7] = n; }
static inline uint16_t dgram_dr_slid(const uint8_t *w) { return wire_get16(w + 32); }
static inline uint16_t dgram_dr_dlid(const uint8_t *w) { return wire_get16(w + 34); }
static inline void dgram_set_dr_slid(uint8_t *w, uint16_t lid) { wire_put16(w + 32, lid); }
static inline void dgram_set_dr_dlid(uint8_t *w, uint16_t lid) { wire_put16(w + 34, lid); }
static inline uint8_t *dgram_initial_path(uint8_t *w) { return w + DGRAM_INITIAL_PATH_AT; }
static inline uint8_t *dgram_return_path(uint8_t *w) { return w + DGRAM_RETURN_PATH_AT; }
static inline const uint8_t *
dgram_initial_hops(const uint8_t *w)
{
	return w + DGRAM_INITIAL_PATH_AT;
}
static inline const uint8_t *
dgram_return_hops(const uint8_t *w)
{
	return w + DGRAM_RETURN_PATH_AT;
}

/* Parameters of a request SMP. */
struct dgram_smp {
	uint8_t method;
	uint16_t attr_id;
	uint32_t modifier;
	uint64_t tid, mkey;
	const uint8_t *data;            /* 64 bytes, or NULL for zeros */
	/* directed route: 'path' has hop_count + 1 entries, path[0] = 0 */
	uint8_t hop_count;
	const uint8_t *path;            /* NULL: LID routed (class 0x01) */
};

/* Writes all 256 bytes of a request SMP.  Pure directed route (both DR LIDs permissive), hop
 * pointer 0. */
void dgram_smp_make(uint8_t w[static DGRAM_BYTES], const struct dgram_smp *s);
/* Turns the request 'w' into its response in place: R bit (not for TrapRepress), D bit, status. */
void dgram_smp_respond(uint8_t w[static DGRAM_BYTES], uint16_t status);

/* GMPs other than those of the SA, CM and vendor range 2. */
static inline uint8_t *dgram_gmp_data(uint8_t *w) { return w + DGRAM_GMP_AT; }
static inline const uint8_t *dgram_gmp_image(const uint8_t *w) { return w + DGRAM_GMP_AT; }

/* Classes whose data begins with a key (CC_Key, VS_Key). */
static inline uint64_t dgram_class_key(const uint8_t *w) { return wire_get64(w + DGRAM_KEYED_AT); }
static inline void
dgram_set_class_key(uint8_t *w, uint64_t key)
{
	wire_put64(w + DGRAM_KEYED_AT, key);
}
static inline uint8_t *dgram_keyed_data(uint8_t *w) { return w + DGRAM_KEYED_AT; }
static inline const uint8_t *dgram_keyed_image(const uint8_t *w) { return w + DGRAM_KEYED_AT; }

/* Vendor range 2: the OUI (24 bits) after the RMPP header, then the data. */
static inline uint32_t dgram_oui(const uint8_t *w) { return wire_get32(w + 36) & 0xffffff; }
static inline void dgram_set_oui(uint8_t *w, uint32_t oui) { wire_put32(w + 36, oui & 0xffffff); }
static inline uint8_t *dgram_vendor2_data(uint8_t *w) { return w + DGRAM_VENDOR2_AT; }
static inline const uint8_t *dgram_vendor2_image(const uint8_t *w) { return w + DGRAM_VENDOR2_AT; }

/* CM: the message follows the MAD header at once. */
static inline const uint8_t *dgram_cm_image(const uint8_t *w) { return w + DGRAM_CM_AT; }

/* SA: MAD, RMPP and SA headers, then the record. */
#define SA_HEAD_BYTES DGRAM_SA_AT
#define SA_DATA_BYTES DGRAM_SA_DATA_BYTES
static inline uint8_t *dgram_sa_data(uint8_t *w) { return w + DGRAM_SA_AT; }
static inline const uint8_t *dgram_sa_image(const uint8_t *w) { return w + DGRAM_SA_AT; }

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
enum { DGRAM_RMPP_HEAD_END = 36, RMPP_VERSION = 1 };
#define RMPP_FLAG_ACTIVE 1
#define RMPP_FLAG_FIRST 2
#define RMPP_FLAG_LAST 4
struct dgram_rmpp_head {
	uint8_t version, type, resp_time, flags, status;
	uint32_t segment, length;       /* ACK: 'length' is the last segment of the new window */
};
struct dgram_rmpp_head dgram_rmpp_head_decode(const uint8_t w[static 36]);
static inline bool dgram_rmpp_active(const uint8_t *w) { return w[26] & RMPP_FLAG_ACTIVE; }
void dgram_rmpp_head_encode(uint8_t w[static 36], const struct dgram_rmpp_head *h);
/* Classes that carry an RMPP header. */
bool dgram_class_has_rmpp(uint8_t mgmt_class);
/* Bytes of MAD + class header that every segment repeats: SA 56, vendor 40, DevMgt 64; 0 without
 * RMPP. */
unsigned dgram_rmpp_header_bytes(uint8_t mgmt_class);

/* Names for people; never NULL.  The caller makes names such as "class 0x55" for unknown values. */
const char *dgram_class_name(uint8_t mgmt_class);
const char *dgram_method_name(uint8_t method);
/* The attribute's name in that class, or NULL if it has none. */
const char *dgram_attr_name(uint8_t mgmt_class, uint16_t attr_id);
/* The text of a status, such as "busy" or "method not supported"; 'sa' for class 3. */
const char *dgram_status_text(uint16_t status, bool sa);

#endif
