/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * job.h - work that takes long and belongs into another thread: routing, verifying, comparing,
 * indexing, freeing.
 * Room: sm/subnet.
 *
 * What a job reads is const while it waits and runs; what it changes nobody else looks at.  What
 * the manager lets go of is freed by a job too, behind all that may read it: so jobs run one after
 * the other, in the order they were handed out, and nothing counts references.  subnet_hand_out()
 * gives a job to the runner; manager_job_done() takes it back.
 */
#ifndef HEDDLE_SM_SUBNET_JOB_H
#define HEDDLE_SM_SUBNET_JOB_H

struct job {
	void (*run)(struct job *j);             /* once, on any thread; logs nothing */
	void (*drop)(struct job *j);            /* frees it and what it holds, run or not */
	struct job *next;                       /* the runner's */
};

#endif
