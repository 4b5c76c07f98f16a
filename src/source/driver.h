/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver contract. A driver is a description and three functions:
 *
 *   open   find the channels of this host and add each with wtl_source_add(). Returns 0;
 *          -ENODEV when there is nothing of the kind here; -EACCES when there is but it may not be
 *          read; any other negative errno. On failure err holds one sentence: what was looked for
 *          and the exact remedy. Channels that can be read are kept even if others can not: then
 *          open returns 0 and says what is missing by wtl_source_note(). With notes and no channel
 *          it returns 0, too: wtl_source_open() makes -EACCES or -ENODEV of them. -ENOMEM needs no
 *          sentence and is never taken for absence.
 *   read   fill out[0 .. n-1] with the channels first .. first+n-1: raw value, status (0 or a
 *          negative errno for this channel alone) and time_ns, which stays 0 unless the hardware
 *          itself tells when (CLOCK_MONOTONIC; one time for a call, that of its first channel, or
 *          WTL_DRIVER_TIMED, by which each channel is a call of its own). Does not allocate, lock, print or convert units. Returns nothing:
 *          every failure belongs to a channel. Channels with WATTLE_CHANNEL_SLOW are read on
 *          another thread than the others of the same source: two calls at once are never for
 *          the same channel, so state that read writes belongs to one channel.
 *   close  free what open made; accepts a source whose open failed half way (impl may be NULL).
 *          NULL when there is nothing but files of wtl_source_open_file() and one block at impl:
 *          those the source frees.
 *
 * A driver never unwraps, scales, names or de-duplicates: that is done once, elsewhere. It touches
 * the machine only through source->world. Its knowledge about models lies in a const table.
 */
#ifndef WTL_SOURCE_DRIVER_H
#define WTL_SOURCE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <wattle/error.h>

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
    WTL_DRIVER_ACTIVITY = 1u << 1, /* activity, not energy: recorded beside at 1 Hz */
    WTL_DRIVER_FALLBACK = 1u << 2, /* opened only when no other energy driver has a channel */
    WTL_DRIVER_MANUAL = 1u << 3,   /* opened only when named */
    WTL_DRIVER_TIMED = 1u << 4     /* readings carry times of their own, each channel another */
};

struct wtl_driver {
    const char *name;               /* "powercap" */
    const char *summary;            /* one line for "wattle sensors" */
    unsigned flags;                 /* enum wtl_driver_flags */
    const struct wtl_param *params; /* ended by a NULL name; NULL = none */
    int (*open)(struct wtl_source *source, struct wattle_error *err);
    void (*read)(struct wtl_source *source, size_t first, size_t n, struct wattle_reading *out);
    void (*close)(struct wtl_source *source);
};

/* What is being measured; drivers of activity and the estimate need it. */
struct wtl_target {
    pid_t pid;          /* root of the process tree; 0 = none */
    bool inherit;       /* the pid has not yet exec'ed: descendants can be counted by perf */
    const char *cgroup; /* absolute path of a cgroup folder; NULL = none */
};

/* What to type so that more could be measured: exact commands for a shell, as root; "" = none. */
struct wtl_remedy {
    char now[256];     /* until the next boot, or for good where lasting is "" */
    char lasting[256]; /* so that it holds after it */
};

/* An opened driver: the channels it found and its own state. */
struct wtl_source {
    const struct wtl_driver *driver;
    const struct wtl_world *world;
    struct wtl_target target;
    struct wattle_channel *channels; /* owned; fixed once open has returned */
    size_t count;
    void *impl; /* of the driver */
    int *files; /* owned; of wtl_source_open_file() */
    size_t file_count;
    struct wattle_error *notes; /* owned; what is there but could not be used, and the remedy */
    size_t note_count;
    struct wtl_remedy remedy; /* stays when open fails */
    bool forbidden;           /* something could not be opened for want of permission */
    bool out_of_memory;       /* in one of the calls below: wtl_source_open() returns -ENOMEM */
    const struct wtl_settings *settings;
};

/* Settings given from outside: one list of "driver", "key", "value". */
struct wtl_settings {
    size_t count;
    const struct wtl_setting {
        const char *driver, *key, *value;
    } * list;
};

/*
 * Open a driver on a world. On success *source is ready and must be closed with
 * wtl_source_close(). settings may be NULL and must outlive the source, as must the world.
 * Returns what the driver's open returned; -ENODEV also when it found no channel.
 */
int wtl_source_open(struct wtl_source *source,
                    const struct wtl_driver *driver,
                    const struct wtl_world *world,
                    const struct wtl_settings *settings,
                    const struct wtl_target *target,
                    struct wattle_error *err);
void wtl_source_close(struct wtl_source *source);

/* For drivers, inside open. The channel is copied; its name is made, "sensor:domain-index[-sub]". A
 * driver of activity may put a word into channel->name (a-z 0-9 _), which then stands in the
 * domain's place: "tree" gives "cputime:tree-0". Sensor, sensor and the SLOW and SIMULATED flags
 * are filled in here. Returns its number, or -ENOMEM, -EINVAL (scale not > 0, name taken). */
int wtl_source_add(struct wtl_source *source, const struct wattle_channel *channel);

/* A channel with the defaults filled in: sub -1, everything else 0. */
struct wattle_channel wtl_channel_init(enum wattle_domain domain,
                                       int index,
                                       enum wattle_quantity quantity,
                                       enum wattle_kind kind);

/* Value of a declared setting: from the settings, else the environment, else its default. */
const char *wtl_source_param(const struct wtl_source *source, const char *name);

/* For drivers, inside open: open a file to read; its path is formatted. The source closes it.
 * Returns the fd, or -errno; a refusal for want of permission is noted with its remedy. */
int wtl_source_open_file(struct wtl_source *source, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A small file as text into buf (n bytes, trailing white space removed; "" on failure): its length
 * or -errno. */
ssize_t wtl_source_text(struct wtl_source *source, char *buf, size_t n, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Remember one sentence about what could not be used and what would help. Each is kept once. */
void wtl_source_note(struct wtl_source *source, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* For drivers, inside open: the command that would help, for "wattle doctor", beside the sentence that says
 * what is missing. The first is kept. lasting may be NULL. */
void wtl_source_remedy(struct wtl_source *source, const char *lasting, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
