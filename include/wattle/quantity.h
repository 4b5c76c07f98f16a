/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fixed sets of values that wattle uses: what is measured, where, how the number behaves and
 * how far it can be trusted. The numeric values are part of the trace format and never change; new
 * ones are only added at the end. Each ..._COUNT is the number of values known to this header: a
 * newer library, or a trace written by one, may contain larger values.
 */
#ifndef WATTLE_QUANTITY_H
#define WATTLE_QUANTITY_H

#ifdef __cplusplus
extern "C" {
#endif

/* The part of the machine that a channel measures. */
enum wattle_domain {
    WATTLE_DOMAIN_NODE = 0,    /* the whole computer, at its plug or board input */
    WATTLE_DOMAIN_PSYS = 1,    /* RAPL platform domain: the platform as the processor sees it */
    WATTLE_DOMAIN_PACKAGE = 2, /* one processor socket */
    WATTLE_DOMAIN_CORE = 3,    /* the cores of a package, or one core */
    WATTLE_DOMAIN_UNCORE = 4,  /* RAPL PP1: mostly the integrated graphics */
    WATTLE_DOMAIN_DRAM = 5,    /* memory of a socket */
    WATTLE_DOMAIN_GPU = 6,
    WATTLE_DOMAIN_GPU_MEMORY = 7,
    WATTLE_DOMAIN_BOARD = 8, /* a rail or board sensor not covered by the others */
    WATTLE_DOMAIN_PSU = 9,   /* a power supply */
    WATTLE_DOMAIN_NETWORK = 10,
    WATTLE_DOMAIN_DISK = 11,
    WATTLE_DOMAIN_OTHER = 12,
    WATTLE_DOMAIN_COUNT = 13
};

/* The physical quantity; raw * scale has the unit given here. */
enum wattle_quantity {
    WATTLE_ENERGY = 0,      /* joules */
    WATTLE_POWER = 1,       /* watts */
    WATTLE_CPU_TIME = 2,    /* seconds of processor time */
    WATTLE_FREQUENCY = 3,   /* hertz */
    WATTLE_TEMPERATURE = 4, /* degrees Celsius */
    WATTLE_EVENTS = 5,      /* events */
    WATTLE_BYTES = 6,       /* bytes */
    WATTLE_RATIO = 7,       /* 1 = all */
    WATTLE_POWER_LIMIT = 8, /* watts allowed, not consumed: never part of a total */
    WATTLE_QUANTITY_COUNT = 9
};

/* How the raw number changes over time. */
enum wattle_kind {
    WATTLE_COUNTER = 0,        /* increases, and wraps at the channel's modulus */
    WATTLE_GAUGE = 1,          /* the value at the time of reading (two's complement) */
    WATTLE_WINDOW_AVERAGE = 2, /* the mean over window_ns before the reading */
    WATTLE_KIND_COUNT = 3
};

/* How far the number can be trusted. Sums never mix estimates with the others. */
enum wattle_quality {
    WATTLE_MEASURED = 0,  /* read from a sensor */
    WATTLE_DERIVED = 1,   /* computed from measured values by a stated formula */
    WATTLE_ESTIMATED = 2, /* computed by a model, not from a sensor */
    WATTLE_QUALITY_COUNT = 3
};

/* Lower-case names as used in channel names, tables and JSON; "?" for a value out of range.
 * Static storage. Safe from any thread. Since 0.1. */
const char *wattle_domain_name(enum wattle_domain domain);
const char *wattle_quantity_name(enum wattle_quantity quantity);
const char *wattle_quantity_unit(enum wattle_quantity quantity);
const char *wattle_kind_name(enum wattle_kind kind);
const char *wattle_quality_name(enum wattle_quality quality);

#ifdef __cplusplus
}
#endif
#endif
