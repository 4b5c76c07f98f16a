/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver contract. A driver is a description and three functions:
 *
 *   open   find the channels of this host and add each with wtl_source_add(). Returns 0;
 *          -ENODEV when the hardware is not present; -EACCES when it is present but may not be
 *          read; any other negative errno. On failure err holds one sentence: what was looked for
 *          and the exact remedy. Channels that can be read are kept even if others cannot be: then
 *          open returns 0 and reports what is missing with wtl_source_note(). With notes and no
 *          channel it also returns 0: wtl_source_open() converts this to -EACCES or -ENODEV. -ENOMEM
 *          needs no sentence and is never treated as absence.
 *   read   fill out[0 .. n-1] with the channels first .. first+n-1: raw value, status (0 or a
 *          negative errno for this channel only) and time_ns, which stays 0 unless the hardware
 *          supplies the time itself (CLOCK_MONOTONIC; one time per call, that of its first channel,
 *          or with WTL_DRIVER_TIMED one call per channel). Does not allocate, lock, print or convert
 *          units. Returns nothing: every failure belongs to a channel. Channels with
 *          WATTLE_CHANNEL_SLOW are read on a different thread from the others of the same source:
 *          two concurrent calls are never for the same channel, so state written by read must
 *          belong to one channel.
 *   close  free what open allocated; accepts a source whose open failed half way (impl may be NULL).
 *          NULL if there is nothing but files of wtl_source_open_file() and one block at impl:
 *          the source frees those.
 *
 * A driver never unwraps, scales, names or de-duplicates: that is done in one place elsewhere. It accesses
 * the machine only through source->world. Its knowledge about models is in a const table.
 */
#ifndef WTL_SOURCE_DRIVER_H
#define WTL_SOURCE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <wattle/error.h>
#include <wattle/quantity.h>

#include "base/world/world.h"
#include "model/reading.h"

struct wtl_source;

/* A setting of a driver: read with wtl_source_param(); set by [sensor NAME] in wattle.conf, by
 * WATTLE_<DRIVER>_<NAME> in the environment or by --sensor NAME:key=value. */
struct wtl_param {
    const char *name;         /* "curve" */
    const char *default_text; /* "" = none */
    const char *help;         /* one sentence */
};

enum wtl_driver_flags {
    WTL_DRIVER_SLOW = 1u << 0,     /* reads may take more than 1 ms: own thread */
    WTL_DRIVER_ACTIVITY = 1u << 1, /* activity, not energy: recorded in addition, at 1 Hz */
    WTL_DRIVER_FALLBACK = 1u << 2, /* opened only when no other energy driver has a channel */
    WTL_DRIVER_MANUAL = 1u << 3,   /* opened only when named */
    WTL_DRIVER_TIMED = 1u << 4,    /* readings have their own times, one per channel; the same time
                                    * again: nothing new */
    WTL_DRIVER_COUNTERS = 1u << 6, /* an activity driver for the counter set of the target: opened
                                    * only if there is one, recorded at an interval of its own */
    WTL_DRIVER_ADDRESS = 1u << 7,  /* its first setting may be given without its key: NAME:VALUE */
    WTL_DRIVER_BRISK = 1u << 8,    /* with SLOW: reads rarely take that long, so that its own thread
                                    * keeps the pace of the other sensors */
    WTL_DRIVER_RELAY = 1u << 5     /* shows channels of other drivers under their names: opened only
                                    * where these cannot be read */
};

struct wtl_driver {
    const char *name;               /* "powercap" */
    const char *summary;            /* one line for "wattle sensors" */
    unsigned flags;                 /* enum wtl_driver_flags */
    const struct wtl_param *params; /* ended by a NULL name; NULL = none */
    int (*open)(struct wtl_source *source, struct wattle_error *err);
    void (*read)(struct wtl_source *source, size_t first, size_t n, struct wattle_reading *out);
    void (*close)(struct wtl_source *source);
    /* Whether opening may take seconds on this machine: it is then begun before other drivers are opened, on a thread of its
     * own. NULL: it never does. */
    bool (*is_lengthy)(const struct wtl_world *world);
};

struct wtl_counter_set;

/* What a counter set is counted for. */
enum wtl_counted {
    WTL_COUNTED_AUTO, /* the cgroup or the process tree of the target, else the machine */
    WTL_COUNTED_MACHINE,
    WTL_COUNTED_TREE,
    WTL_COUNTED_CGROUP,
    WTL_COUNTED_PROCESS /* its present threads, without its children */
};

/* What is being measured; needed by activity drivers and the estimate. */
struct wtl_target {
    pid_t pid;          /* root of the process tree; 0 = none */
    bool inherit;       /* the pid has not called exec yet: perf can count descendants */
    const char *cgroup; /* absolute path of a cgroup folder; NULL = none */
    /* Counter set to record; NULL = none. Must outlive the world. */
    const struct wtl_counter_set *counters;
    enum wtl_counted scope; /* of the set */
};

/* A part of the machine: as in struct wattle_channel. */
struct wtl_lack {
    enum wattle_domain domain;
    int index, sub;
};

/* Commands that would allow more to be measured: exact shell commands, as root; "" = none. */
struct wtl_remedy {
    char now[256];     /* until the next boot, or permanently if lasting is "" */
    char lasting[256]; /* makes it persist across boots */
};

/* An opened driver: the channels it found and its own state. */
struct wtl_source {
    const struct wtl_driver *driver;
    const struct wtl_world *world;
    struct wtl_target target;
    struct wattle_channel *channels; /* owned; fixed once open has returned */
    size_t count;
    void *impl; /* of the driver */
    int *files; /* owned; opened by wtl_source_open_file() */
    size_t file_count;
    struct wattle_error *notes; /* owned; what is present but unusable, and the remedy */
    size_t note_count;
    struct wtl_lack *lacks; /* owned; what is present but cannot be read */
    size_t lack_count;
    struct wtl_remedy remedy; /* kept when open fails */
    char about[256];    /* what it is on this machine: replaces the summary; "" = nothing to say */
    bool forbidden;     /* something could not be opened for lack of permission */
    bool out_of_memory; /* in one of the calls below: wtl_source_open() returns -ENOMEM */
    const struct wtl_settings *settings;
};

/* Settings from the outside: one list of "driver", "key", "value". */
struct wtl_settings {
    size_t count;
    const struct wtl_setting {
        const char *driver, *key, *value;
    } * list;
};

/*
 * Open a driver on a world. On success *source is ready and must be closed with wtl_source_close(). settings
 * may be NULL and must outlive the source, as must the world. Returns the result of the driver's open; also
 * -ENODEV when it found no channel.
 */
int wtl_source_open(struct wtl_source *source,
                    const struct wtl_driver *driver,
                    const struct wtl_world *world,
                    const struct wtl_settings *settings,
                    const struct wtl_target *target,
                    struct wattle_error *err);
void wtl_source_close(struct wtl_source *source);

/*
 * For drivers, inside open. The channel is copied; its name is generated, "sensor:domain-index[-sub]". An
 * activity driver may put a word into channel->name (a-z 0-9 _), which then replaces the domain: "tree" gives
 * "cputime:tree-0". The sensor (unless it is a relay) and the SLOW and SIMULATED flags are filled in here. Returns the channel's
 * number, or -ENOMEM, or -EINVAL (scale not > 0, name taken).
 */
int wtl_source_add(struct wtl_source *source, const struct wattle_channel *channel);

/* A channel with defaults filled in: sub -1, everything else 0. */
struct wattle_channel wtl_channel_init(enum wattle_domain domain,
                                       int index,
                                       enum wattle_quantity quantity,
                                       enum wattle_kind kind);

/* Value of a declared setting: from the settings, else the environment, else its default. */
const char *wtl_source_param(const struct wtl_source *source, const char *name);

/* For drivers, inside open: open a file for reading; its path is formatted. The source closes it. Returns
 * the fd, or -errno; if permission is denied, a note with the remedy is added. */
int wtl_source_open_file(struct wtl_source *source, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Read a small file as text into buf (n bytes, trailing white space removed; "" on failure): its length or
 * -errno. */
ssize_t wtl_source_text(struct wtl_source *source, char *buf, size_t n, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Note in one sentence what could not be used and what would help. Duplicates are dropped. */
void wtl_source_note(struct wtl_source *source, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* For drivers, inside open: this part of the machine is present but cannot be read. A total without it says so. */
void wtl_source_lack(struct wtl_source *source, const struct wtl_lack *place);

/* For drivers, inside open: the command that would help, shown by "wattle doctor" with the sentence about
 * what is missing. Only the first is kept. lasting may be NULL. */
void wtl_source_remedy(struct wtl_source *source, const char *lasting, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
