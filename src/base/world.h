/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The world: everything outside of the process that sensors, counters and recording touch, behind
 * one table of functions. The real one is made in main(); tests inject a recorded host (a folder
 * that holds sys/, proc/, dev/ and a script of values over time) or the simulated node in memory.
 * Nothing in src/sensors and src/counters calls the operating system but through here.
 *
 * Paths are absolute as a program sees them ("/sys/class/powercap"); the world decides where they
 * lie. Functions return negative errno values. All are safe from any thread unless said otherwise.
 */
#ifndef WTL_BASE_WORLD_H
#define WTL_BASE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/utsname.h>
#include <time.h>

#include <wattle/error.h>

struct perf_event_attr;
struct wtl_world;

struct wtl_world_ops {
    /* Open a file or folder for reading (O_CLOEXEC is added): fd, or -errno. A signal does not end
     * this and the next two: only sleeping may give -EINTR. */
    int (*open)(const struct wtl_world *world, const char *path, int flags);
    void (*close)(const struct wtl_world *world, int fd);
    ssize_t (*pread)(const struct wtl_world *world, int fd, void *buf, size_t n, off_t offset);
    /* read(2), for descriptors that cannot seek (perf events, sockets). */
    ssize_t (*read)(const struct wtl_world *world, int fd, void *buf, size_t n);
    /* Target of a symbolic link, NUL terminated: its length, or -errno. */
    ssize_t (*readlink)(const struct wtl_world *world, const char *path, char *buf, size_t n);
    /* Names in a folder ("." and ".." left out), sorted by natural order ("cpu2" < "cpu10"), one
     * malloc'ed block of pointers and text that the caller frees: count, or -errno. */
    int (*list)(const struct wtl_world *world, const char *path, char ***ret_names);
    /* Does the path exist? */
    bool (*exists)(const struct wtl_world *world, const char *path);

    uint64_t (*now_ns)(const struct wtl_world *world, clockid_t clock);
    /* Sleep until CLOCK_MONOTONIC reaches the deadline; 0, or -EINTR. */
    int (*sleep_until)(const struct wtl_world *world, uint64_t deadline_ns);

    int (*perf_event_open)(const struct wtl_world *world,
                           struct perf_event_attr *attr,
                           pid_t pid,
                           int cpu,
                           int group_fd,
                           unsigned long flags);
    /* Model specific registers of one logical CPU: an fd, then reads by register number. */
    int (*msr_open)(const struct wtl_world *world, int cpu);
    int (*msr_read)(const struct wtl_world *world, int fd, uint32_t reg, uint64_t *ret_value);
    /* x86 CPUID: 0, or -ENOTSUP elsewhere. regs = eax ebx ecx edx. */
    int (*cpuid)(const struct wtl_world *world, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

    void *(*dlopen)(const struct wtl_world *world, const char *soname);
    void *(*dlsym)(const struct wtl_world *world, void *handle, const char *symbol);
    void (*dlclose)(const struct wtl_world *world, void *handle);

    const char *(*getenv)(const struct wtl_world *world, const char *name);
    long (*sysconf)(const struct wtl_world *world, int name);
    int (*uname)(const struct wtl_world *world, struct utsname *ret_name);
    uid_t (*geteuid)(const struct wtl_world *world);
};

struct wtl_world {
    const struct wtl_world_ops *ops;
    void *impl;        /* of the implementation */
    bool virtual_time; /* sleeping advances the clock at once; nothing waits */
    bool simulated;    /* what sensors show here is made up: channels are marked so */
};

/* The machine this process runs on. Static; simulated is set when WATTLE_SIMULATED is in the
 * environment (wattle-sim sets it), so that simulated watts are never taken for real ones. */
const struct wtl_world *wtl_world_real(void);

/* The same for a library in somebody's program, which closes descriptors and has an environment that may not be trusted: see
 * world_library.c and environment.h. Descriptors are its own numbers there. Static. */
const struct wtl_world *wtl_world_library(void);

/*
 * A recorded host: folder `path` as described in docs/format/host.md, with a virtual clock that
 * starts at 1000 s. *ret_world is the caller's, freed by wtl_world_close().
 * Returns 0, -ENOENT, -EBADMSG with the line of the script that cannot be read.
 */
int wtl_world_recorded(const char *path, struct wtl_world **ret_world, struct wattle_error *err);
void wtl_world_close(struct wtl_world *world); /* accepts NULL, the real one, the library's */

/* Shorthands over the table. */
uint64_t wtl_world_monotonic(const struct wtl_world *world);

/* Whole small file as text into buf (n bytes, NUL terminated, trailing white space removed):
 * its length, or -errno; -EOVERFLOW when it does not fit. */
ssize_t wtl_world_text(const struct wtl_world *world, const char *path, char *buf, size_t n);

/* Whole file of any size, NUL terminated, malloc'ed for the caller: length, or -errno. */
ssize_t wtl_world_slurp(const struct wtl_world *world, const char *path, char **ret_text);

/* A file that holds one decimal number: 0, -EBADMSG when it holds something else, or -errno. */
int wtl_world_u64(const struct wtl_world *world, const char *path, uint64_t *ret_value);

/* One decimal number, possibly negative, from an open file at offset 0; behind it may stand white
 * space and then anything (a unit, more numbers). Does not allocate. 0, -EBADMSG, or -errno. */
int wtl_world_pread_u64(const struct wtl_world *world, int fd, uint64_t *ret_value);
int wtl_world_pread_i64(const struct wtl_world *world, int fd, int64_t *ret_value);

#endif
