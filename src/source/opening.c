/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening drivers that may never return: see opening.h. */
#define _GNU_SOURCE
#include "source/opening.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "source/silence.h"

/* A driver being opened. An abandoned one is never freed. */
struct wtl_opening {
    const struct wtl_driver *driver;
    const struct wtl_world *world;
    struct wtl_terms *terms;
    struct wtl_source source;
    struct wattle_error why;
    int status;
    struct wtl_silence silence; /* once abandoned */
    struct wtl_errand *errand;  /* its own thread, of one that was begun; else NULL */
    struct wtl_opening *next;   /* among those begun */
};

/* ---- terms ---- */

static char *copy_term(char *at, const char **ret, const char *text)
{
    size_t n = strlen(text) + 1;
    memcpy(at, text, n);
    *ret = at;
    return at + n;
}

int wtl_terms_create(const struct wtl_settings *settings,
                     const struct wtl_target *target,
                     struct wtl_terms **ret_terms)
{
    size_t count = settings->count,
           bytes = target && target->cgroup ? strlen(target->cgroup) + 1 : 0;
    for (size_t i = 0; i < count; i++) {
        const struct wtl_setting *one = &settings->list[i];
        bytes += strlen(one->driver) + strlen(one->key) + strlen(one->value) + 3;
    }
    struct wtl_terms *terms = calloc(1, sizeof *terms + count * sizeof(struct wtl_setting) + bytes);
    if (!terms)
        return -ENOMEM;
    struct wtl_setting *list = (struct wtl_setting *)(terms + 1);
    char *at = (char *)(list + count);
    for (size_t i = 0; i < count; i++) {
        at = copy_term(at, &list[i].driver, settings->list[i].driver);
        at = copy_term(at, &list[i].key, settings->list[i].key);
        at = copy_term(at, &list[i].value, settings->list[i].value);
    }
    terms->users = 1;
    terms->settings = (struct wtl_settings){.count = count, .list = list};
    if (target)
        terms->target = *target;
    if (target && target->cgroup)
        (void)copy_term(at, &terms->target.cgroup, target->cgroup);
    *ret_terms = terms;
    return 0;
}

static struct wtl_terms *share(struct wtl_terms *terms)
{
    (void)__atomic_add_fetch(&terms->users, 1, __ATOMIC_RELAXED);
    return terms;
}

void wtl_terms_release(struct wtl_terms *terms)
{
    if (terms && __atomic_sub_fetch(&terms->users, 1, __ATOMIC_ACQ_REL) == 0)
        free(terms);
}

/* ---- opening ---- */

static void run(void *context)
{
    struct wtl_opening *one = context;
    one->status = wtl_source_open(&one->source, one->driver, one->world, &one->terms->settings,
                                  &one->terms->target, &one->why);
}

static void close_late(void *context)
{
    struct wtl_opening *one = context;
    wtl_source_close(&one->source); /* no effect if opening failed */
    wtl_terms_release(one->terms);
    atomic_store_explicit(&one->silence.is_over, true, memory_order_release);
}

static int no_answer(const struct wtl_driver *driver, struct wattle_error *err)
{
    return wtl_fail(err, -ETIMEDOUT,
                    "skipped %s: opening it hangs (see dmesg for its driver or device); choose "
                    "other sensors, or release the device and start again",
                    driver->name);
}

static const struct wtl_errand_work work = {run, close_late};

static struct wtl_opening *make(const struct wtl_opener *opener, const struct wtl_driver *driver)
{
    struct wtl_opening *one = calloc(1, sizeof *one);
    if (!one)
        return NULL;
    one->driver = driver;
    one->world = opener->world;
    one->terms = share(opener->terms);
    return one;
}

void wtl_opener_begin(struct wtl_opener *opener, const struct wtl_driver *driver)
{
    const struct wtl_world *world = opener->world;
    if (opener->in_place || world->virtual_time || wtl_silence_is(driver, world) ||
        !driver->is_lengthy || !driver->is_lengthy(world))
        return;
    struct wtl_opening *one = make(opener, driver);
    if (!one)
        return;                                       /* opening it in its turn says so */
    (void)wtl_errand_begin(&one->errand, &work, one); /* without a thread it is open now */
    one->next = opener->begun;
    opener->begun = one;
}

bool wtl_opener_has_begun(const struct wtl_opener *opener, const struct wtl_driver *driver)
{
    const struct wtl_opening *one = opener->begun;
    while (one && one->driver != driver)
        one = one->next;
    return one != NULL;
}

/* The one that was begun for this driver (NULL: for any), which leaves the list; NULL without one. */
static struct wtl_opening *take_begun(struct wtl_opener *opener, const struct wtl_driver *driver)
{
    struct wtl_opening **at = &opener->begun;
    while (*at && driver && (*at)->driver != driver)
        at = &(*at)->next;
    struct wtl_opening *one = *at;
    if (one)
        *at = one->next;
    return one;
}

/* false: it was abandoned, and belongs to its thread. */
static bool finish(struct wtl_opener *opener, struct wtl_opening *one, bool begun)
{
    struct wtl_errand *errand = one->errand;
    bool done = begun ? !errand || wtl_errand_await(&errand, &opener->patience)
                      : wtl_errand_do(&opener->errand, &work, one, &opener->patience);
    if (done)
        wtl_errand_end(errand);
    else
        wtl_silence_begin(&one->silence, one->driver, one->world);
    return done;
}

int wtl_opener_open(struct wtl_opener *opener,
                    const struct wtl_driver *driver,
                    struct wtl_source *ret_source,
                    struct wattle_error *err)
{
    if (opener->in_place || opener->world->virtual_time)
        return wtl_source_open(ret_source, driver, opener->world, &opener->terms->settings,
                               &opener->terms->target, err);
    struct wtl_opening *one = take_begun(opener, driver);
    bool begun = one != NULL;
    if (!begun && wtl_silence_is(driver, opener->world))
        return no_answer(driver, err);
    if (!begun)
        one = make(opener, driver);
    if (!one)
        return -ENOMEM;
    if (!finish(opener, one, begun))
        return no_answer(driver, err);
    int rc = one->status;
    *ret_source = one->source;
    if (one->why.text[0])
        *err = one->why;
    wtl_terms_release(one->terms);
    free(one);
    return rc;
}

void wtl_opener_end(struct wtl_opener *opener)
{
    for (struct wtl_opening *one; (one = take_begun(opener, NULL));) {
        if (!finish(opener, one, true))
            continue;
        wtl_source_close(&one->source); /* no effect if opening failed */
        wtl_terms_release(one->terms);
        free(one);
    }
    wtl_errand_end(opener->errand);
    opener->errand = NULL;
}
