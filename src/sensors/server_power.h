/* SPDX-License-Identifier: BSD-3-Clause */
/* Idle and full-load watts of a server, at the wall, from its components: the tables and their use. The
 * model is that of scripts/power_model.py; docs/decisions explains the choice. */
#ifndef WTL_SENSORS_SERVER_POWER_H
#define WTL_SENSORS_SERVER_POWER_H

#include <stdint.h>

#include "sensors/cpu_family.h"
#include "sensors/cpu_key.h"

/* How much is known about the machine, from most to least; the order of wtl_power_intervals. */
enum wtl_power_tier {
    WTL_POWER_MODEL,     /* servers with this processor are in the table */
    WTL_POWER_TDP,       /* family and thermal design power */
    WTL_POWER_FAMILY,    /* family */
    WTL_POWER_TDP_ONLY,  /* thermal design power of an unknown family */
    WTL_POWER_GENERIC,   /* sockets, cores, memory */
    WTL_POWER_GIVEN,     /* idle and full watts from the settings */
    WTL_POWER_POINTS,    /* a curve from the settings */
    WTL_POWER_VM_FAMILY, /* threads of a host of a known family */
    WTL_POWER_VM,        /* threads of an unknown host */
    WTL_POWER_TIER_COUNT
};

struct wtl_cpu_tdp {
    char key[WTL_CPU_KEY_MAX];
    uint16_t tdp_dw; /* 0.1 W; 0 = unknown */
    uint8_t family;  /* enum wtl_cpu_family */
};

struct wtl_server_cpu {
    char key[WTL_CPU_KEY_MAX];
    uint16_t servers;
    float idle, full; /* deviation of ln watts from the regression */
};

#define WTL_POWER_REGRESSORS 7

struct wtl_power_fit {
    struct {
        double plain[WTL_POWER_REGRESSORS]; /* 1, ln of chips, cores, memory, GHz; SMT; ln TDP */
        double family[WTL_CPU_FAMILY_COUNT];
    } idle, full;
};

struct wtl_power_interval {
    double low, high; /* truth / shown */
};

struct wtl_thread_watts {
    double idle_w, full_w; /* 0 = no server of the family */
};

extern const struct wtl_cpu_tdp wtl_cpu_tdp_table[];
extern const size_t wtl_cpu_tdp_count;
extern const struct wtl_server_cpu wtl_server_cpus[];
extern const size_t wtl_server_cpu_count;
extern const struct wtl_power_fit wtl_power_fits[2][2]; /* [TDP known][family known] */
extern const struct wtl_power_interval wtl_power_intervals[];
extern const struct wtl_thread_watts wtl_thread_watts[];

/* A machine as used by the model. */
struct wtl_server_machine {
    char key[WTL_CPU_KEY_MAX];  /* of the processor; "" = unknown */
    enum wtl_cpu_family family; /* from its model numbers; the family found by name takes
                                   precedence */
    double tdp_w;               /* of one chip; 0 = look it up */
    double chips, cores, ghz;   /* cores: total of all chips; ghz 0 = unknown */
    double memory_gb;           /* 0 = unknown */
    int smt;                    /* more threads than cores */
};

struct wtl_server_watts {
    enum wtl_power_tier tier;
    enum wtl_cpu_family family;
    unsigned servers; /* number with this processor in the table */
    double tdp_w;     /* used; 0 = none */
    double idle_w, full_w;
};

/* The watts of a whole machine. */
void wtl_server_power(const struct wtl_server_machine *server, struct wtl_server_watts *ret_watts);

/* The watts of `threads` hardware threads as part of a host of the family. */
void wtl_thread_power(enum wtl_cpu_family family, int threads, struct wtl_server_watts *ret_watts);

/* A row of the table by key, or NULL. */
const struct wtl_cpu_tdp *wtl_cpu_tdp_find(const char *key);
const struct wtl_server_cpu *wtl_server_cpu_find(const char *key);

#endif
