/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The world: everything outside the process that sensors, counters and recording access, behind one table of
 * functions. main() selects the real one; tests inject a recorded host (a folder that contains sys/, proc/,
 * dev/ and a script of values over time) or the simulated node in memory. Nothing in src/sensors and
 * src/counters calls the operating system except through here.
 *
 * A peer is anything that answers requests (a device with ioctl(2), a serial line, a socket, a program that
 * is started). It is opened by its address, and every call that may block has a deadline on CLOCK_MONOTONIC,
 * after which it returns -ETIMEDOUT; with a deadline in the past the call polls without waiting.
 *
 * Paths are absolute as a program sees them ("/sys/class/powercap"); the world decides where they are stored.
 * Functions return negative errno values. All are safe from any thread unless noted otherwise.
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

/* The bytes that a pointer in the argument of an ioctl refers to. */
struct wtl_ioctl_part {
    size_t at; /* offset of the pointer in the block */
    void *data;
    size_t size;
};

/*
 * A call of ioctl(2) as plain bytes, so that it can be recorded and replayed from a file: pointers in the
 * block are 0 before and after the call, and anything not filled in, especially buffers for answers, is 0
 * before the call. The total size is at most WTL_ASKED.
 */
struct wtl_ioctl {
    unsigned long request;
    void *block; /* the argument; NULL = none */
    size_t size;
    const struct wtl_ioctl_part *parts;
    size_t part_count;
};

/* Memory of another process, mapped for reading. */
struct wtl_memory {
    const void *at; /* NULL = none */
    size_t size;
};

enum { WTL_ASKED = 4096 }; /* size of the longest request that a recorded host can answer */

struct wtl_world_ops {
    /* Open a file or folder for reading (O_CLOEXEC is added): fd, or -errno. A signal does not interrupt
     * this call and the next two: only sleeping may return -EINTR. */
    int (*open)(const struct wtl_world *world, const char *path, int flags);
    void (*close)(const struct wtl_world *world, int fd);
    ssize_t (*pread)(const struct wtl_world *world, int fd, void *buf, size_t n, off_t offset);
    /* read(2), for descriptors that cannot seek (perf events). */
    ssize_t (*read)(const struct wtl_world *world, int fd, void *buf, size_t n);
    /* Target of a symbolic link, NUL-terminated: its length, or -errno. */
    ssize_t (*readlink)(const struct wtl_world *world, const char *path, char *buf, size_t n);
    /* Names in a folder (without "." and ".."), in natural order ("cpu2" < "cpu10"), in one malloc'ed
     * block of pointers and text that the caller frees: count, or -errno. */
    int (*list)(const struct wtl_world *world, const char *path, char ***ret_names);
    /* Whether the path exists. */
    bool (*exists)(const struct wtl_world *world, const char *path);
    /* Replace the content of an existing file by one write(2), as the kernel's settings require: 0, or -errno.
     * Safe in a forked process. Used by src/control only. NULL in a world that cannot be changed: use
     * wtl_world_put(). */
    int (*put)(const struct wtl_world *world, const char *path, const char *text);
    /* Whether this process may do so: 0, -EACCES, -EROFS, ... NULL: root may. */
    int (*may_put)(const struct wtl_world *world, const char *path);

    uint64_t (*now_ns)(const struct wtl_world *world, clockid_t clock);
    /* Sleep until CLOCK_MONOTONIC reaches the deadline; 0, or -EINTR. */
    int (*sleep_until)(const struct wtl_world *world, uint64_t deadline_ns);

    int (*perf_event_open)(const struct wtl_world *world,
                           struct perf_event_attr *attr,
                           pid_t pid,
                           int cpu,
                           int group_fd,
                           unsigned long flags);
    /* Model-specific registers of one logical CPU: an fd, then reads by register number. */
    int (*msr_open)(const struct wtl_world *world, int cpu);
    int (*msr_read)(const struct wtl_world *world, int fd, uint32_t reg, uint64_t *ret_value);
    /* x86 CPUID: 0, or -ENOTSUP elsewhere. regs = eax ebx ecx edx. */
    int (*cpuid)(const struct wtl_world *world, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

    /*
     * Open a peer for reading and writing: an fd for the calls below and close(), or -errno.
     *
     *     /dev/ipmi0                      a device
     *     tty:/dev/ttyUSB0:9600:8N1       a serial line: baud, bits, parity (N, E, O), stop bits; raw, without flow control;
     *                                     -EBUSY while another process that locks it, as wattle does (flock(2)), uses it
     *     tcp:HOST:PORT, udp:HOST:PORT    a socket; PORT is a number, an IPv6 address is in [ ]
     *     unix:PATH, packet:PATH          a local socket of bytes, or of packets
     *
     * A numeric HOST needs no resolver. A name is resolved on a separate thread, which is waited for until
     * the deadline, at least one second (base/errand.h). -EINVAL: not a valid address; -EADDRNOTAVAIL:
     * unknown host. NULL in a world without peers: use wtl_world_connect().
     */
    int (*connect)(const struct wtl_world *world, const char *address, uint64_t deadline_ns);
    /* Send all n bytes: 0, or -errno; after -ETIMEDOUT some may have been sent. Never raises SIGPIPE. */
    int (*send)(const struct wtl_world *world,
                int fd,
                const void *data,
                size_t n,
                uint64_t deadline_ns);
    /* Receive available data, at least one byte: the count; 0 = closed by the other end; -EMSGSIZE = a
     * datagram longer than n. */
    ssize_t (
        *recv)(const struct wtl_world *world, int fd, void *buf, size_t n, uint64_t deadline_ns);
    /* Receive a packet, and map for reading the memory that came with it, if no process can change its
     * size: its length, and the mapping, NULL = none came, or it is not safe to read. Does not allocate. NULL
     * in a world without such peers: use wtl_world_recv_memory(). */
    ssize_t (*recv_memory)(const struct wtl_world *world,
                           int fd,
                           void *buf,
                           size_t n,
                           struct wtl_memory *ret_memory,
                           uint64_t deadline_ns);
    void (*unmap)(const struct wtl_world *world, struct wtl_memory memory);
    /* Wait until data can be received, or fetched by ioctl: 0, -ETIMEDOUT. */
    int (*wait)(const struct wtl_world *world, int fd, uint64_t deadline_ns);
    /* ioctl(2): its result, or -errno. Without a deadline: only for requests that the kernel answers
     * immediately. */
    int (*ioctl)(const struct wtl_world *world, int fd, const struct wtl_ioctl *call);

    /*
     * Start a program without a shell, argv[0] being a path or found in PATH: an fd from which its standard
     * output is received, and its process in *ret_child, or -errno. It has no input, its stderr is discarded,
     * its messages are those of the C locale, and it leads a process group. Each is followed by close() and
     * reap(). NULL if no process can be started, as inside another program, whose wait() would receive it:
     * use wtl_world_spawn().
     */
    int (*spawn)(const struct wtl_world *world, const char *const argv[], pid_t *ret_child);
    /*
     * Start one of wattle's own programs (argv[0] is its name) as a peer: a descriptor for send, recv and wait that is its
     * standard input and output. Otherwise as spawn; close() ends its input, upon which it ends. A recorded host has it as the
     * peer "exec:" with requests. NULL if no process can be started: use wtl_world_converse().
     */
    int (*converse)(const struct wtl_world *world, const char *const argv[], pid_t *ret_child);
    /* Wait for its end: its exit status, or 128 plus the number of the signal that ended it. At the
     * deadline it is killed: -ETIMEDOUT. Remaining processes of its group are killed in any case. */
    int (*reap)(const struct wtl_world *world, pid_t child, uint64_t deadline_ns);

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
    bool virtual_time; /* sleeping advances the clock immediately; nothing waits */
    bool simulated;    /* values of sensors are simulated here: channels are marked accordingly */
};

/* The machine this process runs on. Static; simulated is set when WATTLE_SIMULATED is in the environment
 * (set by wattle-sim), so that simulated watts are never mistaken for real ones. */
const struct wtl_world *wtl_world_real(void);

/* The same for a library inside another program, which may close descriptors and whose environment may be
 * untrusted: see world_library.c and environment.h. Descriptors have their own numbers there. Static. */
const struct wtl_world *wtl_world_library(void);

/*
 * A recorded host: folder `path` as described in docs/format/host.md, with a virtual clock that starts at
 * 1000 s. The caller owns *ret_world and frees it with wtl_world_close(). Returns 0, -ENOENT, -EBADMSG with
 * the line of the script that cannot be parsed.
 */
int wtl_world_recorded(const char *path, struct wtl_world **ret_world, struct wattle_error *err);
void wtl_world_close(struct wtl_world *world); /* accepts NULL, the real world and the library's */

/* Convenience functions on top of the table. */
uint64_t wtl_world_monotonic(const struct wtl_world *world);

/* Like put, connect, spawn, converse and recv_memory; -ENOTSUP in a world without them. */
int wtl_world_put(const struct wtl_world *world, const char *path, const char *text);
int wtl_world_may_put(const struct wtl_world *world, const char *path);
int wtl_world_connect(const struct wtl_world *world, const char *address, uint64_t deadline_ns);
int wtl_world_spawn(const struct wtl_world *world, const char *const argv[], pid_t *ret_child);
int wtl_world_converse(const struct wtl_world *world, const char *const argv[], pid_t *ret_child);
ssize_t wtl_world_recv_memory(const struct wtl_world *world,
                              int fd,
                              void *buf,
                              size_t n,
                              struct wtl_memory *ret_memory,
                              uint64_t deadline_ns);

/* Read a whole small file as text into buf (n bytes, NUL-terminated, trailing white space removed): its
 * length, or -errno; -EOVERFLOW when it does not fit. */
ssize_t wtl_world_text(const struct wtl_world *world, const char *path, char *buf, size_t n);

/* Read a whole file of any size, NUL-terminated, malloc'ed for the caller: length, or -errno. */
ssize_t wtl_world_slurp(const struct wtl_world *world, const char *path, char **ret_text);

/* Read a file that holds one decimal number: 0, -EBADMSG when it holds something else, or -errno. */
int wtl_world_u64(const struct wtl_world *world, const char *path, uint64_t *ret_value);

/* Read one decimal number, possibly negative, from an open file at offset 0; it may be followed by white
 * space and then anything (a unit, more numbers). Does not allocate. 0, -EBADMSG, or -errno. */
int wtl_world_pread_u64(const struct wtl_world *world, int fd, uint64_t *ret_value);
int wtl_world_pread_i64(const struct wtl_world *world, int fd, int64_t *ret_value);

#endif
