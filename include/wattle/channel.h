/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A channel is one sensor, one domain and one index, named "sensor:domain-index[-sub]", for example
 * "powercap:package-0". Activity channels may have another word in place of the domain
 * ("cputime:tree-0"). All members are constant once the sensor is open.
 *
 * The library owns channels and lends const pointers to them. A later release may add members at
 * the end of the structure: do not make arrays of it and do not depend on its sizeof. Strings are
 * UTF-8, NUL-terminated and never longer than the arrays declared here.
 */
#ifndef WATTLE_CHANNEL_H
#define WATTLE_CHANNEL_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/quantity.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Size of a channel name, including its NUL. */
#define WATTLE_NAME_MAX 48

/*
 * Bits of struct wattle_channel.flags. More may be added: test only for the bits you need. If a
 * trace of a newer version sets one of bits 16 to 31, this version does not know what the values
 * mean: they read as NaN.
 */
enum wattle_channel_flags {
    WATTLE_CHANNEL_PRIMARY = 1u << 0,   /* preferred source for its domain and index */
    WATTLE_CHANNEL_SIMULATED = 1u << 1, /* belongs to a simulated node */
    WATTLE_CHANNEL_SLOW = 1u << 2,      /* read on the thread for slow sensors */
    WATTLE_CHANNEL_IN_TOTAL = 1u << 3,  /* its energy is part of the total: the sum over the
                                           channels with this flag counts nothing twice */
    WATTLE_CHANNEL_RELAYED = 1u << 4,   /* read by wattled, whose page is read here */
    WATTLE_CHANNEL_COARSE = 1u << 5,    /* its rate and resolution are reduced by the site */
    WATTLE_CHANNEL_AWAKE = 1u << 6,     /* what it measures always draws power: a counter that
                                           stands still has failed. Packages, memory and nodes do
                                           so without this flag */
    WATTLE_CHANNEL_ASLEEP = 1u << 7     /* its device was suspended when it was opened: it is
                                           read, and part of a total, once the device is awake */
};

struct wattle_channel {
    char name[WATTLE_NAME_MAX];   /* "powercap:package-0" */
    char sensor[16];              /* the driver: "powercap" */
    char within[WATTLE_NAME_MAX]; /* name of the channel that contains this one, or "" */
    char location[160];           /* path, event or register it is read from */
    char label[32];               /* name given by the machine ("package-0", "PSU1"), or "" */
    enum wattle_domain domain;
    int index; /* socket, card, supply: >= 0 */
    int sub;   /* core or rail below the index; -1 = none */
    enum wattle_quantity quantity;
    enum wattle_kind kind;
    enum wattle_quality quality;
    unsigned flags;               /* enum wattle_channel_flags */
    double scale;                 /* unit of the quantity per raw tick, > 0 */
    uint64_t modulus;             /* a counter's raw values are 0 .. modulus-1; 0 = 2^64 */
    uint64_t refresh_ns;          /* claimed update period of the hardware; 0 = unknown */
    uint64_t window_ns;           /* averaging window of a window average; 0 = unknown */
    double max_w;                 /* upper bound of the power, to detect lost wraps; 0 = unknown */
    double ratio_low, ratio_high; /* estimates: 95 % interval of true / shown value; 0 0 =
                                     unknown */
};

#ifdef __cplusplus
}
#endif
#endif
