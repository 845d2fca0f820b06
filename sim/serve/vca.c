/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * vca.c - carries frames between devices of virtual adapters and the fabric.
 * Room: sim/serve.
 *
 * vca.h explains virtual adapters.  Each one has a descriptor in the event loop: frames of the
 * device become packets and Sets in sim/hw, and packets and link changes of sim/hw become frames.
 *
 * Invariants: devices are not trusted, so a frame is decoded completely before it has any effect,
 * and invalid frames are counted.  The server never waits for a device: frames that the device does
 * not accept are queued, and dropped when the queue is full.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "libmad/wire/wire.h"
#include "libmad/attr/sm_attr.h"
#include "sim/serve/vca.h"
#include "sim/serve/vca_wire.h"
#include "util/xalloc.h"

#define BATCH 64                /* maximum number of frames of one device per pass */
#define NODE_LIST_MAX 4096
/* size of the queue of a device; a MAD layer has fewer outstanding requests */
#define BACKLOG_MAX 8192
#define CLOSE_S 2               /* maximum time of waiting for a close */

struct vca {
	struct vca *next;
	struct server *server;
	char *device;
	uint32_t node;
	int fd;                         /* -1: none */
	uint32_t life;                  /* life of the node when the device was opened */
	uint32_t link_life[VCA_PORTS];  /* as last sent to the device */
	uint8_t nports;
	sd_event_source *source;
	uint8_t (*backlog)[VCA_FRAME_BYTES];    /* a ring of BACKLOG_MAX, allocated on use */
	uint32_t backlog_head, backlog_n;
	struct vca_stats stats;
};

static const char *
name_of(const struct vca *v)
{
	return hw_node_topo(v->server->hw, v->node)->desc;
}

/* ---- opening ---- */

static void
describe(const struct vca *v, struct vca_create *c)
{
	struct hw_port_view view;

	memset(c, 0, sizeof(*c));
	c->version = VCA_VERSION;
	c->nports = v->nports;
	for (uint8_t i = 0; i < v->nports; i++) {
		if (hw_port_view(v->server->hw, v->node, (uint8_t)(i + 1), &view))
			continue;
		c->port_guid[i] = view.guid;
		memcpy(c->node_info, view.node_info, sizeof(c->node_info));
		memcpy(c->node_desc, view.desc, sizeof(c->node_desc));
		memcpy(c->port_info[i], view.info, sizeof(c->port_info[i]));
	}
}

static int
open_socket(const char *path, const struct vca_create *c)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd, r;

	if (strlen(path) >= sizeof(a.sun_path))
		return -ENAMETOOLONG;
	memcpy(a.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (!connect(fd, (struct sockaddr *)&a, sizeof(a)) && send(fd, c, sizeof(*c),
	    MSG_NOSIGNAL) == (ssize_t)sizeof(*c))
		return fd;
	r = -errno;
	close(fd);
	return r;
}

static int
open_device(const char *path, const struct vca_create *c)
{
	struct stat st;
	int fd, r;

	if (!stat(path, &st) && S_ISSOCK(st.st_mode))
		return open_socket(path, c);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, VCA_CREATE, c) >= 0)
		return fd;
	r = errno == ENOTTY ? -ENXIO : -errno;
	close(fd);
	return r;
}

static int on_frames(sd_event_source *source, int fd, uint32_t events, void *arg);

static int
vca_open(struct vca *v)
{
	struct vca_create c;
	int r;

	describe(v, &c);
	v->life = hw_node_life(v->server->hw, v->node);
	v->fd = open_device(v->device, &c);
	if (v->fd < 0) {
		r = v->fd;
		v->fd = -1;
		return r;
	}
	memset(v->link_life, 0, sizeof(v->link_life));  /* the first flush sends all link states */
	return sd_event_add_io(v->server->event, &v->source, v->fd, EPOLLIN, on_frames, v);
}

/* A descriptor that another thread closes.  The waiting thread frees it; if that thread has given
 * up, the closing thread does. */
struct closing {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	int fd;
	bool closed, given_up;
};

static struct closing *
closing_new(int fd)
{
	struct closing *c = xcalloc(1, sizeof(*c));
	pthread_condattr_t clock;

	c->fd = fd;
	pthread_mutex_init(&c->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&c->ended, &clock);
	pthread_condattr_destroy(&clock);
	return c;
}

static void
closing_free(struct closing *c)
{
	pthread_cond_destroy(&c->ended);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static void *
close_descriptor(void *arg)
{
	struct closing *c = arg;
	bool last;

	close(c->fd);
	pthread_mutex_lock(&c->lock);
	c->closed = true;
	last = c->given_up;
	pthread_cond_signal(&c->ended);
	pthread_mutex_unlock(&c->lock);
	if (last)
		closing_free(c);
	return NULL;
}

/* Waits until the descriptor is closed, at most CLOSE_S.  Returns false if it is still open; the
 * closing thread then frees 'c'. */
static bool
wait_closed(struct closing *c)
{
	struct timespec until;
	bool closed;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += CLOSE_S;
	pthread_mutex_lock(&c->lock);
	while (!c->closed && pthread_cond_timedwait(&c->ended, &c->lock, &until) == 0)
		;
	closed = c->closed;
	c->given_up = !closed;
	pthread_mutex_unlock(&c->lock);
	return closed;
}

/*
 * Closes the descriptor of a device.  The kernel then removes the adapter and first ends
 * outstanding operations, also of other adapters.  This can require that frames of those adapters
 * are read, which only this thread does.  So another thread closes the descriptor, and this
 * thread waits for a limited time.
 */
static void
close_device(struct vca *v)
{
	struct closing *c = closing_new(v->fd);
	pthread_t t;

	if (pthread_create(&t, NULL, close_descriptor, c)) {
		close(v->fd);
		closing_free(c);
	} else if (wait_closed(c)) {
		pthread_join(t, NULL);
		closing_free(c);
	} else {
		pthread_detach(t);
		fprintf(stderr,
			"heddle-sim: %s: %s: the kernel has not removed the adapter after %d s; continuing\n",
			name_of(v), v->device, CLOSE_S);
	}
}

/* Closes the device of an adapter.  The kernel's adapter is gone when this returns, or will be
 * soon; sim/hw clears IsSM of its ports. */
static void
vca_shut(struct vca *v)
{
	v->source = sd_event_source_disable_unref(v->source);
	if (v->fd >= 0)
		close_device(v);
	v->fd = -1;
	v->backlog_n = 0;
	for (uint8_t i = 1; i <= v->nports; i++)
		hw_set_issm(v->server->hw, v->node, i, false, server_now());
}

/* Handles a device that failed: switches the node off, as if the adapter was removed.  When the
 * operator switches it on, the device is opened again. */
static void
vca_fail(struct vca *v, int error)
{
	fprintf(stderr,
		"heddle-sim: %s: %s: %s; the node is off now ('ctl power' switches it on)\n",
		name_of(v), v->device, error ? strerror(-error) : "the other end has closed it");
	vca_shut(v);
	hw_node_power(v->server->hw, v->node, false, server_now());
	v->life = hw_node_life(v->server->hw, v->node);
}

/* ---- frames ---- */

static bool
frame_put(struct vca *v, const uint8_t w[VCA_FRAME_BYTES])
{
	if (write(v->fd, w, VCA_FRAME_BYTES) == VCA_FRAME_BYTES)
		v->stats.out++;
	else if (errno == EAGAIN)
		return false;
	else
		v->stats.lost++;
	return true;
}

/* Sends a frame to the device.  Frames that it does not accept now wait in order. */
static void
frames_give(struct vca *v, struct vca_frame *f)
{
	uint8_t w[VCA_FRAME_BYTES];

	if (v->fd < 0)
		return;
	if (f->kind == VCA_MAD)
		vca_route_to_cable(f->packet.mad);
	vca_frame_encode(w, f);
	if (!v->backlog_n && frame_put(v, w))
		return;
	if (v->backlog_n == BACKLOG_MAX) {
		v->stats.lost++;
		return;
	}
	if (!v->backlog)
		v->backlog = xreallocarray(NULL, BACKLOG_MAX, sizeof(*v->backlog));
	if (!v->backlog_n)
		sd_event_source_set_io_events(v->source, EPOLLIN | EPOLLOUT);
	memcpy(v->backlog[(v->backlog_head + v->backlog_n++) % BACKLOG_MAX], w, sizeof(w));
}

static void
give_backlog(struct vca *v)
{
	while (v->backlog_n && frame_put(v, v->backlog[v->backlog_head])) {
		v->backlog_head = (v->backlog_head + 1) % BACKLOG_MAX;
		v->backlog_n--;
	}
	if (!v->backlog_n)
		sd_event_source_set_io_events(v->source, EPOLLIN);
}

static void
frame_take(struct vca *v, const uint8_t *w, size_t bytes)
{
	struct hw *h = v->server->hw;
	struct vca_frame f;
	int r = vca_frame_decode(w, bytes, &f);

	if (!r && (!f.port || f.port > v->nports))
		r = -EBADMSG;
	if (r)
		goto out;
	switch ((enum vca_kind)f.kind) {
	case VCA_MAD:
		vca_route_from_cable(f.packet.mad);
		r = hw_send(h, v->node, f.port, &f.packet, server_now());
		break;
	case VCA_SET:
		r = hw_away_reported(h, v->node, f.port, f.life, f.attr_id, f.modifier, f.data,
			server_now());
		break;
	case VCA_PORT:
		r = hw_away_caps(h, v->node, f.port, (uint32_t)ATTR_GET(port_info, capability_mask,
			f.data));
		break;
	case VCA_LINK:
		r = -EBADMSG;           /* only the server sends LINK */
		break;
	}
out:
	v->stats.in += !r;
	v->stats.refused += r != 0;
}

static int
on_frames(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct vca *v = arg;
	uint8_t w[VCA_FRAME_BYTES + 1];

	(void)source;
	if (events & EPOLLOUT && v->backlog_n)
		give_backlog(v);
	for (unsigned i = 0; i < BATCH && v->fd >= 0; i++) {
		ssize_t n = read(fd, w, sizeof(w));

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n <= 0)
			vca_fail(v, n < 0 ? -errno : 0);
		else
			frame_take(v, w, (size_t)n);
	}
	return 0;
}

/* Closes the device of a node that was switched off, and opens that of a node that was switched
 * on. */
static void
follow_node(struct vca *v)
{
	uint32_t life = hw_node_life(v->server->hw, v->node);
	int r;

	if (life == v->life)
		return;
	v->life = life;
	vca_shut(v);
	r = life ? vca_open(v) : 0;
	if (r < 0)
		vca_fail(v, r);
}

static void
follow_links(struct vca *v)
{
	for (uint8_t i = 1; i <= v->nports && v->fd >= 0; i++) {
		struct vca_frame f = { .kind = VCA_LINK, .port = i,
			.life = hw_link_life(v->server->hw, v->node, i) };

		if (f.life == v->link_life[i - 1] || hw_port_info(v->server->hw, v->node, i,
		    f.data))
			continue;
		v->link_life[i - 1] = f.life;
		frames_give(v, &f);
	}
}

static struct vca *
vca_find(const struct server *s, uint32_t node)
{
	struct vca *v = s->vcas;

	while (v && v->node != node)
		v = v->next;
	return v;
}

void
vca_flush(struct server *s)
{
	struct vca_frame f = { .kind = VCA_MAD };
	struct hw_delivery d;

	if (!s->vcas)
		return;
	for (struct vca *v = s->vcas; v; v = v->next) {
		follow_node(v);
		follow_links(v);
	}
	while (hw_next_away(s->hw, &d)) {
		struct vca *v = vca_find(s, d.node);

		f.port = d.port;
		f.packet = d.packet;
		if (v)
			frames_give(v, &f);
	}
}

/* ---- which nodes ---- */

static int
add_node(struct server *s, const char *device, const char *name, char why[VCA_WHY])
{
	struct vca *v, **last = &s->vcas;
	uint32_t node;
	int r = hw_node_find(s->hw, name, &node);

	if (r) {
		snprintf(why, VCA_WHY,
			r == -ENOTUNIQ ?
				"'%.100s' is the description of several nodes: use the id or the GUID" :
				"no node '%.100s'; expected an id of the file, a GUID (0x...) or a description",
			name);
		return r;
	}
	if (hw_node_topo(s->hw, node)->type != TOPO_CA || hw_node_topo(s->hw, node)->nports >
	    VCA_PORTS) {
		snprintf(why, VCA_WHY, "'%.100s' is not a channel adapter with at most %d ports", name,
			VCA_PORTS);
		return -EINVAL;
	}
	if (hw_away(s->hw, node)) {
		snprintf(why, VCA_WHY, "'%.100s' is named twice", name);
		return -EEXIST;
	}
	hw_away_set(s->hw, node);
	v = xcalloc(1, sizeof(*v));
	v->server = s;
	v->device = xstrdup(device);
	v->node = node;
	v->nports = hw_node_topo(s->hw, node)->nports;
	v->fd = -1;
	while (*last)
		last = &(*last)->next;
	*last = v;
	return 0;
}

int
vca_add(struct server *s, const char *device, const char *names, char why[VCA_WHY])
{
	char *list, *name, *rest;
	int r = 0;

	if (strlen(names) > NODE_LIST_MAX) {
		snprintf(why, VCA_WHY, "the list of nodes is longer than %d bytes", NODE_LIST_MAX);
		return -E2BIG;
	}
	list = xstrdup(names);
	for (name = strtok_r(list, ",", &rest); !r && name; name = strtok_r(NULL, ",", &rest))
		r = add_node(s, device, name, why);
	if (!r && !s->vcas) {
		snprintf(why, VCA_WHY, "no node is named");
		r = -EINVAL;
	}
	free(list);
	return r;
}

int
vca_start(struct server *s)
{
	for (struct vca *v = s->vcas; v; v = v->next) {
		int r = vca_open(v);

		if (r < 0) {
			fprintf(stderr,
				"heddle-sim serve: %s: cannot make an adapter of %s: %s%s\n",
				v->device, name_of(v), strerror(-r),
				r == -ENOENT ? " (is the module loaded?)" : "");
			return r;
		}
	}
	vca_flush(s);
	return 0;
}

void
vca_close_all(struct server *s)
{
	struct vca *v;

	while ((v = s->vcas)) {
		s->vcas = v->next;
		vca_shut(v);
		free(v->backlog);
		free(v->device);
		free(v);
	}
}

json_t *
vca_json(const struct server *s)
{
	json_t *list = s->vcas ? json_object() : NULL;

	for (const struct vca *v = s->vcas; v; v = v->next)
		json_object_set_new(list, hw_node_topo(s->hw, v->node)->id,
			json_pack("{s:i,s:I,s:I,s:I,s:I}", "open", v->fd >= 0, "frames_in",
			(json_int_t)v->stats.in, "frames_out", (json_int_t)v->stats.out,
			"refused", (json_int_t)v->stats.refused, "lost",
			(json_int_t)v->stats.lost));
	return list;
}
