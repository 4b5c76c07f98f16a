/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening the sets of "wattle counters": see counter_list.h. */
#include "cli/counters/counter_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"

/* A set of all events that are known by name, which come first in the tables of their files. */
static void fill_all(struct wtl_counter_set *set)
{
    const char *name, *about;
    *set = (struct wtl_counter_set){.column_count = 0};
    for (size_t i = 0; (name = wtl_count_source(i, &about)) != NULL; i++) {
        struct wtl_counter_column *column = &set->columns[set->column_count++];
        (void)snprintf(column->name, sizeof column->name, "EVENT_%zu", set->column_count);
        (void)snprintf(column->source, sizeof column->source, "%s", name);
    }
    for (size_t i = 0; (name = wtl_perf_name(i)) && set->column_count < WTL_COUNTER_COLUMNS; i++) {
        struct wtl_counter_column *column = &set->columns[set->column_count++];
        (void)snprintf(column->name, sizeof column->name, "EVENT_%zu", set->column_count);
        (void)snprintf(column->source, sizeof column->source, "perf:%s", name);
    }
}

static int open_listing(struct wtl_counter_listing *one, const struct wtl_world *world)
{
    const struct wtl_target command = {.pid = getpid(), .inherit = true, .scope = WTL_COUNTED_TREE};
    const struct wtl_target machine = {.scope = WTL_COUNTED_MACHINE};
    int rc = wtl_count_columns_open(&one->tree, world, &command, &one->set);
    return rc < 0 ? rc : wtl_count_columns_open(&one->machine, world, &machine, &one->set);
}

static int open_all(struct wtl_counter_list *list,
                    const struct wtl_world *world,
                    struct wattle_error *err)
{
    char **names;
    struct wattle_error why = {""};
    int count = wtl_counter_set_names(wtl_world_real(), &names), rc = 0;
    if (count < 0)
        return wtl_fail(err, count, "the counter sets: %s", wtl_strerror(count));
    list->items = calloc((size_t)count + 1, sizeof *list->items);
    rc = list->items ? 0 : -ENOMEM;
    for (int i = 0; i < count && rc == 0; i++) {
        struct wtl_counter_listing *one = &list->items[list->count++];
        one->is_set = true;
        rc = wtl_counter_set_load(&one->set, wtl_world_real(), names[i], &why);
        if (rc < 0 && rc != -ENOMEM) {
            (void)snprintf(one->set.name, sizeof one->set.name, "%s", names[i]);
            (void)snprintf(one->broken, sizeof one->broken, "%s", why.text);
        }
        rc = rc == 0 || rc == -ENOMEM ? rc : 0;
        if (rc == 0 && !one->broken[0])
            rc = open_listing(one, world);
    }
    free((void *)names);
    list->set_count = list->count;
    if (rc < 0)
        return wtl_no_memory(err);
    struct wtl_counter_listing *all = &list->items[list->count++];
    fill_all(&all->set);
    return open_listing(all, world) < 0 ? wtl_no_memory(err) : 0;
}

int wtl_counter_list_open(struct wtl_counter_list *list,
                          const struct wtl_world *world,
                          const char *name,
                          struct wattle_error *err)
{
    *list = (struct wtl_counter_list){.items = NULL};
    if (!name)
        return open_all(list, world, err);
    list->items = calloc(1, sizeof *list->items);
    if (!list->items)
        return wtl_no_memory(err);
    list->count = list->set_count = 1;
    list->items[0].is_set = true;
    int rc = wtl_counter_set_load(&list->items[0].set, wtl_world_real(), name, err);
    if (rc == 0 && open_listing(&list->items[0], world) < 0)
        rc = wtl_no_memory(err);
    return rc;
}

void wtl_counter_list_close(struct wtl_counter_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].tree.list)
            wtl_count_columns_close(&list->items[i].tree);
        if (list->items[i].machine.list)
            wtl_count_columns_close(&list->items[i].machine);
        wtl_counter_set_fini(&list->items[i].set);
    }
    free(list->items);
    *list = (struct wtl_counter_list){.items = NULL};
}
