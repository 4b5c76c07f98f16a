/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Seat: of all processes of a job on a node, one measures. It is elected by a lock on a small file
 * that is named by node and job; the kernel releases the lock when its holder dies, for whatever
 * reason.
 *
 *     wtl_seat_key_of(world, &key);                   key.job "" = not shared: measure
 *     wtl_seat_open(world, &key, &seat, err);         a member from here on
 *     if (wtl_seat_try(seat) == 1)                    this process measures
 *         wtl_seat_publish(seat, &note);              where the others find the trace and its spools
 *     else if (wtl_seat_look(seat, ns, &note) == 0)   another process does, and says where
 *         ... wtl_seat_try() now and then: 1 = the holder has died; the note of look is its note
 *     wtl_seat_wait_members(seat, ns);                the holder: until the others are done
 *     wtl_seat_hand_over(seat, &note) or wtl_seat_close(seat);   the holder, while others continue or at the end
 *     wtl_seat_part(seat, 0, &note);                  the others; 1 = the last one finishes what is left
 *
 * The file is in a folder that belongs to this user only, on this node: $WATTLE_SEATS, else
 * $XDG_RUNTIME_DIR/wattle, else /dev/shm/wattle-UID, else /tmp/wattle-UID. Locks are those of open
 * file descriptions (fcntl(2), F_OFD_SETLK), so they work between threads and survive a fork; the
 * file is closed on exec. A seat belongs to one thread at a time.
 */
#ifndef WTL_RECORD_SEAT_H
#define WTL_RECORD_SEAT_H

#include <stdint.h>
#include <sys/types.h>

#include <wattle/error.h>

#include "base/world/world.h"

struct wtl_seat;

struct wtl_seat_key {
    char node[128]; /* WATTLE_NODE, else "<host name>:<first 8 of the boot id>" */
    char name[64];  /* node name for display: WATTLE_NODE, else the host name; printable */
    char job[192];  /* "" = this process is not part of a job */
};

/* What the holder publishes to the others. */
struct wtl_seat_note {
    char trace[512]; /* absolute path; "" = none */
    char spool[512]; /* folder for WATTLE_SPOOL; "" = none */
    char run_id[64];
    pid_t pid;           /* pid of the holder, set by publish; 0 = handed over */
    uint64_t generation; /* 1 = the first holder's; set by publish */
};

/* What the members' commands used, as far as reported. */
struct wtl_seat_usage {
    double cpu_s;         /* user and system, with waited-for children */
    double max_rss_bytes; /* maximum RSS of a member */
    uint32_t members;     /* that have joined, including the caller */
    uint32_t told;        /* number of those that have reported */
};

/* Node and job of this process. 0, or -errno when the host has no name. */
int wtl_seat_key_of(const struct wtl_world *world, struct wtl_seat_key *ret_key);

/* What a trace records about this: node.name, node.key and run.id (WATTLE_RUN_ID, else the job's,
 * else a generated one). emit receives one pair; key and value are valid during the call only. */
void wtl_seat_describe(const struct wtl_world *world,
                       void (*emit)(void *context, const char *key, const char *value),
                       void *context);

/* Only run.id; "" = none. */
void wtl_seat_run_id(const struct wtl_world *world, char run_id[64]);

/* The folder of this user on this node, created if missing. 0; -EPERM, or why it cannot be created,
 * with a message. */
int wtl_seat_folder(const struct wtl_world *world, char *path, size_t n, struct wattle_error *err);

/*
 * Join. Leftovers of a job of the same name whose processes are all dead are discarded. 0; -EINVAL
 * for a key without a job; -EPERM if the folder is a link or belongs to another user; -EPROTO if
 * another version of wattle is in use there; or why it cannot be created, each with a message.
 */
int wtl_seat_open(const struct wtl_world *world,
                  const struct wtl_seat_key *key,
                  struct wtl_seat **ret_seat,
                  struct wattle_error *err);

/* 1 = the caller has the seat, now or from before; 0 = another process has it; or -errno. */
int wtl_seat_try(struct wtl_seat *seat);

/* Give the seat back but stay a member: nothing was measured. 0 or -errno. */
int wtl_seat_leave(struct wtl_seat *seat);

/* For the holder; may be called again. 0, -EPERM for others, or the errno of a failed write. */
int wtl_seat_publish(struct wtl_seat *seat, const struct wtl_seat_note *note);

/*
 * The newest note, waiting up to wait_ns for one (0 = check once). 0; -EAGAIN if nothing was
 * published in that time, or it was withdrawn. The note of a dead holder remains, so that another
 * can continue from it.
 */
int wtl_seat_look(struct wtl_seat *seat, uint64_t wait_ns, struct wtl_seat_note *ret_note);

/* Report what this member's command used; a later call replaces the value. 0 or -errno. */
int wtl_seat_tell_usage(struct wtl_seat *seat, double cpu_s, double max_rss_bytes);

/* The sum over all members that have reported. 0 or -errno. */
int wtl_seat_usage(struct wtl_seat *seat, struct wtl_seat_usage *ret_usage);

/* For the holder, before it finishes: 0 = all other members have left, and who comes now finds no note: it waits until the
 * seat is free, and measures by itself. -ETIMEDOUT after wait_ns (0 = check once). */
int wtl_seat_wait_members(struct wtl_seat *seat, uint64_t wait_ns);

/*
 * The two ways to leave while the measurement may have to continue. They exclude each other, so
 * that exactly one process is left to finish, whatever the order.
 *
 * hand_over: for a holder that ends while others continue. The note stays for the next holder, with
 * pid 0, which means that no process was killed. Release the trace before. part: for a member that
 * is not the holder; while another one measures, it waits up to linger_ns for that to end, no
 * longer a member.
 *
 * 0 = it has left, and the seat is free. 1 = it is the only one left, and there is a note to
 * continue from: it now has the seat, finishes, and closes. Both accept NULL: 0.
 */
int wtl_seat_hand_over(struct wtl_seat *seat, struct wtl_seat_note *ret_note);
int wtl_seat_part(struct wtl_seat *seat, uint64_t linger_ns, struct wtl_seat_note *ret_note);

/*
 * How long a process that has ended without notifying its launcher lingers as it parts: MPICH's
 * launcher kills the others when it sees the first one exit, while the measuring process still has
 * a trace to finish. 0 = not at all.
 */
uint64_t wtl_seat_linger_ns(const struct wtl_world *world);

/* In the child of a fork: close its copy without giving up the parent's locks. Accepts NULL. */
void wtl_seat_forget(struct wtl_seat *seat);

/* Leave. A holder's note is withdrawn first: it has ended normally, and there is nothing to
 * continue from. The last member removes the file. Accepts NULL. */
void wtl_seat_close(struct wtl_seat *seat);

#endif
