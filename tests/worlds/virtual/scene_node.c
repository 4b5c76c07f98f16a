/* SPDX-License-Identifier: BSD-3-Clause */
/* The node of a situation: see scene_node.h. Its options are those of "wattle-sim run", read by the same function. */
#define _GNU_SOURCE
#include "scene_node.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"

enum { CPUS = 8, SETTINGS = 512 };

/* The node's start, but for less than a cell of the grid. */
static const uint64_t START_NS = UINT64_C(1000000000000);

uint64_t scene_node_opens_ns(const struct scene *scene)
{
    return START_NS + scene->start_ns;
}

static int parse_options(const struct scene *scene,
                         struct wtl_sim_options *options,
                         struct wattle_error *err)
{
    char program[] = "wattle-sim", command[] = "true", end[] = "--";
    char seed[40], *words[SETTINGS + 5] = {program, seed};
    int n = 2;
    if (scene->options.count > SETTINGS)
        return wtl_fail(err, -EINVAL, "more than %d settings of the node; leave some out",
                        SETTINGS);
    (void)snprintf(seed, sizeof seed, "--seed=%" PRIu64, scene->seed); /* always fits */
    for (size_t i = 0; i < scene->options.count; i++)
        words[n++] = scene->options.list[i];
    words[n++] = end;
    words[n++] = command;
    int rc = wtl_sim_options_parse(options, n, words, CPUS, err);
    /* Registers are read on one CPU of each package, which "wattle-sim run" leaves to the host to tell. */
    if (rc == 0 && !(options->tree.views & WTL_VIEW_POWERCAP))
        options->tree.views |= WTL_VIEW_TOPOLOGY;
    return rc;
}

/* t = 0 of the node is 100 s before the window; its grid is moved so that a line is at the window, and ticks stay
 * where they are. */
static void place_in_time(struct wtl_node_config *config, uint64_t window_ns)
{
    uint64_t before_ns = SCENE_BEFORE_S * UINT64_C(1000000000);
    uint64_t past = (window_ns - START_NS) % config->grid_ns;
    uint64_t earlier = past ? config->grid_ns - past : 0;
    config->start_ns = START_NS - earlier;
    config->t0_ns = window_ns - before_ns;
    for (size_t i = 0; i < config->domain_count; i++)
        config->domains[i].phase_ns += earlier;
}

static int set_power(struct scene_node *node,
                     const struct scene_step *step,
                     uint64_t time_ns,
                     const struct wtl_expression *power,
                     struct wattle_error *err)
{
    int domain, index, rc = 0, hits = 0;
    if (wtl_fault_domain(step->what, strlen(step->what), &domain, &index) < 0)
        return wtl_fail(err, -EINVAL, "step %s=: unknown; write load, or a domain such as package",
                        step->what);
    for (size_t i = 0; rc == 0 && i < wtl_node_count(node->node); i++) {
        const struct wtl_node_domain *d = wtl_node_domain(node->node, i);
        if ((int)d->domain != domain || (index >= 0 && d->index != index))
            continue;
        hits++;
        rc = wtl_node_set_power(node->node, i, time_ns, power);
    }
    if (rc == 0 && hits == 0)
        return wtl_fail(err, -EINVAL, "step %s=: no such domain in this node; see power",
                        step->what);
    return rc < 0 ? wtl_fail(err, rc, "step %s=: out of order", step->what) : 0;
}

static int add_step(struct scene_node *node,
                    const struct scene_step *step,
                    struct wtl_expression **ret_power,
                    struct wattle_error *err)
{
    struct wattle_error why;
    uint64_t time_ns = node->window_ns + (uint64_t)step->at_ns; /* modulo 2^64: may be negative */
    double load;
    if (time_ns < node->options.node.start_ns)
        return wtl_fail(err, -EINVAL, "step %s=: it is before the node's start; give a later start",
                        step->what);
    if (strcmp(step->what, "load") == 0) {
        if (wtl_parse_double(step->value, &load) < 0 || !(load >= 0 && load <= 1))
            return wtl_fail(err, -EINVAL, "step load=%s: give a number from 0 to 1", step->value);
        return wtl_node_set_load(node->node, time_ns, load);
    }
    int rc = wtl_expression_compile(step->value, wtl_power_variables, WTL_POWER_VARIABLES,
                                    ret_power, &why);
    return rc < 0 ? wtl_fail(err, rc, "step %s: %s", step->what, why.text)
                  : set_power(node, step, time_ns, *ret_power, err);
}

int scene_node_open(const struct scene *scene,
                    uint64_t window_ns,
                    struct scene_node *node,
                    struct wattle_error *err)
{
    *node = (struct scene_node){.window_ns = window_ns};
    struct wtl_memory_config memory = scene->costs;
    memory.now_ns = scene_node_opens_ns(scene);
    memory.seed = scene->seed;
    int rc = parse_options(scene, &node->options, err);
    if (rc < 0)
        return rc;
    place_in_time(&node->options.node, window_ns);
    rc = wtl_node_create(&node->options.node, &node->node, err);
    for (size_t i = 0; rc == 0 && i < scene->step_count; i++)
        rc = add_step(node, &scene->steps[i], &node->powers[i], err);
    rc = rc < 0 ? rc : wtl_tree_create(&node->options.tree, &node->options.node, &node->tree, err);
    return rc < 0 ? rc
                  : wtl_memory_world_create(node->node, node->tree, &memory, &node->world, err);
}

void scene_node_close(struct scene_node *node)
{
    wtl_memory_world_destroy(node->world);
    wtl_tree_destroy(node->tree);
    wtl_node_destroy(node->node);
    for (size_t i = 0; i < SCENE_STEPS; i++)
        wtl_expression_destroy(node->powers[i]);
    wtl_sim_options_fini(&node->options);
    *node = (struct scene_node){0};
}
