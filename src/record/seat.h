/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Seat: of all processes of a job on a node, one measures. It is elected by a lock on a small file that
 * is named by node and job; the kernel gives the lock back when its holder dies, whatever it died of.
 *
 *     wtl_seat_key_of(world, &key);                   key.job "" = nobody to share with: measure
 *     wtl_seat_open(world, &key, &seat, err);         a member from here on
 *     if (wtl_seat_try(seat) == 1)                    this process measures
 *         wtl_seat_publish(seat, &note);              where the others find the trace and its spools
 *     else if (wtl_seat_look(seat, ns, &note) == 0)   somebody else does, and says where
 *         ... wtl_seat_try() now and then: 1 = the holder has died, and its note is the one of look
 *     wtl_seat_wait_members(seat, ns);                the holder: until the others are done
 *     wtl_seat_hand_over(seat, &note) or wtl_seat_close(seat);   the holder, with others that go on or without
 *     wtl_seat_part(seat, 0, &note);                  the others; 1 = the last one finishes what was left
 *
 * The file lies in a folder of this user alone on this node: $WATTLE_SEATS, else $XDG_RUNTIME_DIR/wattle,
 * else /dev/shm/wattle-UID, else /tmp/wattle-UID. Locks are those of open file descriptions (fcntl(2),
 * F_OFD_SETLK), so they hold between threads' processes and survive a fork; the file is closed by exec.
 * A seat belongs to one thread at a time.
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
    char name[64];  /* of the node, for people: WATTLE_NODE, else the host name; printable */
    char job[192];  /* "" = this process stands alone */
};

/* What the holder says to the others. */
struct wtl_seat_note {
    char trace[512]; /* absolute path; "" = there is none */
    char spool[512]; /* folder for WATTLE_SPOOL; "" = there is none */
    char run_id[64];
    pid_t pid;           /* of the holder, filled in by publish; 0 = it has handed over */
    uint64_t generation; /* 1 = the first holder's; filled in by publish */
};

/* What the members' commands used, when they have left word. */
struct wtl_seat_usage {
    double cpu_s;         /* user and system, with waited-for children */
    double max_rss_bytes; /* of the largest */
    uint32_t members;     /* that have joined, the caller included */
    uint32_t told;        /* of them: how many have left word */
};

/* Node and job of this process. 0, or -errno when the host has no name. */
int wtl_seat_key_of(const struct wtl_world *world, struct wtl_seat_key *ret_key);

/* What a trace says about this: node.name, node.key and run.id (WATTLE_RUN_ID, else the job's, else one of
 * its own). emit receives one pair; key and value live for the call only. */
void wtl_seat_describe(const struct wtl_world *world,
                       void (*emit)(void *context, const char *key, const char *value),
                       void *context);

/* run.id alone; "" = there is none. */
void wtl_seat_run_id(const struct wtl_world *world, char run_id[64]);

/* The folder of this user on this node, made where it is not there. 0; -EPERM, or why it cannot be made, with
 * a sentence. */
int wtl_seat_folder(const struct wtl_world *world, char *path, size_t n, struct wattle_error *err);

/*
 * Join. What a job of the same name left there, all of it dead, is forgotten. 0; -EINVAL for a key
 * without a job; -EPERM when the folder is a link or somebody else's; -EPROTO when another version of
 * wattle is at work there; or why it cannot be made, each with a sentence.
 */
int wtl_seat_open(const struct wtl_world *world,
                  const struct wtl_seat_key *key,
                  struct wtl_seat **ret_seat,
                  struct wattle_error *err);

/* 1 = the caller has the seat, now or from before; 0 = somebody else has; or -errno. */
int wtl_seat_try(struct wtl_seat *seat);

/* Give the seat back, and stay a member: nothing was measured. 0 or -errno. */
int wtl_seat_leave(struct wtl_seat *seat);

/* By the holder; the note may be given again. 0, -EPERM to others, or the errno of a failed write. */
int wtl_seat_publish(struct wtl_seat *seat, const struct wtl_seat_note *note);

/*
 * The newest note, waiting for one up to wait_ns (0 = look once). 0; -EAGAIN when nothing was published in
 * that time, or it was withdrawn. The note of a holder that has died stays: to go on from.
 */
int wtl_seat_look(struct wtl_seat *seat, uint64_t wait_ns, struct wtl_seat_note *ret_note);

/* What this member's command used; given again it replaces. 0 or -errno. */
int wtl_seat_tell_usage(struct wtl_seat *seat, double cpu_s, double max_rss_bytes);

/* The sum over all members that have left word. 0 or -errno. */
int wtl_seat_usage(struct wtl_seat *seat, struct wtl_seat_usage *ret_usage);

/* By the holder: 0 = all other members have gone, -ETIMEDOUT after wait_ns (0 = look once). */
int wtl_seat_wait_members(struct wtl_seat *seat, uint64_t wait_ns);

/*
 * The two ways to end while the measurement may have to go on. They exclude each other, so that exactly one process
 * is left with what is to be finished, whoever comes first.
 *
 * hand_over: by a holder that ends while others go on. The note stays for the next holder, with pid 0: nobody was killed. The
 * trace must be let go before. part: by a member that is no holder; while another one measures it waits up to linger_ns for its
 * end, no longer a member.
 *
 * 0 = it has left, and the seat is freed. 1 = it is the only one left, and a note is there to go on from: it has the seat
 * now, finishes, and closes. Both accept NULL: 0.
 */
int wtl_seat_hand_over(struct wtl_seat *seat, struct wtl_seat_note *ret_note);
int wtl_seat_part(struct wtl_seat *seat, uint64_t linger_ns, struct wtl_seat_note *ret_note);

/*
 * So long a process that has ended without a word to its launcher lingers as it parts: where it is MPICH's, that kills the others when it sees
 * the first one go, and the one that measures has a trace to finish. 0 = not at all.
 */
uint64_t wtl_seat_linger_ns(const struct wtl_world *world);

/* In the child of a fork: close its copy without giving up the parent's locks. Accepts NULL. */
void wtl_seat_forget(struct wtl_seat *seat);

/* Leave. A holder's note is withdrawn first: it has ended in order, and nobody is to go on from there.
 * The last member removes the file. Accepts NULL. */
void wtl_seat_close(struct wtl_seat *seat);

#endif
