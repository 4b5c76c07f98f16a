/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The layout of the energy page (docs/format/page.md): of the node, published by wattled, and of a
 * run. To read one, include <wattle/page.h>.
 */
#ifndef WATTLE_PAGE_LAYOUT_H
#define WATTLE_PAGE_LAYOUT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WATTLE_PAGE_MAGIC   "WTLENRGY"
#define WATTLE_PAGE_VERSION 2

enum { WATTLE_PAGE_LEVELS = 22, WATTLE_PAGE_RING = 64, WATTLE_PAGE_CHANNELS_MAX = 1024 };

enum wattle_page_state {
    WATTLE_PAGE_LIVE = 1,
    WATTLE_PAGE_ENDED = 2,  /* the measurement is over */
    WATTLE_PAGE_RETIRED = 3 /* another page has replaced it, or the right to read was revoked: ask
                               again */
};

enum wattle_page_detail {
    WATTLE_PAGE_FULL = 1,
    WATTLE_PAGE_COARSE = 2 /* rate and resolution reduced by the site */
};

/* A channel's totals at the time of one of its samples. */
struct wattle_page_point {
    uint64_t time_ns;    /* CLOCK_MONOTONIC; 0 = none */
    double energy_j;     /* since the first sample, or since boot on a page of wattled */
    double variance_j2;  /* of energy_j, for a gauge: the time between samples */
    uint64_t unknown_ns; /* time not included in energy_j */
};

/* What a channel shows now. */
struct wattle_page_now {
    uint64_t time_ns; /* of the newest sample, CLOCK_MONOTONIC; 0 = none yet */
    double energy_j;  /* as above */
    double variance_j2;
    uint64_t unknown_ns;
    uint64_t
        changed_ns; /* first sample that showed the newest value: the counter ticked at or before
                            it ... */
    uint64_t before_ns; /* ... and after this one; 0 = unknown */
    double power_w;     /* mean over the power_ns before changed_ns; NaN = not known yet */
    uint64_t
        power_ns;   /* whole ticks of a counter, at least 20 of them; 0: a gauge's newest value */
    uint64_t count; /* samples in the rings */
    uint64_t raw;   /* newest reading as the sensor shows it, and its time */
    uint64_t raw_ns;
    uint64_t ticks;   /* of a counter, unwrapped: energy_j = ticks x scale less what was wrong */
    uint32_t status;  /* 0; else errno of the reads that fail now: nothing is known since time_ns */
    uint32_t quality; /* enum wattle_quality */
    uint64_t since_ns; /* the first sample that energy_j includes: energies of one channel whose
                          since_ns differ were counted anew in between, and have no difference */
    uint64_t
        half_ns; /* half the duration of the read of the newest sample: it is of time_ns +- this */
    double
        off_w; /* of a gauge: half of the steps in which it shows its power, by which energy_j may be
                     off for each second; 0 = none */
};

/* Written before the magic and never changed. */
struct wattle_page_channel {
    char name[48]; /* as in <wattle/channel.h>, and so on */
    char sensor[16];
    char within[48];
    char location[160];
    char label[32];
    char leaks[112]; /* what its readings can reveal about others on the node; "" on the page of a
                        run */
    uint32_t domain, quantity, kind, quality, flags;
    int32_t index, sub;
    uint32_t reserved;
    double scale;
    uint64_t refresh_ns, window_ns;
    double max_w, ratio_low, ratio_high;
    uint64_t more[2];
};

struct wattle_page_header {
    char magic[8]; /* stored last */
    uint32_t version, header_size, channel_size, slot_size, channel_count;
    uint32_t levels, ring; /* in each slot */
    uint32_t state;        /* enum wattle_page_state */
    uint32_t pid;          /* of the writer */
    uint32_t detail;       /* enum wattle_page_detail */
    uint64_t key;          /* identifies this page: its creation time */
    uint64_t generation;   /* of wattled's pages since boot, from 1; 0 = page of a run */
    uint64_t start_ns;     /* start of the window of a run; 0 = not yet */
    uint64_t interval_ns;  /* between samples at present */
    uint64_t beat_ns;      /* the writer last read its sensors */
    char boot_id[40];
    char writer[64]; /* "wattled 0.1.0" */
    uint64_t reserved[8];
};

struct wattle_page_slot {
    uint64_t sequence; /* now[sequence & 1] is complete */
    uint64_t reserved[3];
    struct wattle_page_point start; /* at the start of a run's window, interpolated; its time is
                                       stored last */
    struct wattle_page_now now[2];
    struct wattle_page_point rings[WATTLE_PAGE_LEVELS][WATTLE_PAGE_RING];
};

#ifdef __cplusplus
}
#endif
#endif
