// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Virtual channel adapters: InfiniBand adapters that have only the two management queue pairs, and
 * a character device as their link.
 *
 * Each open file of /dev/heddle-vca is one adapter.  An ioctl creates it, and closing the file
 * unplugs it, even while programs use it.  read() returns the frames that the adapter sends, and
 * write() delivers frames to it (vca_frame.h).  `heddle-sim serve --vca` at the other end carries
 * the frames through a simulated fabric.  The kernel's MAD layer, ib_umad and all programs above
 * them are unmodified.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "vca.h"

struct vca_file {
	struct mutex lock;
	struct vca_dev *dev;		/* NULL: not created yet */
};

/* ---- frames to the reader ---- */

bool vca_emit_send(struct vca_dev *d, const u8 frame[VCA_FRAME_BYTES], struct vca_qp *qp, u64 wr_id, u32 bytes)
{
	unsigned long flags;
	bool room, reader;

	spin_lock_irqsave(&d->ring_lock, flags);
	reader = !d->unplugged;
	room = reader && d->head - d->tail < VCA_RING;
	if (room) {
		struct vca_slot *slot = &d->ring[d->head++ % VCA_RING];

		memcpy(slot->frame, frame, VCA_FRAME_BYTES);
		slot->qp = qp;
		slot->wr_id = wr_id;
		slot->bytes = bytes;
	}
	spin_unlock_irqrestore(&d->ring_lock, flags);
	if (room)
		wake_up_interruptible(&d->wait);
	else if (reader)
		atomic64_inc(&d->lost);
	return room;
}

static bool vca_take(struct vca_dev *d, u8 frame[VCA_FRAME_BYTES])
{
	unsigned long flags;
	bool any;

	spin_lock_irqsave(&d->ring_lock, flags);
	any = d->head != d->tail;
	if (any) {
		const struct vca_slot *slot = &d->ring[d->tail++ % VCA_RING];

		memcpy(frame, slot->frame, VCA_FRAME_BYTES);
		if (slot->qp)
			vca_sent(slot->qp, slot->wr_id, slot->bytes);
	}
	spin_unlock_irqrestore(&d->ring_lock, flags);
	return any;
}

void vca_forget(struct vca_dev *d, const struct vca_qp *qp)
{
	unsigned int i;

	spin_lock_irq(&d->ring_lock);
	for (i = d->tail; i != d->head; i++)
		if (d->ring[i % VCA_RING].qp == qp)
			d->ring[i % VCA_RING].qp = NULL;
	spin_unlock_irq(&d->ring_lock);
}

static bool vca_waiting(struct vca_dev *d)
{
	return READ_ONCE(d->head) != READ_ONCE(d->tail);
}

void vca_tell(struct vca_dev *d, u32 port, const struct sma_news *news)
{
	u8 f[VCA_FRAME_BYTES];

	if (!news->set && !news->caps)
		return;
	vca_frame_begin(f, news->set ? VCA_SET : VCA_PORT, port);
	sma_put16(f + VCA_AT_ATTR, news->attr);
	sma_put32(f + VCA_AT_MODIFIER, news->modifier);
	sma_put32(f + VCA_AT_LIFE, d->sma.port[port - 1].life);
	memcpy(f + VCA_AT_DATA, news->data, VCA_DATA_BYTES);
	vca_emit(d, f);
}

/* ---- traps ---- */

void vca_arm(struct vca_dev *d)
{
	u64 at, now = vca_now_ms();

	if (sma_deadline(&d->sma, &at))
		mod_delayed_work(system_wq, &d->timer, msecs_to_jiffies(at > now ? (unsigned int)(at - now) : 0));
}

static void vca_timer(struct work_struct *work)
{
	struct vca_dev *d = container_of(to_delayed_work(work), struct vca_dev, timer);
	u64 now = vca_now_ms();
	u8 f[VCA_FRAME_BYTES];
	u32 port;

	spin_lock_irq(&d->lock);
	for (port = 1; port <= d->sma.nports; port++) {
		const u8 *info = d->sma.port[port - 1].info;

		vca_frame_begin(f, VCA_MAD, port);
		while (sma_trap(&d->sma, port, now, f + VCA_AT_MAD)) {
			memcpy(f + VCA_AT_SLID, info + PI_LID, 2);
			memcpy(f + VCA_AT_DLID, info + PI_SMLID, 2);
			f[VCA_AT_SL] = info[PI_MTU_SMSL] & 15;
			vca_emit(d, f);
		}
	}
	vca_arm(d);
	spin_unlock_irq(&d->lock);
}

/* ---- adapters ---- */

static void vca_free(struct vca_dev *d)
{
	cancel_delayed_work_sync(&d->timer);
	kvfree(d->ring);
	ib_dealloc_device(&d->ib);
}

static struct vca_dev *vca_new(const struct vca_create *c)
{
	struct vca_dev *d = ib_alloc_device(vca_dev, ib);
	int ret = -ENOMEM;

	if (!d)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&d->lock);
	spin_lock_init(&d->ring_lock);
	init_waitqueue_head(&d->wait);
	INIT_DELAYED_WORK(&d->timer, vca_timer);
	d->ring = kvcalloc(VCA_RING, sizeof(*d->ring), GFP_KERNEL);
	if (!d->ring)
		goto fail;
	ret = -EINVAL;
	if (!sma_init(&d->sma, c))
		goto fail;
	d->ib.node_guid = cpu_to_be64(sma_get64(c->node_info + 12));
	memcpy(d->ib.node_desc, c->node_desc, sizeof(c->node_desc));
	d->ib.phys_port_cnt = c->nports;
	d->ib.num_comp_vectors = 1;
	d->ib.node_type = RDMA_NODE_IB_CA;
	ib_set_device_ops(&d->ib, &vca_ops);
	/* No DMA device: the core hands over kernel addresses. */
	ret = ib_register_device(&d->ib, "vca%d", NULL);
	if (!ret)
		return d;
fail:
	vca_free(d);
	return ERR_PTR(ret);
}

/*
 * Completes all queued sends, and makes later ones fail to queue so that they complete at once:
 * ib_unregister_device() waits for clients that wait for their sends.
 */
static void vca_unplug(struct vca_dev *d)
{
	u8 frame[VCA_FRAME_BYTES];

	spin_lock_irq(&d->ring_lock);
	d->unplugged = true;
	spin_unlock_irq(&d->ring_lock);
	while (vca_take(d, frame))
		;
	ib_unregister_device(&d->ib);
	vca_free(d);
}

/* ---- the character device ---- */

static int vca_fop_open(struct inode *inode, struct file *file)
{
	struct vca_file *f = kzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	mutex_init(&f->lock);
	file->private_data = f;
	return nonseekable_open(inode, file);
}

static int vca_fop_release(struct inode *inode, struct file *file)
{
	struct vca_file *f = file->private_data;

	if (f->dev)
		vca_unplug(f->dev);
	kfree(f);
	return 0;
}

static long vca_fop_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct vca_file *f = file->private_data;
	struct vca_create c;
	struct vca_dev *d;
	long ret = 0;

	if (cmd != VCA_CREATE)
		return -ENOTTY;
	if (copy_from_user(&c, (void __user *)arg, sizeof(c)))
		return -EFAULT;
	mutex_lock(&f->lock);
	if (f->dev) {
		ret = -EEXIST;
	} else {
		d = vca_new(&c);
		if (IS_ERR(d))
			ret = PTR_ERR(d);
		else
			smp_store_release(&f->dev, d);
	}
	mutex_unlock(&f->lock);
	return ret;
}

/* The adapter of a file, NULL before the ioctl.  It exists until the file is closed. */
static struct vca_dev *vca_of(struct file *file)
{
	struct vca_file *f = file->private_data;

	return smp_load_acquire(&f->dev);
}

static ssize_t vca_fop_read(struct file *file, char __user *buf, size_t n, loff_t *pos)
{
	struct vca_dev *d = vca_of(file);
	u8 frame[VCA_FRAME_BYTES];
	int ret;

	if (!d)
		return -ENODEV;
	if (n < VCA_FRAME_BYTES)
		return -EINVAL;
	while (!vca_take(d, frame)) {
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		ret = wait_event_interruptible(d->wait, vca_waiting(d));
		if (ret)
			return ret;
	}
	return copy_to_user(buf, frame, VCA_FRAME_BYTES) ? -EFAULT : VCA_FRAME_BYTES;
}

static void vca_link(struct vca_dev *d, u32 port, const u8 f[VCA_FRAME_BYTES])
{
	struct sma_news news = { 0 };

	spin_lock_irq(&d->lock);
	sma_link(&d->sma, port, sma_get32(f + VCA_AT_LIFE), f + VCA_AT_DATA, &news);
	spin_unlock_irq(&d->lock);
	vca_events(d, port, news.events);
}

static int vca_frame(struct vca_dev *d, const u8 f[VCA_FRAME_BYTES])
{
	u32 port = f[VCA_AT_PORT];

	if (f[VCA_AT_VERSION] != VCA_VERSION || !port || port > d->sma.nports)
		return -EINVAL;
	switch (f[VCA_AT_KIND]) {
	case VCA_MAD:
		return vca_deliver(d, port, f);
	case VCA_LINK:
		vca_link(d, port, f);
		return 0;
	default:
		return -EINVAL;
	}
}

/*
 * Never waits, even without O_NONBLOCK: a packet for which no receive is posted fails with EAGAIN,
 * and poll() reports when to try again.
 */
static ssize_t vca_fop_write(struct file *file, const char __user *buf, size_t n, loff_t *pos)
{
	struct vca_dev *d = vca_of(file);
	u8 frame[VCA_FRAME_BYTES];
	int ret = -EINVAL;

	if (!d)
		return -ENODEV;
	if (n == VCA_FRAME_BYTES) {
		if (copy_from_user(frame, buf, n))
			return -EFAULT;
		ret = vca_frame(d, frame);
	}
	if (ret == -EINVAL)
		atomic64_inc(&d->refused);
	return ret ? ret : VCA_FRAME_BYTES;
}

static __poll_t vca_fop_poll(struct file *file, poll_table *wait)
{
	struct vca_dev *d = vca_of(file);

	if (!d)
		return EPOLLERR;
	poll_wait(file, &d->wait, wait);
	return (vca_writable(d) ? EPOLLOUT | EPOLLWRNORM : 0) | (vca_waiting(d) ? EPOLLIN | EPOLLRDNORM : 0);
}

static const struct file_operations vca_fops = {
	.owner = THIS_MODULE,
	.open = vca_fop_open,
	.release = vca_fop_release,
	.read = vca_fop_read,
	.write = vca_fop_write,
	.poll = vca_fop_poll,
	.unlocked_ioctl = vca_fop_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice vca_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "heddle-vca",
	.fops = &vca_fops,
	.mode = 0600,
};

module_misc_device(vca_misc);
MODULE_DESCRIPTION("virtual InfiniBand channel adapters with a character device as their link");
MODULE_LICENSE("Dual BSD/GPL");
