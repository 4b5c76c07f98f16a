/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * acct_gather_energy/wattle: energy of nodes, steps and jobs for Slurm's own accounting. slurmd and each
 * slurmstepd read wattled's page themselves. What is unknown is NO_VAL64, which sacct shows as empty, never 0.
 * No call ends the daemon, drains the node, or waits for longer than node_energy.h says.
 *
 * Slurm's headers declare the struct and the enum; what they lack is declared here, weakly, so that a version
 * without one of these functions loads the plugin all the same.
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/slurm_version.h>
#include <slurm/spank.h>

#include "daemon_step.h"
#include "daemon_version.h"
#include "energy_count.h"
#include "site_settings.h"

/*
 * Slurm ends slurmd if the version of an energy plugin is not exactly its own. After an update of Slurm that would take nodes
 * down, so the plugin states the version of whatever loads it, and where that is not the one it was built for, all
 * energy is unknown: the struct may differ, except for its first members, which have been the same from 22.05 on.
 */
extern const char plugin_name[], plugin_type[];
extern uint32_t plugin_version;
const char plugin_name[] = "energy from wattled";
const char plugin_type[] = "acct_gather_energy/wattle";
uint32_t plugin_version = SLURM_VERSION_NUMBER;
_Static_assert(offsetof(acct_gather_energy_t, consumed_energy) == 16 &&
                   offsetof(acct_gather_energy_t, current_watts) == 24,
               "the first members of the struct have moved");

__attribute__((constructor)) static void take_version(void)
{
    uint32_t version = daemon_version();
    plugin_version = version ? version : plugin_version;
}

static bool is_other_version(void)
{
    return plugin_version != SLURM_VERSION_NUMBER;
}

/* One column of a profile; a row of cells of 8 bytes follows. */
struct profile_field {
    const char *name;
    int type;
};
enum { FIELD_U64 = 1, FIELD_DOUBLE = 2, NO_PARENT = -1 };

#define WEAK __attribute__((weak))
extern int acct_gather_profile_g_get(enum acct_gather_profile_info, void *) WEAK;
extern int acct_gather_profile_g_create_dataset(const char *, int64_t, struct profile_field *) WEAK;
extern int acct_gather_profile_g_add_sample_data(int, void *, time_t) WEAK;

int init(void);
int fini(void);
int acct_gather_energy_p_update_node_energy(void);
int acct_gather_energy_p_get_data(enum acct_energy_type type, void *data);
int acct_gather_energy_p_set_data(enum acct_energy_type type, void *data);
void acct_gather_energy_p_conf_options(void **options, int *count);
void acct_gather_energy_p_conf_set(int context, void *table);
void acct_gather_energy_p_conf_values(void *list);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static struct site_settings settings;
static struct daemon_step step;
static acct_gather_energy_t shown; /* what was read last, as Slurm keeps it */
static struct energy_count count;
static char said[SLURM_WHY]; /* the last problem in the log */
static int dataset = -1;

/* A problem goes to the log once, until another one or none. */
static void log_problem(const char *why)
{
    const char *what = step.kind == DAEMON_SLURMD ? "node" : "step";
    if (strcmp(said, why) == 0)
        return;
    if (why[0])
        slurm_info("wattle: the energy of this %s is unknown: %s", what, why);
    else
        slurm_info("wattle: the energy of this %s is known again", what);
    (void)snprintf(said, sizeof said, "%s", why);
}

/* Read what is new into `shown`. exact_j: the joules before rounding, NaN = unknown. */
static void poll_energy(double *ret_exact_j)
{
    char why[SLURM_WHY] = "";
    struct energy_for_slurm now;
    daemon_step_look(&step);
    energy_count_read(&count, &step, settings.estimate, &now, why);
    shown.previous_consumed_energy = shown.consumed_energy == NO_VAL64 ? 0 : shown.consumed_energy;
    shown.base_consumed_energy = now.base_j;
    shown.consumed_energy = now.known ? now.consumed_j : NO_VAL64;
    shown.current_watts = now.power_known ? now.current_w : NO_VAL;
    shown.ave_watts = now.average_known ? now.average_w : NO_VAL;
    shown.poll_time = time(NULL);
    *ret_exact_j = now.known ? now.exact_j : NAN;
    log_problem(why);
}

/* slurmctld and the commands load plugins as well; there is nothing to read there. */
static bool has_energy(void)
{
    return step.kind != DAEMON_OTHER && !is_other_version();
}

static void give(acct_gather_energy_t *to)
{
    if (!is_other_version()) {
        *to = shown;
        return;
    }
    to->ave_watts = to->current_watts = NO_VAL;
    to->consumed_energy = NO_VAL64;
}

int init(void)
{
    char why[SLURM_WHY];
    shown = (acct_gather_energy_t){.ave_watts = NO_VAL,
                                   .base_consumed_energy = 0,
                                   .consumed_energy = NO_VAL64,
                                   .current_watts = NO_VAL};
    daemon_step_look(&step);
    if (step.kind == DAEMON_OTHER)
        return SLURM_SUCCESS;
    if (is_other_version())
        slurm_error(
            "wattle: energy is unknown: acct_gather_energy/wattle is for Slurm %u.%02u.%u, and "
            "this is %u.%02u.%u; build it again with scripts/slurm-plugins",
            SLURM_VERSION_NUMBER >> 16, SLURM_VERSION_NUMBER >> 8 & 0xff,
            SLURM_VERSION_NUMBER & 0xff, plugin_version >> 16, plugin_version >> 8 & 0xff,
            plugin_version & 0xff);
    site_settings_read(&settings, why);
    if (why[0])
        slurm_info("wattle: %s", why);
    return SLURM_SUCCESS;
}

int fini(void)
{
    return SLURM_SUCCESS;
}

int acct_gather_energy_p_update_node_energy(void)
{
    double exact_j;
    (void)pthread_mutex_lock(&lock);
    if (has_energy())
        poll_energy(&exact_j);
    (void)pthread_mutex_unlock(&lock);
    return SLURM_SUCCESS;
}

int acct_gather_energy_p_get_data(enum acct_energy_type type, void *data)
{
    double exact_j;
    int rc = SLURM_SUCCESS;
    (void)pthread_mutex_lock(&lock);
    switch ((int)type) {
    case ENERGY_DATA_JOULES_TASK:
    case ENERGY_DATA_NODE_ENERGY_UP:
        if (has_energy())
            poll_energy(&exact_j);
        give(data);
        break;
    case ENERGY_DATA_NODE_ENERGY:
    case ENERGY_DATA_STRUCT:
        give(data);
        break;
    case ENERGY_DATA_LAST_POLL:
        *(time_t *)data = shown.poll_time;
        break;
    case ENERGY_DATA_SENSOR_CNT:
        *(uint16_t *)data = 1;
        break;
    default:
        rc = SLURM_ERROR;
        break;
    }
    (void)pthread_mutex_unlock(&lock);
    return rc;
}

/* ---- the profile ---- */

static bool is_profiled(void)
{
    uint32_t running = ACCT_GATHER_PROFILE_NONE;
    if (!acct_gather_profile_g_get || !acct_gather_profile_g_create_dataset ||
        !acct_gather_profile_g_add_sample_data)
        return false;
    (void)acct_gather_profile_g_get(ACCT_GATHER_PROFILE_RUNNING, &running);
    return running > ACCT_GATHER_PROFILE_NONE && running & ACCT_GATHER_PROFILE_ENERGY;
}

/* A row of the profile; none while something is unknown, since a row of zeros would be a measurement. */
static void add_row(double exact_j)
{
    static struct profile_field fields[] = {
        {"Power", FIELD_U64}, {"Joules", FIELD_DOUBLE}, {NULL, 0}};
    union {
        uint64_t u64;
        double real;
    } row[2];
    if (!is_profiled() || isnan(exact_j) || shown.current_watts == NO_VAL)
        return;
    if (dataset < 0)
        dataset = acct_gather_profile_g_create_dataset("Energy", NO_PARENT, fields);
    if (dataset < 0)
        return;
    row[0].u64 = shown.current_watts;
    row[1].real = exact_j;
    (void)acct_gather_profile_g_add_sample_data(dataset, row, shown.poll_time);
}

int acct_gather_energy_p_set_data(enum acct_energy_type type, void *data)
{
    double exact_j;
    char why[SLURM_WHY];
    (void)data;
    (void)pthread_mutex_lock(&lock);
    if (has_energy() && type == ENERGY_DATA_RECONFIG)
        site_settings_read(&settings, why);
    if (has_energy() && type == ENERGY_DATA_PROFILE) {
        poll_energy(&exact_j);
        add_row(exact_j);
    }
    (void)pthread_mutex_unlock(&lock);
    return SLURM_SUCCESS;
}

/* No key in acct_gather.conf: see site_settings.h. */
void acct_gather_energy_p_conf_options(void **options, int *number)
{
    (void)options;
    (void)number;
}

void acct_gather_energy_p_conf_set(int context, void *table)
{
    (void)context;
    (void)table;
}

void acct_gather_energy_p_conf_values(void *list)
{
    (void)list;
}
