/* SPDX-License-Identifier: BSD-3-Clause */
/* What an energy plugin needs of Slurm 24.05.5: the facts of its interface, written for the tests. */
#include <stdint.h>
#include <time.h>

#define NO_VAL   0xfffffffe
#define NO_VAL64 0xfffffffffffffffe

#define ACCT_GATHER_PROFILE_NONE   0x00000001
#define ACCT_GATHER_PROFILE_ENERGY 0x00000002

#define acct_gather_energy_t struct acct_gather_energy
struct acct_gather_energy {
    uint32_t ave_watts;
    uint64_t base_consumed_energy;
    uint64_t consumed_energy;
    uint32_t current_watts;
    uint64_t last_adjustment;
    uint64_t previous_consumed_energy;
    time_t poll_time;
    time_t slurmd_start_time;
};

enum acct_gather_profile_info {
    ACCT_GATHER_PROFILE_DIR,
    ACCT_GATHER_PROFILE_DEFAULT,
    ACCT_GATHER_PROFILE_RUNNING
};

enum acct_energy_type {
    ENERGY_DATA_JOULES_TASK,
    ENERGY_DATA_STRUCT,
    ENERGY_DATA_RECONFIG,
    ENERGY_DATA_PROFILE,
    ENERGY_DATA_LAST_POLL,
    ENERGY_DATA_SENSOR_CNT,
    ENERGY_DATA_NODE_ENERGY,
    ENERGY_DATA_NODE_ENERGY_UP,
    ENERGY_DATA_STEP_PTR
};
