/* SPDX-License-Identifier: BSD-3-Clause */
/* See energy_count.h. */
#define _GNU_SOURCE
#include "energy_count.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
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
                            struct energy_for_slurm *shown)
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
                       struct energy_for_slurm *ret_energy,
                       char *why)
{
    struct energy_for_slurm shown = {.known = false};
    if (rc < 0 && is_step && !count->begun && !count->lost) {
        count->lost = true;
        (void)snprintf(count->why, sizeof count->why, "when it began: %.*s", SLURM_WHY - 20, why);
    }
    if (rc < 0) {
        *ret_energy = shown;
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
    *ret_energy = shown;
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
                         struct energy_for_slurm *shown,
                         char *why)
{
    *shown = (struct energy_for_slurm){.known = false};
    if (state == SHARE_UNKNOWN_JOB && !count->asked_share) {
        why[0] = '\0'; /* the SPANK plugin enters it in a moment */
    } else if (state != SHARE_CHARGED) {
        (void)snprintf(
            why, SLURM_WHY,
            state == SHARE_UNKNOWN_JOB
                ? "its job shares the node, and the step is not in wattled's ledger; the "
                  "SPANK plugin of wattle enters steps"
            : state == SHARE_NO_ANSWER ? "wattled does not answer"
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

/* ---- the ledger ---- */

/* Are all tasks of the step gone, so that this is the last look at it? slurmstepd has collected them then. */
static bool is_last(struct energy_count *count)
{
    siginfo_t info;
    bool none = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD;
    bool last = none && count->had_child;
    count->had_child = count->had_child || !none;
    return last;
}

struct question {
    bool estimates;
    uint64_t until_ns; /* to wait for answers; 0 = not */
};

/* A job that the ledger does not know has no prolog of wattle, and the node's energy is its steps', as with other plugins of
 * Slurm. If the ledger knows others, the prolog of this one has failed or is late, and the node's energy is theirs, too. */
static enum share_state without_job(struct energy_count *count,
                                    const struct daemon_step *step,
                                    const struct question *ask)
{
    int rc = count->has_others ? 1 : job_share_ask_others(step->job, ask->until_ns);
    count->missing = true;
    count->has_others = rc > 0;
    return rc < 0 ? SHARE_NO_ANSWER : rc > 0 ? SHARE_UNKNOWN : SHARE_EXCLUSIVE;
}

/* SHARE_CHARGED: what the ledger charges, by its own rule. SHARE_EXCLUSIVE: it does not have the step, and the node's energy is the step's. */
static enum share_state ask_once(struct energy_count *count,
                                 const struct daemon_step *step,
                                 const struct question *ask,
                                 double *charged_j)
{
    double job_j;
    const char *id = step->extern_ ? step->job : step->id;
    count->missing = false;
    enum share_state state = job_share_ask(id, ask->estimates, ask->until_ns, charged_j);
    if (state == SHARE_EXCLUSIVE)
        return isfinite(*charged_j) ? SHARE_CHARGED : SHARE_UNKNOWN;
    if (state != SHARE_UNKNOWN_JOB || step->extern_)
        return state == SHARE_UNKNOWN_JOB ? without_job(count, step, ask) : state;
    state = job_share_ask(step->job, ask->estimates, ask->until_ns, &job_j);
    if (state == SHARE_UNKNOWN_JOB)
        return without_job(count, step, ask);
    return state == SHARE_CHARGED || state == SHARE_UNKNOWN ? SHARE_UNKNOWN_JOB : state;
}

/* At the last look, a job whose prolog is late is waited for, too. */
static enum share_state ask_ledger(struct energy_count *count,
                                   const struct daemon_step *step,
                                   bool estimates,
                                   double *charged_j)
{
    bool last = is_last(count);
    const struct question ask = {estimates, last ? slurm_wattled_until() : 0};
    enum share_state state = ask_once(count, step, &ask, charged_j);
    while (last && count->missing && state == SHARE_UNKNOWN && slurm_wattled_may_wait(ask.until_ns))
        state = ask_once(count, step, &ask, charged_j);
    return state;
}

void energy_count_read(struct energy_count *count,
                       const struct daemon_step *step,
                       bool estimates,
                       struct energy_for_slurm *ret_energy,
                       char *why)
{
    struct slurm_node_energy node;
    double charged_j = NAN;
    bool is_step = step->kind == DAEMON_STEPD;
    enum share_state state =
        is_step && step->id[0] ? ask_ledger(count, step, estimates, &charged_j) : SHARE_EXCLUSIVE;
    bool charged = state != SHARE_EXCLUSIVE && state != SHARE_NO_ANSWER;
    int rc = 0;
    if (!charged || (!count->begun && !count->lost)) {
        rc = slurm_node_energy_read(estimates, &node, why);
        energy_count_take(count, is_step, monotonic(), rc, &node, ret_energy, why);
    }
    if (charged || (state == SHARE_NO_ANSWER && rc == 0))
        energy_count_charge(count, monotonic(), state, charged_j, ret_energy, why);
}
