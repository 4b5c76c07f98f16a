/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * acct_gather_energy/wattle with the structs of a version of Slurm: built once for each layout. wattled is
 * replaced by what the test says it has; the plugin believes that it is in slurmd.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <sys/prctl.h>

#include <slurm/slurm.h>

#include "../../../../plugins/slurm/daemon_version.h"
#include "../../../../plugins/slurm/energy_count.h"

#include "tap.h"

int init(void);
int acct_gather_energy_p_update_node_energy(void);
int acct_gather_energy_p_get_data(enum acct_energy_type type, void *data);
int acct_gather_energy_p_set_data(enum acct_energy_type type, void *data);
void acct_gather_energy_p_conf_set(int context, void *table);
int acct_gather_profile_g_get(enum acct_gather_profile_info info, void *value);
int acct_gather_profile_g_create_dataset(const char *name, int64_t parent, void *fields);
int acct_gather_profile_g_add_sample_data(int dataset, void *row, time_t time);
void slurm_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void slurm_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

static struct slurm_node_energy node;
static int node_rc;
static unsigned lines, rows;
static double row_j;

int slurm_node_energy_read(bool estimates, struct slurm_node_energy *ret_energy, char *why)
{
    (void)estimates;
    (void)snprintf(why, SLURM_WHY, "%s", node_rc ? "wattled is not running" : "");
    *ret_energy = node;
    return node_rc;
}

uint32_t daemon_version(void)
{
    return 0;
}

int slurm_wattled_ask(const char *request, char *reply, size_t n)
{
    (void)request;
    (void)snprintf(reply, n, "no missing");
    return -ECANCELED;
}

int slurm_wattled_wait(const char *request, char *reply, size_t n, uint64_t until_ns)
{
    (void)until_ns;
    return slurm_wattled_ask(request, reply, n);
}

uint64_t slurm_wattled_until(void)
{
    return 1;
}

bool slurm_wattled_may_wait(uint64_t until_ns)
{
    (void)until_ns;
    return false;
}

void slurm_info(const char *format, ...)
{
    (void)format;
    lines++;
}

void slurm_error(const char *format, ...)
{
    (void)format;
    lines++;
}

int acct_gather_profile_g_get(enum acct_gather_profile_info info, void *value)
{
    *(uint32_t *)value = info == ACCT_GATHER_PROFILE_RUNNING ? ACCT_GATHER_PROFILE_ENERGY : 0;
    return 0;
}

int acct_gather_profile_g_create_dataset(const char *name, int64_t parent, void *fields)
{
    (void)fields;
    return parent == -1 && strcmp(name, "Energy") == 0 ? 3 : -1;
}

int acct_gather_profile_g_add_sample_data(int dataset, void *row, time_t time)
{
    rows += dataset == 3 && time > 0;
    memcpy(&row_j, (char *)row + 8, sizeof row_j);
    return 0;
}

/* A struct of Slurm, and what must not be written beyond it. */
struct guarded {
    acct_gather_energy_t energy;
    unsigned char after[64];
};

static acct_gather_energy_t get(enum acct_energy_type type)
{
    struct guarded g;
    memset(&g, 0xa5, sizeof g);
    is_int(acct_gather_energy_p_get_data(type, &g.energy), 0, "get_data %d", (int)type);
    bool intact = true;
    for (size_t i = 0; i < sizeof g.after; i++)
        intact &= g.after[i] == 0xa5;
    ok(intact, "nothing is written beyond the struct of %zu bytes", sizeof g.energy);
    return g.energy;
}

int main(void)
{
    time_t polled = 0;
    uint16_t sensors = 0;
    (void)prctl(PR_SET_NAME, "slurmd");
    (void)setenv("WATTLE_CONF", "/nonexistent", 1);
    is_int(init(), 0, "init");
    acct_gather_energy_p_conf_set(0, NULL);
    acct_gather_energy_t e = get(ENERGY_DATA_STRUCT);
    ok(e.consumed_energy == NO_VAL64 && e.current_watts == NO_VAL,
       "unknown before the first reading");

    node_rc = -ENOENT;
    (void)acct_gather_energy_p_update_node_energy();
    e = get(ENERGY_DATA_NODE_ENERGY);
    ok(e.consumed_energy == NO_VAL64 && e.current_watts == NO_VAL && e.ave_watts == NO_VAL &&
           e.poll_time > 0,
       "no wattled: unknown, not 0");
    is_int(lines, 1, "a line in the log");
    (void)acct_gather_energy_p_update_node_energy();
    is_int(lines, 1, "once");

    node_rc = 0;
    node = (struct slurm_node_energy){.energy_j = 1000, .power_w = 123.4, .identity = 1};
    e = get(ENERGY_DATA_NODE_ENERGY_UP);
    ok(e.consumed_energy == 0 && e.current_watts == 123 && e.base_consumed_energy == 1000,
       "the first reading");
    is_int(lines, 2, "and a line that it is known again");
    node.energy_j = 1500.6;
    e = get(ENERGY_DATA_JOULES_TASK);
    ok(e.consumed_energy == 501 && e.previous_consumed_energy == 0, "500.6 J");
    e = get(ENERGY_DATA_NODE_ENERGY);
    ok(e.consumed_energy == 501, "the same without a reading");
    is_int(acct_gather_energy_p_set_data(ENERGY_DATA_PROFILE, NULL), 0, "a row of the profile");
    ok(rows == 1 && row_j > 500.5 && row_j < 500.7, "has the joules before rounding: %g", row_j);
    node_rc = -EIO;
    (void)acct_gather_energy_p_set_data(ENERGY_DATA_PROFILE, NULL);
    is_int(rows, 1, "no row while energy is unknown");
    is_int(acct_gather_energy_p_get_data(ENERGY_DATA_LAST_POLL, &polled), 0, "last poll");
    is_int(acct_gather_energy_p_get_data(ENERGY_DATA_SENSOR_CNT, &sensors), 0, "number of sensors");
    ok(polled > 0 && sensors == 1, "as asked");
    ok(acct_gather_energy_p_get_data((enum acct_energy_type)99, &polled) != 0,
       "an unknown question is refused");
    return done_testing();
}
