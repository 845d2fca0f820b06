/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pattern.h - byte patterns that identify a message and the position in it.
 * Room: verbs/meas/run.  Pure.
 *
 * The first 8 bytes of a message (if it has that many) are its number, little-endian; all others
 * depend on the stream, the number and the offset.  So a check finds lost, repeated, swapped and
 * damaged data.
 */
#ifndef HEDDLE_VERBS_MEAS_RUN_PATTERN_H
#define HEDDLE_VERBS_MEAS_RUN_PATTERN_H

#include <stddef.h>
#include <stdint.h>

/* A stream is one direction of one queue pair of a test. */
uint64_t meas_pattern_stream(uint64_t seed, uint32_t qp, uint32_t direction);
void meas_pattern_fill(uint8_t *b, size_t n, uint64_t stream, uint64_t number);
/* The offset of the first wrong byte, or 'n'. */
size_t meas_pattern_check(const uint8_t *b, size_t n, uint64_t stream, uint64_t number);
/* The byte that belongs at 'offset'. */
uint8_t meas_pattern_byte(size_t n, size_t offset, uint64_t stream, uint64_t number);
/* The number in the first 8 bytes; n >= 8. */
uint64_t meas_pattern_number(const uint8_t *b);

#endif
