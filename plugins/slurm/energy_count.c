/* SPDX-License-Identifier: BSD-3-Clause */
/* See energy_count.h. */
#define _GNU_SOURCE
#include "energy_count.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* No mean power over less. */
static const uint64_t AVERAGE_MIN_NS = 1000000000;
static const double JOULES_MAX = 9e15;        /* exact in a double, and far below Slurm's marks */
static const double WATTS_MAX = 4294967293.0; /* the next numbers are Slurm's marks */

/* ---- Slurm's integers; false: the number does not fit, or is none ---- */

static bool slurm_joules(double energy_j, uint64_t *ret_joules)
{
    if (!(energy_j > -0.5 && energy_j < JOULES_MAX)) /* false for NaN */
        return false;
    *ret_joules = energy_j > 0 ? (uint64_t)(energy_j + 0.5) : 0;
    return true;
}

static bool slurm_watts(double power_w, uint32_t *ret_watts)
{
    if (!(power_w > -0.5 && power_w < WATTS_MAX))
        return false;
    *ret_watts = power_w > 0 ? (uint32_t)(power_w + 0.5) : 0;
    return true;
}

/* ---- a node, or a step by the node's counter ---- */

static void begin(struct energy_count *count, uint64_t now_ns, const struct slurm_node_energy *node)
{
    count->begun = true;
    count->base = *node;
    count->base_ns = now_ns;
}

/* Is the difference to the base the energy since then? */
static bool is_whole(const struct energy_count *count, const struct slurm_node_energy *node)
{
    return count->base.identity == node->identity && count->base.unknown_ns == node->unknown_ns;
}

static void show_difference(const struct energy_count *count,
                            uint64_t now_ns,
                            const struct slurm_node_energy *node,
                            struct energy_shown *shown)
{
    double energy_j = node->energy_j - count->base.energy_j;
    uint64_t elapsed_ns = now_ns - count->base_ns;
    shown->exact_j = energy_j;
    shown->known = slurm_joules(energy_j, &shown->consumed_j);
    shown->average_known = shown->known && elapsed_ns >= AVERAGE_MIN_NS &&
                           slurm_watts(energy_j / ((double)elapsed_ns * 1e-9), &shown->average_w);
}

void energy_count_take(struct energy_count *count,
                       bool is_step,
                       uint64_t now_ns,
                       int rc,
                       const struct slurm_node_energy *node,
                       struct energy_shown *ret_shown,
                       char *why)
{
    struct energy_shown shown = {.known = false};
    if (rc < 0 && is_step && !count->begun && !count->lost) {
        count->lost = true;
        (void)snprintf(count->why, sizeof count->why, "when it began: %.*s", SLURM_WHY - 20, why);
    }
    if (rc < 0) {
        *ret_shown = shown;
        return;
    }
    why[0] = '\0';
    shown.power_known = slurm_watts(node->power_w, &shown.current_w);
    if (!count->begun || (!is_step && !is_whole(count, node)))
        begin(count, now_ns, node);
    (void)slurm_joules(count->base.energy_j, &shown.base_j);
    if (count->lost)
        (void)snprintf(why, SLURM_WHY, "%s", count->why);
    else if (!is_whole(count, node))
        (void)snprintf(
            why, SLURM_WHY,
            "energy was lost meanwhile, see the log of wattled; \"wattle jobs\" has what is known");
    else
        show_difference(count, now_ns, node, &shown);
    if (!shown.known && why[0] == '\0')
        (void)snprintf(why, SLURM_WHY, "the counter of wattled went backwards or is no number");
    *ret_shown = shown;
}

static uint64_t monotonic(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void energy_count_charge(struct energy_count *count,
                         uint64_t now_ns,
                         enum share_state state,
                         double charged_j,
                         struct energy_shown *shown,
                         char *why)
{
    *shown = (struct energy_shown){.known = false};
    if (state == SHARE_UNKNOWN_JOB && !count->asked_share) {
        why[0] = '\0'; /* the SPANK plugin enters it in a moment */
    } else if (state != SHARE_CHARGED) {
        (void)snprintf(
            why, SLURM_WHY,
            state == SHARE_UNKNOWN_JOB
                ? "its job shares the node, and the step is not in wattled's ledger; the "
                  "SPANK plugin of wattle enters steps"
                : "its share of the node is unknown, see \"wattle jobs\"");
    }
    count->asked_share = true;
    if (state != SHARE_CHARGED)
        return;
    why[0] = '\0';
    shown->exact_j = charged_j;
    shown->known = slurm_joules(charged_j, &shown->consumed_j);
    if (!shown->known)
        (void)snprintf(why, SLURM_WHY, "its charged energy is no number that Slurm holds");
    if (count->charged_ns > 0 && now_ns > count->charged_ns)
        shown->power_known = slurm_watts((charged_j - count->charged_j) /
                                             ((double)(now_ns - count->charged_ns) * 1e-9),
                                         &shown->current_w);
    count->charged_j = charged_j;
    count->charged_ns = now_ns;
}

/* Is the energy of the step what the ledger charges? That of a whole job is, and that of a step on a shared node. A step
 * whose job has the node alone has the node's energy, and so has one of a job that the ledger does not know (no
 * prolog of wattle), as with other plugins of Slurm. If it knows others, the prolog of this one has failed, and the node's
 * energy is theirs, too. */
static bool is_charged(struct energy_count *count,
                       const struct daemon_step *step,
                       enum share_state *state,
                       double *charged_j)
{
    *state = job_share_ask(step->job, charged_j);
    if (step->extern_ && *state == SHARE_EXCLUSIVE)
        *state = isfinite(*charged_j) ? SHARE_CHARGED : SHARE_UNKNOWN;
    if (*state == SHARE_UNKNOWN_JOB) {
        count->has_others = count->has_others || job_share_ask_others(step->job);
        *state = SHARE_UNKNOWN;
        return count->has_others;
    }
    if (*state == SHARE_EXCLUSIVE)
        return false;
    if (!step->extern_)
        *state = job_share_ask(step->id, charged_j);
    return *state != SHARE_EXCLUSIVE;
}

void energy_count_read(struct energy_count *count,
                       const struct daemon_step *step,
                       bool estimates,
                       struct energy_shown *ret_shown,
                       char *why)
{
    struct slurm_node_energy node;
    enum share_state state;
    double charged_j = NAN;
    bool is_step = step->kind == DAEMON_STEPD;
    int rc = slurm_node_energy_read(estimates, &node, why);
    energy_count_take(count, is_step, monotonic(), rc, &node, ret_shown, why);
    if (rc == 0 && is_step && step->id[0] && is_charged(count, step, &state, &charged_j))
        energy_count_charge(count, monotonic(), state, charged_j, ret_shown, why);
}
