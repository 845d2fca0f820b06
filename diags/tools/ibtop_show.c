/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibtop_show.c - shows a view as text and as JSON.
 * Room: diags/tools.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "diags/core/names.h"
#include "diags/core/out.h"
#include "diags/fabric/fabric.h"
#include "diags/perf/pma.h"
#include "diags/perf/rates.h"
#include "diags/tools/ibtop.h"

#define BAR 10
#define NAME_MIN 16
#define FIXED 62                /* columns before the node names */
#define LINE 512

static const char *const sorts[TOP_NSORTS] = {
	[TOP_BUSY] = "busy", [TOP_XMIT] = "xmit", [TOP_RCV] = "rcv", [TOP_WAIT] = "wait",
	[TOP_ERRORS] = "errors", [TOP_NAME] = "name",
};

const char *
top_sort_word(enum top_sort s)
{
	return sorts[s];
}

/* ---- text ---- */

/* Formats a number as "  1.23 G", with at most six digits; "-" if it is unknown. */
static const char *
amount(double v, char buf[static 16])
{
	static const char units[] = " kMGTP";
	unsigned u = 0;

	if (v < 0) {
		snprintf(buf, 16, "%6s  ", "-");
		return buf;
	}
	while (v >= 999.5 && u < sizeof(units) - 2) {
		v /= 1000;
		u++;
	}
	snprintf(buf, 16, v >= 99.5 ? "%6.0f %c" : v >= 9.95 ? "%6.1f %c" : "%6.2f %c", v,
		units[u]);
	return buf;
}

static const char *
percent(double share, char buf[static 16])
{
	if (share < 0)
		snprintf(buf, 16, "%4s", "-");
	else
		snprintf(buf, 16, "%3.0f%%", share > 9.99 ? 999 : share * 100);
	return buf;
}

static const char *
busy_bar(double share, char buf[static BAR + 1])
{
	int full = share < 0 ? 0 : (int)((share > 1 ? 1 : share) * BAR + 0.5);

	memset(buf, '.', BAR);
	memset(buf, '#', (size_t)full);
	buf[BAR] = '\0';
	return buf;
}

static void
end_name(struct diag *d, const struct diag_fabric *f, const struct fab_port *p, size_t room,
	char *out)
{
	char name[DIAG_NAME_BYTES], number[8];

	if (!p) {
		snprintf(out, room, "-");
		return;
	}
	fab_name(d, fab_node_of(f, p), name);
	snprintf(number, sizeof(number), ":%u", p->num);
	if (room > strlen(number) + 1 && strlen(name) > room - strlen(number) - 1)
		name[room - strlen(number) - 1] = '\0';
	snprintf(out, room, "%s%s", name, number);
}

static const char *
colour(const struct top_screen *s, const struct rates_port *p)
{
	if (!s->ansi)
		return "";
	return p->errors_per_s > 0 ? "\033[31m" : p->wait > 0.1 ? "\033[33m" :
		p->busy > 0.8 ? "\033[1m" : "";
}

static void
put_row(struct diag *d, const struct top_view *v, const struct top_row *row,
	const struct top_screen *s, size_t room)
{
	const struct fab_port *port = &v->f->s->ports[row->p.port];
	char local[LINE], peer[LINE], b[BAR + 1], text[4][16];
	const char *on = colour(s, &row->p);

	end_name(d, v->f, port, room, local);
	end_name(d, v->f, fab_peer_of(v->f, port), room, peer);
	diag_text(d, "%s%s %s %s %s %s %s  %-*s %s%s%s%s\n", on, busy_bar(row->p.busy, b),
		percent(row->p.busy, text[0]), amount(row->p.xmit_bps, text[1]),
		amount(row->p.rcv_bps, text[2]), percent(row->p.wait, text[3]),
		row->p.errors_per_s > 0 || row->p.errors_per_s < 0 ? amount(row->p.errors_per_s,
		(char[16]){ 0 }) : "     .  ",
		(int)room - 1, local, peer, row->p.worst < PMA_NCOUNTERS ? "  " : "",
		row->p.worst < PMA_NCOUNTERS ? pma_counter_name(row->p.worst) :
		row->p.saturated ? "  (at its maximum)" : "", *on ? "\033[0m" : "");
}

static size_t
name_room(const struct diag *d, const struct top_view *v, const struct top_screen *s, uint32_t n)
{
	char name[LINE];
	size_t longest = NAME_MIN;

	for (uint32_t i = 0; i < n; i++) {
		const struct fab_port *p = &v->f->s->ports[v->rows[i].p.port],
			*peer = fab_peer_of(v->f, p);

		end_name((struct diag *)(uintptr_t)d, v->f, p, sizeof(name), name);
		longest = strlen(name) > longest ? strlen(name) : longest;
		end_name((struct diag *)(uintptr_t)d, v->f, peer, sizeof(name), name);
		longest = strlen(name) > longest ? strlen(name) : longest;
	}
	if (s->columns && (size_t)s->columns > FIXED && longest > ((size_t)s->columns - FIXED) / 2)
		longest = ((size_t)s->columns - FIXED) / 2;
	return (longest < NAME_MIN ? NAME_MIN : longest) + 1;
}

void
top_print(struct diag *d, const struct top_view *v, const struct top_screen *s, uint32_t most)
{
	uint32_t n = v->nrows < most ? v->nrows : most;
	size_t room = name_room(d, v, s, n);
	time_t now = time(NULL);
	char when[16], text[16];
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(when, sizeof(when), "%H:%M:%S", &tm);
	diag_text(d,
		"ibtop %s  every %.1f s, read in %.2f s  %u switches, %u ports  hosts send "
		"%sbit/s\n", when, v->interval_s, v->took_s,
		v->f->s->nswitches, v->ports, amount(v->total_bps, text));
	diag_text(d,
		"%u above 80%%  %u waiting  %u with errors  %u at a maximum  %u unanswered   by "
		"%s\n", v->busy, v->waiting, v->wrong,
		v->saturated, v->unanswered, sorts[v->sort]);
	if (v->changes[0])
		diag_text(d, "%schanged %s%s\n", s->ansi ? "\033[33m" : "", v->changes,
			s->ansi ? "\033[0m" : "");
	diag_text(d, "%s%-*s %4s %8s %8s %4s %8s  %-*s %s%s\n", s->ansi ? "\033[7m" : "", BAR,
		"busy", "", "xmit b/s", "rcv b/s", "wait", "errors/s",
		(int)room - 1, "port", "to", s->ansi ? "\033[0m" : "");
	for (uint32_t i = 0; i < n; i++)
		put_row(d, v, &v->rows[i], s, room);
}

/* ---- documents ---- */

static json_t *
number_or_null(double v)
{
	return v < 0 ? json_null() : json_real(v);
}

static json_t *
counters(const struct rates *r, uint32_t port)
{
	const struct rates_reading *now = rates_now(r, port);
	double seconds = (double)rates_interval_us(r, port) / 1e6;
	json_t *all = json_object(), *o;

	for (enum pma_counter c = 0; c < RATES_COUNTERS; c++) {
		struct pma_value v = rates_value(now, c);
		struct rates_delta x = rates_counter(r, port, c);
		bool known = x.why == RATES_OK && x.delta <= INT64_MAX;

		o = pma_json_value(c, &v);
		json_object_set_new(o, "delta", known ? json_integer((json_int_t)x.delta) :
			json_null());
		json_object_set_new(o, "per_s", known &&
			seconds > 0 ? json_real((double)x.delta / seconds) : json_null());
		json_object_set_new(o, "reset", json_boolean(x.why == RATES_RESET));
		json_object_set_new(all, pma_counter_name(c), o);
	}
	return all;
}

static json_t *
row_json(struct diag *d, const struct top_view *v, uint32_t port, const struct rates_port *p)
{
	const struct fab_port *local = &v->f->s->ports[port];
	const struct rates_port none = { .interval_s = -1, .xmit_bps = -1, .rcv_bps = -1,
		.xmit_pps = -1, .rcv_pps = -1, .busy = -1, .wait = -1,
		.errors_per_s = -1, .capacity_bps = -1, .worst = PMA_NCOUNTERS };
	json_t *o = json_object();

	if (!p)
		p = &none;
	json_object_set_new(o, "look", json_integer(v->look));
	json_object_set_new(o, "local", fab_json_end(d, v->f, local));
	json_object_set_new(o, "peer", fab_json_end(d, v->f, fab_peer_of(v->f, local)));
	json_object_set_new(o, "status", json_string(rates_now(v->r, port)->status));
	json_object_set_new(o, "interval_s", number_or_null(p->interval_s));
	json_object_set_new(o, "capacity_bps", number_or_null(p->capacity_bps));
	json_object_set_new(o, "xmit_bps", number_or_null(p->xmit_bps));
	json_object_set_new(o, "rcv_bps", number_or_null(p->rcv_bps));
	json_object_set_new(o, "xmit_pps", number_or_null(p->xmit_pps));
	json_object_set_new(o, "rcv_pps", number_or_null(p->rcv_pps));
	json_object_set_new(o, "busy", number_or_null(p->busy));
	json_object_set_new(o, "wait", number_or_null(p->wait));
	json_object_set_new(o, "errors_per_s", number_or_null(p->errors_per_s));
	json_object_set_new(o, "worst", p->worst < PMA_NCOUNTERS ?
		json_string(pma_counter_name(p->worst)) : json_null());
	json_object_set_new(o, "saturated", json_boolean(p->saturated));
	json_object_set_new(o, "reset", json_boolean(p->reset));
	json_object_set_new(o, "counters", counters(v->r, port));
	return o;
}

void
top_document(struct diag *d, const struct top_view *v, uint32_t most)
{
	json_t *sum = diag_summary(d);

	if (diag_is_text(d))
		return;
	fab_summary(d, v->f);
	json_object_set_new(sum, "ports_asked", json_integer(v->ports));
	json_object_set_new(sum, "ports_unanswered", json_integer(v->unanswered));
	json_object_set_new(sum, "interval_s", json_real(v->interval_s));
	json_object_set_new(sum, "sample_s", json_real(v->took_s));
	json_object_set_new(sum, "busy", json_integer(v->busy));
	json_object_set_new(sum, "waiting", json_integer(v->waiting));
	json_object_set_new(sum, "with_errors", json_integer(v->wrong));
	json_object_set_new(sum, "saturated", json_integer(v->saturated));
	json_object_set_new(sum, "total_bps", number_or_null(v->total_bps));
	json_object_set_new(sum, "sort", json_string(sorts[v->sort]));
	for (uint32_t i = 0; i < v->nrows && i < most; i++)
		diag_row(d, "ports", row_json(d, v, v->rows[i].p.port, &v->rows[i].p));
	for (uint32_t i = 0; i < v->f->s->nports && v->nrows < most; i++)
		if (rates_now(v->r, i) && !rates_interval_us(v->r, i))
			diag_row(d, "ports", row_json(d, v, i, NULL));
}
