/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibtop.h - the interface between the files of ibtop.
 * Room: diags/tools.
 *
 * ibtop.c reads all counters at an interval and computes a view of them: ports with their rates, in
 * order. ibtop_show.c shows a view as text and as JSON, ibtop_screen.c controls the terminal,
 * ibtop_change.c compares the fabric with the one discovered before. Rates come from
 * diags/perf/rates.h.
 */
#ifndef HEDDLE_DIAGS_TOOLS_IBTOP_H
#define HEDDLE_DIAGS_TOOLS_IBTOP_H

#include "diags/perf/rates.h"
#include "diags/fabric/select.h"

enum top_sort { TOP_BUSY, TOP_XMIT, TOP_RCV, TOP_WAIT, TOP_ERRORS, TOP_NAME, TOP_NSORTS };

struct top_row {
	struct rates_port p;
	double key;                     /* value to sort by, largest first */
	const char *name;               /* name of its node, for sorting; owned by the top_fabric */
};

/* The fabric as last discovered. */
struct top_fabric {
	struct diag_fabric f;
	struct selection *only;
	struct rates *r;
	char **names;                   /* names of its nodes, for sorting */
	struct top_row *rows;           /* array for all ports */
	int64_t found_us, took_us;      /* time of the discovery, and its duration */
};

/* One view: the ports with the rates between the last two samples. */
#define TOP_CHANGES_BYTES 600
struct top_view {
	const struct diag_fabric *f;
	const struct rates *r;
	struct top_row *rows;           /* ports with two samples, in the order shown */
	uint32_t nrows;
	/* ports queried; those of them that did not answer completely */
	uint32_t ports, unanswered;
	/* ports above the limits, with errors, with counters at their maximum */
	uint32_t busy, waiting, wrong, saturated;
	double total_bps; /* bits per second sent by adapters and routers; -1: unknown */
	double interval_s, took_s;      /* time between the samples; duration of the last one */
	enum top_sort sort;
	unsigned look;                  /* number of this view, from 1 */
	/* links that were removed and added when the fabric last changed; "" if it never did */
	char changes[TOP_CHANGES_BYTES];
};

struct top_screen {
	int lines, columns;             /* of the terminal; 0: no limit */
	bool ansi;
};

/* screen_begin() switches the terminal to the alternate screen and to unbuffered input without
 * echo, until screen_end() or the end of the program. Returns false if there is no terminal. */
bool screen_begin(void);
void screen_end(void);
/* Reports whether the screen must be redrawn: the terminal was resized, or the program was stopped
 * and continued. */
bool screen_changed(void);
/* Stores the present size of the terminal. */
void screen_size(struct top_screen *s);

/* Compares two fabrics and returns the number of links that only one of them has. Each is a row of
 * "changes" in a document. If there are any, 'text' becomes a line about them; otherwise it stays
 * unchanged. */
unsigned top_changes(struct diag *d, const struct top_fabric *was, const struct top_fabric *is,
	unsigned look, char text[static TOP_CHANGES_BYTES]);

/* Returns the name of a sort order, as options and documents have it. */
const char *top_sort_word(enum top_sort s);
void top_print(struct diag *d, const struct top_view *v, const struct top_screen *s, uint32_t most);
/* Fills the document, or writes the NDJSON rows, of one view; 'most' limits the number of ports. */
void top_document(struct diag *d, const struct top_view *v, uint32_t most);

#endif
