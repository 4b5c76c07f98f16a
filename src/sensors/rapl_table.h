/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties of RAPL registers by processor family and model. */
#ifndef WTL_SENSORS_RAPL_TABLE_H
#define WTL_SENSORS_RAPL_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum wtl_rapl_vendor { WTL_RAPL_INTEL = 0, WTL_RAPL_AMD = 1 };

enum wtl_rapl_domain_flags {
    WTL_RAPL_PACKAGE = 1u << 0,
    WTL_RAPL_CORE = 1u << 1,   /* PP0: all cores of a package */
    WTL_RAPL_UNCORE = 1u << 2, /* PP1: mostly graphics */
    WTL_RAPL_DRAM = 1u << 3,
    WTL_RAPL_PSYS = 1u << 4,
    WTL_RAPL_PER_CORE = 1u << 5 /* one counter for each core */
};

/* How the energy unit is determined. */
enum wtl_rapl_unit {
    WTL_RAPL_UNIT_REGISTER = 0, /* 2^-ESU J, from the unit register */
    WTL_RAPL_UNIT_ATOM = 1,     /* 2^ESU uJ: Silvermont and Airmont */
    WTL_RAPL_UNIT_2_16 = 2,     /* 2^-16 J, regardless of the unit register */
    WTL_RAPL_UNIT_1_J = 3       /* 1 J, likewise */
};

struct wtl_rapl_model {
    enum wtl_rapl_vendor vendor;
    unsigned family, model; /* model 0xffff: every model of the family */
    unsigned domains;       /* enum wtl_rapl_domain_flags */
    enum wtl_rapl_unit unit, dram_unit, psys_unit;
    int per_die; /* the package registers count a die, not the package */
};

#define WTL_RAPL_ANY_MODEL 0xffffu

extern const struct wtl_rapl_model wtl_rapl_models[];
extern const size_t wtl_rapl_model_count;

/* NULL if the model is unknown. */
const struct wtl_rapl_model *wtl_rapl_find(enum wtl_rapl_vendor vendor,
                                           unsigned family,
                                           unsigned model);

/* Joules per tick from the unit register's value. */
double wtl_rapl_unit_j(enum wtl_rapl_unit unit, uint64_t unit_register);

#endif
