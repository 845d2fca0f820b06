/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibtop.h - what the files of ibtop know of one another.
 * Room: diags/tools.
 */
#ifndef HEDDLE_DIAGS_TOOLS_IBTOP_H
#define HEDDLE_DIAGS_TOOLS_IBTOP_H

#include "diags/perf/rates.h"
#include "diags/fabric/select.h"

enum top_sort { TOP_BUSY, TOP_XMIT, TOP_RCV, TOP_WAIT, TOP_ERRORS, TOP_NAME, TOP_NSORTS };

struct top_row {
	struct rates_port p;
	double key;                     /* what it is sorted by, the largest first */
	const char *name;               /* of its node, for sorting; owned by the view */
};

/* The fabric as it was found last. */
struct top_fabric {
	struct diag_fabric f;
	struct selection *only;
	struct rates *r;
	char **names;                   /* of its nodes, as they are sorted by */
	struct top_row *rows;           /* room for all ports */
	int64_t found_us, took_us;      /* when; how long that took */
};

/* One look at the fabric. */
#define TOP_CHANGES_BYTES 600
struct top_view {
	const struct diag_fabric *f;
	const struct rates *r;
	struct top_row *rows;           /* ports that were read twice, as they are shown */
	uint32_t nrows;
	uint32_t ports, unanswered;     /* asked; of them did not answer all */
	/* ports above the limits, with errors, with counters at their maximum */
	uint32_t busy, waiting, wrong, saturated;
	double total_bps;               /* what adapters and routers send; -1 unknown */
	double interval_s, took_s;      /* between the samples; that the last one took */
	enum top_sort sort;
	unsigned look;                  /* the number of this one, from 1 */
	/* cables that went and came when the fabric was last found to be another; "" never */
	char changes[TOP_CHANGES_BYTES];
};

struct top_screen {
	int lines, columns;             /* of the terminal; 0: no limit */
	bool ansi;
};

/* Keys at once and not shown, on a screen of our own, until screen_end() or the program's end;
 * false: there is no terminal. */
bool screen_begin(void);
void screen_end(void);
/* Whether the screen must be drawn anew: it has another size, or the program was stopped and goes
 * on. */
bool screen_changed(void);
void screen_size(struct top_screen *s);

/*
 * The cables that are in one of two fabrics only, as rows "changes" of a document and as a line in
 * 'text', which stays as it is when there are none.  Their number.
 */
unsigned top_changes(struct diag *d, const struct top_fabric *was, const struct top_fabric *is,
	unsigned look, char text[static TOP_CHANGES_BYTES]);

const char *top_sort_word(enum top_sort s);
void top_print(struct diag *d, const struct top_view *v, const struct top_screen *s, uint32_t most);
/* The document, or rows of NDJSON, of one look. */
void top_document(struct diag *d, const struct top_view *v, uint32_t most);

#endif
