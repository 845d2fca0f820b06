/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rates.h - repeated samples of all counters of a fabric, and the rates between two of them.
 * Room: diags/perf.
 *
 * A sample reads all counters of all selected ports by pma_sweep() (pma.h). The last two readings
 * of each port are kept. Counters are never reset by Heddle. A counter that was reset by another
 * program, that is at its maximum, or that had another width before, has no rate, and an unknown
 * rate is never reported as 0. ibtop and ibmon use this module.
 */
#ifndef HEDDLE_DIAGS_PERF_RATES_H
#define HEDDLE_DIAGS_PERF_RATES_H

#include "diags/perf/pma.h"

#define RATES_COUNTERS (PMA_MULTICAST_RCV_PKTS + 1)     /* all except the details */

enum rates_why { RATES_OK, RATES_NONE, RATES_RESET, RATES_SATURATED };
struct rates_delta {
	enum rates_why why; /* OK: 'delta' is known; NONE: there are no two comparable readings */
	uint64_t delta;
};
/* Computes the difference of two readings. A counter with a smaller value was reset; a counter of
 * less than 64 bits stops at its maximum. */
struct rates_delta rates_delta(const struct pma_value *before, const struct pma_value *now);

/* The answers of a port in one sample. */
struct rates_reading {
	int64_t at_us; /* diag_now_us() of the last answer; 0: not read */
	bool ok;                        /* all requests were answered */
	const char *status;             /* status for a document */
	uint64_t value[RATES_COUNTERS];
	uint16_t attr_id[RATES_COUNTERS];
	uint8_t width[RATES_COUNTERS];  /* 0: the port does not have the counter */
};

struct rates;
/* Makes a sampler for the ports that 'only' selects (NULL: all). 'f' and 'only' are borrowed and
 * must outlive it. */
struct rates *rates_new(struct diag *d, const struct diag_fabric *f, const struct selection *only);
void rates_free(struct rates *r);       /* accepts NULL */
/* Copies the last readings of 'from' to 'to', for ports that both have, by node GUID and port
 * number, so that the next sample of 'to' has rates. */
void rates_carry(struct rates *to, const struct rates *from);
/* Reads all counters of all ports; the last readings become the previous ones. Returns 0 or a
 * negative errno (reported). */
int rates_sample(struct rates *r);
/* Returns the number of samples taken. */
unsigned rates_samples(const struct rates *r);
/* Returns the last reading of a port, by index; NULL if the port is not read. */
const struct rates_reading *rates_now(const struct rates *r, uint32_t port);
/* Returns a counter of a reading. */
struct pma_value rates_value(const struct rates_reading *now, enum pma_counter c);
/* Returns the microseconds between the last two readings of a port; 0 if there are no two. */
int64_t rates_interval_us(const struct rates *r, uint32_t port);
/* Returns the difference of a counter between the last two readings of a port, by index. */
struct rates_delta rates_counter(const struct rates *r, uint32_t port, enum pma_counter c);
/* Stores the number of ports queried in the last sample, and of those that did not answer
 * completely. */
void rates_count(const struct rates *r, uint32_t *ports, uint32_t *unanswered);

/* The rates of a port; negative: unknown. */
struct rates_port {
	uint32_t port;                  /* port index */
	double interval_s;
	double xmit_bps, rcv_bps;       /* bits per second, from PortXmitData and PortRcvData */
	double xmit_pps, rcv_pps;
	double capacity_bps; /* data rate of the link in one direction, without line coding */
	double busy;                    /* xmit_bps / capacity_bps */
	/* XmitWait / (XmitWait + XmitData): the share of time in which the port could not send */
	double wait;
	double errors_per_s;            /* all known error counters, except PortXmitWait */
	/* the error counter with the largest increase; PMA_NCOUNTERS: none increased */
	enum pma_counter worst;
	/* an error counter is at its maximum; a counter was reset since the previous reading */
	bool saturated, reset;
};
/* Fills '*out'; returns false if the port does not have two readings. */
bool rates_port(const struct rates *r, uint32_t port, struct rates_port *out);
/* Returns the data rate of a link in one direction, in bits per second; negative: unknown. */
double rates_capacity(const struct fab_link *l);

#endif
