/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rates.h - counters of a whole fabric, sampled again and again, and what they moved by.
 * Room: diags/perf. Nothing is ever reset. A counter that was reset by somebody, that stands at its
 * maximum, or that was read with another width before, has no rate: unknown is never shown as 0.
 */
#ifndef HEDDLE_DIAGS_PERF_RATES_H
#define HEDDLE_DIAGS_PERF_RATES_H

#include "diags/perf/pma.h"

#define RATES_COUNTERS (PMA_MULTICAST_RCV_PKTS + 1)     /* all but the details */

enum rates_why { RATES_OK, RATES_NONE, RATES_RESET, RATES_SATURATED };
struct rates_delta {
	enum rates_why why;             /* OK: 'delta' is known; NONE: not read twice alike */
	uint64_t delta;
};
/* From one reading to the next.  One that is less than before was reset; one that has less than 64
 * bits stops at its maximum. */
struct rates_delta rates_delta(const struct pma_value *before, const struct pma_value *now);

/* What a port answered in one sample. */
struct rates_reading {
	int64_t at_us; /* diag_now_us() when its last answer came; 0: it was not read */
	bool ok;                        /* all that was asked was answered */
	const char *status;             /* the word of a document */
	uint64_t value[RATES_COUNTERS];
	uint16_t attr_id[RATES_COUNTERS];
	uint8_t width[RATES_COUNTERS];  /* 0: the port does not have it */
};

struct rates;
/* 'f' and 'only' (NULL: all ports) are borrowed and must outlive it. */
struct rates *rates_new(struct diag *d, const struct diag_fabric *f, const struct selection *only);
void rates_free(struct rates *r);       /* NULL is fine */
/* What 'from' read last of ports that are in 'to' too, by node GUID and number, is what was before
 * the next sample of 'to'. */
void rates_carry(struct rates *to, const struct rates *from);
/* Reads all counters of all ports; what was read last becomes what was before.  0 or a negative
 * errno (reported). */
int rates_sample(struct rates *r);
unsigned rates_samples(const struct rates *r);
/* The last reading of the port of that index; NULL: it is not one that is asked. */
const struct rates_reading *rates_now(const struct rates *r, uint32_t port);
struct pma_value rates_value(const struct rates_reading *now, enum pma_counter c);
/* Microseconds between the last two readings of the port; 0: there are no two. */
int64_t rates_interval_us(const struct rates *r, uint32_t port);
struct rates_delta rates_counter(const struct rates *r, uint32_t port, enum pma_counter c);
/* Ports asked in the last sample, and how many of them did not answer all. */
void rates_count(const struct rates *r, uint32_t *ports, uint32_t *unanswered);

/* A port as people look at it; negative: unknown. */
struct rates_port {
	uint32_t port;                  /* index */
	double interval_s;
	double xmit_bps, rcv_bps;       /* bits a second, of PortXmitData and PortRcvData */
	double xmit_pps, rcv_pps;
	double capacity_bps;            /* what the link carries one way, without its coding */
	double busy;                    /* xmit_bps / capacity_bps */
	/* XmitWait / (XmitWait + XmitData): the share of its time that it could not send */
	double wait;
	double errors_per_s;            /* all errors that are known, PortXmitWait not among them */
	enum pma_counter worst;         /* that moved most of them; PMA_NCOUNTERS: none moved */
	/* an error counter stands at its maximum; some counter was reset meanwhile */
	bool saturated, reset;
};
/* False: the port was not read twice. */
bool rates_port(const struct rates *r, uint32_t port, struct rates_port *out);
/* What a link carries one way, in bits a second; negative: unknown. */
double rates_capacity(const struct fab_link *l);

#endif
