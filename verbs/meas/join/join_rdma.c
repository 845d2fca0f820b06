/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * join_rdma.c - connects through the kernel's rdma_cm.
 * Room: verbs/meas/join.
 *
 * The queue pairs stay ours (librdmacm calls them external): rdma_cm makes the connections and
 * returns the attributes of each state transition.  Client: address, route, connect, response,
 * establish.  Server: request, accept, established.
 */
#include <config.h>
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include "libmad/wire/wire.h"
#include "util/xalloc.h"
#include "verbs/ibv/rcm.h"
#include "verbs/meas/join/join.h"
#include "verbs/meas/control/msg.h"

#define RESOLVE_MS 5000
#define BACKLOG 128
#define RETRIES 7

struct rdma_join {
	struct meas_join pub;
	const struct rcm_lib *l;
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listener;
	struct rdma_cm_id **ids;        /* of each queue pair that has one */
	struct sockaddr_storage to;     /* client */
	bool begun;                     /* client: a connection is in progress */
};

static struct rdma_join *
rdma_join_of(struct meas_join *j)
{
	return (struct rdma_join *)(void *)j;
}

static int
error_text(const char *what, int r, char *why)
{
	snprintf(why, VERBS_WHY_BYTES, "rdma_cm: %s: %s", what, strerror(-r));
	return r;
}

static int
errno_text(const char *what, char *why)
{
	return error_text(what, errno ? -errno : -EIO, why);
}

/* ---- queue pairs ---- */

static int
qp_modify(struct rdma_join *j, uint32_t i, struct rdma_cm_id *id, enum ibv_qp_state to, char *why)
{
	struct meas_end *e = j->pub.e;
	struct ibv_qp_attr a;
	int mask = 0, r;

	memset(&a, 0, sizeof(a));
	a.qp_state = to;
	if (j->l->init_qp_attr(id, &a, &mask))
		return errno_text("the attributes of a queue pair", why);
	a.qp_state = to;
	if (!mask)
		return 0;                       /* iWARP: the connection itself changes the state */
	r = e->ops->modify_qp(e->qps[i].qp, &a, mask | IBV_QP_STATE);
	return r ? error_text(to == IBV_QPS_RTR ? "a queue pair cannot be brought to RTR" :
		"a queue pair cannot be brought to RTS", r, why) : 0;
}

static int
to_sending(struct rdma_join *j, uint32_t i, struct rdma_cm_id *id, char *why)
{
	int r = qp_modify(j, i, id, IBV_QPS_RTR, why);

	return r ? r : qp_modify(j, i, id, IBV_QPS_RTS, why);
}

static struct rdma_conn_param
conn_param(const struct rdma_join *j, uint32_t i, uint8_t *data)
{
	const struct meas_end *e = j->pub.e;
	uint32_t depth = e->facts.rd_atomic_target < 16 ? e->facts.rd_atomic_target : 16;
	struct rdma_conn_param p = {
		.private_data = data, .private_data_len = data ? MEAS_JOIN_DATA_BYTES : 0,
		.responder_resources = (uint8_t)depth,
		.initiator_depth = (uint8_t)e->rd_atomic, .retry_count = RETRIES,
		.rnr_retry_count = RETRIES, .qp_num = e->qps[i].qp->qp_num,
	};

	return p;
}

/* ---- server ---- */

static int
listen_somewhere(struct rdma_join *j, char *why)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	struct sockaddr_in four = { .sin_family = AF_INET };

	if (j->l->create_id(j->channel, &j->listener, NULL, RDMA_PS_TCP))
		return errno_text("no identifier (is the module rdma_ucm loaded?)", why);
	if (j->l->bind_addr(j->listener, (struct sockaddr *)&six) &&
		    j->l->bind_addr(j->listener, (struct sockaddr *)&four))
		return errno_text("no address to listen on", why);
	return j->l->listen(j->listener, BACKLOG) ? errno_text("listen", why) : 0;
}

static json_t *
rdma_join_where(struct meas_join *pub)
{
	struct rdma_join *j = rdma_join_of(pub);
	const uint8_t *g = pub->e->route.a.raw;
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	char address[INET6_ADDRSTRLEN] = "";

	if (!memcmp(g, mapped, sizeof(mapped)))
		inet_ntop(AF_INET, g + 12, address, sizeof(address));
	else if (!pub->e->facts.gids.infiniband && g[0] != 0xfe)
		inet_ntop(AF_INET6, g, address, sizeof(address));
	return json_pack("{s:s,s:i,s:o}", "address", address, "port",
		wire_order16(j->l->get_src_port(j->listener)), "token", meas_hex(pub->token));
}

/* Handles a connection request; rejects those of others. */
static int
on_connect_request(struct rdma_join *j, struct rdma_cm_id *id, const struct rdma_conn_param *p,
	char *why)
{
	struct rdma_conn_param answer;
	uint32_t i;
	int r;

	if (!meas_join_data_read(&j->pub, p->private_data, p->private_data_len, &i) || j->ids[i] ||
		    strcmp(id->verbs->device->name, j->pub.e->facts.device)) {
		j->l->reject(id, NULL, 0);
		j->l->destroy_id(id);
		return 0;
	}
	j->ids[i] = id;
	id->context = (void *)(uintptr_t)(i + 1);
	r = to_sending(j, i, id, why);
	if (r)
		return r;
	answer = conn_param(j, i, NULL);
	answer.initiator_depth = p->responder_resources < answer.initiator_depth ?
		p->responder_resources : answer.initiator_depth;
	answer.responder_resources = p->initiator_depth < answer.responder_resources ?
		p->initiator_depth : answer.responder_resources;
	return j->l->accept(id, &answer) ? errno_text("accept", why) : 0;
}

/* ---- client ---- */

static int
find_address(struct rdma_join *j, const json_t *w, const char *host, char *why)
{
	struct meas_reader r = meas_reader(w);
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST },
		*list = NULL;
	char address[64], service[8];
	int error;

	meas_read_text(&r, "address", address, sizeof(address));
	snprintf(service, sizeof(service), "%u",
		(unsigned)meas_read_int(&r, "port", 1, UINT16_MAX));
	j->pub.token = meas_read_hex(&r, "token", UINT64_MAX);
	if (r.bad) {
		snprintf(why, VERBS_WHY_BYTES,
			"rdma_cm: the other end does not say where it listens (\"%s\")", r.bad);
		return -EINVAL;
	}
	error = getaddrinfo(address[0] ? address : host, service, &hints, &list);
	if (error || list->ai_addrlen > sizeof(j->to)) {
		snprintf(why, VERBS_WHY_BYTES, "rdma_cm: %.60s: %s", address[0] ? address : host,
			error ? gai_strerror(error) : "no address");
		if (list)
			freeaddrinfo(list);
		return -EHOSTUNREACH;
	}
	memcpy(&j->to, list->ai_addr, list->ai_addrlen);
	freeaddrinfo(list);
	snprintf(j->pub.note, sizeof(j->pub.note), "rdma_cm: %.60s port %s",
		address[0] ? address : host, service);
	return 0;
}

static int
connect_begin(struct rdma_join *j, char *why)
{
	uint32_t i = j->pub.up;

	j->begun = true;
	if (j->l->create_id(j->channel, &j->ids[i], (void *)(uintptr_t)(i + 1), RDMA_PS_TCP))
		return errno_text("no identifier (is the module rdma_ucm loaded?)", why);
	return j->l->resolve_addr(j->ids[i], NULL, (struct sockaddr *)&j->to, RESOLVE_MS) ?
		errno_text("the address cannot be resolved", why) : 0;
}

static int
on_addr_resolved(struct rdma_join *j, struct rdma_cm_id *id, char *why)
{
	const struct meas_end *e = j->pub.e;

	if (strcmp(id->verbs->device->name, e->facts.device) || id->port_num != e->facts.port) {
		snprintf(why, VERBS_WHY_BYTES, "rdma_cm: the way to that address is by %.60s port "
		"%u, not by %.60s port %u: see --ib-dev, and the routes",
			id->verbs->device->name, id->port_num, e->facts.device, e->facts.port);
		return -EHOSTUNREACH;
	}
	return j->l->resolve_route(id, RESOLVE_MS) ? errno_text("no route", why) : 0;
}

static int
connect_now(struct rdma_join *j, uint32_t i, struct rdma_cm_id *id, char *why)
{
	uint8_t data[MEAS_JOIN_DATA_BYTES];
	struct rdma_conn_param p = conn_param(j, i, data);

	meas_join_data(&j->pub, i, data);
	return j->l->connect(id, &p) ? errno_text("connect", why) : 0;
}

static int
on_connect_response(struct rdma_join *j, uint32_t i, struct rdma_cm_id *id, char *why)
{
	int r = to_sending(j, i, id, why);

	if (r)
		return r;
	if (j->l->establish(id))
		return errno_text("establish", why);
	j->pub.up++;
	j->begun = false;
	return 0;
}

/* ---- both ---- */

static int
on_rdma_event(struct rdma_join *j, enum rdma_cm_event_type type, int status, struct rdma_cm_id *id,
	const struct rdma_conn_param *p, char *why)
{
	uint32_t i = (uint32_t)(uintptr_t)id->context - 1;

	if (type == RDMA_CM_EVENT_CONNECT_REQUEST)
		return on_connect_request(j, id, p, why);
	if (i >= j->pub.e->test.qps || j->ids[i] != id)
		return 0;
	switch (type) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		return on_addr_resolved(j, id, why);
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		return connect_now(j, i, id, why);
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
		return on_connect_response(j, i, id, why);
	case RDMA_CM_EVENT_ESTABLISHED:
		/* client: iWARP has no response event before */
		if (j->pub.server || j->begun) {
			j->pub.up++;
			j->begun = false;
		}
		return 0;
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
	case RDMA_CM_EVENT_ADDR_CHANGE:
		return 0;                       /* the test itself notices it */
	default:
		snprintf(why, VERBS_WHY_BYTES, "rdma_cm: %s (status %d)", j->l->event_str(type),
			status);
		return -ECONNREFUSED;
	}
}

static int
rdma_join_turn(struct meas_join *pub, uint64_t real_ns, char *why)
{
	struct rdma_join *j = rdma_join_of(pub);
	struct rdma_cm_event *e;
	int r = 0;

	(void)real_ns;
	while (!r && !j->l->get_cm_event(j->channel, &e)) {
		enum rdma_cm_event_type type = e->event;
		struct rdma_conn_param p = e->param.conn;
		uint8_t data[MEAS_JOIN_DATA_BYTES];
		struct rdma_cm_id *id = e->id;
		int status = e->status;

		if (type == RDMA_CM_EVENT_CONNECT_REQUEST && p.private_data &&
			    p.private_data_len >= sizeof(data)) {
			/* The event owns the data, and is acknowledged here. */
			memcpy(data, p.private_data, sizeof(data));
			p.private_data = data;
		} else {
			p.private_data = NULL;
		}
		j->l->ack_cm_event(e);
		r = on_rdma_event(j, type, status, id, &p, why);
	}
	if (!r && !pub->server && !j->begun && pub->up < pub->e->test.qps)
		r = connect_begin(j, why);
	return r ? r : pub->up == pub->e->test.qps;
}

static void
rdma_join_free(struct meas_join *pub)
{
	struct rdma_join *j = rdma_join_of(pub);

	for (uint32_t i = 0; i < pub->e->test.qps; i++)
		if (j->ids[i]) {
			j->l->disconnect(j->ids[i]);
			j->l->destroy_id(j->ids[i]);
		}
	if (j->listener)
		j->l->destroy_id(j->listener);
	if (j->channel)
		j->l->destroy_event_channel(j->channel);
	free(j->ids);
	free(j);
}

static int
open_channel(struct rdma_join *j, char *why)
{
	int flags;

	j->channel = j->l->create_event_channel();
	if (!j->channel)
		return errno_text("no events (is the module rdma_ucm loaded?)", why);
	flags = fcntl(j->channel->fd, F_GETFL);
	return flags < 0 || fcntl(j->channel->fd, F_SETFL, flags | O_NONBLOCK) < 0 ?
		errno_text("no events", why) : 0;
}

int
meas_join_rdma_new(struct meas_end *e, const json_t *w, const char *host, struct meas_join **out,
	char *why)
{
	struct rdma_join *j = xcalloc(1, sizeof(*j));
	int r;

	j->pub = (struct meas_join){ .e = e, .server = !w, .turn = rdma_join_turn,
		.where = rdma_join_where, .free = rdma_join_free };
	j->ids = xcalloc(e->test.qps, sizeof(struct rdma_cm_id *));
	r = rcm_lib_load(&j->l, why, VERBS_WHY_BYTES);
	if (!r && e->test.transport != MEAS_RC) {
		snprintf(why, VERBS_WHY_BYTES, "rdma_cm connects RC only");
		r = -EINVAL;
	}
	if (r) {
		free(j->ids);
		free(j);
		return r;
	}
	r = open_channel(j, why);
	if (!r && !w && getrandom(&j->pub.token, sizeof(j->pub.token), 0) != sizeof(j->pub.token))
		r = errno_text("no random numbers", why);
	if (!r)
		r = w ? find_address(j, w, host, why) : listen_somewhere(j, why);
	if (r)
		rdma_join_free(&j->pub);
	else
		*out = &j->pub;
	return r;
}
