/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * msg.h - the control connection's messages: JSON objects in frames; written and read without
 * trust.
 * Room: verbs/meas/control.  Pure.
 *
 * A frame is "HVT1", the length of what follows (4 bytes, big-endian, 1 to MEAS_BODY_MAX), and a
 * JSON object with a member "msg". "HVTP", a length and so many bytes are a packet of a software
 * adapter (4 to MEAS_PACKET_MAX), which has no wire of its own.
 * In: bytes.  Out: objects, or the reason why there will be none.  A stranger's bytes cost no
 * more memory than one frame.
 */
#ifndef HEDDLE_VERBS_MEAS_CONTROL_MSG_H
#define HEDDLE_VERBS_MEAS_CONTROL_MSG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* raised when two ends of different numbers cannot work together */
#define MEAS_PROTOCOL 1
#define MEAS_HEADER_BYTES 8u
#define MEAS_BODY_MAX 262144u           /* 1024 queue pairs fit */
#define MEAS_PACKET_MAX 8192u

/* ---- frames ---- */

struct meas_framer {
	uint8_t *bytes;                 /* a frame as far as it came */
	size_t have, room;
	const uint8_t *packet;
	size_t packet_bytes;
	bool failed;                    /* a frame was malformed: nothing more comes out */
};

/* A zeroed one is empty. */
void meas_framer_clear(struct meas_framer *f);
/* Takes in as much of 'bytes' as belongs to the present frame; how many bytes that were. */
size_t meas_framer_feed(struct meas_framer *f, const uint8_t *bytes, size_t n);
/* 1: a whole message in '*o', the caller's to free with json_decref().  2: a packet, f->packet
 * and f->packet_bytes until the next feed.  0: more bytes are needed. -EPROTO: not our protocol.
 * -EMSGSIZE: too long.  -EBADMSG: no JSON object with "msg".  After an error always the same. */
int meas_framer_next(struct meas_framer *f, json_t **o);

/* The frame of 'o' (malloc), '*n' bytes; NULL when it would be too long. */
uint8_t *meas_frame(const json_t *o, size_t *n);
/* The header of a packet of 'bytes'. */
void meas_packet_header(uint8_t header[static MEAS_HEADER_BYTES], size_t bytes);

/* ---- reading members; the first one that is missing or out of range is remembered ---- */

struct meas_reader {
	const json_t *object;
	const char *bad;                /* NULL: all was well */
};

struct meas_reader meas_reader(const json_t *o);
void meas_reader_bad(struct meas_reader *r, const char *key);
/* 'min' when it is bad. */
uint64_t meas_read_int(struct meas_reader *r, const char *key, uint64_t min, uint64_t max);
/* "0x...", for numbers that JSON's readers may cut; 0 when it is bad. */
uint64_t meas_read_hex(struct meas_reader *r, const char *key, uint64_t max);
bool meas_read_bool(struct meas_reader *r, const char *key);
/* Index among 'n' words; 0 when it is bad. */
int meas_read_word(struct meas_reader *r, const char *key, const char *const *words, int n);
/* A string of at most 'bytes' - 1 bytes of printable ASCII, others replaced by '?'; "" when it
 * is bad. */
void meas_read_text(struct meas_reader *r, const char *key, char *text, size_t bytes);
/* Finite, and not below 0; 0 when it is bad. */
double meas_read_number(struct meas_reader *r, const char *key);

json_t *meas_hex(uint64_t v);

#endif
